import copy
import time
from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage, HumanMessage, RemoveMessage, SystemMessage
from langgraph.channels import DeltaChannel
from langgraph.graph import END, START, StateGraph, add_messages
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from typing_extensions import TypedDict

from graph.messages import reduce_messages
from stores.checkpoint_file import last_value
from stores.checkpointer import SqliteCheckpointer
from stores.serializer import CompressingSerializer


def shown(messages: Sequence[Any]) -> list[tuple[str, Any]]:
    return [(m.type, m.content) for m in messages]


def ids(messages: Sequence[Any]) -> list[str]:
    return [m.id for m in messages]


# ---- ids


@pytest.mark.parametrize(
    "form",
    [
        "你好",
        ("user", "你好"),
        ("human", "你好"),
        {"role": "user", "content": "你好"},
        {"type": "human", "content": "你好"},
        HumanMessage("你好"),
        HumanMessage("你好", id=""),
    ],
    ids=["string", "tuple", "tuple of a type", "dict", "dict of a type", "message", "message with an empty id"],
)
def test_every_form_of_a_message_gets_the_same_id_at_every_read(form: Any) -> None:
    before = [SystemMessage("s", id="0")]
    (_, message), again = reduce_messages(before, [form]), reduce_messages(before, [[copy.copy(form)]])
    assert again == [*before, message]
    assert (message.type, message.content) == ("human", "你好")
    assert message.id == reduce_messages(before, ["你好"])[1].id
    assert reduce_messages([], [form])[0].id != message.id


def test_two_equal_messages_in_a_row_are_two() -> None:
    messages = reduce_messages([], [("user", "嗯嗯"), ("user", "嗯嗯"), [("user", "yes"), ("user", "yes")]])
    assert shown(messages) == [("human", "嗯嗯"), ("human", "嗯嗯"), ("human", "yes"), ("human", "yes")]
    assert len(set(ids(messages))) == 4


def test_an_equal_message_is_added_even_where_its_id_is_taken() -> None:
    # Adding "好" after "p" gives it the id that the "好" further up has, once "p" was removed and came back below.
    first = reduce_messages([], [HumanMessage("p", id="p"), "好"])
    moved = reduce_messages(first, [RemoveMessage(id="p"), HumanMessage("p", id="p")])
    messages = reduce_messages(moved, ["好"])
    assert shown(messages) == [("human", "好"), ("human", "p"), ("human", "好")]
    assert len(set(ids(messages))) == 3


def test_an_id_follows_from_what_is_there_and_not_from_what_was_removed() -> None:
    here = [HumanMessage("留下", id="here")]
    gone = reduce_messages(here, [HumanMessage("gone", id="gone"), RemoveMessage(id="gone"), "好"])
    assert gone == reduce_messages(here, ["好"])


def test_ids_that_are_given_are_kept_and_what_is_given_is_not_changed() -> None:
    given_messages = [HumanMessage("甲", id="mine"), HumanMessage("b")]
    state = [AIMessage("earlier", id="1")]
    messages = reduce_messages(state, [given_messages])
    assert ids(messages)[:2] == ["1", "mine"]
    assert messages[2].id
    assert ids(given_messages) == ["mine", None]
    assert ids(state) == ["1"]


# ---- replacing and removing, as add_messages does


@pytest.mark.parametrize(
    "right",
    [
        [HumanMessage("改过的", id="2")],
        [HumanMessage("x", id="9"), HumanMessage("replaced at once", id="9")],
        [RemoveMessage(id="2")],
        [RemoveMessage(id="3"), HumanMessage("new", id="4")],
        [HumanMessage("new", id="4"), RemoveMessage(id="4")],
        [RemoveMessage(id=REMOVE_ALL_MESSAGES)],
        [HumanMessage("lost", id="5"), RemoveMessage(id=REMOVE_ALL_MESSAGES), HumanMessage("重新开始", id="6")],
        [],
    ],
    ids=["replace", "replace new", "remove", "remove and add", "add and remove", "remove all", "start anew", "nothing"],
)  # fmt: skip
def test_it_does_what_add_messages_does(right: list[Any]) -> None:
    left = [HumanMessage("一", id="1"), AIMessage("two", id="2"), HumanMessage("三", id="3")]
    assert reduce_messages(left, [right]) == add_messages(list(left), copy.deepcopy(right))


def test_removing_what_is_not_there_changes_nothing() -> None:
    left = [HumanMessage("一", id="1")]
    assert reduce_messages(left, [RemoveMessage(id="gone")]) == left


def test_a_chunk_becomes_a_message() -> None:
    assert reduce_messages([], [AIMessageChunk("片段", id="1")]) == [AIMessage("片段", id="1")]


def test_what_is_no_message_is_refused() -> None:
    with pytest.raises(NotImplementedError):
        reduce_messages([], [[3.5]])


# ---- a delta channel may cut its writes anywhere

_ID = st.sampled_from(["a", "b", "c"])
_TEXT = st.sampled_from(["嗯嗯", "yes", "好的", ""])
_MESSAGE = st.one_of(
    _TEXT,
    st.tuples(st.sampled_from(["user", "assistant"]), _TEXT),
    st.builds(lambda text: {"role": "user", "content": text}, _TEXT),
    st.builds(lambda text, i: HumanMessage(text, id=i), _TEXT, st.none() | _ID),
    st.builds(lambda text, i: AIMessage(text, id=i), _TEXT, st.none() | _ID),
    st.builds(lambda i: RemoveMessage(id=i), _ID | st.just(REMOVE_ALL_MESSAGES)),
)
_WRITES = st.lists(_MESSAGE | st.lists(_MESSAGE, max_size=3), max_size=8)


@settings(max_examples=150, deadline=None)
@given(before=_WRITES, writes=_WRITES, cuts=st.lists(st.integers(0, 8), max_size=3))
def test_however_writes_are_cut_and_stored_the_messages_are_the_same(before: Any, writes: Any, cuts: list[int]) -> None:
    state = reduce_messages([], before)
    whole = reduce_messages(state, writes)
    at = [0, *sorted(cuts), len(writes)]
    cut: list[AnyMessage] = state
    for start, end in pairwise(at):
        cut = reduce_messages(cut, writes[start:end])
    assert cut == whole
    stored = CompressingSerializer()
    assert reduce_messages(state, [stored.loads_typed(stored.dumps_typed(write)) for write in writes]) == whole
    assert len(set(ids(whole))) == len(whole)
    assert all(ids(whole))


@settings(max_examples=50)
@given(st.integers(), st.lists(st.integers()), st.lists(st.integers()))
def test_the_last_value_is_the_last_however_writes_are_cut(state: int, xs: list[int], ys: list[int]) -> None:
    assert last_value(last_value(state, xs), ys) == last_value(state, xs + ys) == [state, *xs, *ys][-1]


# ---- in a graph


class State(TypedDict, total=False):
    messages: Annotated[list[Any], DeltaChannel(reduce_messages, list)]


def test_what_nodes_see_is_what_every_later_read_gives() -> None:
    seen: list[list[str]] = []

    def answer(state: State) -> Any:
        seen.append(ids(state["messages"]))
        return {"messages": [("assistant", "嗯嗯"), AIMessage("嗯嗯")]}

    def look(state: State) -> None:
        seen.append(ids(state["messages"]))

    builder = StateGraph(State)
    builder.add_node("answer", answer)
    builder.add_node("look", look)
    builder.add_edge(START, "answer")
    builder.add_edge("answer", "look")
    builder.add_edge("look", END)
    config: Any = {"configurable": {"thread_id": "t"}}
    with SqliteCheckpointer.open(":memory:") as saver:
        graph = builder.compile(checkpointer=saver)
        forms = ["q", ("user", "嗯嗯"), {"role": "user", "content": "嗯嗯"}, HumanMessage("嗯嗯")]
        for i, form in enumerate(forms):
            graph.invoke({"messages": form if i % 2 else [form]}, config)
        messages = graph.get_state(config).values["messages"]
        assert graph.get_state(config).values["messages"] == messages
    assert shown(messages)[:3] == [("human", "q"), ("ai", "嗯嗯"), ("ai", "嗯嗯")]
    assert len(set(ids(messages))) == 12
    assert seen == [ids(messages)[:n] for n in (1, 3, 4, 6, 7, 9, 10, 12)]


def test_half_a_surrogate_pair_reads_back_as_it_was_seen() -> None:
    with SqliteCheckpointer.open(":memory:") as saver:
        builder = StateGraph(State)
        builder.add_node("look", lambda _: None)
        builder.add_edge(START, "look")
        graph = builder.compile(checkpointer=saver)
        config: Any = {"configurable": {"thread_id": "t"}}
        graph.invoke({"messages": "first"}, config)
        live = graph.invoke({"messages": [("user", "好\ud83d\ude00的"), ("user", "cut \ud83d")]}, config)["messages"]
        assert graph.get_state(config).values["messages"] == live
    assert shown(live)[1:] == [("human", "好😀的"), ("human", "cut \ufffd")]


def test_thousands_of_messages_are_replayed_in_one_pass() -> None:
    # Twice the writes may take twice the time, and not four times; the rest is room for a busy machine.
    def seconds(n: int) -> float:
        writes = [[HumanMessage(f"第 {i} 条", id=str(i)) if i % 2 else AIMessage("ok", id=str(i))] for i in range(n)]
        best = min(_timed(writes) for _ in range(3))
        assert len(reduce_messages([], writes)) == n
        return best

    assert seconds(8000) < 12 * seconds(1000) + 0.05


def _timed(writes: list[Any]) -> float:
    start = time.perf_counter()
    reduce_messages([], writes)
    return time.perf_counter() - start
