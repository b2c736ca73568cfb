"""`palimpsest bench scale` and `bench peers`: recall as memory grows, and beside other memories."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from cli.output import err, fail, out, progress_bar, progress_bars
from evals import datasets, sources
from evals import scale as scaling
from evals.embedded import SharedEmbedder
from evals.latency import sentences
from evals.peers import places
from evals.peers.measure import MEASURES, PEERS, Outcome, measure
from graph.agent import embedder_of, settings_for

DATA_HELP = "A folder of NAME_items and NAME_queries, or LoCoMo's or LongMemEval's own file; else the bundled set."
_WIDTH = 110
_SIZES = "600,6000,50000"

Data = Annotated[Path | None, typer.Option("--data", help=DATA_HELP)]
Sets = Annotated[list[str] | None, typer.Option("--set", help="Only this set; may be repeated.")]
Sizes = Annotated[str, typer.Option("--records", help="How many memories one user has; sizes with commas, or none.")]
Json = Annotated[Path | None, typer.Option("--json", help="Write the measures to this file.")]


def scale(
    records: Sizes = _SIZES,
    others: Annotated[
        int, typer.Option(min=0, help="How many memories others have beside the smallest of the sizes.")
    ] = 200_000,
    questions: Annotated[int, typer.Option(min=1, help="How many questions to ask at each size.")] = 200,
    data: Data = None,
    names: Sets = None,
    json_file: Json = None,
) -> None:
    """Time recall at several sizes and among others' memories, from cold; and check that others change no ranking."""
    sizes = _sizes(records)
    _check(json_file)
    chosen = datasets.choose(sources.load(data or datasets.OWN), names or ())
    say_passed_over(chosen)
    embedder = _embedder()
    with progress_bars() as bars:
        differences = {one.name: scaling.different_rankings(one, embedder, bars) for one in chosen}
    measures = []
    if sizes:
        with progress_bar("Embedding", max(sizes)) as progress:
            embedder.embed(sentences(max(sizes)), progress)
    for size in sizes:
        with progress_bar(f"Writing {size:,} memories of one user", size) as progress:
            measures.append(scaling.alone(size, questions, embedder, progress))
    if sizes and others:
        with progress_bar(f"Writing {others:,} of others", 2 * min(sizes) + others) as progress:
            measures += scaling.among(min(sizes), others, questions, embedder, progress)
    if json_file:
        found = {"recall": [one.to_dict() for one in measures], "rankings": _rankings(chosen, differences)}
        json_file.write_text(json.dumps(found, ensure_ascii=False, indent=2) + "\n", "utf-8")
    if measures:
        _wide().print(_scale_table(measures))
    for name, one in _rankings(chosen, differences).items():
        same = "the same memories and scores, alone and among the others of the set"
        told = f"{len(one['different'])} answered otherwise" if one["different"] else same
        out.print(Text(f"{name}: {one['questions']} questions of {one['users']} users, {told}"))


def peers(
    data: Data = None,
    names: Sets = None,
    records: Sizes = _SIZES,
    only: Annotated[
        list[str] | None, typer.Option("--peer", help=f"Only this one of {', '.join(PEERS)}; may be repeated.")
    ] = None,
    questions: Annotated[int, typer.Option(min=1, help="How many questions to ask at most at each size.")] = 100,
    seconds: Annotated[
        float, typer.Option(min=1, help="How long one peer may write, and how long it may be asked, at each size.")
    ] = 600,
    json_file: Json = None,
) -> None:
    """Measure other memories and this one with the same items, questions and embedder: what they find and how fast."""
    sizes = _sizes(records)
    _check(json_file)
    if unknown := set(only or ()) - set(PEERS):
        fail(f"There is no peer {', '.join(sorted(unknown))}; there are {', '.join(PEERS)}.")
    chosen = datasets.choose(sources.load(data or datasets.OWN), names or ())
    say_passed_over(chosen)
    embedder = _embedder()
    measured = [places.whole(one) for one in chosen]
    measured += [places.one_user(chosen[0], chosen[1:], size, questions, min(sizes)) for size in sizes]
    found: dict[str, dict[str, Outcome]] = {name: {} for name in only or PEERS}
    for place in measured:
        texts = embedder.missing(message.text for said in place.said.values() for message in said)
        with progress_bar(f"{place.name}: embedding", len(texts)) as progress:
            embedder.embed(texts, progress)
        for name in found:
            with progress_bar(f"{place.name}: {name}", place.records() + len(place.asked)) as progress:
                found[name][place.name] = measure(PEERS[name], place, embedder, bound=seconds, progress=progress)
        _show_place(place, found)
        if json_file:
            # A run takes an hour or two: what is measured is kept as soon as it is.
            rows = {name: {place: one.to_dict() for place, one in by.items()} for name, by in found.items()}
            whole = {"embedder": embedder.make().name, "peers": rows}
            json_file.write_text(json.dumps(whole, ensure_ascii=False, indent=2) + "\n", "utf-8")
    out.print(Text(f"The embedder of all: {embedder.make().name}. Writing is without it."))
    for name, outcomes in found.items():
        for first in [*outcomes.values()][:1]:
            out.print(Text(f"{name}: {first.settings or first.note}"))


def say_passed_over(chosen: Iterable[datasets.Dataset]) -> None:
    """Say on standard error what was left out of the sets while they were read."""
    for one in chosen:
        if one.passed_over:
            told = ", ".join(f"{n} {why}" for why, n in one.passed_over.items())
            err.print(Text(f"{one.name}: passed over: {told}"))


def _embedder() -> SharedEmbedder:
    """The embedder of the settings. Fails where a server or a ledger of one's own is set."""
    settings = settings_for(None)
    if settings.qdrant_url or settings.ledger_url:
        fail(
            "This benchmark writes thousands of memories and wants folders of its own: "
            "unset PALIMPSEST_QDRANT_URL and PALIMPSEST_LEDGER_URL for it. Nothing was written."
        )
    return SharedEmbedder(lambda: embedder_of(settings))


def _sizes(text: str) -> list[int]:
    if text.strip() in ("", "none"):
        return []
    try:
        sizes = sorted({int(part) for part in text.split(",")})
    except ValueError:
        sizes = [0]
    if sizes[0] < 1:
        fail(f"--records {text!r} is no list of sizes such as {_SIZES}.")
    return sizes


def _check(json_file: Path | None) -> None:
    if json_file and not json_file.absolute().parent.is_dir():
        fail(f"There is no folder {json_file.absolute().parent} to write {json_file.name} to. Nothing was measured.")


def _rankings(chosen: Iterable[datasets.Dataset], different: Mapping[str, Sequence[str]]) -> dict[str, dict[str, Any]]:
    return {
        one.name: {"questions": len(one.queries), "users": len(one.groups()), "different": different[one.name]}
        for one in chosen
    }


def _scale_table(measures: Sequence[scaling.Measure]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("recall, p50 / p95 in ms")
    for name in (f"first {scaling.FIRST}, no embedding", "later, no embedding", "later, embedding included"):
        table.add_column(name, justify="right")
    for one in measures:
        cells = (f"{q['p50_ms']:.1f} / {q['p95_ms']:.1f}" for q in (one.first, one.later, one.whole))
        table.add_row(one.what, *cells)
    return table


def _show_place(place: places.Place, found: Mapping[str, Mapping[str, Outcome]]) -> None:
    users = f"{len(place.said):,} users" if len(place.said) > 1 else "one user"
    out.print(Text(f"{place.name}: {place.records():,} messages of {users}, {len(place.asked)} questions"))
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("ms: p50 / p95 of a question", no_wrap=True)
    for name in (*(f"{name} (95 %)" for name in MEASURES), "no embedding", "with it", "writing"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, outcomes in found.items():
        table.add_row(name, *_cells(outcomes[place.name]))
    _wide().print(table)
    for name, outcomes in found.items():
        if (note := outcomes[place.name].note) and outcomes[place.name].settings:
            out.print(Text(f"{name}: {note}"))
    out.print()


def _wide() -> Console:
    """Cells that are cut off say nothing: a narrow terminal wraps the lines instead."""
    return Console(highlight=False, soft_wrap=True, width=max(out.width, _WIDTH))


def _cells(one: Outcome) -> list[str]:
    if not one.metrics:
        return ["not measured" if one.settings else "not available", *[""] * 4]
    shares = [f"{m['value']:.3f} ({m['low']:.3f}-{m['high']:.3f})" for m in one.metrics.values()]
    times = [f"{1000 * one.seconds['p50' + s]:.1f} / {1000 * one.seconds['p95' + s]:.1f}" for s in (" without", "")]
    return [*shares, *times, f"{one.write or 0:.1f} s"]
