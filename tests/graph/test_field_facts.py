"""Faults that people report of agents with memory, each as a conversation: what is true afterwards.

Read by the rules where they know the sentence, and by a model whose replies are scripted.
"""

import json
import re
from dataclasses import dataclass, field
from datetime import timedelta

import pytest

from graph import open_agent
from graph.scripted_model import ScriptedModel
from memory.clock import ManualClock
from stores.embeddings import HashEmbeddings
from stores.imports import ImportedMessage

ALICE = {"user_id": "alice"}


def item(attribute, value, text, polarity=1, action="add", subject="user", known=None, **more):
    """One fact as a model replies it; `known` is the value of the known fact that it is about."""
    return {
        "reason": "they say so",
        "action": action,
        "id": known,
        "subject": subject,
        "attribute": attribute,
        "value": value,
        "polarity": polarity,
        "text": text,
        "message": "m1",
        "confidence": 0.9,
        "importance": 0.7,
        "occurred_at": None,
        "expires_at": None,
        **more,
    }


class Reader(ScriptedModel):
    """A model that reads facts: it replies with the items of the words in the prompt, by the ids that it was given."""

    def __init__(self, said):
        super().__init__(lambda messages: self.read(messages[-1].text, said))

    @staticmethod
    def read(prompt, said):
        shown = {json.loads(fact)["value"]: i for i, fact in re.findall(r"^(f\d+) (.*)$", prompt, re.MULTILINE)}
        spoken = [json.loads(m)["text"] for m in re.findall(r"^m\d+ (.*)$", prompt, re.MULTILINE)]
        found = [i for words in spoken for i in said.get(words, [])]
        return json.dumps({"facts": [{**i, "id": shown.get(i["id"], i["id"])} for i in found]}, ensure_ascii=False)


class Talk:
    """One user's conversation with an agent whose clock is ours."""

    def __init__(self, folder, **how):
        self.clock = ManualClock()
        self.agent = open_agent(folder, embeddings=HashEmbeddings(), clock=self.clock, **how)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.agent.close()

    def say(self, words, thread="t", after=timedelta(minutes=10), **context):
        self.clock.advance(seconds=after.total_seconds())
        given = words if isinstance(words, list) else [("user", words)]
        where = {"configurable": {"thread_id": thread}}
        return self.agent.graph.invoke({"messages": given}, where, context={**ALICE, **context})

    def facts(self, standing="current", **options):
        found = self.agent.memory.list("alice", kind="fact", standing=standing, **options)
        return sorted((m.subject, m.attribute, m.value, m.polarity) for m in found)


@dataclass
class Case:
    """What is said, turn by turn, each with the items that a model reads in it; what is true then, and what was."""

    turns: list[tuple[str, list[dict]]]
    current: list[tuple]
    superseded: list[tuple] = field(default_factory=list)
    after: timedelta = timedelta(minutes=10)
    rules: bool = True


def user(attribute, value, polarity=1):
    return ("user", attribute, value, polarity)


MONTHS = timedelta(days=92)
CASES = {
    "who loved it hates it now": Case(
        [("我爱吃粤菜", [item("likes", "吃粤菜", "用户爱吃粤菜")]), ("我讨厌粤菜", [item("likes", "粤菜", "用户讨厌粤菜", -1)])],
        [user("likes", "粤菜", -1)],
        [user("likes", "吃粤菜")],
    ),
    "who loved it hates it now, in English": Case(
        [("I love sushi", [item("likes", "sushi", "The user loves sushi")]), ("I hate sushi", [item("likes", "sushi", "The user hates sushi", -1)])],
        [user("likes", "sushi", -1)],
        [user("likes", "sushi")],
    ),
    "a denial is no duplicate": Case(
        [("我喜欢喝咖啡", [item("likes", "喝咖啡", "用户喜欢喝咖啡")]), ("我不喜欢喝咖啡", [item("likes", "喝咖啡", "用户不喜欢喝咖啡", -1, "update", known="喝咖啡")])],
        [user("likes", "喝咖啡", -1)],
        [user("likes", "喝咖啡")],
    ),
    "another employer months later": Case(
        [("I work at Northwind", [item("employer", "Northwind", "The user works at Northwind")]), ("I work at Contoso now", [item("employer", "Contoso", "The user works at Contoso")])],
        [user("employer", "Contoso")],
        [user("employer", "Northwind")],
        MONTHS,
    ),
    "a figure that changes": Case(
        [("旅行预算是3000元", [item("budget", "3000元", "旅行预算是3000元", subject="旅行")]), ("旅行预算改成4500元", [item("budget", "4500元", "旅行预算改成4500元", subject="旅行")])],
        [("旅行", "budget", "4500元", 1)],
        [("旅行", "budget", "3000元", 1)],
    ),
    "two days that differ in one digit": Case(
        [("The report deadline is March 15", [item("deadline", "2026-03-15", "The report deadline is March 15", subject="report")]), ("The report deadline is March 16", [item("deadline", "2026-03-16", "The report deadline is March 16", subject="report")])],
        [("report", "deadline", "2026-03-16", 1)],
        [("report", "deadline", "2026-03-15", 1)],
    ),
    "two decisions in the same words": Case(
        [("we picked Redis over Memcached because it persists", [item("decision", "picked Redis over Memcached", "They picked Redis over Memcached")]), ("we picked Vue over React because it persists", [item("decision", "picked Vue over React", "They picked Vue over React")])],
        [user("decision", "picked Redis over Memcached"), user("decision", "picked Vue over React")],
    ),
    "who manages whom": Case(
        [("老赵的经理是老钱", [item("manager", "老钱", "老赵的经理是老钱", subject="老赵")]), ("老钱的经理是老赵", [item("manager", "老赵", "老钱的经理是老赵", subject="老钱")])],
        [("老赵", "manager", "老钱", 1), ("老钱", "manager", "老赵", 1)],
    ),
    "a name said in two ways": Case(
        [("我叫赵小满", [item("name", "赵小满", "用户叫赵小满")]), ("我的名字是赵小满", [item("name", "赵小满", "用户的名字是赵小满", action="confirm", known="赵小满")])],
        [user("name", "赵小满")],
    ),
    "a correction ten minutes later": Case(
        [("我住在成都", [item("home", "成都", "用户住在成都")]), ("不对，我住在重庆", [item("home", "重庆", "用户住在重庆", action="update", known="成都")])],
        [user("home", "重庆")],
        [user("home", "成都")],
    ),
    "a correction ten minutes later, in English": Case(
        [("I live in Leeds", [item("home", "Leeds", "The user lives in Leeds")]), ("Actually, I live in York", [item("home", "York", "The user lives in York", action="update", known="Leeds")])],
        [user("home", "York")],
        [user("home", "Leeds")],
    ),
    "a mention retires nothing": Case(
        [("周敏在华光集团当主编", [item("role", "主编", "周敏在华光集团当主编", subject="周敏")]), ("周敏负责华光集团的公众号", [item("role", "主编", "周敏", subject="周敏", action="keep", known="主编"), item("duty", "华光集团的公众号", "周敏负责华光集团的公众号", subject="周敏")])],
        [("周敏", "duty", "华光集团的公众号", 1), ("周敏", "occupation", "主编", 1)],
        rules=False,
    ),
    "two that are both right become one": Case(
        [("the cello and I are getting along", [item("skill", "cello", "The user plays the cello")]), ("and some piano these days", [item("skill", "cello and some piano", "The user plays the cello and some piano", action="merge", known="cello")])],
        [user("skill", "cello and some piano")],
        [user("skill", "cello")],
        rules=False,
    ),
    "never": Case([("我滴酒不沾", [item("drinks", "酒", "用户不喝酒", -1)])], [user("drinks", "酒", -1)]),
    "cannot stand": Case([("I can't stand olives", [item("likes", "olives", "The user can't stand olives", -1)])], [user("likes", "olives", -1)]),
    "no longer this but that": Case(
        [("我用印象笔记", [item("uses", "印象笔记", "用户用印象笔记")]), ("我早就不用印象笔记了，改用语雀", [item("uses", "印象笔记", "用户不再用印象笔记", action="retract", known="印象笔记"), item("uses", "语雀", "用户改用语雀")])],
        [user("uses", "语雀")],
    ),
    "no longer this but that, in English": Case(
        [("I use Notion", [item("uses", "Notion", "The user uses Notion")]), ("I don't use Notion anymore, I switched to Obsidian", [item("uses", "Obsidian", "The user uses Obsidian", action="update", known="Notion")])],
        [user("uses", "Obsidian")],
    ),
    "a short sentence": Case([("我对芒果过敏", [item("allergy", "芒果", "用户对芒果过敏")])], [user("allergy", "芒果")]),
}  # fmt: skip
NOTHING = [
    "我要不要换个手机？",
    "我在考虑换个城市",
    "要是我住在海边，我每天都去游泳",
    "If I lived by the sea I'd swim every day",
    "Should I bring a coat?",
    "I'm wondering whether to quit",
    "她说：“我最爱打羽毛球”",
    'My brother said "I love chess"',
    "哈哈哈",
    "好滴",
    "hi there",
]


@pytest.mark.parametrize("by", ["rules", "model"])
@pytest.mark.parametrize("name", CASES)
def test_what_is_true_after_it_was_said(name, by, tmp_path):
    case = CASES[name]
    if by == "rules" and not case.rules:
        case = Case(case.turns, [])  # the rules do not know these sentences, and make nothing up
    reader = Reader(dict(case.turns))
    with Talk(tmp_path, extraction_model="rules" if by == "rules" else reader) as talk:
        for words, _ in case.turns:
            changes = talk.say(words, after=case.after)["changes"]
            assert (changes["failure"], changes["skipped"]) == (None, {})
        assert talk.facts() == sorted(case.current)
        if by == "model":
            assert all("(they say so)" in f["reason"] for f in changes["facts"])
            assert len(reader.calls) == len(case.turns)
        ended = set(talk.facts("all")) - set(talk.facts())
        assert set(case.superseded) <= ended | set(talk.facts("superseded"))
        if case.superseded:
            (new,) = talk.agent.memory.list("alice", kind="fact")
            said = [s["value"] for s in talk.agent.memory.history("alice", new.id)]
            assert said == [case.superseded[0][2], case.current[0][2]]


@pytest.mark.parametrize("words", NOTHING)
def test_what_is_no_fact(words, tmp_path):
    with Talk(tmp_path, extraction_model="rules") as talk:
        talk.say(words)
        assert talk.facts("all") == []
        assert [m.text for m in talk.agent.memory.list("alice", kind="episode")] == [words]


def test_recall_as_of_before_a_change_finds_what_was_true_then(tmp_path):
    with Talk(tmp_path, extraction_model="rules") as talk:
        talk.say("我在北辰科技上班")
        then = talk.agent.memory.ledger.now()
        talk.say("我现在在远山科技上班", thread="later", after=MONTHS)
        now, before = (
            [m.value for m in talk.agent.memory.recall("alice", "我在哪上班", as_of=t).profile] for t in (None, then)
        )
        assert (now, before) == (["远山科技"], ["北辰科技"])


@pytest.mark.parametrize("words", ["我叫赵小满", "My name is Priya"])
def test_the_same_twice_is_one_fact_that_is_surer(words, tmp_path):
    with Talk(tmp_path, extraction_model="rules") as talk:
        talk.say(words)
        (first,) = talk.agent.memory.list("alice", kind="fact")
        changes = talk.say(words, thread="other")["changes"]
        (again,) = talk.agent.memory.list("alice", kind="fact")
        assert [(f["op"], f["touches"]) for f in changes["facts"]] == [("confirm", [first.id])]
        assert (again.id, again.confidence > first.confidence) == (first.id, True)
        assert [s["op"] for s in talk.agent.memory.history("alice", first.id)] == ["add", "confirm"]


def test_each_confirmation_makes_it_surer_also_a_weak_one(tmp_path):
    said = {f"I keep bees, {i}": [item("hobby", "bees", "The user keeps bees", confidence=c)] for i, c in enumerate((0.9, 0.6, 0.6, 0.6))}  # fmt: skip
    with Talk(tmp_path, extraction_model=Reader(said)) as talk:
        sure = []
        for words in said:
            talk.say(words)
            sure += [m.confidence for m in talk.agent.memory.list("alice", kind="fact")]
    assert sure == [0.9, 0.96, 0.984, 0.9936]


def test_an_id_that_was_never_offered_is_skipped_counted_and_told(tmp_path, caplog):
    said = {
        "I live in Leeds": [item("home", "Leeds", "The user lives in Leeds")],
        "I moved to York and got a tortoise": [
            item("home", "York", "The user lives in York", action="update", known="f9"),
            item("pet", "tortoise", "The user has a tortoise"),
        ],
    }
    with Talk(tmp_path, extraction_model=Reader(said)) as talk:
        for words in said:
            state = talk.say(words)
        assert talk.facts() == [user("home", "Leeds"), user("pet", "tortoise")]
    why = {"an id that was never offered": 1}
    assert (state["changes"]["skipped"], state["proposals"]["skipped"]) == (why, why)
    assert "Items of the extraction model's reply were skipped: an id that was never offered (1)" in caplog.messages


def test_what_the_assistant_says_of_the_user_is_no_fact(tmp_path):
    answers = ScriptedModel(lambda messages: "您一定喜欢老城根涮肉")
    said = {"附近有什么好吃的，推荐一家": [item("likes", "老城根涮肉", "用户喜欢老城根涮肉")]}
    for name, reader in (("rules", "rules"), ("model", Reader(said))):
        with Talk(tmp_path / name, model=answers, extraction_model=reader) as talk:
            changes = talk.say("附近有什么好吃的，推荐一家")["changes"]
            assert (talk.facts("all"), changes["facts"]) == ([], [])
            assert changes["skipped"] == ({} if name == "rules" else {"the assistant's words": 1})


def test_a_system_prompt_says_nothing_about_the_user(tmp_path):
    system = "你是苹果公司设计师老陈的秘书。My user lives in Cupertino."
    with Talk(tmp_path, extraction_model=(reader := Reader({}))) as talk:
        talk.say([("system", system), ("user", "你好")], system_prompt=system)
        assert talk.facts("all") == []
        assert reader.calls == []
        talk.say("Tell me more about Lyon")
        assert "Cupertino" not in str(reader.calls[0].messages)


@pytest.mark.parametrize(
    ("words", "value"),
    [("记住我最喜欢的水果是山竹", "山竹"), ("Remember that my favourite fruit is mangosteen", "mangosteen")],
)
def test_a_turn_with_recalled_memory_is_read_like_any_other(words, value, tmp_path):
    with Talk(tmp_path, extraction_model="rules") as talk:
        talk.say("我喜欢乌龙茶" if value == "山竹" else "I like oolong tea")
        talk.say("喝点什么好呢" if value == "山竹" else "What tea do I like?", thread="u")
        state = talk.say(words, thread="u")
        assert state["recalled"]["results"] or state["recalled"]["profile"]
        assert value in [v for _, _, v, _ in talk.facts()]


def test_a_fact_is_kept_in_the_language_of_the_turn(tmp_path):
    words = "帮我润色这封 cover letter，我在找数据分析师的工作"
    said = {words: [item("job_search", "数据分析师", "The user is looking for work as a data analyst")]}
    for name, reader in (("rules", "rules"), ("model", Reader(said))):
        with Talk(tmp_path / name, extraction_model=reader) as talk:
            talk.say(words)
            (fact,) = talk.agent.memory.list("alice", kind="fact")
            assert (fact.attribute, fact.value, fact.language) == ("job_search", "数据分析师", "zh")


@pytest.mark.parametrize(
    ("words", "kept"), [("前天搬了家", "前天"), ("We launched the new site yesterday", "yesterday")]
)
def test_a_relative_date_is_reckoned_from_its_message_or_left_as_it_was_said(words, kept, tmp_path):
    with Talk(tmp_path, extraction_model="rules") as talk:
        at = talk.clock()
        days = 2 if kept == "前天" else 1
        talk.agent.memory.import_messages("alice", [ImportedMessage("dated", words, "t1", said_at=at)])
        talk.agent.memory.import_messages("bob", [ImportedMessage("undated", words, "t2")])
        dates = [m.occurred_at for u in ("alice", "bob") for m in talk.agent.memory.list(u, kind="fact")]
        assert dates == [(at - timedelta(days=days)).date().isoformat(), kept]


def test_nothing_of_the_prompts_reaches_the_ledger(tmp_path):
    """A model that only ever repeats the prompt's example, whatever was said."""
    parrot = ScriptedModel(lambda messages: messages[0].text.rpartition("\n")[2])
    with Talk(tmp_path, extraction_model=parrot) as talk:
        for words in ("我养了一只乌龟", "I keep a tortoise", "今天下雨", "the usual, please: flat white"):
            changes = talk.say(words)["changes"]
            assert changes["facts"] == []
            assert sum(changes["skipped"].values()) == 3
        assert talk.facts("all") == []
