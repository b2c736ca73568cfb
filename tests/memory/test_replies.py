"""What is read out of a model's reply, and what is never kept."""

import json
import re
from collections import Counter
from datetime import datetime

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from memory.attributes import is_single
from memory.extraction.prompts import EXAMPLE_WORDS, ask, system_prompt, wording
from memory.extraction.reading import items_in
from memory.extraction.replies import TOOL_CONFIDENCE, Reading, read_reply
from memory.record import Memory, Utterance
from memory.text import clean

AT = datetime.fromisoformat("2026-11-29T10:00+08:00")  # a Sunday


def zh(text="我对花生过敏，我喝乌龙茶", at=AT, **more):
    return Utterance("h1", text, "user", at, **more)


def en(text="I'm allergic to peanuts and drink oolong", at=AT, **more):
    return Utterance("h1", text, "user", at, **more)


def tool(text, at=AT):
    return Utterance("t1", text, "tool", at)


def fact(attribute, value, text, *, subject="user", polarity=1):
    return Memory("k-" + value, "u", "fact", text, subject, attribute, value, polarity)


def item(**more):
    base = {"reason": "said so", "action": "add", "id": None, "subject": "user", "attribute": "allergy"}
    base |= {"value": "花生", "polarity": 1, "text": "用户对花生过敏", "message": "m1", "confidence": 0.9}
    return base | {"importance": 0.9, "occurred_at": None, "expires_at": None} | more


def reply(*items):
    return json.dumps({"facts": list(items)}, ensure_ascii=False)


def read(text, *said, known=()):
    return read_reply(text, ask(said or (zh(),), known))


def brief(reading):
    return [(p["subject"], p["attribute"], p["value"], p["polarity"], p["retract"]) for p in reading.proposals]


def skipped(reading):
    return reading.failure, dict(reading.skipped), brief(reading)


# --- the reply as a whole --------------------------------------------------------------------------------------------

PEANUT, TEA = {"attribute": "a", "value": "花生"}, {"attribute": "b", "value": "茶"}
TWO = json.dumps({"facts": [PEANUT, TEA]}, ensure_ascii=False)


def test_an_object_that_is_broken_is_counted():
    assert items_in(TWO[:-8])[1] == 1
    assert items_in(TWO)[1] == 0
    assert read(reply(item())[:-40]) == Reading(
        (),
        Counter({"cut off or broken": 1}),
        f"The extraction model's reply has no facts in JSON in it ({len(reply(item())) - 40} characters).",
    )


def test_a_reply_without_facts_says_so_in_a_sentence():
    assert read("好的！") == Reading((), {}, "The extraction model's reply has no facts in JSON in it (3 characters).")


def test_an_empty_list_is_nothing_and_no_failure():
    assert read('{"facts":[]}') == Reading((), {}, None)


# --- from items to proposals -----------------------------------------------------------------------------------------


def test_a_fact_keeps_what_the_model_said_of_it():
    expected = {
        "subject": "user",
        "attribute": "allergy",
        "message_id": "h1",
        "confidence": 0.9,
        "importance": 0.95,
        "reason": "本人说",
        "span": [2, 4],
        "value": "花生",
        "text": "用户对花生过敏",
        "polarity": 1,
        "retract": False,
    }
    assert read(reply(item(reason="本人说", importance=0.95))) == Reading((expected,), {}, None)


PROPOSED = [
    (zh("我从不喝酒"), item(attribute="drinks", value="酒", polarity=-1), ("user", "drinks", "酒", -1, False)),
    (en("I hate cilantro"), item(attribute="likes", value="cilantro", polarity=-1), ("user", "likes", "cilantro", -1, False)),
    (zh(), item(attribute="过敏原"), ("user", "allergy", "花生", 1, False)),
    (en(), item(attribute="Allergies", value="peanuts"), ("user", "allergy", "peanuts", 1, False)),
    (zh(), item(attribute="喜欢的 忌口"), ("user", "喜欢的_忌口", "花生", 1, False)),
    (zh(), item(attribute="favorite-Tea ", value="乌龙茶"), ("user", "favorite_tea", "乌龙茶", 1, False)),
    (zh(), item(subject="用户"), ("user", "allergy", "花生", 1, False)),
    (zh(), item(subject="The user"), ("user", "allergy", "花生", 1, False)),
    (zh(), item(subject=None), ("user", "allergy", "花生", 1, False)),
    (zh("我妈妈对花生过敏"), item(subject="用户的妈妈"), ("user's mother", "allergy", "花生", 1, False)),
    (en("my mom is allergic to peanuts"), item(subject="my Mom", value="peanuts"), ("user's mother", "allergy", "peanuts", 1, False)),
    (en("my boat is blue"), item(subject="user's boat", attribute="color", value="blue"), ("user's boat", "color", "blue", 1, False)),
    (zh("小美对花生过敏"), item(subject="小美"), ("小美", "allergy", "花生", 1, False)),
    (zh(), item(action="ADD "), ("user", "allergy", "花生", 1, False)),
    (zh(), {k: v for k, v in item().items() if k not in ("action", "polarity", "id")}, ("user", "allergy", "花生", 1, False)),
    (zh(), item(polarity="-1"), ("user", "allergy", "花生", -1, False)),
    (zh(), item(polarity="negative"), ("user", "allergy", "花生", -1, False)),
    (zh("我28岁"), item(attribute="age", value=28, text="用户28岁"), ("user", "age", "28", 1, False)),
    (zh("我不住北京了"), item(action="retract", attribute="home", value="北京"), ("user", "home", "北京", 1, True)),
    (zh("忘掉我的地址"), item(action="retract", attribute="address", value=None, text="不再记地址"), ("user", "address", None, 1, True)),
    (en("The house has <think> on its door"), item(attribute="note", value="<think> on its door"), ("user", "note", "<think> on its door", 1, False)),
    (zh("我吃素"), item(attribute="diet", value="素食"), ("user", "diet", "素食", 1, False)),
    (zh("I moved to Lyon", subject="Caroline"), item(attribute="home", value="Lyon"), ("Caroline", "home", "Lyon", 1, False)),
    (en("My mum likes tea", subject="Caroline"), item(subject="user's mother", value="tea"), ("Caroline's mother", "allergy", "tea", 1, False)),
]  # fmt: skip


@pytest.mark.parametrize(("said", "given", "expected"), PROPOSED)
def test_items_that_are_facts(said, given, expected):
    assert skipped(read(reply(given), said)) == (None, {}, [expected])


SKIPPED = [
    (item(action="delete"), "unknown action"),
    (item(action="confirm", id="f9"), "an id that was never offered"),
    (item(action="update", id="f9"), "an id that was never offered"),
    (item(action="retract", id=7), "an id that was never offered"),
    (item(value=None), "no value"),
    (item(value="  "), "no value"),
    (item(value=True), "value is not text"),
    (item(value=["花生", "虾"]), "value is not text"),
    (item(value={"花生": 1}), "value is not text"),
    (item(value="花" * 401), "value is too long"),
    (item(value="……"), "value has no words"),
    (item(value='{"facts":[]}'), "value has no words"),
    (item(text=None), "no text"),
    (item(text='["花生"]'), "text has no words"),
    (item(text="敏" * 601), "text is too long"),
    (item(attribute=None), "no attribute"),
    (item(attribute="!!"), "no attribute"),
    (item(attribute="a" * 65), "no attribute"),
    (item(subject="s" * 65), "subject is too long"),
    (item(polarity=0), "unknown polarity"),
    (item(polarity="maybe"), "unknown polarity"),
    (item(message="m7", value="芒果", text="芒果"), "a message that was never shown"),
    (item(value="[EMAIL]"), "a mark of redaction"),
    (item(value="密码 [SECRET]"), "a mark of redaction"),
    (["花生"], "not an object"),
    (None, "not an object"),
    (7, "not an object"),
]


@pytest.mark.parametrize(("given", "why"), SKIPPED)
def test_items_that_are_none_are_counted_and_the_others_used(given, why):
    good = ("user", "drinks", "乌龙茶", 1, False)
    said = read(reply(given, item(attribute="drinks", value="乌龙茶", text="用户喝乌龙茶")))
    assert skipped(said) == (None, {why: 1}, [good])


def test_a_verdict_to_ignore_is_no_mistake():
    assert read(reply(item(action="ignore", value=None))) == Reading((), {}, None)


def test_a_bare_sentence_is_a_note():
    (note,) = read('{"facts": ["用户对花生过敏"]}').proposals
    assert (note["attribute"], note["value"], note["text"], note["confidence"]) == (
        "note",
        "用户对花生过敏",
        "用户对花生过敏",
        0.6,
    )


def test_the_same_fact_twice_in_a_reply_is_one():
    assert brief(read(reply(item(), item(value="花生。"), item(polarity=-1)))) == [
        ("user", "allergy", "花生", 1, False),
        ("user", "allergy", "花生", -1, False),
    ]


def test_more_items_than_a_turn_can_have_are_counted():
    assert skipped(read(reply(*[item()] * 70))) == (
        None,
        {"more than 64 items": 6},
        [("user", "allergy", "花生", 1, False)],
    )


@pytest.mark.parametrize(
    ("given", "kept"),
    [(0.4, 0.4), ("0.4", 0.4), (1, 0.95), (None, 0.8), (85, 0.8), (-1, 0.8), (True, 0.8), ("sure", 0.8), ([1], 0.8)],
)
def test_confidence_is_a_share_and_never_certainty(given, kept):
    assert read(reply(item(confidence=given))).proposals[0]["confidence"] == kept


def test_importance_unsaid_is_that_of_the_attribute():
    assert read(reply(item(importance=None))).proposals[0]["importance"] == 0.95


# --- known facts -----------------------------------------------------------------------------------------------------

VIM = fact("uses", "Vim", "用户使用 Vim")
ROME = fact("home", "Rome", "The user lives in Rome")


def test_both_halves_of_no_longer_this_but_that():
    said = zh("我不再用 Vim，改用 Emacs")
    both = reply(item(action="retract", id="f1"), item(attribute="uses", value="Emacs", text="用户使用 Emacs"))
    halves = [("user", "uses", "Vim", 1, True), ("user", "uses", "Emacs", 1, False)]
    assert brief(read(both, said, known=[VIM])) == halves
    # One of several values is replaced by its update, too.
    (new,) = read(
        reply(item(action="update", id="f1", value="Emacs", text="用户使用 Emacs")), said, known=[VIM]
    ).proposals
    assert (new["attribute"], new["value"], new["replaces"], new["retract"]) == ("uses", "Emacs", "Vim", False)


def test_an_update_of_a_single_value_takes_its_place_by_itself():
    update = item(action="update", id="f1", attribute="city", value="Oslo", text="The user lives in Oslo")
    assert brief(read(reply(update), en("I moved to Oslo"), known=[ROME])) == [("user", "home", "Oslo", 1, False)]


def test_an_update_that_only_turns_the_polarity_keeps_the_value():
    tea = fact("likes", "tea", "The user likes tea")
    update = item(action="update", id="f1", value="tea", polarity=-1, text="The user dislikes tea")
    assert brief(read(reply(update), en("I went off tea"), known=[tea])) == [("user", "likes", "tea", -1, False)]


def test_an_update_of_an_unknown_id_touches_nothing_else():
    wrong = item(action="update", id="f7", attribute="home", value="Oslo", text="The user lives in Oslo")
    right = item(value="peanuts", text="The user is allergic to peanuts")
    assert skipped(read(reply(wrong, right), en(), known=[ROME])) == (
        None,
        {"an id that was never offered": 1},
        [("user", "allergy", "peanuts", 1, False)],
    )


def test_a_known_fact_may_be_kept_against_what_was_said():
    keep = item(action="keep", id="f1", reason="a visit, not a move", attribute="home", value="Oslo", text="x")
    (kept,) = read(reply(keep), en("I'm in Oslo for the week"), known=[ROME]).proposals
    assert (kept["keep"], kept["subject"], kept["attribute"], kept["value"], kept["text"], kept["reason"]) == (
        True,
        "user",
        "home",
        "Rome",
        "The user lives in Rome",
        "a visit, not a move",
    )
    assert read(reply({**keep, "id": None}), en("I'm in Oslo for the week"), known=[ROME]) == Reading()


MERGED = [
    (zh("还学了一点蛙泳"), "自由泳和蛙泳", "用户会自由泳，也会一点蛙泳", True),
    (en("and some breaststroke too"), "front crawl and some breaststroke", "The user swims front crawl and some breaststroke", True),
    (zh("还学了一点蛙泳"), "蛙泳", "用户会一点蛙泳", False),  # an update
    (zh("还学了一点蛙泳"), "自由泳", "用户会自由泳", False),  # nothing new
    (zh("还学了一点蛙泳"), "自由泳和蛙泳", "用户 12 岁学会自由泳和蛙泳", False),  # a number that nobody said
    (zh("12岁还学了一点蛙泳"), "自由泳和蛙泳", "用户会自由泳，12岁学了蛙泳", True),
]  # fmt: skip


@pytest.mark.parametrize(("said", "value", "text", "kept"), MERGED)
def test_two_that_are_right_become_one_that_says_both(said, value, text, kept):
    swims = fact(
        "skill", "front crawl" if text.isascii() else "自由泳", "The user swims" if text.isascii() else "用户会自由泳"
    )
    found = read(reply(item(action="merge", id="f1", value=value, text=text)), said, known=[swims])
    if not kept:
        assert skipped(found) == (None, {"a merge of something else": 1}, [])
        return
    (one,) = found.proposals
    assert (one["attribute"], one["value"], one["text"], one["replaces"]) == ("skill", value, text, swims.value)


def test_a_merge_of_nothing_known_is_a_fact_like_others():
    swims = item(action="merge", id=None, attribute="skill", value="蛙泳", text="用户会蛙泳")
    assert brief(read(reply(swims), zh("我会蛙泳"))) == [("user", "skill", "蛙泳", 1, False)]


def test_a_confirmation_says_what_was_known():
    confirm = item(action="confirm", id="f1", subject="小美", attribute="x", value="y", text="z", polarity=-1)
    (said,) = read(reply(confirm), zh("我还在用 vim"), known=[VIM]).proposals
    assert (said["subject"], said["attribute"], said["value"], said["text"], said["polarity"]) == (
        "user",
        "uses",
        "Vim",
        "用户使用 Vim",
        1,
    )


@pytest.mark.parametrize("action", ["confirm", "add", "update"])
def test_what_was_recalled_is_not_said_again(action):
    tea = fact("likes", "茶", "用户喜欢茶")
    again = reply(item(action=action, id="f1", attribute="likes", value="茶", text="用户喜欢茶"))
    for _ in range(5):
        assert skipped(read(again, zh("今天天气不错"), known=[tea])) == (
            None,
            {"known already, and not said in this turn": 1},
            [],
        )
    for asked in ("什么茶好喝？", "今天下雨。这家的茶好喝吗", "Is 茶 in season?"):
        assert read(again, zh(asked), known=[tea]).proposals == ()
    for said in ("我喜欢茶", "你好吗？我喜欢茶。"):
        assert brief(read(again, zh(said), known=[tea])) == [("user", "likes", "茶", 1, False)]


def test_a_new_fact_beside_what_was_recalled_is_kept():
    tea = fact("likes", "茶", "用户喜欢茶")
    new = reply(item(attribute="likes", value="海苔", text="用户最喜欢海苔"))
    assert brief(read(new, zh("记住我最喜欢海苔"), known=[tea])) == [("user", "likes", "海苔", 1, False)]


# --- kinds of fact ---------------------------------------------------------------------------------------------------

KINDS = [
    (zh("就这么定了，发布推到下个月"), item(attribute="decision", value="发布推到下个月", text="用户决定把发布推到下个月"), ("user", "decision", "发布推到下个月", 1, False)),
    (en("We settled on the cheaper venue"), item(attribute="Decision", value="the cheaper venue", text="The user settled on the cheaper venue"), ("user", "decision", "the cheaper venue", 1, False)),
    (zh("周五之前我要把合同寄出去"), item(attribute="待办", value="把合同寄出去", text="用户要把合同寄出去"), ("user", "todo", "把合同寄出去", 1, False)),
    (en("I still have to renew my passport"), item(attribute="to-do", value="renew my passport", text="The user has to renew their passport"), ("user", "todo", "renew my passport", 1, False)),
    (zh("老周是我的邻居"), item(subject="老周", attribute="relation", value="邻居", text="老周是用户的邻居"), ("老周", "relation", "邻居", 1, False)),
    (en("Priya is my landlady"), item(subject="Priya", attribute="relation", value="landlady", text="Priya is the user's landlady"), ("Priya", "relation", "landlady", 1, False)),
    (zh("别再记我的住址了"), item(action="retract", attribute="地址", value=None, text="不再记用户的地址"), ("user", "address", None, 1, True)),
    (en("please drop my birthday from your notes"), item(action="retract", attribute="birthday", value=None, text="The user's birthday is to be forgotten"), ("user", "birthday", None, 1, True)),
]  # fmt: skip


@pytest.mark.parametrize(("said", "given", "expected"), KINDS)
def test_decisions_to_dos_other_people_and_what_is_to_be_forgotten(said, given, expected):
    assert skipped(read(reply(given), said)) == (None, {}, [expected])


def test_decisions_and_to_dos_stand_side_by_side():
    assert not any(map(is_single, ["decision", "todo", "plan", "relation"]))


@pytest.mark.parametrize(
    ("said", "known"),
    [
        (zh("你说的那位不是我，别算在我头上"), [fact("home", "大理", "用户住在大理"), fact("occupation", "陶艺师", "用户是陶艺师")]),
        (en("You've mixed me up with someone, none of that is me"), [fact("home", "Leeds", "The user lives in Leeds"), fact("occupation", "potter", "The user is a potter")]),
    ],
)  # fmt: skip
def test_that_was_not_me_takes_back_each_fact_that_it_concerns(said, known):
    gone = [item(action="retract", id=f"f{i}") for i in (1, 2)]
    assert skipped(read(reply(*gone), said, known=[*known, VIM])) == (
        None,
        {},
        [("user", m.attribute, m.value, 1, True) for m in known],
    )


SPOKEN = [
    (zh("帮我看看这个 cover letter，我想去做投行"), "投行", "The user wants to work in banking", "用户说：帮我看看这个 cover letter，我想去做投行"),
    (zh("帮我看看这个 cover letter，我想去做投行"), "投行", "用户想去做投行", "用户想去做投行"),
    (zh("我用 Helix"), "Helix", "用户用 Helix", "用户用 Helix"),
    (en("My dog is called 旺财"), "旺财", "用户的狗叫旺财", "The user said: My dog is called 旺财"),
    (en("My dog is called 旺财"), "旺财", "The user's dog is called 旺财", "The user's dog is called 旺财"),
    (zh("她爱喝 chai", subject="Mei"), "chai", "Mei loves chai", "Mei说：她爱喝 chai"),
    (zh("4471"), "4471", "用户的门牌号是 4471", "用户的门牌号是 4471"),
]  # fmt: skip


@pytest.mark.parametrize(("said", "value", "text", "kept"), SPOKEN)
def test_a_fact_is_in_the_language_that_was_spoken(said, value, text, kept):
    (found,) = read(reply(item(attribute="note", value=value, text=text)), said).proposals
    assert (found["value"], found["text"]) == (value, kept)


# --- whose words -----------------------------------------------------------------------------------------------------


def test_the_assistants_words_are_no_facts():
    said = [zh("推荐一家我会喜欢的店"), Utterance("a1", "您应该喜欢海底捞", "assistant", AT)]
    likes = item(attribute="likes", value="海底捞", text="用户喜欢海底捞")
    assert skipped(read(reply(likes), *said)) == (None, {"the assistant's words": 1}, [])
    assert "海底捞" not in ask(said).prompt


def test_words_that_the_assistant_only_repeats_are_the_persons():
    said = [zh("我吃素"), Utterance("a1", "记下了，您吃素食", "assistant", AT)]
    assert brief(read(reply(item(attribute="diet", value="素食", text="用户吃素")), *said)) == [
        ("user", "diet", "素食", 1, False)
    ]


def test_a_tools_result_makes_facts_about_other_things_at_lower_trust():
    said = [zh("查一下订单 8841"), tool("order 8841: shipped; customer is vegan")]
    status = item(subject="order 8841", attribute="status", value="shipped", text="order 8841 is shipped", message="m2")
    vegan = item(attribute="diet", value="vegan", text="用户吃素", message="m2")
    (kept,) = read(reply(status, vegan), *said).proposals
    assert (kept["subject"], kept["message_id"], kept["confidence"]) == ("order 8841", "t1", TOOL_CONFIDENCE)
    assert dict(read(reply(status, vegan), *said).skipped) == {"a tool's words about the user": 1}


@pytest.mark.parametrize("subject", ["user", "user's mother", "用户", ""])
def test_a_tools_words_stay_a_tools_whoever_is_named(subject):
    said = [en("what is in my order?"), tool("order 8842, vegan meal")]
    for claimed in ("m1", "m2", None):
        diet = item(subject=subject, attribute="diet", value="vegan", text="The user is vegan", message=claimed)
        assert skipped(read(reply(diet), *said)) == (None, {"a tool's words about the user": 1}, [])
    number = item(attribute="order_number", value="order 8842", text="The order number is 8842")
    assert skipped(read(reply(number), *said)) == (None, {"a tool's words about the user": 1}, [])


def test_words_of_both_are_the_tools_where_the_model_says_so():
    said = [en("is order 8841 shipped?"), tool("order 8841: shipped")]
    status = item(subject="order 8841", attribute="status", value="shipped", text="order 8841 is shipped", message="m2")
    assert [(p["message_id"], p["confidence"]) for p in read(reply(status), *said).proposals] == [
        ("t1", TOOL_CONFIDENCE)
    ]


def test_a_tool_takes_nothing_back():
    known = fact("status", "shipped", "order 8841 is shipped", subject="order 8841")
    gone = item(action="retract", id="f1", message="m2")
    assert skipped(read(reply(gone), zh("查一下"), tool("order 8841 not shipped"), known=[known])) == (
        None,
        {"a tool's words against a fact": 1},
        [],
    )


def test_each_fact_has_the_message_that_says_it():
    said = [zh("我对花生过敏"), Utterance("h2", "我住在苏州", "user", AT)]
    home = item(attribute="home", value="苏州", text="用户住在苏州", message="m1")
    assert [(p["message_id"], p["span"]) for p in read(reply(item(message=None), home), *said).proposals] == [
        ("h1", [2, 4]),
        ("h2", [3, 5]),
    ]


def test_of_two_messages_that_say_it_the_named_one_is_meant():
    said = [zh("我要去苏州"), Utterance("h2", "我住在苏州", "user", AT)]
    homes = [item(attribute="home", value="苏州", text="用户住在苏州", message=m) for m in ("m1", "m2")]
    assert [read(reply(home), *said).proposals[0]["message_id"] for home in homes] == ["h1", "h2"]


@pytest.mark.parametrize(
    ("text", "value", "span"),
    [
        ("我用 C 和 Rust", "C", [3, 4]),
        ("Mac users like c best", "C", [15, 16]),
        ("I'm allergic to Peanuts", "peanuts", [16, 23]),
        ("我有 a+b? 的书", "a+b?", [3, 7]),
        ("我吃素", "素食", None),
    ],
)
def test_the_span_is_where_the_value_stands(text, value, span):
    assert read(reply(item(value=value)), zh(text)).proposals[0].get("span") == span


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(["zh", "en"]), st.data())
def test_nothing_that_stands_in_the_prompt_alone_is_ever_kept(language, data):
    prompt = wording(language)
    words = list(re.finditer(r"[A-Za-z0-9]+|[\u3400-\u9fff]|\S", prompt))
    start = data.draw(st.integers(0, len(words) - 1))
    end = min(start + data.draw(st.integers(0, 12)), len(words) - 1)
    piece = prompt[words[start].start() : words[end].end()]
    # Numbers and single characters may be how something else was said.
    assume(len(re.findall(r"[^\W_]", piece)) > 1 and re.search(r"[^\W\d_]", piece))
    for said in (zh("鲸 ☂"), en("Zzyzx")):
        asked = ask([said], language=language)
        for action in ("add", "update", "merge", "retract"):
            assert brief(read_reply(reply(item(value=piece, action=action)), asked)) == []


def test_an_example_takes_nothing_back_by_an_id_that_happens_to_be_known():
    for language in ("zh", "en"):
        example_reply = json.loads(system_prompt(language).rpartition("\n")[2])
        for said in (zh("我叫李雷"), en("call me Lee")):
            assert brief(read(json.dumps(example_reply), said, known=[VIM])) == []


def test_every_example_has_one_of_the_made_up_names_and_its_reason_is_not_kept():
    for language in ("zh", "en"):
        for example_fact in json.loads(system_prompt(language).rpartition("\n")[2])["facts"]:
            said = f"{example_fact['value']} {example_fact['text']}".lower()
            assert any(word in said for word in EXAMPLE_WORDS)
            assert "reason" not in read(reply(item(reason=example_fact["reason"]))).proposals[0]


def test_a_value_may_be_called_as_an_attribute_is():
    teaches = reply(item(attribute="occupation", value="teacher", text="The user is a teacher"))
    assert brief(read(teaches, en("I teach maths"))) == [("user", "occupation", "teacher", 1, False)]


def test_a_name_of_an_example_is_no_subject_either():
    assert skipped(read(reply(item(subject="青鸾")))) == (None, {"an example of the prompt": 1}, [])


@pytest.mark.parametrize("language", ["zh", "en"])
def test_no_example_of_the_prompt_is_ever_stored(language):
    prompt = system_prompt(language)
    example_reply = prompt[prompt.rindex('{"facts"') :]
    assert len(items_in(example_reply)[0]) == 3
    known = [fact("uses", "Vim", "The user uses Vim")]
    for said in (zh("我叫李雷"), en("call me Lee")):
        assert brief(read(example_reply.replace('"f1"', "null"), said, known=known)) == []
        notes = json.dumps({"facts": [f["text"] for f in json.loads(example_reply)["facts"]]})
        assert skipped(read(notes, said)) == (None, {"an example of the prompt": 3}, [])


def test_the_examples_own_words_may_be_said():
    assert brief(read(reply(item(attribute="eats", value="榴莲酥", text="用户爱吃榴莲酥")), zh("我爱吃榴莲酥"))) == [
        ("user", "eats", "榴莲酥", 1, False)
    ]


# --- dates -----------------------------------------------------------------------------------------------------------

LATER = datetime.fromisoformat("2026-11-30T23:30-05:00")
OCCURRED = [
    (zh("昨天部署了新版本"), "2026-11-28", "2026-11-28"),
    (zh("昨天部署了新版本"), "昨天", "2026-11-28"),
    (zh("昨天部署了新版本"), "2026-11-27", "2026-11-28"),
    (zh("昨天部署了新版本"), "2026-11-28T00:00:00+08:00", "2026-11-28T00:00:00+08:00"),
    (zh("昨天部署了新版本", None), "2026-11-28", "昨天"),
    (zh("昨天部署了新版本", None), "昨天", "昨天"),
    (zh("昨天部署了新版本", None), "yesterday", None),
    (en("We shipped it yesterday", LATER), "2026-11-29", "2026-11-29"),
    (en("We shipped it yesterday", None), "2026-11-29", "yesterday"),
    (en("We shipped it yesterday and will stop tomorrow", None), "2026-11-29", None),
    (en("We shipped it on 2026-03-04", None), "2026-03-04", "2026-03-04"),
    (zh("我们2026年3月4日上线的", None), "2026-03-04", "2026-03-04"),
    (zh("我们去年三月搬的家"), "2025-03", "2025-03"),
    (zh("去年搬的家"), "some day", None),
    (zh("去年搬的家"), "2026-13-45", None),
    (zh("去年搬的家"), 2025, "2025"),
    (zh("去年搬的家"), "x" * 65, None),
]


@pytest.mark.parametrize(("said", "given", "kept"), OCCURRED)
def test_dates_come_from_the_messages_own_time_or_stay_words(said, given, kept):
    text = said.text
    found = read(reply(item(attribute="event", value=text, text=text, occurred_at=given)), said)
    assert [p.get("occurred_at") for p in found.proposals] == [kept]


@pytest.mark.parametrize(
    ("said", "given", "kept"),
    [
        (zh("这个密码到后天为止有效"), "2026-12-01", "2026-12-02T00:00:00+08:00"),
        (zh("这个密码到后天为止有效"), "后天", "2026-12-02T00:00:00+08:00"),
        (zh("从明天起三天有效"), "2026-12-03", "2026-12-04T00:00:00+08:00"),
        (en("valid until 5 pm tomorrow"), "2026-11-30T17:00", "2026-11-30T17:00:00+08:00"),
        (en("valid until tomorrow", None), "2026-11-30", "tomorrow"),
    ],
)
def test_an_expiry_is_an_aware_moment_where_it_can_be(said, given, kept):
    found = read(reply(item(attribute="note", value=said.text, text=said.text, expires_at=given)), said)
    assert [p.get("expires_at") for p in found.proposals] == [kept]


def test_a_date_that_nobody_said_is_not_kept_in_the_text_either():
    guess = item(attribute="event", value="部署新版本", text="用户于 2026-11-28 部署了新版本")
    assert skipped(read(reply(guess), zh("昨天部署了新版本", None))) == (None, {"a date that nobody said": 1}, [])
    assert len(read(reply(guess), zh("昨天部署了新版本")).proposals) == 1


# --- properties ------------------------------------------------------------------------------------------------------

WORDS = st.text(st.characters(codec="utf-8"), max_size=12)
SIGNS = [
    '{"facts":[',
    "]}",
    "{",
    "}",
    "[",
    "]",
    '"',
    ",",
    ":",
    "\\",
    "<think>",
    "</think>",
    "```json\n",
    "\n",
    "null",
    "-1",
]
PARTS = [
    json.dumps(item(), ensure_ascii=False),
    '"attribute":',
    '"value":',
    '"text":',
    '"action":"add"',
    "花生",
    "peanuts",
]
PIECE = st.sampled_from(SIGNS) | st.sampled_from(PARTS)
KNOWN = [VIM, fact("likes", "茶", "用户喜欢茶")]
SAID = [zh(), tool("vegan meal"), Utterance("a1", "海底捞", "assistant", AT)]


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECE | WORDS, max_size=24).map("".join))
@example('{"facts":[{"attribute":"a","value":"\\ud800","text":"\\ud83d\\ude00 x"}]}')
def test_any_reply_is_read_without_raising_and_nothing_is_invented(text):
    reading = read(text, *SAID, known=KNOWN)
    assert (reading.failure is None) == (items_in(text)[0] is not None)
    assert all(n > 0 for n in reading.skipped.values())
    source = strings_of(text)
    for p in reading.proposals:
        p["text"].encode()
        assert p["message_id"] in ("h1", "t1")
        for made in (p["value"], p["text"].removeprefix("用户说："), p.get("reason")):
            assert made is None or made in source or made == zh().text


def strings_of(text):
    """The reply as it is and with its escapes resolved, and what was known."""
    plain = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
    read = re.sub(
        r"\\(u[0-9a-fA-F]{4}|.)", lambda m: chr(int(m[1][1:], 16)) if len(m[1]) > 1 else plain.get(m[1], m[1]), text
    )
    return "\n".join([clean(text), clean(read), *(f"{m.text}\n{m.value}" for m in KNOWN)])


ITEM = st.fixed_dictionaries(
    {"attribute": st.sampled_from(["allergy", "uses", "likes", "name"]), "value": WORDS, "text": WORDS},
    optional={
        "action": st.sampled_from(["add", "confirm", "update", "retract", "ignore"]),
        "id": st.sampled_from([None, "f1", "f2", "f3"]),
        "subject": st.sampled_from(["user", "小美"]),
        "message": st.sampled_from(["m1", "m2", "m3", None]),
        "polarity": st.sampled_from([1, -1, 0, "1"]),
        "confidence": st.floats() | WORDS,
        "occurred_at": WORDS,
        "expires_at": WORDS,
    },
)
WRAPPED = st.sampled_from(
    [("", ""), ("```json\n", "\n```"), ("<think>{x}</think>", ""), ("Here: ", " Done."), ("", "<think>")]
)


@settings(max_examples=200, deadline=None)
@given(st.lists(ITEM | WORDS, max_size=5), WRAPPED, st.booleans())
def test_what_is_around_a_reply_changes_nothing(items, around, ascii_only):
    plain = json.dumps({"facts": items}, ensure_ascii=ascii_only)
    assert read(around[0] + plain + around[1], *SAID, known=KNOWN) == read(plain, *SAID, known=KNOWN)


@settings(max_examples=200, deadline=None)
@given(st.lists(ITEM, min_size=1, max_size=5), st.data())
def test_a_reply_cut_anywhere_gives_the_items_before_the_cut(items, data):
    plain = json.dumps({"facts": items}, ensure_ascii=False)
    cut = data.draw(st.integers(0, len(plain)))
    whole = json.loads(json.dumps(items), parse_int=str, parse_float=str, parse_constant=lambda _: None)
    ends, at = [], len('{"facts": [')
    for i in items:
        at += len(json.dumps(i, ensure_ascii=False))
        ends.append(at)
        at += len(", ")
    kept = whole[: sum(end <= cut for end in ends)]
    assert items_in(plain[:cut])[0] == (kept or None)
