"""Whatever people and programs do, memory is what the threads' heads and people's acts say, and the past stays."""

import pytest
from hypothesis import HealthCheck, example, given, settings

from tests.branches.actions import STEPS, Folders

ROME, BEIJING, TEA, NOTHING = "I live in Rome", "我住在北京", "I like tea", "嗯嗯"
# Each of these was a contradiction once.
KNOWN = (
    [("say", 0, ROME, None), ("copy", 0, 0), ("rollback", 0)],
    [("say", 0, ROME, None), ("say", 0, TEA, None), ("rerun", 7), ("rollback", 0)],
    [("say", 0, ROME, None), ("delete", 0, False), ("say", 1, TEA, None), ("copy", 1, 2)],
    [("say", 0, ROME, None), ("delete", 0, False), ("begin_by_update", 0, TEA)],
    [("say", 0, ROME, None), ("forget", 0), ("forget", 1), ("forget", 2), ("restore", 2, False)],
    [("say", 0, BEIJING, None), ("edit", 0, ROME, True), ("forget", 0), ("switch", 1)],
    [("say", 0, BEIJING, None), ("forget", 2), ("rerun", 3), ("copy", 0, 0), ("rerun", 3)],
    [("begin_by_update", 1, BEIJING), ("fork", 25, ROME, None), ("forget", 18)],
    [
        ("say", 0, ROME, "call_llm"),
        ("say", 0, ROME, "call_llm"),
        ("say", 0, ROME, None),
        ("forget", 0),
        ("rerun", 25),
    ],
    [("say", 0, ROME, "write_memory"), ("remember", 0, ROME), ("forget", 0), ("rerun", 0)],
    [
        ("say", 0, ROME, None),
        ("branch", 0, ROME, False),
        ("say", 0, ROME, None),
        ("edit", 1, ROME, True),
        ("rollback", 0),
    ],
    [("begin_by_update", 0, ROME), ("rollback", 0), ("copy", 0, 0), ("rerun", 23), ("resume", 0)],
)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    made = Folders(tmp_path_factory.mktemp("worlds"))
    yield made
    made.close()


def everything(max_examples, **options):
    # An example is a conversation: it takes its time, and that is no fault of it.
    quiet = (HealthCheck.too_slow, HealthCheck.data_too_large)
    return settings(max_examples=max_examples, deadline=None, suppress_health_check=quiet, print_blob=True, **options)


@pytest.mark.parametrize("steps", KNOWN)
def test_what_was_wrong_once(folders, steps):
    folders.play(steps)


# The same hundred each time, so that a change is judged by what it changed; the long run looks for new ones.
@everything(100, derandomize=True)
@example(
    [
        ("say", 0, NOTHING, None),
        ("say", 0, BEIJING, None),
        ("fork", 6, ROME, None),
        ("switch", 1),
        ("say", 0, TEA, None),
    ]
)
@example(
    [
        ("say", 0, BEIJING, None),
        ("say", 0, TEA, None),
        ("undo", 0, True),
        ("fork", 8, ROME, None),
        ("switch", 1),
        ("restore", 0, True),
    ]
)
@example(
    [
        ("say", 0, ROME, None),
        ("switch", 0),
        ("rerun", 4),
        ("rerun", 16),
        ("hold", 0),
        ("say", 0, ROME, None),
    ]
)
@example(
    [
        ("say", 0, "记住：以后回答都用文言文", None),
        ("fork", 2, ROME, None),
        ("by_hand", 0, True),
        ("rerun", 11),
        ("copy", 0, 0),
        ("sweep", 0),
        ("undo", 0, True),
    ]
)
@example([("say", 0, ROME, None), ("sweep", 0), ("copy", 0, 0), ("rerun", 17), ("hold", 1)])
@given(STEPS)
def test_memory_follows_whatever_is_done(folders, steps):
    folders.play(steps)


@pytest.mark.slow
@everything(5_000)
@given(STEPS)
def test_memory_follows_whatever_is_done_at_length(folders, steps):
    folders.play(steps)
