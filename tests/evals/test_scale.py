"""Recall at scale: what is asked, and that nobody else's memories change a ranking."""

import dataclasses

import pytest

from evals import scale
from evals.datasets import OWN, load
from evals.embedded import SharedEmbedder
from stores.embeddings import resolve_embeddings


@pytest.fixture
def embedder():
    return SharedEmbedder(lambda: resolve_embeddings("hash"))


@pytest.fixture
def two_groups():
    """A Chinese and an English user of the bundled set, with a few of their questions."""
    (own,) = load(OWN)
    kept = {"lin", "maya"}
    return dataclasses.replace(
        own,
        items=tuple(item for item in own.items if item.group in kept),
        queries=tuple(query for query in own.queries if query.group in kept)[::5],
    )


def test_each_user_is_answered_among_others_as_alone(two_groups, embedder):
    told = []
    assert scale.different_rankings(two_groups, embedder, lambda *step: told.append(step)) == []
    messages = sum(len(item.messages) for item in two_groups.items)
    last = {what: (done, total) for what, done, total in told}
    assert last == {"palimpsest: together": (messages, messages), "palimpsest: each alone": (messages, messages)}


def test_a_ranking_that_others_change_is_named(two_groups, embedder, monkeypatch):
    """A user whose questions are answered from everybody's memories."""
    monkeypatch.setattr(scale, "user_of", lambda dataset, group: "everybody")
    assert len(scale.different_rankings(two_groups, embedder)) > len(two_groups.queries) / 2


def test_no_question_comes_twice_and_they_are_about_the_whole_memory():
    asked = scale.questions(600, 200)
    assert len(asked) == len(set(asked)) == 200
    assert asked[0].endswith("(0)?")
    assert asked[-1].endswith("(597)?")
    assert len(scale.questions(5, 200)) == 5
