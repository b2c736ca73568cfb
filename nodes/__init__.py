"""The steps of a turn, one file each; they can be used in a StateGraph of one's own."""

from nodes.call_llm import call_llm
from nodes.context import Context
from nodes.extract_facts import extract_facts
from nodes.manage_context import manage_context
from nodes.retrieve_memory import retrieve_memory
from nodes.write_memory import write_memory

__all__ = ["Context", "call_llm", "extract_facts", "manage_context", "retrieve_memory", "write_memory"]
