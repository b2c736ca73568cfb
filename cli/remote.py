"""The command line against a running server (`--url`), through LangGraph's own SDK.

A server with our graph keeps threads and memories in its own data folder, which this process could not open while the
server has it. PALIMPSEST_SERVER_TOKEN, when set, is sent as a bearer token.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any
from uuid import uuid4

import httpx
import typer
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient
from langgraph_sdk.errors import LangGraphError

from cli.output import fail
from graph.server import GRAPH_ID, THREAD_NAME, THREAD_USER, server_id
from memory.privacy import redact
from memory.record import KINDS
from memory.text import clean, content_text
from stores.indexer import namespace_of

Url = Annotated[str | None, typer.Option("--url", help="Ask this running server instead of the data folder.")]

_SPEAKERS = {"human": "user", "ai": "assistant", "tool": "tool"}


def token_header() -> dict[str, str]:
    """The header that PALIMPSEST_SERVER_TOKEN asks for."""
    token = os.environ.get("PALIMPSEST_SERVER_TOKEN")
    return {"Authorization": f"Bearer {token}"} if token else {}


@contextmanager
def remote(url: str) -> Iterator[Remote]:
    """A server to ask; what it refuses, or that it is not there, ends the command with a sentence and exit code 1."""
    try:
        # The SDK tries for several seconds; a person wants to know at once.
        httpx.get(f"{url}/ok", trust_env=False).raise_for_status()
        with get_sync_client(url=url, headers=token_header()) as client:
            yield Remote(client)
    except (httpx.UnsupportedProtocol, httpx.InvalidURL):
        fail(f"{url} is no address of a server; give one such as http://127.0.0.1:2024.")
    except httpx.TransportError as error:
        fail(f"No server answers at {url} ({error}). `palimpsest dev` starts one. Nothing was changed.")
    except httpx.HTTPStatusError as error:
        fail(f"The server at {url} refused: {_reason(error)}")
    except LangGraphError as error:
        fail(f"The server at {url} could not do that: {error}")


def _reason(error: httpx.HTTPStatusError) -> str:
    """What the server said when it refused."""
    try:
        return str(error.response.json()["detail"])
    except (ValueError, KeyError, TypeError, httpx.ResponseNotRead):
        return f"{error.response.status_code} {error.response.reason_phrase}"


class Remote:
    """A server that runs our graph. Threads may be named by their own id or by the server's."""

    def __init__(self, client: SyncLangGraphClient) -> None:
        self.client = client

    # Memory, by the server's store.

    def memories(self, user_id: str, *, kind: str | None, limit: int, query: str | None = None) -> list[dict[str, Any]]:
        """A user's current memories: the newest first, or with a query those that mean most the same."""
        if kind is not None and kind not in KINDS:
            fail(f"Unknown kind {kind!r}; it is one of {', '.join(KINDS)}.")
        standing = {"standing": "current", "expires_ms": {"$gt": int(time.time() * 1000)}}
        prefix = namespace_of(user_id, kind)
        found = self.client.store.search_items(prefix, filter=standing, query=query, limit=limit)["items"]
        return [
            {
                **{k: item["value"].get(k) for k in ("id", "kind", "text", "confidence", "standing", "said_at")},
                "confidence": item["value"].get("confidence") if item["value"].get("kind") == "fact" else None,
                "key": item["key"],
                "score": item.get("score"),
            }
            for item in found
        ]

    def stand(self, user_id: str, memory_id: str, standing: str) -> None:
        """Hold ("held"), release ("current") or reject ("retracted") a memory, by the beginning of its id."""
        self.client.store.put_item(namespace_of(user_id, "fact"), memory_id, {"standing": standing})

    # Threads.

    def threads(self, user_id: str | None) -> list[dict[str, Any]]:
        """The threads that the server lists, the last used first, with both their ids."""
        metadata = {"graph_id": GRAPH_ID, **({THREAD_USER: user_id} if user_id else {})}
        rows: list[dict[str, Any]] = []
        while page := self._page(metadata, len(rows)):
            rows += page
        return rows

    def _page(self, metadata: dict[str, Any], offset: int) -> list[dict[str, Any]]:
        found = self.client.threads.search(
            metadata=metadata,
            limit=100,
            offset=offset,
            sort_by="updated_at",
            select=["thread_id", "metadata", "updated_at"],
        )
        return [
            {
                "thread_id": (row["metadata"] or {}).get(THREAD_NAME, row["thread_id"]),
                "server_id": row["thread_id"],
                "user_id": (row["metadata"] or {}).get(THREAD_USER),
                "updated": str(row["updated_at"]),
            }
            for row in found
        ]

    def transcript(self, thread_id: str) -> dict[str, Any]:
        """What was said in a thread, redacted."""
        said = [
            {"speaker": _SPEAKERS[m["type"]], "text": redact(clean(content_text(m["content"]))).text}
            for m in self.state(thread_id)["values"].get("messages", [])
            if m["type"] in _SPEAKERS
        ]
        return {"thread_id": thread_id, "server_id": server_id(thread_id), "transcript": said}

    def state(self, thread_id: str) -> dict[str, Any]:
        """A thread's latest state."""
        return dict(self.client.threads.get_state(server_id(thread_id)))

    def open(self, thread_id: str | None, user_id: str) -> str:
        """The thread with this id, made where it is missing; None makes a new one. Returns its own id."""
        own = thread_id or str(uuid4())
        metadata = {"graph_id": GRAPH_ID, THREAD_NAME: own, THREAD_USER: user_id}
        self.client.threads.create(thread_id=server_id(own), metadata=metadata, if_exists="do_nothing")
        return own

    def say(self, thread_id: str, given: dict[str, Any] | None, user_id: str) -> Iterator[str]:
        """Run a turn and yield the answer's text as it comes; `given` None goes on with a turn that was interrupted."""
        parts = self.client.runs.stream(
            server_id(thread_id),
            GRAPH_ID,
            input=given,
            context={"user_id": user_id},
            metadata={THREAD_NAME: thread_id},
            stream_mode="messages-tuple",
        )
        for part in parts:
            if part.event == "error":
                fail(f"The turn could not be done: {_why(part.data)}")
            if part.event == "messages" and _answers(part.data):
                yield content_text(part.data[0]["content"])


def _why(error: Any) -> str:
    return str(error.get("message") or error.get("error")) if isinstance(error, Mapping) else str(error)


def _answers(data: Any) -> bool:
    chunk, about = data
    return bool(chunk.get("type") == "AIMessageChunk" and about.get("langgraph_node") == "call_llm")
