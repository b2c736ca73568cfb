"""A process that kills itself with SIGKILL at a named moment of a turn."""

import os
import signal

import graph.build
from graph import open_agent
from stores.checkpointer import SqliteCheckpointer
from stores.embeddings import HashEmbeddings
from stores.indexer import Indexer
from stores.ledger import Ledger

MOMENTS = (
    *(
        f"{when} {step}"
        for step in ("retrieve_memory", "manage_context", "write_memory")
        for when in ("before", "after")
    ),
    "between the input and the first step",
    "before call_llm",
    "after extract_facts",
    "inside the ledger's transaction",
    "between ledger and index",
    "between index and its receipt",
)


def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)


def dying(owner, name, when):
    """Let a function of `owner` end the process before or after it does its work."""
    work = getattr(owner, name)

    def wrapper(*args, **kwargs):
        if when == "before":
            die()
        work(*args, **kwargs)
        die()

    setattr(owner, name, wrapper)


def arm(moment):
    when, _, what = moment.partition(" ")
    if moment == "inside the ledger's transaction":
        dying(Ledger, "_state", "after")
    elif moment == "between the input and the first step":
        put = SqliteCheckpointer.put

        def put_input_alone(self, config, checkpoint, metadata, new_versions):
            if metadata["source"] != "input":
                die()
            return put(self, config, checkpoint, metadata, new_versions)

        SqliteCheckpointer.put = put_input_alone
    elif moment == "between ledger and index":
        dying(Ledger, "commit", "after")
    elif moment == "between index and its receipt":
        dying(Indexer, "_apply", "after")
    elif what == "call_llm":
        from graph.offline import OfflineModel

        OfflineModel._stream = OfflineModel._generate = die
    elif what == "extract_facts":
        from memory.extraction import RuleExtractor

        dying(RuleExtractor, "extract", "after")
    elif what == "manage_context":
        make = graph.build.manage_context

        def made(*args):
            node = make(*args)
            step = staticmethod(lambda state, runtime: node.invoke(state, runtime=runtime))
            namespace = type("Namespace", (), {"run": step})
            dying(namespace, "run", when)

            def manage_context(state, runtime):
                return namespace.run(state, runtime)

            return manage_context

        graph.build.manage_context = made
    else:
        work = getattr(graph.build, what)

        def step(state, config, runtime):
            if when == "before":
                die()
            work(state, config, runtime)
            die()

        # LangGraph reads the annotations to know what to inject.
        step.__annotations__ = work.__annotations__
        step.__wrapped__ = work
        setattr(graph.build, what, step)


def crash(folder, moment, words):
    """Say something on thread "t" as alice, and die at that moment."""
    arm(moment)
    with open_agent(folder, embeddings=HashEmbeddings()) as agent:
        agent.graph.invoke(
            {"messages": [("user", words)]}, {"configurable": {"thread_id": "t"}}, context={"user_id": "alice"}
        )
