"""Pruning: every state that stays is what it was and can be gone on from; memory is untouched; what it cost is named."""

import os
import shutil
from hashlib import sha256
from tempfile import TemporaryDirectory

import pytest
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st

from graph import open_agent
from graph.build import build_graph, delta_channels
from graph.tree import tree_of
from memory.clock import ManualClock
from stores.checkpointer import SqliteCheckpointer
from stores.embeddings import HashEmbeddings
from stores.errors import BadInput, NotFound
from stores.leases import ThreadBusy

ALICE = {"user_id": "alice"}
CONFIG = {"configurable": {"thread_id": "t"}}
WORDS = ["我住在北京", "I live in Rome", "我喜欢爬山", "I like tea", "嗯嗯", "My name is Alice."]


@pytest.fixture
def agent(tmp_path):
    with opened(tmp_path) as agent:
        yield agent


def opened(folder):
    return open_agent(folder, model="offline", embeddings=HashEmbeddings(), clock=ManualClock())


def say(agent, words, where=None):
    agent.memory.database.clock.advance(minutes=1)
    return agent.graph.invoke({"messages": [("user", words)]}, where or CONFIG, context=ALICE)


def head(agent):
    return agent.graph.get_state(CONFIG).config


def states(agent):
    """Everything that can be read at each checkpoint, but for its parent."""
    return {
        s.config["configurable"]["checkpoint_id"]: (s.values, s.next, s.metadata, s.created_at, s.tasks, s.interrupts)
        for s in agent.graph.get_state_history(CONFIG)
    }


def memories(agent, moments=()):
    now = agent.memory.list("alice", standing="all")
    return now, [agent.memory.list("alice", as_of=t) for t in moments], agent.memory.stats("alice")


def facts(agent):
    return sorted(m.value for m in agent.memory.list("alice", kind="fact"))


# What can be done to a thread; a number picks one of its checkpoints.
steps = st.lists(
    st.one_of(
        st.tuples(st.just("say"), st.sampled_from(WORDS), st.none()),
        st.tuples(st.just("fork"), st.sampled_from(WORDS), st.integers(0, 99)),
        st.tuples(st.just("again"), st.none(), st.integers(0, 99)),
        st.tuples(st.just("switch"), st.none(), st.integers(0, 99)),
        st.tuples(st.just("update"), st.sampled_from(WORDS), st.integers(0, 99)),
        st.tuples(st.just("prune"), st.none(), st.integers(1, 3)),
    ),
    min_size=2,
    max_size=6,
)


def do(agent, what, words, which):
    found = [s.config for s in agent.graph.get_state_history(CONFIG)]
    where = found[which % len(found)] if found and which is not None else CONFIG
    if what in ("say", "fork") or not found:
        say(agent, words or "嗯嗯", where)
    elif what == "again":
        agent.graph.invoke(None, where, context=ALICE)
    elif what == "switch":
        agent.threads.switch("t", where)
    elif what == "update":
        agent.graph.update_state(where, {"messages": [("user", words)]}, as_node="__start__")
    else:
        agent.threads.prune("t", which)


SAME = "我住在北京"


@settings(max_examples=8, deadline=None, derandomize=True)
@example(
    # An answer written anew from the middle of a turn: alike in words and commit, and a branch of its own.
    done=[("say", SAME, None), ("say", SAME, None), ("switch", None, 0), ("again", None, 81), ("again", None, 3)],
    keep=1,
    going_on=0,
)
@given(done=steps, keep=st.integers(1, 3), going_on=st.integers(0, 99))
def test_what_stays_reads_as_before_and_memory_does_not_change(done, keep, going_on):
    prune_and_look(done, keep, going_on)


@pytest.mark.slow
@settings(max_examples=500, deadline=None)
@given(done=steps, keep=st.integers(1, 3), going_on=st.integers(0, 99))
def test_what_stays_reads_as_before_and_memory_does_not_change_at_length(done, keep, going_on):
    prune_and_look(done, keep, going_on)


def prune_and_look(done, keep, going_on):
    with TemporaryDirectory(dir=os.environ.get("PYTEST_DEBUG_TEMPROOT")) as folder:
        with opened(folder) as agent:
            say(agent, "我住在上海")
            for step in done:
                do(agent, *step)
            moments = sorted({i.start for m in agent.memory.list("alice", standing="all") for i in m.intervals})
            before, remembered, standing = states(agent), memories(agent, moments), agent.memory.list("alice")
            report = agent.threads.prune("t", keep)
            assert states(agent) == {one: before[one] for one in report.kept}
            assert {*report.kept, *report.deleted} == before.keys()
            assert memories(agent, moments) == remembered
            assert {m.checkpoint_id for m in standing} <= {*report.kept}
            assert agent.threads.prune("t", keep).deleted == ()
            where = {"configurable": {"thread_id": "t", "checkpoint_id": report.kept[going_on % len(report.kept)]}}
            goes_on = agent.graph.get_state(where)
            after = states(agent)
        with opened(folder) as agent:
            assert states(agent) == after
            forked = say(agent, "I like jazz", where)
            said = [m.id for m in goes_on.values.get("messages", [])]
            assert [m.id for m in forked["messages"]][: len(said)] == said
            assert {one: state for one, state in states(agent).items() if one in after} == after


@pytest.fixture(scope="module")
def branched(tmp_path_factory):
    """A folder with a thread of several branches, longer than what LangGraph leaves between two snapshots."""
    folder = tmp_path_factory.mktemp("branched")
    with opened(folder) as agent:
        say(agent, "嗯嗯")
        start = head(agent)
        for words in WORDS * 2:
            say(agent, words)
        middle = next(s.config for s in agent.graph.get_state_history(CONFIG) if s.next == ("call_llm",))
        say(agent, "I like soup", start)
        agent.graph.invoke(None, middle, context=ALICE)
        say(agent, "I like bread")
        agent.threads.switch("t", start)
        for i in range(52):
            say(agent, f"我去过{i}号公园")
        return folder / "checkpoints.sqlite", {one: state[:4] for one, state in states(agent).items()}


@settings(max_examples=25, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(data=st.data())
def test_whatever_is_deleted_in_two_goes_what_stays_reads_as_before(branched, tmp_path_factory, data):
    stored, before = branched
    path = tmp_path_factory.mktemp("copy") / "checkpoints.sqlite"
    shutil.copy(stored, path)
    ids = sorted(before)
    first = data.draw(st.sets(st.sampled_from(ids), min_size=1, max_size=40))
    # Neighbours too, where order matters most.
    first |= {*ids[(start := data.draw(st.integers(0, len(ids) - 1))) : start + 12]}
    second = data.draw(st.sets(st.sampled_from(sorted(first)), min_size=1, max_size=12))
    with SqliteCheckpointer.open(path) as saver:
        graph = build_graph(checkpointer=saver)
        saver.delta_channels = delta_channels(graph)
        saver.delete_checkpoints("t", before.keys() - first)
        saver.delete_checkpoints("t", first - second)
        after = {}
        for one in second:
            s = graph.get_state({"configurable": {"thread_id": "t", "checkpoint_id": one}})
            after[one] = (s.values, s.next, s.metadata, s.created_at)
        assert after == {one: before[one] for one in second}
        assert {c.checkpoint["id"] for c in saver.list(CONFIG)} == second


def test_a_long_thread_keeps_its_last_turns_and_where_its_memories_come_from(agent):
    for i in range(12):
        say(agent, f"我去过{i}号公园")
    turns = agent.threads.tree("t").turns()
    report = agent.threads.prune("t", 2)
    left = agent.threads.tree("t")
    # The last two turns whole, and the turn's end before them: a last turn can be edited and sent again.
    assert [n.checkpoint_id for n in left.turns()] == [n.checkpoint_id for n in turns[-3:]]
    episodes = agent.memory.list("alice", kind="episode")
    for memory in episodes:
        written = {"configurable": {"thread_id": "t", "checkpoint_id": memory.checkpoint_id}}
        assert memory.message_ids[0] in [m.id for m in agent.graph.get_state(written).values["messages"]]
    assert report.given_up == ()
    assert len(report.kept) == 2 * 7 + 1 + 10


def test_what_belongs_to_another_branch_is_not_handed_down(agent):
    say(agent, "我住在北京")
    middle = next(s for s in agent.graph.get_state_history(CONFIG) if s.next == ("call_llm",))
    agent.graph.invoke(None, middle.config, context=ALICE)
    before = states(agent)
    kept = {one["configurable"]["checkpoint_id"] for one in (middle.config, head(agent))}
    agent.threads.checkpointer.delete_checkpoints("t", before.keys() - kept)
    assert states(agent) == {one: before[one] for one in kept}


def test_pruning_makes_a_long_thread_smaller_though_each_memory_keeps_its_checkpoint(agent):
    for i in range(25):
        say(agent, " ".join(sha256(f"{i}/{j}".encode()).hexdigest() for j in range(10)))

    def size():
        saver = agent.threads.checkpointer
        with saver.cursor(transaction=False) as cur:
            stored = "SELECT sum(length(checkpoint)) FROM checkpoints UNION ALL SELECT sum(length(value)) FROM writes"
            return sum(row[0] for row in cur.execute(stored))

    before = size()
    agent.threads.prune("t", 1, vacuum=True)
    assert size() < before * 2 / 3


def test_every_branch_keeps_its_last_turns_and_can_be_gone_back_to(agent):
    say(agent, "嗯嗯")
    start = head(agent)
    say(agent, "我住在北京")
    say(agent, "我喜欢爬山")
    left = head(agent)
    say(agent, "I live in Rome", start)
    say(agent, "I like tea")
    report = agent.threads.prune("t", 1)
    # What the left branch says is not current now, and is where that branch ends.
    assert report.given_up == ()
    assert facts(agent) == ["Rome", "tea"]
    agent.threads.switch("t", left)
    assert facts(agent) == ["北京", "爬山"]
    kept = {n.checkpoint_id for n in agent.threads.tree("t").nodes}
    assert {m.checkpoint_id for m in agent.memory.list("alice")} <= kept
    assert [m.text for m in agent.graph.get_state(CONFIG).values["messages"] if m.type == "human"] == [
        "嗯嗯",
        "我住在北京",
        "我喜欢爬山",
    ]


def test_a_copy_that_a_switch_made_is_no_branch_of_its_own(agent):
    say(agent, "嗯嗯")
    start = head(agent)
    say(agent, "我住在北京")
    agent.threads.switch("t", start)
    say(agent, "I like tea")
    say(agent, "I like jazz")
    agent.threads.prune("t", 1)
    assert str(agent.threads.tree("t")) == "● 嗯嗯\n├─○ 我住在北京\n● I like tea\n● I like jazz"
    agent.threads.switch("t", start)
    say(agent, "I like soup")
    assert agent.threads.prune("t", 1).given_up == ()
    assert str(agent.threads.tree("t")).splitlines()[-1] == "● I like soup"


def test_what_stands_nowhere_gives_up_its_checkpoint_and_is_named(agent):
    first = say(agent, "我住在北京")
    (old,) = agent.memory.list("alice", kind="fact")
    (said,) = [m for m in agent.memory.list("alice", kind="episode") if m.speaker == "user"]
    say(agent, "我住在上海")
    agent.memory.undo("alice", first["turn_id"])
    for _ in range(3):
        say(agent, "嗯嗯")
    report = agent.threads.prune("t", 1)
    assert old.checkpoint_id in report.deleted
    assert {row["memory_id"] for row in report.to_dicts()} >= {old.id, said.id}
    assert {row["checkpoint_id"] for row in report.to_dicts()} == {old.checkpoint_id}
    assert report.to_dict()["given_up"] == report.to_dicts()
    assert "用户住在北京" in report._repr_html_()
    # The ledger still knows the words: blame leads to them, and undo is taken back.
    (fact,) = agent.memory.list("alice", kind="fact")
    assert [s["text"] for s in agent.memory.blame("alice", fact.id)] == ["用户住在上海", "用户住在北京"]


def test_a_busy_thread_a_thread_that_is_not_there_and_no_turns_are_refused(agent):
    say(agent, "我住在北京")
    before = states(agent)
    agent.threads.leases.acquire("t", "a run")
    with pytest.raises(ThreadBusy):
        agent.threads.prune("t", 1)
    agent.threads.leases.release("t", "a run")
    with pytest.raises(NotFound):
        agent.threads.prune("nope", 1)
    with pytest.raises(BadInput, match="not 0"):
        agent.threads.prune("t", 0)
    assert states(agent) == before
    agent.threads.prune("t", 1)
    assert agent.threads.leases.holder("t") is None


def test_delta_channels_that_are_not_known_are_not_lost(agent):
    for words in WORDS:
        say(agent, words)
    before = states(agent)
    agent.threads.checkpointer.delta_channels = {}
    with pytest.raises(ValueError, match="delta channels"):
        agent.threads.prune("t", 1)
    agent.threads.checkpointer.delta_channels = {
        name: channel for name, channel in agent.graph.channels.items() if name in ("messages", "recalled")
    }
    assert states(agent) == before


def test_the_tree_says_what_langgraph_says_of_every_checkpoint(agent):
    say(agent, "嗯嗯")
    start = head(agent)
    say(agent, "我的电话是 13800138000")
    middle = next(s for s in agent.graph.get_state_history(CONFIG) if s.next == ("call_llm",))
    say(agent, "I live in Rome", start)
    agent.graph.invoke(None, middle.config, context=ALICE)
    agent.threads.branch(start, messages=[("user", "to be said")], as_node="__start__")
    tree = tree_of(agent.graph, "t")
    told = {
        s.config["configurable"]["checkpoint_id"]: (s.next, s.values.get("head"), s.created_at, s.metadata["step"])
        for s in agent.graph.get_state_history(CONFIG)
    }
    assert {n.checkpoint_id: (n.next, n.commit, n.created_at, n.step) for n in tree.nodes} == told
    assert {n.said for n in tree.nodes} == {"", "嗯嗯", "我的电话是 [PHONE]", "I live in Rome", "to be said"}


def test_the_tree_draws_a_switch_once_and_what_was_left_to_the_right(agent):
    say(agent, "嗯嗯")
    start = head(agent)
    say(agent, "我住在北京")
    first = head(agent)
    say(agent, "I live in Rome", start)
    agent.threads.switch("t", first)
    say(agent, "我喜欢爬山")
    tree = agent.threads.tree("t")
    assert str(tree) == "● 嗯嗯\n├─○ I live in Rome\n● 我住在北京\n● 我喜欢爬山"
    assert [row.head for row in tree.rows()] == [False, False, False, True]
    assert all(n.checkpoint_id.startswith(tree.short(n)) for n in tree.nodes)
    assert len({tree.short(n) for n in tree.nodes}) == len(tree.nodes)
    svg = tree._repr_svg_()
    assert "4 turns on 2 branches" in svg
    assert svg.count(">head<") == 1
    agent.graph.invoke(None, first, context=ALICE)
    assert str(agent.threads.tree("t")) == "● 嗯嗯\n├─○ I live in Rome\n● 我住在北京\n○ 我喜欢爬山"


def test_a_title_is_the_first_words(agent):
    with pytest.raises(NotFound):
        agent.threads.title("t")
    say(agent, "我的电话是 13800138000\n请记住")
    say(agent, "嗯嗯")
    assert agent.threads.title("t") == "我的电话是 [PHONE] 请记住"
    agent.graph.invoke({"messages": [("user", "a" * 100)]}, {"configurable": {"thread_id": "b"}}, context=ALICE)
    assert agent.threads.title("b") == "a" * 59 + "…"
