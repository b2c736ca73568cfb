"""`palimpsest dev`: the agent of the data folder in a LangGraph server on this machine, for Studio and the SDK.

It runs `langgraph dev` itself, offline and quietly, and tells the server which threads the ledger has: a server lists
only those it was told of.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import os
import socket
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import httpx
import typer
from langgraph_sdk import get_sync_client
from langgraph_sdk.errors import APIError
from rich.text import Text

from cli.common import LOCAL_USER, Folder
from cli.output import err, fail, out
from cli.remote import token_header
from graph import open_agent
from graph.server import GRAPH_ID, THREAD_NAME, THREAD_USER, server_id

_PORT = 2024
"""The port where clients and Studio look first."""
_QUIET = {
    "LANGGRAPH_CLI_NO_ANALYTICS": "1",
    "LANGGRAPH_NO_VERSION_CHECK": "true",
    "LANGSMITH_TRACING": "false",
    "LOG_LEVEL": "WARNING",
}


def dev(
    port: Annotated[int | None, typer.Option(help="The port; else 2024 when it is free, else any that is.")] = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    user: Annotated[str, typer.Option("--user", "-u", help="Whose memory, where a run names nobody.")] = LOCAL_USER,
    jobs: Annotated[int, typer.Option(min=1, help="How many runs may go on at once.")] = 10,
    config: Annotated[Path | None, typer.Option(help="Another langgraph.json.")] = None,
) -> None:
    """Run the agent in `langgraph dev`, for Studio and the SDK. Ctrl-C stops it."""
    if importlib.util.find_spec("langgraph_api") is None:
        fail("The LangGraph server is not installed; pip install 'palimpsest[server]' brings it. Nothing was changed.")
    configured = _read((config or _config()).resolve())
    chosen = _port(host, port)
    # Opened here first: whatever is wrong with the folder is said in its own sentence, not by a server that stops.
    with open_agent(Folder.path) as agent:
        settings, rows, skills = agent.settings, agent.threads.list(), agent.memory.skills
    os.environ.update(
        {f"PALIMPSEST_{k.upper()}": str(v) for k, v in settings.model_dump(exclude_none=True).items()},
        PALIMPSEST_DATA_DIR=str(settings.data_dir.resolve()),
        PALIMPSEST_DEFAULT_USER=user,
        **({"PALIMPSEST_SKILLS": str(skills.folder)} if skills and skills.folder.is_dir() else {}),
    )
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    url = f"http://{host}:{chosen}"
    threading.Thread(target=_introduce, args=(url, rows, user), daemon=True).start()
    _serve(host, chosen, jobs, configured, settings.data_dir.resolve() / "server")
    out.print(Text("\nStopped.", style="dim"))


def _read(path: Path) -> Any:
    """What a langgraph.json says, its paths made absolute."""
    try:
        return _absolute(json.loads(path.read_text("utf-8")), path.parent)
    except (OSError, ValueError) as error:
        fail(f"{path} cannot be read ({error}). Nothing was changed.")


def _config() -> Path:
    """`langgraph.json` of this folder, else the one that comes with the package."""
    here, beside = Path("langgraph.json"), Path(__file__).parent / "langgraph.json"
    return next((p for p in (here, beside) if p.is_file()), Path(__file__).parents[1] / "langgraph.json")


def _port(host: str, wanted: int | None) -> int:
    """The port that was asked for, or one that is free."""
    ports = [_PORT, 0] if wanted is None else [wanted]
    for port in ports:
        with socket.socket() as probe, suppress(OSError):
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
            return int(probe.getsockname()[1])
    return fail(f"Port {ports[0]} of {host} cannot be used. Nothing was changed; without --port a free one is taken.")


def _absolute(value: Any, base: Path) -> Any:
    """A part of a langgraph.json whose relative paths (".", "./...", "../...") no longer depend on where it is read."""
    if isinstance(value, dict):
        return {k: _absolute(v, base) for k, v in value.items()}
    if isinstance(value, list):
        return [_absolute(v, base) for v in value]
    relative = isinstance(value, str) and (value == "." or value.startswith(("./", "../")))
    return str((base / value).resolve()) if relative else value


def _serve(host: str, port: int, jobs: int, config: Any, folder: Path) -> None:
    """Run `langgraph dev` in this process until it is stopped.

    It keeps its own lists (assistants, runs) where it is started; in `folder` they belong to the data.
    """
    from click import ClickException
    from langgraph_cli.cli import cli as langgraph

    folder.mkdir(exist_ok=True)
    os.chdir(folder)
    here = folder / "langgraph.json"
    here.write_text(json.dumps(config, ensure_ascii=False, indent=2), "utf-8")
    # Its banner is printed as a log line, and the address was said already.
    logging.getLogger("langgraph_api.cli").setLevel(logging.WARNING)
    quiet = ["--no-browser", "--no-reload", "--server-log-level", "ERROR"]
    where = ["--host", host, "--port", str(port), "--n-jobs-per-worker", str(jobs), "--config", str(here)]
    try:
        langgraph.main(["dev", *quiet, *where], prog_name="langgraph", standalone_mode=False)
    except KeyboardInterrupt:
        return
    except ClickException as error:
        fail(f"The server's configuration cannot be used: {error.format_message()}")
    except SystemExit as ended:
        if ended.code:
            fail("The server could not start, or ended on an error; what it said stands above.")


def _introduce(url: str, rows: Iterable[dict[str, Any]], user: str) -> None:
    """When the server is up, tell it of the ledger's threads, and tell the person where everything is."""
    with httpx.Client(base_url=url, timeout=5, trust_env=False) as waiting:
        up = threading.Event()
        while not up.wait(0.1):
            try:
                if waiting.get("/ok").is_success:
                    up.set()
            except httpx.TransportError:
                continue
    try:
        named = register(url, rows)
    except (APIError, httpx.HTTPError) as error:
        named = {}
        err.print(Text(f"The ledger's threads are not listed, as the server refused them: {error}", style="yellow"))
    out.print(Text(f"Palimpsest at {url} · data {os.environ['PALIMPSEST_DATA_DIR']} · user {user} unless a run says"))
    out.print(Text(f"Studio: https://smith.langchain.com/studio/?baseUrl={url} · API: {url}/docs · MCP: {url}/mcp"))
    for own, given in named.items():
        out.print(Text(f"thread {own} is {given} in the server", style="dim"))
    out.print(Text("Ctrl-C stops it.", style="dim"))
    out.file.flush()


def register(url: str, rows: Iterable[dict[str, Any]]) -> dict[str, str]:
    """Make a server list these threads of a ledger, and no longer those that were deleted.

    Returns the server's id of each thread whose own id is no UUID. Raises what the SDK raises.
    """
    named: dict[str, str] = {}
    with get_sync_client(url=url, headers=token_header()) as client:
        for row in reversed(list(rows)):  # the last used last, so that it is listed first
            own = row["thread_id"]
            given = server_id(own)
            if row["deleted"]:
                _forget(client, given)
                continue
            metadata = {"graph_id": GRAPH_ID, THREAD_NAME: own, THREAD_USER: row["user_id"]}
            client.threads.create(thread_id=given, if_exists="do_nothing", metadata=metadata)
            if given != own:
                named[own] = given
    return named


def _forget(client: Any, thread_id: str) -> None:
    try:
        client.threads.delete(thread_id)
    except APIError as error:
        if getattr(error, "status_code", None) != 404:
            raise
