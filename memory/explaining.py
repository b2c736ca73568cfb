"""Why nothing came back, and why something that might be expected did not: the reasons, and their sentences.

Whoever recalls finds the reasons (`stores.explaining`); this module has the words for them in Chinese and English, each
with its numbers and with what to do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from memory.record import Memory
from memory.text import Language

Empty = Literal["nothing stored", "nothing relevant", "filtered out"]
Filter = Literal["kind", "thread", "tag", "time"]
Why = Literal[
    "below threshold",
    "beyond the limit",
    "no room",
    "told already",
    "filtered out",
    "superseded",
    "expired",
    "held",
    "retracted",
    "swept",
    "undone",
    "other branch",
    "deleted thread",
]


@dataclass(frozen=True)
class NearMiss:
    """A memory that a question might have brought back and did not.

    `why` is the first reason that kept it out and `reason` the same as a sentence in the question's language. `score`
    is what ranking gives it beside everything else that was looked at, which is not what it gives among results alone;
    None where it is not in the index. The memory has its standing at the moment that was asked about.
    """

    memory: Memory
    why: Why
    reason: str
    score: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """One row for a table, as plain JSON."""
        return {
            "id": self.memory.id,
            "kind": self.memory.kind,
            "text": self.memory.text,
            "standing": self.memory.standing,
            "why": self.why,
            "reason": self.reason,
            "score": self.score,
        }


_WHY: Mapping[Language, Mapping[Why, str]] = {
    "en": {
        "below threshold": "The evidence that it bears on the question is {evidence:.2f}; {threshold:.2f} is needed.",
        "beyond the limit": "It matches, but comes after the {limit} that were asked for; ask with a larger limit.",
        "no room": "It matches, but its {tokens} tokens did not fit into what better ones left of {max_tokens}.",
        "told already": "It says what “{other}” says, which was read from the same message.",
        "filtered out": "It matches, but is not of the {filters} that was asked for{range}.",
        "superseded": "A newer one took its place: “{other}”.",
        "expired": "It stopped being true at {expires}.",
        "held": "It waits for a person: {held}",
        "retracted": "It was forgotten or taken back; `history` of {id} shows how.",
        "swept": "A sweep ended it: {swept}; `restore` of {id} brings it back.",
        "undone": "Its commit {commit} was undone; `restore` brings it back.",
        "other branch": "It was said on a branch that thread {thread} has left: its commit {commit} is not live{at}.",
        "deleted thread": "Its thread {thread} was deleted together with its memories.",
    },
    "zh": {
        "below threshold": "它与问题有关的证据是 {evidence:.2f}，要到 {threshold:.2f} 才算有关。",
        "beyond the limit": "它有关，但排在所要的 {limit} 条之后；把条数上限调大就能看到。",
        "no room": "它有关，但要 {tokens} 个 token，更合适的几条占去之后，{max_tokens} 的额度放不下了。",
        "told already": "“{other}”出自同一条消息，已经说了它说的。",
        "filtered out": "它有关，但不符合所要的{filters}{range}。",
        "superseded": "已被更新的取代：“{other}”。",
        "expired": "它在 {expires} 过期了。",
        "held": "它在等人确认：{held}",
        "retracted": "它被忘记或收回了；用 `history` 看 {id} 的经过。",
        "swept": "清理时结束了它：{swept}；`restore` {id} 可以恢复。",
        "undone": "它所在的提交 {commit} 被撤销了；`restore` 可以恢复。",
        "other branch": "它是在对话 {thread} 已离开的分支上说的：提交 {commit} 现在不算数{at}。",
        "deleted thread": "它所在的对话 {thread} 连同记忆一起被删除了。",
    },
}

_FILTERS: Mapping[Language, Mapping[Filter, str]] = {
    "en": {"kind": "kind", "thread": "thread", "tag": "tag", "time": "time"},
    "zh": {"kind": "种类", "thread": "对话", "tag": "标签", "time": "时间"},
}
_JOIN: Mapping[Language, str] = {"en": " and ", "zh": "和"}
_IN_RANGE: Mapping[Language, str] = {"en": " ({})", "zh": "（{}）"}


def near_miss(
    memory: Memory,
    why: Why,
    language: Language,
    *,
    score: float | None = None,
    filters: Sequence[Filter] = (),
    within: str | None = None,
    **numbers: Any,
) -> NearMiss:
    """A near miss with its sentence. `numbers` are what the sentence of `why` names and the memory does not have:
    evidence, threshold, limit, tokens, max_tokens, other (a text), swept (a sweep's reason). `within` is a range as a
    sentence."""
    checkpoint = f"{memory.thread_id}@{memory.checkpoint_id}" if memory.checkpoint_id else None
    reason = _WHY[language][why].format(
        id=memory.id[:8],
        thread=memory.thread_id,
        commit=(memory.commit_id or "")[:8],
        at=_IN_RANGE[language].format(checkpoint) if checkpoint else "",
        held=memory.held,
        expires=memory.expires_at.isoformat(" ", "minutes") if memory.expires_at else None,
        filters=_JOIN[language].join(_FILTERS[language][name] for name in filters),
        range=_IN_RANGE[language].format(within) if within and "time" in filters else "",
        **numbers,
    )
    return NearMiss(memory, why, reason, score)


_EMPTY: Mapping[Language, Mapping[Empty, str]] = {
    "en": {
        "nothing stored": "Nothing is stored for this user{then}: say something to the agent, or `remember` it.",
        "nothing relevant": "Nothing that is stored bears on this{numbers}. Ask in words that were used when it was "
        "said; `explain` shows what came near.",
        "filtered out": "There are memories, but the filters ({filters}) left out all that bear on this. Take a "
        "filter away; `explain` shows what they left out.",
    },
    "zh": {
        "nothing stored": "还没有为这位用户存下任何记忆{then}：先和助手说点什么，或用 `remember` 存一条。",
        "nothing relevant": "存下的记忆都与这个问题无关{numbers}。换成当时说过的词再问；"
        "`explain` 可以看到差一点的有哪些。",
        "filtered out": "有记忆，但有关的都被筛选条件（{filters}）排除了。去掉一个条件再问；"
        "`explain` 可以看到排除了哪些。",
    },
}
_IN_TIME: Mapping[Language, str] = {
    "en": "Nothing that bears on this was said {}. Ask without the time, or name another.",
    "zh": "在这段时间里没有说过与此有关的：{}。不提时间再问，或者换一段时间。",
}
_NUMBERS: Mapping[Language, str] = {
    "en": ": the evidence is {:.2f}, and {:.2f} is needed",
    "zh": "：证据是 {:.2f}，要到 {:.2f} 才算有关",
}
_THEN: Mapping[Language, str] = {"en": " at that moment", "zh": "（在那个时刻）"}


def advice(
    empty: Empty,
    language: Language,
    *,
    filters: Sequence[Filter] = (),
    within: str | None = None,
    evidence: tuple[float, float] | None = None,
    then: bool = False,
) -> str:
    """Why nothing came back, as a sentence, and what to do.

    `within` is the range that the question named, as a sentence; `evidence` what was reached and what is needed; `then`
    says that memory was asked as of an earlier moment.
    """
    if empty == "filtered out" and within and list(filters) == ["time"]:
        return _IN_TIME[language].format(within)
    return _EMPTY[language][empty].format(
        then=_THEN[language] if then else "",
        numbers=_NUMBERS[language].format(*evidence) if evidence else "",
        filters=_JOIN[language].join(_FILTERS[language][name] for name in filters),
    )
