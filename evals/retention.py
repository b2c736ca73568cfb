"""What of a person's constraints the model still sees after many turns about other things. No model is needed.

A conversation states constraints, revises a third of them, goes on about other things, and ends with a question that
needs them all. What counts is whether the context that is sent then has the latest value of each. It only measures.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.runnables import RunnableConfig
from pydantic import PrivateAttr

from evals.latency import sentences
from graph import Agent
from graph.offline import OfflineModel
from memory.extraction import RuleExtractor
from memory.record import USER, Utterance
from memory.summary import ExtractiveSummarizer
from memory.summary_request import SummaryRequest
from memory.text import Language
from memory.tokens import estimate_tokens
from memory.window import Line, choose_window
from memory.window_strategy import leaving
from stores.indexer import namespace_of

Progress = Callable[[int], None]

LANGUAGES: tuple[Language, ...] = ("zh", "en")
TOKENS, ANSWER_TOKENS = 4_000, 500
"""Of the whole context, and of it what is kept for the answer."""
ROOM = TOKENS - ANSWER_TOKENS
SUMMARY_SHARE = 8
PER_MESSAGE = 3
"""Constraints that a message states."""
QUESTION: dict[Language, str] = {
    "en": "Please put the plan together now, and respect everything I have told you.",
    "zh": "现在请把计划做出来，我说过的每一条都要照顾到。",
}
WAYS = ("no memory", "sliding window", "summary only", "vector recall only", "palimpsest")
Shares = dict[str, dict[str, float]]
"""For each way the share of constraints that its context holds: "all", and those "missed by rules"."""
USER_ID = "retention"
ANSWER = "Noted. 好的，接着说吧。"


@dataclass(frozen=True)
class Constraint:
    """What a person states, and perhaps revises; `keys` are ways in which the latest value may be written."""

    id: str
    says: str
    revised: str | None
    keys: tuple[str, ...]

    def held(self, context: str) -> bool:
        """Whether the latest value stands in a text."""
        return any(key in context for key in self.keys)

    def missed(self) -> bool:
        """Whether the rule extractor reads no fact with the latest value from the words that state it."""
        words = self.revised or self.says
        read = RuleExtractor().extract((Utterance("m", words, USER, None, USER),))
        return not any(self.held(f"{p['value']} {p['text']}") for p in read.proposals)


def load(language: Language) -> list[Constraint]:
    """The hand-written constraints of a language."""
    lines = (Path(__file__).parent / "data" / f"retention_{language}.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [Constraint(r["id"], r["says"], r["revised"], tuple(r["revised_keys"] or r["keys"])) for r in rows]


def opening(constraints: Sequence[Constraint]) -> list[str]:
    """The messages that state all constraints, a few in each, and then those that revise."""
    said = [c.says for c in random.Random(7).sample(constraints, len(constraints))]
    revised = [c.revised for c in constraints if c.revised]
    return [" ".join(part[i : i + PER_MESSAGE]) for part in (said, revised) for i in range(0, len(part), PER_MESSAGE)]


def small_talk(language: Language) -> Iterator[str]:
    """Messages about other things, without end; the same ones each time."""
    pick = random.Random(7)
    others = "".join if language == "zh" else " ".join
    script = re.compile("[\u4e00-\u9fff]+" if language == "zh" else "[A-Za-z]+")
    made = [text.rpartition(" (")[0] for text in sentences(200)]
    about = sorted({others(script.findall(text)) for text in made if script.fullmatch(text[-1])})
    comma, stop = ("，", "。") if language == "zh" else (", ", ".")
    while True:
        yield comma.join(pick.sample(about, 4)) + stop


class Watching(OfflineModel):
    """The offline model (so that summaries are sentences picked), with one answer, which keeps what it was sent."""

    _sent: list[str] = PrivateAttr(default_factory=list)

    def sent(self) -> str:
        """The texts of the last call's messages."""
        return "\n".join(self._sent)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **kwargs: Any,  # noqa: ARG002
    ) -> ChatResult:
        self._sent = [m.text for m in messages]
        return ChatResult(generations=[ChatGeneration(message=AIMessage(ANSWER))])


def run(
    agent: Agent, model: Watching, language: Language, lengths: Sequence[int], progress: Progress | None = None
) -> dict[int, dict[str, str]]:
    """Hold one conversation; after each of `lengths` further turns ask, and return each way's context as one text.

    The ways are `WAYS`. The last is what the agent sent to the model; the others are made of the same words, with the
    same budget.
    """
    config: RunnableConfig = {"configurable": {"thread_id": f"retention {language}"}}
    user_id = f"{USER_ID} {language}"
    context = {"user_id": user_id, "max_context_tokens": TOKENS, "reserve_output_tokens": ANSWER_TOKENS}
    lines: list[Line] = []
    summed = _SummaryOnly(language)
    found: dict[int, dict[str, str]] = {}

    def say(words: str) -> None:
        state = agent.graph.invoke({"messages": [("user", words)]}, config, context=context)
        for role, message in zip(("human", "ai"), state["messages"][-2:], strict=True):
            lines.append(Line(str(message.id), role, message.text, estimate_tokens(message.text) + 4))  # type: ignore[arg-type]
        summed.add(lines[-2:])
        if progress:
            progress(1)

    for words in opening(load(language)):
        say(words)
    talk = small_talk(language)
    for i in range(1, max(lengths) + 1):
        say(next(talk))
        if i in lengths:
            question = QUESTION[language]
            asked = Line("question", "human", question, estimate_tokens(question) + 4)
            found[i] = {
                "no memory": question,
                "sliding window": _window([*lines, asked], ROOM),
                "summary only": summed.context(asked),
                "vector recall only": _nearest(agent, user_id, question),
            }
            say(question)
            found[i]["palimpsest"] = model.sent()
    return found


def _nearest(agent: Agent, user_id: str, question: str) -> str:
    """The messages nearest in meaning to the question, as many as have room: a vector store with nothing around it."""
    texts, left = [question], ROOM - estimate_tokens(question)
    for item in agent.memory.index.search(namespace_of(user_id, "episode"), query=question, limit=200):
        cost = estimate_tokens(item.value["text"])
        if item.value["text"] != question and cost <= left:
            texts.append(item.value["text"])
            left -= cost
    return "\n".join(texts)


def _window(lines: Sequence[Line], room: int) -> str:
    kept = set(choose_window(lines, room).kept)
    return "\n".join(line.text for line in lines if line.id in kept)


class _SummaryOnly:
    """A running summary and a window of what it does not cover: the product's own parts, without its memory."""

    def __init__(self, language: Language) -> None:
        self._language, self._summary, self._lines = language, "", list[Line]()
        self._summarizer = ExtractiveSummarizer(estimate_tokens)

    def add(self, lines: Sequence[Line]) -> None:
        self._lines += lines
        most = ROOM // SUMMARY_SHARE
        if gone := leaving(self._lines, ROOM - most, 200, "summary"):
            request = SummaryRequest(self._summary, gone, most, ROOM, self._language)
            self._summary = self._summarizer.summarize(request).text
            self._lines = self._lines[len(gone) :]

    def context(self, question: Line) -> str:
        return f"{self._summary}\n{_window([*self._lines, question], ROOM - estimate_tokens(self._summary))}"


def shares(constraints: Sequence[Constraint], contexts: Mapping[str, str]) -> Shares:
    """For each way the share of constraints that its context holds: of all, and of those that the rules miss."""
    missed = [c for c in constraints if c.missed()]
    return {
        way: {"all": _share(constraints, context), "missed by rules": _share(missed, context)}
        for way, context in contexts.items()
    }


def _share(constraints: Sequence[Constraint], context: str) -> float:
    return round(sum(c.held(context) for c in constraints) / max(1, len(constraints)), 3)
