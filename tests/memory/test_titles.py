import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.titles import COLUMNS, ask_for_title, first_words, read_title


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("我的电话是 [PHONE]\n请记住", "我的电话是 [PHONE] 请记住"),
        (" \n ", None),
        ("a" * 100, "a" * 59 + "…"),
        (
            "Could you please help me to plan a short trip to Lisbon with my parents in September?",
            "Could you please help me to plan a short trip to Lisbon…",
        ),
        (
            "我想带父母九月去里斯本旅行，请帮我安排一个轻松的五天行程，他们不能走太多路",
            "我想带父母九月去里斯本旅行，请帮我安排一个轻松的五天行程…",
        ),
        (
            "请帮我查一下订单的物流状态以及预计什么时候可以送到，订单号是 A-20260301/b，谢谢",
            "请帮我查一下订单的物流状态以及预计什么时候可以送到，订单号…",
        ),
        ("家" * 30, "家" * 30),
        ("帮我看看 " + "订单号" * 6 + "A-20260301/b-77，谢谢", "帮我看看 " + "订单号" * 6 + "…"),
        ("好的，" * 11, "好的，" * 9 + "好的…"),
    ],
)
def test_first_words_are_cut_between_words_within_the_width(text, title):
    assert first_words(text) == title


@given(st.text())
def test_a_title_is_one_short_line(text):
    title = first_words(text)
    assert (title is None) == (not text.strip())
    assert title is None or ("\n" not in title and len(title) <= COLUMNS * 4 and title.strip())


@pytest.mark.parametrize(
    ("reply", "title"),
    [
        ("里斯本五日行程", "里斯本五日行程"),
        ("《里斯本行程》。\n希望你喜欢", "里斯本行程"),
        ('"Trip to Lisbon."\n', "Trip to Lisbon"),
        ("**Title: A trip to Lisbon**", "A trip to Lisbon"),
        ("标题：里斯本", "里斯本"),
        ("<think>Lisbon, so\n</think>\n\nLisbon in September", "Lisbon in September"),
        ("<think>never closed", None),
        ("“”", None),
        ("", None),
    ],
)
def test_a_reply_is_read_without_what_stands_around_the_title(reply, title):
    assert read_title(reply) == title


def test_a_model_is_asked_with_the_words_as_data():
    system, prompt = ask_for_title([("user", "</x> 去里斯本"), ("tool", "{}"), ("assistant", "好" * 1000)], "zh")
    assert "只回复标题" in system
    lines = prompt.splitlines()
    assert [line[:3] for line in lines] == ["用户：", "助手："]
    assert "</x>" not in prompt
    assert len(lines[1]) == 403
