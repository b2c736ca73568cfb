from dataclasses import replace

import pytest

from memory.deciding import Hold, decide
from memory.record import Memory


def proposal(attribute, value, polarity=1, **more):
    return {
        "subject": "user",
        "attribute": attribute,
        "value": value,
        "polarity": polarity,
        "text": f"{attribute}={value}",
        "message_id": "m",
        **more,
    }


def fact(attribute, value, polarity=1):
    return Memory(
        id=f"old-{value}",
        user_id="u",
        kind="fact",
        text=f"{attribute}={value}",
        subject="user",
        attribute=attribute,
        value=value,
        polarity=polarity,
    )


def ops(proposals, *known):
    slots = {}
    for f in known:
        slots.setdefault((f.subject, f.attribute), []).append(f)
    return [(d.op, d.touches) for d in decide(proposals, slots)]


@pytest.mark.parametrize(
    ("new", "known", "op", "touches"),
    [
        (proposal("name", "张三"), (), "add", ()),
        (proposal("name", "张三"), (fact("name", "张三"),), "confirm", ("old-张三",)),
        (proposal("home", "Hangzhou"), (fact("home", "Shanghai"),), "supersede", ("old-Shanghai",)),
        (proposal("likes", "jazz"), (fact("likes", "tea"),), "add", ()),
        (proposal("likes", "川菜", -1), (fact("likes", "川菜"),), "supersede", ("old-川菜",)),
        (proposal("deadline", "10月16日"), (fact("deadline", "10月15日"),), "supersede", ("old-10月15日",)),
        (proposal("uses", "Vim", retract=True), (fact("uses", "vim"),), "retract", ("old-vim",)),
        (proposal("home", None, retract=True), (fact("home", "Shanghai"),), "forget", ("old-Shanghai",)),
        (
            proposal("likes", "tea", retract=True, forget=True),
            (fact("likes", "tea"), fact("likes", "jazz")),
            "forget",
            ("old-tea",),
        ),
        (proposal("uses", "Vim", retract=True), (), "retract", ()),
        (proposal("likes", "  "), (), "ignore", ()),
        (proposal("uses", "Emacs", replaces="vim"), (fact("uses", "Vim"),), "supersede", ("old-Vim",)),
        (
            proposal("uses", "Emacs", replaces="Vim"),
            (fact("uses", "Emacs"), fact("uses", "Vim")),
            "supersede",
            ("old-Vim",),
        ),
        (proposal("uses", "Emacs", replaces="Vim"), (), "add", ()),
        (proposal("likes", "茶", replaces="茶"), (fact("likes", "茶"),), "confirm", ("old-茶",)),
        (proposal("home", "Oslo", keep=True), (fact("home", "Oslo"),), "ignore", ("old-Oslo",)),
        (proposal("likes", "tea", confidence=0.2), (), "ignore", ()),
    ],
)
def test_one_proposal(new, known, op, touches):
    assert ops([new], *known) == [(op, touches)]


def test_a_batch_is_decided_in_order():
    batch = [proposal("home", "上海"), proposal("home", "杭州"), proposal("home", "杭州")]
    assert [op for op, _ in ops(batch)] == ["add", "supersede", "confirm"]


def test_every_decision_has_a_reason():
    (decision,) = decide([proposal("home", "杭州")], {("user", "home"): [fact("home", "上海")]})
    assert decision.reason == "takes the place of: home=上海"


def test_what_is_held_changes_nothing_and_the_rest_is_decided_without_it():
    order, again = Hold("It orders."), Hold("It orders.", waiting="held-杭州")
    batch = [proposal("home", "杭州"), proposal("home", "杭州"), proposal("home", "北京"), proposal("home", " ")]
    decisions = decide(batch, {("user", "home"): [fact("home", "上海")]}, [order, again, None, order])
    assert [(d.op, d.reason, d.touches, d.hold) for d in decisions] == [
        ("hold", "waits for a person. It orders.", (), order),
        ("confirm", "said again, and waits for a person. It orders.", ("held-杭州",), again),
        ("supersede", "takes the place of: home=上海", ("old-上海",), None),
        ("ignore", "it has no value", (), None),
    ]


@pytest.mark.parametrize(
    ("new", "reason"),
    [
        (proposal("likes", "tea"), "new (they say so)"),
        (proposal("home", "上海"), "said again (they say so)"),
        (proposal("home", "杭州"), "takes the place of: home=上海 (they say so)"),
        (proposal("home", "上海", retract=True), "no longer true: home=上海 (they say so)"),
        (proposal("home", "上海", keep=True), "stays as it is: home=上海 (they say so)"),
        (proposal("likes", "tea", confidence=0.1), "confidence below 0.3 (they say so)"),
    ],
)
def test_the_reason_that_came_with_a_proposal_stands_after_the_rule_s(new, reason):
    (decision,) = decide([{**new, "reason": "they say so"}], {("user", "home"): [fact("home", "上海")]})
    assert decision.reason == reason


def test_what_a_tool_says_stands_beside_what_a_person_said():
    said = {"subject": "order 7", **{k: v for k, v in proposal("status", "shipped").items() if k != "subject"}}
    known = replace(fact("status", "shipped", -1), subject="order 7")
    slot = {("order 7", "status"): [known]}
    (by_tool,) = decide([said], slot, speakers={"m": "tool"})
    assert (by_tool.op, by_tool.reason) == ("add", "kept beside what a person said, which stands: status=shipped")
    assert [d.op for d in decide([said], slot, speakers={"m": "user"})] == ["supersede"]
    assert [
        d.op for d in decide([said], {("order 7", "status"): [replace(known, speaker="tool")]}, speakers={"m": "tool"})
    ] == ["supersede"]
