"""The auth example: each user his own threads and namespaces, 401 and 403 for the rest."""

import json
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from langgraph_sdk import get_sync_client

from graph.server import server_id
from stores.indexer import namespace_of
from tests.folders import copy_folder

CONFIG = Path(__file__).parents[2] / "examples" / "auth" / "langgraph.json"
TOKENS = {"a-secret": "alice", "b-secret": "bob", "o-secret": "operator"}


@pytest.fixture(scope="module")
def guarded(new_server, made_in_python):
    server = new_server("guarded", EXAMPLE_TOKENS=json.dumps(TOKENS), PALIMPSEST_SERVER_TOKEN="o-secret")
    copy_folder(made_in_python, server.folder)
    server.start("--config", str(CONFIG))
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def sign_in(guarded):
    opened = []

    def client(token):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        opened.append(get_sync_client(url=guarded.url, headers=headers))
        return opened[-1]

    yield client
    for one in opened:
        one.close()


@contextmanager
def refused(status):
    with pytest.raises(httpx.HTTPStatusError) as error:
        yield
    assert error.value.response.status_code == status


def said(words):
    return {"messages": [{"role": "user", "content": words}]}


def test_without_a_known_token_nothing_is_answered(sign_in):
    for token in (None, "guess"):
        with refused(401):
            sign_in(token).threads.search()


def test_each_user_has_his_own_threads_also_those_made_in_python(sign_in):
    alice, bob = sign_in("a-secret"), sign_in("b-secret")
    mine = bob.threads.create(graph_id="palimpsest")["thread_id"]
    assert [t["thread_id"] for t in bob.threads.search()] == [mine]
    made = {server_id(name) for name in ("monday", "tuesday", "friday")}
    assert {t["thread_id"] for t in alice.threads.search()} == made
    assert alice.threads.get_state(server_id("monday"))["values"]["user_id"] == "alice"
    for thread_id, stranger in ((server_id("monday"), bob), (mine, alice)):
        with refused(404):
            stranger.threads.get(thread_id)
        with refused(404):
            stranger.runs.wait(thread_id, "palimpsest", input=said("hello"))
    with refused(403):
        bob.threads.create(metadata={"palimpsest_user": "alice"})


def test_a_run_speaks_for_who_is_signed_in_and_for_nobody_else(sign_in):
    alice, bob = sign_in("a-secret"), sign_in("b-secret")
    thread_id = bob.threads.create(graph_id="palimpsest")["thread_id"]
    state = bob.runs.wait(thread_id, "palimpsest", input=said("I like olives."))
    assert state["user_id"] == "bob"
    found = bob.store.search_items(namespace_of("bob", "fact"))["items"]
    assert [item["value"]["text"] for item in found] == ["The user likes olives"]
    with refused(403):
        bob.runs.wait(thread_id, "palimpsest", input=said("What am I allergic to?"), context={"user_id": "alice"})
    with refused(403):
        alice.assistants.create("palimpsest", context={"user_id": "bob"})


def test_each_user_has_his_own_memories(sign_in):
    bob = sign_in("b-secret")
    for act in (
        lambda: bob.store.search_items(namespace_of("alice")),
        lambda: bob.store.search_items(()),
        lambda: bob.store.search_items(("palimpsest",)),
        lambda: bob.store.list_namespaces(),
        lambda: bob.store.put_item(namespace_of("alice", "fact"), "k", {"text": "I hate tea."}),
        lambda: bob.store.delete_item(namespace_of("alice", "fact"), "k"),
        lambda: bob.store.get_item(namespace_of("alice", "fact"), "k"),
    ):
        with refused(403):
            act()
    assert sign_in("a-secret").store.search_items(namespace_of("alice"))["items"] != []
