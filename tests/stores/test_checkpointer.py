import asyncio
import contextlib
import os
import pickle
import sqlite3
import tempfile
import zlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any
from uuid import uuid4

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.channels import DeltaChannel
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt
from typing_extensions import TypedDict

from graph.messages import reduce_messages
from stores.checkpoint_file import CheckpointsCorrupt, DataFolderReadOnly, last_value
from stores.checkpoint_words import WORDS
from stores.checkpointer import SqliteCheckpointer
from stores.serializer import CompressingSerializer
from tests.processes import Python


class State(TypedDict, total=False):
    messages: Annotated[list[Any], DeltaChannel(reduce_messages, list)]
    changes: Annotated[dict[str, Any], DeltaChannel(last_value, dict)]
    turns: int


class Context(TypedDict, total=False):
    user_id: str


def answer(state: State) -> dict[str, Any]:
    said = state["messages"][-1].content
    return {
        "messages": [AIMessage(f"re: {said}")],
        "changes": {"last": said},
        "turns": state.get("turns", 0) + 1,
    }


def build(checkpointer: Any, node: Any = answer, context: Any = Context) -> Any:
    builder = StateGraph(State, context_schema=context)
    builder.add_node("answer", node)
    builder.add_edge(START, "answer")
    builder.add_edge("answer", END)
    graph = builder.compile(checkpointer=checkpointer)
    if isinstance(checkpointer, SqliteCheckpointer):
        checkpointer.delta_channels = {n: c for n, c in graph.channels.items() if isinstance(c, DeltaChannel)}
    return graph


@pytest.fixture
def saver(tmp_path: Path) -> Iterator[SqliteCheckpointer]:
    with SqliteCheckpointer.open(tmp_path / "checkpoints.sqlite") as opened:
        yield opened


def thread(thread_id: str = "t", **more: Any) -> Any:
    return {"configurable": {"thread_id": thread_id}, **more}


def say(graph: Any, text: str, thread_id: str = "t", run_id: str | None = None) -> Any:
    config = thread(thread_id, metadata={"run_id": run_id} if run_id else {})
    return graph.invoke({"messages": [("user", text)]}, config)


def said(graph: Any, thread_id: str = "t") -> list[str]:
    return [m.content for m in graph.get_state(thread(thread_id)).values.get("messages", [])]


def rows(saver: SqliteCheckpointer) -> tuple[list[Any], list[Any]]:
    with saver.cursor(transaction=False) as cur:
        checkpoints = cur.execute("SELECT * FROM checkpoints ORDER BY 1, 2, 3").fetchall()
        return checkpoints, cur.execute("SELECT * FROM writes ORDER BY 1, 2, 3, 4, 6").fetchall()


# ---- what is kept


def test_a_thread_is_read_back_by_another_process_of_the_same_file(tmp_path: Path) -> None:
    file = tmp_path / "new" / "folder" / "checkpoints.sqlite"
    with SqliteCheckpointer.open(file) as saver:
        say(build(saver), "我住在南京")
        say(build(saver), "I moved to Berlin")
        before = build(saver).get_state(thread())
    with SqliteCheckpointer.open(file) as saver:
        after = build(saver).get_state(thread())
    assert after == before
    assert [m.content for m in after.values["messages"]] == [
        "我住在南京", "re: 我住在南京", "I moved to Berlin", "re: I moved to Berlin",
    ]  # fmt: skip
    assert (after.values["changes"], after.values["turns"]) == ({"last": "I moved to Berlin"}, 2)


@pytest.mark.parametrize(
    "thread_id",
    ['it\'s "quoted"; DROP TABLE writes--', "周一 🍜", "%_*?", "nul\x00nul", " ", "a" * 1_000_000, "t\n\t", "a/b|c:d"],
    ids=["quotes", "emoji", "wildcards", "nul", "blank", "long", "newline", "separators"],
)
def test_any_string_is_a_thread_id(saver: SqliteCheckpointer, thread_id: str) -> None:
    graph = build(saver)
    say(graph, "你好", thread_id)
    say(graph, "other thread", thread_id + "'")
    say(graph, "again", thread_id)
    saver.prune([thread_id])
    saver.copy_thread(thread_id, "copy")
    assert said(graph, thread_id) == said(graph, "copy") == ["你好", "re: 你好", "again", "re: again"]
    assert len(list(graph.get_state_history(thread(thread_id)))) == 1
    saver.delete_thread(thread_id)
    assert said(graph, thread_id) == []
    assert said(graph, thread_id + "'") == ["other thread", "re: other thread"]


def test_values_are_strict_msgpack_and_compressed_where_it_pays() -> None:
    serde = CompressingSerializer()
    messages = [HumanMessage(f"第 {i} 条 message", id=str(i)) for i in range(50)]
    kind, blob = serde.dumps_typed(messages)
    assert kind == "zlib1:msgpack"
    assert len(blob) < len(CompressingSerializer.__mro__[1]().dumps_typed(messages)[1]) / 5
    assert serde.loads_typed((kind, blob)) == messages
    assert serde.dumps_typed({"n": 1}) == ("msgpack", b"\x81\xa1n\x01")
    assert serde.loads_typed(("zlib:msgpack", zlib.compress(b"\x81\xa1n\x01"))) == {"n": 1}  # before the dictionary
    assert [serde.loads_typed(serde.dumps_typed(v)) for v in (None, b"x" * 500, {"甲": [1, 2.5, None]})] == [
        None, b"x" * 500, {"甲": [1, 2.5, None]},
    ]  # fmt: skip


def test_no_class_of_a_file_is_made_and_no_pickle_is_read() -> None:
    serde = CompressingSerializer()
    assert serde.loads_typed(serde.dumps_typed(Point(1, 2))) == {"x": 1, "y": 2}
    for kind, blob in (("pickle", pickle.dumps(1)), ("zlib:pickle", zlib.compress(pickle.dumps(1)))):
        with pytest.raises(NotImplementedError):
            serde.loads_typed((kind, blob))


@dataclass
class Point:
    x: int
    y: int


def test_a_file_that_the_upstream_saver_wrote_is_read(tmp_path: Path) -> None:
    with SqliteSaver.from_conn_string(str(tmp_path / "old.sqlite")) as upstream:
        say(build(upstream), "写在之前")
    with SqliteCheckpointer.open(tmp_path / "old.sqlite") as saver:
        say(build(saver), "written after")
        assert said(build(saver)) == ["写在之前", "re: 写在之前", "written after", "re: written after"]
        # A server counts on in upstream's way.
        theirs = SqliteSaver.get_next_version(saver, None, None)
        ours = saver.get_next_version(theirs, None)
        assert theirs < ours < SqliteSaver.get_next_version(saver, ours, None)


def test_the_dictionary_of_written_files_stays_as_it_is() -> None:
    assert sha256(WORDS).hexdigest()[:16] == "f3f7e865539ed1a6"


# ---- transactions and locks


def test_what_fails_is_rolled_back_whole(saver: SqliteCheckpointer) -> None:
    say(build(saver), "kept")
    before = rows(saver)
    with contextlib.suppress(ZeroDivisionError), saver.cursor() as cur:
        cur.execute("DELETE FROM checkpoints")
        raise ZeroDivisionError
    assert rows(saver) == before
    with pytest.raises(TypeError):
        saver.put_writes(before_config(saver), [("a", 1), ("b", object())], "task")
    assert rows(saver) == before


def before_config(saver: SqliteCheckpointer) -> Any:
    found = saver.get_tuple(thread())
    assert found is not None
    return found.config


def test_others_can_use_the_saver_while_a_listing_is_read(saver: SqliteCheckpointer) -> None:
    graph = build(saver)
    say(graph, "one")
    seen = []
    with ThreadPoolExecutor(1) as pool:
        for found in saver.list(thread()):
            pool.submit(say, graph, "two", "another thread").result(10)
            seen.append(found.metadata["step"])
    assert seen == [1, 0, -1]


async def test_sync_and_async_share_one_saver(saver: SqliteCheckpointer) -> None:
    graph = build(saver)

    async def turn(i: int) -> None:
        await graph.ainvoke({"messages": [("user", f"问 {i}")]}, thread(f"t{i}"))
        await asyncio.to_thread(say, graph, "again", f"t{i}")

    await asyncio.gather(*(turn(i) for i in range(8)))
    assert [said(graph, f"t{i}") for i in range(8)] == [
        [f"问 {i}", f"re: 问 {i}", "again", "re: again"] for i in range(8)
    ]
    assert [s async for s in graph.aget_state_history(thread("t3"))] == list(graph.get_state_history(thread("t3")))
    assert await graph.aget_state(thread("t3")) == graph.get_state(thread("t3"))


async def test_the_async_twins_do_what_the_sync_methods_do(saver: SqliteCheckpointer) -> None:
    graph = build(saver)
    for text in ("一", "two"):
        say(graph, text, run_id=text)
    await saver.acopy_thread("t", "copy")
    await saver.adelete_for_runs(["two"])
    await saver.aprune(["copy"])
    assert said(graph) == said(graph, "copy") == ["一", "re: 一"]
    assert len(list(graph.get_state_history(thread("copy")))) == 1
    await saver.adelete_thread("t")
    assert said(graph) == []
    async with SqliteCheckpointer.open(":memory:") as other:
        assert [found async for found in other.alist(thread())] == []


# ---- a crash in the middle


def test_a_message_that_came_before_a_crash_is_there_with_the_one_that_came_after(saver: SqliteCheckpointer) -> None:
    class Killed(BaseException):
        pass

    def killed(state: State) -> Any:
        raise Killed

    say(build(saver), "first")
    with pytest.raises(Killed):
        say(build(saver, killed), "断电之前说的")
    state = say(build(saver), "said after the restart")
    assert [m.content for m in state["messages"]] == said(build(saver))
    assert said(build(saver)) == [
        "first", "re: first", "断电之前说的", "said after the restart", "re: said after the restart",
    ]  # fmt: skip


def test_the_user_of_an_input_is_told_before_any_node_runs(saver: SqliteCheckpointer) -> None:
    told: list[Any] = []
    saver.on_input = lambda *given: told.append(given)

    def boom(state: State) -> dict[str, Any]:
        told.append("node")
        raise ZeroDivisionError

    graph = build(saver, boom)
    with pytest.raises(ZeroDivisionError):
        graph.invoke({"messages": "hi"}, thread("周一"), context={"user_id": "张三"}, durability="sync")
    first = list(saver.list(thread("周一")))[-1]
    assert told == [("周一", "张三", first.checkpoint["id"]), "node"]


async def test_the_user_is_told_in_async_runs_and_from_any_kind_of_context(saver: SqliteCheckpointer) -> None:
    told: list[Any] = []
    saver.on_input = lambda thread_id, user_id, _: told.append((thread_id, user_id))

    @dataclass
    class Who:
        user_id: str = ""

    await build(saver).ainvoke({"messages": "hi"}, thread("a"), context={"user_id": "alice"})
    await build(saver, context=Who).ainvoke({"messages": "hi"}, thread("b"), context=Who("鲍勃"))
    await build(saver, context=Who).ainvoke({"messages": "hi"}, thread("c"), context={"user_id": "carol"})
    await build(saver).ainvoke({"messages": "hi"}, thread("nobody"))
    build(saver).update_state(thread("a"), {"turns": 5})
    assert told == [("a", "alice"), ("b", "鲍勃"), ("c", "carol")]


# ---- copy and prune


def test_a_copied_thread_has_the_same_history_and_its_own_future(saver: SqliteCheckpointer) -> None:
    graph = build(saver)
    for text in ("一", "two", "三"):
        say(graph, text)
    saver.copy_thread("t", "copy")
    history = [(s.values, s.next, s.metadata) for s in graph.get_state_history(thread())]
    assert [(s.values, s.next, s.metadata) for s in graph.get_state_history(thread("copy"))] == history
    say(graph, "only here", "copy")
    say(graph, "只在这里")
    assert said(graph, "copy")[-2:] == ["only here", "re: only here"]
    assert said(graph)[-2:] == ["只在这里", "re: 只在这里"]


def test_a_thread_is_never_mixed_into_another(saver: SqliteCheckpointer) -> None:
    graph = build(saver)
    say(graph, "mine", "a")
    say(graph, "theirs", "b")
    before = rows(saver)
    with pytest.raises(ValueError, match="has checkpoints already"):
        saver.copy_thread("a", "b")
    assert rows(saver) == before


def test_every_checkpoint_reads_as_upstream_reads_it_also_where_its_bytes_changed(saver: SqliteCheckpointer) -> None:
    class Short(TypedDict, total=False):
        messages: Annotated[list[Any], DeltaChannel(reduce_messages, list, snapshot_frequency=5)]
        changes: Annotated[dict[str, Any], DeltaChannel(last_value, dict, snapshot_frequency=3)]

    builder = StateGraph(Short)
    builder.add_node("answer", lambda state: {k: v for k, v in answer(state).items() if k != "turns"})
    builder.add_edge(START, "answer")
    builder.add_edge("answer", END)
    graph = builder.compile(checkpointer=saver)
    saver.delta_channels = {n: c for n, c in graph.channels.items() if isinstance(c, DeltaChannel)}

    def read(history: Any) -> dict[str, Any]:
        found = {}
        for name, past in history.items():
            channel = saver.delta_channels[name].from_checkpoint(past.get("seed"))
            channel.replay_writes(past["writes"])
            found[name] = channel.get()
        return found

    def both() -> tuple[list[Any], list[Any]]:
        configs, names = [s.config for s in graph.get_state_history(thread())], ["messages", "changes"]
        ours = [read(saver.get_delta_channel_history(config=c, channels=names)) for c in configs]
        theirs = [read(SqliteSaver.get_delta_channel_history(saver, config=c, channels=names)) for c in configs]
        return ours, theirs

    for text in ["一", "two", "三", "four", "五", "six", "七"]:
        say(graph, text)
    ours, theirs = both()
    assert ours == theirs
    assert ours[0]["changes"] == {"last": "七"}
    assert len(ours) == 21
    saver.prune(["t"])
    say(graph, "eight")
    ours, theirs = both()
    assert ours == theirs
    assert ours[0]["changes"] == {"last": "eight"}


def test_pruning_keeps_one_checkpoint_with_whole_values(saver: SqliteCheckpointer) -> None:
    graph = build(saver)
    for text in ("一", "two", "三"):
        say(graph, text)
    state = graph.get_state(thread())
    saver.prune(["t", "no such thread"])
    (kept,) = graph.get_state_history(thread())
    assert (kept.values, kept.next, kept.parent_config) == (state.values, (), None)
    assert kept.config == state.config
    say(graph, "four")
    assert said(graph) == ["一", "re: 一", "two", "re: two", "三", "re: 三", "four", "re: four"]
    assert len(list(graph.get_state_history(thread()))) == 4


def test_pruning_without_the_channels_refuses_and_changes_nothing(saver: SqliteCheckpointer) -> None:
    graph = build(saver)
    say(graph, "一", run_id="run 1")
    say(graph, "two", run_id="run 2")
    saver.delta_channels = {}
    before = rows(saver)
    with pytest.raises(ValueError, match="changes, messages of thread 't' are not known"):
        saver.prune(["t"])
    with pytest.raises(ValueError, match="Nothing was deleted"):
        saver.delete_for_runs(["run 1"])
    with pytest.raises(ValueError, match="Unknown strategy"):
        saver.prune(["t"], strategy="keep_first")
    assert rows(saver) == before


# ---- taking runs back


def test_a_run_taken_back_is_gone_and_does_not_return_with_the_next_turn(saver: SqliteCheckpointer) -> None:
    graph = build(saver)
    say(graph, "一", run_id="run 1")
    before = rows(saver)
    say(graph, "收回这句", run_id="run 2")
    saver.delete_for_runs(["run 2"])
    assert rows(saver) == before
    assert say(graph, "three", run_id="run 3")["turns"] == 2
    assert said(graph) == ["一", "re: 一", "three", "re: three"]


def test_what_came_after_a_run_taken_back_keeps_its_values(saver: SqliteCheckpointer) -> None:
    graph = build(saver)
    for i, text in enumerate(("一", "two", "三")):
        say(graph, text, run_id=f"run {i}")
    later = [s for s in graph.get_state_history(thread()) if s.metadata["run_id"] == "run 2"]
    saver.delete_for_runs(["run 1", "no such run"])
    history = list(graph.get_state_history(thread()))
    assert [(s.values, s.next) for s in history[: len(later)]] == [(s.values, s.next) for s in later]
    assert {s.metadata["run_id"] for s in history} == {"run 0", "run 2"}
    newest_before = next(s.config for s in history if s.metadata["run_id"] == "run 0")
    assert history[len(later) - 1].parent_config == newest_before
    say(graph, "four")
    assert said(graph) == ["一", "re: 一", "two", "re: two", "三", "re: 三", "four", "re: four"]


def ask(state: State) -> dict[str, Any]:
    return {"messages": [AIMessage(f"{interrupt('哪一天?')} it is")]}


def test_a_branch_beside_a_run_taken_back_keeps_its_answer(saver: SqliteCheckpointer) -> None:
    graph = build(saver, ask)
    say(graph, "book a table", run_id="run 1")
    asked = graph.get_state(thread()).config
    graph.invoke(Command(resume="Monday"), thread(metadata={"run_id": "run 2"}))
    answered = graph.get_state(thread())
    graph.invoke(Command(resume="周二"), {**asked, "metadata": {"run_id": "run 3"}})
    saver.delete_for_runs(["run 3"])
    assert graph.get_state(thread()) == answered
    assert said(graph) == ["book a table", "Monday it is"]


def test_an_answer_taken_back_asks_again(saver: SqliteCheckpointer) -> None:
    graph = build(saver, ask)
    say(graph, "book a table", run_id="run 1")
    before = rows(saver)
    graph.invoke(Command(resume="Monday"), thread(metadata={"run_id": "run 2"}))
    assert said(graph) == ["book a table", "Monday it is"]
    saver.delete_for_runs(["run 2"])
    assert rows(saver) == before
    assert [i.value for i in graph.get_state(thread()).interrupts] == ["哪一天?"]
    graph.invoke(Command(resume="周二"), thread())
    assert said(graph) == ["book a table", "周二 it is"]


def test_deletions_tell_whoever_wants_to_know(saver: SqliteCheckpointer) -> None:
    graph = build(saver)
    told: list[Any] = []
    saver.on_delete_runs = lambda thread_ids: told.append((thread_ids, said(graph)))
    saver.on_delete_thread = lambda thread_id: told.append((thread_id, said(graph)))
    say(graph, "一", run_id="run 1")
    say(graph, "two", run_id="run 2")
    saver.delete_for_runs(["run 2"])
    saver.delete_thread("t")
    saver.prune(["t", "u"], strategy="delete")
    assert told == [(["t"], ["一", "re: 一"]), ("t", []), ("t", []), ("u", [])]


# ---- what only checks the lease


def test_the_lease_is_checked_for_whatever_is_no_run_of_its_own(saver: SqliteCheckpointer) -> None:
    graph = build(saver)
    checked: list[str] = []
    saver.check_lease = checked.append
    say(graph, "a run holds its own lease")
    assert checked == []
    graph.update_state(thread(), {"messages": [("user", "手工改的")]})
    assert set(checked) == {"t"}
    checked.clear()
    graph.update_state(thread(), None, as_node="__copy__")
    assert checked == ["t"]
    checked.clear()

    outer = build(SqliteCheckpointer.open(":memory:"), lambda _: say(graph, "inner", "own thread") and {})
    with outer.checkpointer:
        say(outer, "outer", "outer thread")
    assert set(checked) == {"own thread"}


def test_nobody_deletes_a_thread_between_the_look_at_it_and_the_write_of_its_next_step(tmp_path: Path) -> None:
    path, refused = tmp_path / "checkpoints.sqlite", []

    class Meddling(CompressingSerializer):
        def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
            if isinstance(obj, dict) and obj.get("channel_values", {}).get("turns"):
                with contextlib.closing(sqlite3.connect(path, timeout=0)) as other:
                    try:
                        other.execute("DELETE FROM checkpoints")
                        other.commit()
                    except sqlite3.OperationalError as error:
                        refused.append(str(error))
            return super().dumps_typed(obj)

    with SqliteCheckpointer.open(path) as saver:
        saver.serde = Meddling()
        graph = build(saver)
        say(graph, "hello")
        assert refused == ["database is locked"]
        assert said(graph) == ["hello", "re: hello"]


def test_a_refused_update_leaves_nothing_behind(saver: SqliteCheckpointer) -> None:
    graph = build(saver)
    say(graph, "一")
    before = rows(saver)

    def busy(thread_id: str) -> None:
        raise RuntimeError(f"{thread_id} is busy")

    saver.check_lease = busy
    with pytest.raises(RuntimeError, match="t is busy"):
        graph.update_state(thread(), {"messages": [("user", "手工改的")]})
    assert rows(saver) == before


# ---- bad files and folders


def test_a_file_that_is_no_database_is_said_at_once_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "checkpoints.sqlite"
    file.write_bytes(b"not a database, and longer than a header is " * 50)
    with pytest.raises(CheckpointsCorrupt) as raised:
        SqliteCheckpointer.open(file)
    assert str(raised.value) == (
        f"The checkpoints at {file} cannot be read (file is not a database). The file was left as it is, and the "
        "ledger with all memories is not touched by this. Move the file away to start new threads, or put a backup "
        "in its place."
    )
    assert file.read_bytes() == b"not a database, and longer than a header is " * 50


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "checkpoints.sqlite"
    with contextlib.closing(sqlite3.connect(file)) as conn:
        conn.execute("CREATE TABLE checkpoints (id, saved_game)")
    before = file.read_bytes()
    with pytest.raises(CheckpointsCorrupt, match="it belongs to another program"):
        SqliteCheckpointer.open(file)
    assert file.read_bytes() == before


def test_a_file_cut_short_is_said_at_once(tmp_path: Path) -> None:
    file = tmp_path / "checkpoints.sqlite"
    with SqliteCheckpointer.open(file) as saver:
        for i in range(5):
            say(build(saver), f"问题 {i}")
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    with pytest.raises(CheckpointsCorrupt, match="malformed"):
        SqliteCheckpointer.open(file)


def test_damage_further_in_is_said_when_it_is_read(tmp_path: Path) -> None:
    file = tmp_path / "checkpoints.sqlite"
    with SqliteCheckpointer.open(file) as saver:
        for i in range(20):
            say(build(saver), f"问题 {i}")
    whole = file.read_bytes()
    file.write_bytes(whole[: 3 * 4096] + b"\xee" * (len(whole) - 3 * 4096))
    with pytest.raises(CheckpointsCorrupt), SqliteCheckpointer.open(file) as saver:  # noqa: PT012
        said(build(saver))
        rows(saver)


@pytest.fixture
def ordinary_user() -> Iterator[Path]:
    # Root may write anywhere, so step down for the while; the folder is one that everyone can reach.
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        root = os.geteuid() == 0
        if root:
            os.seteuid(65534)
        try:
            yield Path(folder)
        finally:
            if root:
                os.seteuid(0)
            else:
                Path(folder).chmod(0o755)


def test_a_folder_that_cannot_be_written_is_said_at_once(ordinary_user: Path) -> None:
    with contextlib.suppress(PermissionError):
        ordinary_user.chmod(0o555)
    for file in (ordinary_user / "checkpoints.sqlite", ordinary_user / "new" / "checkpoints.sqlite"):
        with pytest.raises(DataFolderReadOnly, match=r"cannot be written \(.*\)\. Nothing was changed"):
            SqliteCheckpointer.open(file)


@pytest.mark.parametrize("closed", [True, False], ids=["closed", "in use"])
def test_a_file_that_cannot_be_written_is_said_at_once(ordinary_user: Path, closed: bool) -> None:
    root = os.getresuid()[2]
    os.seteuid(root)
    file = ordinary_user / "checkpoints.sqlite"
    with SqliteCheckpointer.open(file) as saver:
        say(build(saver), "你好")
        if closed:
            saver.close()
        for part in ordinary_user.iterdir():
            part.chmod(0o444)
        if root == 0:
            os.seteuid(65534)
        with pytest.raises(DataFolderReadOnly, match=r"cannot be written \(.*\)\. Nothing was changed"):
            SqliteCheckpointer.open(file)
        os.seteuid(root)


def test_many_processes_may_open_one_new_file_at_once(tmp_path: Path) -> None:
    code = (
        "import sys; from stores.checkpointer import SqliteCheckpointer as S\n"
        "print('ready', flush=True); sys.stdin.read(1); S.open(sys.argv[1]).close()"
    )
    running = [Python(code, tmp_path / "checkpoints.sqlite") for _ in range(3)]
    for process in running:
        assert process.stdout.readline() == "ready\n"
    for process in running:
        process.stdin.write("x")
        process.stdin.flush()
    assert [(p.communicate()[1], p.returncode) for p in running] == [("", 0)] * 3


def test_closing_twice_is_fine(tmp_path: Path) -> None:
    saver = SqliteCheckpointer.open(tmp_path / f"{uuid4()}.sqlite")
    saver.close()
    saver.close()
