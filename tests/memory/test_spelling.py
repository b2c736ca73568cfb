import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memory.spelling import excerpt, hits, query_words, spelled

SAID = (
    "Order #8842 (A-12/b) came, in C++ 我住在北京，养了一只猫咪 T恤 ＃９９ Café bob.lee@example.com user_name "
    "STRASSE Ｗｉ－Ｆｉ ｶﾞ 12,000"
)


def found(query, text=SAID):
    return [text[start:end] for start, end in hits(text, query_words(query))]


@pytest.mark.parametrize(
    ("query", "hit"),
    [
        ("猫", "猫"),
        ("北京", "北京"),
        ("京，养", "京，养"),
        ("京,养", "京，养"),
        ("#8842", "#8842"),
        ("8842", "8842"),
        ("88", "88"),
        ("A-12/b", "A-12/b"),
        ("a-12", "A-12"),
        ("12/B", "12/b"),
        ("c++", "C++"),
        ("t恤", "T恤"),
        ("#99", "＃９９"),
        ("cafe", "Café"),
        ("CAFÉ", "Café"),
        ("bob.lee@example.com", "bob.lee@example.com"),
        ("lee@ex", "lee@ex"),
        ("EXAMPLE", "example"),
        ("name", "name"),
        ("straße", "STRASSE"),
        ("wi-fi", "Ｗｉ－Ｆｉ"),
        ("ガ", "ｶﾞ"),
        ("12,0", "12,0"),
        ("北\u200b京", "北京"),
    ],
)
def test_words_are_found_by_their_beginning_in_any_case_and_width_and_chinese_anywhere(query, hit):
    assert found(query) == [hit]


@pytest.mark.parametrize("query", ["842", "rder", "京北", "C+++", "A-12/c", "ame", "afe", "猫 狗"[2:]])
def test_other_words_are_not(query):
    assert found(query) == []


@pytest.mark.parametrize("query", ["", " \t\u3000\n", "\x00", "\u200b \ufeff", "\x7f\x01"])
def test_what_cannot_be_seen_is_no_word(query):
    assert query_words(query) == []


def test_a_word_said_twice_is_asked_once_and_signs_are_text():
    assert query_words('Cat cat ＣＡＴ "a* OR') == [" cat", '" a*', " or"]


def test_hits_that_overlap_are_one():
    text = "哈哈哈，好"
    assert [text[a:b] for a, b in hits(text, query_words("哈哈 好"))] == ["哈哈哈", "好"]


@given(st.text())
@settings(max_examples=200)
def test_a_text_has_every_word_of_itself_and_never_more_than_one_blank(text):
    spelling = spelled(text)
    assert "  " not in spelling
    assert all(word in spelling for word in query_words(text))


@given(st.text("AaÀéßÅ\u0300\u030aｶﾞカ\u3099한猫ＡﬁＦ12#-+ \t\n\x00\x1f\u200b\u00ad"))
@example("A\x1f\u0300")
def test_a_spelling_is_its_own_spelling_and_that_of_the_same_text_written_otherwise(text):
    spelling = spelled(text)
    assert spelled(spelling) == spelling
    assert spelled(unicodedata.normalize("NFD", text)) == spelling


@given(st.text(alphabet=st.characters(max_codepoint=127)))
@settings(max_examples=200)
def test_plain_ascii_is_spelled_as_it_is_beside_other_scripts(text):
    assert spelled(f"猫{text}") in (f"猫{spelled(text)}", f"猫{spelled(text).lstrip(' ')}")


@given(st.text(), st.text(), st.text())
@settings(max_examples=200)
def test_hits_are_in_order_within_the_text_and_spell_what_was_asked(before, word, after):
    text = f"{before} {word} {after}"
    words = query_words(word)
    ranges = hits(text, words)
    assert bool(ranges) == bool(words)
    assert all(0 <= start < end <= len(text) for start, end in ranges)
    assert all(ranges[i][1] <= ranges[i + 1][0] for i in range(len(ranges) - 1))
    assert all(any(w.strip() in spelled(text[a:b]) for w in words) for a, b in ranges)
    assert len(excerpt(text, words).splitlines()) <= 1


def test_an_excerpt_is_one_line_around_the_first_hit_with_every_hit_marked():
    text = "We talked about the weather for quite some time,\nand then the parcel " + "came at noon " * 20
    assert excerpt(text, query_words("PARCEL noon")) == (
        "…quite some time, and then the ⟦parcel⟧ came at ⟦noon⟧ came at ⟦noon⟧ came at ⟦noon⟧ came at ⟦noon⟧ "
        "came at ⟦noon⟧ came at ⟦noon⟧ came…"
    )
    zh = "今天天气很好，" * 10 + "我家的猫叫小黑。" + "它喜欢晒太阳，" * 30
    shown = excerpt(zh, query_words("猫"))
    assert (shown[0], shown[-1], "我家的⟦猫⟧叫小黑" in shown) == ("…", "…", True)
    assert excerpt("我家的猫", query_words("猫")) == "我家的⟦猫⟧"
