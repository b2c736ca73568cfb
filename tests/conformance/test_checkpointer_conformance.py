"""LangGraph's own conformance suite for checkpointers, over ours: every capability, nothing skipped."""

from collections.abc import AsyncGenerator
from pathlib import Path

from langgraph.checkpoint.conformance import checkpointer_test, validate

from stores.checkpointer import SqliteCheckpointer


async def test_every_capability_passes_and_none_is_skipped(tmp_path: Path) -> None:
    files = iter(range(100))

    @checkpointer_test(name="SqliteCheckpointer")
    async def factory() -> AsyncGenerator[SqliteCheckpointer, None]:
        async with SqliteCheckpointer.open(tmp_path / f"{next(files)}.sqlite") as checkpointer:
            yield checkpointer

    report = await validate(factory)

    assert report.to_dict() == {
        "checkpointer_name": "SqliteCheckpointer",
        "conformance_level": "FULL",
        "results": {
            capability: {
                "detected": True,
                "passed": True,
                "tests_passed": passed,
                "tests_failed": 0,
                "tests_skipped": 0,
                "failures": [],
            }
            for capability, passed in {
                "put": 17,
                "put_writes": 10,
                "get_tuple": 10,
                "list": 16,
                "delete_thread": 5,
                "delete_for_runs": 7,
                "copy_thread": 8,
                "prune": 8,
            }.items()
        },
    }
