"""Word lists by first letter, gates before rules and patterns in two halves read what the plain patterns read."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from memory.extraction.pattern import Either, by_initial, gated, rule

WORDS = r"head of [a-z]+|head|heads? up|(?:big|small) cat|[bc]at|b?at|cat|c\.a|day|dad"
PLAIN, GROUPED = (re.compile(f"(?:{w})s?", re.IGNORECASE) for w in (WORDS, by_initial(WORDS)))
RULES = [
    rule(r"住在(?P<v>[一-龥]{2,4})"),
    rule(r"(?P<v>[A-Za-z一-龥]+?)(?P<w>了|吧)"),
    rule(r"(?:lives?|stays?) in (?P<v>(?-i:[A-Z])\w+)"),
] * 20


def test_words_by_initial_keep_the_order_within_a_letter():
    assert by_initial("tea|coffee|tee|(?:a|b)c|cocoa|s?o") == "t(?:ea|ee)|c(?:offee|ocoa)|(?:a|b)c|s?o"


@settings(deadline=None)
@given(st.text(alphabet="headofcatbigsmluy C.DS", max_size=12))
def test_words_by_initial_match_what_the_words_match(said):
    assert bool(GROUPED.fullmatch(said)) == bool(PLAIN.fullmatch(said))
    assert bool(GROUPED.search(said)) == bool(PLAIN.search(said))


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(["住在北京", "住在", "Lives in Rome", "lives in rome", "我 走了", "我走了", "走Le吧", "", "x"]))
def test_a_gate_is_open_where_a_rule_of_its_run_fits(said):
    runs = gated(RULES)
    assert [one for _, run in runs for one in run] == RULES
    for gate, run in runs:
        assert gate is not None
        assert bool(gate.fullmatch(said)) == any(one.pattern.fullmatch(said) for one in run)


def test_of_two_halves_the_match_that_begins_first_counts():
    either = Either("如果|要是$", r"\bif\b|^e\.g\.")
    found = [
        (m.start(), m[0]) if (m := either.search(said)) else None
        for said in ("If so 如果", "如果 if", "é If", "要是", "so")
    ]
    assert found == [(0, "If"), (0, "如果"), (2, "If"), (0, "要是"), None]
    assert either.search("要是 if", 1, 2) is None
    assert either.search("要是 if", 0, 2) is not None
