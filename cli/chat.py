"""`palimpsest chat`: a conversation that remembers across threads; with lines piped in, it answers each and ends."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, Protocol

import typer
from langchain_core.messages import AIMessageChunk
from langchain_core.runnables import RunnableConfig
from rich.text import Text

from cli.common import LOCAL_USER, AsJson, Folder, User, told_held
from cli.output import err, fail, out
from cli.output import show_json_line as json_line
from cli.remote import Remote, Url, remote
from graph import Agent, Context, open_agent
from graph.model_errors import ModelError
from memory.text import content_text

_GREETING = (
    "Palimpsest. What you say is remembered across conversations; an empty line or Ctrl-D ends this one.\n"
    "你说的话会跨会话记住；输入空行或按 Ctrl-D 结束。"
)


def chat(
    message: Annotated[str | None, typer.Option("--message", "-m", help="Say this, print the answer and end.")] = None,
    thread: Annotated[str | None, typer.Option("--thread", "-t", help="Go on in this thread; else a new one.")] = None,
    user: User = LOCAL_USER,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """Talk to the agent. A turn that a crash left pending in the thread is finished first."""
    if message is not None and not message.strip():
        fail("The message is empty, so there was nothing to answer. Nothing was stored.")
    with _place(url, thread, user) as place:
        talk = _Talk(place, user, as_json)
        talk.finish_pending()
        if message is not None:
            talk.say(message)
        elif sys.stdin.isatty():
            talk.converse()
        else:
            for line in sys.stdin:
                if line.strip():
                    talk.say(line.strip(), echo=not as_json)


class _Place(Protocol):
    """Where one thread of a user runs: in this process, or in a server."""

    @property
    def thread_id(self) -> str:
        """The thread's own id."""
        ...

    @property
    def data(self) -> str:
        """Where its data lies, for a person."""
        ...

    def is_pending(self) -> bool:
        """Whether the last turn ended in the middle."""
        ...

    def run(self, given: dict[str, Any] | None) -> Iterator[str]:
        """Run a turn; the answer's text as it comes."""
        ...

    def values(self) -> dict[str, Any]:
        """The thread's state."""
        ...


@dataclass(frozen=True)
class _Here:
    agent: Agent
    thread_id: str
    user: str

    @property
    def config(self) -> RunnableConfig:
        return {"configurable": {"thread_id": self.thread_id}}

    @property
    def data(self) -> str:
        return f"data {self.agent.settings.data_dir}"

    def is_pending(self) -> bool:
        return bool(self.agent.graph.get_state(self.config).tasks)

    def run(self, given: dict[str, Any] | None) -> Iterator[str]:
        context = Context(user_id=self.user)
        stream: Any = self.agent.graph.stream(given, self.config, context=context, stream_mode="messages")
        for chunk, about in stream:
            if isinstance(chunk, AIMessageChunk) and about.get("langgraph_node") == "call_llm":
                yield str(chunk.text)

    def values(self) -> dict[str, Any]:
        return dict(self.agent.graph.get_state(self.config).values)


@dataclass(frozen=True)
class _There:
    server: Remote
    thread_id: str
    user: str
    data: str

    def is_pending(self) -> bool:
        return bool(self.server.state(self.thread_id)["tasks"])

    def run(self, given: dict[str, Any] | None) -> Iterator[str]:
        return self.server.say(self.thread_id, given, self.user)

    def values(self) -> dict[str, Any]:
        return dict(self.server.state(self.thread_id)["values"])


@contextmanager
def _place(url: str | None, thread: str | None, user: str) -> Iterator[_Place]:
    if url is None:
        with open_agent(Folder.path) as agent:
            yield _Here(agent, thread or f"chat-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}", user)
    else:
        with remote(url) as server:
            yield _There(server, server.open(thread, user), user, f"server {url}")


class _Talk:
    """One conversation on the command line."""

    def __init__(self, place: _Place, user: str, as_json: bool) -> None:
        self.place = place
        self.user = user
        self.as_json = as_json

    def finish_pending(self) -> None:
        """Finish the turn that ended in the middle, if the last one did."""
        if not self.place.is_pending():
            return
        err.print("Finishing the turn that was interrupted.", style="dim")
        self._run(None)

    def converse(self) -> None:
        """Read lines from the terminal until an empty one, Ctrl-D or Ctrl-C."""
        out.print(Text(_GREETING, style="dim"))
        out.print(Text(f"user {self.user} · thread {self.place.thread_id} · {self.place.data}", style="dim"))
        for line in _lines():
            try:
                self.say(line)
            except ModelError as error:
                out.print()
                err.print(Text(str(error)))
            except KeyboardInterrupt:
                out.print(Text("\nStopped. The turn is kept and is finished when this thread goes on.", style="dim"))
                return

    def say(self, words: str, *, echo: bool = False) -> None:
        """Say something and print the answer as it comes."""
        if echo:
            out.print(Text(f"> {words}", style="bold"))
        self._run({"messages": [{"role": "user", "content": words}]})

    def _run(self, given: dict[str, Any] | None) -> None:
        for text in self.place.run(given):
            if not self.as_json:
                out.print(Text(text), end="")
        values = self.place.values()
        if self.as_json:
            json_line(self._summary(values))
            return
        out.print()
        out.print(Text(_footnote(values), style="dim"))
        for line in _held(values, self.user):
            out.print(Text(line, style="yellow"))

    def _summary(self, values: dict[str, Any]) -> dict[str, Any]:
        last = values["messages"][-1]
        return {
            "thread_id": self.place.thread_id,
            "user_id": self.user,
            "answer": content_text(last["content"] if isinstance(last, dict) else last.content),
            "recalled": values["recalled"],
            "changes": values["changes"],
        }


def _lines() -> Iterator[str]:
    while True:
        try:
            line = input("› ").strip()
        except (EOFError, KeyboardInterrupt):
            out.print()
            return
        if not line:
            return
        yield line


def _held(values: dict[str, Any], user: str) -> list[str]:
    """What of this turn waits for a person, and what to do about it, in one line each."""
    facts = (values.get("changes") or {}).get("facts", [])
    return [f"  · {fact['text']}: {fact['reason']} {told_held(fact['held'], user)}" for fact in facts if "held" in fact]


def _footnote(values: dict[str, Any]) -> str:
    """What memory did in this turn, in one line."""
    recalled, changes = values.get("recalled") or {}, values.get("changes") or {}
    parts = [f"recalled {len(recalled.get('results', []))}"]
    parts += [f"{fact['op']}: {fact['text']}" for fact in changes.get("facts", []) if "held" not in fact]
    parts += [f"skill: {name}" for name in recalled.get("skills", [])]
    notices = (recalled.get("degraded"), recalled.get("skills_notice"), changes.get("index"), changes.get("failure"))
    parts += [said for said in notices if said]
    return "  · " + " · ".join(parts)
