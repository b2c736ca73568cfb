"""How a checkpoint's values become bytes: strict msgpack, compressed where that pays."""

from __future__ import annotations

import re
import zlib
from typing import Any

from langchain_core.messages import BaseMessage
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.serde.types import _DeltaSnapshot

from stores.checkpoint_words import WORDS

_HALF = re.compile("[\ud800-\udfff]")
_PREFIX, _PLAIN_PREFIX = "zlib1:", "zlib:"
_WORTH = 48
"""Bytes under which zlib saves next to nothing."""
_RAW, _MEMORY = -15, 9


class CompressingSerializer(JsonPlusSerializer):
    """LangGraph's msgpack serializer in strict mode, with zlib around what it makes smaller, and `checkpoint_words`.

    Strict: LangChain messages, LangGraph's own types and plain values come back as they were; any other class comes
    back as its data (a dict, a list), and no code named in a file is ever run. There is no pickle. A compressed blob
    has the type `zlib1:<type>` (`zlib:<type>` before there was a dictionary); what another saver wrote uncompressed is
    read as it is.

    Raises what the base raises: `TypeError` for a value that msgpack does not know, `NotImplementedError` for an
    unknown type of blob, `zlib.error` for a damaged one. It does not encrypt, and it does not limit how far a blob
    may expand: the file is trusted to be one's own.
    """

    def __init__(self) -> None:
        super().__init__(pickle_fallback=False, allowed_msgpack_modules=None)

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """The value as (type, bytes), compressed when that is smaller."""
        kind, blob = super().dumps_typed(_whole(obj) if _has_halves(obj) else obj)
        if len(blob) < _WORTH:
            return kind, blob
        zipper = zlib.compressobj(zlib.Z_DEFAULT_COMPRESSION, zlib.DEFLATED, _RAW, _MEMORY, zdict=WORDS)
        small = zipper.compress(blob) + zipper.flush()
        return (_PREFIX + kind, small) if len(small) < len(blob) else (kind, blob)

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        """The value of (type, bytes), compressed or not."""
        kind, blob = data
        if kind.startswith(_PREFIX):
            unzipper = zlib.decompressobj(_RAW, WORDS)
            kind, blob = kind.removeprefix(_PREFIX), unzipper.decompress(blob) + unzipper.flush()
        elif kind.startswith(_PLAIN_PREFIX):
            kind, blob = kind.removeprefix(_PLAIN_PREFIX), zlib.decompress(blob)
        return super().loads_typed((kind, blob))


def _has_halves(value: Any) -> bool:
    """Whether any text in a value has half of a surrogate pair; nearly none has, and to look is cheap."""
    rest = [value]
    while rest:
        one = rest.pop()
        kind = type(one)
        if kind is str:
            if not one.isascii() and _HALF.search(one):
                return True
        elif kind is dict:
            rest += one.keys()
            rest += one.values()
        elif kind in (list, tuple):
            rest += one
        elif kind is _DeltaSnapshot:
            rest.append(one.value)
        elif isinstance(one, BaseMessage):
            rest.append(one.content)
    return False


def _whole(value: Any) -> Any:
    """The same value; two halves of a surrogate pair in its texts become the character, and a lone half U+FFFD.

    No encoding can hold a surrogate. Upstream writes a `?` for each, so that a message read back would differ from the
    one that the run saw, and have another id; a mapping with one in a key it refuses.
    """
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, BaseMessage):
        content = _whole(value.content)
        return value if content == value.content else value.model_copy(update={"content": content})
    if type(value) is dict:
        return {_whole(k): _whole(v) for k, v in value.items()}
    if type(value) in (list, tuple):
        return type(value)(map(_whole, value))
    return _DeltaSnapshot(_whole(value.value)) if isinstance(value, _DeltaSnapshot) else value
