"""The kinds of sentence that people tell facts in, and what the rules keep of each: both languages, whole values."""

from datetime import datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from read_facts import is_, is_not, no_longer, read

from memory.extraction import RuleExtractor, en_life, en_self, zh_life, zh_self
from memory.record import Utterance

AT = datetime.fromisoformat("2026-11-25T10:00+08:00")  # a Wednesday


def facts(text):
    return read(text, AT)


SAID = [
    ("我闺蜜琳琳在深圳当老师", [is_("friend", "琳琳"), is_("occupation", "老师", "user's friend")]),
    ("我有个同事叫大刘，是山东人", [is_("colleague", "大刘"), is_("hometown", "山东", "大刘")]),
    ("我外婆有糖尿病，每天打胰岛素", [is_("health", "糖尿病", "user's maternal grandmother"), is_("habit", "每天打胰岛素", "user's maternal grandmother")]),
    ("我媳妇是东北人，特别能喝", [is_("hometown", "东北", "user's wife")]),
    ("我老公在电力公司上班", [is_("employer", "电力公司", "user's husband")]),
    ("我儿子叫小宇", [is_("son", "小宇")]),
    ("我妹妹叫小红", [is_("younger_sister", "小红")]),
    ("我妈妈叫王芳", [is_("mother", "王芳")]),
    ("我哥哥住在北京", [is_("home", "北京", "user's older brother")]),
    ("我最喜欢的颜色现在是青绿色", [is_("favorite_color", "青绿色")]),
    ("I work as a glassblower", [is_("occupation", "glassblower")]),
    ("I studied at Uppsala University", [is_("school", "Uppsala University")]),
    ("我在字节做后端，干了三年了", [is_("employer", "字节"), is_("occupation", "后端")]),
    ("我大学学的是土木，现在转行做了程序员", [is_("major", "土木"), is_("occupation", "程序员")]),
    ("我乳糖不耐受，喝不了牛奶", [is_("intolerance", "乳糖"), is_not("drinks", "牛奶")]),
    ("我上班在望京，住在顺义", [is_("home", "顺义")]),
    ("我从小在重庆长大", [is_("hometown", "重庆")]),
    ("我去年做了阑尾炎手术", [is_("health", "阑尾炎手术")]),
    ("我近视五百度", [is_("myopia", "五百")]),
    ("我血型A型", [is_("blood_type", "A型")]),
    ("我月薪一万五", [is_("salary", "一万五")]),
    ("这次预算控制在三千以内", [is_("budget", "三千以内")]),
    ("我邮箱是lin@example.com", [is_("email", "lin@example.com")]),
    ("我用的是小米手机", [is_("uses", "小米手机")]),
    ("我把抖音卸载了", [no_longer("uses", "抖音")]),
    ("我现在不用安卓了，换成了苹果", [no_longer("uses", "安卓"), is_("uses", "苹果")]),
    ("我会开车，也会游泳", [is_("skill", "开车"), is_("skill", "游泳")]),
    ("决定了，买二手的", [is_("decision", "买二手的")]),
    ("提醒我明早八点吃药", [is_("todo", "吃药")]),
    ("把我的生日忘了吧", [no_longer("birthday", None)]),
    ("别再记我的住址了", [no_longer("address", None)]),
    ("我刚才说我喜欢下棋，开玩笑的", [no_longer("likes", "下棋")]),
    ("客服要我的会员号，是VIP20931", [is_("member_number", "VIP20931")]),
    ("My labrador is called Monday", [is_("breed", "labrador", "user's dog")]),
    ("Our spaniel's called Pepper and she's twelve", [is_("dog", "Pepper"), is_("breed", "spaniel", "user's dog"), is_("age", "twelve", "user's dog")]),
    ("My friend Omar is a chef in Detroit", [is_("friend", "Omar"), is_("occupation", "chef", "user's friend"), is_("work_place", "Detroit", "user's friend")]),
    ("My sister Kate got married last weekend", [is_("sister", "Kate"), is_("marital_status", "married", "user's sister")]),
    ("My grandma is eighty-seven and lives in Bath", [is_("age", "eighty-seven", "user's grandmother"), is_("home", "Bath", "user's grandmother")]),
    ("My brother goes to Ohio State", [is_("school", "Ohio State", "user's brother")]),
    ("I was born and raised in Tulsa", [is_("hometown", "Tulsa")]),
    ("I'm a nurse at St Mary's and I work nights", [is_("occupation", "nurse"), is_("employer", "St Mary's"), is_("habit", "nights")]),
    ("I've been a vegetarian since college", [is_("diet", "vegetarian")]),
    ("I stopped eating meat two years ago", [no_longer("eats", "meat")]),
    ("I've got high blood pressure", [is_("health", "high blood pressure")]),
    ("I broke my ankle in March", [is_("health", "ankle")]),
    ("I wear a size 9 shoe", [is_("shoe_size", "9")]),
    ("My rent is $1,850 a month", [is_("price", "$1,850 a month")]),
    ("I'm 5'7 and weigh 140 lbs", [is_("height", "5'7"), is_("weight", "140 lbs")]),
    ("My email is jo.bloggs@mailbox.org", [is_("email", "jo.bloggs@mailbox.org")]),
    ("I drive a 2014 Corolla", [is_("owns", "2014 Corolla")]),
    ("I don't use Facebook anymore", [no_longer("uses", "Facebook")]),
    ("I go to the gym three times a week", [is_("habit", "go to the gym three times a week")]),
    ("I'm really into bouldering lately", [is_("likes", "bouldering")]),
    ("I'm studying marine biology at Dalhousie", [is_("school", "Dalhousie"), is_("major", "marine biology")]),
    ("I'm flying to Lisbon on December 3rd", [is_("plan", "flying to Lisbon")]),
    ("Remind me to call the vet tomorrow morning", [is_("todo", "call the vet")]),
    ("Please forget my phone number", [no_longer("phone", None)]),
    ("I said I like golf, but that was a joke", [no_longer("likes", "golf")]),
]  # fmt: skip

NOTHING = """
我在星巴克等人
今天好累啊
我换了新手机号
我们公司在张江
现在就想吃火锅
是是是，我最厉害了
你来当侦探，我是个医生，住在伦敦
小说开头：我叫阿离，今年十七岁
我之前说我喜欢下棋
提醒一下大家
I'm at Starbucks right now
I'm in Chicago this week
I love this song
I'm on my way to work
Oh sure, I'm a world-class singer
Once upon a time I lived in a castle
I can't do stairs today
He runs a bakery
""".strip().splitlines()


@pytest.mark.parametrize(("text", "expected"), SAID)
def test_what_is_kept(text, expected):
    assert facts(text) == expected


@pytest.mark.parametrize("text", NOTHING)
def test_what_is_left_alone(text):
    assert facts(text) == []


@pytest.mark.parametrize(
    ("text", "value", "occurred"),
    [
        ("提醒我明早八点吃药", "吃药", "2026-11-26T08:00+08:00"),
        ("Remind me to call the vet tomorrow", "call the vet", "2026-11-26"),
        ("On the 27th I'm in court for a hearing", "in court for a hearing", "2026-11-27"),
        ("二十八号我去提车", "去提车", "2026-11-28"),
    ],
)
def test_when_it_is_to_be(text, value, occurred):
    [p] = RuleExtractor().extract([Utterance("m", text, said_at=AT)]).proposals
    assert (p["value"], p["occurred_at"]) == (value, occurred)


_RULES = [*zh_self.RULES, *zh_life.RULES, *zh_life.TOPIC_LIKES, *en_self.RULES, *en_life.RULES]
_WORDS = ["我", "在", "的", "了", "一直", "现在", "用", "是", "有", "和", "五", "年", "最近", "公司", "I", "'m", " really", " just", " a", " the", " in", " my", " and", " Bo", " 5", ",", " "]  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(_WORDS) | st.text(max_size=4), max_size=60).map("".join))
def test_every_rule_answers_on_any_words(text):
    for rule in _RULES:
        m = rule.pattern.fullmatch(text[:240])
        assert m is None or m.end() == min(len(text), 240)
