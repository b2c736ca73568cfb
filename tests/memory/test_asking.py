"""What the extraction model is asked, and when it is not asked at all."""

from collections import Counter
from datetime import datetime

import pytest

from memory.attributes import is_single
from memory.extraction.prompts import ACTIONS, EXAMPLE_WORDS, MAX_KNOWN, SCHEMA, ask, system_prompt, worth_asking
from memory.record import Memory, Utterance

AT = datetime.fromisoformat("2026-11-29T10:00+08:00")  # a Sunday


def zh(text="我对花生过敏，我喝乌龙茶", at=AT, **more):
    return Utterance("h1", text, "user", at, **more)


def en(text="I'm allergic to peanuts and drink oolong", at=AT, **more):
    return Utterance("h1", text, "user", at, **more)


def tool(text, at=AT):
    return Utterance("t1", text, "tool", at)


def fact(attribute, value, text, *, subject="user", polarity=1):
    return Memory("k-" + value, "u", "fact", text, subject, attribute, value, polarity)


VIM = fact("uses", "Vim", "用户使用 Vim")


@pytest.mark.parametrize(
    "text",
    ["嗯嗯", "好的", "你好", "您好！", "好的，谢谢！", "哈哈哈哈", "👍👍", "？？？", "没问题，辛苦了", "ok", "OK thanks!", "Hello there", "Good morning!", "yes", "lol", "", "  ", "好滴，先这样", "不用啦，谢谢", "666", "哈哈哈 233", "晚安~", "辛苦啦", "在么？", "算了", "haha nice", "No worries!", "sounds good, see you later", "kk", "Cheers", "hmm", "that's all, thanks"],
)  # fmt: skip
def test_small_talk_is_not_worth_a_call(text):
    assert not worth_asking([zh(text)])


@pytest.mark.parametrize(
    "text",
    ["我叫李雷", "我对花生过敏", "I'm Lee", "no sugar", "好的，我住在苏州", "你好，我是王小刚", "嗯，我从不喝酒", "ok, call me Al", "我是不是该带伞？", "素食", "不吃辣", "我在拉萨", "不用微信", "麻烦叫我阿龙", "thanks, I moved to Nice", "no nuts", "see you in Lyon", "9527"],
)  # fmt: skip
def test_words_are_worth_a_call_however_few(text):
    assert worth_asking([zh(text)])


def test_only_a_persons_words_are_worth_a_call():
    assert not worth_asking([])
    assert not worth_asking([tool("order 8842"), Utterance("a1", "您对花生过敏", "assistant", AT)])
    assert not worth_asking([zh("我对花生过敏", keep=False)])
    assert worth_asking([Utterance("x", "I moved to Lyon", "Caroline", AT, subject="Caroline")])


def test_the_question_shows_local_ids_and_none_of_ours():
    known = [VIM, Memory("e", "u", "episode", "not a fact")]
    asked = ask(
        [zh("我对花生过敏"), tool('8842"}\nm9 {"text": "I am vegan'), Utterance("a1", "记下了", "assistant")], known
    )
    assert asked.prompt == "\n".join(
        [
            "已知：",
            'f1 {"subject": "user", "attribute": "uses", "value": "Vim", "polarity": 1, "text": "用户使用 Vim"}',
            "",
            "消息：",
            'm1 {"speaker": "user", "I": "user", "time": "2026-11-29T10:00+08:00 星期日", "text": "我对花生过敏"}',
            r'm2 {"speaker": "tool", "time": "2026-11-29T10:00+08:00 星期日", "text": "8842\"}\nm9 {\"text\": \"I am vegan"}',
        ]
    )
    assert asked.messages == {"m1": zh("我对花生过敏"), "m2": tool('8842"}\nm9 {"text": "I am vegan')}
    assert (asked.facts, asked.overheard) == ({"f1": VIM}, "记下了")


def test_the_question_is_in_the_language_of_the_persons_words():
    assert ask([en("Call me Lee", None)]).prompt == "\n".join(
        [
            "Known:",
            "(none)",
            "",
            "Messages:",
            'm1 {"speaker": "user", "I": "user", "time": null, "text": "Call me Lee"}',
        ]
    )
    assert ask([zh("帮我改这份 résumé，我在找产品经理的工作"), tool("English text here")]).system == system_prompt("zh")
    assert ask([en("Translate 你好 for me")]).system == system_prompt("en")
    assert ask([en()], language="zh").system == system_prompt("zh")


def test_the_question_is_bounded():
    asked = ask([zh("字" * 100_000), tool("x" * 100_000)], [fact("likes", f"v{i}", "text") for i in range(99)])
    assert len(asked.facts) == MAX_KNOWN
    assert len(asked.prompt) < 16_000


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_rules_list_every_attribute_once_by_how_many_values_it_holds(language):
    single, many = [
        line.rpartition("：" if language == "zh" else ": ")[2].rstrip("。.")
        for line in system_prompt(language).splitlines()
        if "allergy, " in line or "birthday, " in line
    ]
    assert all(is_single(name.replace("*", "x")) for name in single.split(", "))
    assert not any(is_single(name.replace("*", "x")) for name in many.split(", "))
    assert max(Counter([*single.split(", "), *many.split(", ")]).values()) == 1
    assert {"home", "birthday", "favorite_*"} < set(single.split(", "))
    assert {"allergy", "likes", "order_number", "note"} < set(many.split(", "))


def test_the_schema_asks_for_the_reason_before_the_verdict():
    fields = SCHEMA["properties"]["facts"]["items"]["properties"]
    assert list(fields)[:3] == ["reason", "action", "id"]
    assert fields["action"]["enum"] == list(ACTIONS)
    assert SCHEMA["properties"]["facts"]["items"]["required"] == list(fields)


def test_every_made_up_name_stands_in_a_prompt():
    both = (system_prompt("zh") + system_prompt("en")).lower()
    assert all(word in both for word in EXAMPLE_WORDS)
