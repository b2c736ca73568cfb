from dataclasses import replace

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


def test_noisy_or_of_nothing_is_nothing():
    assert noisy_or([]) == 0.0


STATEMENTS = st.lists(
    st.tuples(st.sampled_from(["tea", "茶", "wine"]), st.sampled_from([1, -1]), st.integers(0, 4), st.booleans()),
    max_size=8,
)


def oracle(steps, single):
    """The slot as a plain dictionary, told step by step."""
    slot = {}
    for i, (value, polarity, _, asserts) in sorted(enumerate(steps), key=lambda s: (s[1][2], s[0])):
        if not asserts:
            slot.pop(value, None)
        elif slot.get(value, (None,))[0] == polarity:
            continue
        else:
            if single and polarity == 1:
                slot.clear()
            slot[value] = (polarity, f"r{i}")
    return {record for _, record in slot.values()}


@settings(max_examples=200, deadline=None)
@given(STATEMENTS, st.booleans(), st.randoms(use_true_random=False))
def test_the_fold_agrees_with_a_dictionary_in_whatever_order_statements_come(steps, single, random):
    statements = [
        said(f"r{i}", value, at, polarity=polarity, asserts=asserts, tie=(i, 0))
        for i, (value, polarity, at, asserts) in enumerate(steps)
    ]
    random.shuffle(statements)
    result = fold(statements, single=single)
    assert set(result.current) == oracle(steps, single)
    asserted = {s.record_id for s in statements if s.asserts}
    confirmed = {r for c in result.current.values() for r in c.said}
    assert asserted == confirmed | set(result.ended)
    assert not confirmed & set(result.ended)


def swept(records, at, standing="expired"):
    return Act("sweep", None, at, (at, -1), standing, frozenset(records))


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
