"""What the tests of the memory index share: both clients, a store on either, and small doubles."""

import re
import shutil
import zlib
from collections import Counter

import pytest
from qdrant_client import QdrantClient, models

from stores.edge import EdgeClient
from stores.embeddings import HashEmbeddings
from stores.qdrant_store import PalimpsestStore
from tests.folders import copy_folder


class Words:
    """A sparse encoder that knows words and single Chinese characters."""

    version = "words"
    stop = frozenset({"the", "a", "is", "的", "了"})

    def terms(self, text, owner):
        found = re.findall(r"[a-z0-9#]+|[\u4e00-\u9fff]", text.lower())
        return Counter(zlib.crc32(f"{owner} {term}".encode()) for term in found if term not in self.stop)

    def document(self, text, owner):
        counts = self.terms(text, owner)
        length = 0.25 + 0.75 * sum(counts.values()) / 12
        return list(counts), [n * 2.2 / (n + 1.2 * length) for n in counts.values()]

    def query(self, text, owner):
        terms = list(self.terms(text, owner))
        return terms, [1.0] * len(terms)


class Moody(HashEmbeddings):
    """An embedder that fails while `down` holds a reason."""

    down = None
    asked = ()

    def embed_documents(self, texts):
        if self.down:
            raise ConnectionError(self.down)
        self.asked = (*self.asked, *texts)
        return super().embed_documents(texts)

    def embed_query(self, text):
        if self.down:
            raise ConnectionError(self.down)
        return super().embed_query(text)


@pytest.fixture
def words():
    return Words()


@pytest.fixture
def embedder():
    return Moody(64)


@pytest.fixture
def open_store(words, embedder):
    def make(on, name="hash-64", dims=64):
        return PalimpsestStore(on, embeddings=embedder, dims=dims, embedder_name=name, sparse=words)

    return make


@pytest.fixture(params=["edge", "memory"])
def client(request, tmp_path):
    opened = EdgeClient(tmp_path / "index") if request.param == "edge" else QdrantClient(":memory:")
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def empty_index(tmp_path_factory):
    """A folder that was set up once, which waits for the disk several times."""
    path = tmp_path_factory.mktemp("empty") / "index"
    store = PalimpsestStore(EdgeClient(path), embeddings=Moody(64), dims=64, embedder_name="hash-64", sparse=Words())
    store.setup()
    store.client.close()
    return path


@pytest.fixture
def index(tmp_path, empty_index):
    """A copy of that folder; Edge's log is left out, as it is large and says nothing."""
    path = tmp_path / "index"
    copy_folder(empty_index, path, ignore=shutil.ignore_patterns("wal"))
    return path


@pytest.fixture(scope="session")
def shared_edge(tmp_path_factory, empty_index):
    """One open folder for all tests that leave the collection itself alone."""
    path = tmp_path_factory.mktemp("shared") / "index"
    copy_folder(empty_index, path, ignore=shutil.ignore_patterns("wal"))
    client = EdgeClient(path)
    yield client
    client.close()


@pytest.fixture(params=["edge", "memory"])
def store(request, open_store):
    """An empty store that is set up."""
    if request.param == "edge":
        opened = open_store(request.getfixturevalue("shared_edge"))
        everything = models.FilterSelector(filter=models.Filter())
        opened.client.delete(opened.collection_name, points_selector=everything)
        yield opened
    else:
        opened = open_store(QdrantClient(":memory:"))
        opened.setup()
        yield opened
        opened.client.close()
