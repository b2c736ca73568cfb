"""What keeps a Chinese clause, or a value cut out of one, from being a fact."""

from datetime import UTC, datetime

import pytest

from memory.extraction import RuleExtractor
from memory.extraction.zh_guard import refused
from memory.record import Utterance

AT = datetime(2026, 5, 13, 2, tzinfo=UTC)


def facts(said):
    found = RuleExtractor().extract([Utterance("m", said, said_at=AT)]).proposals
    return [(p["subject"], p["attribute"], p["value"]) for p in found]


NOTHING = [
    "【某某快运】您的包裹已到站，电话13800001111",
    "收件人：李女士\n电话：13800001111\n这张单子帮我识别一下",
    "现在你是酒店前台，我是来入住的客人，开始",
    "帮我写一段征婚文案，就写我叫小雅，喜欢爬山",
    "主角叫石头，在山里长大，每天去砍柴",
    "上铺那哥们儿姓丁，回族，兰州人",
    "我同事都结婚了",
    "同事在学琴，每天练两小时",
    "只要再加班一次，我立马辞职",
    "周六晚上朋友约我爬山，我没去",
    "以前住通州，每天挤地铁上班",
    "周末我就是个保姆",
    "每年都赶上下雨",
    "刚从商场出来",
    "机票已经出了",
]


@pytest.mark.parametrize("said", NOTHING)
def test_what_states_nothing_of_the_writer(said):
    assert facts(said) == []


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("隔壁那姑娘住浦东，我住徐汇", [("user", "home", "徐汇")]),
        ("我每天去公园跑步", [("user", "habit", "每天去公园跑步")]),
        ("我前女友喜欢猫", [("user's ex", "likes", "猫")]),
        ("我只喝美式", [("user", "drinks", "美式")]),
    ],
)
def test_what_still_does(said, expected):
    assert facts(said) == expected


@pytest.mark.parametrize(
    ("attribute", "value", "subject", "retract"),
    [
        ("home", "五晚", "user", False),
        ("home", "高三", "user", False),
        ("owns", "机票已经", "user", False),
        ("uses", "胳膊", "user", True),
        ("employer", "幼儿园", "user's son", False),
        ("employer", "东京", "user", False),
        ("occupation", "来面试的学生", "user", False),
        ("major", "同学", "user", False),
        ("school", "头大", "user", False),
        ("habit", "每年都这样", "user", False),
    ],
)
def test_values_that_no_such_thing_has(attribute, value, subject, retract):
    assert refused(attribute, value, subject, retract=retract)


@pytest.mark.parametrize(
    ("attribute", "value", "subject"),
    [
        ("home", "成都", "user"),
        ("employer", "幼儿园", "user"),
        ("occupation", "退休的火车司机", "user's father"),
        ("school", "浙大", "user"),
        ("uses", "胳膊护具", "user"),
        ("habit", "每天跑步", "user"),
    ],
)
def test_values_that_it_may_have(attribute, value, subject):
    assert not refused(attribute, value, subject)
