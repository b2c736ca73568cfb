"""What the memory index asks of a Qdrant server, tried on a collection of its own that is dropped at the end.

The same probes pass on Qdrant Edge and on qdrant-client's local mode; a server must answer them alike. Texts are
embedded by hashing, so that no model takes part.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from langgraph.store.base import BaseStore
from qdrant_client import QdrantClient
from qdrant_client.http.exceptions import ResponseHandlingException

from evals.checks import Failed, Probe, expect
from memory.lexical import Bm25Encoder
from memory.record import OPEN
from stores.candidates import Hit
from stores.edge import EdgeClient
from stores.embeddings import HashEmbeddings
from stores.indexer import namespace_of
from stores.qdrant_store import EmbedderMismatch, PalimpsestStore, open_client
from stores.where import conditions

_DIMS = 64
_NOW = datetime(2026, 1, 1, tzinfo=UTC)


@contextmanager
def qdrant_probes(url: str, api_key: str | None = None) -> Iterator[list[Probe]]:
    """The probes of the server at `url` (":memory:" is qdrant-client's local mode).

    The collection, `palimpsest_check_` and eight hexadecimal digits, is dropped on leaving, whatever happened.
    """
    with closing(open_client(Path(), url, api_key)) as client, probes_of(client) as probes:
        yield probes


@contextmanager
def probes_of(client: EdgeClient | QdrantClient) -> Iterator[list[Probe]]:
    """The probes of a client, with their collection; see `qdrant_probes`."""
    name = f"palimpsest_check_{uuid.uuid4().hex[:8]}"
    try:
        yield _Probes(client, name).all()
    finally:
        _drop(client, name)


def _drop(client: EdgeClient | QdrantClient, name: str) -> None:
    try:
        client.delete_collection(name)
    except ResponseHandlingException:  # a server that does not answer made no collection either
        return


class _Moody(HashEmbeddings):
    """Hashing that can be made to fail."""

    down = False

    @contextmanager
    def failing(self) -> Iterator[None]:
        """Fail meanwhile; the store's warning of it is expected, and not shown."""
        log = logging.getLogger("stores.qdrant_store")
        self.down, log.disabled = True, True
        try:
            yield
        finally:
            self.down, log.disabled = False, False

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """As hashing, unless it fails."""
        if self.down:
            raise ConnectionError("The embedder fails, for the probe.")
        return super().embed_documents(texts)


@dataclass
class _Probes:
    client: EdgeClient | QdrantClient
    name: str

    def __post_init__(self) -> None:
        self.embeddings = _Moody(_DIMS)
        self.store = self._store("hash-64")
        self._ready = False

    def _store(self, embedder: str) -> PalimpsestStore:
        return PalimpsestStore(
            self.client,
            collection_name=self.name,
            embeddings=self.embeddings,
            dims=_DIMS,
            embedder_name=embedder,
            sparse=Bm25Encoder(),
        )

    def all(self) -> list[Probe]:
        """The probes, in the order in which they make most sense to read."""
        return [
            Probe("answers, new enough", "zh+en", self.version),
            Probe("makes its collection, twice over", "zh+en", self.setup),
            Probe("puts and gets", "zh", self.put_get),
            Probe("searches by meaning, with a filter", "en", self.search),
            Probe("lists namespaces", "zh+en", self.namespaces),
            Probe("asks both legs at once", "zh", lambda: self.hybrid("我对花生过敏", "花生")),
            Probe("asks both legs at once", "en", lambda: self.hybrid("I am allergic to peanuts", "peanuts")),
            Probe("brings neighbours", "zh", self.neighbours),
            Probe("reads as of a moment", "en", self.as_of),
            Probe("counts IDF over the search's own filter", "en", self.idf),
            Probe("patches a payload, and no vector", "zh", self.patch),
            Probe("filters by booleans", "en", self.booleans),
            Probe("adds dense vectors later", "zh", self.dense_later),
            Probe("deletes", "en", self.delete),
            Probe("tells another embedder's collection", "en", self.embedder),
        ]

    # -- the probes

    def version(self) -> str:
        """`setup` says what is wrong with a version."""
        found = self.client.info().version
        self._set_up()
        return f"version {found}"

    def setup(self) -> str:
        """Once to make it, once more to see that nothing is made twice."""
        self._set_up()
        self._store("hash-64").setup()
        expect(self.client.collection_exists(self.name), "the collection is not there after it was made")
        return self.name

    def put_get(self) -> str:
        """Through LangGraph's store, outside our own root."""
        store, where = self._plain(), ("check", "put")
        store.put(where, "k", {"text": "我住在杭州", "n": [1, {"a": None}]})
        item = store.get(where, "k")
        expect(item is not None and item.value == {"text": "我住在杭州", "n": [1, {"a": None}]}, f"got {item}")
        store.put(where, "k", {"text": "我住在上海"})
        item = store.get(where, "k")
        expect(item is not None and item.value == {"text": "我住在上海"}, f"after a second put: {item}")
        return "as it was put"

    def search(self) -> str:
        """LangGraph's own search, with a query and a filter."""
        store, where = self._plain(), ("check", "search")
        for key, text, kind in (
            ("a", "green tea from Hangzhou", "x"),
            ("b", "a bicycle", "x"),
            ("c", "green tea", "y"),
        ):
            store.put(where, key, {"text": text, "kind": kind})
        found = [i.key for i in store.search(where, query="green tea", filter={"kind": "x"})]
        expect(found == ["a", "b"], f"found {found}, not ['a', 'b']")
        return "2 found, in order"

    def namespaces(self) -> str:
        """Prefixes are whole labels: "check-list" is not under "check-li"."""
        store = self._plain()
        for label in ("check-list", "check-li"):
            store.put((label, "用户"), "k", {"text": "x"})
        found = store.list_namespaces(prefix=("check-li",))
        expect(found == [("check-li", "用户")], f"found {found}")
        return "whole labels"

    def hybrid(self, text: str, word: str) -> str:
        """Each hit has both scores, and what shares no word has none on the sparse leg."""
        user = self._user()
        self._write(user, {"a": text, "b": "另一件事 something else"})
        hits = self._ask(user, word)
        expect(set(hits) == {"a", "b"}, f"found {sorted(hits)}")
        a, b = hits["a"], hits["b"]
        expect(a.dense is not None and b.dense is not None, "the dense leg gave no score")
        expect((a.bm25 or 0) > 0 and b.bm25 == 0, f"the sparse leg gave {a.bm25} and {b.bm25}")
        return f"dense {a.dense:.2f}, bm25 {a.bm25:.2f}"

    def neighbours(self) -> str:
        """A record that a candidate names as near comes along, and so does one that names it."""
        user = self._user()
        near = {"b": ["a"], "c": ["b"], "d": ["c"]}
        texts = {"a": "你好", "b": "我对花生过敏", "c": "记下了", "d": "再见"}
        self._write(user, texts, {key: {"near": value} for key, value in near.items()})
        found = self._ask(user, "花生", pool=1)
        expect(set(found) == {"a", "b", "c"}, f"found {sorted(found)}, not a, b, c")
        return "before and after"

    def as_of(self) -> str:
        """The filter of every recall: `start <= t < end`, and not expired."""
        user = self._user()
        spans = {"old": (1000, 2000), "new": (2000, OPEN)}
        self._write(
            user,
            {"old": "I live in Berlin", "new": "I live in Paris", "gone": "I live in a tent"},
            {
                **{key: {"start": start, "end": end} for key, (start, end) in spans.items()},
                "gone": {"expires_ms": int(_NOW.timestamp() * 1000)},
            },
        )
        seen = {t: sorted(self._ask(user, "where do I live", t=t)) for t in (500, 1000, 1999, 2000)}
        wanted = {500: [], 1000: ["old"], 1999: ["old"], 2000: ["new"]}
        expect(seen == wanted, f"found {seen}, not {wanted}")
        return "exact at both ends"

    def idf(self) -> str:
        """Another user's writes, and what the filter leaves out, change no score of mine."""
        mine, other = self._user(), self._user()
        self._write(mine, {"a": "my cat is called Miso", "b": "my dog is called Rex", "c": "a quiet day"})
        before = {key: hit.bm25 for key, hit in self._ask(mine, "cat").items()}
        self._write(other, {f"k{i}": f"a cat, number {i}" for i in range(20)})
        self._write(mine, {"late": "one more cat"}, {"late": {"start": 9000}})
        after = {key: hit.bm25 for key, hit in self._ask(mine, "cat").items()}
        expect((before["a"] or 0) > 0, "the word was not found at all")
        expect(after == before, f"scores moved with what the filter leaves out: {before['a']} and then {after['a']}")
        return f"{before['a']:.3f} before and after"

    def patch(self) -> str:
        """A closed interval is a payload change: scores stay what they were."""
        user = self._user()
        self._write(user, {"a": "我住在杭州"})
        before = self._ask(user, "杭州")["a"]
        self.store.patch(namespace_of(user, "fact"), {"a": {"end": 1500}, "missing": {"end": 1}})
        after = self._ask(user, "杭州", t=1200)["a"]
        kept = self.store.get(namespace_of(user, "fact"), "a")
        end = kept.value["end"] if kept else None
        expect(end == 1500, f"the end is {end}")
        expect((after.dense, after.bm25) == (before.dense, before.bm25), "a score changed with the payload")
        expect(self._ask(user, "杭州", t=1500) == {}, "it is still found after its end")
        return "scores unchanged"

    def booleans(self) -> str:
        """As a user's own nodes may put them; our records have none."""
        store, where = self._plain(), ("check", "booleans")
        store.put(where, "yes", {"text": "done", "done": True})
        store.put(where, "no", {"text": "not done", "done": False})
        found = [[i.key for i in store.search(where, filter={"done": wanted})] for wanted in (True, False)]
        expect(found == [["yes"], ["no"]], f"found {found}")
        return "true and false"

    def dense_later(self) -> str:
        """A record written while the embedder fails is found by its words, and gets its vector later."""
        user = self._user()
        with self.embeddings.failing():
            left = self._write(user, {"a": "我对花生过敏"})
        expect(len(left) == 1, "the write did not say that a vector is missing")
        expect(self._ask(user, "花生")["a"].dense is None, "there is a dense score without a vector")
        expect(self.store.embed_missing() >= 1, "no record without a vector was found")
        dense = self._ask(user, "花生")["a"].dense
        expect(dense is not None, "there is no dense score after the vector came")
        return f"dense {dense:.2f}" if dense is not None else ""

    def delete(self) -> str:
        """By our own way, and by the store's."""
        user, store, where = self._user(), self._plain(), ("check", "delete")
        self._write(user, {"a": "I like tea", "b": "I like coffee"})
        self.store.remove([(namespace_of(user, "fact"), "a"), (namespace_of(user, "fact"), "missing")])
        expect(set(self._ask(user, "I like tea")) == {"b"}, "a removed record is still found")
        store.put(where, "k", {"text": "x"})
        store.delete(where, "k")
        expect(store.get(where, "k") is None, "a deleted item is still there")
        return "gone at once"

    def embedder(self) -> str:
        """Vectors of two embedders are never mixed."""
        self._set_up()
        try:
            self._store("another-64").setup()
        except EmbedderMismatch:
            return "refused"
        raise Failed("a collection of another embedder was taken")

    # -- what they share

    def _set_up(self) -> None:
        if not self._ready:
            self.store.setup()
            self._ready = True

    def _plain(self) -> BaseStore:
        self._set_up()
        return self.store

    def _user(self) -> str:
        self._set_up()
        return f"check-{uuid.uuid4().hex[:8]}"

    def _write(
        self, user: str, texts: Mapping[str, str], fields: Mapping[str, Mapping[str, Any]] | None = None
    ) -> Sequence[Any]:
        base = {"user_id": user, "kind": "fact", "start": 1000, "end": OPEN, "expires_ms": OPEN, "near": []}
        return self.store.write(
            (namespace_of(user, "fact"), key, {**base, "id": key, "text": text, **(fields or {}).get(key, {})})
            for key, text in texts.items()
        )

    def _ask(self, user: str, question: str, *, t: int = 1000, pool: int = 50) -> dict[str, Hit]:
        where = conditions(t, _NOW).then
        found = self.store.hybrid(namespace_of(user), question, where=where, pool=pool)
        expect(found.degraded is None, found.degraded or "")
        return {hit.key: hit for hit in found.hits}
