"""Reading facts out of what was said."""

from memory.extraction.rules import RuleExtractor

__all__ = ["RuleExtractor"]
