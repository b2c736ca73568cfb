"""The nodes on a store that is not ours: LangGraph's in-memory one, by its plain search and put."""

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from graph import build_graph
from stores.embeddings import HashEmbeddings
from stores.indexer import decode_user, encode_user, namespace_of


def test_the_graph_works_on_any_base_store():
    index = {"dims": len(HashEmbeddings().embed_query("x")), "embed": HashEmbeddings(), "fields": ["text"]}
    store = InMemoryStore(index=index)
    graph = build_graph(checkpointer=InMemorySaver(), store=store)
    alice = {"user_id": "alice"}
    graph.invoke({"messages": [("user", "我对花生过敏")]}, {"configurable": {"thread_id": "a"}}, context=alice)
    state = graph.invoke({"messages": [("user", "花生？")]}, {"configurable": {"thread_id": "b"}}, context=alice)
    assert "花生" in state["messages"][-1].text
    kept = sorted((i.value["kind"], i.value["text"]) for i in store.search(namespace_of("alice")))
    assert kept == [("episode", "我对花生过敏"), ("episode", "花生？"), ("fact", "用户对花生过敏")]


def test_user_ids_become_namespace_labels_and_back():
    for user in ("alice", "a.b", "用户", "", "🐘", "A", "a"):
        assert decode_user(encode_user(user)) == user
        assert "." not in encode_user(user)
    assert encode_user("A") != encode_user("a")
