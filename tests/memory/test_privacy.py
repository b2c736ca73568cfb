import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.privacy import Finding, Redacted, redact

PRIVATE = [
    # e-mails
    ("邮箱test@example.com", "邮箱[EMAIL]"),
    ("发到li.lei+work@mail.example.com.cn吧，谢谢", "发到[EMAIL]吧，谢谢"),
    ("ＴＥＳＴ＠ｅｘａｍｐｌｅ．ｃｏｍ", "[EMAIL]"),
    ("Write to Ann <ann_b@example.org>, please.", "Write to Ann <[EMAIL]>, please."),
    ("13800138000@qq.example.com", "[EMAIL]"),
    ("我的邮箱是wang@jin算盘finance.example.com。", "我的邮箱是[EMAIL]。"),
    ("a@b.example.com和www.example.cn", "[EMAIL]和www.example.cn"),
    # phones
    ("138 0013 8000", "[PHONE]"),
    ("+86-138-0013-8000", "[PHONE]"),
    ("１３８００１３８０００", "[PHONE]"),
    ("我的手机号是13800138000，晚上打", "我的手机号是[PHONE]，晚上打"),
    ("138\u200b0013\u200b8000", "[PHONE]"),
    ("(+86) 138 0013 8000", "[PHONE]"),
    ("0086 13800138000", "[PHONE]"),
    ("13800138000,13900139000/13700137000 13600136000", "[PHONE],[PHONE]/[PHONE] [PHONE]"),
    ("打010-62345678或(0755) 8888 8888", "打[PHONE]或[PHONE]"),
    ("座机010-62345678-8001", "座机[PHONE]"),
    ("快递电话13800138000", "快递电话[PHONE]"),
    ("tel13800138000", "tel[PHONE]"),
    ("Call me at (415) 555-2671 tomorrow", "Call me at [PHONE] tomorrow"),
    ("my phone is 4155552671", "my phone is [PHONE]"),
    ("415-555-2671 or +1 415.555.2672", "[PHONE] or [PHONE]"),
    ("London: +44 20 7946 0958 2026", "London: [PHONE] 2026"),
    ("香港 +852 9123 4567。", "香港 [PHONE]。"),
    # resident ids
    ("身份证11010519491231002X。", "身份证[ID]。"),
    ("身份证号：11010519491231002x", "身份证号：[ID]"),
    ("110105 19491231 002X", "[ID]"),
    ("１１０１０５１９４９１２３１００２Ｘ", "[ID]"),
    # bank cards
    ("卡号4111111111111111", "卡号[CARD]"),
    ("4111 1111 1111 1111 and 5500-0000-0000-0004", "[CARD] and [CARD]"),
    ("Amex 3782 822463 10005, code 123", "Amex [CARD], code 123"),
    ("银联6222020000000000000到期", "银联[CARD]到期"),
    ("item 3 4111 1111 1111 1111 123", "item 3 [CARD] 123"),
    # IBAN
    ("IBAN GB82 WEST 1234 5698 7654 32 please", "IBAN [IBAN] please"),
    ("账户DE89370400440532013000。", "账户[IBAN]。"),
    # keys
    ("key: sk-proj-abc123DEF456ghi789", "key: [SECRET]"),
    ("用sk-abcdefghijklmnopqrstuvwx这个", "用[SECRET]这个"),
    ("AKIAIOSFODNN7EXAMPLE", "[SECRET]"),
    ("ghp_abcdefghij0123456789abcdefghij012345", "[SECRET]"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N", "[SECRET]"),
    ("Authorization: Bearer abcdefghijklmnopqrstuvwxyz", "Authorization: Bearer [SECRET]"),
    ("https://bob:s3cret@db.example.com/x", "https://[SECRET]/x"),
    ("api_key=abcd1234efgh, region=eu", "api_key=[SECRET], region=eu"),
    ("密钥是abcd1234efgh。", "密钥是[SECRET]。"),
    (
        "see -----BEGIN RSA PRIVATE KEY-----\nMIIE 13800138000\nabc=\n-----END RSA PRIVATE KEY----- thanks",
        "see [SECRET] thanks",
    ),
    ("-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEA1234\nMIIEpAIBAAKCAQEA5678\nthanks", "[SECRET]\nthanks"),
    # passwords
    ("my password is hunter2, ok?", "my password is [SECRET], ok?"),
    ("My password is swordfish.", "My password is [SECRET]."),
    ("I changed my PIN to 4821", "I changed my PIN to [SECRET]"),
    ("the password for the office wifi is Sunny-Day42!", "the password for the office wifi is [SECRET]"),
    ('{"password": "correct horse battery"}', '{"password": "[SECRET]"}'),
    ("密码是 abc123，别告诉别人", "密码是 [SECRET]，别告诉别人"),
    ("密码：Sunny@Day！", "密码：[SECRET]！"),
    ("家里wifi密码12345678", "家里wifi密码[SECRET]"),
    ("密码是admin吧", "密码是[SECRET]吧"),
    ("密码改成了ｈｕｎｔｅｒ２", "密码改成了[SECRET]"),
    ("验证码是482913", "验证码是[SECRET]"),
    ("my password is 4111 1111 1111 1111", "my password is [CARD]"),
    ("密码是13800138000", "密码是[SECRET]"),
]

HARMLESS = [
    "订单号2026113800138000123",
    "订单号是13800138000",
    "order number 4111111111111111",
    "my order #8842 and 订单号是 #8842",
    "#13800138000",
    "SF1380013800012",
    "tracking number 9400 1118 9922 3344 5566 77",
    "1Z999AA10123456784",
    "ISBN 978-7-111-21382-6",
    "ISBN 9787111213826",
    "2026-11-29 10:30 to 2026-12-01",
    "会议2026年11月29日下午3点",
    "¥1,299.00 and $13,800,138,000",
    "v138.0.7204.100",
    "10.0.0.1 and 192.168.100.200",
    "timestamp 1700000000000 or 1700000000",
    "pages 13 14 15 16 17 18 19 20",
    "pi is 3.14159265358979",
    "0.13800138000",
    "550e8400-e29b-41d4-a716-446655440000",
    "4111111111111112",
    "110105194912310021",
    "11010519491331002X",
    "DE89370400440532013001",
    "客服热线95588或400-820-8820",
    "git@github.com:org/repo.git",
    "@user installs pkg@1.2.3",
    "No API key in the build",
    "max_tokens=1024; token: 4096 tokens",
    "A token is a unit of text, and tokens cost money.",
    "the secret is out",
    "sk-learn is a library",
    "The password is required.",
    "Your password is too short, it was expired.",
    "password is 8-16 characters",
    "The password must be changed every 90 days",
    "Is the password stored?",
    "我的密码忘了怎么办",
    "密码是什么？",
    "密码是6位数字，密码2026年改的",
    "密码是SHA256加密的",
    "[EMAIL] and [PHONE], password: [SECRET]",
    "普通的一句话，没有任何隐私。👍🏽",
    "",
]


@pytest.mark.parametrize(("said", "kept"), PRIVATE)
def test_what_is_private_becomes_a_mark(said: str, kept: str) -> None:
    assert redact(said).text == kept


@pytest.mark.parametrize("said", HARMLESS)
def test_what_only_looks_private_stays(said: str) -> None:
    assert redact(said) == Redacted(said)


def test_findings_say_where_the_marks_are_in_the_redacted_text() -> None:
    assert redact("ａ@b.com打１３８００１３８０００") == Redacted(
        "[EMAIL]打[PHONE]", (Finding("EMAIL", 0, 7), Finding("PHONE", 8, 15))
    )


def test_a_mark_may_set_free_what_stood_beside_it() -> None:
    assert redact("密码是" + "a1" * 128 + "13800138000，a@b.cn") == Redacted(
        "密码是[SECRET][PHONE]，[EMAIL]", (Finding("SECRET", 3, 11), Finding("PHONE", 11, 18), Finding("EMAIL", 19, 26))
    )


def test_everything_else_stays_as_said() -> None:
    assert (
        redact("ﬁne ㎏ １２３ e\u0301 \u3000 x\u200by, test@example.com").text
        == "ﬁne ㎏ １２３ e\u0301 \u3000 x\u200by, [EMAIL]"
    )


PIECES = [*(said for said, _ in PRIVATE), *("1380013", "8000", "@", "a.com", "[EMAIL]", "密码是", "pin: ", '"', " ")]
NOISE = st.text("0138 -+@.ab是:[]X４", max_size=12)
MIXED = st.lists(st.one_of(st.sampled_from(PIECES), NOISE), max_size=6).map("".join)


@settings(max_examples=300, deadline=None)
@given(MIXED)
def test_redacting_twice_changes_nothing_more(said: str) -> None:
    once = redact(said)
    assert redact(once.text) == Redacted(once.text)
    assert all(once.text[f.start : f.end] == f"[{f.kind}]" for f in once.found)
    assert [f.end <= g.start for f, g in zip(once.found, once.found[1:], strict=False)] == [True] * (
        len(once.found) - 1
    )


@pytest.mark.parametrize(
    "piece",
    [
        *("字", "1", "138 ", "13800138000 ", "+1 234 5678 9012 ", "a@", "a.", "GB82 WEST ", "密码是", "password is "),
        *("eyJ", "-----BEGIN PRIVATE KEY-----", "1-", "(", "://a:b", "密码是'", "4111111111111111 ", " "),
    ],
)
def test_no_rule_is_slow_on_twenty_thousand_characters(piece: str) -> None:
    said = piece * (20_000 // len(piece))
    started = time.perf_counter()
    redact(said)
    # Generous for a busy machine: these take 5 to 60 ms, a catastrophic expression takes many seconds.
    assert time.perf_counter() - started < 2
