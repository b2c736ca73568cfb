"""Many turns at once, and turns that are cancelled in the middle."""

import asyncio

import pytest
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from graph import open_agent
from graph.models import ScriptedModel
from stores.embeddings import HashEmbeddings
from stores.leases import ThreadBusy

TURNS = 13
ALICE = {"user_id": "alice"}


def config(thread):
    return {"configurable": {"thread_id": thread}}


def words(text):
    return {"messages": [("user", text)]}


class Meeting(ScriptedModel):
    """A model whose calls all wait for each other: it answers only when so many are under way together."""

    async def _agenerate(self, messages, stop=None, run_manager=None, **kwargs):
        await asyncio.wait_for(self.metadata["barrier"].wait(), 60)
        return ChatResult(generations=[ChatGeneration(message=AIMessage("met"))])


async def test_model_calls_do_not_sit_in_the_pool_of_six_threads(tmp_path):
    model = Meeting([], metadata={"barrier": asyncio.Barrier(TURNS)})
    async with open_agent(tmp_path, model=model, extraction_model="rules", embeddings=HashEmbeddings()) as agent:
        turns = (agent.graph.ainvoke(words(f"I like tea {i}"), config(f"t{i}"), context=ALICE) for i in range(TURNS))
        states = await asyncio.gather(*turns)
        assert [s["messages"][-1].text for s in states] == ["met"] * TURNS
        assert agent.memory.stats("alice")["commits"] == TURNS


class Stuck(ScriptedModel):
    """A model that never answers, and says when it was asked."""

    async def _agenerate(self, messages, stop=None, run_manager=None, **kwargs):
        self.metadata["asked"].set()
        await asyncio.Event().wait()


async def test_a_cancelled_run_leaves_no_lease_and_no_half_commit_and_can_be_resumed(tmp_path):
    asked = asyncio.Event()
    model = Stuck([], metadata={"asked": asked})
    async with open_agent(tmp_path, model=model, extraction_model="rules", embeddings=HashEmbeddings()) as agent:
        turn = asyncio.create_task(agent.graph.ainvoke(words("我对花生过敏"), config("t"), context=ALICE))
        await asked.wait()
        with pytest.raises(ThreadBusy):
            await agent.graph.ainvoke(words("hello"), config("t"), context=ALICE)
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
        assert agent.threads.leases.holder("t") is None
        assert agent.memory.stats("alice")["commits"] == 0
        assert agent.memory.list("alice", standing="all") == []
    async with open_agent(tmp_path, extraction_model="rules", embeddings=HashEmbeddings()) as agent:
        state = await agent.graph.ainvoke(None, config("t"))
        assert [f["op"] for f in state["changes"]["facts"]] == ["add"]
        assert [m.value for m in agent.memory.list("alice", kind="fact")] == ["花生"]
