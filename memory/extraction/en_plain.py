"""English clauses read by constructions: segment by segment, who does what (`en_verb`) and what that states (`en_frame`).

It reads what the whole-clause rules did not: people write "been at the council since 2011" and "Sold the house in Tulsa"
rather than sentences. A segment without subject speaks of the one before it, or of the person who writes. What is blocked
(`en_blocks`) states nothing.
"""

from __future__ import annotations

import re
from dataclasses import replace

from memory.extraction import en_frames_life, en_frames_self
from memory.extraction.applying import Reading
from memory.extraction.clauses import MAX_CLAUSE, Clause
from memory.extraction.en_blocks import blocked_clause, blocked_message, blocked_segment, is_request
from memory.extraction.en_dated import dated
from memory.extraction.en_frame import Frame, read
from memory.extraction.en_kin import KIN, OWN, is_name, named_in, whose
from memory.extraction.en_records import numbers, records
from memory.extraction.en_topics import to_do, to_forget, topics, verdicts
from memory.extraction.en_verb import NOBODY, RELATIVE, Said, parse, segments
from memory.extraction.pattern import Found, Who
from memory.extraction.people import AND_THEIRS
from memory.extraction.values import whole
from memory.record import USER

FRAMES: tuple[Frame, ...] = (*en_frames_self.FRAMES, *en_frames_life.FRAMES)
_JOINED = re.compile(r"\b(?:and|but|then|n)\b|&", re.IGNORECASE)
_SELF = re.compile(r"\b(?:I|I'm|im|ive|we|my|our)\b", re.IGNORECASE)
_NEW_JOB = re.compile(
    r"\b(?:new job|promotion|promoted|got the job|job offer|hired|new role|new position)\b", re.IGNORECASE
)
_PEOPLE = frozenset(KIN.values())
_WORKS = {"employer", "occupation", "work_place"}
_NAME_ALONE = re.compile(r"[A-Z][a-z]+(?: [A-Z][a-z]+)?")
_THIRD_PERSON = re.compile(
    r"(?:(?:just|also|still|now|really|always|never|only|who|and|but) )*(?:has|is|'s|does|doesn't|isn't|hasn't|was|(?:live|work|love|hate|like|enjoy|play|speak|own|drive|run|teach|go|goe|keep|eat|drink|use|want|need|make|study|studie|start|begin|get|take|come|look|turn|move|spend|sing|read|write|cook|bake|collect|sell|build|fixe|paint|manage|lead|swim|ride|train|volunteer|support|prefer|adore|dislike|attend|weigh|stay|sleep|call|think|say|know|feel|seem|wear|raise|visit)s)\b",
    re.IGNORECASE,
)
_SOMETHING = re.compile(
    r"(?:my|our) (?:[a-z-]+ ){0,2}[a-z-]+(?:'s| is| was| has| works| lives| got| plays| does) ", re.IGNORECASE
)
"""A subject of which nothing was read: what follows without one is not the writer's."""
_PASSING = re.compile(
    r"\b(?:today|tonight|right now|this (?:morning|afternoon|evening)|just now|currently stuck|for lunch|at this point)\b",
    re.IGNORECASE,
)


def plain(reading: Reading, start: int, end: int, limit: int, me: Who) -> list[Found]:
    """The facts that the English clause `view[start:end]` states by the constructions.

    A value and a name may go on up to `limit`, over the commas of a list.
    """
    view = reading.view
    start = max(start, min(end, reading.read_to))
    said = view[start:end]
    if blocked_clause(said):
        return []
    named = named_in(view[start:limit], me)
    found = [fact for _, fact, _ in named]
    if not is_request(said):
        found += numbers(view[start:limit], me)
    done, last, topic = start, reading.passed_on or reading.spoke or me, reading.topic
    before, read_before = start, True
    for a, b in segments(view, start, end):
        if not read_before and _JOINED.search(view, before, a):
            last = NOBODY  # "Octopuses have three hearts | and hate Mondays"
        before, read_before = b, True
        if a < done or blocked_segment(view[a:b]):
            continue
        reading.third = next(
            (who for at, _, who in reversed(named) if start + at <= a + 24 and start + at < b), reading.third
        )
        if _NEW_JOB.search(view, a, b):
            topic = "work"
        new, done, last = _segment(reading, a, b, limit, me, last, topic)
        read_before = bool(new) or last is not me or _SELF.search(view, a, b) is not None
        if new and new[0].attribute in _WORKS:
            topic = "work"
        found += new
    reading.topic = topic
    reading.spoke = None if last is me else last
    reading.foreign = not read_before
    reading.read_to = max(reading.read_to, done if done > end else 0)
    reading.third = next((who for at, _, who in reversed(named) if start + at < end), reading.third)
    if reading.third is None and (mention := OWN.search(said)) and not AND_THEIRS.match(said, mention.end()):
        reading.third = whose(me, mention["noun"])
    if not found or all(f.attribute == "likes" or f.attribute in _PEOPLE for f in found):
        found += dated(said, me, reading.third, reading.at)
    return _distinct(found)


def only_people(found: list[Found]) -> bool:
    """Whether facts do no more than name somebody."""
    return all(f.attribute in _PEOPLE for f in found)


def introductions(reading: Reading, start: int, end: int, me: Who) -> list[Found]:
    """Whom the English stretch `view[start:end]` brings in by name, whatever else it says."""
    said = reading.view[start:end]
    if blocked_clause(said):
        return []
    return _distinct([fact for _, fact, _ in named_in(said, me)])


def _segment(
    reading: Reading, a: int, b: int, end: int, me: Who, last: Who, topic: str
) -> tuple[list[Found], int, Who]:
    """The facts of one segment, up to where it was read, and of whom it spoke."""
    view, text = reading.view, reading.text
    if noted := topics(view[a:end], me):
        return noted, b, last
    if noted := records(view[a:end], text[a:end], me, reading.third):
        return noted, b, last
    said = parse(view, a, b, me, reading.third)
    if said.who is NOBODY:
        return [], b, NOBODY
    who = last if said.who is None or said.who is RELATIVE else said.who
    if _NAME_ALONE.fullmatch(view, a, b) and is_name(view[a:b]):
        reading.third = reading.third or Who(view[a:b], view[a:b])
        return [], b, last
    if said.who is None and _THIRD_PERSON.match(view, a, b):
        # "our youngest, Ida, | has asthma": the verb says that it is not the one who writes.
        if reading.third is None:
            return [], b, NOBODY
        who = reading.third
    if who is NOBODY:
        return [], b, NOBODY
    if said.who not in (None, me, RELATIVE):
        if said.who is not None and " " in said.who.key and said.who.key.istitle() and said.who != reading.third:
            return [], b, NOBODY  # a full name that nobody has introduced: somebody known to all
        reading.third = said.who
    order = said.who is None and said.aux == "plain" and is_request(view[said.head : b])
    for item in () if order else FRAMES:
        if (said.who is None and not item.bare) or not _fits(item, said, who, me, view, b, topic):
            continue
        facts, stop = read(item, view, text, said, who, end)
        if facts and not (item.of == "job" and said.who is None and stop < b and topic != "work"):
            return facts, max(b, stop), who
    return [], b, NOBODY if said.who is None and _SOMETHING.match(view, said.head, b) else who


def _fits(item: Frame, said: Said, who: Who, me: Who, view: str, end: int, topic: str) -> bool:
    """Whether a frame may speak of this subject in this form."""
    of = item.of
    if of == "any":
        return True
    if of == "other":
        return who != me
    if of == "weekly":
        return (
            said.who is None
            and re.search(r"\b(?:on|every|each) \w+days?\b|days\b", view[said.head : end], re.IGNORECASE) is not None
            and re.search(r"days(?= *$|[,.;:!])|\b(?:every|each) ", view[said.head : end], re.IGNORECASE) is not None
        )
    if of == "perfect":
        return said.aux == "perfect" and who == me
    if of == "decided" and who != me:
        return False
    if of == "bare":
        return said.who is None
    if of == "negative":
        return said.negated
    if of == "been":
        return said.been or said.aux == "be"
    if of == "cannot":
        return said.negated and said.aux in ("can", "plain")
    if of == "job":
        return (
            said.aux in ("be", "perfect", "past", "was", "will")
            or (said.who is None and topic == "work")
            or view[said.head : end].lower().startswith(("promoted", "got", "made", "became", "started", "appointed"))
        )
    if of == "school":
        return said.negated and said.ended and who != me
    if of == "habit":
        return said.who is not None and not _PASSING.search(view, said.start, end)
    if of == "age":
        if re.search(r"\bnext (?:year|month|week)\b|\bsoon\b|\bby the time\b", view[said.start : end], re.IGNORECASE):
            return False  # "next year I'm 50"
        return said.who is not None or said.aux == "be" or view.lower().startswith(("turn", "hit"), said.head)
    if of == "status" and re.search(r"\bgetting\b", view[said.start : end], re.IGNORECASE):
        return False  # "is getting married in June"
    if of == "taste" and said.who is None and view.startswith(("like ", "rate ", "fancy "), said.head):
        return False  # "even like a fire escape"
    return said.who is not None or said.aux != "can" or of == "skill"


def _distinct(found: list[Found]) -> list[Found]:
    """Each fact once, the longer of two values of which one holds the other."""
    out: list[Found] = []
    found = [f for f in found if f.value is None or whole(f.value)]
    for f in sorted(found, key=lambda f: -len(f.value or "")):
        slot = (f.who.key, f.attribute, f.polarity, f.retract)
        if not any(
            slot == (g.who.key, g.attribute, g.polarity, g.retract)
            and (f.value or "").casefold() in (g.value or "").casefold()
            for g in out
        ):
            out.append(f)
    return sorted(out, key=found.index)


_IF = re.compile(r",? (?:if|in case) (?=(?:you|that|it|anyone|urgent|needed|asked|it's|its)\b)", re.IGNORECASE)
_OPEN = re.compile(r"\b(?:if|would|could|should|might|may|will|suppose|imagine|unless)\b|'d\b|'ll\b", re.IGNORECASE)


def unconditioned(view: str, cut: list[Clause]) -> list[Clause]:
    """The clauses, where "my work phone's ... if you need it" states its first part whatever you need."""
    out = []
    for i, clause in enumerate(cut):
        m = _IF.search(view, clause.start, clause.end) if clause.mood == "hypothetical" else None
        shaded = i > 0 and cut[i - 1].sentence == clause.sentence and cut[i - 1].mood == "hypothetical"
        if m and not shaded and not _OPEN.search(view, clause.start, m.start()):
            out.append(replace(clause, end=m.start(), mood="statement"))
        else:
            out.append(clause)
    return out


def around(reading: Reading, cut: list[Clause], me: Who) -> list[tuple[Found, Clause]]:
    """What an English message states over the bounds of its clauses: verdicts, lists of to-dos, what is to be forgotten."""
    view = reading.view
    if not cut or me.key != USER or blocked_message(view):
        return []
    whole = replace(cut[0], end=cut[-1].end)
    out = [(fact, whole) for fact in verdicts(view[: MAX_CLAUSE * 2], me)]
    first = 0
    for i, clause in enumerate(cut):
        if i + 1 < len(cut) and cut[i + 1].sentence == clause.sentence:
            continue
        span = replace(cut[first], end=clause.end)
        asks = any(c.mood in ("question", "hypothetical", "reported") for c in cut[first : i + 1])
        first = i + 1
        if asks or span.end - span.start > MAX_CLAUSE:
            continue
        said = view[span.start : span.end]
        out += [(fact, span) for fact in to_forget(said, me) or to_do(said, me)]
    return out
