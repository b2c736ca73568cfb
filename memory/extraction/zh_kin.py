"""How Chinese speakers call their people in talk: more nouns for the relations of `attributes.yaml`, and which of them
need no "my". Data only."""

from __future__ import annotations

SPOKEN = {
    "娘": "mother", "老娘": "mother", "俺娘": "mother", "妈咪": "mother", "我娘": "mother", "母后": "mother", "孩儿他娘": "wife",
    "阿爸": "father", "老头子": "father", "老汉儿": "father", "爹地": "father", "父亲大人": "father", "老爷子": "father",
    "媳妇儿": "wife", "内人": "wife", "老婆大人": "wife", "孩子他妈": "wife", "娃他妈": "wife", "婆娘": "wife",
    "孩子他爸": "husband", "孩儿他爸": "husband", "娃他爸": "husband", "我家那口子": "partner", "那口子": "partner", "另一半": "partner",
    "男票": "boyfriend", "女票": "girlfriend", "娃": "child", "娃儿": "child", "崽": "child", "崽崽": "child", "老大": "child", "老二": "child", "老三": "child", "老幺": "child",
    "大宝": "child", "二宝": "child", "小宝": "child", "小家伙": "child", "大儿子": "son", "小儿子": "son", "二儿子": "son", "大女儿": "daughter", "小女儿": "daughter", "二女儿": "daughter",
    "丫头": "daughter", "小闺女": "daughter", "大闺女": "daughter", "千金": "daughter", "犬子": "son", "臭小子": "son",
    "老弟": "younger_brother", "亲弟": "younger_brother", "弟娃": "younger_brother", "老哥": "older_brother", "亲哥": "older_brother", "二哥": "older_brother", "三哥": "older_brother",
    "老姐": "older_sister", "亲姐": "older_sister", "二姐": "older_sister", "三姐": "older_sister", "老妹": "younger_sister", "亲妹": "younger_sister", "妹子": "younger_sister", "二妹": "younger_sister", "双胞胎哥哥": "older_brother", "双胞胎弟弟": "younger_brother", "双胞胎姐姐": "older_sister", "双胞胎妹妹": "younger_sister",
    "嫂": "sister_in_law", "二嫂": "sister_in_law", "大嫂": "sister_in_law", "小姑": "paternal_aunt", "姑": "paternal_aunt", "大姑": "paternal_aunt", "二姑": "paternal_aunt", "姨": "maternal_aunt", "大姨": "maternal_aunt", "二姨": "maternal_aunt", "姨丈": "uncle",
    "叔": "uncle", "二叔": "uncle", "小叔": "uncle", "三叔": "uncle", "大爷": "elder_uncle", "二大爷": "elder_uncle", "舅": "maternal_uncle", "大舅": "maternal_uncle", "二舅": "maternal_uncle", "小舅": "maternal_uncle", "三舅": "maternal_uncle", "三姨": "maternal_aunt",
    "爷": "grandfather", "奶": "grandmother", "阿公": "grandfather", "阿嬷": "grandmother", "阿婆": "grandmother", "家婆": "maternal_grandmother", "家公": "maternal_grandfather", "姥": "maternal_grandmother",
    "侄儿": "nephew", "大侄子": "nephew", "小侄子": "nephew", "小侄女": "niece", "大侄女": "niece", "小外甥": "sisters_son", "大外甥": "sisters_son", "小外甥女": "sisters_daughter",
    "铁哥们": "friend", "铁哥们儿": "friend", "兄弟": "friend", "好基友": "friend", "基友": "friend", "老铁": "friend", "姐妹": "friend", "铁子": "friend", "老友": "friend", "挚友": "friend", "战友": "friend", "牌友": "friend", "球友": "friend", "饭搭子": "friend", "驴友": "friend", "笔友": "friend", "网友": "friend", "老朋友": "friend",
    "老同学": "classmate", "同桌": "classmate", "师兄": "classmate", "师姐": "classmate", "师弟": "classmate", "师妹": "classmate", "学长": "classmate", "学姐": "classmate", "学弟": "classmate", "学妹": "classmate", "班长": "classmate",
    "工友": "colleague", "搭档": "colleague", "徒弟": "subordinate", "师傅": "colleague", "老同事": "colleague", "前同事": "colleague", "同组同事": "colleague", "前台": "colleague",
    "导师": "teacher", "教练": "teacher", "导员": "teacher", "辅导员": "teacher", "家教": "teacher", "上司": "boss", "领导": "manager", "房东": "landlord", "组长": "manager", "主任": "manager", "店长": "manager",
    "爸妈": "parents", "父母": "parents", "爹妈": "parents", "公婆": "parents_in_law", "岳父岳母": "parents_in_law", "大舅哥": "brother_in_law", "连襟": "brother_in_law", "妯娌": "sister_in_law", "大姑子": "sister_in_law", "二姐夫": "brother_in_law", "大姐夫": "brother_in_law", "亲家": "relative", "干妈": "relative", "干爹": "relative", "干儿子": "relative", "干女儿": "relative", "前男友": "ex", "前女友": "ex", "前夫": "ex_husband", "前妻": "ex_wife", "未婚夫": "partner", "未婚妻": "partner", "女婿": "son_in_law", "儿媳": "daughter_in_law", "儿媳妇": "daughter_in_law",
    **dict.fromkeys(("金毛", "柯基", "泰迪", "边牧", "哈士奇", "二哈", "柴犬", "拉布拉多", "比熊", "法斗", "萨摩耶", "博美", "德牧"), "dog"), **dict.fromkeys(("布偶", "英短", "美短", "橘猫", "大橘", "狸花", "三花", "蓝猫", "暹罗", "加菲"), "cat"),
    "狗子": "dog", "修勾": "dog", "猫主子": "cat", "主子": "cat", "喵星人": "cat", "毛孩子": "pet",
    "外孙女": "granddaughter", "大孙子": "grandson", "孙儿": "grandson",
}  # fmt: skip
"""Noun to relation, besides the nouns of the table."""

WITHOUT_MY = (
    "老公|老婆|媳妇儿?|太太|爱人|老伴儿?|女儿|儿子|闺女|嫂子|姐夫|妹夫|弟妹|老妈|老爸|婆婆|公公|岳父|岳母|丈母娘|老丈人|女朋友|男朋友|女友|男友|爷爷|奶奶|外公|外婆|姥姥|姥爷"
    "|[大小二]儿子|[大小二]女儿|[大小]闺女|孩子他[爸妈]|娃他[爸妈]|孩子|娃儿?|崽崽?|老大|老二|老幺|大宝|二宝|小宝|老弟|老哥|老姐|老妹|老爹|老娘|妹妹|弟弟|哥哥|姐姐|表[哥姐弟妹]|堂[哥姐弟妹]|[大小]?侄子|[大小]?侄女|[大小]?外甥女?"
    "|[大二三小][舅姨姑叔]|舅舅|舅妈|姑姑|姨妈|叔叔|婶婶|伯伯|大爷|妈妈|爸爸|母亲|父亲|妈|爸|孙子|孙女|外孙女?|女婿|儿媳妇?|未婚夫|未婚妻|男票|女票|对象|发小|闺蜜|室友|舍友|同桌"
)
"""Kin and closest ones that a person names without 我."""

NAMED_WITHOUT_MY = "发小|闺蜜|死党|室友|舍友|同桌|老同学|大学同学|高中同学|初中同学|同学|同事|战友|徒弟|师兄|师姐|师弟|师妹|表哥|表姐|表弟|表妹|堂哥|堂姐|堂弟|堂妹|老公|老婆|媳妇|女儿|儿子|闺女|哥们儿?|铁哥们儿?|好友|前同事|邻居"
"""Relations that stand before a name without 我: 发小大鹏."""
