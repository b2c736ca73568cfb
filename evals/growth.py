"""What a long thread and many threads cost: bytes, time and memory, beside LangGraph's plain pattern. It only measures.

The product runs as it is opened by default, with a model that answers at once and embeddings that are a hash, whose
time is taken off each turn: what is timed is everything but those two. The plain pattern is what tutorials show:
`add_messages`, `SqliteSaver` and as many steps a turn; it keeps no memory at all.
"""

from __future__ import annotations

import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import MessagesState, StateGraph

from evals.embedded import SharedEmbeddings
from evals.latency import SteadyModel, sentences
from graph import Agent, open_agent
from memory.relevance import Scale
from stores.embeddings import Embedder, HashEmbeddings

Progress = Callable[[int], None]

USER_ID, THREAD = "growth", "long"
TURN_BYTES = 1024
"""Of a turn's two messages together."""
EDGE = 100
"""Turns at either end that are compared."""
PLAIN_STEPS = 5


@dataclass(frozen=True)
class Growth:
    """One run: what each turn took (seconds), and after it bytes by file, what reading costs, and memory."""

    text_bytes: int
    file_bytes: dict[str, int]
    seconds: tuple[float, ...]
    get_state_ms: float
    resume_ms: float
    open_ms: float
    list_ms: float
    memory: tuple[int, int]
    """The most bytes that the process had in memory before the first turn, and after the last."""
    bytes_at: tuple[tuple[int, int], ...]
    """The checkpoints' bytes after so many turns."""

    @property
    def over_text(self) -> float:
        """The checkpoints' bytes, log included, for each byte of text."""
        return self.file_bytes["checkpoints"] / self.text_bytes

    @property
    def slowdown(self) -> float:
        """The last turns' median time for each second of the first ones'."""
        return statistics.median(self.seconds[-EDGE:]) / statistics.median(self.seconds[:EDGE])

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON, times in milliseconds."""
        ms = [round(1000 * s, 2) for s in self.seconds]
        return {
            "turns": len(ms),
            "text_bytes": self.text_bytes,
            "file_bytes": self.file_bytes,
            "over_text": round(self.over_text, 2),
            "turn_ms": {
                "p50": statistics.median(ms),
                "first": statistics.median(ms[:EDGE]),
                "last": statistics.median(ms[-EDGE:]),
            },
            "slowdown": round(self.slowdown, 3),
            "get_state_ms": self.get_state_ms,
            "resume_ms": self.resume_ms,
            "open_ms": self.open_ms,
            "list_ms": self.list_ms,
            "memory": list(self.memory),
            "bytes_at": [list(pair) for pair in self.bytes_at],
        }


def words(i: int) -> str:
    """What the human says in a turn: other words each time, half a turn's bytes."""
    text = " ".join(sentences(40)[(7 * i + k) % 40] for k in range(9))
    return _cut(f"{i}: {text}")


ANSWER = " ".join(sentences(40))
"""The model's answer is the other half."""


def _cut(text: str) -> str:
    return text.encode()[: TURN_BYTES // 2].decode(errors="ignore")


def one_thread(folder: Path, turns: int, progress: Progress | None = None) -> Growth:
    """A thread of so many turns, then a fork of its third turn. Raises `AssertionError` if that cannot be forked."""
    return _product(folder, [THREAD] * turns, progress)


def many_threads(folder: Path, threads: int, progress: Progress | None = None) -> Growth:
    """So many threads of one turn each."""
    return _product(folder, [f"thread-{i}" for i in range(threads)], progress)


def _product(folder: Path, threads: Sequence[str], progress: Progress | None) -> Growth:
    embeddings = _hashed()
    with _opened(folder, embeddings) as agent:
        run = _run(agent.graph, threads, folder / "checkpoints.sqlite", progress, lambda: embeddings.seconds)
        seconds, text, sizes, memory = run
        last = _config(threads[-1])
        get_state = _median_ms(lambda: agent.graph.get_state(last))
        resume = _median_ms(lambda: agent.graph.invoke(None, last, context={"user_id": USER_ID}))
        files = _files(folder)
    opened: list[Agent] = []
    opening = _median_ms(lambda: opened.append(_opened(folder, _hashed())), 1)
    with opened[0] as agent:
        listing = _median_ms(lambda: agent.threads.list(limit=50))
        if len(set(threads)) == 1 and len(threads) > 3:
            _fork_third(agent)
    return Growth(text, files, seconds, get_state, resume, opening, listing, memory, sizes)


def _hashed() -> SharedEmbeddings:
    """A double of an embedder that tells how long it took."""
    double = HashEmbeddings()
    timed = SharedEmbeddings(Embedder(double, "hash", double.dims, Scale(0.2)), {})
    timed.asking = True
    return timed


def _opened(folder: Path, embeddings: SharedEmbeddings) -> Agent:
    model = SteadyModel(answer=_cut(ANSWER))
    # Without the skills of whichever folder this is run in: a double of an embedder finds them in anything.
    skills = folder / "no-skills"
    skills.mkdir(parents=True, exist_ok=True)
    return open_agent(folder, model=model, extraction_model="rules", embeddings=embeddings, skills=skills)


def _fork_third(agent: Agent) -> None:
    """Say the fourth message anew, and see that the third turn is what it goes on from."""
    third = next(
        state.config
        for state in agent.graph.get_state_history(_config(THREAD))
        if not state.next and [m.text for m in state.values["messages"] if m.type == "human"][-1] == words(2)
    )
    forked = agent.graph.invoke({"messages": [("user", "anew")]}, third, context={"user_id": USER_ID})
    said = [m.text for m in forked["messages"] if m.type == "human"]
    if said != [*map(words, range(3)), "anew"]:
        raise AssertionError("the third turn could not be forked")


def plain(folder: Path, turns: int, progress: Progress | None = None) -> Growth:
    """A thread of so many turns in the plain pattern, which has no threads to list."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "checkpoints.sqlite"
    with _plain_graph(path) as graph:
        seconds, text, sizes, memory = _run(graph, [THREAD] * turns, path, progress)
        get_state = _median_ms(lambda: graph.get_state(_config(THREAD)))
        resume = _median_ms(lambda: graph.invoke(None, _config(THREAD)))
        files = _files(folder)
    began = time.perf_counter()
    with _plain_graph(path):
        opening = round(1000 * (time.perf_counter() - began), 2)
    return Growth(text, files, seconds, get_state, resume, opening, 0.0, memory, sizes)


@contextmanager
def _plain_graph(path: Path) -> Iterator[Any]:
    model = SteadyModel(answer=_cut(ANSWER))

    def answer(state: MessagesState) -> dict[str, Any]:
        return {"messages": [AIMessage(model.invoke(state["messages"]).text)]}

    builder = StateGraph(MessagesState)
    names = [f"step_{i}" for i in range(PLAIN_STEPS)]
    for i, name in enumerate(names):
        builder.add_node(name, answer if i == PLAIN_STEPS // 2 else _nothing)
    for before, after in zip(["__start__", *names], [*names, "__end__"], strict=True):
        builder.add_edge(before, after)
    with SqliteSaver.from_conn_string(str(path)) as saver:
        yield builder.compile(checkpointer=saver)


def _nothing(state: MessagesState) -> dict[str, Any]:  # noqa: ARG001
    return {}


def _run(
    graph: Any,
    threads: Sequence[str],
    path: Path,
    progress: Progress | None,
    embedding: Callable[[], float] = lambda: 0.0,
) -> tuple[tuple[float, ...], int, tuple[tuple[int, int], ...], tuple[int, int]]:
    seconds: list[float] = []
    sizes: list[tuple[int, int]] = []
    text, before = 0, _most_memory()
    for i, thread_id in enumerate(threads):
        said = words(i)
        embedded, began = embedding(), time.perf_counter()
        state = graph.invoke({"messages": [("user", said)]}, _config(thread_id), context={"user_id": USER_ID})
        seconds.append(time.perf_counter() - began - (embedding() - embedded))
        text += len(said.encode()) + len(state["messages"][-1].text.encode())
        if (i + 1) % max(1, len(threads) // 20) == 0:
            sizes.append((i + 1, _bytes(path)))
        if progress:
            progress(1)
    return tuple(seconds), text, tuple(sizes), (before, _most_memory())


def _most_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _config(thread_id: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread_id}}


def _median_ms(what: Callable[[], Any], times: int = 11) -> float:
    found = []
    for _ in range(times):
        began = time.perf_counter()
        what()
        found.append(time.perf_counter() - began)
    return round(1000 * statistics.median(found), 2)


def _bytes(path: Path) -> int:
    """Of a database with its log."""
    return sum(p.stat().st_size for p in path.parent.glob(f"{path.name}*"))


def _files(folder: Path) -> dict[str, int]:
    """Bytes of each part of a data folder; the index by the blocks it fills, as it sets aside far more."""
    index = [p.stat() for p in (folder / "qdrant").rglob("*") if p.is_file()]
    return {
        "checkpoints": _bytes(folder / "checkpoints.sqlite"),
        "ledger": _bytes(folder / "ledger.sqlite"),
        "index": sum(s.st_blocks * 512 for s in index),
    }
