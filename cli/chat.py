"""`palimpsest chat`: a conversation that remembers across threads; with lines piped in, it answers each and ends."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated, Any

import typer
from langchain_core.messages import AIMessageChunk
from langchain_core.runnables import RunnableConfig
from rich.text import Text

from cli.common import LOCAL_USER, AsJson, Folder, User
from cli.output import err, fail, out
from cli.output import show_json_line as json_line
from graph import Agent, Context, open_agent

_GREETING = (
    "Palimpsest. What you say is remembered across conversations; an empty line or Ctrl-D ends this one.\n"
    "你说的话会跨会话记住；输入空行或按 Ctrl-D 结束。"
)


def chat(
    message: Annotated[str | None, typer.Option("--message", "-m", help="Say this, print the answer and end.")] = None,
    thread: Annotated[str | None, typer.Option("--thread", "-t", help="Go on in this thread; else a new one.")] = None,
    user: User = LOCAL_USER,
    as_json: AsJson = False,
) -> None:
    """Talk to the agent. A turn that a crash left pending in the thread is finished first."""
    if message is not None and not message.strip():
        fail("The message is empty, so there was nothing to answer. Nothing was stored.")
    thread_id = thread or f"chat-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}"
    talk = _Talk(thread_id, user, as_json)
    with open_agent(Folder.path) as agent:
        talk.agent = agent
        talk.finish_pending()
        if message is not None:
            talk.say(message)
        elif sys.stdin.isatty():
            talk.converse()
        else:
            for line in sys.stdin:
                if line.strip():
                    talk.say(line.strip(), echo=not as_json)


class _Talk:
    """One conversation on the command line."""

    agent: Agent

    def __init__(self, thread_id: str, user: str, as_json: bool) -> None:
        self.config: RunnableConfig = {"configurable": {"thread_id": thread_id}}
        self.thread_id = thread_id
        self.user = user
        self.as_json = as_json

    def finish_pending(self) -> None:
        """Finish the turn that ended in the middle, if the last one did."""
        if not self.agent.graph.get_state(self.config).tasks:
            return
        err.print("Finishing the turn that was interrupted.", style="dim")
        self._run(None)

    def converse(self) -> None:
        """Read lines from the terminal until an empty one, Ctrl-D or Ctrl-C."""
        out.print(Text(_GREETING, style="dim"))
        out.print(
            Text(f"user {self.user} · thread {self.thread_id} · data {self.agent.settings.data_dir}", style="dim")
        )
        for line in _lines():
            try:
                self.say(line)
            except KeyboardInterrupt:
                out.print(Text("\nStopped. The turn is kept and is finished when this thread goes on.", style="dim"))
                return

    def say(self, words: str, *, echo: bool = False) -> None:
        """Say something and print the answer as it comes."""
        if echo:
            out.print(Text(f"> {words}", style="bold"))
        self._run({"messages": [("user", words)]})

    def _run(self, given: dict[str, Any] | None) -> None:
        context = Context(user_id=self.user)
        stream: Any = self.agent.graph.stream(given, self.config, context=context, stream_mode="messages")
        for chunk, about in stream:
            answer = isinstance(chunk, AIMessageChunk) and about.get("langgraph_node") == "call_llm"
            if answer and not self.as_json:
                out.print(Text(str(chunk.text)), end="")
        values = self.agent.graph.get_state(self.config).values
        if self.as_json:
            json_line(self._summary(values))
            return
        out.print()
        out.print(Text(_footnote(values), style="dim"))

    def _summary(self, values: dict[str, Any]) -> dict[str, Any]:
        return {
            "thread_id": self.thread_id,
            "user_id": self.user,
            "answer": str(values["messages"][-1].text),
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


def _footnote(values: dict[str, Any]) -> str:
    """What memory did in this turn, in one line."""
    recalled, changes = values.get("recalled") or {}, values.get("changes") or {}
    parts = [f"recalled {len(recalled.get('results', []))}"]
    parts += [f"{fact['op']}: {fact['text']}" for fact in changes.get("facts", [])]
    parts += [said for said in (recalled.get("degraded"), changes.get("index"), changes.get("failure")) if said]
    return "  · " + " · ".join(parts)
