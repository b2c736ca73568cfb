import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.text import PASSAGE_CHARS, clean, content_text, language, passages


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("你好\ud83d", "你好\ufffd"),
        ("\ude00你好", "\ufffd你好"),
        ("a\ud83d\ud83d\ude00b", "a\ufffd😀b"),
        ("smile \ud83d\ude00!", "smile 😀!"),
        ("before\x00after", "beforeafter"),
        ("\x1b[31mred\x07\x7f", "[31mred"),
        ("one\r\ntwo\rthree\n\tfour", "one\ntwo\nthree\n\tfour"),
        ("👩‍👩‍👧 ❤️ 👍🏽 🇨🇳", "👩‍👩‍👧 ❤️ 👍🏽 🇨🇳"),
        ("１３８ ﬁne ㎏ e\u0301 \u3000", "１３８ ﬁne ㎏ e\u0301 \u3000"),
        ("", ""),
    ],
)
def test_clean_keeps_what_was_said_and_drops_what_no_store_can_keep(said: str, kept: str) -> None:
    assert clean(said) == kept


ANY_TEXT = st.text(st.one_of(st.characters(), st.sampled_from("\ud83d\ude00\x00\r\n\t😀你")))


@settings(max_examples=150)
@given(ANY_TEXT)
def test_clean_is_idempotent_and_its_result_encodes(said: str) -> None:
    once = clean(said)
    assert clean(once) == once
    assert once.encode().decode() == once
    assert not set(once) & ({chr(code) for code in range(32)} - {"\n", "\t"})


@settings(max_examples=100)
@given(st.text(st.characters(exclude_categories=["Cs", "Cc"])))
def test_clean_leaves_valid_text_alone(said: str) -> None:
    assert clean(said) == said


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("plain", "plain"),
        ([], ""),
        (["one", "two"], "one\ntwo"),
        ([{"type": "text", "text": "看这张图"}, {"type": "image_url", "image_url": {"url": "data:..."}}], "看这张图"),
        ([{"type": "image", "base64": "aGk="}], ""),
        ([{"type": "text", "text": "a"}, {"type": "image"}, "b", {"type": "output_text", "text": "c"}], "a\nb\nc"),
        ([{"type": "reasoning", "text": "hidden"}, {"type": "text", "text": None}, {"type": "text"}, 7, None], ""),
        ([{"type": "tool_use", "input": {"text": "no"}}, {"type": "text", "text": "yes"}], "yes"),
    ],
)
def test_content_text_takes_the_text_parts_alone(content: str | list[object], words: str) -> None:
    assert content_text(content) == words


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("帮我改这份 résumé", "zh"),
        ("我用 Visual Studio Code 写 Python", "zh"),
        ("Python 怎么装", "zh"),
        ("iPhone 15 价格", "zh"),
        ("帮我翻译 I love you so much", "zh"),
        ("订单 #8842？", "zh"),
        ("8842？", "zh"),
        ("I live in 北京", "en"),
        ("Please translate 今天天气很好 into English", "en"),
        ("What does 我爱你 mean?", "en"),
        ("Can you recommend a café in 成都", "en"),
        ("北京 is where I’m from", "en"),
        ("résumé", "en"),
        ("8842?", "en"),
        ("👍", "en"),
        ("", "en"),
    ],
)
def test_language_is_that_of_the_users_words(said: str, expected: str) -> None:
    assert language(said) == expected


def cut(text: str, max_chars: int = PASSAGE_CHARS) -> list[str]:
    return [text[start:end] for start, end in passages(text, max_chars=max_chars)]


def size(text: str) -> int:
    return sum(4 if char > "\u2e7f" else 1 for char in text)


def test_a_text_within_the_bound_is_one_passage() -> None:
    assert cut("字" * 350) == ["字" * 350]
    assert cut("One sentence. " * 100) == ["One sentence. " * 100]
    assert passages("") == []


def test_passages_end_at_the_strongest_boundary_near_the_middle() -> None:
    paragraph = "The quick brown fox jumps. " * 2
    assert cut(f"{paragraph}\n\n{paragraph}", 64) == [f"{paragraph}\n\n", paragraph]
    assert cut("今天去了公园。看见两只鸟，一红一蓝。回家吃饭。", 48) == [
        "今天去了公园。",
        "看见两只鸟，一红一蓝。",
        "回家吃饭。",
    ]
    assert cut("version 3.14 is out, it is said at 10:30 by everyone", 40) == [
        "version 3.14 is out, ",
        "it is said at 10:30 by everyone",
    ]


def test_a_sentence_without_any_boundary_is_cut_hard_and_evenly() -> None:
    assert cut("x" * 80, 40) == ["x" * 40, "x" * 40]
    assert cut("字" * 30, 40) == ["字" * 10] * 3


def test_a_hard_cut_keeps_words_and_combined_characters_whole() -> None:
    assert cut("字" * 7 + "Palimpsest" + "字" * 8, 48) == ["字" * 7 + "Palimpsest", "字" * 8]
    assert all(part.count("👍") == part.count("🏽") for part in cut("👍🏽" * 20, 40))


def test_a_strong_boundary_near_the_end_leaves_no_tiny_tail() -> None:
    assert cut("one two " * 11 + "\n\ntiny tail", 96) == ["one two " * 6, "one two " * 5 + "\n\ntiny tail"]


def test_a_long_chinese_message_becomes_passages_of_like_size() -> None:
    said = "".join(f"第{n}天，我们走了很远的路，看到了山和湖。晚上住在镇上。" for n in range(800))
    sizes = [size(part) for part in cut(said)]
    assert max(sizes) <= PASSAGE_CHARS
    assert min(sizes) >= PASSAGE_CHARS // 4


PROSE = st.text(st.sampled_from("ab9 .,\n，。！中文字😀\u0301\u200d"), max_size=400)


@settings(max_examples=300)
@given(PROSE, st.integers(32, 120))
def test_passages_cover_the_text_in_order_within_the_bounds(said: str, bound: int) -> None:
    spans = passages(said, max_chars=bound)
    ends = [0, *(end for _, end in spans)]
    assert [start for start, _ in spans] == ends[:-1]
    assert ends[-1] == len(said)
    sizes = [size(said[start:end]) for start, end in spans]
    assert all(n <= bound for n in sizes)
    assert len(sizes) < 2 or min(sizes) >= bound / 4


def test_a_bound_too_small_for_the_rules_is_refused() -> None:
    with pytest.raises(ValueError, match="max_chars is 8"):
        passages("text", max_chars=8)
