"""Memory follows the branch: forks, switches, replays, undo and restore, and what was known when."""

import pytest

from graph import open_agent
from memory.clock import ManualClock
from stores.embeddings import HashEmbeddings
from stores.errors import NotFound

ALICE = {"user_id": "alice"}


@pytest.fixture
def agent(tmp_path):
    with open_agent(tmp_path, embeddings=HashEmbeddings(), clock=ManualClock()) as opened:
        yield opened


def config(thread="t"):
    return {"configurable": {"thread_id": thread}}


def say(agent, words, where=None):
    agent.memory.database.clock.advance(minutes=1)
    return agent.graph.invoke({"messages": [("user", words)]}, where or config(), context=ALICE)


def head(agent, thread="t"):
    return agent.graph.get_state(config(thread)).config


def values(memories):
    return sorted(m.value for m in memories if m.kind == "fact")


def facts(agent, as_of=None):
    return values(agent.memory.list("alice", kind="fact", as_of=as_of))


def test_the_branch_that_was_left_is_not_recalled_and_the_one_gone_back_to_is(agent):
    say(agent, "嗯嗯")
    start = head(agent)
    say(agent, "我住在北京")
    first = head(agent)
    say(agent, "我住在上海", start)
    fork = head(agent)
    assert facts(agent) == ["上海"]
    agent.threads.switch("t", first)
    say(agent, "我喜欢爬山")
    assert facts(agent) == ["北京", "爬山"]
    elsewhere = say(agent, "我住在哪里？", config("other"))
    assert [line["text"] for line in elsewhere["recalled"]["profile"]] == ["用户住在北京", "用户喜欢爬山"]
    assert "上海" not in str(elsewhere["recalled"])
    assert facts(agent, as_of=fork) == ["上海"]
    assert facts(agent, as_of=first) == ["北京"]


def test_edit_and_resend_five_times_leaves_only_the_last_and_a_history_of_all(agent):
    say(agent, "嗯嗯")
    before = head(agent)
    cities = ["Berlin", "Paris", "Rome", "Oslo", "Lima"]
    for city in cities:
        say(agent, f"I live in {city}", before)
    assert facts(agent) == ["Lima"]
    assert values(agent.memory.list("alice", kind="fact", standing="all")) == sorted(cities)


def test_a_copied_thread_holds_what_it_holds(agent):
    say(agent, "我住在北京")
    agent.threads.checkpointer.copy_thread("t", "copy")
    say(agent, "嗯嗯", config("copy"))
    agent.threads.delete("t", memories=True)
    assert facts(agent) == ["北京"]
    agent.threads.delete("copy", memories=True)
    assert facts(agent) == []


def test_update_state_and_re_running_from_the_middle(agent):
    say(agent, "I live in Berlin")
    middle = next(s for s in agent.graph.get_state_history(config()) if s.next == ("extract_facts",))
    agent.graph.invoke(None, middle.config)
    assert facts(agent) == ["Berlin"]
    start = next(s for s in agent.graph.get_state_history(config()) if s.next == ("retrieve_memory",))
    human = start.values["messages"][-1]
    edited = agent.graph.update_state(
        start.config, {"messages": [human.model_copy(update={"content": "I live in Rome"})]}
    )
    agent.graph.invoke(None, edited)
    assert facts(agent) == ["Rome"]


def test_runs_that_are_rolled_back_drop_what_they_said(agent):
    run = "7f1c2f0a-52c6-4d8e-9a3b-0c6b8f5f2d11"
    say(agent, "I like tea")
    where = {**config(), "metadata": {"run_id": run}}
    agent.graph.invoke({"messages": [("user", "I live in Berlin")]}, where, context=ALICE)
    assert facts(agent) == ["Berlin", "tea"]
    agent.threads.checkpointer.delete_for_runs([run])
    assert facts(agent) == ["tea"]
    say(agent, "嗯嗯")
    assert facts(agent) == ["tea"]


def test_a_replay_recalls_what_was_recalled_and_changes_nothing(agent, tmp_path):
    say(agent, "我住在北京")
    original = say(agent, "我住在哪里？", config("asking"))
    start = next(s for s in agent.graph.get_state_history(config("asking")) if "retrieve_memory" in s.next)
    for i in range(20):
        say(agent, f"我住在上海{i}号", config(f"later {i}"))
    agent.memory.forget("alice", agent.memory.list("alice", kind="episode")[-1].id)
    before = (agent.memory.ledger.now(), head(agent, "asking"), agent.memory.stats("alice"))
    for _ in range(3):
        replayed = agent.threads.replay(start.config)
        assert replayed["recalled"] == original["recalled"]
        assert replayed["messages"][-1].text == original["messages"][-1].text
    assert (agent.memory.ledger.now(), head(agent, "asking"), agent.memory.stats("alice")) == before


def test_branch_makes_a_checkpoint_that_runs_on(agent):
    say(agent, "嗯嗯")
    start = head(agent)
    say(agent, "I live in Berlin")
    forked = agent.threads.branch(start, values={"messages": [("user", "I live in Rome")]}, as_node="__start__")
    agent.graph.invoke(None, forked)
    assert facts(agent) == ["Rome"]


def test_undo_and_restore_on_every_branch(agent):
    state = say(agent, "我住在北京")
    turn = state["turn_id"]
    say(agent, "I like tea")
    undone_at = agent.memory.ledger.now()
    assert agent.memory.undo("alice", turn) == [state["head"]]
    assert facts(agent) == ["tea"]
    assert facts(agent, as_of=undone_at) == ["tea", "北京"]
    say(agent, "嗯嗯")
    assert facts(agent) == ["tea"]
    assert agent.memory.undo("alice", turn) == [state["head"]]
    agent.memory.restore("alice", turn)
    assert facts(agent) == ["tea", "北京"]
    with pytest.raises(NotFound):
        agent.memory.undo("alice", "nope")
    with pytest.raises(NotFound):
        agent.memory.undo("bob", turn)


def test_a_forgotten_memory_can_be_restored_with_the_words_it_was_read_from(agent):
    say(agent, "我住在北京")
    (fact,) = agent.memory.list("alice", kind="fact")
    agent.memory.forget("alice", fact.id)
    forgotten = agent.memory.ledger.now()
    assert agent.memory.list("alice") == []
    agent.memory.restore("alice", fact.id)
    assert sorted(m.kind for m in agent.memory.list("alice")) == ["episode", "fact"]
    assert agent.memory.list("alice", as_of=forgotten) == []
    assert [m["text"] for m in agent.threads.search("北京")] == ["我住在北京"]
    with pytest.raises(NotFound):
        agent.memory.restore("alice", fact.id)


def test_diff_between_two_checkpoints(agent):
    say(agent, "我住在北京")
    a = head(agent)
    say(agent, "我住在上海")
    b = head(agent)
    diff = agent.memory.diff("alice", a, b, kind="fact")
    assert [(r["change"], r["text"]) for r in diff.to_dicts()] == [("+", "用户住在上海"), ("-", "用户住在北京")]
    assert agent.memory.diff("alice", b, a, kind="fact").to_dicts()[0]["text"] == "用户住在北京"
    assert agent.memory.diff("alice", b).to_dicts() == []


def test_blame_leads_back_to_the_words(agent):
    first = say(agent, "我住在北京")
    second = say(agent, "我住在上海")
    (fact,) = agent.memory.list("alice", kind="fact")
    steps = agent.memory.blame("alice", fact.id)
    assert [(s["how"], s["text"]) for s in steps] == [("is", "用户住在上海"), ("superseded", "用户住在北京")]
    assert [s["message_ids"] for s in steps] == [[second["messages"][2].id], [first["messages"][0].id]]
    assert steps[0]["commit_id"] == second["head"]
    assert steps[0]["extractor"].startswith("rules")
    start, end = steps[0]["spans"][0]
    assert "我住在上海"[start:end] == "我住在上海"
    written = next(s for s in agent.graph.get_state_history(config()) if s.next == ("write_memory",))
    assert steps[0]["checkpoint_id"] == written.config["configurable"]["checkpoint_id"]


def test_blame_passes_over_other_branches_and_what_stands_beside_a_fact(agent):
    say(agent, "嗯嗯")
    start = head(agent)
    say(agent, "我住在北京")
    say(agent, "I like tea", start)
    say(agent, "I like jazz")
    say(agent, "I live in Rome")
    say(agent, "I don't like tea")
    told = {m.value: agent.memory.blame("alice", m.id) for m in agent.memory.list("alice", kind="fact")}
    assert {value: [(s["how"], s["text"]) for s in steps] for value, steps in told.items()} == {
        "Rome": [("is", "The user lives in Rome")],
        "jazz": [("is", "The user likes jazz")],
        "tea": [("is", "The user does not like tea"), ("superseded", "The user likes tea")],
    }


def test_the_tree_marks_the_current_branch_and_draws_itself(agent):
    say(agent, "嗯嗯")
    start = head(agent)
    say(agent, "我住在<北京>")
    left = head(agent)
    say(agent, "I live in Rome", start)
    tree = agent.threads.tree("t")
    by_id = {n.checkpoint_id: n for n in tree.nodes}
    assert by_id[head(agent)["configurable"]["checkpoint_id"]].current
    assert by_id[start["configurable"]["checkpoint_id"]].current
    assert not by_id[left["configurable"]["checkpoint_id"]].current
    assert [n.said for n in tree.turns()] == ["嗯嗯", "我住在<北京>", "I live in Rome"]
    svg = tree._repr_svg_()
    assert svg.startswith("<svg")
    assert "&lt;北京&gt;" in svg
    with pytest.raises(NotFound):
        agent.threads.tree("nope")


def test_a_thread_that_begins_again_under_the_id_of_a_deleted_one_takes_nothing_back(agent):
    say(agent, "我住在北京")
    agent.threads.delete("t")
    assert facts(agent) == ["北京"]
    say(agent, "I like tea")
    assert facts(agent) == ["tea", "北京"]
    assert [m.text for m in agent.graph.get_state(config()).values["messages"]][0] == "I like tea"
    first = next(s for s in reversed(list(agent.graph.get_state_history(config()))))
    say(agent, "I like jazz", first.config)
    assert facts(agent) == ["jazz", "北京"]


def test_an_older_checkpoint_may_be_run_with_memory_as_it_was_then(agent):
    say(agent, "我住在北京")
    say(agent, "你好", config("asking"))
    say(agent, "我住在哪里？", config("asking"))
    start = next(s for s in agent.graph.get_state_history(config("asking")) if "retrieve_memory" in s.next)
    say(agent, "我住在上海")
    before = agent.memory.stats("alice")
    then = agent.graph.invoke(None, start.config, context={**ALICE, "memory_view": "checkpoint"})
    assert [line["text"] for line in then["recalled"]["profile"]] == ["用户住在北京"]
    assert agent.memory.stats("alice") == before
    now = agent.graph.invoke(None, start.config, context=ALICE)
    assert [line["text"] for line in now["recalled"]["profile"]] == ["用户住在上海"]
