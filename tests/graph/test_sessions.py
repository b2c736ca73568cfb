import pytest

from graph import open_agent
from graph.scripted_model import ScriptedModel
from memory.clock import ManualClock
from stores.errors import BadInput, NotFound


def say(agent, words, thread="t", user="alice", **context):
    where = {"configurable": {"thread_id": thread}}
    agent.graph.invoke({"messages": [("user", words)]}, where, context={"user_id": user, **context})


def titles(agent):
    return {row["thread_id"]: row["title"] for row in agent.threads.list()}


@pytest.fixture
def agent(tmp_path):
    with open_agent(tmp_path, embeddings="hash", clock=ManualClock()) as opened:
        yield opened


@pytest.fixture
def titled(tmp_path):
    """An agent whose model writes titles when it is asked for one, and an answer else."""

    def reply(messages):
        return titled.title if "title" in messages[0].text.lower() or "标题" in messages[0].text else "Fine."

    model = ScriptedModel(reply)
    with open_agent(tmp_path, model=model, extraction_model="rules", embeddings="hash") as opened:
        titled.title = "《里斯本之行》"
        opened.model = model
        opened.write = lambda title: setattr(titled, "title", title)
        yield opened


def test_threads_are_listed_by_pages_the_last_used_first_with_titles(agent):
    for i in range(5):
        say(agent, f"我想去第{i}座城市", f"t{i}")
    say(agent, "Hello there", "t1", "bob")
    every = agent.threads.list()
    assert [(row["thread_id"], row["title"]) for row in every] == [
        ("t1", "我想去第1座城市"),
        ("t4", "我想去第4座城市"),
        ("t3", "我想去第3座城市"),
        ("t2", "我想去第2座城市"),
        ("t0", "我想去第0座城市"),
    ]
    assert [row for start in (0, 2, 4, 6) for row in agent.threads.list(limit=2, offset=start)] == every
    assert [row["thread_id"] for row in agent.threads.list("bob", limit=9)] == ["t1"]
    assert (agent.threads.count(), agent.threads.count("alice"), agent.threads.count("x")) == (5, 4, 0)


def test_a_transcript_is_read_by_pages(agent):
    for i in range(3):
        say(agent, f"第{i}句话")
    every = agent.threads.show("t")["transcript"]
    assert len(every) == 6
    assert [m for start in (0, 4) for m in agent.threads.show("t", limit=4, offset=start)["transcript"]] == every


@pytest.mark.parametrize("page", [{"limit": -1}, {"offset": -1}])
def test_there_is_no_negative_page(agent, page):
    say(agent, "你好")
    for read in (
        agent.threads.list,
        lambda **p: agent.threads.show("t", **p),
        lambda **p: agent.threads.search("x", **p),
    ):
        with pytest.raises(BadInput):
            read(**page)


def test_the_offline_model_s_titles_are_first_words_even_when_asked(agent):
    say(agent, "我的电话是 13800138000，请记住")
    agent.threads.close("t")
    assert agent.threads.title("t", ask=True) == agent.threads.title("t") == "我的电话是 [PHONE]，请记住"
    assert agent.threads.stats("t")["usage"]["calls"] == agent.threads.usage("t")["thread"]["total"]["calls"]


def test_a_thread_without_words_is_called_by_its_id(agent):
    agent.memory.ledger.enter_thread("quiet", "alice")
    assert agent.threads.title("quiet", ask=True) == "quiet"


def test_a_model_names_a_thread_once_when_it_is_closed(titled):
    say(titled, "九月想带父母去里斯本，电话 13800138000")
    assert titles(titled) == {"t": "九月想带父母去里斯本，电话 [PHONE]"}
    before = titled.threads.stats("t")["usage"]["calls"]
    assert titled.threads.close("t") is None
    assert (titles(titled), titled.threads.title("t")) == ({"t": "里斯本之行"}, "里斯本之行")
    asked = titled.model.calls[-1].messages[1].text
    assert asked.splitlines()[0] == "用户：九月想带父母去里斯本，电话 [PHONE]"
    calls = len(titled.model.calls)
    titled.threads.close("t")
    assert len(titled.model.calls) == calls
    assert titled.threads.stats("t")["usage"]["calls"] == before + 1
    assert titled.threads.usage("t")["thread"]["title"]["calls"] == 1


def test_a_model_names_a_thread_anew_when_asked(titled):
    say(titled, "Where is Lisbon?")
    assert titled.threads.title("t", ask=True) == "里斯本之行"
    titled.write("Call 13800138000 " + "now " * 40)
    called = titled.threads.title("t", ask=True)
    assert called == titled.threads.title("t") == "Call [PHONE] now now now now now now now now now now now…"


@pytest.mark.parametrize("reply", [ConnectionError("key sk-abcdefghijklmnopqrstuvwxyz123456"), "", "“”"])
def test_a_title_that_was_not_written_leaves_the_one_there_was(titled, reply, caplog):
    say(titled, "Where is Lisbon?")
    titled.write(reply)
    assert titled.threads.title("t", ask=True) == "Where is Lisbon?"
    assert titled.threads.close("t") is None
    assert "sk-abc" not in caplog.text
    titled.write("Lisbon")
    assert titled.threads.title("t", ask=True) == "Lisbon"
    titled.write(reply)
    assert titled.threads.title("t", ask=True) == "Lisbon"


def test_a_model_that_is_not_configured_does_not_stop_a_close(tmp_path):
    with open_agent(tmp_path, embeddings="hash") as agent:
        say(agent, "你好呀")
    with open_agent(tmp_path, model="openai", embeddings="hash") as agent:
        assert agent.threads.close("t") is None
        assert agent.threads.title("t", ask=True) == "你好呀"


def test_a_title_goes_with_the_words_that_were_forgotten(titled):
    say(titled, "嗯嗯")
    say(titled, "我住在里斯本")
    titled.threads.close("t")
    (fact,) = titled.memory.list("alice", kind="fact")
    titled.memory.forget("alice", fact.id)
    assert titled.threads.title("t") == "嗯嗯"
    assert titled.threads.search("里斯本") == []


def test_a_thread_in_numbers(agent):
    say(agent, "我住在北京")
    say(agent, "我住在上海")
    say(agent, "我住在广州", "other")
    found = agent.threads.stats("t")
    assert found == {
        "thread_id": "t",
        "user_id": "alice",
        "title": "我住在北京",
        "deleted": None,
        "messages": 4,
        "by_speaker": {"assistant": 2, "user": 2},
        "turns": 2,
        "facts": 2,
        "current_facts": 0,
        "first": agent.threads.show("t")["transcript"][0]["said_at"],
        "last": agent.threads.show("t")["transcript"][-1]["said_at"],
        "usage": agent.threads.usage("t")["thread"]["total"],
    }
    assert agent.threads.stats("other")["current_facts"] == 1
    with pytest.raises(NotFound):
        agent.threads.stats("nope")


def test_close_reads_what_waits_and_the_thread_goes_on(agent):
    say(agent, "我住在北京", extraction="deferred")
    assert agent.threads.stats("t")["facts"] == 0
    changes = agent.threads.close("t")
    assert [fact["op"] for fact in changes["facts"]] == ["add"]
    assert agent.threads.close("t") is None
    say(agent, "我住在上海")
    assert [m.value for m in agent.memory.list("alice", kind="fact")] == ["上海"]
    with pytest.raises(NotFound):
        agent.threads.close("nope")


def test_delete_marks_a_thread_keeps_its_memories_and_hides_its_words(agent):
    say(agent, "我住在北京")
    say(agent, "我的猫叫小黑", "u")
    agent.threads.delete("t")
    agent.threads.delete("t")
    (row,) = (row for row in agent.threads.list() if row["thread_id"] == "t")
    assert row["deleted"]
    assert agent.threads.search("北京") == []
    assert [m.value for m in agent.memory.list("alice", kind="fact") if m.attribute == "home"] == ["北京"]
    assert agent.threads.close("t") is None
    agent.threads.delete("u", memories=True)
    assert all("小黑" not in m.text for m in agent.memory.list("alice"))
    with pytest.raises(NotFound):
        agent.threads.delete("nope")


def test_a_title_of_words_that_were_forgotten_while_it_was_written_is_not_kept(tmp_path):
    def reply(messages):
        if "只回复标题" in messages[0].text:
            (fact,) = agent.memory.list("alice", kind="fact")
            agent.memory.forget("alice", fact.id)
            return "里斯本的家"
        return "好的。"

    with open_agent(tmp_path, model=ScriptedModel(reply), extraction_model="rules", embeddings="hash") as agent:
        say(agent, "我住在里斯本")
        assert agent.threads.title("t", ask=True) == "t"
