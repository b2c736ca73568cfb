"""What a process does once at its first turn: imported where processes are made from, so that none of them does it."""

import gc

import cli.main  # noqa: F401
from memory.extraction import RuleExtractor
from memory.guard import instruction
from memory.lexical import Bm25Encoder
from memory.record import Utterance

# Patterns are compiled and the dictionary of Chinese words is read when they are first used.
WORDS = "I live in Berlin and I am allergic to peanuts. 我住在柏林，我对花生过敏。嗯嗯"
RuleExtractor().extract([Utterance("m", WORDS)])
instruction(WORDS)
Bm25Encoder().query(WORDS, "nobody")
gc.freeze()
