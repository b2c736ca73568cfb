"""The agent: `open_agent`, its graph, its memory and its threads."""

from graph.agent import Agent, open_agent, open_book, rebuild_index
from graph.build import build_graph
from graph.state import AgentState
from nodes.context import Context

__all__ = ["Agent", "AgentState", "Context", "build_graph", "open_agent", "open_book", "rebuild_index"]
