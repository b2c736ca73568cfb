"""What `langgraph.json` names: the agent of PALIMPSEST_DATA_DIR, for `langgraph dev` and Studio.

To serve an agent of your own, write such a module with `Served(lambda: open_agent(tools=[...]))` and name it there.
"""

from graph.server import Served

_served = Served()
graph, checkpointer, store = _served.graph, _served.checkpointer, _served.store
