"""What Chinese speakers intend, have settled and did, where no date can be counted: by seasons, feasts and turns of life."""

from __future__ import annotations

from memory.extraction.pattern import Fact, rule
from memory.extraction.zh_words import TAIL

_SEASON = r"(?:端午|中秋|国庆|五一|十一|元旦|春节|过年|清明|除夕|圣诞|情人节|七夕|双十一|暑假|寒假|年假|小长假|长假|年底|年后|年前|开春|春天|夏天|秋天|冬天|入秋|入冬|退休后|退休以后|毕业后|毕业以后|毕业之后|婚后|月底|月初|下半年|上半年|开学|开学后|孩子放假|等孩子放假|出月子|考完试|考完|忙完这阵|忙完|过完年|最近|今年|明年|后年|下学期|大[一二三四]|到时候|接下来|等天气暖和)"
_WILL = r"(?:打算|准备|计划|计划着|想好了|约好了?|说好了?|商量好了?|约了|定了|报名了?|报了?名)"
_DO = r"(?P<v>(?!什么|怎么|啥|花|睡|问|看看|试试|洗|下班|回家|走|点外卖|吃饭|出门|起床|休息|放弃|一些|好了?$|了|放弃吗)[^，,你他她？?没不]{2,20}?)"
PLANS = (
    rule(
        rf"(?:{_SEASON}[，, ]?)?(?:我们?一?家?|全家|一家[三四五]?[口人]|我跟[^，,]{{1,6}}?|我和[^，,]{{1,6}}?|跟[^，,]{{1,6}}?|和[^，,]{{1,6}}?)?(?:也|都|还|正|就|已经|一起)*{_WILL}{_SEASON}?(?:要|一起)?{_DO}(?:呢|了)?[。!~ 啊哦]*",
        Fact("plan", "{s}打算{v}", confidence=0.8, check="doing"),
        bare=True,
    ),
    rule(
        rf"{_SEASON}[，, ]?(?:我们?一?家?|全家|一家[三四五]?[口人]|我跟[^，,]{{1,6}}?)?(?:要|得|会|就要|就|去|回|飞|带)+(?<![就会得要])(?P<v>(?!了|过)[^，,你他她？?没不太很]{{2,18}}?){TAIL}",
        Fact("plan", "{s}的计划：{v}", confidence=0.75, check="doing"),
    ),
)

RULES = PLANS
"""Tried after every other rule of statements."""
