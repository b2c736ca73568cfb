import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memory.attributes import ATTRIBUTES, Attribute, Attributes, is_single, same_value, value_key

SINGLE = [
    "name",
    "age",
    "birthday",
    "home",
    "hometown",
    "employer",
    "occupation",
    "school",
    "deadline",
    "budget",
    "height",
    "weight",
    "manager",
    "father",
    "favorite_color",
    "exam_date",
    "thesis_deadline",
]
MANY = [
    "likes",
    "allergy",
    "uses",
    "language",
    "order_number",
    "tracking_number",
    "visa_number",
    "daughter",
    "friend",
    "note",
    "plan",
    "something_unknown",
]


@pytest.mark.parametrize("attribute", SINGLE)
def test_single_valued(attribute):
    assert is_single(attribute)


@pytest.mark.parametrize("attribute", MANY)
def test_many_valued(attribute):
    assert not is_single(attribute)


def test_labels_in_both_languages():
    labels = [(ATTRIBUTES.label(a, "zh"), ATTRIBUTES.label(a, "en")) for a in ("name", "order_number", "shelf_mark")]
    assert labels == [("名字", "name"), ("订单号", "order number"), ("shelf mark", "shelf mark")]


def test_users_add_and_replace_rows():
    mine = Attributes.load({"shelf_mark": {"single": True, "zh": ["架号"], "kind": "id"}, "likes": {"single": True}})
    assert mine.get("shelf_mark") == Attribute("shelf_mark", single=True, kind="id", zh=("架号",))
    assert (mine.is_single("likes"), mine.nouns("zh")["架号"]) == (True, "shelf_mark")
    assert (ATTRIBUTES.is_single("likes"), ATTRIBUTES.is_single("shelf_mark")) == (False, False)


@pytest.mark.parametrize(
    "row",
    [
        None,
        "single",
        {"singel": True},
        {"single": "yes"},
        {"kind": "colour"},
        {"importance": 3},
        {"zh": "架号"},
        {"en": [1]},
    ],
)
def test_a_malformed_row_is_named(row):
    with pytest.raises(ValueError, match="shelf_mark"):
        Attributes.load({"shelf_mark": row})


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("川菜", "川菜。"),
        ("川菜", "川菜啊"),
        ("Vim", "vim"),
        ("ＶＩＭ", "vim"),
        ("VS  Code", " vs code"),
        ("用 SQLite", "用SQLite"),
        ("#8842", "8842"),
        ("tea!", "Tea"),
        ("Straße", "STRASSE"),
        ("吃粤菜", "粤菜"),
        ("喝 咖啡。", "咖啡"),
        ("Drinking coffee", "coffee"),
        ("to eat fish", "eating fish"),
    ],
)
def test_same_value(a, b):
    assert same_value(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("10月15日", "10月16日"),
        ("5000元", "8000元"),
        ("A-1029", "A-1020"),
        ("喜欢辣", "不喜欢辣"),
        ("to eat meat", "not to eat meat"),
        ("SQLite over Postgres", "Postgres over SQLite"),
        ("张三管李四", "李四管张三"),
        ("C", "C++"),
        ("C#", "C"),
        ("A+", "A-"),
        ("5²", "52"),
        ("½", "12"),
        ("1.5", "15"),
        ("-5", "5"),
        ("吃", "喝"),
        ("不吃鱼", "吃鱼"),
        ("eating", "drinking"),
    ],
)
def test_another_value(a, b):
    assert not same_value(a, b)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=20))
@example("吃#喝5了")
@example("㊱")  # 36 in a circle: its digits appear only where it is written plainly
def test_the_key_is_stable_and_keeps_every_digit(value):
    key = value_key(value)
    assert value_key(key) == key
    assert sum(c.isdecimal() for c in key) >= sum(c.isdecimal() for c in value)
