"""The memory index: a LangGraph store on Qdrant whose records have a dense and a sparse (BM25) vector.

`PalimpsestStore` is the Qdrant team's `QdrantStore` with three things added. Points carry a sparse vector beside the
dense one. `hybrid` asks both legs and brings every candidate's two scores. And records under our own namespace root
come in by `write`, `patch` and `remove` alone: what anybody else puts there goes to `on_outside`.

`search`, `get`, `list_namespaces` and everything outside our root are upstream's, unchanged. The ledger is the source
of truth; nothing here decides what is current, and no store TTL is ever set on a record.
"""

from __future__ import annotations

import itertools
import logging
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from langchain_core.embeddings import Embeddings
from langgraph.store.base import Op, PutOp, Result
from langgraph.store.qdrant import QdrantStore
from langgraph.store.qdrant import _filters as filters
from langgraph.store.qdrant._payload import dumps, encode_ns, normalize_value, point_id, value_paths
from langgraph.store.qdrant._plans import EmbedDocuments, EmbedQueries, Plan, call, gather
from langgraph.store.qdrant.base import VECTOR_NAME, _chunks, _client_kwargs, _now, _PutPlan
from pydantic_core import from_json
from qdrant_client import QdrantClient, models
from qdrant_client.local.qdrant_local import QdrantLocal

from stores.candidates import Candidates, Hit, RecentlyStored, SparseEncoder, Stored
from stores.current import MARK, mark_of, mark_plan
from stores.edge import EdgeClient
from stores.errors import PalimpsestError
from stores.neighbours import beside, best, these
from stores.revectoring import BM25, embed_plan, owner_of, respell_plan, sparse_of
from stores.rows import memory_of

logger = logging.getLogger(__name__)

ROOT: Final = "palimpsest"
"""The first label of every namespace of ours."""

MIN_SERVER: Final = (1, 19, 0)
"""The first Qdrant server that counts IDF over a corpus of the search's own."""

_EMBEDDER, _DIMS, _TERMS = "palimpsest_embedder", "palimpsest_dims", "palimpsest_terms"
_HIT_FIELDS: Final = ["key", "value_json"]
_NEIGHBOURS: Final = 4_096
"""More than the neighbours of any pool of candidates."""
_SCANNED: Final = 300
"""How many points a filter may let through for their sparse vectors to be read one by one, rather than the lists of the
question's terms: that takes a microsecond and more each."""
_RECENT: Final = 16_384
"""How many points' records are kept in memory, at one to two kilobytes each."""
_CHUNK: Final = 512

_OURS: Final = filters.match("ns_prefixes", encode_ns([ROOT]))
_KEYWORD = models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, enable_hnsw=False)
_INTEGER = models.IntegerIndexParams(type=models.IntegerIndexType.INTEGER, enable_hnsw=False)
_INDEXES: Final[Mapping[str, models.KeywordIndexParams | models.IntegerIndexParams]] = {
    **{f"value.{name}": _KEYWORD for name in ("id", "near", "kind", "thread_id", "speaker", "tags")},
    **{f"value.{name}": _INTEGER for name in ("start", "end", "said_ms", "expires_ms")},
    MARK: _KEYWORD,
}

Namespace = tuple[str, ...]


class EmbedderMismatch(PalimpsestError, ValueError):
    """The collection was written with another embedder than the store was opened with."""


class PalimpsestStore(QdrantStore):
    """The memory index over an `EdgeClient` or a `QdrantClient`; call `setup()` once before first use.

    Settable attributes: `on_outside` is handed each put or delete under our root that does not come by `write` or
    `remove` (the last one of each key in a batch), instead of its being applied; while it is None they are applied.
    `book` is where the graph's nodes find the richer memory behind the store; nothing here touches it.
    """

    def __init__(
        self,
        client: EdgeClient | QdrantClient,
        *,
        collection_name: str = ROOT,
        embeddings: Embeddings,
        dims: int,
        embedder_name: str,
        sparse: SparseEncoder,
    ) -> None:
        super().__init__(
            client,  # type: ignore[arg-type]  # EdgeClient has the methods that are called
            collection_name=collection_name,
            index={"dims": dims, "embed": embeddings, "fields": ["text"]},
        )
        self.embedder_name = embedder_name
        self.dims = dims
        self.sparse = sparse
        self.on_outside: Callable[[PutOp], None] | None = None
        self.book: Any = None
        # Local mode is always exact, and warns when it is told to be.
        self._recent = RecentlyStored(_RECENT)
        self._exact = not isinstance(getattr(client, "_client", None), QdrantLocal)

    # -- the collection

    def _vectors_config(self) -> dict[str, models.VectorParams]:
        """Upstream's, in half the bytes: a scan takes as long as its vectors are to read.

        Sixteen bits keep three and a half digits of a number up to 1; a cosine of 512 of them loses one or two in ten
        thousand at most.
        """
        found = super()._vectors_config()
        return {name: params.model_copy(update={"datatype": models.Datatype.FLOAT16}) for name, params in found.items()}

    def _setup_plan(self, collection_options: dict[str, Any]) -> Plan[None]:
        """Check everything that may not fit, then create what is missing.

        Raises `EmbedderMismatch`, or what upstream raises for a collection that is not one of its own, before
        anything is written; `PalimpsestError` for a server that cannot count IDF over a search's own corpus.
        """
        version = (yield from call("info")).version
        found = re.match(r"(\d+)\.(\d+)\.(\d+)", version)
        if found and tuple(map(int, found.groups())) < MIN_SERVER:
            wanted = ".".join(map(str, MIN_SERVER))
            raise PalimpsestError(f"The Qdrant server is version {version}; Palimpsest needs {wanted} or newer.")
        known = yield from self._embedder_known_plan()
        index = models.SparseIndexParams(full_scan_threshold=_SCANNED)
        sparse = {BM25: models.SparseVectorParams(modifier=models.Modifier.IDF, index=index)}
        yield from super()._setup_plan({"sparse_vectors_config": sparse, **collection_options})
        if not known:
            mine = {_EMBEDDER: self.embedder_name, _DIMS: self.dims}
            yield from call("update_collection", self.collection_name, metadata=mine)
        yield from self._terms_plan()
        yield from gather(
            call("create_payload_index", self.collection_name, field_name, schema, wait=True)
            for field_name, schema in _INDEXES.items()
        )
        yield from mark_plan(self.collection_name, _OURS)

    def _terms_plan(self) -> Plan[None]:
        """Make sparse vectors again that an encoder of another version made; a question's would meet none of them."""
        config = (yield from call("get_collection", self.collection_name)).config
        if (config.metadata or {}).get(_TERMS) != self.sparse.version:
            yield from respell_plan(self.collection_name, _OURS, self.sparse)
            mine = {_TERMS: self.sparse.version}
            yield from call("update_collection", self.collection_name, metadata=mine)

    def _embedder_known_plan(self) -> Plan[bool]:
        """Whether the collection already says that it was written with this embedder."""
        name = self.collection_name
        if not (yield from call("collection_exists", name)):
            return False
        config = (yield from call("get_collection", name)).config
        if BM25 not in (config.params.sparse_vectors or {}):
            raise PalimpsestError(f"Collection {name!r} has no {BM25!r} vector: it was not made by Palimpsest.")
        found = config.metadata or {}
        if _EMBEDDER not in found:
            # Made a moment ago by a process that died before it wrote the name. Upstream's own mark, written with
            # the collection, tells it from one that somebody else filled.
            return False
        if (found[_EMBEDDER], found.get(_DIMS)) != (self.embedder_name, self.dims):
            raise EmbedderMismatch(
                f"The memory index was written with the embedder {found[_EMBEDDER]!r} ({found.get(_DIMS)} dimensions), "
                f"but {self.embedder_name!r} ({self.dims} dimensions) is configured; configure the first, or run "
                "`palimpsest memory rebuild` to make the index anew with the second."
            )
        return True

    def reset(self) -> None:
        """Remove the collection, readable or not and whatever its embedder, and set up an empty one."""
        self.client.delete_collection(self.collection_name)
        self._recent = RecentlyStored(_RECENT)
        self.setup()

    # -- writing

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Upstream's batch, except that puts and deletes under our root go to `on_outside` while it is set.

        They are handed over after the rest of the batch has been applied, as reads see the state before its writes.
        """
        ops = list(ops)
        if self.on_outside is None:
            try:
                return super().batch(ops)
            finally:
                self._recent.drop(point_id(op.namespace, op.key) for op in ops if isinstance(op, PutOp))
        outside = {i: op for i, op in enumerate(ops) if isinstance(op, PutOp) and op.namespace[0] == ROOT}
        inside = iter(super().batch([op for i, op in enumerate(ops) if i not in outside]))
        results = [None if i in outside else next(inside) for i in range(len(ops))]
        for op in {(op.namespace, op.key): op for op in outside.values()}.values():
            self.on_outside(op)
        return results

    def write(self, items: Iterable[tuple[Namespace, str, Mapping[str, Any]]]) -> list[tuple[Namespace, str]]:
        """Write records of ours, each replacing what its key held.

        When the embedder fails, they are written with the sparse vector alone and their keys are returned;
        `embed_missing` gives them their dense vectors later. Raises what the client raises.
        """
        ops = [PutOp(tuple(namespace), key, dict(value)) for namespace, key, value in items]
        return self._run(self._write_plan(ops))

    def _write_plan(self, ops: Sequence[PutOp]) -> Plan[list[tuple[Namespace, str]]]:
        batches, failure = yield from self._points_plan(self._plan_puts(ops), _now())
        for points in batches:
            yield from call("upsert", self.collection_name, points=points, wait=True)
        self._recent.drop(point_id(op.namespace, op.key) for op in ops)
        return list(dict.fromkeys((op.namespace, op.key) for op in ops)) if failure else []

    def _prepare_upserts_plan(self, plan: _PutPlan, now: datetime) -> Plan[list[list[models.PointStruct]]]:
        batches, failure = yield from self._points_plan(plan, now)
        if failure and any(upsert.payload["namespace"][0] != ROOT for upsert in plan.upserts):
            raise failure
        return batches

    def _points_plan(
        self, plan: _PutPlan, now: datetime
    ) -> Plan[tuple[list[list[models.PointStruct]], Exception | None]]:
        """Upstream's points, made without vectors and then given both, or the sparse one when the embedder fails."""
        text_ids = {upsert.pid: upsert.text_ids for upsert in plan.upserts}
        texts, plan.texts = plan.texts, []
        for upsert in plan.upserts:
            upsert.text_ids = []
        batches = yield from super()._prepare_upserts_plan(plan, now)
        vectors: list[list[float]] = []
        failure: Exception | None = None
        if texts:
            try:
                vectors = self._check_vectors((yield EmbedDocuments(texts)), len(texts))
            except Exception as exc:  # an embedder is anybody's code: any failure of it is one to go on from
                failure = exc
                logger.warning("Without their dense vectors: %d records (%s)", len(plan.upserts), exc)
        for point in itertools.chain.from_iterable(batches):
            payload = point.payload or {}  # typed as if a point might have none
            if payload["namespace"][0] == ROOT:
                payload[MARK] = mark_of(payload["namespace"], payload["value"])
            if ids := text_ids[str(point.id)]:
                dense = {VECTOR_NAME: [vectors[i] for i in ids]} if vectors else {}
                words = sparse_of(self.sparse, payload["namespace"], [texts[i] for i in ids])
                point.vector = {**words, **dense}
        return batches, failure

    def embed_missing(self, limit: int = 256) -> int:
        """Give dense vectors to at most `limit` records that were written while the embedder failed; how many had.

        Raises what the embedder raises. Nothing else of a record changes.
        """
        return self._run(embed_plan(self.collection_name, limit, _OURS, self._check_vectors))

    def remove(self, items: Iterable[tuple[Namespace, str]]) -> None:
        """Delete records of ours; missing ones are ignored."""
        self._run(self._remove_plan([point_id(namespace, key) for namespace, key in items]))

    def _remove_plan(self, ids: Sequence[str]) -> Plan[None]:
        for chunk in _chunks(ids, _CHUNK):
            selector = models.PointIdsList(points=list(chunk))
            yield from call("delete", self.collection_name, points_selector=selector, wait=True)
        self._recent.drop(ids)

    def patch(self, namespace: Namespace, changes: Mapping[str, Mapping[str, Any]]) -> None:
        """Change fields of the values under some keys, embedding nothing and leaving vectors and `created_at` alone.

        The indexed text must not be among them. Missing keys are ignored.
        """
        if any("text" in fields for fields in changes.values()):
            raise ValueError("A patch leaves vectors alone, so it cannot change the text that they were made from.")
        self._run(self._patch_plan(namespace, changes))

    def _patch_plan(self, namespace: Namespace, changes: Mapping[str, Mapping[str, Any]]) -> Plan[None]:
        by_id = {point_id(namespace, key): fields for key, fields in changes.items()}
        stored = yield from self._retrieve_plan(by_id, ["value_json"])
        updated_at = _now().isoformat()
        operations = []
        for pid, payload in stored.items():
            value = normalize_value({**from_json(payload["value_json"]), **by_id[pid]})
            change = {
                "value": value,
                "value_json": dumps(value),
                "value_paths": value_paths(value),
                "updated_at": updated_at,
                MARK: mark_of(namespace, value),
            }
            # A filter rather than the id: a point deleted meanwhile is then no error.
            one = filters.every(models.HasIdCondition(has_id=[pid]))
            operations.append(models.SetPayloadOperation(set_payload=models.SetPayload(payload=change, filter=one)))
        for chunk in _chunks(operations, _CHUNK):
            yield from call("batch_update_points", self.collection_name, update_operations=chunk, wait=True)

    # -- asking

    def hybrid(
        self,
        prefix: Namespace,
        query: str,
        *,
        where: models.Filter | None = None,
        inside: models.Condition | None = None,
        pool: int = 60,
        expand: bool = True,
    ) -> Candidates:
        """The best `pool` points of each leg and, with `expand`, the best 12's neighbours in conversation; both scores.

        Only points under the namespace `prefix`, which names one user, that match `where` are searched, and BM25's IDF
        is counted over exactly those: what others write never changes a score. `inside` is a condition that lets in
        points of this prefix alone, asked for instead of being under it. A neighbour is a record that a candidate's
        `near` names, or whose own `near` names a candidate; one that no leg scores is left out. Search is exact. When
        the embedder fails, only words are matched and the answer says so; a question without words asks the dense leg
        alone.
        """
        inside = inside or filters.match("ns_prefixes", encode_ns(prefix))
        scope = filters.every(inside, *([where] if where else []))
        return self._run(self._hybrid_plan(owner_of(prefix), query, scope, pool, expand))

    def _hybrid_plan(self, owner: str, query: str, scope: models.Filter, pool: int, expand: bool) -> Plan[Candidates]:
        legs: list[models.QueryRequest] = []
        degraded: str | None = None
        try:
            (vector,) = self._check_vectors((yield EmbedQueries([query])), 1)
            params = models.SearchParams(exact=True) if self._exact else None
            legs.append(models.QueryRequest(query=[vector], using=VECTOR_NAME, params=params))
        except Exception as exc:  # an embedder is anybody's code: any failure of it is one to go on from
            logger.warning("Recall goes on without the embedder: %s", exc)
            degraded = f"The embedder failed ({type(exc).__name__}: {exc}), so only words were matched."
        indices, weights = self.sparse.query(query, owner)
        if indices:
            params = models.SearchParams(exact=self._exact, idf=models.IdfCorpusParams(corpus=scope))
            terms = models.SparseVector(indices=indices, values=weights)
            legs.append(models.QueryRequest(query=terms, using=BM25, params=params))
        if not legs:
            return Candidates([], degraded)

        found = yield from self._ask_plan(legs, [scope] * len(legs), pool)
        stored = yield from self._stored_plan({str(p.id) for points in found for p in points})
        # Legs that ran out before the pool was full have seen, and scored, all that there is.
        if stored and not all(len(points) < pool for points in found):
            expandable = {pid for points in found for pid in best(points)} if expand else set()
            expanding = [stored[pid].memory for pid in expandable & stored.keys()]
            near = beside(expanding)
            unscored = ([stored[pid].memory for pid in stored.keys() - {str(p.id) for p in points}] for points in found)
            inside = [filters.every(scope, filters.either(these(some), *near)) for some in unscored]
            more = yield from self._ask_plan(legs, inside, len(stored) + _NEIGHBOURS)
            stored |= yield from self._stored_plan({str(p.id) for points in more for p in points} - stored.keys())
            found = [[*points, *others] for points, others in zip(found, more, strict=True)]
        # By record: all points of one have the same text, and some leg may have scored another of them.
        scores = {
            leg.using: {stored[pid].memory.id: p.score for p in points if (pid := str(p.id)) in stored}
            for leg, points in zip(legs, found, strict=True)
        }
        dense, words = scores.get(VECTOR_NAME, {}), scores.get(BM25)
        hits = [
            Hit(key, memory, dense.get(memory.id), None if words is None else words.get(memory.id, 0.0))
            for key, memory in stored.values()
        ]
        return Candidates(sorted(hits, key=lambda hit: hit.key), degraded)

    def _stored_plan(self, ids: Collection[str]) -> Plan[dict[str, Stored]]:
        """What these points keep; a point deleted meanwhile is left out."""
        known = self._recent.among(ids)
        if missing := [pid for pid in ids if pid not in known]:
            payloads = yield from self._retrieve_plan(missing, _HIT_FIELDS)
            read = {
                pid: Stored(payload["key"], memory_of(from_json(payload["value_json"])))
                for pid, payload in payloads.items()
            }
            self._recent.keep(read)
            known |= read
        return known

    def _ask_plan(
        self, legs: Sequence[models.QueryRequest], inside: Sequence[models.Filter], limit: int
    ) -> Plan[list[list[models.ScoredPoint]]]:
        """What each leg finds inside its filter: ids and scores."""
        requests = [
            leg.model_copy(update={"filter": flt, "limit": limit, "with_payload": False})
            for leg, flt in zip(legs, inside, strict=True)
        ]
        responses = yield from call("query_batch_points", self.collection_name, requests=requests)
        return [response.points for response in responses]


def open_client(data_dir: Path, url: str | None, api_key: str | None = None) -> EdgeClient | QdrantClient:
    """Qdrant Edge in `data_dir / "qdrant"`, or the server at `url` (`":memory:"` is qdrant-client's local mode).

    Raises `FolderBusy` when another process holds the folder. A server is not asked anything yet.
    """
    if url is None:
        return EdgeClient(data_dir / "qdrant")
    if url == ":memory:":
        return QdrantClient(url)
    return QdrantClient(url, api_key=api_key, check_compatibility=False, **_client_kwargs(url, {}))
