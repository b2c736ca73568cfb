"""What can go wrong with the data folder, each with one sentence: what happened, what is unharmed, what to do."""

from __future__ import annotations


class PalimpsestError(RuntimeError):
    """The base of our own errors; its message is meant for a person."""


class LedgerCorrupt(PalimpsestError):
    """The ledger's file is not one of ours, or is damaged."""


class LedgerReadOnly(PalimpsestError):
    """The ledger cannot be written where it lies."""


class LedgerBusy(PalimpsestError):
    """Another program holds the ledger for longer than we wait."""


class NotFound(PalimpsestError):
    """No memory, commit or thread has that id for this user."""


class MissingUser(PalimpsestError):
    """A run was started without saying whose memory it is."""


class NotYours(PalimpsestError):
    """A run asks for the memory of someone else than the one who is signed in."""


class BadInput(PalimpsestError, ValueError):
    """A call's argument cannot be used: a naive time, a blank text, an unknown kind."""


class IndexClosed(PalimpsestError):
    """Recall or writing was asked of a book opened for the ledger alone."""


class IndexUnreachable(PalimpsestError):
    """The Qdrant server does not answer while the agent is opened."""
