"""`palimpsest threads ...`: the conversations of a folder."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from cli.common import AsJson, Folder, ledger
from cli.output import out, show_json, show_table
from cli.remote import Url, remote
from graph import open_agent
from graph.threads import Threads

app = typer.Typer(help="The conversations of a folder.", no_args_is_help=True)

_User = Annotated[str | None, typer.Option("--user", "-u", help="Only this user's.")]


@app.command("list")
def list_(user: _User = None, url: Url = None, as_json: AsJson = False) -> None:
    """List threads, the last used first. Needs the ledger alone."""
    columns = {"thread_id": "thread", "user_id": "user", "messages": "messages", "updated": "last used"}
    if url:
        columns = {"thread_id": "thread", "server_id": "in the server", "user_id": "user", "updated": "last used"}
        with remote(url) as server:
            rows = server.threads(user)
    else:
        rows = Threads(ledger()).list(user)
    if as_json:
        show_json(rows)
    else:
        show_table(rows, {**columns, "deleted": "deleted"}, "There are no threads yet.")


@app.command()
def show(thread_id: str, url: Url = None, as_json: AsJson = False) -> None:
    """Show what was said in a thread, redacted. Needs the ledger alone."""
    if url:
        with remote(url) as server:
            found = server.transcript(thread_id)
    else:
        found = Threads(ledger()).show(thread_id)
    if as_json:
        show_json(found)
        return
    for message in found["transcript"]:
        out.print(Text(f"{message['speaker']}: ", style="bold") + Text(message["text"]))


@app.command()
def search(text: str, user: _User = None, as_json: AsJson = False) -> None:
    """Find messages that hold every word of a text. Needs the ledger alone."""
    rows = Threads(ledger()).search(text, user_id=user)
    if as_json:
        show_json(rows)
    else:
        columns = {"thread_id": "thread", "speaker": "speaker", "text": "message", "said_at": "said"}
        show_table(rows, columns, "No message holds that.")


@app.command()
def delete(
    thread_id: str,
    memories: Annotated[bool, typer.Option("--memories", help="End what only this thread had said, too.")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete a thread's checkpoints; its memories stay unless --memories is given."""
    with open_agent(Folder.path) as agent:
        agent.threads.delete(thread_id, memories=memories)
    if as_json:
        show_json({"deleted": thread_id, "memories": memories})
    else:
        out.print(f"Deleted: {thread_id}", markup=False)
