"""What a person said once is still there after hundreds of turns about other things."""

import pytest

from graph import open_agent

SMALL_TALK = [
    "今天天气不错",
    "What a day!",
    "给我讲个笑话",
    "Tell me about the moon",
    "嗯嗯",
    "How do I boil an egg?",
    "晚饭吃什么好呢？",
    "Any good films this week?",
    "推荐一首歌",
    "Thanks, that helps",
]
OTHER_IDS = ("我的会员号是 M-2208", "My ticket number is TK-7731", "我的工号是 A0915")
QUESTIONS = (
    "进度怎么样了？",
    "我的东西到哪儿了？",
    "帮我看看物流到哪一步了",
    "Any news about my order?",
    "How is it going with the delivery?",
)


@pytest.fixture(scope="module")
def agent(tmp_path_factory):
    with open_agent(tmp_path_factory.mktemp("data")) as opened:
        say(opened, "order", "我的订单号是 #8842，帮我查物流")
        for i in range(200):
            words = OTHER_IDS[i // 60] if i in (20, 80, 140) else SMALL_TALK[i % len(SMALL_TALK)]
            say(opened, f"talk-{i // 25}", words)
        yield opened


def say(agent, thread, words):
    config = {"configurable": {"thread_id": thread}}
    return agent.graph.invoke({"messages": [("user", words)]}, config, context={"user_id": "alice"})


@pytest.mark.parametrize("question", QUESTIONS)
def test_the_order_number_is_in_the_block_and_in_the_answer(agent, question):
    state = say(agent, f"new {question}", question)
    assert any("8842" in line["text"] for line in state["recalled"]["profile"])
    assert "8842" in state["messages"][-1].text


def test_small_talk_left_no_facts(agent):
    values = sorted(m.value for m in agent.memory.list("alice", kind="fact"))
    assert values == sorted(["#8842", "M-2208", "TK-7731", "A0915"])


def test_recall_is_never_in_the_state_which_does_not_grow_with_it(agent):
    config = {"configurable": {"thread_id": "talk-0"}}
    messages = agent.graph.get_state(config).values["messages"]
    assert len(messages) == 50
    assert not any("<memory>" in m.text or "<recalled>" in m.text for m in messages)
