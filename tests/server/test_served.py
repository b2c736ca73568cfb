"""The parts that a server is given, in this process."""

import pytest
from langgraph.types import Command

from graph import open_agent
from graph.server import THREAD_NAME, Served, ServedGraph, ThreadNames, server_id
from stores.errors import MissingUser, NotYours
from stores.leases import Leases, ThreadBusy
from tests.folders import copy_folder

UUID_ID = "0b6c2f6e-3d8b-4a53-9d64-9b1e5c0f7a11"


@pytest.fixture(scope="module")
def served(made_in_python, tmp_path_factory):
    folder = copy_folder(made_in_python, tmp_path_factory.mktemp("served") / "data")
    return Served(lambda: open_agent(folder))


def thread(thread_id, **given):
    return {"configurable": {"thread_id": thread_id, **given}}


async def ask(graph, words, config, **context):
    return await graph.ainvoke({"messages": [("user", words)]}, config, context=context)


@pytest.mark.parametrize("thread_id", ["monday", "星期一", "", UUID_ID.upper(), UUID_ID.replace("-", ""), "a\0b"])
def test_any_thread_has_an_id_that_a_server_takes(thread_id):
    given = server_id(thread_id)
    assert given != thread_id
    assert server_id(given) == given
    assert ThreadNames([thread_id]).own(given) == thread_id


def test_a_uuid_stays_itself_and_a_name_is_believed_only_when_it_makes_the_id():
    names = ThreadNames()
    assert server_id(UUID_ID) == UUID_ID
    assert names.own(UUID_ID, "monday") == UUID_ID
    assert names.own(server_id("monday")) == server_id("monday")
    assert names.own(server_id("monday"), "monday") == "monday"
    assert names.own(server_id("monday")) == "monday"


async def test_the_three_parts_share_one_agent_that_closes_with_the_last(served):
    async with served.store() as store, served.store() as again:
        assert store is again
        async with served.checkpointer() as saver:
            assert saver.get_tuple(thread("friday")) is not None
            saver.close()
        assert store.search(("palimpsest",)) != []
    async with served.store() as reopened:
        assert reopened is not store


async def test_a_thread_goes_on_under_the_servers_id(served):
    monday = server_id("monday")
    async with served.checkpointer() as saver, served.store() as store, served.graph() as bare:
        assert (bare.checkpointer, bare.store) == (None, None)
        graph = bare.copy({"checkpointer": saver, "store": store})
        assert isinstance(graph, ServedGraph)
        await ask(graph, "I like rye.", thread(monday))
        state = await graph.aget_state(thread(monday))
        assert [m.type for m in state.values["messages"]] == ["human", "ai", "human", "ai"]
        assert state.config["configurable"]["thread_id"] == monday
        history = [s async for s in graph.aget_state_history(thread(monday), before=state.config, limit=3)]
        assert [s.config["configurable"]["thread_id"] for s in history] == [monday] * 3
        done = await graph.aupdate_state(thread(monday), {"messages": [("user", "one more")]}, as_node="__start__")
        assert done["configurable"]["thread_id"] == monday
        assert store.book.user_of("monday") == "alice"
        assert store.book.user_of(monday) is None
        await ask(graph, "hi", {**thread(server_id("new")), "metadata": {THREAD_NAME: "new"}}, user_id="alice")
        assert store.book.user_of("new") == "alice"

        await saver.acopy_thread(monday, UUID_ID)
        assert saver.get_tuple(thread(UUID_ID)) is not None
        await saver.aprune([monday])
        assert len(list(saver.list(thread("monday")))) == 1
        await saver.adelete_thread(monday)
        assert saver.get_tuple(thread("monday")) is None
        assert store.book.list("alice", kind="fact") != []


async def test_one_turn_at_a_time_in_a_server_too(served):
    async with served.checkpointer() as saver, served.store() as store, served.graph() as bare:
        graph = bare.copy({"checkpointer": saver, "store": store})
        others = Leases(store.book.database.engine)
        others.acquire("tuesday", "another run")
        with pytest.raises(ThreadBusy):
            await ask(graph, "I like rye.", thread(server_id("tuesday")))
        with pytest.raises(ThreadBusy):
            await graph.aupdate_state(thread(server_id("tuesday")), {"messages": [("user", "me too")]})
        others.release("tuesday", "another run")
        assert (await ask(graph, "I like rye.", thread(server_id("tuesday"))))["user_id"] == "alice"


async def test_whose_memory_it_is(served, monkeypatch):
    async with served.checkpointer() as saver, served.store() as store, served.graph() as bare:
        graph = bare.copy({"checkpointer": saver, "store": store})
        carl = {"langgraph_auth_user_id": "carl"}
        assert (await ask(graph, "hi", thread("t1", **carl)))["user_id"] == "carl"
        assert (await ask(graph, "hi", thread("t1", **carl), user_id="carl"))["user_id"] == "carl"
        with pytest.raises(NotYours, match="signed in as 'carl'"):
            await ask(graph, "hi", thread("t2", **carl), user_id="bob")
        with pytest.raises(NotYours):
            await ask(graph, "hi", thread("friday", **carl))
        with pytest.raises(NotYours):
            await graph.ainvoke(Command(goto="retrieve_memory"), thread("friday", **carl))
        trusted = {**carl, "langgraph_auth_permissions": ["palimpsest:any-user"]}
        assert (await ask(graph, "hi", thread("t3", **trusted), user_id="bob"))["user_id"] == "bob"
        with pytest.raises(MissingUser):
            await ask(graph, "hi", thread("t4", langgraph_auth_user_id=""))
        monkeypatch.setenv("PALIMPSEST_DEFAULT_USER", "local")
        assert (await ask(graph, "hi", thread("t5", langgraph_auth_user_id="")))["user_id"] == "local"
