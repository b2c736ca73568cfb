from datetime import UTC, datetime

import pytest

from memory.record import Interval, Memory
from stores.rows import index_value, memory_of, record_row

SAID = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)
WHOLE = Memory(
    id="a",
    user_id="alice",
    kind="fact",
    text="用户住在里斯本",
    subject="user",
    attribute="home",
    value="里斯本",
    said_at=SAID,
    expires_at=datetime(2027, 1, 1, tzinfo=UTC),
    message_ids=("m",),
    spans=((0, 4), (6, 9)),
    tags=("home",),
    near=("b", "c"),
    recorded_at=7,
)
BARE = Memory(id="a", user_id="alice", kind="episode", text="hello")


@pytest.mark.parametrize("memory", [WHOLE, BARE])
def test_a_record_comes_back_from_its_row_and_from_the_index(memory):
    assert memory_of(record_row(memory, "commit", 0)) == memory
    assert memory_of(index_value(memory, Interval(1), None)) == memory
    assert hash(memory_of(record_row(memory, "commit", 0))) == hash(memory)


def test_a_row_without_what_every_record_has_is_refused():
    with pytest.raises(KeyError, match="text"):
        memory_of({"id": "a", "user_id": "alice", "kind": "episode"})
