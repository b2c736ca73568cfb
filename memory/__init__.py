"""What memory is and its rules: pure values and functions, without I/O, models or a clock of their own."""

from memory.clock import ManualClock
from memory.explaining import NearMiss
from memory.extraction import RuleExtractor
from memory.fold import fold
from memory.privacy import redact
from memory.ranking import Weights, rank
from memory.record import Clock, Extraction, Extractor, Interval, Memory, Proposal, Statement, TokenCounter, Utterance
from memory.rendering import parse_block, render_block
from memory.skill_matching import match_skills
from memory.skills import Skill, SkillError, parse_skill
from memory.tokens import estimate_tokens

__all__ = [
    "Clock",
    "Extraction",
    "Extractor",
    "Interval",
    "ManualClock",
    "Memory",
    "NearMiss",
    "Proposal",
    "RuleExtractor",
    "Skill",
    "SkillError",
    "Statement",
    "TokenCounter",
    "Utterance",
    "Weights",
    "estimate_tokens",
    "fold",
    "match_skills",
    "parse_block",
    "parse_skill",
    "rank",
    "redact",
    "render_block",
]
