"""What the peers are told and asked."""

import pytest

from evals.datasets import Dataset, Item, Query
from evals.peers.places import one_user, whole
from stores.imports import ImportedMessage


def dataset(name, sizes):
    """A set with groups of so many items, each with a question for every item."""
    ids = [(group, f"{group}/{i}") for group, size in sizes.items() for i in range(size)]
    items = (Item(one, group, (ImportedMessage(one, f"{name} {one}", group),)) for group, one in ids)
    return Dataset(
        name, tuple(items), tuple(Query(f"q{one}", group, f"{one}?", "single", (one,)) for group, one in ids)
    )


def test_a_set_as_it_is_has_a_user_a_group():
    place = whole(dataset("set", {"a": 2, "b": 1}))
    assert {user: [m.message_id for m in said] for user, said in place.said.items()} == {
        "a": ["a/0", "a/1"],
        "b": ["b/0"],
    }
    assert [(asked.user_id, asked.gold) for asked in place.asked] == [("a", ("a/0",)), ("a", ("a/1",)), ("b", ("b/0",))]


@pytest.mark.parametrize(("records", "rest", "made_up"), [(2, 0, 0), (5, 0, 0), (7, 2, 0), (12, 5, 2)])
def test_one_user_has_the_same_questions_at_every_size(records, rest, made_up):
    place = one_user(dataset("set", {"a": 2, "b": 4, "c": 3}), [dataset("other", {"a": 1, "z": 1})], records, 3, room=5)
    (said,) = place.said.values()
    ids = [m.message_id for m in said]
    assert ids[rest + made_up :] == ["a/0", "a/1", "c/0", "c/1", "c/2"]
    assert [m.message_id for m in said[made_up : made_up + rest]] == [f"rest/{i}" for i in range(rest)]
    assert [m.text for m in said[made_up : made_up + rest]] == [
        "set b/0",
        "set b/1",
        "set b/2",
        "set b/3",
        "other z/0",
    ][:rest]
    assert all(one.startswith("made up/") for one in ids[:made_up])
    assert [asked.gold for asked in place.asked] == [("a/0",), ("c/0",), ("c/2",)]
    assert place.name == f"{max(5, records)} records"
