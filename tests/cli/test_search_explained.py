"""`palimpsest memory search`: its filters, the three kinds of nothing, and what --explain adds, in both languages."""

import pytest

from cli.times import time_in

SAID = {
    "zh": (
        "我住在北京",
        "我住在上海",
        "我住在哪里？",
        "什么是量子纠缠？",
        "今天我跟你说过什么？",
        "上周我跟你说过什么？",
    ),
    "en": (
        "I live in Berlin",
        "I live in Lisbon",
        "Where do I live?",
        "How do the tides form?",
        "What did I tell you today?",
        "What did I tell you last week?",
    ),
}


@pytest.fixture(params=SAID)
def said(request, palimpsest):
    words = SAID[request.param]
    nothing = palimpsest("memory", "search", words[2]).stdout
    assert {"zh": "先和助手说点什么", "en": "say something to the agent"}[request.param] in nothing
    for text in words[:2]:
        palimpsest("chat", "-t", "work", "-m", text)
    return request.param, words


def ids(found):
    return [result["id"] for result in found["results"]]


def test_search_explained(palimpsest, said):
    lang, (old, new, asked, unrelated, today, last_week) = said
    plain, found = (palimpsest.json("memory", "search", asked, *more) for more in ((), ("--explain",)))
    assert "near_misses" not in plain
    # Recency goes on from one command to the next, so scores are not compared.
    assert ids(plain) == ids(found)
    misses = {n["text"]: n for n in found["near_misses"]}
    [superseded] = [n for n in found["near_misses"] if n["why"] == "superseded"]
    assert superseded["standing"] == "superseded"
    assert {"zh": "已被更新的取代", "en": "A newer one took its place"}[lang] in superseded["reason"]
    shown = palimpsest("memory", "search", asked, "--explain").stdout
    assert all(word in shown for word in ("meaning", "covered", "Near misses", "superseded", superseded["id"][:8]))
    assert all(text in shown for text in (new, *misses))
    assert "Near misses" not in palimpsest("memory", "search", asked).stdout

    assert palimpsest.json("memory", "search", unrelated)["empty"] == "nothing relevant"
    advised = palimpsest("memory", "search", unrelated).stdout
    assert {"zh": "换成当时说过的词再问", "en": "Ask in words that were used"}[lang] in advised
    left_out = palimpsest("memory", "search", asked, "--kind", "lesson").stdout
    assert {"zh": "去掉一个条件再问", "en": "Take a filter away"}[lang] in left_out

    for narrow in (
        ["--kind", "lesson"],
        ["--thread", "other"],
        ["--tag", "x"],
        ["--since", "2999-01-01"],
        ["--until", "2001-01-01T00:00Z"],
    ):
        assert palimpsest.json("memory", "search", asked, *narrow)["empty"] == "filtered out"
    same = palimpsest.json(
        "memory", "search", asked, "--kind", "episode", "--kind", "fact", "--thread", "work", "--since", "2001-01-01"
    )
    assert ids(same) == ids(plain)

    kept = palimpsest.json("memory", "search", today)
    assert {r["text"] for r in kept["results"] if r["kind"] == "episode"} <= {old, new}
    assert kept["within"]["words"] == {"zh": "今天", "en": "today"}[lang]
    assert {"zh": "只看这段时间里说过的", "en": "Only what was said on"}[lang] in palimpsest(
        "memory", "search", today
    ).stdout
    empty = palimpsest.json("memory", "search", last_week)
    assert (empty["empty"], empty["results"]) == ("filtered out", [])
    assert {"zh": "在这段时间里没有说过", "en": "Ask without the time"}[lang] in empty["advice"]


def test_a_time_that_cannot_be_read_and_a_kind_that_is_none(palimpsest):
    palimpsest("memory", "remember", "I like tea")
    assert "is no time" in palimpsest("memory", "search", "tea", "--since", "soon", code=2).stderr
    assert "Unknown kind 'dream'" in palimpsest("memory", "search", "tea", "--kind", "dream", code=1).stderr
    refused = palimpsest("memory", "search", "tea", "--explain", "--url", "http://127.0.0.1:1", code=1).stderr
    assert refused == "A server's store has no filters and no reasons; for those, leave --url out.\n"


def test_a_time_without_an_offset_is_of_the_zone():
    from zoneinfo import ZoneInfo

    shanghai = ZoneInfo("Asia/Shanghai")
    assert time_in("2026-01-05", shanghai).isoformat() == "2026-01-05T00:00:00+08:00"
    assert time_in("2026-01-05T09:00Z", shanghai).isoformat() == "2026-01-05T09:00:00+00:00"
    assert time_in("2026-01-05", None).tzinfo is not None
