from langchain_core.messages import AIMessage, HumanMessage

from nodes.spending import report, spent

SUMMARY = {"calls": 1, "input_tokens": 90, "output_tokens": 9}
READ = {"calls": 1, "input_tokens": 30, "output_tokens": 3, "refused": 2}
EXTRACTION = {"calls": 1, "input_tokens": 30, "output_tokens": 3}


def state_of(*, turn_id="t", **usage):
    return {
        "usage": {"turn_id": turn_id, "calls": {"summary": SUMMARY}, **usage},
        "proposals": {"turn_id": "t", "usage": READ},
    }


def test_a_turn_s_calls_by_what_they_were_for():
    told = AIMessage("Hi", usage_metadata={"input_tokens": 5, "output_tokens": 1, "total_tokens": 6})
    calls = spent(state_of(), [HumanMessage("Hello"), told])
    assert calls == {
        "answer": {"calls": 1, "input_tokens": 5, "output_tokens": 1},
        "summary": SUMMARY,
        "extraction": EXTRACTION,
    }
    # 99 + 33 tokens beside an answer of 6.
    memory = {"calls": 2, "input_tokens": 120, "output_tokens": 12, "share": 22.0}
    assert report(state_of(), calls) == {"turn_id": "t", "calls": calls, "memory": memory, "committed": True}


def test_what_is_in_a_commit_already_is_not_counted_again_but_stays_in_the_report():
    state = state_of(committed=True)
    assert spent(state, []) == {"extraction": EXTRACTION}
    assert report(state, spent(state, []))["calls"] == {"summary": SUMMARY, "extraction": EXTRACTION}


def test_another_turn_s_report_counts_for_nothing():
    state = state_of(turn_id="before")
    assert spent(state, []) == {"extraction": EXTRACTION}
    nothing = {"calls": 0, "input_tokens": 0, "output_tokens": 0, "share": None}
    assert report(state, {}) == {"turn_id": "t", "calls": {}, "memory": nothing, "committed": True}
