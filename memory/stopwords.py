"""English words that carry no topic: left out of the lexical index and of lexical queries.

A short list of our own: articles, pronouns, prepositions, auxiliaries, question words and what contractions leave
over ("don" of "don't"). Names, numbers and verbs of content stay. Chinese needs none: its function words are single
characters, which weigh near nothing in a query (`memory.lexical`); a list of them gained nothing when measured.
"""

from __future__ import annotations

_WORDS = """
a an the this that these those
i me my mine myself we us our ours ourselves you your yours yourself yourselves
he him his himself she her hers herself it its itself they them their theirs themselves
am is are was were be been being do does did doing done have has had having
can could may might must shall should will would ought
and or but nor if then else so than because while until though although as
of at by for with about against between into through during before after above below to from up down in out on
off over under again further once upon per via
what which who whom whose when where why how
here there all any both each few more most other some such only own same too very just also even
not no yes ok okay
don doesn didn isn aren wasn weren hasn haven hadn won wouldn shouldn couldn ain ca wo let
s t m re ve ll d
"""
ENGLISH: frozenset[str] = frozenset(_WORDS.split())
