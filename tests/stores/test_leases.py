import asyncio
import gc
import os
import platform
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any
from uuid import UUID, uuid4

import pytest
from langchain_core.messages import AIMessage
from langgraph.channels import DeltaChannel
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt
from sqlalchemy import create_engine, event, insert, select
from typing_extensions import TypedDict

from graph.messages import reduce_messages
from stores.checkpointer import SqliteCheckpointer
from stores.leases import Holder, LeaseHandler, Leases, ThreadBusy, leased
from stores.schema import leases as table
from tests.processes import Python

LATER = 4_102_444_800_000
"""The year 2100, in milliseconds."""


class State(TypedDict, total=False):
    messages: Annotated[list[Any], DeltaChannel(reduce_messages, list)]


class Now:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.time = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time

    def passes(self, seconds: float) -> None:
        self.time += timedelta(seconds=seconds)


def new_leases(folder: Path, **given: Any) -> Leases:
    engine = create_engine(f"sqlite:///{folder / 'ledger.sqlite'}", connect_args={"timeout": 10})
    table.metadata.create_all(engine, [table])
    return Leases(engine, **given)


@pytest.fixture
def leases(tmp_path: Path) -> Iterator[Leases]:
    opened = new_leases(tmp_path)
    yield opened
    opened._engine.dispose()


@pytest.fixture
def saver(tmp_path: Path) -> Iterator[SqliteCheckpointer]:
    with SqliteCheckpointer.open(tmp_path / "checkpoints.sqlite") as opened:
        yield opened


def build(node: Callable[..., Any], saver: SqliteCheckpointer | None, leases: Leases | None) -> Any:
    builder = StateGraph(State)
    builder.add_node("node", node)
    builder.add_edge(START, "node")
    builder.add_edge("node", END)
    graph = builder.compile(checkpointer=saver)
    return leased(graph, leases) if leases else graph


def thread(thread_id: str = "t", **more: Any) -> Any:
    return {"configurable": {"thread_id": thread_id}, **more}


def saying(text: str) -> Any:
    return {"messages": [("user", text)]}


def said(graph: Any, thread_id: str = "t") -> list[str]:
    return [m.content for m in graph.get_state(thread(thread_id)).values.get("messages", [])]


class Gate:
    """A node that stops until it is let go, once."""

    def __init__(self) -> None:
        self.entered, self.go, self.left = threading.Event(), threading.Event(), threading.Event()

    def __call__(self, state: State) -> dict[str, Any]:
        text = state["messages"][-1].content
        if text == "slow":
            self.entered.set()
            assert self.go.wait(10)
            self.left.set()
        return {"messages": [AIMessage(f"re: {text}")]}


async def _collect(graph: Any, given: Any, config: Any) -> list[Any]:
    return [part async for part in graph.astream(given, config)]


WAYS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "invoke": lambda graph, given, config: graph.invoke(given, config),
    "stream": lambda graph, given, config: list(graph.stream(given, config)),
    "batch": lambda graph, given, config: graph.batch([given], [config]),
    "ainvoke": lambda graph, given, config: asyncio.run(graph.ainvoke(given, config)),
    "astream": lambda graph, given, config: asyncio.run(_collect(graph, given, config)),
    "abatch": lambda graph, given, config: asyncio.run(graph.abatch([given], [config])),
}


# ---- leases by themselves


def test_one_run_has_a_thread_and_others_are_told(leases: Leases) -> None:
    leases.acquire("周一", "run 1")
    leases.acquire("周一", "run 1")
    leases.acquire("tuesday", "run 2")
    with pytest.raises(ThreadBusy, match="The thread '周一' is in the middle of another turn"):
        leases.acquire("周一", "run 2")
    with pytest.raises(ThreadBusy):
        leases.check("周一")
    leases.release("周一", "run 2")
    assert [h and h.run_id for h in (leases.holder("周一"), leases.holder("tuesday"), leases.holder("x"))] == [
        "run 1", "run 2", None,
    ]  # fmt: skip
    leases.release("周一", "run 1")
    leases.check("周一")
    leases.acquire("周一", "run 2")


def test_the_refusal_says_what_happened_what_is_unharmed_and_what_to_do(tmp_path: Path) -> None:
    leases = new_leases(tmp_path, clock=Now())
    leases.acquire("t", "run 1")
    with pytest.raises(ThreadBusy) as raised:
        leases.acquire("t", "run 2")
    assert str(raised.value) == (
        f"The thread 't' is in the middle of another turn (process {os.getpid()} on {platform.node()}). Nothing was "
        "changed and your message was not taken: send it again when that turn has ended, or after "
        "2026-03-01T12:10:00+00:00 if it never does."
    )
    leases._engine.dispose()


def test_a_lease_without_a_sign_of_life_expires(tmp_path: Path) -> None:
    now = Now()
    leases = new_leases(tmp_path, seconds=60, clock=now)
    leases.acquire("t", "run 1")
    now.passes(40)
    leases.renew("t")
    now.passes(40)
    with pytest.raises(ThreadBusy):
        leases.acquire("t", "run 2")
    now.passes(20)
    assert leases.holder("t") is None
    leases.acquire("t", "run 2")
    with pytest.raises(ThreadBusy):
        leases.acquire("t", "run 1")
    leases._engine.dispose()


def put(leases: Leases, **values: Any) -> None:
    with leases._engine.begin() as conn:
        conn.execute(insert(table).values({"run_id": "theirs", "expires_at": LATER, **values}))


def test_a_lease_of_another_host_holds_until_it_expires(leases: Leases) -> None:
    put(leases, thread_id="t", host="elsewhere", pid=1, process_started="?")
    put(leases, thread_id="over", host="elsewhere", pid=1, process_started="?", expires_at=1)
    with pytest.raises(ThreadBusy, match="process 1 on elsewhere"):
        leases.acquire("t", "run 1")
    assert leases.holder("t") == Holder("theirs", "elsewhere", 1, "?", LATER)
    leases.acquire("over", "run 1")


def test_a_process_with_a_dead_ones_number_does_not_keep_its_lease(leases: Leases) -> None:
    put(leases, thread_id="t", host=platform.node(), pid=os.getppid(), process_started="long ago")
    assert leases.holder("t") is None
    leases.acquire("t", "run 1")


@pytest.mark.parametrize("how", ["of the system", "of ps"])
def test_the_lease_of_a_process_that_was_killed_is_free_at_once(
    leases: Leases, tmp_path: Path, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = (
        "import sys; sys.path.append('tests/stores'); from pathlib import Path; import stores.leases as l\n"
        "from sqlalchemy import create_engine\n"
        f"if {how == 'of ps'}: l._PROC = Path('nowhere')\n"
        "l.Leases(create_engine(sys.argv[1])).acquire('t', 'theirs'); print('taken', flush=True); sys.stdin.read()"
    )
    if how == "of ps":
        monkeypatch.setattr("stores.leases._PROC", Path("nowhere"))
    command = [sys.executable, "-c", code, str(leases._engine.url)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "taken\n"
        with pytest.raises(ThreadBusy, match=f"process {process.pid} on"):
            leases.acquire("t", "mine")
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # dead, though not yet buried
        leases.acquire("t", "mine")
        assert (leases.holder("t") or Holder("", "", 0, "", 0)).run_id == "mine"


def test_a_run_that_python_has_forgotten_holds_nothing(leases: Leases) -> None:
    run = uuid4()
    leases.acquire("t", str(run), run=run)
    with pytest.raises(ThreadBusy):
        leases.acquire("t", "run 2")
    del run
    gc.collect()
    assert leases.holder("t") is None
    leases.acquire("t", "run 2")


def test_of_many_who_ask_at_once_one_is_given(tmp_path: Path) -> None:
    all_leases = [new_leases(tmp_path) for _ in range(4)]
    barrier = threading.Barrier(4)

    def ask(i: int) -> int | None:
        barrier.wait(10)
        try:
            all_leases[i].acquire("t", f"run {i}")
        except ThreadBusy:
            return None
        return i

    with ThreadPoolExecutor(4) as pool:
        given = [i for i in pool.map(ask, range(4)) if i is not None]
    holder = all_leases[0].holder("t")
    assert holder
    assert [f"run {i}" for i in given] == [holder.run_id]
    for leases in all_leases:
        leases._engine.dispose()


# ---- a graph's turns


@pytest.mark.parametrize("way", WAYS)
def test_a_second_turn_is_refused_until_the_first_has_ended(
    leases: Leases, saver: SqliteCheckpointer, way: str
) -> None:
    gate = Gate()
    graph = build(gate, saver, leases)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(WAYS[way], graph, saying("slow"), thread())
        assert gate.entered.wait(10)
        for other in WAYS.values():
            with pytest.raises(ThreadBusy, match="'t' is in the middle of another turn"):
                other(graph, saying("换个话题"), thread())
        graph.invoke(saying("elsewhere"), thread("another"))
        gate.go.set()
        first.result(10)
    assert leases.holder("t") is None
    WAYS[way](graph, saying("换个话题"), thread())
    assert said(graph) == ["slow", "re: slow", "换个话题", "re: 换个话题"]
    assert said(graph, "another") == ["elsewhere", "re: elsewhere"]


@pytest.mark.parametrize("way", WAYS)
def test_an_error_frees_the_thread(leases: Leases, saver: SqliteCheckpointer, way: str) -> None:
    def node(state: State) -> Any:
        assert leases.holder("t")
        raise ZeroDivisionError

    graph = build(node, saver, leases)
    with pytest.raises(ZeroDivisionError):
        WAYS[way](graph, saying("hi"), thread())
    assert leases.holder("t") is None


@pytest.mark.parametrize("way", WAYS)
def test_a_run_without_a_thread_takes_no_lease(leases: Leases, way: str) -> None:
    taken = []

    def node(state: State) -> Any:
        with leases._engine.connect() as conn:
            taken.append(conn.execute(select(table)).all())

    WAYS[way](build(node, None, leases), saying("hi"), {})
    assert taken == [[]]


def test_a_paused_run_holds_no_lease(leases: Leases, saver: SqliteCheckpointer) -> None:
    def ask(state: State) -> Any:
        return {"messages": [AIMessage(f"{interrupt('哪一天?')} it is")]}

    graph = build(ask, saver, leases)
    graph.invoke(saying("book a table"), thread())
    assert leases.holder("t") is None
    graph.invoke(Command(resume="Monday"), thread())
    assert said(graph) == ["book a table", "Monday it is"]
    assert leases.holder("t") is None


def test_a_stream_that_nobody_reads_on_frees_the_thread(leases: Leases, saver: SqliteCheckpointer) -> None:
    graph = build(Gate(), saver, leases)
    parts = graph.stream(saying("hi"), thread())
    assert leases.holder("t") is None
    next(parts)
    assert leases.holder("t")
    parts.close()
    assert leases.holder("t") is None
    parts = graph.stream(saying("hi again"), thread())
    next(parts)
    del parts
    gc.collect()
    assert leases.holder("t") is None


async def test_an_async_stream_that_nobody_reads_on_frees_the_thread(leases: Leases, saver: SqliteCheckpointer) -> None:
    graph = build(Gate(), saver, leases)
    parts = graph.astream(saying("hi"), thread())
    await anext(parts)
    assert leases.holder("t")
    await parts.aclose()
    assert leases.holder("t") is None


async def test_a_cancelled_run_keeps_the_thread_until_its_sync_node_has_ended(
    leases: Leases, saver: SqliteCheckpointer
) -> None:
    gate = Gate()
    graph = build(gate, saver, leases)
    running = asyncio.create_task(graph.ainvoke(saying("slow"), thread()))
    await asyncio.to_thread(gate.entered.wait, 10)
    for _ in range(3):  # impatience changes nothing
        running.cancel()
        await asyncio.wait([running], timeout=0.1)
    with pytest.raises(ThreadBusy):
        await graph.ainvoke(saying("hi"), thread())
    assert not running.done()
    gate.go.set()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert gate.left.is_set()
    assert leases.holder("t") is None
    await graph.ainvoke(saying("然后呢"), thread())
    assert said(graph)[-2:] == ["然后呢", "re: 然后呢"]


async def test_a_cancelled_run_of_an_async_node_ends_at_once(leases: Leases, saver: SqliteCheckpointer) -> None:
    entered = asyncio.Event()

    async def node(state: State) -> Any:
        entered.set()
        await asyncio.Event().wait()

    graph = build(node, saver, leases)
    running = asyncio.create_task(graph.ainvoke(saying("hi"), thread()))
    await entered.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert leases.holder("t") is None


async def test_a_sync_node_that_waited_for_a_worker_when_the_run_was_cancelled_is_not_run(
    leases: Leases, saver: SqliteCheckpointer
) -> None:
    ran: list[str] = []
    waiting = asyncio.Event()

    async def first(state: State) -> Any:
        # The default pool gets no worker but one, and that one is busy.
        asyncio.get_running_loop().set_default_executor(pool)
        pool.submit(go.wait, 10)
        waiting.set()

    go = threading.Event()
    builder = StateGraph(State)
    builder.add_node("first", first)
    builder.add_node("second", lambda _: ran.append("second"))
    builder.add_edge(START, "first")
    builder.add_edge("first", "second")
    graph = leased(builder.compile(), leases)
    pool = ThreadPoolExecutor(1)
    running = asyncio.create_task(graph.ainvoke(saying("hi"), {}))
    await waiting.wait()
    for _ in range(20):
        await asyncio.sleep(0)
    running.cancel()
    for _ in range(20):
        await asyncio.sleep(0)
    go.set()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert ran == []


async def test_a_run_cancelled_while_it_takes_its_lease_leaves_none(tmp_path: Path, saver: SqliteCheckpointer) -> None:
    leases = new_leases(tmp_path)
    taking, go, taken = threading.Event(), threading.Event(), threading.Event()
    take = leases.acquire

    def slowly(*given: Any, **more: Any) -> None:
        taking.set()
        go.wait(10)
        take(*given, **more)
        taken.set()

    leases.acquire = slowly  # type: ignore[method-assign]
    graph = build(Gate(), saver, leases)
    running = asyncio.create_task(graph.ainvoke(saying("stop"), thread()))
    await asyncio.to_thread(taking.wait, 10)
    running.cancel()
    await asyncio.wait([running])
    go.set()
    await asyncio.to_thread(taken.wait, 10)
    with pytest.raises(asyncio.CancelledError):
        running.result()
    del running
    gc.collect()
    await graph.ainvoke(saying("重发"), thread())
    assert said(graph) == ["重发", "re: 重发"]
    leases._engine.dispose()


async def test_the_database_is_never_asked_in_the_event_loops_thread(leases: Leases, saver: SqliteCheckpointer) -> None:
    asked: list[int] = []

    @event.listens_for(leases._engine, "before_cursor_execute")
    def note(*_: Any) -> None:
        asked.append(threading.get_ident())

    graph = build(Gate(), saver, leases)
    await graph.ainvoke(saying("hi"), thread())
    await _collect(graph, saying("hi"), thread())
    assert len(asked) == 4
    assert threading.get_ident() not in asked


def test_a_node_is_a_sign_of_life_and_a_lost_lease_stops_the_run(tmp_path: Path, saver: SqliteCheckpointer) -> None:
    now = Now()
    leases, elsewhere = (new_leases(tmp_path, seconds=60, clock=now) for _ in range(2))
    ran: list[str] = []

    def step(name: str, seconds: float, then: Callable[[], None] = lambda: None) -> Callable[[State], Any]:
        def node(state: State) -> Any:
            ran.append(name)
            now.passes(seconds)
            then()

        return node

    builder = StateGraph(State)
    names = {
        "long": step("long", 50),
        "longer": step("longer", 50),
        "stolen": step("stolen", 61, lambda: elsewhere.acquire("t", "a thief")),
        "never": step("never", 0),
    }
    for before, (name, node) in zip([START, *names], names.items(), strict=False):
        builder.add_node(name, node)
        builder.add_edge(before, name)
    graph = leased(builder.compile(checkpointer=saver), leases)
    with pytest.raises(ThreadBusy):
        graph.invoke(saying("hi"), thread())
    assert ran == ["long", "longer", "stolen"]
    holder = leases.holder("t")
    assert holder
    assert holder.run_id == "a thief"
    leases._engine.dispose()
    elsewhere._engine.dispose()


def test_a_run_that_this_process_knows_keeps_its_thread_however_long_it_takes(
    tmp_path: Path, saver: SqliteCheckpointer
) -> None:
    now, gate = Now(), Gate()
    leases = new_leases(tmp_path, seconds=60, clock=now)
    graph = build(gate, saver, leases)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(graph.invoke, saying("slow"), thread())
        assert gate.entered.wait(10)
        now.passes(3600)
        with pytest.raises(ThreadBusy):
            graph.invoke(saying("hi"), thread())
        gate.go.set()
        first.result(10)
    leases._engine.dispose()


def test_two_runs_with_one_id_are_two_runs(leases: Leases, saver: SqliteCheckpointer) -> None:
    gate, run_id = Gate(), UUID(int=7)
    graph = build(gate, saver, leases)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(graph.invoke, saying("slow"), thread(run_id=run_id))
        assert gate.entered.wait(10)
        with pytest.raises(ThreadBusy, match="is going on already"):
            graph.invoke(saying("hi"), thread(run_id=run_id))
        gate.go.set()
        first.result(10)
    graph.invoke(saying("hi"), thread(run_id=run_id))
    assert said(graph) == ["slow", "re: slow", "hi", "re: hi"]


@pytest.mark.parametrize("way", WAYS)
def test_a_graph_inside_another_has_the_outer_graphs_turn(leases: Leases, saver: SqliteCheckpointer, way: str) -> None:
    held: list[Any] = []

    def node(state: State) -> Any:
        holder = leases.holder("t")
        held.append(holder and holder.run_id)
        return {"messages": [AIMessage("re")]}

    inner = build(node, None, leases)
    run_id = uuid4()
    WAYS[way](build(inner, saver, leases), saying("hi"), thread(run_id=run_id))
    WAYS[way](build(inner, saver, None), saying("hi"), thread())
    assert held == [str(run_id), None]
    assert leases.holder("t") is None


def test_a_callers_own_callbacks_do_not_push_the_lease_aside(leases: Leases, saver: SqliteCheckpointer) -> None:
    held = []
    graph = build(lambda _: held.append(leases.holder("t")), saver, leases)
    graph.invoke(saying("hi"), thread(callbacks=[LeaseHandler(leases)][:0] or None))
    graph.with_config(tags=["x"]).invoke(saying("hi"), thread(callbacks=[]))
    assert None not in held


def test_state_can_be_updated_only_while_nobody_has_the_thread(leases: Leases, saver: SqliteCheckpointer) -> None:
    gate = Gate()
    graph = build(gate, saver, leases)
    saver.check_lease = leases.check
    graph.invoke(saying("你好"), thread())
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(graph.invoke, saying("slow"), thread())
        assert gate.entered.wait(10)
        with pytest.raises(ThreadBusy):
            graph.update_state(thread(), saying("手工改的"))
        gate.go.set()
        first.result(10)
    graph.update_state(thread(), saying("手工改的"))
    assert said(graph) == ["你好", "re: 你好", "slow", "re: slow", "手工改的"]


KILLED = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from test_leases import build, new_leases, saying, thread
from stores.checkpointer import SqliteCheckpointer
def node(state):
    print("inside", flush=True)
    sys.stdin.read()
folder = Path(sys.argv[2])
with SqliteCheckpointer.open(folder / "checkpoints.sqlite") as saver:
    build(node, saver, new_leases(folder)).invoke(saying("断电之前"), thread(), durability="sync")
"""


def test_a_turn_whose_process_was_killed_is_finished_by_another_at_once(
    leases: Leases, saver: SqliteCheckpointer, tmp_path: Path
) -> None:
    graph = build(Gate(), saver, leases)
    with Python(KILLED, Path(__file__).parent, tmp_path) as process:
        assert process.stdout.readline() == "inside\n"
        with pytest.raises(ThreadBusy, match=f"process {process.pid} on"):
            graph.invoke(saying("hello?"), thread())
        process.kill()
        process.communicate()
        graph.invoke(None, thread())
    assert said(graph) == ["断电之前", "re: 断电之前"]


PROCESS = """
import sys, warnings
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from test_leases import Gate, build, new_leases, saying, thread
from stores.checkpointer import SqliteCheckpointer
from stores.leases import ThreadBusy
folder = Path(sys.argv[2])
warnings.simplefilter("error")
leases = new_leases(folder)
with SqliteCheckpointer.open(folder / "checkpoints.sqlite") as saver:
    graph = build(Gate(), saver, leases)
    print("ready", flush=True)
    sys.stdin.readline()
    try:
        graph.invoke(saying(sys.argv[3]), thread())
        print("said", flush=True)
    except ThreadBusy:
        print("busy", flush=True)
leases._engine.dispose()
"""


def test_of_four_processes_on_one_thread_every_message_is_kept_or_refused(
    leases: Leases, saver: SqliteCheckpointer, tmp_path: Path
) -> None:
    texts = ["一", "two", "三", "four"]
    running = [Python(PROCESS, Path(__file__).parent, tmp_path, text) for text in texts]
    for process in running:
        assert process.stdout.readline() == "ready\n"
    for process in running:
        process.stdin.write("go\n")
        process.stdin.flush()
    outcomes = [process.communicate()[0].strip() for process in running]
    kept = [text for text, outcome in zip(texts, outcomes, strict=True) if outcome == "said"]
    assert set(outcomes) <= {"said", "busy"}
    assert kept
    conversation = said(build(Gate(), saver, None))
    assert sorted(conversation[::2]) == sorted(kept)
    assert conversation[1::2] == [f"re: {text}" for text in conversation[::2]]
    assert leases.holder("t") is None
