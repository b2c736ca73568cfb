import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.tokens import MESSAGE_OVERHEAD, count_message_tokens, estimate_tokens

# The true numbers of `o200k_base` tokens, made once with a tokenizer that ships its vocabulary.
O200K = [
    # zh
    (21, "我的订单号是 #8842，帮我查一下物流，已经三天没有更新了。"),
    (26, "今天下午我们讨论了新版本的部署方案，决定下周三晚上十点上线，由小王负责回滚。"),
    (34, "我对花生和海鲜过敏，平时不喝酒，最喜欢吃的是妈妈做的红烧排骨和番茄炒蛋。"),
    (27, "上个月我从北京搬到了杭州，现在住在西湖区，每天坐地铁上班大概要四十分钟。"),
    (33, "请帮我把会议改到十月十六日下午三点，地点还是二楼的小会议室，记得通知李雷和韩梅梅。"),
    (26, "这部电影讲的是一位年轻的医生在战争年代如何坚持自己的理想，最后感动了很多人。"),
    (31, "孩子最近总是咳嗽，晚上睡不好觉，医生说可能是天气变化引起的，让我们多给他喝水。"),
    (29, "项目的预算从五千元改成了八千元，财务那边已经同意了，不过需要补一份说明。"),
    (27, "你好！我想了解一下你们公司的退货政策，上周买的耳机左边没有声音，可以换新的吗？"),
    (21, "人工智能的发展正在改变我们的生活方式，同时也带来了就业、隐私和安全方面的问题。"),
    (36, "周末打算和朋友去爬山，如果下雨的话就改去博物馆，听说最近有一个关于唐代瓷器的展览。"),
    (27, "他从小就喜欢下围棋，十二岁的时候获得了全省比赛的冠军，后来却选择学习物理。"),
    (37, "春眠不觉晓，处处闻啼鸟。夜来风雨声，花落知多少。床前明月光，疑是地上霜。"),
    (33, "赵翠芬的舅舅钱浩然是一名厨师，今年五十三岁，老家在湖南湘潭，现在住在深圳南山区。"),
    (29, "我昨天晚上把简历发给了那家公司的人事，他们说这周五之前会给我答复，有点紧张。"),
    (22, "请问这个功能应该怎么使用？我按照说明点了保存按钮，但是页面一直显示正在加载。"),
    # en
    (
        25,
        "My order number is #8842, could you please check where the parcel is? It has not moved for three days.",
    ),
    (
        19,
        "We discussed the deployment plan this afternoon and decided to release next Wednesday at ten in the evening.",
    ),
    (
        22,
        "I'm allergic to peanuts and seafood, I don't drink, and my favourite dish is my mother's braised ribs.",
    ),
    (
        22,
        "Last month I moved from Boston to Seattle, and now my commute takes about forty minutes by train every day.",
    ),
    (
        27,
        "Please move the meeting to October 16 at 3 pm, same room on the second floor, and let Maria and Tom know.",
    ),
    (
        23,
        "The movie follows a young doctor who keeps his ideals during the war, and in the end he inspires many people.",
    ),
    (
        28,
        "Hey! Long time no see! How have you been? I just got back from a camping trip with the kids, it was awesome!",
    ),
    (
        26,
        "The budget went from $5,000 to $8,000; finance has agreed, although they still need a written explanation.",
    ),
    (
        16,
        (
            "Photosynthesis converts light energy into chemical energy that organisms subsequently use for "
            "their metabolism."
        ),
    ),
    (
        23,
        "He said he'd rather not come, didn't he? They've been waiting since noon, and she's already left without us.",
    ),
    (
        19,
        "Notwithstanding the aforementioned provisions, the lessee shall indemnify the lessor against any liabilities.",
    ),
    (
        23,
        "Thanks so much for your help yesterday. I really appreciate it, and I'll let you know how the interview goes.",
    ),
    # mixed
    (23, "我们用 Python 写后端，数据库是 PostgreSQL，前端用 React，部署在 Kubernetes 上面。"),
    (23, "帮我改这份 résumé，我在找产品经理的工作，最好是在 startup 或者 remote 的团队。"),
    (31, "这个 bug 只在 iPhone 15 上出现，iOS 18.2 更新以后 App 一打开就 crash，Android 没问题。"),
    (31, "明天 10:30 跟 Caroline 有个 meeting，在 Zoom 上，会议号 882 4471 093，密码是 palm42。"),
    (22, "LangGraph 的 checkpoint 会保存每一步的 state，所以可以 replay 和 fork，很适合调试 agent。"),
    (26, "My Chinese teacher says 加油 means keep going, and 慢慢来 means take your time; I like both of them."),
    (38, "预算是 USD 12,500 左右，大概 9 万人民币，需要在 2026-03-31 之前付清，发票抬头写公司名字。"),
    (25, "请把 README.md 翻译成英文，然后发到 team@example.com，抄送给 Kevin 和 Linda，谢谢！"),
    # code
    (28, 'def add(a: int, b: int) -> int:\n    """Return the sum of two numbers."""\n    return a + b\n'),
    (32, 'for i in range(10):\n    if i % 2 == 0:\n        print(f"{i} is even")\n    else:\n        continue\n'),
    (
        31,
        (
            "SELECT id, name, created_at FROM users WHERE email = 'a@b.com' AND deleted = false ORDER BY "
            "created_at DESC LIMIT 10;"
        ),
    ),
    (34, '{"user_id": "alice", "messages": [{"role": "user", "content": "hello"}], "limit": 10, "stream": true}'),
    (
        25,
        "const items = await fetch(`/api/items?page=${page}`).then((res) => res.json());\nconsole.log(items.length);\n",
    ),
    (
        39,
        (
            "class UserService:\n    def __init__(self, repo):\n        self.repo = repo\n\n    def "
            "getUserName(self, user_id):\n        return self.repo.find(user_id).name\n"
        ),
    ),
    (18, "git checkout -b feature/new-login && git push --set-upstream origin feature/new-login"),
    (
        30,
        (
            "import os\nimport sys\nfrom pathlib import Path\n\nROOT = Path(__file__).resolve().parent\n"
            "sys.path.insert(0, str(ROOT))\n"
        ),
    ),
    (25, '#include <stdio.h>\n\nint main(void) {\n    printf("Hello, world!\\n");\n    return 0;\n}\n'),
    (
        26,
        (
            "try:\n    value = json.loads(text)\nexcept ValueError as error:\n    raise RuntimeError('bad "
            "input') from error\n"
        ),
    ),
    (29, "    # 计算平均值，空列表返回零\n    return sum(values) / len(values) if values else 0.0\n"),
    (28, '<div class="card">\n  <h2>Title</h2>\n  <p>Some text here.</p>\n</div>\n'),
    (31, "| name | value | note |\n|---|---|---|\n| timeout | 30 | seconds |\n| retries | 3 | at most |\n"),
    (
        31,
        "Traceback (most recent call last):\n  File \"app.py\", line 42, in <module>\n    main()\nKeyError: 'user'\n",
    ),
    # emoji
    (30, "太好了！🎉🎉🎉 恭喜你找到新工作 😊 周末一起吃饭庆祝一下吧 🍜🍻"),
    (26, "Happy birthday!!! 🎂🎈🥳 Hope you have an amazing day with your family ❤️ Love you so much 😘😘"),
    (23, "哈哈哈哈 😂😂😂 你太搞笑了，我笑得肚子都疼了 🤣🤣"),
    (29, "Just finished my first marathon 🏃\u200d♀️💪 Legs are dead 😭 but it was totally worth it 🏅🔥🔥"),
    (17, "好的 👍🏽 明天见 👋 路上注意安全 🙏🙏"),
    (21, "🐶🐱🐭🐹🐰🦊🐻🐼🐨🐯"),
    (30, "今天天气真好 ☀️ 适合出去走走 🚶\u200d♂️🌳🌸 你要不要一起来？"),
    # numbers
    (34, "3.14159265358979, 2.71828182845904, 1.41421356237309, 1.61803398874989"),
    (47, "2026-11-29T10:00:00+08:00 2026-11-30T18:45:30+08:00 2026-12-01T00:00:00Z"),
    (54, "3f8a9c2e-7b1d-4e5f-a6c0-9d8e7f6a5b4c 550e8400-e29b-41d4-a716-446655440000"),
]


@pytest.mark.parametrize(("true", "text"), O200K)
def test_estimate_against_o200k(true, text):
    # Under by at most 5 %; over by at most 25 %, or by two tokens in a text under twenty.
    low, high = 0.95 * true, max(1.25 * true, true + 2 if true < 20 else 0)
    assert low <= estimate_tokens(text) <= high


def test_the_table_as_a_whole_is_close():
    assert 1.0 <= sum(estimate_tokens(text) for _, text in O200K) / sum(true for true, _ in O200K) <= 1.10


def test_chinese_is_not_a_quarter_of_its_characters():
    text = "今天下午三点我们在会议室讨论新版本的部署方案，请大家准时参加，并带上各自的测试报告。"
    assert len(text) == 42
    assert 22 <= estimate_tokens(text) <= 42


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        (" ", 1),
        ("\n\n\n", 1),
        ("hello", 1),
        ("1", 1),
        ("123", 1),
        ("1234567890", 4),
        ("----------------", 1),
        ("我", 1),
        ("龘", 2),
        ("我们", 1),
        ("\0", 1),
    ],
)
def test_small_texts(text, tokens):
    assert estimate_tokens(text) in {tokens, tokens + 1 if tokens else 0}


@pytest.mark.parametrize(
    "text",
    ["ラーメンを食べました", "안녕하세요 서울에서", "Привет, как дела?", "مرحبا بالعالم", "नमस्ते", "สวัสดี", "\ud83d"],
)
def test_other_scripts_cost_something_and_not_more_than_bytes(text):
    assert 1 <= estimate_tokens(text) <= len(text.encode("utf-8", "surrogatepass"))


@settings(max_examples=150)
@given(st.text())
def test_any_text_costs_between_nothing_and_its_bytes(text):
    cost = estimate_tokens(text)
    assert (cost == 0) is (text == "")
    assert cost <= 2 * len(text.encode("utf-8", "surrogatepass"))


@settings(max_examples=100)
@given(st.text(max_size=80), st.text(max_size=80))
def test_parts_of_separate_lines_add_up(a, b):
    assert abs(estimate_tokens(f"{a}.\n{b}") - estimate_tokens(f"{a}.\n") - estimate_tokens(b)) <= 3


def test_message_overhead():
    assert count_message_tokens() == MESSAGE_OVERHEAD == 4
    assert count_message_tokens("hello", "world") == 4 + estimate_tokens("hello") + estimate_tokens("world")
    assert count_message_tokens("四个汉字", count=len) == 8


@pytest.mark.parametrize("text", ["a", "aB", "a-", "部署方案", "，", "--", "😀", " ", "\n", "'", "1,"])
def test_a_long_text_is_counted_in_linear_time(text):
    def seconds(n):
        start = time.perf_counter()
        estimate_tokens(text * n)
        return time.perf_counter() - start

    assert min(seconds(20_000) for _ in range(3)) < 1.0
