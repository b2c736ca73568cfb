"""The rule extractor: facts from what people say, by patterns of Chinese and English. No model, no I/O, no clock.

A message is cut into clauses (`clauses`), and each clause that is a plain statement is read in turn by nouns
("my order number is ..."), by what it says of its subject (我对花生过敏), as a decision, and by its date. An explicit
request to remember keeps what nothing else read as a note.

Precision first: what is not plainly a statement of fact yields nothing. What this deliberately does not do: resolve "he"
or "there", read feelings, opinions or wishes, join facts over messages, decide what supersedes what.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from memory.attributes import ATTRIBUTES, Language, value_key
from memory.dates import dates_in
from memory.extraction import patterns_en, patterns_zh
from memory.extraction.clauses import HIDDEN, MAX_CLAUSE, REMEMBER, Clause, clauses, working_text
from memory.extraction.nouns import nouns
from memory.extraction.pattern import Fact, Found, Rule, Who
from memory.extraction.people import lead, speaker, subject_en, subject_zh
from memory.extraction.schedule import schedule
from memory.extraction.values import CHECKS, certain_name, listed, whole
from memory.record import USER, Extraction, Memory, Proposal, Utterance
from memory.text import language as text_language

_HAN = re.compile(r"[\u4e00-\u9fff]")
_LATIN = re.compile("[A-Za-z]")
_MAX_NOTE = 400
_NEVER_HEARD = frozenset({"assistant", "tool", "system", "reflection"})
_GREETING = re.compile(r"(?:hi|hello|hey|你好|您好|大家好|嗨)(?: (?:there|all|everyone))?", re.IGNORECASE)
_I_AM = re.compile(
    r"(?:I'm|I am|this is) (?P<v>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)[ .!]*|我是(?P<w>[\u4e00-\u9fff]{2,4})[。!]*"
)
_BUT = re.compile(r"(?:而|应该)?(?:是|叫) ?|(?:it's|it is|but|rather) ", re.IGNORECASE)
_REASON = re.compile(r"因为|because\b|since\b", re.IGNORECASE)
_VALUE_GROUPS = ("v", "w", "x", "y")
_FAVORITES_ZH = patterns_zh.FAVORITES


class RuleExtractor:
    """Implements `memory.record.Extractor`. Pure: the same messages give the same proposals."""

    version = "rules-1"

    def extract(self, said: Sequence[Utterance], known: Sequence[Memory] = ()) -> Extraction:  # noqa: ARG002
        """The facts that the people's own words state, in order, each once a message.

        Words of the assistant, tools and the system state none. `known` is not needed by rules. Every proposal's `span`
        is the clause (for a note, the rest of its sentence) in the utterance's text. Never raises on any text.
        """
        proposals: list[Proposal] = []
        for utterance in said:
            if utterance.speaker not in _NEVER_HEARD and (utterance.speaker == USER or utterance.subject != USER):
                proposals += _once(_proposals(utterance))
        return Extraction(tuple(proposals), self.version)


@dataclass
class _Reading:
    """One message while its clauses are read; `passed_on` is the subject that a clause without one speaks of."""

    text: str
    view: str
    subject: str
    at: datetime | None
    passed_on: Who | None = None
    denied: Found | None = None
    """"My order number is not 8842", for the clause that may say what it is."""
    keep: bool = False
    """Set by a bare "remember this:" for the clause after it."""


def _once(proposals: Iterator[Proposal]) -> list[Proposal]:
    unique: dict[tuple[object, ...], Proposal] = {}
    for p in proposals:
        slot = (p["subject"], p["attribute"], value_key(p["value"] or ""), p.get("polarity"), p.get("retract"))
        unique.setdefault(slot, p)
    return list(unique.values())


def _proposals(utterance: Utterance) -> Iterator[Proposal]:
    view = working_text(utterance.text)
    reading = _Reading(utterance.text, view, utterance.subject, utterance.said_at)
    cut = clauses(view)
    for i, clause in enumerate(cut):
        if i and cut[i - 1].sentence != clause.sentence:
            reading.passed_on = reading.denied = None
        if clause.mood not in ("statement", "note") or clause.end - clause.start > MAX_CLAUSE:
            reading.passed_on = None
            continue
        greeted = i > 0 and _GREETING.fullmatch(view, cut[i - 1].start, cut[i - 1].end) is not None
        found, span = _clause(reading, cut, i, greeted)
        for fact in found:
            yield _proposal(fact, utterance, span)


def _proposal(fact: Found, utterance: Utterance, span: Clause) -> Proposal:
    out: Proposal = {
        "subject": fact.who.key,
        "attribute": fact.attribute,
        "value": fact.value,
        "text": fact.text,
        "message_id": utterance.message_id,
        "polarity": fact.polarity,
        "retract": fact.retract,
        "confidence": fact.confidence,
        "importance": ATTRIBUTES.get(fact.attribute).importance,
        "span": [span.start, span.end],
    }
    if fact.occurred_at:
        out["occurred_at"] = fact.occurred_at
    return out


def _clause(reading: _Reading, cut: list[Clause], i: int, greeted: bool) -> tuple[list[Found], Clause]:
    """The facts of clause `i`, and the stretch of text that states them."""
    clause, view = cut[i], reading.view
    language = _language(view[clause.start : clause.end])
    me = speaker(reading.subject, language)
    start = lead(view, clause.start, clause.end, language)
    kept = REMEMBER.match(view, start, clause.end)
    from_ = kept.end() if kept else start
    if kept:
        start = lead(view, kept.end(), clause.end, language)
        if start >= clause.end:
            reading.keep = True
            return [], clause
    keep, reading.keep = kept is not None or reading.keep, False
    found: list[Found] = []
    if clause.mood == "statement" and start < clause.end:
        if greeted and (m := _I_AM.fullmatch(view, start, clause.end)):
            name = certain_name(m["v"] or m["w"], language)
            found = (
                [Found(me, "name", name, f"{me.shown}叫{name}" if language == "zh" else f"{me.shown}'s name is {name}")]
                if name
                else []
            )
        found = found or _stated(reading, start, clause.end, me, language)
        if not found and (decided := _decision(reading, cut, i, start, me, language)):
            return [decided[0]], decided[1]
    if keep and reading.subject == USER and (not found or all(f.attribute == "plan" for f in found)):
        end = clause.end
        for later in cut[i + 1 :]:
            if later.sentence != clause.sentence:
                break
            end = later.end
        return _note(reading, from_, end, me, language) or found, replace(clause, end=end)
    return found, clause


def _language(said: str) -> Language:
    if not _HAN.search(said):
        return "en"
    return text_language(said) if _LATIN.search(said) else "zh"


def _stated(reading: _Reading, start: int, end: int, me: Who, language: Language) -> list[Found]:
    view, text = reading.view, reading.text
    inherited, reading.passed_on = reading.passed_on, None
    denied, reading.denied = reading.denied, None
    if denied and (found := _affirmed(denied, reading, start, end, language)):
        return found
    if found := nouns(view, text, start, end, me, language, reading.at):
        reading.passed_on = found[0].who if found[0].who == me else None
        reading.denied = found[0] if found[0].retract else None
        return found
    zh = language == "zh"
    subject = (subject_zh if zh else subject_en)(view, start, end, me)
    nickname = (patterns_zh if zh else patterns_en).NICKNAME
    if found := _apply(nickname, reading, start, end, me, language):
        return found
    who = subject.who if subject else inherited or me
    at = subject.rest if subject else start
    for rule in (patterns_zh if zh else patterns_en).PREDICATES:
        if subject is None and inherited is None and not rule.bare:
            continue
        if found := _apply(rule, reading, at if zh or subject else start - 1, end, who, language):
            reading.passed_on = who if rule.passes_on else None
            return found
    return schedule(view, text, start, end, me, language, reading.at)


def _affirmed(denied: Found, reading: _Reading, start: int, end: int, language: Language) -> list[Found]:
    """The second half of "not 8842, it's 8843", of the same noun."""
    m = _BUT.match(reading.view, start, end)
    kind = ATTRIBUTES.get(denied.attribute).kind
    value = CHECKS[kind](reading.text[m.end() : end], language) if m and kind in CHECKS else None
    if value is None or denied.value is None:
        return []
    text = (
        denied.text.removesuffix(denied.value).replace("不是", "是").replace("不叫", "叫").replace(" not ", " ") + value
    )
    return [replace(denied, value=value, text=text, retract=False)]


def _apply(rule: Rule, reading: _Reading, at: int, end: int, who: Who, language: Language) -> list[Found]:
    m = rule.pattern.fullmatch(reading.view, max(at, 0), end)
    if m is None:
        return []
    return [found for fact in rule.facts for found in _facts(fact, m, reading, who, language)]


def _facts(fact: Fact, m: re.Match[str], reading: _Reading, who: Who, language: Language) -> Iterator[Found]:
    groups = m.groupdict()
    names = _VALUE_GROUPS if fact.group == "v" else (fact.group,)
    group = next((g for g in names if groups.get(g)), None)
    if fact.value is None and group is None:
        return
    if fact.value is not None:
        values: list[str] = [fact.value]
    else:
        start, end = m.span(group or "v")
        shown = reading.view[start:end]
        raw = reading.text[start:end] if HIDDEN in shown else shown
        values = []
        for part in listed(raw, language) if fact.many else [raw]:
            value = CHECKS[fact.check](part, language)
            if value is None:
                return  # one member that is none: the list was not a list
            at = raw.find(value)
            values.append(reading.text[start + at : start + at + len(value)] if at >= 0 else value)
    for value in values:
        text = fact.text.format(s=who.shown, v=value, **{k: v or "" for k, v in groups.items() if k not in ("s", "v")})
        yield Found(
            who, _attribute(fact.attribute, groups, language), value, text, fact.polarity, fact.retract, fact.confidence
        )


def _attribute(name: str, groups: dict[str, str | None], language: Language) -> str:
    """The attribute of a fact whose name has a part of the clause in it: a pet's kind, a favourite's noun."""
    if name == "favorite_{noun}":
        noun = groups["noun"] or ""
        return f"favorite_{_FAVORITES_ZH.get(noun, noun)}"
    if name == "{rel}":
        said = (groups["rel"] or "").casefold()
        nouns_of = ATTRIBUTES.nouns(language)
        return nouns_of.get(said) or nouns_of.get(said.removesuffix("s")) or "child"
    if name == "{pet}":
        return ATTRIBUTES.nouns(language).get((groups["pet"] or "").casefold(), "pet")
    return name


def _decision(
    reading: _Reading, cut: list[Clause], i: int, start: int, me: Who, language: Language
) -> tuple[Found, Clause] | None:
    """我们决定用 SQLite，因为不需要服务器: the decision, its reason kept in the text."""
    clause, view = cut[i], reading.view
    if language == "zh":
        m = patterns_zh.DECISION.fullmatch(view, start, clause.end)
        group = "v"
    else:
        m = patterns_en.DECISION.fullmatch(view, start, clause.end)
        group = "d"
    if m is None or HIDDEN in m[group]:
        return None
    value = whole(re.sub(r" (?:because|since) .*$", "", reading.text[m.start(group) : m.end(group)]).rstrip(" .!。了"))
    if value is None:
        return None
    span = clause
    after = cut[i + 1] if i + 1 < len(cut) else clause
    if (
        after.sentence == clause.sentence
        and after.end - clause.start <= MAX_CLAUSE
        and _REASON.match(view, after.start)
    ):
        span = replace(clause, end=after.end)
    said = reading.text[m.start() if language == "en" else m.start("v") : span.end].rstrip(" .!。")
    dates = dates_in(value, reading.at, tense="future")
    when = dates[0].value if len(dates) == 1 else None
    text = f"决定：{said}" if language == "zh" else f"Decision: {said}"
    return Found(me, "decision", value, text, occurred_at=when), span


def _note(reading: _Reading, start: int, end: int, me: Who, language: Language) -> list[Found]:
    """What a person asked to remember and no pattern read, to the end of its sentence."""
    value = whole(reading.text[start:end].strip(" ,，:：。.!！"))
    if value is None or len(value) < 2 or len(value) > _MAX_NOTE:
        return []
    dates = dates_in(reading.view[start:end], reading.at, tense="future")
    occurred = dates[0].value if len(dates) == 1 else None
    shown = value if occurred in (None, *(d.words for d in dates)) else f"{value} ({occurred})"
    return [Found(me, "note", value, f"{'备忘：' if language == 'zh' else 'Note: '}{shown}", occurred_at=occurred)]
