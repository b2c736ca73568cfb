"""What should be current, worked out without the memory: from heads of threads, and from the list of people's acts.

It shares no code with `memory/` or `stores/`. It knows the few sentences that the tests say, walks the commits'
parents by SQL of its own, and is told by the tests what was said in a turn, when, and what people did.
"""

import math
import re
import sqlite3
from collections import Counter
from typing import NamedTuple

SENTENCES = (
    "I live in Rome",
    "我住在北京",
    "I like tea",
    "我喜欢爬山",
    "I don't like tea",
    "我不喜欢爬山",
    "I live in Oslo",
    "I no longer live in Rome",
    "我不住在北京了",
    "嗯嗯",
    "Remember: always answer in Latin",
    "记住：以后回答都用文言文",
)
FORMS = (
    (r"I live in (\w+)", "home", "says"),
    (r"我住在(\w+)", "home", "says"),
    (r"I no longer live in (\w+)", "home", "ends"),
    (r"我不住在(\w+)了", "home", "ends"),
    (r"I like (\w+)", "likes", "says"),
    (r"我喜欢(\w+)", "likes", "says"),
    (r"I don't like (\w+)", "likes", "denies"),
    (r"我不喜欢(\w+)", "likes", "denies"),
    (r"Remember: (always answer in \w+)", "note", "says"),
    (r"记住：(以后回答都用\w+)", "note", "says"),
)
SURE = 0.9


class Claim(NamedTuple):
    """What a sentence says about one attribute: that a value holds, that it does not, or that it came to an end."""

    attribute: str
    value: str
    how: str


class Words(NamedTuple):
    """One message as a turn said it."""

    message_id: str
    text: str
    human: bool


class Turn(NamedTuple):
    """A commit as the test saw it come about: whose it is, the thread its words were said in, and these with minutes."""

    user: str
    home: str
    order: int
    words: tuple[Words, ...]
    minutes: tuple[int, ...]


class Act(NamedTuple):
    """What a person did: `remember` and `correct` say a claim, `forget` and `correct` end a value or a message.

    `hold`, `release` and `reject` are about a claim, or about a message.
    """

    name: str
    user: str
    minute: int
    order: int
    target: str | None = None
    ends: tuple[str, str] | None = None
    claim: Claim | None = None


class Sweep(NamedTuple):
    """What a sweep ended: messages, as (commit, which of its words), and what says a claim, by places of their own."""

    user: str
    minute: int
    order: int
    ended: frozenset


LASTING = ("home", "note")
"""The attributes whose facts matter: no sweep ends them for their age."""


def claim_in(text):
    """What a sentence says, or None."""
    for form, attribute, how in FORMS:
        if found := re.fullmatch(form, text):
            return Claim(attribute, found[1], how)
    return None


class Oracle:
    """The heads of threads, the turns behind them, and people's acts; `current` says what follows from these."""

    def __init__(self, ledger):
        self.ledger = ledger
        self.heads = {}  # thread -> its head, also after it was deleted
        self.kept = []  # the heads of threads whose name another one took
        self.turns = {}
        self.first = {}  # (thread, message) -> the minute at which it was first kept
        self.undone = set()
        self.acts = []
        self.sweeps = []

    # What happened.

    def begins(self, thread):
        """A thread begins; one of that name that was deleted keeps what it had said."""
        if thread in self.heads:
            self.kept.append(self.heads.pop(thread))

    def ran(self, thread, user, homes, head, messages, before, minutes, ended):
        """A run has left this head and these messages; `before` are the ids of those that were there when it began.

        `homes` and `minutes` say where and when the words of before were said, and where and when the run's. A run that did not come to
        its end has made no commit of its own.
        """
        new = [c for c in self.lineage(head) if c not in self.turns][::-1]
        told = {w.message_id for c in self.lineage(head) if c in self.turns for w in self.turns[c].words}
        words = [w for w in messages if w.message_id not in told]
        older, newer = [w for w in words if w.message_id in before], [w for w in words if w.message_id not in before]
        assert len(new) <= 2, "a run makes its own commit, and at most one that was left before it"
        whole = ended and len(new) == 1
        parts = [(1, words)] if whole else [(0, older), (1, newer)]
        for commit, (which, said) in zip(new, parts, strict=False):
            when = self._when(thread, said, minutes[which])
            self.turns[commit] = Turn(user, homes[which], self._order(), tuple(said), when)
        self.heads[thread] = head

    def _when(self, thread, said, minute):
        """A turn's own words are said when it runs; those before, which it takes along, when they were first kept."""
        own = max((i for i, words in enumerate(said) if words.human), default=0)
        keys = [(thread, words.message_id) for words in said]
        when = tuple(self.first.get(key, minute) if i < own else minute for i, key in enumerate(keys))
        for key, at in zip(keys, when, strict=True):
            self.first.setdefault(key, at)
        return when

    def follows(self, thread, head):
        """Memory was brought in line with a thread outside a turn."""
        self.heads[thread] = head

    def deleted(self, thread, memories):
        """A thread was deleted; with `memories` it takes along what it alone had said."""
        if memories:
            self.heads[thread] = None

    def acted(self, name, user, minute, **what):
        """A person did something."""
        self.acts.append(Act(name, user, minute, self._order(), **what))

    def restored(self, memory_id):
        """A person took a forgetting or a rejection back."""
        self.acts = [a for a in self.acts if a.name not in ("forget", "reject") or a.target != memory_id]

    def released(self, user, minute, about):
        """A person released what waits: the last hold on it is over."""
        held = [a for a in self.acts if (a.name, a.user, a.claim or a.ends) == ("hold", user, about)]
        if held:
            self.acts.remove(held[-1])
        self.acted("release", user, minute, **_about(about))

    def swept(self, user, minute):
        """A sweep ended everything that is old enough: all messages, and what says a current fact that matters not."""
        rows, _, steps, free = self._steps(user)
        holding, _ = _fold(steps, free)
        holding = {claim for claim in holding if claim.attribute not in LASTING}
        said = {place for *_, claim, place, _, _ in steps if claim and claim in holding}
        self.sweeps.append(Sweep(user, minute, self._order(), frozenset({*rows, *said})))

    def _order(self):
        return len(self.turns) + len(self.acts) + len(self.sweeps)

    # What follows.

    def lineage(self, head):
        """A head and its ancestors, newest first, by the ledger's commits."""
        found = []
        with sqlite3.connect(f"file:{self.ledger}?mode=ro", uri=True) as connection:
            while head:
                found.append(head)
                (head,) = connection.execute("SELECT parent FROM commits WHERE id = ?", (head,)).fetchone()
        connection.close()
        return found

    def live(self):
        """The commits that some thread holds and nobody undid."""
        held = {c for head in [*self.heads.values(), *self.kept] for c in self.lineage(head)}
        return held - self.undone

    def current(self, user):
        """What is current for a user and what waits, as two bags of rows like those of `row_of`."""
        rows, waits, steps, free = self._steps(user)
        holding, waiting = _fold(steps, free)
        return Counter([*rows.values(), *_facts(holding)]), Counter([*waits, *_waiting_facts(waiting)])

    def _steps(self, user):
        """A user's current messages by their places, those that wait, what is said and done about facts in order, and
        the claims that were released."""
        turns = {c: self.turns[c] for c in self.live() if self.turns[c].user == user}
        acts = [a for a in self.acts if a.user == user]
        swept = {place for s in self.sweeps for place in s.ended}
        rows, waits = {}, []
        steps = []
        for commit, turn in turns.items():
            for i, words in enumerate(turn.words):
                minute = turn.minutes[i]
                last = [a.name for a in acts if self._forgot(a, turn, words, minute)][-1:]
                row = ("episode", words.text, commit, words.message_id)
                # What waits is swept by nothing, so what was swept did not wait, and a hold of its words comes too late.
                if (commit, i) not in swept:
                    if last == ["hold"]:
                        waits.append(row)
                    elif not last:
                        rows[commit, i] = row
                if words.human and (claim := claim_in(words.text)):
                    steps.append((minute, turn.order, i, claim, ("claim", commit, i), (commit, words.message_id), SURE))
        free = {a.claim for a in acts if a.name == "release"}
        for act in acts:
            if act.name == "correct" and instructs(act.claim) and act.claim not in free:
                steps.append((act.minute, act.order, 0, act.claim, ("claim", act.order), (None, None), 1.0))
                continue
            if act.name in ("hold", "reject", "release"):
                if act.claim and act.name != "release":
                    steps.append((act.minute, act.order, -1, act.claim._replace(how=act.name), act.claim, None, None))
                continue
            if act.ends and act.ends[0] != "message":
                steps.append((act.minute, act.order, -1, Claim(*act.ends, "ends"), None, None, None))
            if act.claim:
                steps.append((act.minute, act.order, 0, act.claim, ("claim", act.order), (None, None), 1.0))
        steps += [(s.minute, s.order, 0, None, s.ended, None, None) for s in self.sweeps if s.user == user]
        return rows, waits, sorted(steps, key=lambda s: s[:3]), free

    def _forgot(self, act, turn, words, minute):
        """Whether a person ended or holds these words since they were said: themselves, or what they say."""
        if act.name not in ("forget", "hold", "reject") or act.minute < minute or not act.ends:
            return False
        if act.ends[0] == "message":
            return act.ends[1] == (turn.home, words.message_id, words.text)
        claim = claim_in(words.text) if words.human else None
        return claim is not None and claim.how != "ends" and act.ends == claim[:2]


def _about(about):
    return {"claim": about} if isinstance(about, Claim) else {"ends": about}


def instructs(claim):
    """Whether a claim is one that waits for a person: in these sentences, the notes."""
    return claim is not None and claim.attribute == "note"


def _fold(steps, free):
    """What holds after all of these, in their order, and what waits: claims, each to those that say so.

    `free` are the claims released. A sweep ends what said so from its places, and none of what waits.
    """
    holding, waiting, by_hand = {}, {}, set()
    for *_, claim, place, source, sure in steps:
        if claim is None:
            for held in list(holding):
                holding[held] = [said for said in holding[held] if said[0] not in place]
                if not holding[held]:
                    del holding[held]
            continue
        mine = [held for held in holding if held.attribute == claim.attribute]
        same = next((held for held in mine if held.value == claim.value), None)
        if claim.how == "hold":
            by_hand.add(place)
            if place in holding:
                waiting[place] = [*waiting.get(place, []), *holding.pop(place)]
        elif claim.how == "reject":
            waiting.pop(place, None)
            by_hand.discard(place)
        elif claim.how == "ends":
            holding.pop(same, None)
            if place is None:
                for how in ("says", "denies"):
                    waiting.pop(claim._replace(how=how), None)
                    by_hand.discard(claim._replace(how=how))
        elif claim in by_hand or (instructs(claim) and claim not in free):
            waiting.setdefault(claim, []).append((place, source, sure))
        elif same == claim:
            holding[same].append((place, source, sure))
        else:
            for other in mine if claim.attribute == "home" else [same]:
                holding.pop(other, None)
            holding[claim] = [(place, source, sure)]
    return holding, waiting


def _facts(holding):
    """The rows of the facts that hold."""
    for claim, said in holding.items():
        confidence = round(1 - math.prod(1 - sure for *_, sure in said), 6)
        yield "fact", f"{claim.attribute} {claim.how} {claim.value}", *said[0][1], confidence


def _waiting_facts(waiting):
    """The rows of the facts that wait: the first of each that says so."""
    for claim, [(_, source, sure), *_] in waiting.items():
        yield "fact", f"{claim.attribute} {claim.how} {claim.value}", *source, sure


def row_of(memory):
    """A memory as the agent lists it, in the oracle's form."""
    message = memory.message_ids[0] if memory.message_ids else None
    if memory.kind == "episode":
        return "episode", memory.text, memory.commit_id, message
    how = "says" if memory.polarity == 1 else "denies"
    return "fact", f"{memory.attribute} {how} {memory.value}", memory.commit_id, message, memory.confidence
