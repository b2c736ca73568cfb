"""What becomes of facts that meet: by a model's verdict, by the rules, by who said it, and on every branch."""

import json
import re

import pytest
from langchain_core.messages import AIMessage
from sqlalchemy import inspect

from graph import open_agent
from graph.scripted_model import ScriptedModel
from memory.clock import ManualClock
from stores import schema
from stores.database import MIGRATIONS, Database, sqlite_url
from stores.embeddings import HashEmbeddings

ALICE = {"user_id": "alice"}


def thread(name="t"):
    return {"configurable": {"thread_id": name}}


def item(action, attribute, value, text, *, subject="user", known=None, message="m1", reason="it says so"):
    return {"reason": reason, "action": action, "id": known, "subject": subject, "attribute": attribute, "value": value, "polarity": 1, "text": text, "message": message, "confidence": 0.9}  # fmt: skip


def say(agent, words, where=None):
    return agent.graph.invoke({"messages": [("user", words)]}, where or thread(), context=ALICE)


def values(agent, standing="current"):
    return sorted(m.value for m in agent.memory.list("alice", kind="fact", standing=standing))


def reader(*replies):
    """Replies in order; `?` in an id is the local id of the known fact with that value: "?cello"."""
    script = iter(replies)

    def reply(messages):
        shown = {json.loads(f)["value"]: i for i, f in re.findall(r"^(f\d+) (.*)$", messages[-1].text, re.MULTILINE)}
        items = next(script)
        return json.dumps({"facts": [{**i, "id": i["id"] and shown[i["id"]]} for i in items]}, ensure_ascii=False)

    return ScriptedModel(reply)


@pytest.fixture
def opened(tmp_path):
    def opening(*replies, **more):
        return open_agent(
            tmp_path, embeddings=HashEmbeddings(), clock=ManualClock(), extraction_model=reader(*replies), **more
        )

    return opening


VERDICTS = {
    "update": (item("update", "plan", "visit Kyoto in May", "The user plans to visit Kyoto in May", known="visit Kyoto"), ["visit Kyoto in May"], "supersede"),
    "merge": (item("merge", "plan", "visit Kyoto and Nara", "The user plans to visit Kyoto and Nara", known="visit Kyoto"), ["visit Kyoto and Nara"], "supersede"),
    "keep": (item("keep", "plan", "visit Nara", "The user plans to visit Nara", known="visit Kyoto"), ["visit Kyoto"], "ignore"),
    "add": (item("add", "plan", "visit Nara", "The user plans to visit Nara"), ["visit Kyoto", "visit Nara"], "add"),
    "confirm": (item("confirm", "plan", "visit Kyoto", "x", known="visit Kyoto"), ["visit Kyoto"], "confirm"),
    "retract": (item("retract", "plan", "visit Kyoto", "x", known="visit Kyoto"), [], "retract"),
}  # fmt: skip


@pytest.mark.parametrize("verdict", VERDICTS)
def test_a_verdict_on_a_known_fact_its_reason_and_the_way_back(verdict, opened):
    said, current, op = VERDICTS[verdict]
    first = [item("add", "plan", "visit Kyoto", "The user plans to visit Kyoto")]
    with opened(first, [{**said, "reason": "because of May"}]) as agent:
        say(agent, "I want to visit Kyoto")
        before = agent.graph.get_state(thread()).config
        (changed,) = say(agent, "So, Kyoto: also Nara, in May, to visit")["changes"]["facts"]
        assert (changed["op"], values(agent)) == (op, current)
        assert changed["reason"].endswith(" (because of May)")
        kyoto = next(m for m in agent.memory.list("alice", kind="fact", standing="all") if m.value == "visit Kyoto")
        reasons = [s["reason"] for s in agent.memory.history("alice", kyoto.id)]
        assert reasons == ["new (it says so)", *([] if op == "ignore" else [changed["reason"]])]
        if op == "supersede":
            assert (kyoto.standing, changed["touches"]) == ("superseded", [kyoto.id])
            assert [s["text"] for s in agent.memory.blame("alice", agent.memory.list("alice", kind="fact")[0].id)][
                0
            ] == said["text"]
        # Another branch, from before: what was said there is not said here.
        agent.threads.switch("t", before)
        assert values(agent) == ["visit Kyoto"]


@pytest.mark.parametrize(("words", "home"), [("我住在重庆", "成都"), ("I live in York", "Leeds")])
def test_the_facts_that_the_words_may_touch_are_shown_first(words, home, tmp_path):
    model = ScriptedModel(lambda messages: '{"facts": []}')
    with open_agent(tmp_path, embeddings=HashEmbeddings(), extraction_model=model) as agent:
        agent.memory.remember("alice", "x", attribute="home", value=home)
        for i in range(30):
            text = f"{words}的朋友{i}" if home == "成都" else f"{words} with friend {i}"
            agent.memory.remember("alice", text, attribute="friend", value=text, importance=0.95)
        say(agent, words)
    shown = re.findall(r"^(f\d+) (.*)$", model.calls[0].messages[-1].text, re.MULTILINE)
    assert json.loads(shown[0][1])["value"] == home
    assert len(shown) == 10


def test_rules_decide_where_the_model_gives_no_verdict(opened):
    with opened(
        [item("add", "home", "Leeds", "The user lives in Leeds")],
        [item("add", "home", "York", "The user lives in York")],
    ) as agent:
        say(agent, "I live in Leeds")
        (changed,) = say(agent, "I live in York")["changes"]["facts"]
        assert (changed["op"], values(agent)) == ("supersede", ["York"])
        assert changed["reason"] == "takes the place of: The user lives in Leeds (it says so)"


def track(order: str) -> str:
    """Track an order."""
    return f"order {order}: status shipped, carrier Hermes"


def test_a_tool_s_result_is_trusted_less_than_a_person(opened):
    subject = "order 8841"
    model = ScriptedModel(
        [
            "Noted.",
            AIMessage("", tool_calls=[{"name": "track", "args": {"order": "8841"}, "id": "x"}]),
            "It says shipped.",
            "Ah.",
        ]
    )
    by_tool = [
        item("add", "status", "shipped", "order 8841 is shipped", subject=subject, message="m2"),
        item("add", "carrier", "Hermes", "order 8841 goes by Hermes", subject=subject, message="m2"),
        item("add", "uses", "Hermes", "The user uses Hermes", message="m2"),
    ]
    with opened(
        [item("add", "status", "lost", "order 8841 is lost", subject=subject)],
        by_tool,
        [item("update", "carrier", "DHL", "order 8841 goes by DHL", subject=subject, known="Hermes")],
        model=model,
        tools=[track],
    ) as agent:
        say(agent, "Order 8841 is lost, they told me so")
        changes = say(agent, "Please track 8841")["changes"]
        assert changes["skipped"] == {"a tool's words about the user": 1}
        assert values(agent) == ["Hermes", "lost", "shipped"]
        trust = {m.value: (m.speaker, m.confidence) for m in agent.memory.list("alice", kind="fact")}
        assert trust == {"lost": ("user", 0.9), "shipped": ("tool", 0.6), "Hermes": ("tool", 0.6)}
        say(agent, "No, the carrier is DHL")
        assert values(agent) == ["DHL", "lost", "shipped"]


@pytest.mark.parametrize("mine", [True, False])
def test_in_a_slot_of_one_value_a_person_s_word_stands(mine, opened):
    model = ScriptedModel(
        ["Ok.", AIMessage("", tool_calls=[{"name": "track", "args": {"order": "7"}, "id": "x"}]), "Ok."]
    )

    def due(day, message="m1"):
        return item("add", "deadline", day, f"The order is due {day}", subject="order 7", message=message)

    first = [due("Monday")] if mine else []
    with opened(first, [due("shipped", "m2")], model=model, tools=[track]) as agent:
        say(agent, "Order 7 is due Monday")
        (changed,) = say(agent, "Track order 7")["changes"]["facts"]
        assert values(agent) == (["Monday"] if mine else ["shipped"])
        why = "kept beside what a person said, which stands: The order is due Monday" if mine else "new"
        assert (changed["op"], changed["reason"]) == ("add", f"{why} (it says so)")
        by_tool = [m for m in agent.memory.list("alice", kind="fact", standing="all") if m.speaker == "tool"]
        assert [m.standing for m in by_tool] == ([] if mine else ["current"])


def test_a_ledger_from_before_goes_on(tmp_path):
    url = sqlite_url(tmp_path / "ledger.sqlite")
    database = Database(url, ManualClock())
    with database.write() as conn:
        conn.exec_driver_sql("DROP INDEX statements_forgetting")
        conn.exec_driver_sql("ALTER TABLE statements DROP COLUMN replaces")
        conn.exec_driver_sql("DELETE FROM migrations WHERE name = 'm005_replaces'")
    database.close()
    database = Database(url, ManualClock())
    with database.read() as conn:
        assert "replaces" in {c["name"] for c in inspect(conn).get_columns(schema.statements.name)}
        assert schema.asks_to_forget.name in {i["name"] for i in inspect(conn).get_indexes(schema.statements.name)}
        names = list(conn.exec_driver_sql("SELECT name FROM migrations ORDER BY name").scalars())
    database.close()
    assert names == [name for name, _ in MIGRATIONS]
