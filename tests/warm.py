"""What a process does once at its first turn: imported where processes are made from, so that none of them does it."""

import cli.main  # noqa: F401
from memory.extraction import RuleExtractor
from memory.lexical import Bm25Encoder
from memory.record import Utterance

# The rules' patterns are compiled and the dictionary of Chinese words is read when they are first used.
RuleExtractor().extract(
    [Utterance("m", "I live in Berlin and I am allergic to peanuts. 我住在柏林，我对花生过敏。嗯嗯")]
)
Bm25Encoder().query("花生 peanuts", "nobody")
