"""A skill is read from YAML; whatever else the text is, the error says the line, what is wrong and what is expected."""

import textwrap

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.skills import MOST_CHARS, Problem, Skill, SkillError, parse_skill, unique

REFUND = """
# What to do when someone wants money back.
id: refund
description: Handle a refund.
trigger:
  words: [refund, 退款, refund]
  examples:
    - I want my money back
    - 这个订单能退吗
steps:
  - Find the order.
  - >-
    Say what will happen,
    and when.
tools: [find_order]
safety_checks:
  - 超过 500 元先请主管确认
"""


def problems(text):
    with pytest.raises(SkillError) as raised:
        parse_skill(textwrap.dedent(text).lstrip("\n"), "a.yaml")
    return str(raised.value).split("\n")


def test_a_skill_is_read_whole():
    assert parse_skill(REFUND, "refund.yaml") == Skill(
        id="refund",
        description="Handle a refund.",
        words=("refund", "退款"),
        examples=("I want my money back", "这个订单能退吗"),
        steps=("Find the order.", "Say what will happen, and when."),
        tools=("find_order",),
        safety_checks=("超过 500 元先请主管确认",),
        file="refund.yaml",
        line=3,
    )


def test_tools_safety_checks_and_either_kind_of_trigger_may_be_left_out():
    least = "id: 退款\ndescription: 退款\ntrigger: {words: [退款]}\nsteps: [查订单]"
    assert parse_skill(least, "a") == Skill("退款", "退款", ("退款",), (), ("查订单",), file="a")
    other = "id: a.b-c_1\ndescription: d\ntrigger: {examples: [money back], words: []}\nsteps: [s]\ntools: []"
    assert parse_skill(other, "a") == Skill("a.b-c_1", "d", (), ("money back",), ("s",), file="a")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ["a.yaml:1: the file is empty; expected id, description, trigger, steps"]),
        ("# only a note\n", ["a.yaml:1: the file is empty; expected id, description, trigger, steps"]),
        ("\n- id: x\n", ["a.yaml:1: expected a skill (id, description, trigger, steps), found a list"]),
        ("hello", ["a.yaml:1: expected a skill (id, description, trigger, steps), found the text 'hello'"]),
        (
            "id: x\n",
            [
                "a.yaml:1: 'description' is missing; expected a text: what the skill is for",
                "a.yaml:1: 'trigger' is missing; expected a mapping with words, or examples, or both",
                "a.yaml:1: 'steps' is missing; expected a list of texts, at least one: what to do, in order",
            ],
        ),
    ],
)
def test_what_is_no_skill_at_all(text, said):
    assert problems(text) == said


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("steps:", "step:", "a.yaml:10: 'step' is nothing that a skill has; did you mean 'steps'?"),
        (
            "tools: [find_order]",
            "colour: red",
            (
                "a.yaml:15: 'colour' is nothing that a skill has; expected one of id, description, trigger, steps, tools, "
                "safety_checks"
            ),
        ),
        ("  words:", "  word:", "a.yaml:6: 'word' is nothing that a skill has; did you mean 'words'?"),
        ("tools: [find_order]", "id: other", "a.yaml:15: 'id' is there twice, in line 3 too; expected it once"),
        ("id: refund", "id: 12", "a.yaml:3: 'id': expected a text, found the number 12; put it in quotes"),
        (
            "id: refund",
            "id: my refund",
            "a.yaml:3: 'id': expected a name of up to 64 letters, digits, '-', '_' and '.', found 'my refund'",
        ),
        ("Handle a refund.", "'  '", "a.yaml:4: 'description': expected a text, found a blank one"),
        ("Handle a refund.", "", "a.yaml:4: 'description': expected a text, found nothing"),
        (
            "- Find the order.",
            "- Ask: which order?",
            "a.yaml:11: 'steps': expected a text, found a mapping; a text with ': ' in it needs quotes",
        ),
        (
            "- Find the order.",
            "- yes",
            "a.yaml:11: 'steps': expected a text, found the yes-or-no value yes; put it in quotes",
        ),
        (
            "- Find the order.",
            "- 2026-01-01",
            "a.yaml:11: 'steps': expected a text, found the date 2026-01-01; put it in quotes",
        ),
        (
            "tools: [find_order]",
            "tools: find_order",
            "a.yaml:15: 'tools': expected a list of texts ('- ...' lines), found the text 'find_order'",
        ),
        ("退款, ", "'?!', ", "a.yaml:6: the trigger word '?!' has no letter and no digit to be found by"),
        ("退款, ", "x" * 81 + ", ", "a.yaml:6: a trigger word has at most 80 characters; put it in examples"),
        (
            "Handle a refund.",
            "!!python/name:os.system x",
            "a.yaml:4: 'description': expected a text, found a 'x' with a tag",
        ),
    ],
)
def test_each_slip_is_said_with_its_line(old, new, said):
    assert REFUND.count(old) == 1
    with pytest.raises(SkillError) as raised:
        parse_skill(REFUND.replace(old, new), "a.yaml")
    assert said in str(raised.value).split("\n")


def test_all_that_is_wrong_is_said_at_once_by_line():
    text = """
        id: 5
        description: d
        trigger: refund
        steps: []
    """
    assert problems(text) == [
        "a.yaml:1: 'id': expected a text, found the number 5; put it in quotes",
        "a.yaml:3: 'trigger': expected a mapping with words, or examples, or both, found the text 'refund'",
        "a.yaml:4: 'steps' is empty; expected a list of texts, at least one: what to do, in order",
    ]


def test_a_trigger_with_nothing_in_it_finds_nothing():
    said = problems("id: a\ndescription: d\ntrigger: {words: [], examples: []}\nsteps: [s]")
    assert said == ["a.yaml:3: 'trigger' has nothing to be found by; expected words, or examples, or both"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("id: a\nsteps: [one\n", 3),
        ("id: a\n\tsteps: x\n", 2),
        ("id: a\n---\nid: b\n", 2),
        ("id: a\nb: \x07\n", 2),
        ('id: "\\UFFFFFFFF"', 1),
        ("%YAML 1." + "1" * 5000 + "\n--- a", 1),
        ("[" * 5000, 1),
        ("id: *nobody", 1),
        ("#" * (MOST_CHARS + 1), 1),
    ],
)
def test_what_is_not_yaml_has_a_line_too(text, line):
    with pytest.raises(SkillError) as raised:
        parse_skill(text, "a.yaml")
    assert [(p.file, p.line) for p in raised.value.problems] == [("a.yaml", line)]


def test_a_value_that_holds_itself_ends_in_an_error_not_in_a_loop():
    assert "expected a text, found a list" in problems("id: &me [*me]\nsteps: *me")[-1]


PIECES = st.sampled_from(
    ["id", "description", "trigger", "words", "steps", ": ", "- ", "\n", "  ", "[", "]", "{", "}", ", ", "'", '"', "&a ",
     "*a", "|", ">", "#", "!!int ", "?", "%", "---", "退款", "\\u", "\\x00", "\ud800", "\x00", "\t", "5", "yes", "~"]
)  # fmt: skip


def wrong_with(text):
    """The problems of a text that is no skill; none for one that is."""
    try:
        parse_skill(text, "a.yaml")
    except SkillError as error:
        return error.problems
    return None


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.text(), st.lists(PIECES, max_size=40).map("".join)))
def test_any_text_is_a_skill_or_has_problems_in_its_lines(text):
    problems = wrong_with(text)
    lines = 1 + sum(text.count(end) for end in "\n\r\x85\u2028\u2029")
    assert problems is None or (problems and all(1 <= p.line <= lines + 1 and p.text for p in problems))


TREES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=8), st.dates()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["id", "description", "trigger", "words", "examples", "steps", "tools"]), inner
        ),
    ),
    max_leaves=12,
)


@settings(max_examples=100, deadline=None)
@given(TREES)
def test_any_yaml_is_a_skill_or_has_problems(tree):
    assert wrong_with(yaml.safe_dump(tree, allow_unicode=True)) != ()


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Zs", "Zl", "Zp"]), min_size=1, max_size=20)


@settings(max_examples=100, deadline=None)
@given(st.lists(TEXT, min_size=1, max_size=4, unique=True), st.lists(TEXT, max_size=3, unique=True))
def test_what_is_written_as_yaml_is_read_as_it_was(steps, checks):
    written = {"id": "a", "description": "d", "trigger": {"examples": steps}, "steps": steps, "safety_checks": checks}
    read = parse_skill(yaml.safe_dump(written, allow_unicode=True), "a.yaml")
    assert read == Skill("a", "d", (), tuple(steps), tuple(steps), (), tuple(checks), "a.yaml", read.line)


def test_an_id_belongs_to_the_first_file_that_has_it():
    a, b, c = (parse_skill(REFUND.replace("refund", name, 1), f"{file}.yaml") for name, file in
               (("refund", "a"), ("other", "b"), ("refund", "c")))  # fmt: skip
    kept, twice = unique([a, b, c])
    assert kept == (a, b)
    assert twice == (
        Problem("c.yaml", 3, "the id 'refund' is used in a.yaml:3 already; expected one of its own"),
    )  # fmt: skip
