"""The turn that a model's reply is held against: which message says something, and what must never be kept.

What only the prompt says is no fact, nor what only the assistant said, nor what was known and is not said again.
"""

from __future__ import annotations

import re
from typing import Any, get_args

from memory.attributes import value_key
from memory.extraction.prompts import EXAMPLE_WORDS, Asked, is_person
from memory.lexical import terms
from memory.privacy import PrivateKind
from memory.record import USER, Memory, Polarity, Utterance
from memory.text import Language, language
from memory.window import shorten

_SEEN = 8000
_MAX_SAID = 200
ISO_DAY = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")
_LETTER = re.compile(r"[^\W\d_]")
_HAN = re.compile("[\u3400-\u9fff]")
_TELLING = re.compile(r"[^\W\d_].*[^\W_]|[^\W_].*[^\W\d_]", re.DOTALL)
"""Words that are more than a number and more than one character."""
_SENTENCE = re.compile(r"(?:[^。！!？?；;\n.]|\.(?=\S))+[。！!？?；;.]*")
_ASKS = re.compile(r"[?？]|[吗么]\W*$")
_PRIVATE = re.compile(rf"\[(?:{'|'.join(get_args(PrivateKind))})\]")


class Skip(Exception):
    """An item that is not used; the message is the reason that it is counted under."""


class Turn:
    """What was said in the turn, asked item by item; of long messages the head, which bounds the work."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self._terms: dict[str, frozenset[str]] = {}
        self._words = "\n".join(map(seen, asked.messages.values())).casefold()

    def source(self, named: Any, words: str) -> Utterance:
        """The message that says so: the one that is named, unless the words stand in another only.

        What only a tool says is the tool's, whatever message is named; what only the assistant says is nobody's.
        """
        cited = self.asked.messages.get(named.strip()) if isinstance(named, str) else None
        people = sorted(self.asked.people, key=lambda u: u is not cited)
        tools = [u for u in self.asked.messages.values() if not is_person(u)]
        if cited in tools and self._says(words, seen(cited)):
            return cited
        for shared in (self._says, self._touches):
            for utterance in people:
                if shared(words, seen(utterance)):
                    return utterance
        for utterance in tools:
            if self._says(words, seen(utterance)):
                return utterance
        if named and not cited:
            raise Skip("a message that was never shown")
        # A date may be said in other words than those that the model and the assistant write.
        if not ISO_DAY.search(words) and self._says(words, self.asked.overheard[:_SEEN]):
            raise Skip("the assistant's words")
        if cited is None and not people:
            raise Skip("nobody said it")
        return cited or people[-1]

    def only_known(self, subject: str, attribute: str, value: str, polarity: Polarity) -> bool:
        """Whether this repeats a known fact of which the turn says nothing: what was recalled is not said again.

        What is only asked about is not said.
        """
        same = (subject, attribute, value_key(value), polarity)
        known = ((m.subject, m.attribute, value_key(m.value or ""), m.polarity) for m in self.asked.facts.values())
        stated = (s for u in self.asked.messages.values() for s in _SENTENCE.findall(seen(u)) if not _ASKS.search(s))
        return same in known and not any(self._says(value, sentence) for sentence in stated)

    def refuse_leaks(self, subject: str, value: str, text: str, known: Memory | None) -> None:
        """Skip what must never be kept, whoever says so: marks of redaction, and what stands in the prompt alone.

        A value that the prompt has and the turn has not came from the prompt, so nothing that is written there, in an
        example or a rule, can become a fact. Numbers and single characters are let through: people say them in words;
        and so are the words of the fact that the item names.
        """
        if _PRIVATE.search(value):
            raise Skip("a mark of redaction")
        stated = f"{subject}\n{value}\n{text}".casefold()
        if any(word in stated and word not in self._words for word in EXAMPLE_WORDS):
            raise Skip("an example of the prompt")
        for words in (value, text):
            if known and words in (known.value, known.text):
                continue
            if _TELLING.search(words) and find(words, self.asked.wording) and not self.said(words):
                raise Skip("an example of the prompt")

    def merges(self, known: Memory, value: str, text: str) -> bool:
        """Whether words put what is known and what was said together: some of both, and no number of neither."""
        old, new = known.value or "", "\n".join(seen(u) for u in self.asked.messages.values())
        both = f"{value}\n{ISO_DAY.sub(' ', text)}"
        numbers = {t for t in terms(both) if any(map(str.isdigit, t))}
        has_old = bool(find(old, both)) or not _longer(both).isdisjoint(_longer(old))
        has_new = not _longer(both).isdisjoint(_longer(new) - _longer(f"{old}\n{known.text}"))
        return has_old and has_new and numbers <= set(terms(f"{old}\n{known.text}\n{new}"))

    def in_its_language(self, text: str, source: Utterance) -> str:
        """The text, or what was said in its place when the text is in a language that was not spoken."""
        if not is_person(source) or not _LETTER.search(source.text):
            return text
        spoken: Language = language(source.text)
        wrong = not _HAN.search(text) if spoken == "zh" else language(text) == "zh"
        if not wrong:
            return text
        said = shorten(source.text.strip(), _MAX_SAID)
        who = source.subject if source.subject != USER else "用户" if spoken == "zh" else "The user"
        return f"{who}说：{said}" if spoken == "zh" else f"{who} said: {said}"

    def said(self, words: str) -> bool:
        """Whether a message of the turn has these words."""
        return any(self._says(words, seen(u)) for u in self.asked.messages.values())

    def _says(self, words: str, text: str) -> bool:
        """Whether the text has these words: as they are, or all of their terms in some order."""
        if find(words, text):
            return True
        wanted = {t for t in terms(words) if len(t) > 1}
        return bool(wanted) and wanted <= self._terms_of(text)

    def _touches(self, words: str, text: str) -> bool:
        """Whether they share a term, if only a character (素食, 我吃素), and every number in the words."""
        wanted, have = set(terms(words)), self._terms_of(text)
        return not wanted.isdisjoint(have) and all(t in have for t in wanted if any(map(str.isdigit, t)))

    def _terms_of(self, text: str) -> frozenset[str]:
        if text not in self._terms:
            self._terms[text] = frozenset(terms(text))
        return self._terms[text]


def _longer(words: str) -> set[str]:
    return {t for t in terms(words) if len(t) > 1}


def seen(utterance: Utterance) -> str:
    """The head of a message, which is all that is looked at."""
    return utterance.text[:_SEEN]


def find(words: str, text: str) -> re.Match[str] | None:
    """Where the text has the words, as whole words where they begin and end with a Latin letter or digit."""
    edge = "[0-9A-Za-z]"
    before = f"(?<!{edge})" if re.match(edge, words) else ""
    after = f"(?!{edge})" if re.match(edge, words[-1:]) else ""
    return re.search(before + re.escape(words) + after, text, re.IGNORECASE)
