import pytest
from langchain_core.messages import AIMessage
from sqlalchemy import inspect

from graph import open_agent
from graph.scripted_model import ScriptedModel
from memory.clock import ManualClock
from memory.tokens import estimate_tokens
from stores import schema
from stores.database import MIGRATIONS, Database, sqlite_url
from stores.errors import NotFound

NOTHING = {"calls": 0, "input_tokens": 0, "output_tokens": 0}


def thread(name):
    return {"configurable": {"thread_id": name}}


def say(agent, words, name="monday", user="alice", **context):
    return agent.graph.invoke({"messages": [("user", words)]}, thread(name), context={"user_id": user, **context})


def answer(text, given, made, **more):
    used = {"input_tokens": given, "output_tokens": made, "total_tokens": given + made}
    return AIMessage(text, usage_metadata=used, **more)


def costs(calls, given, made):
    return {"calls": calls, "input_tokens": given, "output_tokens": made}


def look(what: str) -> str:
    """Look something up."""
    return f"{what}: 7"


def test_what_turns_cost_is_added_up_for_the_thread_and_for_the_user(tmp_path):
    called = answer("", 50, 5, tool_calls=[{"name": "look", "args": {"what": "tea"}, "id": "x"}])
    model = ScriptedModel([called, answer("Seven.", 70, 7), answer("好的。", 10, 1), answer("Hello.", 3, 2)])
    with open_agent(tmp_path, model=model, extraction_model="rules", tools=[look]) as agent:
        told = list(
            agent.graph.stream(
                {"messages": [("user", "How much tea?")]},
                thread("monday"),
                context={"user_id": "alice"},
                stream_mode="custom",
            )
        )
        say(agent, "我喜欢喝茶", "tuesday")
        say(agent, "Hello there", "bob's", "bob")
        assert told[-1]["calls"] == {"answer": costs(2, 120, 12)}
        assert [sorted(t["tokens"]) for t in told if t["node"] == "manage_context"] == [
            sorted(["reserved", "system", "tools", "profile", "recalled", "summary", "skills", "history", "free"])
        ] * 2
        usage = agent.threads.usage("monday")
        assert usage == {
            "thread_id": "monday",
            "user_id": "alice",
            "thread": {"answer": costs(2, 120, 12), "total": costs(2, 120, 12)},
            "user": {"answer": costs(3, 130, 13), "total": costs(3, 130, 13)},
            "last": agent.graph.get_state(thread("monday")).values["usage"],
        }
        assert usage["last"]["calls"] == {"answer": costs(2, 120, 12)}
        with pytest.raises(NotFound):
            agent.threads.usage("never")


def test_extraction_and_summaries_are_counted_beside_the_answers(tmp_path):
    def reply(messages):
        if "running summary" in messages[0].text:
            return answer("- User: keeps a list of numbers", 900, 40)
        return answer("Noted. " + "That is a lot of words about very little. " * 8, 100, 10)

    extraction = ScriptedModel(lambda messages: answer('{"facts": []}', 30, 3))
    with open_agent(tmp_path, model=ScriptedModel(reply), extraction_model=extraction) as agent:
        for i in range(14):
            words = f"I decided on number {i} for the list. " + "The weather is mild over there. " * 8
            state = say(agent, words, max_context_tokens=1500, reserve_output_tokens=200)
        sums = agent.threads.usage("monday")["thread"]
    assert sums["answer"] == costs(14, 1400, 140)
    assert sums["summary"]["calls"] >= 1
    assert sums["summary"] == costs(
        sums["summary"]["calls"], 900 * sums["summary"]["calls"], 40 * sums["summary"]["calls"]
    )
    assert sums["extraction"]["input_tokens"] == 30 * sums["extraction"]["calls"] > 0
    assert sums["total"]["calls"] == sum(sums[what]["calls"] for what in ("answer", "summary", "extraction"))
    assert "keeps a list of numbers" in state["summary"]["text"]


def test_a_model_that_tells_no_usage_is_estimated(tmp_path):
    with open_agent(tmp_path, model=ScriptedModel(["Fine, thank you."]), extraction_model="rules") as agent:
        usage = say(agent, "How are you?")["usage"]
    sent = sum(usage["tokens"][part] for part in ("system", "tools", "profile", "recalled", "summary", "history"))
    assert usage["calls"] == {"answer": costs(1, sent, estimate_tokens("Fine, thank you."))}


def test_a_step_that_runs_again_counts_once_and_an_answer_made_anew_is_another(tmp_path):
    model = ScriptedModel([answer("One.", 10, 1, id="one"), answer("Two.", 20, 2, id="two")])
    with open_agent(tmp_path, model=model, extraction_model="rules") as agent:
        say(agent, "Say a number")
        history = {s.next: s.config for s in agent.graph.get_state_history(thread("monday"))}
        agent.graph.invoke(None, history[("write_memory",)], context={"user_id": "alice"})
        agent.graph.invoke(None, history[("extract_facts",)], context={"user_id": "alice"})
        assert agent.threads.usage("monday")["thread"]["total"] == costs(1, 10, 1)
        agent.threads.replay(history[("write_memory",)])
        assert agent.threads.usage("monday")["thread"]["total"] == costs(1, 10, 1)
        agent.graph.invoke(None, history[("call_llm",)], context={"user_id": "alice"})
        assert agent.threads.usage("monday")["thread"]["total"] == costs(2, 30, 3)


def test_reading_a_deferred_turn_later_adds_the_reading_alone(tmp_path):
    extraction = ScriptedModel(lambda messages: answer('{"facts": []}', 30, 3))
    model = ScriptedModel([answer("Noted.", 10, 1)])
    with open_agent(tmp_path, model=model, extraction_model=extraction) as agent:
        say(agent, "I live in Oslo and I like tea", extraction="deferred")
        before = agent.threads.usage("monday")["thread"]
        assert before == {"answer": costs(1, 10, 1), "total": costs(1, 10, 1)}
        agent.threads.close("monday")
        usage = agent.threads.usage("monday")
        after = usage["thread"]
    assert after["answer"] == costs(1, 10, 1)
    assert after["extraction"]["calls"] > 0
    assert usage["last"]["calls"] == {what: after[what] for what in ("answer", "extraction")}


def test_a_ledger_from_before_gets_its_table(tmp_path):
    url = sqlite_url(tmp_path / "ledger.sqlite")
    database = Database(url, ManualClock())
    with database.write() as conn:
        schema.usage.drop(conn)
        conn.exec_driver_sql("DELETE FROM migrations WHERE name = 'm002_usage'")
    database.close()
    database = Database(url, ManualClock())
    with database.read() as conn:
        assert "usage" in inspect(conn).get_table_names()
        names = list(conn.exec_driver_sql("SELECT name FROM migrations ORDER BY name").scalars())
    database.close()
    assert names == [name for name, _ in MIGRATIONS]


def test_the_recalled_block_never_becomes_a_message_and_the_state_does_not_grow_with_it(tmp_path):
    sizes = []
    with open_agent(tmp_path) as agent:
        say(agent, "我对花生过敏，住在杭州", "before")
        for i in range(100):
            state = say(agent, f"第{i}次问：我能吃花生吗？", max_context_tokens=1200, reserve_output_tokens=200)
            texts = [m.text for m in state["messages"]]
            assert len(texts) == 2 * (i + 1)
            assert not any("<memory>" in text or "<recalled>" in text for text in texts)
            sizes.append(len(str({k: v for k, v in state.items() if k != "messages"})))
    assert max(sizes[50:]) < 1.5 * max(sizes[10:30])
