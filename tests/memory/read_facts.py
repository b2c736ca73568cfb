"""What the rules read in one message, and what a test expects of it, as plain tuples."""

from memory.extraction import RuleExtractor
from memory.record import Utterance


def read(text, at, *, subject="user", speaker="user"):
    """(subject, attribute, value, polarity, whether it ends one) of each fact, in order."""
    found = RuleExtractor().extract([Utterance("m1", text, speaker, at, subject)]).proposals
    return [(p["subject"], p["attribute"], p["value"], p["polarity"], p["retract"]) for p in found]


def is_(attribute, value, subject="user"):
    return (subject, attribute, value, 1, False)


def is_not(attribute, value, subject="user"):
    return (subject, attribute, value, -1, False)


def no_longer(attribute, value, subject="user"):
    return (subject, attribute, value, 1, True)
