"""`palimpsest check model|qdrant`: does your own model, or your own Qdrant server, do what is asked of it here?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer
from rich.text import Text

from cli.common import AsJson, Folder
from cli.output import fail, out, show_json
from evals.checks import Outcome, Probe, run_probes
from graph.agent import embedder_of, settings_for
from graph.models import resolve_model

app = typer.Typer(
    help="Try your own model and Qdrant server with small probes, in Chinese and English.", no_args_is_help=True
)


@app.command()
def model(
    name: Annotated[str | None, typer.Option("--model", help="provider:name; else PALIMPSEST_MODEL.")] = None,
    as_json: AsJson = False,
) -> None:
    """Ask your model some twenty small questions (about 15,000 tokens). Exit code 1 when any probe fails."""
    from evals.checks.model import model_probes

    settings = settings_for(Folder.path)
    wanted = name or settings.model
    if wanted in (None, "", "offline"):
        fail(
            "No model is configured, so there is nothing to check. Set PALIMPSEST_MODEL=openai:<name>, or give --model."
        )
    chat = resolve_model(wanted, settings=settings)
    probes = model_probes(chat, lambda: embedder_of(settings), settings=settings)
    _report(f"{wanted} at {settings.openai_base_url or 'its own address'}", probes, as_json)


@app.command()
def qdrant(
    url: Annotated[str | None, typer.Option("--url", help="The server; else PALIMPSEST_QDRANT_URL.")] = None,
    as_json: AsJson = False,
) -> None:
    """Try your Qdrant server on a collection of its own, which is dropped again. Exit code 1 when any probe fails."""
    from evals.checks.qdrant import qdrant_probes

    settings = settings_for(Folder.path)
    wanted = url or settings.qdrant_url
    if wanted is None:
        fail("No Qdrant server is configured, so nothing was checked. Set PALIMPSEST_QDRANT_URL, or give --url.")
    with qdrant_probes(wanted, settings.qdrant_api_key) as probes:
        _report(wanted, probes, as_json)


def _report(what: str, probes: Iterable[Probe], as_json: bool) -> None:
    outcomes: list[Outcome] = []
    if not as_json:
        out.print(Text(what, style="bold"))
    for outcome in run_probes(probes):
        outcomes.append(outcome)
        if not as_json:
            _line(outcome)
    failed = sum(not o.passed for o in outcomes)
    if as_json:
        show_json({"checked": what, "failed": failed, "probes": [o.to_dict() for o in outcomes]})
    else:
        out.print(Text(f"{len(outcomes) - failed} of {len(outcomes)} passed"))
    if failed:
        raise typer.Exit(1)


def _line(outcome: Outcome) -> None:
    verdict = Text("pass  ", style="green") if outcome.passed else Text("FAIL  ", style="bold red")
    detail = Text(f"  {outcome.detail}", style="dim" if outcome.passed else "")
    out.print(verdict + Text(f"{outcome.tongue:5}  {outcome.name}  {outcome.seconds:.2f} s") + detail)
