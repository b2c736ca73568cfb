"""Many turns, and turns at once: what is known stays what was said."""

import json
import re
import threading

from graph import open_agent
from graph.scripted_model import ScriptedModel
from memory.clock import ManualClock
from stores.embeddings import HashEmbeddings

SAID = ["我对花生过敏", "我喜欢喝茶", "I live in Leeds", "I like jazz"]
TALK = ["嗯嗯，好的", "今天天气不错", "haha ok", "What should I have for lunch?", "花生糖好看吗？", "茶楼今天人真多啊", "Is Leeds far from here?", "晚安~"]  # fmt: skip


def parrot(messages):
    """Says every known fact again, in all the ways there are, whatever was said."""
    prompt = messages[-1].text
    items = []
    for action, (name, fact) in zip(
        ["add", "confirm", "update", "keep", "merge"] * 4,
        re.findall(r"^(f\d+) (.*)$", prompt, re.MULTILINE) * 4,
        strict=False,
    ):
        items.append({"reason": "known", "action": action, "id": name, "message": "m1", **json.loads(fact)})
    return json.dumps({"facts": items}, ensure_ascii=False)


def state_of(agent):
    """What is known, how sure and by how many statements, and what else was written down but episodes."""
    memory = agent.memory
    facts = memory.list("alice", kind="fact", standing="all")
    return {
        "facts": [(m.id, m.confidence, m.standing, len(memory.history("alice", m.id))) for m in facts],
        "others": [m.id for kind in ("summary", "lesson") for m in memory.list("alice", kind=kind, standing="all")],
    }


def talk(agent, turns, **more):
    for i in range(turns):
        where = {"configurable": {"thread_id": f"t{i % 5}"}}
        said = {"messages": [("user", TALK[i % len(TALK)])]}
        state = agent.graph.invoke(said, where, context={"user_id": "alice", **more})
        assert state["changes"]["failure"] is None
    return state


def test_a_hundred_turns_of_small_talk_with_recalled_memories_change_nothing(tmp_path):
    with open_agent(tmp_path, embeddings=HashEmbeddings(), extraction_model="rules", clock=ManualClock()) as agent:
        for words in SAID:
            agent.graph.invoke({"messages": [("user", words)]}, {"configurable": {"thread_id": "a"}}, context={"user_id": "alice"})  # fmt: skip
        before = state_of(agent)
        assert len(before["facts"]) == len(SAID)
        last = talk(agent, 100)
        assert len(last["recalled"]["profile"]) == len(SAID)
        assert state_of(agent) == before


def test_a_model_that_only_repeats_what_it_is_shown_changes_nothing(tmp_path):
    reader = ScriptedModel(parrot)
    with open_agent(tmp_path, embeddings=HashEmbeddings(), extraction_model=reader, clock=ManualClock()) as agent:
        for words in SAID:
            agent.memory.remember("alice", words)
        before = state_of(agent)
        talk(agent, 24)
        assert state_of(agent) == before
        assert any("f1" in call.messages[-1].text for call in reader.calls)
        # One call a turn, and none for small talk.
        assert len(reader.calls) == 15


def test_two_threads_of_one_user_that_say_the_same_at_once_make_one_fact_said_twice(tmp_path):
    together = threading.Barrier(2, timeout=60)

    def reply(messages):
        together.wait()  # neither has committed when either is read
        allergy = {"attribute": "allergy", "value": "花生", "text": "用户对花生过敏", "confidence": 0.8}
        return json.dumps({"facts": [{"reason": "said so", "action": "add", "message": "m1", **allergy}]})

    with open_agent(tmp_path, embeddings=HashEmbeddings(), extraction_model=ScriptedModel(reply)) as agent:
        changes = {}

        def say(name):
            where = {"configurable": {"thread_id": name}}
            said = {"messages": [("user", "我对花生过敏")]}
            changes[name] = agent.graph.invoke(said, where, context={"user_id": "alice"})["changes"]["facts"]

        both = [threading.Thread(target=say, args=(name,)) for name in ("phone", "desk")]
        for one in both:
            one.start()
        for one in both:
            one.join(60)
        (fact,) = agent.memory.list("alice", kind="fact")
        assert (fact.value, fact.confidence) == ("花生", 0.96)
        # The one that was committed first may have been said a moment later.
        assert agent.memory.list("alice", kind="fact", standing="retracted") == []
        assert sorted(f["op"] for facts in changes.values() for f in facts) == ["add", "confirm"]
        told = sorted((s["op"], s["live"]) for s in agent.memory.history("alice", fact.id))
        assert told == [("add", True), ("confirm", True)]
        # Whichever of the two is undone, the fact stands by the other.
        for step in agent.memory.history("alice", fact.id):
            agent.memory.undo("alice", step["origin"])
            assert [m.confidence for m in agent.memory.list("alice", kind="fact")] == [0.8]
            agent.memory.restore("alice", step["origin"])
