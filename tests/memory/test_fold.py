from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.fold import Act, Current, Ended, fold, noisy_or
from memory.record import Statement


def said(record_id: str, value: str | None, at: int, **changes) -> Statement:
    base = Statement(record_id, "likes", value, 1, at, (at, 0), confidence=0.6)
    return replace(base, **changes)


def test_a_new_value_takes_the_place_of_the_old_in_a_single_valued_slot():
    result = fold([said("a", "上海", 1), said("b", "杭州", 2)], single=True)
    assert dict(result.current) == {"b": Current("b", 0.6, 1, ("b",))}
    assert dict(result.ended) == {"a": Ended("superseded", "b")}


def test_values_accumulate_in_a_many_valued_slot():
    result = fold([said("a", "tea", 1), said("b", "jazz", 2)], single=False)
    assert list(result.current) == ["a", "b"]
    assert dict(result.ended) == {}


def test_the_opposite_polarity_of_the_same_value_takes_its_place():
    result = fold([said("a", "川菜", 1), said("b", "川菜", 2, polarity=-1)], single=False)
    assert list(result.current) == ["b"]
    assert dict(result.ended) == {"a": Ended("superseded", "b")}


def test_said_again_is_a_confirmation_that_never_lowers_confidence():
    result = fold(
        [said("a", "张三", 1, confidence=0.9), *(said(f"b{i}", "张三", i, confidence=0.6) for i in (2, 3, 4))],
        single=True,
    )
    assert dict(result.current) == {"a": Current("a", 0.9936, 4, ("a", "b2", "b3", "b4"))}


def test_when_the_first_record_is_gone_a_confirmation_stands_for_it():
    assert list(fold([said("b", "张三", 2)], single=True).current) == ["b"]


def test_a_retraction_ends_its_value_and_puts_nothing_in_its_place():
    result = fold([said("a", "Vim", 1), said("b", "Emacs", 2), said("c", "vim", 3, asserts=False)], single=False)
    assert list(result.current) == ["b"]
    assert dict(result.ended) == {"a": Ended("retracted", "c")}


def test_a_retraction_without_a_value_ends_the_slot():
    result = fold([said("a", "x", 1), said("b", "y", 2), said("c", None, 3, asserts=False)], single=False)
    assert dict(result.current) == {}


def test_forgetting_does_not_bring_back_what_was_superseded():
    result = fold([said("a", "上海", 1), said("b", "杭州", 2)], [Act("e", "杭州", 3, (3, -1))], single=True)
    assert dict(result.current) == {}
    assert dict(result.ended) == {"a": Ended("superseded", "b"), "b": Ended("retracted", "e")}


def test_what_is_said_after_it_was_forgotten_counts_again():
    result = fold([said("a", "tea", 1), said("b", "tea", 3)], [Act("e", "tea", 2, (2, -1))], single=False)
    assert list(result.current) == ["b"]


def test_the_order_is_when_it_was_said_not_when_it_was_recorded():
    late_import = said("old", "北京", 1, tie=(99, 0))
    assert list(fold([said("new", "上海", 5, tie=(5, 0)), late_import], single=True).current) == ["new"]


def held(event_id, value, at, polarity=1):
    return Act(event_id, value, at, (at, -1), "held", polarity)


def released(value, at, polarity=1):
    return Act(f"release {at}", value, at, (at, -1), "current", polarity)


def rejected(event_id, value, at, polarity=1):
    return Act(event_id, value, at, (at, -1), "retracted", polarity, waiting=True)


TEA = ("tea", 1)


def test_what_the_guard_holds_changes_nothing_until_it_is_released_and_counts_where_it_was_said_then():
    statements = [said("a", "上海", 1), said("b", "杭州", 2, held=True), said("c", "杭州", 4, held=True)]
    waits = fold(statements, single=True)
    assert list(waits.current) == ["a"]
    assert dict(waits.ended) == {"b": Ended("held", "b"), "c": Ended("held", "c")}
    assert dict(waits.held) == {("杭州", 1): "b"}
    counts = fold(statements, [released("杭州", 9)], single=True)
    assert dict(counts.current) == {"b": Current("b", 0.84, 2, ("b", "c"))}
    assert (dict(counts.held), counts.released) == ({}, {("杭州", 1)})
    later = fold([*statements, said("d", "北京", 3)], [released("杭州", 9)], single=True)
    assert (list(later.current), dict(later.ended)["b"]) == (["c"], Ended("superseded", "d"))


def test_a_person_holds_a_value_whatever_says_so_until_the_hold_is_taken_back():
    statements = [said("a", "tea", 1), said("b", "tea", 2), said("c", "tea", 5), said("d", "jazz", 6)]
    result = fold(statements, [held("e", "tea", 3)], single=False)
    assert list(result.current) == ["d"]
    assert dict(result.ended) == dict.fromkeys("abc", Ended("held", "e"))
    assert (dict(result.held), dict(result.holds)) == ({TEA: "a"}, {TEA: "e"})
    assert list(fold(statements, single=False).current) == ["a", "d"]


def test_a_hold_is_on_one_polarity_and_brings_back_nothing():
    statements = [said("a", "上海", 1), said("b", "杭州", 2), said("c", "杭州", 4, polarity=-1)]
    result = fold(statements, [held("e", "杭州", 3)], single=True)
    assert list(result.current) == ["c"]
    assert dict(result.ended) == {"a": Ended("superseded", "b"), "b": Ended("held", "e")}


def test_a_rejection_ends_what_waits_and_nothing_that_counts():
    statements = [said("a", "tea", 1), said("b", "tea", 2, held=True), said("c", "tea", 5, held=True)]
    result = fold(statements, [rejected("e", "tea", 3)], single=False)
    assert list(result.current) == ["a"]
    assert dict(result.ended) == {"b": Ended("retracted", "e"), "c": Ended("held", "c")}


def test_what_a_person_rejects_or_forgets_is_held_no_more():
    for end in (rejected("e", "tea", 3), Act("e", "tea", 3, (3, -1))):
        result = fold([said("a", "tea", 1), said("b", "tea", 5)], [held("h", "tea", 2), end], single=False)
        assert (list(result.current), dict(result.ended)) == (["b"], {"a": Ended("retracted", "e")})


def test_a_correction_that_waits_ends_nothing_yet():
    statements = [said("a", "上海", 1), said("b", "杭州", 3, held=True)]
    act = Act("e", "上海", 3, (3, -1), "superseded", record_id="b")
    assert list(fold(statements, [act], single=False).current) == ["a"]
    after = fold(statements, [act, released("杭州", 4)], single=False)
    assert (list(after.current), dict(after.ended)) == (["b"], {"a": Ended("superseded", "e")})


def test_a_fact_taken_back_while_it_waits_is_not_brought_back_by_its_release():
    statements = [said("a", "tea", 1, held=True), said("b", "tea", 2, asserts=False)]
    assert dict(fold(statements, single=False).ended) == {"a": Ended("held", "a")}
    assert dict(fold(statements, [released("tea", 3)], single=False).ended) == {"a": Ended("retracted", "b")}


def test_a_value_may_name_the_one_of_many_whose_place_it_takes():
    result = fold(
        [said("a", "Vim", 1), said("b", "Helix", 2), said("c", "Emacs", 3, replaces="vim"), said("d", "Emacs", 4)],
        single=False,
    )
    assert {r: c.said for r, c in result.current.items()} == {"b": ("b",), "c": ("c", "d")}
    assert dict(result.ended) == {"a": Ended("superseded", "c")}


def test_a_confirmation_may_take_the_place_of_another_value():
    result = fold([said("a", "Vim", 1), said("b", "Emacs", 2), said("c", "Emacs", 3, replaces="Vim")], single=False)
    assert {r: c.said for r, c in result.current.items()} == {"b": ("b", "c")}
    assert dict(result.ended) == {"a": Ended("superseded", "c")}


def test_without_the_statement_that_replaced_it_a_value_stands():
    statements = [said("a", "Vim", 1), said("c", "Emacs", 3, replaces="Vim")]
    assert list(fold(statements[:1], single=False).current) == ["a"]
    assert list(fold(statements, single=False).current) == ["c"]


@pytest.mark.parametrize("single", [True, False])
def test_what_a_tool_says_takes_no_place_of_what_a_person_said(single):
    person, tool = said("a", "shipped", 1), said("b", "shipped", 2, polarity=-1, speaker="tool")
    assert list(fold([person, tool], single=single).current) == ["a"]
    assert dict(fold([person, tool], single=single).ended) == {"b": Ended("superseded", "a")}
    gone = said("c", "shipped", 3, asserts=False, speaker="tool")
    assert list(fold([person, gone], single=single).current) == ["a"]
    # Without the person's statement, or before it, the tool's counts.
    assert list(fold([tool], single=single).current) == ["b"]
    assert list(fold([tool, replace(person, at=3, tie=(3, 0))], single=single).current) == ["a"]


def test_a_tool_may_confirm_a_person_and_be_confirmed_by_one():
    person, tool, other = said("a", "Oslo", 2), said("b", "Oslo", 1, speaker="tool"), said("c", "Bergen", 3)
    again = fold([person, tool], single=True)
    assert {r: c.said for r, c in again.current.items()} == {"b": ("b", "a")}
    assert list(fold([person, tool, replace(other, speaker="tool")], single=True).current) == ["b"]
    assert list(fold([tool, replace(other, speaker="tool")], single=True).current) == ["c"]


def test_noisy_or_of_nothing_is_nothing():
    assert noisy_or([]) == 0.0


VALUES = ["tea", "茶", "wine"]
STATEMENTS = st.lists(
    st.tuples(
        st.sampled_from(VALUES),
        st.sampled_from([1, -1]),
        st.integers(0, 4),
        st.booleans(),
        st.sampled_from([None, None, *VALUES]),
        st.sampled_from(["user", "user", "tool"]),
    ),
    max_size=8,
)


def oracle(steps, single):
    """The slot as a plain dictionary, told step by step."""
    slot = {}
    for i, (value, polarity, _, asserts, replaces, speaker) in sorted(enumerate(steps), key=lambda s: (s[1][2], s[0])):
        a_person = speaker == "user"
        again = asserts and slot.get(value, (None,))[0] == polarity
        gone = {value} & slot.keys() if not again else set()
        if asserts and replaces != value:
            gone |= {replaces} & slot.keys()
        if asserts and single and polarity == 1 and not again:
            gone = set(slot)
        outranked = not a_person and any(slot[v][2] for v in gone)
        if not outranked:
            for v in gone:
                del slot[v]
        if again:
            slot[value] = (*slot[value][:2], slot[value][2] or a_person)
        elif asserts and not outranked:
            slot[value] = (polarity, f"r{i}", a_person)
    return {record for _, record, _ in slot.values()}


@settings(max_examples=300, deadline=None)
@given(STATEMENTS, st.booleans(), st.randoms(use_true_random=False))
def test_the_fold_agrees_with_a_dictionary_in_whatever_order_statements_come(steps, single, random):
    statements = [
        said(f"r{i}", value, at, polarity=polarity, asserts=asserts, tie=(i, 0), replaces=replaces, speaker=speaker)
        for i, (value, polarity, at, asserts, replaces, speaker) in enumerate(steps)
    ]
    random.shuffle(statements)
    result = fold(statements, single=single)
    assert set(result.current) == oracle(steps, single)
    asserted = {s.record_id for s in statements if s.asserts}
    confirmed = {r for c in result.current.values() for r in c.said}
    assert asserted == confirmed | set(result.ended)
    assert not confirmed & set(result.ended)


def swept(records, at, standing="expired"):
    return Act("sweep", None, at, (at, -1), standing, records=frozenset(records))


def test_a_sweep_ends_what_its_records_said_and_brings_nothing_back():
    result = fold([said("a", "上海", 1), said("b", "杭州", 2)], [swept(["b"], 3)], single=True)
    assert dict(result.current) == {}
    assert dict(result.ended) == {"a": Ended("superseded", "b"), "b": Ended("expired", "sweep")}


def test_what_a_sweep_did_not_know_of_goes_on_saying_it():
    result = fold(
        [said("a", "tea", 1), said("imported", "tea", 2), said("c", "tea", 9)], [swept(["a"], 3)], single=False
    )
    assert dict(result.current) == {"imported": Current("imported", 0.84, 2, ("imported", "c"))}
    assert dict(result.ended) == {"a": Ended("expired", "sweep")}


def test_what_is_said_again_after_a_sweep_is_current():
    result = fold([said("a", "tea", 1), said("b", "tea", 4)], [swept(["a"], 3)], single=False)
    assert list(result.current) == ["b"]


def test_a_sweep_ends_nothing_that_waits_and_lets_nothing_go():
    order = Statement("order", "likes", "tea", 1, 2, (2, 0), held=True)
    both = [said("a", "tea", 1), order]
    result = fold(both, [swept(["a", "order"], 3)], single=False)
    assert (dict(result.current), dict(result.held)) == ({}, {("tea", 1): "order"})
    assert dict(result.ended) == {"a": Ended("expired", "sweep"), "order": Ended("held", "order")}
    by_hand = Act("hold", "tea", 4, (4, -1), "held", 1)
    result = fold([*both, said("b", "tea", 5)], [by_hand, swept(["b"], 6)], single=False)
    assert (dict(result.current), dict(result.holds)) == ({}, {("tea", 1): "hold"})
    assert {how for r, how in result.ended.items() if r != "order"} == {Ended("held", "hold")}
