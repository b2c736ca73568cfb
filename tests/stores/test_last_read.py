"""What is remembered of a thread never shows: every read is what the file says, and nobody's but the reader's own."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Annotated, Any, TypedDict

import pytest
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage
from langgraph.channels import DeltaChannel
from langgraph.checkpoint.serde.types import _DeltaSnapshot
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

from graph.messages import reduce_messages
from stores import last_read
from stores.checkpoint_file import last_value
from stores.checkpointer import SqliteCheckpointer
from stores.last_read import LastRead, Read, own


class State(TypedDict, total=False):
    messages: Annotated[list[Any], DeltaChannel(reduce_messages, list, snapshot_frequency=7)]
    changes: Annotated[dict[str, Any], DeltaChannel(last_value, dict, snapshot_frequency=4)]


def answer(state: State) -> dict[str, Any]:
    said = state["messages"][-1].content
    gone = [RemoveMessage(id=m.id) for m in state["messages"][:-6]]
    return {"messages": [AIMessage(f"re: {said}"), *gone], "changes": {"last": said, "seen": [said]}}


def opened(path: Path, node: Callable[[State], dict[str, Any]] = answer) -> tuple[SqliteCheckpointer, Any]:
    saver = SqliteCheckpointer.open(path)
    builder = StateGraph(State)
    builder.add_node("answer", node)
    builder.add_edge(START, "answer")
    builder.add_edge("answer", END)
    graph = builder.compile(checkpointer=saver)
    saver.delta_channels = {n: c for n, c in graph.channels.items() if isinstance(c, DeltaChannel)}
    return saver, graph


def thread(thread_id: str = "t") -> Any:
    return {"configurable": {"thread_id": thread_id}}


def say(graph: Any, text: str, config: Any = None, **more: Any) -> Any:
    return graph.invoke({"messages": [("user", text)]}, {**(config or thread()), **more})


@pytest.mark.parametrize("seed", range(6))
def test_every_read_is_as_a_process_reads_it_that_remembers_nothing(tmp_path: Path, seed: int) -> None:
    chance, path = Random(seed), tmp_path / "checkpoints.sqlite"
    ours, graph = opened(path)
    other, theirs = opened(path)
    texts = iter(f"{'说' if i % 2 else 'say'} {i}" for i in range(1000))

    def states(which: Any, name: str) -> list[Any]:
        return list(which.get_state_history(thread(name)))

    def turn(which: Any, name: str) -> None:
        at = chance.choice(states(graph, name) or [None]) if chance.random() < 0.3 else None
        say(which, next(texts), at.config if at else thread(name), metadata={"run_id": f"run {chance.randrange(4)}"})

    def update(which: Any, name: str) -> None:
        if states(graph, name):
            which.update_state(thread(name), {"messages": [HumanMessage(next(texts))]}, as_node="answer")

    def copy(saver: SqliteCheckpointer, name: str) -> None:
        saver.delete_thread("copy")
        if states(graph, name):
            saver.copy_thread(name, "copy")

    def cut(saver: SqliteCheckpointer, name: str) -> None:
        ids = [s.config["configurable"]["checkpoint_id"] for s in states(graph, name)]
        saver.delete_checkpoints(name, [i for i in ids if chance.random() < 0.3])

    pair = [(ours, graph), (other, theirs)]
    for _ in range(24):
        (saver, which), name = chance.choice(pair), chance.choice(["t", "t", "copy"])
        match chance.randrange(12):
            case 0:
                update(which, name)
            case 1:
                copy(saver, "t")
            case 2:
                cut(saver, name)
            case 3:
                saver.delete_for_runs(["run 1"])
            case 4:
                saver.prune([name])
            case _:
                turn(which, name)
        fresh, plain = opened(path)
        with fresh:
            for name in ("t", "copy"):
                found = states(graph, name)
                expected = states(plain, name)
                assert [(s.values, s.next) for s in found] == [(s.values, s.next) for s in expected]
                # In an order of one's own too, and twice: what was read last is another one each time.
                for state in chance.choices(expected, k=min(6, len(expected))):
                    assert graph.get_state(state.config).values == state.values
    ours.close()
    other.close()


def test_what_somebody_changes_in_place_is_not_what_the_next_one_reads(tmp_path: Path) -> None:
    saver, graph = opened(tmp_path / "checkpoints.sqlite")
    with saver:
        say(graph, "我住在南京")
        say(graph, "I moved to Berlin")
        first = graph.get_state(thread()).values
        expected = [(m.content, dict(m.additional_kwargs)) for m in first["messages"]]
        first["messages"][0].content = "changed"
        first["messages"][1].additional_kwargs["changed"] = True
        first["messages"].pop()
        first["changes"]["seen"].append("changed")
        second = graph.get_state(thread()).values
        assert [(m.content, m.additional_kwargs) for m in second["messages"]] == expected
        assert second["changes"] == {"last": "I moved to Berlin", "seen": ["I moved to Berlin"]}


def test_a_turn_decodes_what_came_since_and_not_what_it_read_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saver, graph = opened(tmp_path / "checkpoints.sqlite")
    decoded: list[Any] = []
    with saver:
        for i in range(20):
            say(graph, f"{i}")
        decode = saver.serde.loads_typed
        monkeypatch.setattr(saver.serde, "loads_typed", lambda data: decoded.append(data) or decode(data))
        graph.get_state(thread())
        newest = len(decoded)
        decoded.clear()
        graph.get_state(thread())
    # The checkpoint itself, and beside it nothing the second time.
    assert (newest > 1, len(decoded)) == (True, 1)


def test_a_deleted_thread_is_forgotten(tmp_path: Path) -> None:
    saver, graph = opened(tmp_path / "checkpoints.sqlite")
    with saver:
        say(graph, "我的密码")
        config = graph.get_state(thread()).config
        assert saver._last.of("t") is not None
        saver.delete_thread("t")
        assert saver._last.of("t") is None
        history = saver.get_delta_channel_history(config=config, channels=["messages"])
        assert history == {"messages": {"writes": [], "seed": _DeltaSnapshot([])}}


def test_few_threads_are_remembered_and_none_that_takes_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(last_read, "THREADS", 2)
    last, read = LastRead(), Read("1", {"messages": []})
    for name in ("a", "b"):
        last.keep(name, read)
    assert last.of("a") == read
    last.keep("c", read)
    assert [last.of(name) for name in "abc"] == [read, None, read]
    last.keep("a", Read("2", {"messages": [HumanMessage("好" * last_read.MOST_TEXT), AIMessage("!")]}))
    assert [last.of(name) for name in "abc"] == [None, None, read]


def test_a_copy_is_equal_and_shares_nothing_that_can_change() -> None:
    message = AIMessage(
        [{"type": "text", "text": "你好"}],
        id="1",
        tool_calls=[{"name": "look", "args": {"at": ["a"]}, "id": "x"}],
        response_metadata={"model_name": "m", "by": [1, 2.5, None, True]},
        extra=["more"],
    )
    value = {"messages": [message, HumanMessage("hi", id="2")], "n": 1, "set": {"a"}}
    twin = own(value)
    assert twin == value
    copied = twin["messages"][0]
    assert copied.model_dump() == message.model_dump()
    for name in ("content", "tool_calls", "response_metadata", "additional_kwargs"):
        assert getattr(copied, name) is not getattr(message, name)
    assert copied.tool_calls[0]["args"]["at"] is not message.tool_calls[0]["args"]["at"]
    assert copied.extra is not message.extra
    assert twin["set"] is not value["set"]


def added(state: list[str], writes: Any) -> list[str]:
    return [*state, *(word for write in writes for word in write)]


class Inner(TypedDict, total=False):
    messages: Annotated[list[str], DeltaChannel(added, list, snapshot_frequency=100)]
    changes: Annotated[list[str], DeltaChannel(added, list, snapshot_frequency=100)]


def test_a_channel_of_the_same_name_inside_another_graph_is_its_own(tmp_path: Path) -> None:
    builder = StateGraph(Inner)
    builder.add_node("one", lambda _: {"messages": ["m1"], "changes": ["c1"]})
    builder.add_node("ask", lambda _: {"messages": [interrupt("?")], "changes": ["c2"]})
    builder.add_edge(START, "one")
    builder.add_edge("one", "ask")
    builder.add_edge("ask", END)
    inner = builder.compile()

    def node(_: State) -> dict[str, Any]:
        return {"changes": dict(inner.invoke({"messages": ["m0"], "changes": ["c0"]}))}

    saver, graph = opened(tmp_path / "checkpoints.sqlite", node)
    with saver:
        say(graph, "hi")
        assert graph.invoke(Command(resume="yes"), thread())["changes"] == {
            "messages": ["m0", "m1", "yes"],
            "changes": ["c0", "c1", "c2"],
        }


def test_what_a_checkpoint_holds_itself_goes_before_what_is_remembered_of_it(tmp_path: Path) -> None:
    saver, graph = opened(tmp_path / "checkpoints.sqlite")
    with saver:
        say(graph, "one")
        saver.prune(["t"])
        kept = graph.get_state(thread()).config
        # Of a checkpoint's past, which is gone; it holds the whole value.
        assert saver.get_delta_channel_history(config=kept, channels=["messages"])["messages"]["writes"] == []
        said = [m.content for m in say(graph, "two")["messages"]]
    fresh, graph = opened(tmp_path / "checkpoints.sqlite")
    with fresh:
        assert [m.content for m in graph.get_state(thread()).values["messages"]] == said
        assert said == ["one", "re: one", "two", "re: two"]
