"""JSON out of whatever a model replied: forgiving, and in bounded work."""

import json

import pytest

from memory.extraction.reading import MAX_REPLY, items_in

PEANUT, TEA = {"attribute": "a", "value": "花生"}, {"attribute": "b", "value": "茶"}
ONE, TWO = json.dumps({"facts": [PEANUT]}), json.dumps({"facts": [PEANUT, TEA]}, ensure_ascii=False)
TAGGED = {"attribute": "uses", "value": "the <think> tag</think>"}

REPLIES = [
    # whole
    (ONE, [PEANUT]),
    (json.dumps({"facts": [PEANUT]}, indent=2), [PEANUT]),
    ('{"facts":[]}', []),
    ('{"facts": null}', []),
    ('{"facts": {"attribute": "a", "value": "花生"}}', [PEANUT]),
    ("[]", []),
    (json.dumps([PEANUT, TEA]), [PEANUT, TEA]),
    (json.dumps(PEANUT), [PEANUT]),
    ('{"facts": ["a"]}', ["a"]),
    ('{"action": "add"}', [{"action": "add"}]),
    ('{"notes": "none", "facts": []}', []),
    ('{"name": "remember_facts", "arguments": ' + ONE + "}", [PEANUT]),
    # fences and prose
    ("```json\n" + ONE + "\n```", [PEANUT]),
    ("```\n" + ONE + "\n```", [PEANUT]),
    ("```JSON " + ONE, [PEANUT]),
    ("Here are the facts:\n```json\n" + ONE + "\n```\nAnything else?", [PEANUT]),
    ("好的，以下是事实：" + ONE + "。还有别的吗？", [PEANUT]),
    ('He said "hi, {name}" and [later]: ' + ONE, [PEANUT]),
    ("There is nothing to keep: {}. So: []", []),
    # reasoning
    ('<think>maybe {"draft":1}</think>{"facts":["a"]}', ["a"]),
    ("<think>first " + TWO + " hm</think>\n\n" + ONE, [PEANUT]),
    ('<think>a broken {"facts": [ draft</think>' + ONE, [PEANUT]),
    ("<THINKING>想一想</THINKING>" + ONE, [PEANUT]),
    ("<think>one</think><think>two " + TWO + "</think>" + ONE, [PEANUT]),
    ("the template opened the tag. " + TWO + " </think> " + ONE, [PEANUT]),
    ("<think>the person wrote </think> there. " + TWO + "</think>" + ONE, [PEANUT]),
    ("<think>and then it was cut off " + TWO, None),
    (json.dumps({"facts": [TAGGED]}), [TAGGED]),
    ("Sure: " + json.dumps({"facts": [TAGGED]}), [TAGGED]),
    ("<think>hm</think>" + json.dumps({"facts": [TAGGED]}), [TAGGED]),
    (ONE + "<think>was that right? " + "</think>", [PEANUT]),
    # several
    (ONE + "\n" + json.dumps({"facts": [TEA]}), [PEANUT, TEA]),
    (json.dumps(PEANUT) + "\n" + json.dumps(TEA), [PEANUT, TEA]),
    (json.dumps(PEANUT) + ", " + json.dumps(TEA), [PEANUT, TEA]),
    # broken
    ('{"facts": [{"attribute": "a", "value": "花生"},]}', [PEANUT]),
    ('{"facts": [{"attribute": "a", "value": "花生",},],}', [PEANUT]),
    ('{"facts": [{"attribute": "a", "value": "x,]"},]}', [{"attribute": "a", "value": "x,]"}]),
    (TWO[:-2], [PEANUT, TEA]),
    (TWO[:-1], [PEANUT, TEA]),
    (TWO[:-8], [PEANUT]),
    (TWO[:40], None),
    ('{"facts": [', None),
    ('{"facts": ["one", "two", "thr', ["one", "two"]),
    ('{"facts": [{"attribute": "a", "value": "a "bad" quote"}, ' + json.dumps(TEA) + "]}", [TEA]),
    ('{"facts": [' + json.dumps(PEANUT) + " " + json.dumps(TEA) + "]}", [PEANUT, TEA]),
    ('{"facts": [{"attribute": "a", "value": "two\nlines"}]}', [{"attribute": "a", "value": "two\nlines"}]),
    ('{"facts": [{"attribute": "n", "value": 007}, ' + json.dumps(TEA) + "]}", [TEA]),
    ('{"facts": [{"attribute": "n", "value": 1.50}]}', [{"attribute": "n", "value": "1.50"}]),
    ('{"facts": [{"attribute": "n", "value": NaN}]}', [{"attribute": "n", "value": None}]),
    # nothing there
    ("", None),
    ("I could not find any facts.", None),
    ("没有可以记住的事实。", None),
    ("null", None),
    ('"facts"', None),
    ("{}", None),
    ('{"answer": 42}', None),
    ("[1, 2, 3]", None),
    ("{" * 5000, None),
    ("[" * 5000, None),
    ('{"a":' * 5000, None),
]


@pytest.mark.parametrize(("text", "items"), REPLIES)
def test_items_of_a_reply(text, items):
    assert items_in(text)[0] == items


HOSTILE = [
    "{",
    "[",
    '{"a":',
    '{"facts":[',
    '\\"{',
    '{"\\"',
    '{"a":,},',
    "<think>",
    "</think>",
    '"',
    ", ]",
    '{"facts":["x",',
]


@pytest.mark.parametrize("head", ["", '{"facts":[{"a":"', "<think>"])
@pytest.mark.parametrize("piece", HOSTILE)
def test_a_megabyte_of_anything_is_read_in_bounded_work(piece, head, monkeypatch):
    looked_at = []
    decoded = items_in.__globals__["_decoded"]

    def counting(text, start):
        end, value, spent = decoded(text, start)
        looked_at.append(spent)
        return end, value, spent

    monkeypatch.setitem(items_in.__globals__, "_decoded", counting)
    items_in(head + piece * (1_000_000 // len(piece)))
    assert sum(looked_at) <= 11_000_000
    assert len(looked_at) <= MAX_REPLY // 3
