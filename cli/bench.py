"""`palimpsest bench`: how well memory is found again, measured on question sets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from cli.comparing import DATA_HELP, peers, say_passed_over, scale
from cli.output import fail, out, progress_bar, progress_bars
from evals import ablation, calibration, datasets, plot, sources
from evals import branching as branches
from evals import extraction as sentences
from evals import growth as growing
from evals import latency as times
from evals import retention as retained
from evals.retrieval import SetReport, run
from graph import open_agent
from graph.agent import embedder_of, settings_for
from memory.extraction import RuleExtractor
from stores.book import MemoryBook
from stores.embeddings import HashEmbeddings

_Data = Annotated[Path | None, typer.Option("--data", help=DATA_HELP)]
_Names = Annotated[list[str] | None, typer.Option("--set", help="Only this set; may be repeated.")]
_Json = Annotated[Path | None, typer.Option("--json", help="Write the measures to this file.")]

app = typer.Typer(help="Measure recall on question sets.", no_args_is_help=True)
app.command()(scale)
app.command()(peers)


@app.callback()
def options() -> None:
    """Measure recall on question sets."""


@app.command()
def retrieval(
    data: _Data = None,
    names: _Names = None,
    json_file: _Json = None,
    questions_file: Annotated[
        Path | None, typer.Option("--questions", help="Write one JSON line a question to this file.")
    ] = None,
) -> None:
    """Write question sets through the agent's own memory, in folders of their own, and measure what recall finds."""
    chosen = _chosen(data, names, json_file, questions_file)
    with progress_bars() as progress:
        report = run(chosen, lambda folder: open_agent(folder), progress=progress)
    if json_file:
        json_file.write_text(json.dumps({"sets": report["sets"]}, ensure_ascii=False, indent=2) + "\n", "utf-8")
    if questions_file:
        lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in report["questions"])
        questions_file.write_text("".join(lines), "utf-8")
    _show(out, report["sets"])


@app.command()
def ablate(data: _Data = None, names: _Names = None, json_file: _Json = None) -> None:
    """Measure what each signal of ranking and each kind of memory is worth: recall with all, less recall without it.

    Skills have a column of their own, which no --data and no --set changes: the bundled requests that call for one.
    """
    chosen = _chosen(data, names, json_file)
    with progress_bars() as progress:
        found = ablation.run(chosen, open_agent, progress=progress)
    if json_file:
        json_file.write_text(json.dumps(found, ensure_ascii=False, indent=2) + "\n", "utf-8")
    whole = (ablation.ALL, ablation.SKILLS)
    for measure in ablation.MEASURES:
        table = Table(box=None, pad_edge=False, header_style="bold")
        table.add_column(f"{measure}, worth of what is left out")
        for name in found[ablation.FULL]:
            table.add_column(f"{name} (95 % interval)" if name in whole else name, justify="right")
        for variant, worth in found.items():
            cells = []
            for name, estimates in worth.items():
                one = estimates[measure]
                # What a variant does not touch has no interval.
                spans = name == ablation.ALL or (name == ablation.SKILLS and one["value"])
                span = f" ({one['low']:+.3f} to {one['high']:+.3f})" if spans else ""
                cells.append(f"{one['value']:.3f}" if variant == ablation.FULL else f"{one['value']:+.3f}{span}")
            table.add_row(variant, *cells)
        out.print(table)


@app.command()
def calibrate(data: _Data = None, names: _Names = None, json_file: _Json = None) -> None:
    """Measure where the configured embedder's cosines begin to mean something, and how well that holds."""
    chosen = _chosen(data, names, json_file)
    embedder = embedder_of(settings_for(None), None)
    with progress_bars() as progress:
        found = calibration.run(chosen, lambda folder: open_agent(folder), embedder, progress=progress)
    if json_file:
        json_file.write_text(json.dumps(found, ensure_ascii=False, indent=2) + "\n", "utf-8")
    now = embedder.scale
    out.print(f"{embedder.name}: floor {found['floor']:.3f}, threshold {found['threshold']:.3f}", highlight=False)
    out.print(f"in use: floor {now.floor:.3f}, threshold {now.threshold:.3f}", highlight=False)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("judged on groups left out", "own questions", "lost", "other groups' questions", "refused"):
        table.add_column(column, justify="left" if column.startswith("judged") else "right")
    for kind, one in found["judged"].items():
        lost = f"{one['lost']:.3f}" if one["own"] else ""
        refused = f"{one['refused']:.3f}" if one["others"] else ""
        table.add_row(kind, str(one["own"]), lost, str(one["others"]), refused)
    out.print(table)


def _chosen(data: Path | None, names: list[str] | None, *files: Path | None) -> list[datasets.Dataset]:
    """The sets to measure, once it is clear that they can be written and the files too."""
    settings = settings_for(None)
    if settings.qdrant_url or settings.ledger_url:
        fail(
            "The benchmark writes thousands of memories and wants folders of its own: "
            "unset PALIMPSEST_QDRANT_URL and PALIMPSEST_LEDGER_URL for it. Nothing was written."
        )
    for path in files:
        if path and not path.absolute().parent.is_dir():
            fail(f"There is no folder {path.absolute().parent} to write {path.name} to. Nothing was measured.")
    chosen = datasets.choose(sources.load(data or datasets.OWN), names or ())
    say_passed_over(chosen)
    return chosen


@app.command()
def latency(
    records: Annotated[int, typer.Option(min=1, help="How many memories the user has.")] = 6000,
    turns: Annotated[int, typer.Option(min=1, help="How many turns to time.")] = 40,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the measures to this file.")] = None,
) -> None:
    """Time the first token of a turn, recall alone, and thirteen turns at once, with doubles for the model."""
    with TemporaryDirectory() as folder:
        with open_agent(folder, model=times.SteadyModel(), extraction_model="rules") as agent:
            with progress_bar("Writing memories", records) as progress:
                times.fill(agent, "bench", records, progress)
            times.first_tokens(agent, "bench", 3)
            waits = times.first_tokens(agent, "bench", turns)
            # Questions that no turn has asked: nothing of theirs is embedded yet.
            unasked = times.sentences(2 * turns)[turns:]
            asked = [agent.memory.recall("bench", f"What about {text}?").seconds for text in unasked]
        with open_agent(folder, model=times.SteadyModel(seconds=0.5), extraction_model="rules") as agent:
            asyncio.run(times.at_once(agent, "new", 2))
            together = {user: asyncio.run(times.at_once(agent, user, 13)) for user in ("new", "bench")}
    measures = {
        f"first token, {records} memories": times.quantiles(waits),
        "recall": times.quantiles([s["total"] for s in asked]),
        "recall without embedding": times.quantiles([s["total"] - s["embedding"] for s in asked]),
        "13 turns at once of a new user, model 500 ms": {"total_ms": round(together["new"] * 1000, 1)},
        f"the same with {records} memories": {"total_ms": round(together["bench"] * 1000, 1)},
    }
    if json_file:
        json_file.write_text(json.dumps(measures, ensure_ascii=False, indent=2) + "\n", "utf-8")
    for name, values in measures.items():
        out.print(f"{name}: " + ", ".join(f"{key.removesuffix('_ms')} {value} ms" for key, value in values.items()))


@app.command()
def branching(
    records: Annotated[
        int, typer.Option(min=1000, help="How many memories there are, a tenth of them the user's.")
    ] = 50_000,
    questions: Annotated[int, typer.Option(min=1, help="How many questions to recall for.")] = 100,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the measures to this file.")] = None,
) -> None:
    """Time what branches cost: aligning, forks, and recall as of then, alone and among other threads and users."""
    own = records // (branches.OTHERS + 1)
    places: dict[str, tuple[MemoryBook, branches.Lineage]] = {}
    with ExitStack() as opened:
        for name, others in (
            (f"{own:,} memories, one user", 0),
            (f"{records:,} memories, {branches.OTHERS + 1} users", records - own),
        ):
            folder = opened.enter_context(TemporaryDirectory())
            agent = opened.enter_context(open_agent(folder, embeddings=HashEmbeddings()))
            with progress_bar(f"Writing: {name}", others + own + max(branches.FORKS) + 1) as progress:
                if others:
                    branches.fill_others(agent, others, progress)
                times.fill(agent, branches.USER_ID, own, progress)
                places[name] = (agent.memory, branches.commit_lineage(agent.memory, progress))
        found = dict(zip(places, branches.measure([*places.values()], questions), strict=True))
    alone, among = found.values()
    if json_file:
        rows = {name: [one.to_dict() for one in measures] for name, measures in found.items()}
        json_file.write_text(json.dumps(rows, ensure_ascii=False, indent=2) + "\n", "utf-8")
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("median (least)")
    for name in found:
        table.add_column(name, justify="right")
    table.add_column("look-ups and writes", justify="right")
    for before, after in zip(alone, among, strict=True):
        cells = (f"{one.ms:,.2f} ms ({one.least_ms:,.2f})" for one in (before, after))
        table.add_row(before.what, *cells, f"{after.statements:,}")
    out.print(table)


@app.command()
def growth(
    turns: Annotated[int, typer.Option(min=4, help="Turns of the long thread, and threads of one turn.")] = 1000,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the measures to this file.")] = None,
    plot_file: Annotated[Path | None, typer.Option("--plot", help="Draw the files' growth to this SVG file.")] = None,
) -> None:
    """Measure bytes and times of one long thread and of many short ones, beside LangGraph's plain pattern."""
    runs = {"one thread": growing.one_thread, "a thread a turn": growing.many_threads, "plain pattern": growing.plain}
    found: dict[str, growing.Growth] = {}
    with TemporaryDirectory() as folder:
        for i, (name, run_one) in enumerate(runs.items()):
            with progress_bar(f"Taking turns: {name}", turns) as progress:
                found[name] = run_one(Path(folder) / str(i), turns, progress)
    measures = {name: one.to_dict() for name, one in found.items()}
    if json_file:
        json_file.write_text(json.dumps(measures, ensure_ascii=False, indent=2) + "\n", "utf-8")
    if plot_file:
        series = {name: [(n, size / 1e6) for n, size in one.bytes_at] for name, one in found.items()}
        plot_file.write_text(plot.lines("Checkpoints on disk, log included", "MB", series), "utf-8")
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column(f"{turns:,} turns")
    for name in found:
        table.add_column(name, justify="right")
    for label, cell in _GROWTH_ROWS.items():
        table.add_row(label, *(cell(one) for one in measures.values()))
    out.print(table)


_GROWTH_ROWS: dict[str, Callable[[dict[str, Any]], str]] = {
    "checkpoints over text": lambda m: f"{m['over_text']:,.1f}",
    "text": lambda m: f"{m['text_bytes'] / 1e6:,.2f} MB",
    "checkpoints, with log": lambda m: f"{m['file_bytes']['checkpoints'] / 1e6:,.1f} MB",
    "ledger, with log": lambda m: f"{m['file_bytes']['ledger'] / 1e6:,.1f} MB",
    "index": lambda m: f"{m['file_bytes']['index'] / 1e6:,.1f} MB",
    "a turn, p50": lambda m: f"{m['turn_ms']['p50']:.1f} ms",
    "last 100 over first 100": lambda m: f"{m['slowdown']:.2f}",
    "get_state": lambda m: f"{m['get_state_ms']:.1f} ms",
    "resume": lambda m: f"{m['resume_ms']:.1f} ms",
    "open": lambda m: f"{m['open_ms']:.0f} ms",
    "list threads": lambda m: f"{m['list_ms']:.1f} ms",
    "memory added": lambda m: f"{(m['memory'][1] - m['memory'][0]) / 1e6:,.0f} MB",
}


@app.command()
def retention(
    turns: Annotated[
        list[int] | None, typer.Option("--turns", help="Turns about other things; may be repeated.")
    ] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the measures to this file.")] = None,
) -> None:
    """Measure what the model still sees of a person's constraints after many turns, beside simpler kinds of memory."""
    lengths = sorted(set(turns or (10, 20, 100, 1000)))
    found: dict[str, dict[int, retained.Shares]] = {}
    model = retained.Watching()
    with TemporaryDirectory() as folder, open_agent(folder, model=model, extraction_model="rules") as agent:
        for language in retained.LANGUAGES:
            constraints = retained.load(language)
            total = len(retained.opening(constraints)) + lengths[-1] + len(lengths)
            with progress_bar(f"Holding a conversation: {language}", total) as progress:
                contexts = retained.run(agent, model, language, lengths, progress)
            found[language] = {n: retained.shares(constraints, context) for n, context in contexts.items()}
    if json_file:
        json_file.write_text(json.dumps(found, ensure_ascii=False, indent=2) + "\n", "utf-8")
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("constraints held (of those the rules miss)")
    for name, measured in found.items():
        for n in measured:
            table.add_column(f"{name}, {n:,} turns", justify="right")
    for way in retained.WAYS:
        shown = (shares[way] for measured in found.values() for shares in measured.values())
        table.add_row(way, *(f"{one['all']:.2f} ({one['missed by rules']:.2f})" for one in shown))
    out.print(table)


@app.command()
def extract(
    parts: Annotated[
        list[str] | None, typer.Option("--set", help="Only this part (open, aside, second or third); may be repeated.")
    ] = None,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the measures to this file.")] = None,
    errors: Annotated[
        bool, typer.Option("--errors", help="List what was missed and what is false (open part).")
    ] = False,
) -> None:
    """Judge the rule extractor by hand-written sentences: precision and recall, in Chinese and English."""
    if errors and parts != ["open"]:
        fail("Only --set open shows its errors: rules fitted to the other sentences would be judged by themselves.")
    reports: dict[str, sentences.PartReport] = {}
    if unknown := set(parts or ()) - set(sentences.PARTS):
        fail(f"There is no part {', '.join(sorted(unknown))}; the parts are {', '.join(sentences.PARTS)}.")
    chosen = [part for part in sentences.PARTS if not parts or part in parts]
    for part in chosen:
        for language in sentences.LANGUAGES:
            judged = sentences.run(RuleExtractor(), sentences.load(part, language))
            reports[f"{part} {language}"] = sentences.report(judged)
            for one in judged if errors else ():
                _show_errors(out, one)
    if json_file:
        json_file.write_text(json.dumps(reports, ensure_ascii=False, indent=2) + "\n", "utf-8")
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("95 % intervals", *reports):
        table.add_column(column, justify="right" if column in reports else "left")
    table.add_row("sentences / facts", *(f"{one['sentences']} / {one['facts']}" for one in reports.values()))
    for measure in ("precision", "recall"):
        cells = (one["precision"] if measure == "precision" else one["recall"] for one in reports.values())
        table.add_row(measure, *(f"{c['value']:.3f} ({c['low']:.3f}-{c['high']:.3f})" for c in cells))
    for kind in sorted({kind for one in reports.values() for kind in one["kinds"]}):
        shares = (one["kinds"].get(kind) for one in reports.values())
        table.add_row(f"recall, {kind}", *("" if share is None else f"{share:.2f}" for share in shares))
    out.print(table)


def _show_errors(console: Console, one: sentences.Judged) -> None:
    if not one.missed and not one.false:
        return
    console.print(f"{one.sentence.id} ({one.sentence.kind}) {one.sentence.text}", markup=False)
    for gold in one.missed:
        values = "the whole slot" if gold.values is None else gold.values[0]
        ended = "ended, " if gold.retract else "not, " if gold.polarity < 0 else ""
        console.print(f"  missed: {gold.subjects[0]}, {gold.attributes[0]}, {ended}{values}", markup=False)
    for p in one.false:
        ended = "ended, " if p.get("retract") else "not, " if p.get("polarity", 1) < 0 else ""
        console.print(f"  false: {p['subject']}, {p['attribute']}, {ended}{p['value']}", markup=False)


_LABEL_WIDTH, _SET_WIDTH = 27, 24


def _show(console: Console, sets: Mapping[str, SetReport]) -> None:
    """A row a measure and a column a set, in as many tables as the console's width asks for."""
    per_table = max(1, (console.width - _LABEL_WIDTH) // _SET_WIDTH)
    for start in range(0, len(sets), per_table):
        console.print(_table(dict(list(sets.items())[start : start + per_table])))


def _table(sets: Mapping[str, SetReport]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("95 % intervals")
    for name in sets:
        table.add_column(name, justify="right")
    table.add_row("questions / items", *(f"{one['questions']} / {one['items']}" for one in sets.values()))
    for name in dict.fromkeys(name for one in sets.values() for name in one["metrics"]):
        cells = (one["metrics"].get(name) for one in sets.values())
        table.add_row(name, *(f"{c['value']:.3f} ({c['low']:.3f}-{c['high']:.3f})" if c else "" for c in cells))
    for category in dict.fromkeys(name for one in sets.values() for name in one["categories"]):
        found = (one["categories"].get(category) for one in sets.values())
        cells_of = (f"{c['metrics']['R@10']['value']:.3f} of {c['questions']}" if c else "" for c in found)
        table.add_row(f"R@10, {category}", *cells_of)
    for percent in ("p50", "p95"):
        for suffix, note in (("", ""), ("_without_embedding", ", no embedding")):
            times = (one["time"].get(percent + suffix, 0.0) for one in sets.values())
            table.add_row(f"recall {percent}{note}", *(f"{1000 * seconds:.1f} ms" for seconds in times))
    table.add_row("writing", *(f"{one['time']['write']:.1f} s" for one in sets.values()))
    return table
