"""What people do by hand, through the book: it wins at once, it is kept in the history, and nothing is revived."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from graph import open_agent
from memory.clock import ManualClock
from stores.embeddings import HashEmbeddings
from stores.errors import BadInput, IndexClosed, NotFound
from stores.views import profile


@pytest.fixture
def agent(tmp_path):
    with open_agent(tmp_path, embeddings=HashEmbeddings(), clock=ManualClock()) as opened:
        yield opened


def say(agent, words, thread="t"):
    config = {"configurable": {"thread_id": thread}}
    return agent.graph.invoke({"messages": [("user", words)]}, config, context={"user_id": "alice"})


def facts(agent, standing="current"):
    return [(m.attribute, m.value) for m in agent.memory.list("alice", kind="fact", standing=standing)]


def test_remembering_reads_the_fact_out_of_the_words(agent):
    memory = agent.memory.remember("alice", "我对花生过敏")
    assert (memory.attribute, memory.value, memory.speaker, memory.confidence) == ("allergy", "花生", "person", 1.0)
    assert memory.thread_id is None


def test_remembering_what_no_rule_knows_is_a_note(agent):
    memory = agent.memory.remember("alice", "The spare key is under the blue pot.")
    assert (memory.attribute, memory.text) == ("note", "The spare key is under the blue pot.")


def test_a_fact_may_be_named_outright(agent):
    memory = agent.memory.remember("alice", "Ann is my sister", attribute="sister", value="Ann", tags=["family"])
    assert (memory.attribute, memory.value, memory.tags) == ("sister", "Ann", ("family",))
    with pytest.raises(BadInput, match="Unknown field 'colour'"):
        agent.memory.remember("alice", "x", colour="red")


def test_a_correction_wins_at_once_and_both_are_in_the_history(agent):
    say(agent, "我住在上海")
    (old,) = agent.memory.list("alice", kind="fact")
    new = agent.memory.correct("alice", old.id, "我住在杭州")
    assert facts(agent) == [("home", "杭州")]
    assert agent.memory.get("alice", old.id).standing == "superseded"
    steps = agent.memory.history("alice", new.id)
    assert [(s["op"], s["value"]) for s in steps] == [("add", "上海"), ("supersede", "杭州")]
    assert steps[1]["reason"].startswith("a person corrected")


def test_a_correction_takes_the_place_of_one_value_among_many(agent):
    say(agent, "I like tea. I like jazz.")
    (tea,) = [m for m in agent.memory.list("alice", kind="fact") if m.value == "tea"]
    agent.memory.correct("alice", tea.id, "I like coffee")
    assert sorted(facts(agent)) == [("likes", "coffee"), ("likes", "jazz")]


def test_forgetting_brings_nothing_back_and_hides_what_it_was_read_from(agent):
    say(agent, "我住在上海")
    say(agent, "我住在杭州")
    (fact,) = agent.memory.list("alice", kind="fact")
    agent.memory.forget("alice", fact.id)
    assert facts(agent) == []
    spoken = [m["text"] for m in agent.threads.show("t")["transcript"] if m["speaker"] == "user"]
    assert spoken == ["我住在上海"]
    assert "杭州" not in " ".join(m.text for m in agent.memory.list("alice"))
    assert [s["op"] for s in agent.memory.history("alice", fact.id)] == ["add", "supersede", "forget"]


def test_what_is_said_again_after_it_was_forgotten_counts(agent):
    say(agent, "我住在杭州")
    (fact,) = agent.memory.list("alice", kind="fact")
    agent.memory.forget("alice", fact.id)
    agent.memory.database.clock.advance(hours=1)
    say(agent, "我住在杭州", thread="later")
    assert facts(agent) == [("home", "杭州")]


def test_an_episode_can_be_forgotten_but_not_corrected(agent):
    say(agent, "What a lovely morning in the garden")
    (episode,) = agent.memory.list("alice", kind="episode")
    with pytest.raises(BadInput, match="what was said is kept as it was said"):
        agent.memory.correct("alice", episode.id, "What an awful morning")
    agent.memory.forget("alice", episode.id)
    assert agent.memory.list("alice") == []


def test_nobody_reaches_another_user_s_memory(agent):
    mine = agent.memory.remember("alice", "I like tea")
    for act in (agent.memory.get, agent.memory.history, agent.memory.forget):
        with pytest.raises(NotFound):
            act("mallory", mine.id)
    with pytest.raises(NotFound):
        agent.memory.correct("mallory", mine.id, "I like poison")
    assert facts(agent) == [("likes", "tea")]


@pytest.mark.parametrize("text", ["", "  \n", "\x00"])
def test_blank_content_is_refused(agent, text):
    with pytest.raises(BadInput):
        agent.memory.remember("alice", text)


@pytest.mark.parametrize("user", ["", None, 42])
def test_a_user_id_is_a_string(agent, user):
    with pytest.raises(BadInput, match="A user id is a string"):
        agent.memory.list(user)


def test_what_is_remembered_by_hand_is_redacted(agent):
    assert agent.memory.remember("alice", "write to ann@example.com").text == "write to [EMAIL]"


def test_a_book_of_the_ledger_alone_reads_and_refuses_the_rest(agent, tmp_path):
    from graph import open_book

    agent.memory.remember("alice", "I like tea")
    book = open_book(tmp_path)
    assert [m.value for m in book.list("alice")] == ["tea"]
    with pytest.raises(IndexClosed):
        book.recall("alice", "tea")
    with pytest.raises(IndexClosed):
        book.remember("alice", "I like wine")
    book.database.close()


def test_branching_back_takes_the_newer_fact_out_and_a_person_s_word_stays(agent):
    first = say(agent, "我住在北京")
    say(agent, "我住在上海")
    agent.memory.remember("alice", "I like chess")
    history = list(agent.graph.get_state_history({"configurable": {"thread_id": "t"}}))
    (before,) = [s for s in history if s.next == () and s.values.get("head") == first["head"]]
    agent.graph.invoke({"messages": [("user", "我喜欢爬山")]}, before.config, context={"user_id": "alice"})
    assert sorted(facts(agent)) == [("home", "北京"), ("likes", "chess"), ("likes", "爬山")]


def test_a_correction_that_only_takes_back_is_refused(agent):
    old = agent.memory.remember("alice", "I live in Rome")
    with pytest.raises(BadInput, match="Forget the fact instead"):
        agent.memory.correct("alice", old.id, "I no longer live in Rome")
    assert facts(agent) == [("home", "Rome")]


def test_a_moment_may_be_given_as_a_time_of_a_zone(agent):
    soon = datetime(2026, 3, 1, 9, tzinfo=timezone(timedelta(hours=8)))
    for text, attribute in (("明天出差", "trip"), ("on leave till March", "leave")):
        kept = agent.memory.remember("alice", text, subject="user", attribute=attribute, value=text, expires_at=soon)
        assert kept.expires_at == soon
    assert agent.memory.remember("alice", "parking", expires_at="2026-03-01T09:00:00+08:00").expires_at == soon
    before = agent.memory.list("alice")
    for given in (soon.replace(tzinfo=None), "2026-03-01", "2026-03-01T09:00"):
        with pytest.raises(BadInput, match="has no time zone"):
            agent.memory.remember("alice", "x", expires_at=given)
    for given in ("明天", soon.date(), 7):
        with pytest.raises(BadInput, match=r"is no time\. Memory is unchanged"):
            agent.memory.remember("alice", "x", expires_at=given)
    assert agent.memory.list("alice") == before


def test_the_profile_goes_on_to_what_comes_next_where_facts_expired(agent):
    for i, until in enumerate(["2026-01-02T00:00:00+00:00"] * 2 + [None] * 3):
        agent.memory.remember(
            "alice", f"停车证 {i}", attribute="permit", value=str(i), importance=0.9, expires_at=until
        )
        agent.memory.remember("alice", f"locker {i}", attribute="locker", value=str(i), importance=0.5 - i / 10)

    def values(limit):
        with agent.memory.database.read() as conn:
            at = agent.memory.ledger.now()
            later = datetime(2100, 1, 1, tzinfo=UTC)
            return [(m.attribute, m.value) for m in profile(conn, "alice", at, later, limit)]

    whole = values(40)
    assert [v for v in whole if v[0] == "permit"] == [("permit", "4"), ("permit", "3"), ("permit", "2")]
    assert len(whole) == 8
    # Two of what would be in it expired, so what comes after them is.
    assert [values(limit) for limit in (3, 4, 7)] == [whole[:3], whole[:4], whole[:7]]
