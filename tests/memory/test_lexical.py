import math
import os
import subprocess
import sys
import threading
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.lexical import Bm25Encoder, query_terms, terms
from memory.stopwords import ENGLISH

ENCODER = Bm25Encoder()


def score(query, document):
    """The dot product that Qdrant takes, with every IDF 1."""
    weights = dict(zip(*ENCODER.query(query), strict=True))
    return sum(weights.get(i, 0.0) * v for i, v in zip(*ENCODER.document(document), strict=True))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("The cat and the dogs", ["cat", "dog"]),
        ("running runs run", ["run", "run", "run"]),
        ("订单 #8842", ["订单", "订", "单", "8842"]),
        ("user-id", ["user-id", "userid", "user", "id"]),
        ("a@b.com", ["a@b.com", "b", "com"]),
        ("C++ and C#", ["c++", "c", "c#", "c"]),
        ("v1.2.3", ["v1.2.3", "v", "1", "2", "3"]),
        ("getUserName", ["getusername", "get", "user", "name"]),
        ("HTTPServer", ["httpserver", "http", "server"]),
        ("Caroline's don't", ["carolin"]),
        ("Caroline’s", ["carolin"]),
        ("1,234,567", ["1234567"]),
        ("ＡＢＣ１２３", ["abc123", "abc", "123"]),
        ("résumé", ["resum"]),
        ("it IT us US", ["it", "us"]),
        ("__init__", ["init"]),
        ("今天讨论了部署方案", ["今天", "讨论", "部署", "方案", "天讨", "论了", "了部", "署方", *"今天讨论了部署方案"]),
        ("用db存", ["用", "db", "存"]),
        ("😀👍🏽", ["😀", "👍"]),
        ("* ? \" ' -- ...", []),
    ],
)
def test_terms(text, expected):
    assert terms(text) == expected


def test_query_terms_are_distinct_and_in_order():
    assert query_terms("dog cat dogs 猫 cat") == ["dog", "cat", "猫"]


def test_stop_words_are_lower_case_words():
    assert {word for word in ENGLISH if word != word.lower() or not word.isalpha()} == set()


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("部署", "今天讨论了部署方案"),
        ("部署方案", "今天讨论了部署方案"),
        ("案", "今天讨论了部署方案"),
        ("db", "用db存数据"),
        ("拿铁", "我喜欢喝榛子拿铁"),
        ("订单号#8842", "我的订单号是 #8842，帮我查物流"),
        ("8842", "my order is #8842"),
        ("C++", "I write C++ at work"),
        ("user id", "the user-id column"),
        ("wifi", "the wi-fi is down"),
        ("GPT 4", "we tried gpt4"),
        ("user name", "call getUserName()"),
        ("painted", "a painting"),
        ("cafe", "the café"),
        ("CAFÉ", "the cafe"),
        ("IT", "我在IT部门上班"),
        ("node", "node.js"),
        ("🎉", "done 🎉!"),
        ("ラーメン", "昨日ラーメンを食べた"),
        ("서울", "서울에서 만나요"),
        ("हिन्दी", "मैं हिन्दी बोलता हूँ"),
        ("กาแฟ", "ฉันชอบกาแฟ"),
        ("привет", "Привет, мир"),
        ("１３８", "138"),
    ],
)
def test_a_document_is_found(query, document):
    assert score(query, document) > 0


@pytest.mark.parametrize(
    ("query", "document"), [("8843", "#8842"), ("what's up?", "what is up"), ("й", "и"), ("猫", "狗")]
)
def test_a_document_is_not_found(query, document):
    assert score(query, document) == 0


def test_the_word_outweighs_its_scattered_characters():
    assert score("部署方案", "部署方案已定") > 3 * score("部署方案", "方便的话部门会另外署名，答案在后")


@pytest.mark.parametrize(
    "query",
    [
        "C++",
        'a"b',
        "AND",
        "OR NOT",
        "*",
        "",
        "what's up?",
        "user-id",
        "订单号#8842",
        "(",
        "a:b",
        "\0",
        "a\0b",
        "\ud83d",
        "你\udc00好",
        "'",
        "''s",
        "_",
        "#",
        "://",
        "-" * 999,
    ],
)
def test_no_query_is_a_syntax_error(query):
    indices, weights = ENCODER.query(query)
    assert len(indices) == len(weights)


def test_nothing_after_a_nul_is_lost():
    assert terms("cat\0dog\ud83dbird") == ["cat", "dog", "bird"]


def test_the_vectors_follow_the_formula():
    indices, values = ENCODER.document("cat dog dog")
    n, k1, b, average = 3, 0.9, 0.4, 30.0
    norm = k1 * (1 - b + b * n / average)
    expected = {zlib.crc32(b"cat"): 1.9 / (1 + norm), zlib.crc32(b"dog"): 2 * 1.9 / (2 + norm)}
    assert indices == sorted(expected)
    assert values == pytest.approx([expected[i] for i in indices])
    assert ENCODER.query("cat dog dog") == (indices, [1.0, 1.0])


def test_each_owner_has_terms_of_their_own_with_the_same_weights():
    mine, yours = (ENCODER.document("my cat 花生", owner) for owner in ("mine", "yours"))
    assert set(mine[0]).isdisjoint(yours[0])
    assert sorted(mine[1]) == sorted(yours[1])
    assert set(ENCODER.query("花生", "mine")[0]) < set(mine[0])


def test_query_weights_words_over_parts_over_characters():
    weights = dict(zip(*ENCODER.query("部署方案 user-id"), strict=True))
    by_term = {term: weights[zlib.crc32(term.encode())] for term in query_terms("部署方案 user-id")}
    assert by_term == {
        "部署": 1.0, "方案": 1.0, "署方": 0.5, "部": 0.1, "署": 0.1, "方": 0.1, "案": 0.1,
        "user-id": 1.0, "userid": 0.5, "user": 0.5, "id": 0.5,
    }  # fmt: skip
    assert dict(zip(*ENCODER.query("猫 猫咪"), strict=True))[zlib.crc32("猫".encode())] == 1.0
    assert ENCODER.query("案") == ([zlib.crc32("案".encode())], [1.0])


def test_a_longer_document_weighs_less_for_the_same_word():
    assert score("cat", "cat") > score("cat", "cat " + "dog " * 50)


def test_another_process_makes_the_same_vectors():
    text = "今天讨论了部署方案 getUserName #8842 😀"
    code = f"from memory.lexical import Bm25Encoder; print(Bm25Encoder().document({text!r}))"
    root = Path(__file__).parents[2]
    env = os.environ | {"PYTHONHASHSEED": "7", "PYTHONPATH": str(root), "PYTHONIOENCODING": "utf-8"}
    run = subprocess.run([sys.executable, "-c", code], cwd=root, env=env, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == repr(ENCODER.document(text))


def test_threads_make_the_same_terms():
    words = [
        f"{stem}{end}"
        for stem in ("paint", "nation", "relat", "organis", "happi")
        for end in ("ing", "al", "ed", "ation", "ness")
    ]
    texts = [" ".join(f"{word}{letter}" for word in words) for letter in "bcdfghklmn"]
    found: dict[int, list[list[str]]] = {}
    threads = [
        threading.Thread(target=lambda i=i: found.update({i: [terms(text) for text in texts]})) for i in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {i: [terms(text) for text in texts] for i in range(4)}


@settings(max_examples=150)
@given(st.text(st.characters() | st.sampled_from("订单部署方案aB1#-_.@'+ \0\ud83d了的"), max_size=60))
def test_any_text_makes_valid_vectors_and_finds_itself(text):
    for indices, values in (ENCODER.document(text), ENCODER.query(text)):
        assert indices == sorted(set(indices))
        assert all(0 <= i < 2**32 for i in indices)
        assert all(v > 0 and math.isfinite(v) for v in values)
    assert ENCODER.document(text)[0] == ENCODER.query(text)[0]
    assert (score(text, text) > 0) is bool(terms(text))


@settings(max_examples=100)
@given(st.text(st.sampled_from("今天讨论了部署方案我们在杭州用数据库存订单"), min_size=1, max_size=20), st.data())
def test_every_one_and_two_characters_of_a_chinese_text_find_it(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    assert score(text[start : start + data.draw(st.integers(1, 2))], text) > 0
