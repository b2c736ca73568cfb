"""What keeps a Chinese clause, or a value cut out of one, from being a fact of the one who writes.

Clauses: pasted notices and records, parts that are played, texts to be written, strangers and characters that a sentence
has begun to speak of, threats ("only if ..., then at once ..."). Values: words that no thing of the kind is called by.
A refusal costs a fact that was said oddly; a false fact costs trust.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from memory.extraction.clauses import Clause
from memory.extraction.people import lead, speaker, subject_zh
from memory.extraction.zh_kin import WITHOUT_MY
from memory.extraction.zh_words import KNOWN_PLACE
from memory.record import USER

_PASTED = re.compile(
    r"^【[^】]{1,16}】[^\n]{0,200}(?:您|尊敬的|验证码|取件码|退订)|\b(?:INFO|WARN(?:ING)?|ERROR|DEBUG|Traceback)\b|\b[a-z]{1,20}=\S{1,40} [^\n]{0,40}\b[a-z]{1,20}=\S"
    r"|(?:租客|承租方|出租方|甲方|乙方|应聘者|求职者|当事人|患者|考生)(?:姓名)?[:：]"
)
_FORM = re.compile(r"(?:姓名|性别|籍贯)[:： ]")
_SOMEBODYS = re.compile(r"简历|候选人|这份|这个人|怎么改|改一?改|润色|模板|翻译|格式|整理成")
_WORKED_ON = re.compile(
    r"(?:帮|替|给|请|麻烦)[^，,。]{0,8}?(?:看|识别|整理|做成|润色|翻译|检查|分析|排版|改成|转成|核对)"
)
_LABEL = re.compile(r"(?:^|[\s，,；;])[一-龥]{2,4}[:：]")
_PLAYED = re.compile(
    r"(?:现在|从现在起|假定|这一局)你(?:就)?是(?!不是|怎|谁)|你(?:来)?(?:扮|演|饰)|你(?:来)?当(?:一?[个位名回次])?(?:我的)?(?:面试|考|审讯|法|主持|老师|客服|店长|医生|导演|侦探|甲方|评委)|我(?:来)?(?:扮|饰|演)(?!员|出|讲|唱|过)|对台词|请开始提问|剧情[:：是]|跑团"
    r"|写(?:一|个|篇|段|封|份|首|部|条|句|则)[^，,。]{0,10}?(?:自我介绍|简介|作文|故事|小说|短篇|剧本|文案|检讨|情书|征婚|发言稿|台词|段子|日记|信|朋友圈|人设|独白|开头|童话)|编(?:了|着|过)?一?[个篇段则首][^，,。]{0,8}?(?:书|故事|童话|歌|段子|谜|剧|瞎话)|海龟汤|谜语|脑筋急转弯|我出题|谜面"
)
_STRANGER = re.compile(
    r"(?:主角|女主|男主|主人公|反派|男二|女二|女配|男配|角色)(?:叫|是|名|在|住|从|有|姓|，|,|$)|(?:在)?(?:那个|这个|一个)?(?:游戏|小说|电影|电视剧|漫画|故事|片子|综艺|梦|书|剧|纪录片)里"
    r"|(?:有个|有位|有一[个位]|认识一?[个位]|碰到一?[个位]|遇到一?[个位]|看到一?[个位]|刷到一?[个位]|[那这][个位]?|隔壁|对门|对面|楼[上下]|[上下]铺|前排|后排|旁边|网上|群里|店里|班里|村里|组里|公司|单位|部门|小区|学校|新来的)+(?:里|的|有|那|这|一|个|位|家)*[^，,我的]{0,6}?(?:哥们儿?|兄弟|姑娘|小伙子?|大爷|大妈|大叔|大姐|老头|老太太?|博主|主播|[uU][pP]主|师傅|司机|店主|老板娘?|男生|女生|男的|女的|网友|客户|保安|中介|实习生|姐们儿?|夫妻|小两口|住户|人家|明星|学霸|大神|前辈|新人|小哥|小姐姐)"
    r"|(?:同事|同学|朋友|邻居|领导|老板|房东|客户|老师|教练|导师|班长|亲戚|司机|店员|店主|中介|物业|保安|甲方|乙方)(?:们|家|家里)?(?=[在是去又也都要有刚不没喜爱]|最近|现在|今天|昨天|天天|已经|前几天)(?!(?:[都也又一直平时般]|习惯)*(?:[叫喊让管说给]|称呼|建议|要求|嘱咐))"
    r"|(?:从前|有一天)|(?:有)?一个(?:男人|女人|男孩|女孩|老人|小孩)|隔壁(?:组|班|公司|部门|宿舍|家|桌|工位)|(?:有人|有些人|有的人|很多人|好多人|别人|人家|某人|大部分人|一般人|谁家)"
)
_ALL_OF_THEM = re.compile(
    r"我(?:们)?(?:的)?(?:同学|同事|朋友|室友|舍友|邻居|亲戚|闺蜜|哥们儿?|同龄人|身边(?:人|的人|朋友|同事|同学)?)(?:们|[基本几乎差不多全现在]*都|全)"
)
_IN_VAIN = re.compile(
    r"(?:结果|但|可|可是|最后|后来|我|也|就|都|还是|他|她)*(?:没|不)(?:去|成|来|能去|赶上|吃成|看成|办成|走成)(?![了过]?几)"
)
_ONCE = re.compile(r"我?(?:以前|从前|当年|那时候?|那会儿|小时候|年轻时候?|年轻的时候|早年|曾经|过去|上学时|读书时)")
_SINCE = re.compile(r"现在|如今|目前|后来|今年|去年|前年|最近|这几年|早就|年|就|直到|一直到")
_LIKENED = re.compile(r"(?:就|简直|活脱脱|纯纯|妥妥|快|都快|真|完全|仿佛)(?:是|成了?|像)(?:了)?个")
_ME = speaker(USER, "zh")
_KIN = re.compile(rf"(?:{WITHOUT_MY})")
_OWN = re.compile(r"(?:我|咱|俺|本人)")
_CONDITION = re.compile(r"只要|一旦|等(?!级|于|等|着|我弟|我妹)|除非")
_AT_ONCE = re.compile(r"立马|马上|立刻|肯定|保证|二话不说|绝不|绝对|一定")


def unspoken(view: str, cut: Sequence[Clause]) -> list[Clause]:
    """The clauses, those marked `reported` that the writer does not state of themselves or theirs."""
    asked = _WORKED_ON.search(view) is not None or any(c.mood == "question" for c in cut)
    formed = _FORM.search(view) and _SOMEBODYS.search(view)
    if _PASTED.search(view) or formed or (asked and len(_LABEL.findall(view)) > 1):
        return [replace(c, mood="reported") if c.mood in ("statement", "past") else c for c in cut]
    played = _PLAYED.search(view)
    covered = played.start() if played else len(view)
    out: list[Clause] = []
    strange, once, sentence = False, False, -1
    for i, clause in enumerate(cut):
        if clause.sentence != sentence:
            strange, once, sentence = False, False, clause.sentence
        at = lead(view, clause.start, clause.end, "zh")
        if _OWN.match(view, at, clause.end) and not _ALL_OF_THEM.match(view, at, clause.end):
            strange = False
        elif _KIN.match(view, at, clause.end) and subject_zh(view, at, min(clause.end, at + 40), _ME) is None:
            strange = True  # one of theirs, of whom the clause says what no rule reads: what follows may be of them
        elif _ALL_OF_THEM.match(view, at, clause.end) or _STRANGER.match(view, at, clause.end):
            strange = True
        stated = clause.mood in ("statement", "past")
        if clause.mood == "past" and _ONCE.match(view, at, clause.end):
            once = True
        elif once and (_SINCE.search(view, clause.start, clause.end) or _OWN.match(view, at, clause.end)):
            once = False
        elif once and clause.mood == "statement":
            clause = replace(clause, mood="reported")
        if stated and (
            strange
            or clause.end > covered
            or _threat(view, cut, i)
            or _LIKENED.search(view, clause.start, clause.end)
            or _in_vain(view, cut, i)
        ):
            clause = replace(clause, mood="reported")
        out.append(clause)
    return out


def _threat(view: str, cut: Sequence[Clause], i: int) -> bool:
    """Whether the clause stands under a condition that somebody only threatens or promises by."""
    before = [c for c in cut[max(0, i - 4) : i + 1] if c.sentence == cut[i].sentence]
    if not any(_CONDITION.match(view, lead(view, c.start, c.end, "zh"), c.end) for c in before):
        return False
    return any(
        _AT_ONCE.search(view, c.start, c.end) for c in cut[max(0, i - 4) : i + 5] if c.sentence == cut[i].sentence
    )


def _in_vain(view: str, cut: Sequence[Clause], i: int) -> bool:
    """Whether the next clause says that nothing came of it: 朋友约我喝酒，我没去."""
    after = cut[i + 1] if i + 1 < len(cut) and cut[i + 1].sentence == cut[i].sentence else None
    return after is not None and _IN_VAIN.match(view, after.start, after.end) is not None


_CUT_SHORT = re.compile(
    r"(?:(?<![主重次必摘])要|(?<![痛特外爽])快|已经?|(?<![成首京帝古故])都|也|还|又|再|不|没|很|挺|更|(?<![优祖])先|把|让|给|应该|可以|正在)$"
)
_THINGS = frozenset(
    [
        "home",
        "hometown",
        "birthplace",
        "work_place",
        "employer",
        "school",
        "major",
        "skill",
        "allergy",
        "eats",
        "drinks",
        "uses",
        "owns",
        "language",
        "occupation",
        "diet",
        "likes",
        "pet",
        "nickname",
        "learning",
        "medication",
        "subscription",
    ]
)
_WRONG: dict[str, re.Pattern[str]] = {
    "education": re.compile(r"^[书学]$"),  # 在上海上学 says where, not what
    "home": re.compile(
        r"^\d+$|^.$|^[一二三四五六七八九十两几半\d]+(?:多|来)?(?:个)?(?:晚|夜|天|年|月|周|星期|小时|楼|层|室|居|间|次)|^(?:[高大初研][一二三四]|[到进回出下满够惯久])|(?:酒店|宾馆|青旅|旅馆|民宿|医院|病房|月子中心|帐篷|网吧|车里|朋友家|同学家|亲戚家|月|年|天)$"
    ),
    "employer": re.compile(
        r"^(?:一?[趟次回场]|offer$)|录取|通知|合同|体检|有点|担心|培训|手续|材料|^[用做写看改查学]|^(?:公司|单位|办公室|店|所|院|厂|工地|现场|机构|学院|退休|全职|兼职|普通|资深|专业|优秀|超市|商场|菜市场|地铁|电梯|健身房|餐厅|饭店|厕所|澡堂|理发店|手术室|被窝|车站|机场)$"
    ),
    "occupation": re.compile(r"每|天天|把|(?<!退休)的|当|公司|面试|同学|加班|应聘|来|去"),
    "major": re.compile(
        r"同学|大学|学校|学院|老师|毕业|中学|[读考]|时候|^(?:大专|本科|硕士|博士|研究生|高中|初中|中专|专科)$"
    ),
    "school": re.compile(
        r"遇|坐|碰|^(?:乡下|县城|农村|老家|镇上|城里|村里|国外)$|^(?![北清复交浙南武华中人川厦山兰吉同东西哈天重湖郑云贵广深苏上暨海河安江青宁新首科师农工理财医林民外电石矿地建航政传体港澳台国子技]+大$)[一-龥]{1,3}大$|^(?:打|系|从|去|到|读|上|考|刚|是|同|和|跟|某|好|名牌|国外|别的|附近|家门口|[重普]点?通?(?=高中|大学|中学))"
    ),
    "medication": re.compile(r"^.{0,2}药$|[周天月拜]药$"),
    "owns": re.compile(r"[送买给发配借租]$"),
    "todo": re.compile(r"^(?:一声|一下|一句|下|哈|啊)$|不是|的是"),
    "allergy": re.compile(r"对|同学|^个|老师|的人"),
    "hometown": re.compile(r"星$|地球|外星"),
    "uses": re.compile(
        r"(?:糙米|[面饭菜肉豆麦奶茶油盐糖])$|^[一二三四五六七八九十两几半\d]+(?:个|斤|楼|层|号|条|张|件|份|套|种)|沙发|床|[去来]$|^[上下这]{0,2}个?(?:周|星期|礼拜|月)|^[今明后昨]天|[点号]$|^(?:手机)?(?:壳|膜|卡|套|衣服|鞋|发型|姿势|话题|座位|工位|地方|颜色|方式|角度|频道|电池|轮胎|灯泡|锁|口味|药)$|手机壳"
    ),
    "eats": re.compile(r"^[啃吃喝买点煮做炒靠用去在是]|药$|^(?:饭|东西|苦|亏)$"),
    "drinks": re.compile(r"^[啃吃喝买点煮做炒靠用去在是]|^(?:水|东西|药)$|[少多]$"),
    "nickname": re.compile(
        r"^(?:一声)?(?:大哥|大爷|叔叔?|阿姨|爸爸?|妈妈?|老公|老婆|祖宗|老板|师傅|美女|帅哥|亲爱的|爷爷?|奶奶|哥哥?|姐姐?|大姐|老师|领导|加班|开会|回家|吃饭|名字)$"
    ),
    "likes": re.compile(
        r"^[^猫狗茶酒书花雪海山雨辣甜酸咸肉鱼面糖车画歌舞诗棋马鸟蓝红绿黑白紫]$|^[做写买拍唱讲说弄]的|^(?:搬|走了|辞|逃|换|离开|就|才)|^(?:广泛|很多|不少|多|少|丰富|单一|随便|挺多|有限|自由|热闹|折腾|面子)$|[得不]到$"
    ),
    "learning": re.compile(
        r"^(?:线上|线下|网|兴趣|补习|辅导|培训|速成|周末|夜|早|晚|托管|暑假|寒假|着|好|坏|乖|聪明)(?:课|班)?$"
    ),
    "habit": re.compile(
        r"^到|^(?:周末|周[一二三四五六日天]|早上|晚上|下午|上午|中午)(?:我|还|就|都)?[要得]|吵|不着家|打架|催|唠叨|[挨骂]|被|有人|[乐笑气哭愁忙烦急吓疼累]得|合不拢|[乐笑气哭愁烦急吓疼累饿困]死|赶上|碰上|遇上|撞上|轮到|的愿|都是|含糊|戴着|让步|妥协|认输|低头|回头|手软|后悔|将就|勉强"
    ),
    "plan": re.compile(
        r"^.$|[他她]|^自己|再说|看看|看情况|考虑|非得|才|了[^了]|^(?:回公司|回家|回来|回去|上班|下班|休息|睡觉)$"
    ),
    "event": re.compile(
        r"^[^了过]{1,3}的[^了过]{2,}(?:到现在|还|都|就)|好好的|[他她]|^(?:终于)?(?:能|可以)|生了一窝|您|你|有误|报错|\d\d:\d\d:\d\d"
    ),
}
_PLACES = frozenset({"home", "hometown", "birthplace", "work_place"})
_NO_PLACE = re.compile(r"来(?!宾|安|凤)|去|问|走|找|修(?!水|文|武)|看|等|坐|站|躺|被|让|做|当(?!阳|涂|雄)|学")
_DOES = re.compile(
    r"[跑游骑喝吃看听练写读去打走睡起泡做学遛买爬跳弹拉锻健瑜化敷涂护逛午加夜班聚钓种浇回扫洗晒拍背记存唱画吸抽戴穿煮炒教陪接送玩刷追发撸举拳球步操课补复检体查量抄念诵拜斋请寄攒交给休熬]|迟到|视频|电话|三餐|上床|出门|关灯|开车|通勤|早餐|早饭|晚饭|午饭|夜宵|次|杯|顿"
)
"""What somebody does by habit: a verb of everyday life; 每年都赶上, 天天乐呵 and spans of time have none."""
_CHILD = re.compile(r"'s (?:son|daughter|child|grandson|granddaughter|niece|nephew)\b")
_NO_FIRM = re.compile(r"幼儿园|托班|[小中]学|学校|早教")
_NOT_LOST = re.compile(
    r"胳膊|[腿腰手头眼嗓]|脑子|电梯|网$|[机车]票|快递|信号|[水电]$|关系|联系|想法|念头|计划|会议|[课单]$|航班|活动|婚|心情|时间|钱|工资|消息|结果|成绩|证$|护照|签证|合同|方案|任务|作业"
)


@cache
def _place() -> re.Pattern[str]:
    return re.compile(KNOWN_PLACE)


def refused(attribute: str, value: str, subject: str = "", *, retract: bool = False) -> bool:
    """Whether a value cut out of a Chinese clause is none that this attribute of this subject can have."""
    if attribute in _THINGS and _CUT_SHORT.search(value):
        return True
    if attribute == "habit" and not _DOES.search(value):
        return True
    if attribute in _PLACES and _NO_PLACE.match(value):
        return True
    if attribute in _WRONG and _WRONG[attribute].search(value):
        return True
    if attribute == "employer" and ((_CHILD.search(subject) and _NO_FIRM.search(value)) or _place().fullmatch(value)):
        return True
    return retract and attribute in ("uses", "owns") and _NOT_LOST.search(value) is not None
