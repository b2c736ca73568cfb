"""The steps that people and programs take, each through the agent's own surface; the oracle is told of each.

A step that cannot be taken (nothing to switch to, nothing to undo) does nothing. Numbers choose among what there is.
"""

import itertools
import shutil
import sqlite3
import uuid
from collections import Counter
from datetime import timedelta
from typing import NamedTuple

from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.errors import InvalidUpdateError

from graph import open_agent
from graph.scripted_model import ScriptedModel
from memory.clock import ManualClock
from stores.embeddings import HashEmbeddings
from stores.indexer import namespace_of
from tests.branches.oracle import SENTENCES, Claim, Oracle, Words, claim_in, row_of
from tests.folders import copy_folder

INPUT, START, MODEL, READ, WRITE = "__start__", "retrieve_memory", "call_llm", "extract_facts", "write_memory"
OWNERS = {"a0": "alice", "a1": "alice", "b0": "bob"}
COPIES = ("x0", "x1")
NO_RUN = ""
_names = itertools.count()


_SWEPT = "SELECT 1 FROM ended JOIN events ON id = event_id WHERE kind = 'sweep' AND record_id = ?"


class Contradiction(AssertionError):
    """Memory is not what it should be."""


class Place(NamedTuple):
    """A checkpoint that a run left: what was to come next, the messages in it, when its turn began, and its run.

    `home` is the thread that the turn began in: a copy goes on with the turns of its source.
    """

    thread: str
    home: str
    checkpoint: str
    next: tuple[str, ...]
    messages: tuple[Words, ...]
    minute: int
    run: str


class World:
    """One example's threads and users in an agent's folder, and what should hold of them."""

    def __init__(self, agent):
        self.agent = agent
        self.name = str(next(_names))
        self.ledger = agent.memory.database.engine.url.database
        self.oracle = Oracle(self.ledger)
        self.places = []
        self.forgotten = []
        self.left = set()  # the checkpoints that a run went on from
        self.owners = {self._id(t): self._id(u) for t, u in OWNERS.items()}
        self.users = [self._id(u) for u in ("alice", "bob")]
        self.seen = []

    def _id(self, name):
        return f"{self.name} {name}"

    # Helpers of the steps.

    def _minute(self):
        return round(self.agent.memory.database.clock().timestamp()) // 60

    def _config(self, place):
        where = {"thread_id": place.thread, "checkpoint_ns": "", "checkpoint_id": place.checkpoint}
        return {"configurable": where}

    def _tip(self, thread):
        return next((p for p in reversed(self.places) if p.thread == thread), None)

    def _choose(self, n, among):
        found = list(among)
        return found[-1 - n % len(found)] if found else None

    def _thread(self, n, begun=None):
        threads = [t for t in self.owners if begun is None or begun == (self._tip(t) is not None)]
        return threads[n % len(threads)] if threads else None

    def _run(self, thread, given, start, *, stop=None, config=None):
        """Run the graph from a place, or from the start of a thread that has none; the oracle learns what came of it."""
        if start is None:
            self.oracle.begins(thread)
        else:
            self.left.add(start[:3])
        minute, run = self._minute(), str(uuid.uuid4())
        asks = given is not None or start.next in ((INPUT,), (START,))
        said, home = (minute, thread) if asks else (start.minute, start.home)
        config = config or (self._config(start) if start else {"configurable": {"thread_id": thread}})
        stream = self.agent.graph.stream(
            given,
            {**config, "metadata": {"run_id": run}},
            context={"user_id": self.owners[thread]},
            stream_mode="checkpoints",
            interrupt_before=[stop] if stop else None,
        )
        idle = start is not None and given is None and not start.next
        for event in stream:
            if not idle:
                self._place((thread, home), event, said if event["next"] else minute, run)
        if idle:
            return  # nothing ran: it left no checkpoint, and nothing followed
        before = start.messages if start else ()
        state = self.agent.graph.get_state({"configurable": {"thread_id": thread}}).values
        times = (start.minute if start else minute, said)
        ids = {w.message_id for w in before}
        homes = (start.home if start else thread, home)
        self.oracle.ran(
            thread, self.owners[thread], homes, state.get("head"), _words(state), ids, times, not self.places[-1].next
        )

    def _place(self, threads, event, minute, run):
        checkpoint = event["config"]["configurable"]["checkpoint_id"]
        self.places.append(Place(*threads, checkpoint, tuple(event["next"]), _words(event["values"]), minute, run))

    def _update(self, start, values, as_node=None):
        """`update_state` at a place, which makes another place."""
        graph = self.agent.graph
        config = graph.update_state(self._config(start), values, as_node=as_node)
        found = graph.get_state(config)
        event = {"config": config, "next": found.next, "values": found.values}
        self._place(start[:2], event, start.minute, NO_RUN)

    # Steps.

    def say(self, n, sentence, stop):
        thread = self._thread(n)
        start = self._tip(thread)
        config = {"configurable": {"thread_id": thread}}
        self._run(thread, _input(sentence), start, stop=stop, config=config)

    def fork(self, n, sentence, stop):
        if start := self._choose(n, self.places):
            self._run(start.thread, _input(sentence), start, stop=stop)

    def switch(self, n):
        if start := self._choose(n, (p for p in self.places if not p.next)):
            head = self.agent.threads.switch(start.thread, self._config(start))
            found = self.agent.graph.get_state(head)
            self._place(start[:2], {"config": head, "next": found.next, "values": found.values}, start.minute, NO_RUN)
            self.oracle.follows(start.thread, found.values.get("head"))

    def rerun(self, n):
        if start := self._choose(n, self.places):
            self._run(start.thread, None, start)

    def resume(self, n):
        if start := self._choose(n, (self._tip(t) for t in self.owners if self._tip(t) and self._tip(t).next)):
            # A run that was rolled back has left its first step's result here, which only a resume would take up.
            again = start[:3] in self.left
            config = self._config(start) if again else {"configurable": {"thread_id": start.thread}}
            self._run(start.thread, None, start, config=config)

    def edit(self, n, sentence, runs):
        if start := self._choose(n, (p for p in self.places if p.next == (START,) and p.messages)):
            changed = HumanMessage(sentence, id=next(w.message_id for w in reversed(start.messages) if w.human))
            try:
                self._update(start, {"messages": [changed]})
            except InvalidUpdateError:  # LangGraph cannot tell whose words these are once several steps ran at once
                self._update(start, {"messages": [changed]}, "__start__")
            if runs:
                self._run(start.thread, None, self.places[-1])

    def by_hand(self, n, runs):
        if start := self._choose(n, (p for p in self.places if p.next in ((MODEL,), ()) and p.messages)):
            self._update(start, {"messages": [AIMessage("By hand", id=str(uuid.uuid4()))]}, MODEL)
            if runs:
                self._run(start.thread, None, self.places[-1])

    def branch(self, n, sentence, runs):
        if start := self._choose(n, (p for p in self.places if not p.next)):
            self._update(start, _input(sentence), "__start__")
            if runs:
                self._run(start.thread, None, self.places[-1])

    def begin_by_update(self, n, sentence):
        thread = self._thread(n, begun=False)
        if thread:
            graph, config = self.agent.graph, {"configurable": {"thread_id": thread}}
            head = graph.update_state(config, _input(sentence), as_node="__start__")
            found = graph.get_state(head)
            self.oracle.begins(thread)
            self._place(
                (thread, thread), {"config": head, "next": found.next, "values": found.values}, self._minute(), NO_RUN
            )
            self._run(thread, None, self.places[-1])

    def copy(self, n, to):
        source = self._thread(n, begun=True)
        free = [t for t in [*map(self._id, COPIES), *self.owners] if self._tip(t) is None]
        free = [t for t in free if self.owners.get(t, self.owners.get(source)) == self.owners.get(source)]
        if source and free:
            target = free[to % len(free)]
            self.owners[target] = self.owners[source]
            self.agent.threads.checkpointer.copy_thread(source, target)
            self.places += [p._replace(thread=target) for p in self.places if p.thread == source]
            self.oracle.begins(target)
            self.oracle.follows(target, self._head(target))

    def delete(self, n, memories):
        thread = self._thread(n)
        if thread in self.oracle.heads:
            self.agent.threads.delete(thread, memories=memories)
            self.places = [p for p in self.places if p.thread != thread]
            self.oracle.deleted(thread, memories)

    def rollback(self, n):
        runs = list(dict.fromkeys(p.run for p in self.places if p.run))
        if run := self._choose(n, runs):
            touched = {p.thread for p in self.places if p.run == run}
            self.agent.threads.checkpointer.delete_for_runs([run])
            self.places = [p for p in self.places if p.run != run]
            for thread in touched:
                self.oracle.follows(thread, self._head(thread))

    def undo(self, n, whole_turn):
        if commit := self._choose(n, self.oracle.turns):
            which = self._turn_of(commit) if whole_turn else commit
            self.oracle.undone |= set(self.agent.memory.undo(self.oracle.turns[commit].user, which))
            assert commit in self.oracle.undone

    def restore(self, n, whole_turn):
        undone = [c for c in self.oracle.turns if c in self.oracle.undone]
        # What a sweep ended as well would come back from both.
        forgotten = [f for f in self.forgotten if not self._sql(_SWEPT, f[1])]
        choice = self._choose(n, [*undone, *forgotten])
        if choice in self.oracle.turns:
            which = self._turn_of(choice) if whole_turn else choice
            self.oracle.undone -= set(self.agent.memory.restore(self.oracle.turns[choice].user, which))
            assert choice not in self.oracle.undone
        elif choice:
            user, memory_id = choice
            self.agent.memory.restore(user, memory_id)
            self.oracle.restored(memory_id)
            self.forgotten = [f for f in self.forgotten if f != choice]

    def forget(self, n):
        if memory := self._memory(n, "fact", "episode"):
            ends = (memory.attribute, memory.value)
            if memory.kind == "episode":
                ends = ("message", (self.oracle.turns[memory.commit_id].home, memory.message_ids[0], memory.text))
            self.agent.memory.forget(memory.user_id, memory.id)
            self.oracle.acted("forget", memory.user_id, self._minute(), target=memory.id, ends=ends)
            self.forgotten.append((memory.user_id, memory.id))

    def correct(self, n, sentence):
        if memory := self._memory(n, "fact"):
            fitting = [
                s for s in SENTENCES if (c := claim_in(s)) and c.attribute == memory.attribute and c.how != "ends"
            ]
            sentence = fitting[SENTENCES.index(sentence) % len(fitting)]
            self.agent.memory.correct(memory.user_id, memory.id, sentence)
            ends = (memory.attribute, memory.value)
            self.oracle.acted("correct", memory.user_id, self._minute(), ends=ends, claim=claim_in(sentence))

    def remember(self, n, sentence):
        claim = claim_in(sentence)
        if claim and claim.how != "ends":
            user = self.users[n % 2]
            self.agent.memory.remember(user, sentence)
            self.oracle.acted("remember", user, self._minute(), claim=claim)

    def sweep(self, n):
        user = self.users[n % 2]
        distant = self.agent.memory.database.clock() + timedelta(days=10_000)
        self.agent.memory.sweep(user, now=distant)
        self.oracle.swept(user, self._minute())

    def hold(self, n):
        if memory := self._memory(n, "fact", "episode", standing="current"):
            self.agent.memory.hold(memory.user_id, memory.id)
            self.oracle.acted("hold", memory.user_id, self._minute(), **self._about(memory))

    def release(self, n):
        if memory := self._memory(n, "fact", "episode", standing="held"):
            self.agent.memory.release(memory.user_id, memory.id)
            (about,) = self._about(memory).values()
            self.oracle.released(memory.user_id, self._minute(), about)

    def reject(self, n):
        if memory := self._memory(n, "fact", "episode", standing="held"):
            self.agent.memory.reject(memory.user_id, memory.id)
            self.oracle.acted("reject", memory.user_id, self._minute(), target=memory.id, **self._about(memory))
            self.forgotten.append((memory.user_id, memory.id))

    def _about(self, memory):
        if memory.kind == "fact":
            return {"claim": Claim(memory.attribute, memory.value, "says" if memory.polarity == 1 else "denies")}
        return {"ends": ("message", (self.oracle.turns[memory.commit_id].home, memory.message_ids[0], memory.text))}

    def _memory(self, n, *kinds, standing="all"):
        listed = [m for user in self.users for m in self.agent.memory.list(user, standing=standing)]
        return self._choose(n, (m for m in listed if m.kind in kinds))

    def _head(self, thread):
        return self.agent.graph.get_state({"configurable": {"thread_id": thread}}).values.get("head")

    def _turn_of(self, commit):
        (turn,) = self._sql("SELECT turn_id FROM commits WHERE id = ?", commit)[0]
        return turn

    def _sql(self, query, *values):
        connection = sqlite3.connect(self.ledger)
        try:
            return connection.execute(query, values).fetchall()
        finally:
            connection.close()

    # What must hold.

    def take(self, step):
        """Take one step, a minute after the one before it, and look at everything."""
        self.agent.memory.database.clock.advance(minutes=1)
        name, *args = step
        getattr(self, name)(*args)
        self.check()

    def check(self):
        """What is current is what the oracle says, in the ledger and in the index."""
        memory = self.agent.memory
        for user in self.users:
            listed = memory.list(user)
            current, waits = self.oracle.current(user)
            _equal("current", Counter(map(row_of, listed)), current)
            _equal("held", Counter(map(row_of, memory.list(user, standing="held"))), waits)
            points = memory.index.search(namespace_of(user), limit=10_000)
            intervals = self._sql('SELECT record_id, start, "end" FROM intervals WHERE user_id = ?', user)
            _equal(
                "the index",
                Counter((p.value["id"], p.value["start"], p.value["end"]) for p in points),
                Counter(intervals),
            )
            ids = {m.id for m in listed}
            _equal("open points", {p.value["id"] for p in points if p.value["standing"] == "current"}, ids)
            recalled = memory.recall(user, " ".join(SENTENCES), strategy="lexical", limit=50, max_tokens=10_000)
            _equal("recalled and not current", {r.memory.id for r in recalled.results} - ids, set())
            self.seen.append((user, memory.ledger.now(), _texts(listed)))

    def look_back(self):
        """Every earlier answer is as it was."""
        for user, t, texts in self.seen:
            _equal(f"as of {t}", _texts(self.agent.memory.list(user, as_of=t)), texts)


def play(agent, steps):
    """Take steps in a world of their own. Raises `Contradiction`."""
    world = World(agent)
    for step in steps:
        world.take(step)
    world.look_back()


def _equal(what, found, wanted):
    if found != wanted:
        more = (
            f"unexpected {found - wanted}, missing {wanted - found}"
            if not isinstance(found, list)
            else f"{found}\n{wanted}"
        )
        raise Contradiction(f"{what}: {more}")


def _input(sentence):
    return {"messages": [("user", sentence)]}


def _words(values):
    return tuple(Words(m.id, m.text, isinstance(m, HumanMessage)) for m in values.get("messages", ()))


def _texts(memories):
    return [(m.id, m.text) for m in memories]


_few, _many = st.integers(0, 4), st.integers(0, 30)
_sentence, _flag = st.sampled_from(SENTENCES), st.booleans()
_stop = st.sampled_from((None, None, None, WRITE, READ, MODEL))


def _step(name, *args):
    return st.tuples(st.just(name), *args)


_STEP = st.one_of(
    _step("say", _few, _sentence, _stop),
    _step("say", _few, _sentence, st.none()),
    _step("fork", _many, _sentence, _stop),
    _step("switch", _many),
    _step("rerun", _many),
    _step("resume", _few),
    _step("edit", _many, _sentence, _flag),
    _step("by_hand", _many, _flag),
    _step("branch", _many, _sentence, _flag),
    _step("begin_by_update", _few, _sentence),
    _step("copy", _few, _few),
    _step("delete", _few, _flag),
    _step("rollback", _many),
    _step("undo", _many, _flag),
    _step("restore", _many, _flag),
    _step("forget", _many),
    _step("correct", _many, _sentence),
    _step("remember", _few, _sentence),
    _step("hold", _many),
    _step("release", _few),
    _step("reject", _few),
    _step("sweep", _few),
)
STEPS = st.lists(_STEP, min_size=1, max_size=12) | st.lists(_STEP, min_size=8, max_size=12)
"""Up to twelve steps, and more often many than hypothesis would make of itself."""


class Folders:
    """Agents in fresh folders: every so many worlds another one, as each folder's tables grow with its worlds."""

    def __init__(self, path, worlds=40):
        self.path, self.worlds = path, worlds
        self.given, self.agent = 0, None
        # Setting up an index waits for the disk many times, so it is done once and copied; Edge's log says nothing.
        self._open("template").close()

    def _open(self, name):
        return open_agent(
            self.path / name,
            model=ScriptedModel(lambda messages: "ok"),
            extraction_model="rules",
            embeddings=HashEmbeddings(),
            clock=ManualClock(),
        )

    def play(self, steps):
        """Play steps in a world of its own. Raises `Contradiction`."""
        if self.given % self.worlds == 0:
            self.close()
            name = f"folder {self.given}"
            copy_folder(self.path / "template", self.path / name, ignore=shutil.ignore_patterns("wal"))
            self.agent = self._open(name)
        self.given += 1
        play(self.agent, steps)

    def close(self):
        """Close the folder in use."""
        if self.agent:
            self.agent.close()
