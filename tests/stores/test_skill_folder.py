"""The folder is read again when a file changed, and a file that broke keeps its last good version."""

import os

import pytest
from langchain_core.embeddings import Embeddings

from stores.embeddings import HashEmbeddings
from stores.skill_folder import SkillFolder


def written(name, *, word="refund", example="I want my money back", step="Find it."):
    return (
        f"id: {name}\ndescription: about {name}\n"
        f"trigger:\n  words: [{word}]\n  examples: [{example}]\nsteps: [{step}]\n"
    )


class Spy(Embeddings):
    """Embeds as `HashEmbeddings`, and keeps what it was asked; fails when told to."""

    def __init__(self):
        self.inner, self.documents, self.queries, self.broken = HashEmbeddings(), [], [], False

    def embed_documents(self, texts):
        self._fail()
        self.documents.append(texts)
        return self.inner.embed_documents(texts)

    def embed_query(self, text):
        self._fail()
        self.queries.append(text)
        return self.inner.embed_query(text)

    def _fail(self):
        if self.broken:
            raise ConnectionError("no answer")


@pytest.fixture
def told():
    return []


@pytest.fixture
def shelf(tmp_path, told):
    folder = tmp_path / "skills"
    folder.mkdir()
    return SkillFolder(folder, Spy(), 0.2, warn=told.append)


def put(shelf, name, text):
    path = shelf.folder / name
    path.write_text(text, encoding="utf-8")
    return path


def ids(matches):
    return [m.skill.id for m in matches]


def test_files_come_change_and_go_without_a_restart(shelf):
    assert shelf.read().skills == {}
    put(shelf, "a.yaml", written("one"))
    put(shelf, "b.yml", written("two", word="退款"))
    assert list(shelf.read().skills) == ["one", "two"]
    put(shelf, "a.yaml", written("one", step="Ask first."))
    assert shelf.read().skills["one"].steps == ("Ask first.",)
    (shelf.folder / "b.yml").unlink()
    assert list(shelf.read().skills) == ["one"]
    os.rename(shelf.folder / "a.yaml", shelf.folder / "c.yaml")
    assert shelf.read().skills["one"].file == str(shelf.folder / "c.yaml")


def test_what_did_not_change_is_not_opened_again(shelf, monkeypatch):
    put(shelf, "a.yaml", written("one"))
    first = shelf.read()
    monkeypatch.setattr("stores.skill_folder.parse_skill", None)
    assert shelf.read() is first


def test_only_yaml_files_of_the_folder_itself_are_skills(shelf):
    for name in ("a.yaml.bak", ".hidden.yaml", "notes.md", "a.json"):
        put(shelf, name, written(name))
    (shelf.folder / "more.yaml").mkdir()
    assert shelf.read().skills == {}
    assert shelf.read().problems == ()


def test_a_folder_that_is_not_there_has_no_skills_until_it_is_made(tmp_path):
    shelf = SkillFolder(tmp_path / "later")
    assert shelf.read().skills == {}
    (tmp_path / "later").mkdir()
    put(shelf, "a.yaml", written("one"))
    assert list(shelf.read().skills) == ["one"]


def test_a_file_that_broke_keeps_its_last_good_version_and_says_so_once(shelf, told):
    path = put(shelf, "a.yaml", written("one"))
    assert shelf.read().notice() is None
    put(shelf, "a.yaml", written("one").replace("steps:", "step:"))
    for _ in range(3):
        assert shelf.read().skills["one"].steps == ("Find it.",)
    assert shelf.read().stale == ("one",)
    assert shelf.read().notice() == (
        "skills with problems: a.yaml:1, a.yaml:6; kept as before: one (palimpsest skills check says what)"
    )
    assert told == [
        (
            f"{path}:1: 'steps' is missing; expected a list of texts, at least one: what to do, in order "
            "(its last good version is used)"
        ),
        f"{path}:6: 'step' is nothing that a skill has; did you mean 'steps'? (its last good version is used)",
    ]
    put(shelf, "a.yaml", written("one", step="Mended."))
    assert (shelf.read().skills["one"].steps, shelf.read().notice()) == (("Mended.",), None)
    path.unlink()
    assert shelf.read().skills == {}


def test_a_file_that_never_was_good_is_left_out_and_the_others_stay(shelf, told):
    put(shelf, "a.yaml", "id: [")
    (shelf.folder / "b.yaml").write_bytes(b"id: ok\ndescription: \xff\xfe")
    put(shelf, "c.yaml", written("one"))
    put(shelf, "d.yaml", written("one"))
    (shelf.folder / "e.yaml").symlink_to("nowhere")
    read = shelf.read()
    assert list(read.skills) == ["one"]
    assert [(os.path.basename(p.file), p.line) for p in read.problems] == [
        ("a.yaml", 1),
        ("b.yaml", 2),
        ("e.yaml", 1),
        ("d.yaml", 1),
    ]
    assert len(told) == 4
    assert all(said.endswith("(it is left out)") for said in told)


def test_texts_are_embedded_once_as_documents_and_the_request_as_a_question(shelf):
    spy = shelf._embeddings
    put(shelf, "a.yaml", written("one"))
    put(shelf, "b.yaml", written("two", word="x", example="排一个行程"))
    assert ids(shelf.match("I want my money back!")) == ["one"]
    assert ids(shelf.match("排一个行程吧")) == ["two"]
    assert spy.documents == [["I want my money back", "about one", "排一个行程", "about two"]]
    assert spy.queries == ["I want my money back!", "排一个行程吧"]
    put(shelf, "b.yaml", written("two", word="x", example="订机票"))
    shelf.match("订机票")
    assert spy.documents[1:] == [["订机票"]]


def test_without_meaning_or_when_the_embedder_fails_words_decide(shelf, told):
    spy = shelf._embeddings
    put(shelf, "a.yaml", written("one"))
    assert ids(shelf.match("I want my money back", by_meaning=False)) == []
    assert (spy.documents, spy.queries) == ([], [])
    spy.broken = True
    assert ids(shelf.match("I want my money back")) == []
    assert ids(shelf.match("a refund")) == ["one"]
    assert told == ["skills are found by their words alone: ConnectionError: no answer"] * 2
    spy.broken = False
    assert ids(shelf.match("I want my money back")) == ["one"]


def test_nothing_is_embedded_where_there_is_nothing_to_compare(shelf):
    assert shelf.match("hello") == ()
    put(shelf, "a.yaml", written("one"))
    assert shelf.match("  ") == ()
    assert shelf._embeddings.queries == []
