"""Import real conversations by the command, ask their questions in new threads through the graph, and count.

`python -m evals.real_input DIR` takes the sets of a folder in the form of `evals.datasets`. Unlike `bench retrieval`
every question is a turn, and so a memory in the way of the next one.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from evals import datasets
from graph import Agent, open_agent

_SIDES = ("/user", "/assistant")


def measure(folder: Path, name: str) -> dict[str, Any]:
    """H@10 and R@10 of a set's questions, and the seconds that the import took."""
    (chosen,) = datasets.choose(datasets.load(folder), [name])
    file = next(folder.glob(f"{name}_items.jsonl*"))
    with TemporaryDirectory() as data, open_agent(data) as agent:
        began = time.perf_counter()
        agent.memory.import_items(file, timezone="UTC")
        seconds = time.perf_counter() - began
        shares = list(_shares(agent, chosen))
    return {
        "set": name,
        "questions": len(shares),
        "import_seconds": round(seconds, 1),
        "H@10": round(sum(s > 0 for s in shares) / len(shares), 3),
        "R@10": round(sum(shares) / len(shares), 3),
    }


def _shares(agent: Agent, dataset: datasets.Dataset) -> Iterator[float]:
    """For each question, the share of its gold items that ten recalled memories come from."""
    for i, query in enumerate(dataset.queries):
        config: Any = {"configurable": {"thread_id": f"ask-{i}"}}
        given = {"messages": [("user", query.text)]}
        state = agent.graph.invoke(given, config, context={"user_id": query.group})
        found = {
            message_id.removesuffix(_SIDES[0]).removesuffix(_SIDES[1])
            for result in state["recalled"]["results"]
            for message_id in agent.memory.get(query.group, result["id"]).message_ids
        }
        yield len(found & set(query.gold)) / len(query.gold)


if __name__ == "__main__":
    for each in ("memorybank_zh", "memorybank_en", "locomo"):
        sys.stdout.write(f"{measure(Path(sys.argv[1]), each)}\n")
