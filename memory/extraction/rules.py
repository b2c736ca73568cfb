"""The rule extractor: facts from what people say, by patterns of Chinese and English. No model, no I/O, no clock.

A message is cut into clauses (`clauses`), and each clause that is a plain statement is read in turn by nouns
("my order number is ..."), by what it says of its subject (我对花生过敏), as a decision, and by its date. An explicit
request to remember keeps what nothing else read as a note.

Precision first: what is not plainly a statement of fact yields nothing. "He", "she" and 她 are whoever the message brought in
last; without such a person they are nobody. What this deliberately does not do: resolve "there", read feelings, opinions
or wishes, join facts over messages, decide what supersedes what.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from memory.attributes import ATTRIBUTES, Language, value_key
from memory.dates import dates_in
from memory.extraction import patterns_en, patterns_zh, zh_guard, zh_reading
from memory.extraction.applying import Reading
from memory.extraction.asking import NOUN_AT_END, asked
from memory.extraction.clauses import HIDDEN, MAX_CLAUSE, REMEMBER, Clause, clauses, working_text
from memory.extraction.en_blocks import blocked_clause, blocked_message, conditional
from memory.extraction.en_guard import kept as guarded
from memory.extraction.en_plain import around, introductions, only_people, plain, unconditioned
from memory.extraction.en_verb import NOBODY
from memory.extraction.pattern import Found, Lazy, Who
from memory.extraction.people import lead, speaker
from memory.extraction.stating import numbered, stated, whole_or_parts
from memory.extraction.values import certain_name, whole
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
_DECIDED = Lazy(
    r"(?:方案|时间|地方|地点|酒店|房子|日子|学校|婚期|我们?|我俩|终于|总算|最后|最终|已经|这事儿?|就这么|研究了[^，,]{1,6}|考虑了[^，,]{1,6})*(?:想好|定|决定|拍板|考虑好|商量好|想清楚|想通|敲定|定下来)了?(?:了|，)?"
    r"|(?:(?:I|we|I've|we've|okay|ok|finally|just) ?)*(?:made (?:up )?(?:my|our) minds?(?: up)?|it's (?:settled|decided|official)|decision(?:'s| is)? made|that's settled|finally decided)[.:]?"
)
_CHOSEN = Lazy(
    r"(?:(?:我们?|就|还是|最后|最终)*(?P<v>[^？?不]{2,40}?)(?:吧|了)?[。!~]*)|(?:I'm|we're|I am|we are|I'll|we'll|I) (?P<d>(?:going (?:with|for|to|ahead)|turning down|taking|keeping|staying|quitting|moving|buying|getting|selling|not|accepting|choosing|leaving|switching|dropping|doing|starting|cancelling|postponing)\b[^?]{2,80}?)[ .!]*"
)
_CHOOSE = Lazy(
    r"(?P<v>(?:[^，,我]{0,8}?)?我(?:最后|最终|还是|就)*选了?(?!择|中了|修|不)[^，,？?]{2,16}?)(?:吧|了)?[。!~]*|(?:最后|最终|还是|最后还是|最终还是)(?P<w>(?:选|买|定|签|租|报|留|去)了?(?!择|不|到|完|过)[^，,？?]{2,16}?)(?:吧|了)?[。!~]*"
)
_REASON = re.compile(r"因为|because\b|since\b", re.IGNORECASE)


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


def _once(proposals: Iterator[Proposal]) -> list[Proposal]:
    unique: dict[tuple[object, ...], Proposal] = {}
    for p in proposals:
        slot = (p["subject"], p["attribute"], value_key(p["value"] or ""), p.get("polarity"), p.get("retract"))
        unique.setdefault(slot, p)
    return list(unique.values())


def _proposals(utterance: Utterance) -> Iterator[Proposal]:
    view = working_text(utterance.text)
    reading = Reading(utterance.text, view, utterance.subject, utterance.said_at)
    cut = clauses(view)
    if cut and blocked_message(view) and not any(REMEMBER.match(view, c.start, c.end) for c in cut):
        cut = [replace(c, mood="reported") if c.mood == "statement" else c for c in cut]
    english = _language(view) == "en"
    cut = unconditioned(view, cut) if english else zh_guard.unspoken(view, cut)
    for i, clause in enumerate(cut):
        if clause.mood in _ASKING and (wanted := _asked(reading, clause)):
            yield from (_proposal(fact, utterance, clause) for fact in wanted)
            continue
        if taken := _taken_back(reading, clause):
            yield from (_proposal(fact, utterance, clause) for fact in taken)
            continue
        if i and cut[i - 1].sentence != clause.sentence:
            reading.passed_on = reading.denied = reading.spoke = None
            reading.closed = reading.foreign = False
        if clause.mood == "past" and _language(view[clause.start : clause.end]) == "zh":
            kept = zh_reading.past(reading, clause.start, clause.end, speaker(reading.subject, "zh"))
            if kept is not None:
                reading.passed_on = None
                yield from (_proposal(fact, utterance, clause) for fact in kept)
                continue
            clause = replace(clause, mood="statement")
            cut[i] = clause
        if clause.mood not in ("statement", "note") or clause.end - clause.start > MAX_CLAUSE:
            reading.passed_on = None
            continue
        greeted = i > 0 and _GREETING.fullmatch(view, cut[i - 1].start, cut[i - 1].end) is not None
        found, span = _clause(reading, cut, i, greeted)
        for fact in guarded(found) if english else found:
            yield _proposal(fact, utterance, span)
    if english:
        for fact, span in around(reading, cut, speaker(utterance.subject, "en")):
            yield from (_proposal(good, utterance, span) for good in guarded([fact]))


_SAID = Lazy(
    r"(?:我|(?=上次|之前|刚才|昨天))(?:上次|之前|刚才|刚刚|前面|上回|那天|以前|昨天|前天|早上)*(?:跟你|和你|给你)?(?:说过?|讲过?|提过?|告诉过?你)(?:的)?(?:是)?(?=我|.{0,4}[叫住喜爱在是])|(?:earlier |before )?I (?:said|told you|mentioned|claimed)(?: earlier| before| last time| yesterday)?(?: that)? (?=I|my)"
)
_CANCEL = Lazy(
    r"开(?:个)?玩笑|别当真|不作数|不算数|划掉|删掉|删了|忘掉|搞错了|说错了|弄错了|老黄历|过时了|早不是了|瞎说|乱说|不算(?!多|少|高|大)|撤回|收回|作废|别记|别存|当我没说|不是真的|(?:that was|it was|I was) (?:just )?(?:a joke|joking|kidding|wrong|mistaken|a lie|a mistake)|scratch that|ignore that|forget that|strike that|disregard|that's not true|that isn't true|not actually true|take that back"
)


def _taken_back(reading: Reading, clause: Clause) -> list[Found]:
    """ "I said that I like mahjong; that was a joke": what was said, ended."""
    view = reading.view
    if clause.end - clause.start > MAX_CLAUSE:
        return []
    mine = speaker(reading.subject, "zh")
    if gone := zh_reading.dropped(
        reading, clause.start, clause.end, mine, lambda a, b: stated(reading, a, b, mine, "zh")
    ):
        return gone
    m = _SAID.match(view, lead(view, clause.start, clause.end, "zh"), clause.end)
    if m is None or not _CANCEL.search(view, clause.end, clause.end + MAX_CLAUSE):
        return []
    language = _language(view[clause.start : clause.end])
    found = stated(reading, m.end(), clause.end, speaker(reading.subject, language), language)
    return [
        replace(fact, polarity=1, retract=True, text=f"{'收回：' if language == 'zh' else 'Taken back: '}{fact.text}")
        for fact in found
    ]


_ASKING = ("statement", "request", "note", "uncertain", "question")


def _asked(reading: Reading, clause: Clause) -> list[Found]:
    """What the clause asks of the memory of the one who speaks."""
    if clause.end - clause.start > MAX_CLAUSE or reading.subject != USER:
        return []
    language = _language(reading.view[clause.start : clause.end])
    me = speaker(reading.subject, language)
    if language == "zh" and (kept := zh_reading.wanted(reading, clause.start, clause.end, me)):
        return kept
    found = asked(reading.view, reading.text, clause.start, clause.end, me, language, reading.at)
    return [f for f in found if language == "en" or not f.value or not zh_guard.refused(f.attribute, f.value)]


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
        "span": [span.start, span.start + len(utterance.text[span.start : span.end].rstrip())],
    }
    if fact.occurred_at:
        out["occurred_at"] = fact.occurred_at
    return out


def _clause(reading: Reading, cut: list[Clause], i: int, greeted: bool) -> tuple[list[Found], Clause]:
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
    first = i
    while first > max(0, i - 8) and cut[first - 1].sentence == clause.sentence:
        first -= 1
    begin = cut[first].start
    blocked = (
        language == "en"
        and not keep
        and (conditional(view[begin : clause.end]) or blocked_clause(view[clause.start : clause.end]))
    )
    if clause.mood == "statement" and start < clause.end and not blocked:
        if greeted and (m := _I_AM.fullmatch(view, start, clause.end)):
            name = certain_name(m["v"] or m["w"], language)
            found = (
                [Found(me, "name", name, f"{me.shown}叫{name}" if language == "zh" else f"{me.shown}'s name is {name}")]
                if name
                else []
            )
        zh = language == "zh"
        if zh and i and not found:
            found = zh_reading.after(reading, view[cut[i - 1].start : cut[i - 1].end], start, clause.end, me)
        found = (
            found
            or numbered(reading, start, clause.end, me, language)
            or whole_or_parts(reading, start, clause.end, me, language)
        )
        if zh:
            zh_reading.note_people(reading, start, clause.end, me)
        elif found and only_people(found):
            reading.spoke = None
            more = plain(reading, start, clause.end, _run_end(cut, i), me)
            found += [f for f in more if (f.attribute, f.value) not in {(g.attribute, g.value) for g in found}]
        elif found:
            reading.spoke = None
            known = {(f.attribute, f.value) for f in found}
            named = introductions(reading, start, _run_end(cut, i), me)
            found += [f for f in named if (f.attribute, f.value) not in known]
        else:
            if reading.foreign and _AND.match(view, clause.start, clause.end):
                reading.passed_on = NOBODY
            found = plain(reading, start, clause.end, _run_end(cut, i), me)
        last = NOUN_AT_END.fullmatch(view, start, clause.end) if not found else None
        reading.asked_for = (last["noun"] or last["en"]).casefold() if last else None
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


def _run_end(cut: list[Clause], i: int) -> int:
    """Where the plain statements that begin with clause `i` end, within its sentence."""
    end = cut[i].end
    for later in cut[i + 1 :]:
        if later.sentence != cut[i].sentence or later.mood != "statement" or later.end - cut[i].start > 2 * MAX_CLAUSE:
            break
        end = later.end
    return end


def _language(said: str) -> Language:
    if not _HAN.search(said):
        return "en"
    return text_language(said) if _LATIN.search(said) else "zh"


_AND = re.compile(r"(?:and|but|then|n) ", re.IGNORECASE)


def _decision(
    reading: Reading, cut: list[Clause], i: int, start: int, me: Who, language: Language
) -> tuple[Found, Clause] | None:
    """我们决定用 SQLite，因为不需要服务器: the decision, its reason kept in the text."""
    clause, view = cut[i], reading.view
    decided, reading.decided = reading.decided, _DECIDED.fullmatch(view, start, clause.end) is not None
    if language == "zh":
        m = patterns_zh.DECISION.fullmatch(view, start, clause.end)
    else:
        m = patterns_en.DECISION.fullmatch(view, start, clause.end)
    m = m or (_CHOSEN if decided else _CHOOSE).fullmatch(view, start, clause.end)
    group = next((g for g in ("v", "w", "d") if m and m.groupdict().get(g)), "")
    if m is None or not group or HIDDEN in m[group]:
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
    said = reading.text[m.start() if language == "en" else m.start(group) : span.end].rstrip(" .!。")
    dates = dates_in(value, reading.at, tense="future")
    when = dates[0].value if len(dates) == 1 else None
    text = f"决定：{said}" if language == "zh" else f"Decision: {said}"
    return Found(me, "decision", value, text, occurred_at=when), span


def _note(reading: Reading, start: int, end: int, me: Who, language: Language) -> list[Found]:
    """What a person asked to remember and no pattern read, to the end of its sentence."""
    value = whole(reading.text[start:end].strip(" ,，:：。.!！"))
    if value is None or len(value) < 2 or len(value) > _MAX_NOTE:
        return []
    dates = dates_in(reading.view[start:end], reading.at, tense="future")
    occurred = dates[0].value if len(dates) == 1 else None
    shown = value if occurred in (None, *(d.words for d in dates)) else f"{value} ({occurred})"
    return [Found(me, "note", value, f"{'备忘：' if language == 'zh' else 'Note: '}{shown}", occurred_at=occurred)]
