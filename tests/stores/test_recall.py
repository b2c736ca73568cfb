"""Recall through the book, on real SQLite and real Edge: who finds what, and what each kind of nothing means."""

from datetime import UTC, datetime, timedelta

import pytest
from langchain_core.embeddings import Embeddings

from graph import open_agent, rebuild_index
from memory.clock import ManualClock
from stores.book import MemoryBook
from stores.embeddings import HashEmbeddings
from stores.errors import BadInput
from stores.imports import ImportedMessage
from stores.qdrant_store import EmbedderMismatch

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def memory(folder):
    with open_agent(folder, clock=ManualClock(NOW)) as agent:
        yield agent.memory


def tell(memory, user, *texts, thread="t", **fields):
    said = [
        ImportedMessage(f"{thread}/{i}", text, f"{user}/{thread}", said_at=NOW, **fields)
        for i, text in enumerate(texts)
    ]
    memory.import_messages(user, said)


def texts(recall):
    return [r.memory.text for r in recall.results]


def test_each_user_finds_his_own_among_fifty_better_matches_of_another(memory):
    tell(memory, "b", *(f"my favourite tea is oolong number {i}" for i in range(50)))
    tell(memory, "a", "now and then I drink oolong")
    assert texts(memory.recall("a", "my favourite tea is oolong")) == ["now and then I drink oolong"]


@pytest.mark.parametrize(
    ("mine", "other"), [("1", "10"), ("john_doe", "john-doe"), ("dot.ted", "dot"), ("用户", "用户1")]
)
def test_no_user_s_name_opens_another_s_memory(memory, mine, other):
    tell(memory, mine, f"the secret of {mine}")
    tell(memory, other, f"the secret of {other}")
    assert texts(memory.recall(mine, "secret")) == [f"the secret of {mine}"]
    assert texts(memory.recall(other, "secret")) == [f"the secret of {other}"]


def test_another_user_s_writes_never_change_my_scores(memory):
    tell(memory, "scored", "the red boat", "the blue boat", "a red house")
    before = [(r.memory.id, r.score) for r in memory.recall("scored", "red boat").results]
    tell(memory, "flood", *(f"red red red {i}" for i in range(200)))
    assert [(r.memory.id, r.score) for r in memory.recall("scored", "red boat").results] == before


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("我喜欢喝榛子拿铁", "拿铁"),
        ("今天讨论了部署方案", "部署"),
        ("今天讨论了部署方案", "部署方案"),
        ("今天讨论了部署方案", "案"),
        ("用db存数据", "db"),
        ("订单号#8842已经发货", "订单号#8842"),
        ("订单号#8842已经发货", "8842"),
        ("C++ and user-id came up in the review", "C++"),
        ("C++ and user-id came up in the review", "user-id"),
    ],
)
def test_words_alone_find_it(memory, told, asked):
    tell(memory, "keywords", "别的事情说了很多", "nothing of interest here", thread="noise")
    tell(memory, "keywords", told, thread=told)
    assert texts(memory.recall("keywords", asked, strategy="lexical"))[0] == told


@pytest.mark.parametrize(
    "query",
    ["C++", 'a"b', "AND", "user-id", "订单号#8842", "", "   ", "*", "what's up?", "\x00", "\ud83d", "(((", "'; --"],
)
def test_any_string_may_be_asked(memory, query):
    tell(memory, "raw", "parcel 8842 came today", "nothing else did")
    found = memory.recall("raw", query)
    assert found.degraded is None
    assert "8842" not in query or texts(found)[0] == "parcel 8842 came today"


def test_one_memory_is_found_once(memory):
    tell(memory, "one", "the only thing ever said")
    assert texts(memory.recall("one", "the only thing", limit=10)) == ["the only thing ever said"]


def test_the_three_kinds_of_nothing(memory):
    assert memory.recall("nobody", "anything").empty == "nothing stored"
    tell(memory, "eater", "我喜欢吃红烧肉", "周末去吃火锅")
    assert memory.recall("eater", "qwzx plotk").empty == "nothing relevant"
    assert memory.recall("eater", "火锅", kinds=["lesson"]).empty == "filtered out"
    assert memory.recall("eater", "火锅").empty is None


def test_filters_narrow_by_kind_thread_and_time(memory):
    tell(memory, "filters", "I live in Berlin", thread="x")
    tell(memory, "filters", "Berlin was cold", thread="y")
    assert {r.memory.kind for r in memory.recall("filters", "Berlin", kinds=["fact"]).results} == {"fact"}
    assert texts(memory.recall("filters", "Berlin", thread_id="filters/y")) == ["Berlin was cold"]
    assert memory.recall("filters", "Berlin", since=NOW + timedelta(days=1)).empty == "filtered out"
    assert len(memory.recall("filters", "Berlin", until=NOW + timedelta(days=1), kinds=["episode"]).results) == 2


def test_limits_in_number_and_in_tokens(memory):
    tell(memory, "limits", *(f"the boat number {i} is white" for i in range(20)))
    assert len(memory.recall("limits", "white boat", limit=3).results) == 3
    few = memory.recall("limits", "white boat", limit=20, max_tokens=30).results
    assert 0 < sum(memory.count(r.memory.text) for r in few) <= 30


def test_a_long_message_is_found_by_its_last_sentence(memory):
    told = "今天讨论了很多事情，大家都同意。" * 1250 + "紫色的大象站在门口。"
    assert len(told) > 20000
    tell(memory, "long", told)
    found = memory.recall("long", "紫色的大象在哪里？")
    assert found.results[0].memory.text.endswith("紫色的大象站在门口。")


def test_a_neighbour_comes_along_with_its_answer(memory):
    tell(memory, "talk", "你的猫叫什么名字？", "咪咪，三岁了。", "哦。", "下周我要去出差。")
    assert texts(memory.recall("talk", "猫的名字"))[:2] == ["你的猫叫什么名字？", "咪咪，三岁了。"]


def test_recall_as_of_a_moment_is_as_it_was(memory):
    tell(memory, "past", "我住在北京")
    then = memory.ledger.now()
    before = memory.recall("past", "我住在哪里", as_of=then)
    tell(memory, "past", "我住在上海", thread="later")
    assert [m.text for m in memory.list("past", kind="fact", as_of=then)] == [m.text for m in before.profile]
    again = memory.recall("past", "我住在哪里", as_of=then)
    assert [(r.memory.id, r.score) for r in again.results] == [(r.memory.id, r.score) for r in before.results]
    assert [m.value for m in memory.recall("past", "我住在哪里").profile] == ["上海"]


@pytest.mark.parametrize(
    ("told", "now_asked", "past_asked", "old", "new"),
    [
        (("我住在北京", "我住在上海"), "我住在哪里？", "我以前住在哪里？", "北京", "上海"),
        (("I live in Berlin", "I live in Lisbon"), "Where do I live?", "Where did I live before?", "Berlin", "Lisbon"),
    ],
)
def test_what_was_so_before_answers_only_a_question_about_before(memory, told, now_asked, past_asked, old, new):
    user = f"before {new}"
    for i, text in enumerate(told):
        tell(memory, user, text, thread=str(i))
    now, past = (memory.recall(user, asked, kinds=["fact"]) for asked in (now_asked, past_asked))
    assert [(r.memory.value, r.memory.standing) for r in now.results] == [(new, "current")]
    assert {r.memory.value: r.memory.standing for r in past.results} == {old: "superseded", new: "current"}
    [before] = [r for r in past.results if r.memory.value == old]
    assert before.reason.startswith(("以前说的，已有更新的取代；", "said before; something newer took its place; "))
    rows = {r["id"]: r.get("past") for r in past.to_state()["results"]}
    assert rows[before.memory.id] is True
    assert list(rows.values()).count(None) == 1


@pytest.mark.parametrize(
    ("told", "asked", "before", "reason"),
    [
        (
            ("我住在北京", "今天下雨了", "我住在上海"),
            "我住在哪里？",
            "我以前住在哪里？",
            "它说的已被更新的事实取代",
        ),
        (
            ("I live in Berlin", "It rained today", "I live in Lisbon"),
            "Where do I live?",
            "Where did I live before?",
            "a newer fact took the place of what it says",
        ),
    ],
)
def test_a_message_whose_facts_were_replaced_stands_behind_and_says_so(memory, told, asked, before, reason):
    user = f"replaced {told[0]}"
    for i, text in enumerate(told):
        tell(memory, user, text, thread=str(i))
    as_it_was = memory.recall(user, asked, kinds=["episode"], as_of=memory.ledger.now() - 1)
    found = {r.memory.text: r for r in memory.recall(user, asked, kinds=["episode"]).results}
    assert found[told[0]].score < found[told[2]].score
    assert found[told[0]].signals["replaced"] == 1.0
    assert reason in found[told[0]].reason
    assert [r.signals["replaced"] for r in as_it_was.results if r.memory.text == told[0]] == [0.0]
    past = memory.recall(user, before, kinds=["episode"]).results
    assert {r.signals["replaced"] for r in past} == {0.0}


def test_what_was_forgotten_or_is_of_another_branch_was_never_so_before(memory):
    tell(memory, "branches", "我住在北京")
    (fact,) = memory.list("branches", kind="fact")
    memory.forget("branches", fact.id)
    tell(memory, "branches", "我住在上海", thread="later")
    found = memory.recall("branches", "我以前住在哪里？", kinds=["fact"]).results
    assert [r.memory.value for r in found] == ["上海"]


def test_what_was_so_before_is_as_it_was_at_an_earlier_moment(memory):
    tell(memory, "then", "我住在北京")
    first = memory.ledger.now()
    tell(memory, "then", "我住在上海", thread="later")
    found = memory.recall("then", "我以前住在哪里？", kinds=["fact"], as_of=first).results
    assert [(r.memory.value, r.memory.standing) for r in found] == [("北京", "current")]


def test_a_fact_and_its_message_do_not_both_take_room(memory):
    tell(memory, "room", "我住在北京", "今天下雨了")
    found = memory.recall("room", "我住在哪里？").results
    ids = [r.memory.message_ids for r in found]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize(
    ("asked", "relevant"),
    [
        ("我对什么过敏？", True),
        ("What am I allergic to?", True),
        ("能吃宫保鸡丁吗？", True),
        ("什么是量子纠缠？", False),
        ("How do tides form?", False),
        ("法国的首都是哪里？", False),
    ],
)
def test_the_threshold_from_both_sides_in_both_languages(memory, asked, relevant):
    if not memory.list("both sides"):
        tell(
            memory, "both sides", "我对花生过敏", "我买了一辆二手的丰田", "项目十月底上线", "The parcel comes on Friday"
        )
    found = memory.recall("both sides", asked)
    assert (found.empty, bool(found.results)) == (None if relevant else "nothing relevant", relevant)


@pytest.mark.parametrize(
    "options",
    [
        {"now": datetime(2026, 1, 1)},  # noqa: DTZ001
        {"since": datetime(2026, 1, 1)},  # noqa: DTZ001
        {"as_of": datetime(2026, 1, 1)},  # noqa: DTZ001
        {"strategy": "magic"},
        {"kinds": ["dream"]},
    ],
)
def test_what_cannot_be_used_is_refused(memory, options):
    with pytest.raises(BadInput):
        memory.recall("a", "tea", **options)


def test_aware_times_are_compared_as_moments(memory):
    early = datetime.fromisoformat("2026-01-01T07:30:00+08:00")
    late = datetime.fromisoformat("2026-01-01T00:00:00+00:00")
    said = [
        ImportedMessage("late", "the kettle whistled late", "clock", said_at=late),
        ImportedMessage("early", "the kettle whistled early", "clock", said_at=early),
    ]
    memory.import_messages("clock", said)
    assert texts(memory.recall("clock", "kettle", until=late)) == ["the kettle whistled early"]
    with pytest.raises(BadInput, match="has no time zone"):
        memory.import_messages("clock", [ImportedMessage("n", "x", "clock", said_at=datetime(2026, 1, 1))])  # noqa: DTZ001


def test_what_was_forgotten_is_found_nowhere_also_after_a_rebuild(tmp_path):
    with open_agent(tmp_path) as agent:
        memory = agent.memory
        config = {"configurable": {"thread_id": "t"}}
        agent.graph.invoke({"messages": [("user", "我的会员号是 M-2208")]}, config, context={"user_id": "alice"})
        (fact,) = memory.list("alice", kind="fact")
        memory.forget("alice", fact.id)
    rebuild_index(tmp_path)
    with open_agent(tmp_path) as agent:
        for query in ("会员号", "M-2208", "我的会员号是 M-2208", "member number"):
            assert texts(agent.memory.recall("alice", query)) == []
        assert agent.memory.recall("alice", "会员号").profile == ()
        assert agent.threads.search("2208") == []
        assert [m.standing for m in agent.memory.list("alice", standing="all")] == ["retracted", "retracted"]


def test_a_store_of_another_embedder_is_refused_before_anything_is_written(tmp_path):
    with open_agent(tmp_path, embeddings=HashEmbeddings()) as agent:
        agent.memory.remember("alice", "I like tea")
        waiting = agent.memory.stats("alice")
    with pytest.raises(EmbedderMismatch, match="palimpsest memory rebuild"):
        open_agent(tmp_path)
    assert rebuild_index(tmp_path) == 1
    with open_agent(tmp_path) as agent:
        assert agent.memory.stats("alice") == waiting
        assert "tea" in texts(agent.memory.recall("alice", "tea"))[0]


class Faulty(Embeddings):
    """An embedder that can be switched off."""

    def __init__(self):
        self.works, self.inner = True, HashEmbeddings()

    def embed_documents(self, texts):
        if not self.works:
            raise ConnectionError("no route to the embedder")
        return self.inner.embed_documents(texts)

    def embed_query(self, text):
        return self.embed_documents([text])[0]


def test_without_the_embedder_words_still_find_and_the_vectors_follow(tmp_path):
    embedder = Faulty()
    with open_agent(tmp_path, embeddings=embedder) as agent:
        embedder.works = False
        agent.memory.remember("alice", "I like oolong tea")
        found = agent.memory.recall("alice", "oolong")
        assert texts(found) == ["The user likes oolong tea"]
        assert "only words were matched" in found.degraded
        embedder.works = True
        agent.memory.remember("alice", "I live in Berlin")
        found = agent.memory.recall("alice", "oolong", strategy="semantic")
        assert found.degraded is None
        assert texts(found)[0] == "The user likes oolong tea"


def test_when_qdrant_does_not_answer_the_turn_completes_and_the_index_catches_up(tmp_path):
    with open_agent(tmp_path) as agent:
        agent.memory.store.client.close()
        config = {"configurable": {"thread_id": "t"}}
        state = agent.graph.invoke({"messages": [("user", "我对花生过敏")]}, config, context={"user_id": "alice"})
        assert "did not answer" in state["recalled"]["degraded"]
        assert "catches up" in state["changes"]["index"]
        assert [f["op"] for f in state["changes"]["facts"]] == ["add"]
    with open_agent(tmp_path) as agent:
        assert agent.memory.stats("alice")["waiting_for_index"] == 0
        assert texts(agent.memory.recall("alice", "花生"))


def test_recall_says_how_long_it_took_and_renders_as_a_table(memory):
    tell(memory, "html", "<b>bold</b> tea")
    found = memory.recall("html", "bold tea")
    assert set(found.seconds) == {"total", "embedding"}
    assert 0 < found.seconds["embedding"] < found.seconds["total"]
    assert "&lt;b&gt;" in found._repr_html_()
    assert found.to_dicts()[0]["text"] == "<b>bold</b> tea"


def test_recalling_leaves_no_trace(memory, folder):
    tell(memory, "trace", "a thing to find")
    before = memory.ledger.now()
    memory.recall("trace", "thing")
    assert memory.ledger.now() == before
    assert isinstance(memory, MemoryBook)
