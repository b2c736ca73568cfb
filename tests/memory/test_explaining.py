"""The sentences of near misses and of nothing: one for each reason, in both languages, with everything they name."""

from datetime import UTC, datetime
from typing import get_args

import pytest

from memory.explaining import Empty, Filter, Why, advice, near_miss
from memory.question import read
from memory.ranking import rank
from memory.record import Memory
from memory.relevance import Scale, each, evidence
from memory.signals import Candidate, Found

NOW = datetime(2026, 6, 1, tzinfo=UTC)
SCALE = Scale(0.3, 0.1)
MEMORY = Memory(
    id="0123456789",
    user_id="a",
    kind="fact",
    text="likes {tea}",
    thread_id="monday",
    commit_id="abcdefghij",
    checkpoint_id="1f0",
    expires_at=NOW,
    held="because",
)
NAMED = {
    "below threshold": ("0.21", "0.30"),
    "beyond the limit": ("7",),
    "no room": ("12", "99"),
    "told already": ("other {text}",),
    "filtered out": ("2026-05-01",),
    "superseded": ("other {text}",),
    "expired": ("2026-06-01 00:00+00:00",),
    "held": ("because",),
    "retracted": ("01234567",),
    "swept": ("never used {in days}", "01234567"),
    "undone": ("abcdefgh",),
    "other branch": ("abcdefgh", "monday@1f0"),
    "deleted thread": ("monday",),
}


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("why", get_args(Why))
def test_every_reason_has_a_sentence_with_what_it_names(why, language):
    miss = near_miss(
        MEMORY,
        why,
        language,
        score=1.0,
        filters=("kind", "time"),
        within="2026-05-01",
        evidence=0.21,
        threshold=0.3,
        limit=7,
        tokens=12,
        max_tokens=99,
        other="other {text}",
        swept="never used {in days}",
    )
    assert (miss.why, miss.score, miss.to_dict()["reason"]) == (why, 1.0, miss.reason)
    assert all(part in miss.reason for part in NAMED[why])
    assert any("\u4e00" <= character <= "\u9fff" for character in miss.reason) is (language == "zh")


@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_filter_and_every_kind_of_nothing_has_words(language):
    said = {advice(empty, language, filters=get_args(Filter)) for empty in get_args(Empty)}
    assert len(said) == len(get_args(Empty))
    assert len({advice("filtered out", language, filters=[one]) for one in get_args(Filter)}) == len(get_args(Filter))
    assert "0.21" in advice("nothing relevant", language, evidence=(0.21, 0.3))
    timed = advice("filtered out", language, filters=["time"], within="2026-05-01")
    assert "2026-05-01" in timed


def candidate(text, dense):
    return Candidate(Memory(id=text, user_id="a", kind="episode", text=text), dense, 0.0)


def test_no_candidate_alone_has_more_evidence_than_all_together():
    candidates = [candidate("green tea", 0.2), candidate("a red boat", 0.4), candidate("茶", 0.0)]
    found = Found(candidates, read("Does Priya drink green tea?", NOW), now=NOW, floor=0.1)
    alone = each(found, SCALE)
    assert max(alone) <= evidence(found, SCALE)
    one = Found(candidates[:1], found.asked, now=NOW, floor=0.1)
    assert each(one, SCALE) == [pytest.approx(evidence(one, SCALE))]


def test_where_all_count_nothing_is_too_little():
    candidates = [candidate("a red boat", -0.2), candidate("茶", -0.1)]
    asked = read("What is quantum entanglement?", NOW)
    assert rank(candidates, asked, scale=SCALE, now=NOW) == []
    assert {s.memory.text for s in rank(candidates, asked, scale=SCALE, now=NOW, all_count=True)} == {
        "a red boat",
        "茶",
    }
    assert rank([], asked, scale=SCALE, now=NOW, all_count=True) == []
