"""A real HTTP server on loopback that speaks OpenAI's protocol from a script: for tests of whatever talks to a model.

    with OpenAIServer(["你好", Failure(429), ToolCall("search", {"q": "tea"})]) as server:
        model = ChatOpenAI(model="any", base_url=server.base_url, api_key="any")

It answers `POST /v1/chat/completions` (whole or as server-sent events, with tools and structured output),
`POST /v1/embeddings` and `GET /v1/models`. It refuses what the real service refuses about tool messages, and checks
nothing else about a request. It uses the standard library alone and never leaves the machine.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
import re
import socket
import struct
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

JSON = dict[str, Any]


@dataclass(frozen=True)
class ToolCall:
    """A call of a tool; `arguments` as a string are sent as they are, well-formed or not."""

    name: str
    arguments: Mapping[str, Any] | str = field(default_factory=dict)
    id: str = ""


@dataclass(frozen=True)
class Answer:
    """A whole answer, for what a plain string or `ToolCall` cannot say."""

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str | None = None
    refusal: str | None = None


@dataclass(frozen=True)
class Failure:
    """An HTTP error in OpenAI's form. Clients that retry are told to do so after `retry_after_ms` milliseconds."""

    status: int
    message: str = "scripted failure"
    code: str | None = None
    retry_after_ms: int = 1


@dataclass(frozen=True)
class Half:
    """The beginning of an answer, after which the connection breaks (in the middle of the JSON when not streamed)."""

    text: str


@dataclass(frozen=True)
class Stall:
    """The beginning of an answer, after which nothing comes any more while the server runs."""

    text: str = ""


Reply = str | Mapping[str, Any] | ToolCall | Answer | Failure | Half | Stall
"""What a script holds. A mapping is an object for structured output: JSON text, or the arguments of the tool that the
request forces."""


@dataclass(frozen=True)
class Request:
    """A request as it came: path, headers (lower-case names) and JSON body."""

    path: str
    headers: Mapping[str, str]
    body: JSON


Script = Sequence[Reply] | Callable[[Request], Reply]


def hashed_embedding(text: str) -> Sequence[float]:
    """Eight numbers in [-1, 1) that depend on nothing but the text, and mean nothing."""
    return [byte / 128 - 1 for byte in hashlib.sha256(text.encode()).digest()[:8]]


class OpenAIServer:
    """Serve `script` while the context lasts: one reply a chat request, in the order they come in.

    `embed` makes the vector of one text, or a `Failure`; with `api_key`, a request with another key gets 401 and no
    reply is used up. `base_url` is what a client needs, and `requests` is every request so far. A request after the
    last reply of a list gets 400.
    """

    def __init__(
        self,
        script: Script = (),
        *,
        embed: Callable[[str], Sequence[float] | Failure] = hashed_embedding,
        api_key: str | None = None,
    ) -> None:
        self.requests: list[Request] = []
        self._script = script
        self._embed = embed
        self._api_key = api_key
        self._turn = itertools.count()
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def base_url(self) -> str:
        """The address with its `/v1`, on 127.0.0.1 and a free port."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, request: Request) -> JSON | Reply:
        """The reply to one request: JSON for embeddings and models, or what the script says."""
        self.requests.append(request)
        if self._api_key and request.headers.get("authorization") != f"Bearer {self._api_key}":
            return Failure(401, "Incorrect API key provided.", "invalid_api_key")
        match request.path:
            case "/v1/chat/completions":
                return _fault(request.body.get("messages")) or self._next(request)
            case "/v1/embeddings":
                return _embeddings(request.body, self._embed)
            case "/v1/models":
                return {"object": "list", "data": [{"id": "scripted", "object": "model", "owned_by": "script"}]}
        return Failure(404, f"Unknown request URL: {request.path}")

    def _next(self, request: Request) -> Reply:
        if callable(self._script):
            return self._script(request)
        turn = next(self._turn)
        if turn < len(self._script):
            return self._script[turn]
        return Failure(400, f"the script has {len(self._script)} replies, and this is request {turn + 1}")


def _fault(messages: Any) -> Failure | None:
    """What OpenAI refuses: no messages, a tool's result without its call, a call without its result."""
    if not messages or not isinstance(messages, list):
        return Failure(400, "messages: expected a list with at least one message")
    waiting: set[str] = set()
    for message in messages:
        if message["role"] == "tool":
            if message.get("tool_call_id") not in waiting:
                return Failure(400, "a message with role 'tool' must follow a message with its 'tool_calls'")
            waiting.remove(message["tool_call_id"])
        elif waiting:
            break
        else:
            waiting = {call["id"] for call in message.get("tool_calls") or ()}
    return Failure(400, f"'tool_calls' without a tool message: {', '.join(sorted(waiting))}") if waiting else None


def _embeddings(body: JSON, embed: Callable[[str], Sequence[float] | Failure]) -> JSON | Failure:
    given = body.get("input")
    data: list[JSON] = []
    for index, text in enumerate([given] if isinstance(given, str) else given or ()):
        vector = embed(str(text))
        if isinstance(vector, Failure):
            return vector
        encoded = base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
        value = encoded if body.get("encoding_format") == "base64" else list(vector)
        data.append({"object": "embedding", "index": index, "embedding": value})
    usage = {"prompt_tokens": len(data), "total_tokens": len(data)}
    return {"object": "list", "data": data, "model": body.get("model"), "usage": usage}


def _as_answer(reply: str | Mapping[str, Any] | ToolCall | Answer, body: JSON) -> Answer:
    if isinstance(reply, Answer):
        return reply
    if isinstance(reply, str):
        return Answer(reply)
    if isinstance(reply, ToolCall):
        return Answer(tool_calls=(reply,))
    forced = body.get("tool_choice")
    tools = [tool["function"]["name"] for tool in body.get("tools") or ()]
    if isinstance(forced, dict):
        return Answer(tool_calls=(ToolCall(forced["function"]["name"], reply),))
    if forced == "required" and tools:
        return Answer(tool_calls=(ToolCall(tools[0], reply),))
    return Answer(json.dumps(reply, ensure_ascii=False))


def _calls(answer: Answer) -> list[JSON]:
    return [
        {
            "id": call.id or f"call_{index}",
            "type": "function",
            "function": {
                "name": call.name,
                "arguments": call.arguments
                if isinstance(call.arguments, str)
                else json.dumps(call.arguments, ensure_ascii=False),
            },
        }
        for index, call in enumerate(answer.tool_calls)
    ]


def _finish(answer: Answer) -> str:
    return answer.finish_reason or ("tool_calls" if answer.tool_calls else "stop")


def _usage(body: JSON, answer: Answer) -> JSON:
    """An estimate: a token is four characters."""
    given, made = (len(json.dumps(part, ensure_ascii=False)) // 4 for part in (body["messages"], [answer.text]))
    return {"prompt_tokens": given, "completion_tokens": made, "total_tokens": given + made}


def _completion(number: int, body: JSON, answer: Answer) -> JSON:
    message: JSON = {"role": "assistant", "content": answer.text or None, "refusal": answer.refusal}
    if answer.tool_calls:
        message["tool_calls"] = _calls(answer)
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 0,
        "model": body.get("model"),
        "choices": [{"index": 0, "message": message, "finish_reason": _finish(answer), "logprobs": None}],
        "usage": _usage(body, answer),
    }


def _chunks(number: int, body: JSON, answer: Answer) -> Iterator[JSON]:
    """The answer word by word, each tool call's arguments in two pieces, then the reason and the usage."""
    head = {"id": f"chatcmpl-{number}", "object": "chat.completion.chunk", "created": 0, "model": body.get("model")}

    def chunk(delta: JSON, reason: str | None = None) -> JSON:
        return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}

    yield chunk({"role": "assistant", "content": ""})
    for piece in re.findall(r"\s*\S+|\s+$", answer.text):
        yield chunk({"content": piece})
    if answer.refusal:
        yield chunk({"refusal": answer.refusal})
    for index, call in enumerate(_calls(answer)):
        arguments = call["function"]["arguments"]
        half = len(arguments) // 2
        start = {**call, "index": index, "function": {**call["function"], "arguments": arguments[:half]}}
        yield chunk({"tool_calls": [start]})
        yield chunk({"tool_calls": [{"index": index, "function": {"arguments": arguments[half:]}}]})
    yield chunk({}, _finish(answer))
    if (body.get("stream_options") or {}).get("include_usage"):
        yield {**head, "choices": [], "usage": _usage(body, answer)}


class _Server(ThreadingHTTPServer):
    """The listening socket, which breaks its open connections when it is closed, so that no stalled request outlives
    it and no thread is left."""

    daemon_threads = False

    def __init__(self, owner: OpenAIServer) -> None:
        self.owner = owner
        self.closing = threading.Event()
        self.numbers = itertools.count(1)
        self.connections: set[socket.socket] = set()
        self.lock = threading.Lock()
        super().__init__(("127.0.0.1", 0), _Handler)

    def server_close(self) -> None:
        """Stop listening, break what is open and wait for its threads."""
        self.closing.set()
        with self.lock:
            for connection in self.connections:
                _break(connection)
        super().server_close()


def _break(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:  # the other side was first
        return


class _Handler(BaseHTTPRequestHandler):
    """One connection."""

    server: _Server
    protocol_version = "HTTP/1.1"

    def setup(self) -> None:
        """Remember the connection while it is open."""
        super().setup()
        with self.server.lock:
            self.server.connections.add(self.connection)
            if self.server.closing.is_set():
                _break(self.connection)

    def finish(self) -> None:
        """Forget the connection."""
        with self.server.lock:
            self.server.connections.discard(self.connection)
        super().finish()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Nothing: what came is in `requests`."""

    def handle(self) -> None:
        """Answer until either side closes; a client that went away is no error here."""
        try:
            super().handle()
        except (ConnectionError, TimeoutError):
            self.close_connection = True

    def do_GET(self) -> None:
        """Answer a request without a body."""
        self._respond({})

    def do_POST(self) -> None:
        """Answer a request with a JSON body."""
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            body = json.loads(raw)
        except ValueError:
            body = None
        if isinstance(body, dict):
            self._respond(body)
        else:
            self._fail(Failure(400, "We could not parse the JSON body of your request."))

    def _respond(self, body: JSON) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.path.partition("?")[0], headers, body)
        reply = self.server.owner.answer(request)
        if isinstance(reply, Failure):
            self._fail(reply)
        elif request.path != "/v1/chat/completions":
            self._json(200, reply)
        elif isinstance(reply, Half | Stall):
            self._begin(body, reply)
        else:
            answer, number = _as_answer(reply, body), next(self.server.numbers)
            if body.get("stream"):
                self._stream(_chunks(number, body, answer))
                self._event("[DONE]")
                self.wfile.write(b"0\r\n\r\n")
            else:
                self._json(200, _completion(number, body, answer))

    def _begin(self, body: JSON, reply: Half | Stall) -> None:
        """Send the first part of an answer, wait if it is a stall, and break the connection."""
        number, answer = next(self.server.numbers), Answer(reply.text)
        if body.get("stream"):
            said = 1 + len(re.findall(r"\s*\S+|\s+$", reply.text))
            self._stream(itertools.islice(_chunks(number, body, answer), said))
        elif isinstance(reply, Half):
            raw = json.dumps(_completion(number, body, answer), ensure_ascii=False).encode()
            self._head(200, "application/json", {"Content-Length": str(len(raw))})
            self.wfile.write(raw[: len(raw) // 2])
        if isinstance(reply, Stall):
            self.server.closing.wait()
        self.close_connection = True

    def _fail(self, failure: Failure) -> None:
        kind = "invalid_request_error" if failure.status < 500 else "server_error"
        error = {"message": failure.message, "type": kind, "param": None, "code": failure.code}
        self._json(failure.status, {"error": error}, {"retry-after-ms": str(failure.retry_after_ms)})

    def _json(self, status: int, value: Any, headers: Mapping[str, str] | None = None) -> None:
        raw = json.dumps(value, ensure_ascii=False).encode()
        self._head(status, "application/json", {"Content-Length": str(len(raw)), **(headers or {})})
        self.wfile.write(raw)

    def _stream(self, chunks: Iterator[JSON]) -> None:
        self._head(200, "text/event-stream", {"Transfer-Encoding": "chunked"})
        for chunk in chunks:
            self._event(json.dumps(chunk, ensure_ascii=False))

    def _event(self, data: str) -> None:
        raw = f"data: {data}\n\n".encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(raw), raw))

    def _head(self, status: int, kind: str, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
