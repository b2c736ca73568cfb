"""What others put and delete under our namespaces by the store's own methods."""

import pytest
from langgraph.store.base import PutOp

from graph import open_agent
from stores.errors import BadInput
from stores.indexer import key_of, namespace_of


@pytest.fixture(scope="module")
def agent(tmp_path_factory):
    with open_agent(tmp_path_factory.mktemp("outside")) as opened:
        yield opened


def current(agent, user):
    return sorted(m.text for m in agent.memory.list(user, kind="fact"))


def standings(agent, user):
    return sorted((m.text, m.standing) for m in agent.memory.list(user, kind="fact", standing="all"))


def key(agent, user, text):
    [memory] = [m for m in agent.memory.list(user, kind="fact") if m.text == text]
    return key_of(memory.id, memory.intervals[-1].start)


@pytest.mark.parametrize(
    ("user", "said", "fact"),
    [("ann", "I live in Berlin.", "The user lives in Berlin"), ("安", "我住在北京", "用户住在北京")],
)
def test_a_put_is_remembered_and_found_again(agent, user, said, fact):
    agent.memory.store.put(namespace_of(user, "fact"), "home", {"text": said})
    assert current(agent, user) == [fact]
    [memory] = agent.memory.list(user, kind="fact")
    assert (memory.speaker, memory.confidence) == ("person", 1.0)
    [item] = agent.memory.store.search(namespace_of(user), query=said)
    assert (item.key, item.value["text"]) == (key(agent, user, fact), fact)


def test_a_text_that_no_rule_reads_is_a_note(agent):
    agent.memory.store.put(namespace_of("ben", "fact"), "k", {"content": "The spare key is under the mat."})
    assert current(agent, "ben") == ["The spare key is under the mat."]


def test_named_fields_are_taken_as_they_are(agent):
    value = {"text": "Rex is a dog", "subject": "Rex", "attribute": "species", "value": "dog", "anything": 1}
    agent.memory.store.put(namespace_of("cat", "fact"), "k", value)
    [memory] = agent.memory.list("cat", kind="fact")
    assert (memory.subject, memory.attribute, memory.value) == ("Rex", "species", "dog")


def test_a_put_at_a_memorys_own_key_corrects_it_and_a_delete_forgets_it(agent):
    store, facts = agent.memory.store, namespace_of("dan", "fact")
    agent.memory.remember("dan", "I live in Oslo.")
    own = key(agent, "dan", "The user lives in Oslo")
    store.put(facts, own, store.get(facts, own).value)
    assert standings(agent, "dan") == [("The user lives in Oslo", "current")]
    store.put(facts, own, {**store.get(facts, own).value, "text": "I live in Bergen."})
    assert current(agent, "dan") == ["I live in Bergen."]
    store.delete(facts, key(agent, "dan", "I live in Bergen."))
    assert standings(agent, "dan") == [("I live in Bergen.", "retracted"), ("The user lives in Oslo", "superseded")]


def test_a_key_of_ones_own_stands_for_what_was_put_at_it(agent):
    store, facts = agent.memory.store, namespace_of("eva", "fact")
    store.put(facts, "a", {"text": "The spare key is under the mat."})
    store.put(facts, "b", {"text": "The car is in row nine."})
    store.put(facts, "a", {"text": "The spare key is at the baker's."})
    assert current(agent, "eva") == ["The car is in row nine.", "The spare key is at the baker's."]
    store.put(facts, "a", {"text": "The spare key is at the baker's."})
    assert len(standings(agent, "eva")) == 3
    store.delete(facts, "a")
    store.delete(facts, "never")
    assert current(agent, "eva") == ["The car is in row nine."]


def test_words_of_a_turn_can_be_forgotten_and_not_put(agent):
    store, episodes = agent.memory.store, namespace_of("flo", "episode")
    agent.graph.invoke(
        {"messages": [("user", "Today was long.")]},
        {"configurable": {"thread_id": "flo"}},
        context={"user_id": "flo"},
    )
    [item] = store.search(episodes)
    with pytest.raises(BadInput, match="kept as it was"):
        store.put(episodes, item.key, {"text": "Today was short."})
    store.delete(episodes, item.key)
    assert agent.memory.list("flo", kind="episode") == []


@pytest.mark.parametrize(
    ("namespace", "value", "ttl", "words"),
    [
        (("palimpsest", "gus", "fact"), {"text": "x"}, None, "is not one of a user's memories"),
        (("palimpsest", "u!", "fact"), {"text": "x"}, None, "is not one of a user's memories"),
        (namespace_of("gus"), {"text": "x"}, None, "is not one of a user's memories"),
        (namespace_of("gus", "dream"), {"text": "x"}, None, "is not one of a user's memories"),
        (namespace_of("gus", "fact"), {"text": 7}, None, "value is"),
        (namespace_of("gus", "fact"), {"text": "  "}, None, "blank"),
        (namespace_of("gus", "fact"), {"text": "x"}, 5.0, "time to live"),
    ],
)
def test_what_cannot_be_a_memory_is_refused(agent, namespace, value, ttl, words):
    with pytest.raises(BadInput, match=words):
        agent.memory.store.batch([PutOp(namespace, "k", value, ttl=ttl)])
    assert agent.memory.list("gus", standing="all") == []


def test_another_users_key_is_only_a_key(agent):
    agent.memory.remember("hal", "I live in Rome.")
    theirs = key(agent, "hal", "The user lives in Rome")
    agent.memory.store.delete(namespace_of("ivy", "fact"), theirs)
    assert current(agent, "hal") == ["The user lives in Rome"]
