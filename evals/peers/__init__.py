"""Other memories, asked what ours is asked: one small protocol, and a module for each package they come from.

A package that is missing, or something that cannot be done on this machine, is `Unavailable` with a sentence: the table
says it instead of leaving the peer out.
"""
