"""One turn after another through the compiled graph, with real SQLite and real Edge."""

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, SystemMessage

from graph import open_agent
from graph.models import ScriptedModel
from memory.clock import ManualClock
from stores.errors import MissingUser


@pytest.fixture
def agent(tmp_path):
    with open_agent(tmp_path / "data") as opened:
        yield opened


def thread(name):
    return {"configurable": {"thread_id": name}}


def say(agent, words, name="monday", user="alice", **options):
    given = {"messages": [("user", words)]}
    return agent.graph.invoke(given, thread(name), context={"user_id": user, **options})


def texts(memories):
    return sorted(m.text for m in memories)


def test_a_fact_said_in_one_thread_is_known_in_another(agent):
    say(agent, "我对花生过敏")
    state = say(agent, "我能吃宫保鸡丁吗？", name="tuesday")
    assert "花生" in state["messages"][-1].text
    assert any("花生" in line["text"] for line in state["recalled"]["profile"])


def test_another_user_knows_nothing_of_it(agent):
    say(agent, "I am allergic to peanuts")
    state = say(agent, "Am I allergic to anything?", name="other", user="bob")
    assert "peanut" not in state["messages"][-1].text
    assert state["recalled"]["empty"] == "nothing stored"


def test_a_turn_leaves_its_words_as_episodes_and_its_facts(agent):
    state = say(agent, "My name is Alice.")
    assert state["changes"]["episodes"] == 1
    assert [(f["op"], f["text"]) for f in state["changes"]["facts"]] == [
        ("add", agent.memory.list("alice", kind="fact")[0].text)
    ]
    assert [m.speaker for m in reversed(agent.memory.list("alice", kind="episode"))].count("user") == 1


def test_a_real_answer_is_an_episode_too_and_the_transcript_has_every_word(tmp_path):
    with open_agent(tmp_path, model=ScriptedModel(["Nice to meet you.", "ok"]), extraction_model="rules") as agent:
        assert say(agent, "My name is Alice.")["changes"]["episodes"] == 2
        quiet = HumanMessage("I like tea", additional_kwargs={"remember": False})
        state = agent.graph.invoke({"messages": [quiet]}, thread("monday"), context={"user_id": "alice"})
        assert (state["changes"]["episodes"], state["changes"]["facts"]) == (1, [])
        said = [m["text"] for m in agent.threads.show("monday")["transcript"]]
    assert said == ["My name is Alice.", "Nice to meet you.", "I like tea", "ok"]


def test_the_memory_block_is_never_in_the_state_and_never_extracted_again(agent):
    say(agent, "我喜欢茶")
    before = texts(agent.memory.list("alice", kind="fact", standing="all"))
    for i in range(5):
        state = say(agent, "今天天气不错", name=f"t{i}")
        assert not any("<memory>" in str(m.content) for m in state["messages"])
        assert [m.type for m in state["messages"]] == ["human", "ai"]
    assert texts(agent.memory.list("alice", kind="fact", standing="all")) == before


def test_the_model_sees_system_prompt_block_and_conversation(tmp_path):
    model = ScriptedModel(["noted", "yes"])
    with open_agent(tmp_path, model=model, extraction_model="rules") as agent:
        say(agent, "I am vegetarian")
        say(agent, "What should I cook?")
    system, *rest = model.calls[1].messages
    assert isinstance(system, SystemMessage)
    assert "<memory>" in system.text
    assert "vegetarian" in system.text
    assert [(m.type, m.text) for m in rest] == [
        ("human", "I am vegetarian"),
        ("ai", "noted"),
        ("human", "What should I cook?"),
    ]


@pytest.mark.parametrize(
    "given",
    [
        {"messages": [("user", "hello")]},
        {"messages": [{"role": "user", "content": "hello"}]},
        {"messages": "hello"},
        {"messages": [HumanMessage("hello")]},
    ],
)
def test_message_ids_are_the_same_at_every_read(agent, given):
    result = agent.graph.invoke(given, thread("ids"), context={"user_id": "alice"})
    reads = [[m.id for m in agent.graph.get_state(thread("ids")).values["messages"]] for _ in range(2)]
    assert reads[0] == reads[1] == [m.id for m in result["messages"]]
    assert all(reads[0])


def test_answer_tokens_stream_and_each_step_reports(agent):
    seen = {"messages": [], "updates": [], "custom": []}
    modes = ["messages", "updates", "custom"]
    given = {"messages": [("user", "I live in Berlin")]}
    for mode, chunk in agent.graph.stream(given, thread("s"), context={"user_id": "alice"}, stream_mode=modes):
        seen[mode].append(chunk)
    steps = ["retrieve_memory", "manage_context", "call_llm", "extract_facts", "write_memory"]
    assert [name for update in seen["updates"] for name in update] == steps
    assert [report["node"] for report in seen["custom"]] == [s for s in steps if s != "call_llm"]
    tokens = [chunk.text for chunk, _ in seen["messages"] if isinstance(chunk, AIMessageChunk)]
    assert len(tokens) > 3
    assert "".join(tokens) == agent.graph.get_state(thread("s")).values["messages"][-1].text


async def test_the_same_asynchronously(tmp_path):
    async with open_agent(tmp_path) as agent:
        given = {"messages": [("user", "我住在杭州")]}
        state = await agent.graph.ainvoke(given, thread("a"), context={"user_id": "alice"})
        assert state["changes"]["episodes"] == 1
        tokens = [
            chunk.text
            async for chunk, _ in agent.graph.astream(
                {"messages": [("user", "我住在哪里？")]},
                thread("b"),
                context={"user_id": "alice"},
                stream_mode="messages",
            )
            if isinstance(chunk, AIMessageChunk)
        ]
        assert "杭州" in "".join(tokens)
        snapshot = await agent.graph.aget_state(thread("b"))
        assert snapshot.next == ()
        assert len([s async for s in agent.graph.aget_state_history(thread("b"))]) == 7


@pytest.mark.parametrize("name", ["monday", "a/b c", "线程一", "it's", "🐘", "x" * 500])
def test_any_string_is_a_thread_id(agent, name):
    say(agent, "hello", name=name)
    assert len(say(agent, "again", name=name)["messages"]) == 4


@pytest.mark.parametrize("user", ["1", "10", "john_doe", "john-doe", "a@b.com", "用户", "u.v", " ", "🐘"])
def test_any_string_is_a_user_and_sees_only_his_own(agent, user):
    say(agent, "My name is Nobody.", user="somebody else")
    say(agent, "I live in Berlin", user=user, name="mine")
    assert {m.user_id for m in agent.memory.list(user)} == {user}
    assert {r.memory.user_id for r in agent.memory.recall(user, "Where do I live? My name?").results} == {user}


def test_without_a_user_the_run_ends_with_one_sentence_and_writes_nothing(agent):
    with pytest.raises(MissingUser, match="does not say whose memory it is"):
        agent.graph.invoke({"messages": [("user", "我叫张三")]}, thread("nobody"))
    assert agent.threads.list() == []


@pytest.mark.parametrize(
    "content", ["", "   ", [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]]
)
def test_a_message_without_words_is_answered_and_not_stored(agent, content):
    state = agent.graph.invoke({"messages": [HumanMessage(content)]}, thread("empty"), context={"user_id": "alice"})
    assert isinstance(state["messages"][-1], AIMessage)
    assert agent.memory.list("alice") == []


def test_text_and_image_parts_are_read_as_their_text(agent):
    content = [
        {"type": "text", "text": "我对花生过敏"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
    ]
    agent.graph.invoke({"messages": [HumanMessage(content)]}, thread("parts"), context={"user_id": "alice"})
    spoken = [m.text for m in agent.memory.list("alice", kind="episode") if m.speaker == "user"]
    assert spoken == ["我对花生过敏"]


def test_a_lone_surrogate_and_a_nul_do_no_harm(agent):
    state = say(agent, "你好\ud83d，\x00我叫王五😀")
    assert state["changes"]["episodes"] == 1
    (spoken,) = [m for m in agent.memory.list("alice", kind="episode") if m.speaker == "user"]
    assert spoken.text == "你好\ufffd，我叫王五😀"
    assert agent.graph.get_state(thread("monday")).values["messages"][0].text.endswith("我叫王五😀")


def test_personal_numbers_are_redacted_before_anything_keeps_them(tmp_path):
    seen = []

    class Spy:
        version = "spy"

        def extract(self, said, known=()):
            from memory.record import Extraction

            seen.extend(u.text for u in said)
            return Extraction(extractor="spy")

    with open_agent(tmp_path, extractor=Spy()) as agent:
        say(agent, "我的邮箱test@example.com，身份证11010519491231002X。")
        kept = texts(agent.memory.list("alice", standing="all"))
        assert not any("test@example.com" in text or "11010519491231002X" in text for text in [*kept, *seen])
        assert agent.threads.search("11010519491231002X") == []
    for file in (tmp_path / "qdrant").rglob("*"):
        if file.is_file():
            assert b"11010519491231002X" not in file.read_bytes()


def test_a_long_conversation_stays_inside_its_budget_and_remembers_the_rest_in_a_summary(tmp_path):
    from memory.tokens import estimate_tokens

    model = ScriptedModel(lambda messages: "好的，" + "知道了。" * 20)
    with open_agent(tmp_path, model=model, extraction_model="rules") as agent:
        for i in range(30):
            state = say(
                agent,
                f"第{i}件事：项目编号是 P-{1000 + i}，" + "细节很多，" * 20,
                max_context_tokens=1500,
                reserve_output_tokens=200,
            )
    sizes = [sum(estimate_tokens(m.text) + 4 for m in call.messages) for call in model.calls]
    assert max(sizes) <= 1300
    assert "P-10" in state["summary"]["text"]
    assert len(state["messages"]) == 60
    assert state["usage"]["share"] <= 1


def test_the_clock_of_an_agent_is_the_turn_s_time(tmp_path):
    clock = ManualClock()
    with open_agent(tmp_path, clock=clock) as agent:
        say(agent, "我叫张三")
        clock.advance(days=3)
        say(agent, "我住在杭州", name="later")
        said = {m.text: m.said_at.date().isoformat() for m in agent.memory.list("alice", kind="episode")}
    assert said["我叫张三"] == "2026-01-01"
    assert said["我住在杭州"] == "2026-01-04"


def test_history_and_update_state_work(agent):
    say(agent, "I live in Berlin")
    history = list(agent.graph.get_state_history(thread("monday")))
    assert [s.next for s in history] == [
        (),
        ("write_memory",),
        ("extract_facts",),
        ("call_llm",),
        ("manage_context",),
        ("retrieve_memory",),
        ("__start__",),
    ]
    agent.graph.update_state(thread("monday"), {"messages": [AIMessage("By the way, hello.")]}, as_node="write_memory")
    assert agent.graph.get_state(thread("monday")).values["messages"][-1].text == "By the way, hello."


def test_a_system_message_is_nobody_s_words(agent):
    given = {"messages": [SystemMessage("你是谷歌工程师小约翰的助手"), HumanMessage("你好")]}
    agent.graph.invoke(given, thread("sys"), context={"user_id": "alice"})
    assert agent.memory.list("alice", kind="fact") == []
    assert "小约翰" not in " ".join(m.text for m in agent.memory.list("alice") if m.speaker == "user")
