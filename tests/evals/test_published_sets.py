"""LoCoMo's and LongMemEval's own files, in tiny hand-made copies of their form."""

import copy
import json
from datetime import UTC, datetime

import pytest

from evals.datasets import Query
from evals.sources import load
from stores.errors import BadInput
from stores.imports import ImportedMessage

LOCOMO = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bo",
            # Not in the order of their numbers, as text sorts them.
            "session_10_date_time": "9:05 am on 3 June, 2023",
            "session_10": [{"speaker": "Bo", "dia_id": "D10:1", "text": "豆豆 is five now."}],
            "session_2_date_time": "1:56 pm on 8 May, 2023",
            "session_2": [
                {"speaker": "Ann", "dia_id": "D2:1", "text": "Look!", "blip_caption": "a red kite", "img_url": ["x"]},
                {"speaker": "Bo", "dia_id": "D2:2", "text": "Where was that?"},
            ],
        },
        "qa": [
            {"question": "What flew?", "answer": "a kite", "evidence": ["D2:1"], "category": 4},
            {"question": "What else?", "answer": "x", "evidence": ["D:2:01; D10:1", "D2:9", "D"], "category": 1},
            {"question": "When?", "answer": 2022, "evidence": [], "category": 2},
            {"question": "Who sang?", "adversarial_answer": "Bo", "evidence": ["D2:2"], "category": 5},
        ],
    }
]

LONGMEMEVAL = [
    {
        "question_id": "q1",
        "question_type": "multi-session",
        "question": "我的自行车是什么颜色？",
        "answer": "绿色",
        "question_date": "2023/06/01 (Thu) 10:15",
        "haystack_session_ids": ["late", "early", "early"],
        "haystack_dates": ["2023/05/21 (Sun) 08:00", "2023/05/20 (Sat) 02:21", "2023/05/20 (Sat) 02:21"],
        "haystack_sessions": [
            [{"role": "assistant", "content": "It is green.", "has_answer": True}],
            [{"role": "user", "content": "我买了自行车", "has_answer": True}, {"role": "assistant", "content": " "}],
            [{"role": "user", "content": "Again.", "has_answer": False}],
        ],
        "answer_session_ids": ["late", "early"],
    },
    {
        "question_id": "q2_abs",
        "question_type": "multi-session",
        "question": "What colour is my car?",
        "answer": "not said",
        "question_date": "2023/06/01 (Thu) 10:15",
        "haystack_session_ids": ["only"],
        "haystack_dates": ["2023/05/21 (Sun) 08:00"],
        "haystack_sessions": [[{"role": "user", "content": "Hello"}]],
        "answer_session_ids": [],
    },
]


def write(folder, name, value):
    path = folder / name
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path


def changed(rows, steps, value):
    """A copy with one thing put in the place that the steps lead to, or taken away when it is None."""
    rows = copy.deepcopy(rows)
    at = rows
    for step in steps[:-1]:
        at = at[step]
    if value is None:
        del at[steps[-1]]
    else:
        at[steps[-1]] = value
    return rows


def test_locomo_is_read_as_it_is_published(tmp_path):
    (found,) = load(write(tmp_path, "locomo10.json", LOCOMO))
    may, june = datetime(2023, 5, 8, 13, 56, tzinfo=UTC), datetime(2023, 6, 3, 9, 5, tzinfo=UTC)
    assert found.name == "locomo10"
    assert [(item.id, item.group, item.messages) for item in found.items] == [
        (item_id, "conv-1", (ImportedMessage(item_id, text, thread, speaker, at, speaker),))
        for item_id, text, thread, speaker, at in [
            ("conv-1/D2:1", "Ann: Look! [image: a red kite]", "conv-1/2", "Ann", may),
            ("conv-1/D2:2", "Bo: Where was that?", "conv-1/2", "Bo", may),
            ("conv-1/D10:1", "Bo: 豆豆 is five now.", "conv-1/10", "Bo", june),
        ]
    ]
    assert found.queries == (
        Query("conv-1/q0", "conv-1", "What flew?", "single-hop", ("conv-1/D2:1",)),
        Query("conv-1/q1", "conv-1", "What else?", "multi-hop", ("conv-1/D2:1", "conv-1/D10:1")),
        Query("conv-1/q3", "conv-1", "Who sang?", "adversarial", ("conv-1/D2:2",)),
    )
    assert found.passed_over == {"evidence that names no turn": 2, "questions without evidence": 1}


def test_longmemeval_is_read_as_it_is_published(tmp_path):
    (found,) = load(write(tmp_path, "longmemeval_s.json", LONGMEMEVAL))
    first, later = datetime(2023, 5, 20, 2, 21, tzinfo=UTC), datetime(2023, 5, 21, 8, tzinfo=UTC)
    assert found.name == "longmemeval_s"
    assert [item.messages for item in found.items] == [
        (ImportedMessage("q1/early/0", "我买了自行车", "q1/early", "user", first),),
        (ImportedMessage("q1/early (2)/0", "Again.", "q1/early (2)", "user", first),),
        (ImportedMessage("q1/late/0", "It is green.", "q1/late", "assistant", later),),
    ]
    asked_at = datetime(2023, 6, 1, 10, 15, tzinfo=UTC)
    gold = ("q1/early/0", "q1/late/0")
    assert found.queries == (Query("q1", "q1", "我的自行车是什么颜色？", "multi-session", gold, asked_at=asked_at),)
    assert found.passed_over == {"questions of which no turn is marked": 1, "turns without words": 1}


@pytest.mark.parametrize(
    ("rows", "steps", "value", "sentence"),
    [
        (LOCOMO, (0, "sample_id"), None, "conversation 1: no 'sample_id'"),
        (LOCOMO, (0, "qa"), None, "conversation 1: no 'qa'"),
        (
            LOCOMO,
            (0, "conversation", "session_2_date_time"),
            None,
            "conversation 1, session 2: no 'session_2_date_time'",
        ),
        (LOCOMO, (0, "conversation", "session_2_date_time"), "May", "session 2: time data 'May' does not match"),
        (LOCOMO, (0, "conversation", "session_2", 1, "text"), None, "conversation 1, session 2, turn 2: no 'text'"),
        (LOCOMO, (0, "conversation", "session_2", 1), "Hi", "conversation 1, session 2, turn 2: string indices"),
        (
            LOCOMO,
            (0, "conversation", "session_2", 1, "dia_id"),
            "D2:1",
            "conversation 1: the turn conv-1/D2:1 is there",
        ),
        (LOCOMO, (0, "qa", 2, "question"), None, "conversation 1, question 3: no 'question'"),
        (LOCOMO, (0, "conversation"), [], "conversation 1: a conversation without sessions"),
        (LONGMEMEVAL, (1, "question_id"), "q1", "question 2: the question_id q1 is there twice"),
        (LONGMEMEVAL, (0, "question_date"), "soon", "question 1: time data"),
        (LONGMEMEVAL, (0, "haystack_dates", 1), None, "question 1: 3 session ids, 2 dates and 3 sessions"),
        (LONGMEMEVAL, (0, "haystack_sessions", 1, 0, "role"), "system", "session 2, turn 1: the role 'system' is not"),
        (LONGMEMEVAL, (0, "haystack_sessions", 1, 0, "content"), None, "session 2, turn 1: no 'content'"),
    ],
)
def test_a_file_that_is_not_what_it_should_be_is_refused_with_the_place(tmp_path, rows, steps, value, sentence):
    path = write(tmp_path, "set.json", changed(rows, steps, value))
    with pytest.raises(BadInput) as refused:
        load(path)
    assert str(refused.value).startswith(str(path))
    assert sentence in str(refused.value)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[]", "is neither LoCoMo's file"),
        ('[{"conversation": {}}, 3]', "is neither LoCoMo's file"),
        ('{"a": 1}', "is neither LoCoMo's file"),
        ("[\n{", "line 2: not JSON"),
        ("\udce9", "cannot be read"),
    ],
)
def test_another_file_is_refused(tmp_path, text, sentence):
    path = tmp_path / "set.json"
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(BadInput, match=sentence):
        load(path)
