"""What Chinese clauses say of their subject, as rules. The subject and adverbs before the verb are read elsewhere."""

from __future__ import annotations

import re

from memory.extraction.pattern import Fact, rule
from memory.extraction.vocabulary import COUNTRIES, LANGUAGES_ZH, OCCUPATIONS_ZH, PLACES

V = r"(?P<v>[^，,]{1,40}?)"
END = r"[了啊呀哦呢啦哈哟的~!. ]*"
_NO = r"(?:不太|不怎么|不是很|不是特别|不是太|不大|并不|从不|从来不|从来都不|不再|再也不|已经不|早就不|一点也不|一点都不|没那么|不)"
_NEVER = r"(?:从不|从来不|从来都不|不再|再也不|已经不|绝不|坚决不|不能|不可以|不敢|不)"
_ONE = r"(?:一个|一名|一位|一只|一条|个|名|位)"

_JOB = rf"(?P<occupation>[一-龥A-Za-z+#]{{0,10}}?{OCCUPATIONS_ZH})"
_PLACE_WORD = rf"(?:{PLACES}|{COUNTRIES})"
_PETS = r"(?P<pet>小?猫咪?|小?狗狗?|(?:[一-龥]{1,4})(?:犬|猫)|金毛|哈士奇|柯基|泰迪|柴犬|边牧|布偶|英短|橘猫|兔子|鹦鹉|仓鼠|乌龟|金鱼|猫|狗)"

LIKES = (
    rule(
        rf"{_NO}(?:喜欢|喜爱|热爱|爱)(?:上)?(?!的){V}{END}",
        Fact("likes", "{s}不喜欢{v}", polarity=-1, many=True),
    ),
    rule(
        rf"(?:讨厌|厌恶|受不了|痛恨|憎恨|恨|反感|嫌弃|不能忍受|无法忍受){V}{END}",
        Fact("likes", "{s}讨厌{v}", polarity=-1, many=True),
    ),
    rule(
        rf"(?:喜欢|爱)(?P<verb>用|吃|喝|看|听|玩|读|去|穿)?的(?P<noun>[一-龥]{{1,5}})(?:是|叫){V}{END}",
        Fact("likes", "{s}喜欢的{noun}是{v}"),
    ),
    rule(
        rf"(?:喜欢上了|喜欢|爱上了|热爱|喜爱|偏爱|钟爱|酷爱|超爱|最爱|迷上了|着迷于|爱好是?|的?兴趣是|爱(?!的|人|情|心|上)){V}{END}",
        Fact("likes", "{s}喜欢{v}", many=True),
    ),
)  # fmt: skip

FAVORITES = {
    "颜色": "color", "食物": "food", "水果": "fruit", "菜": "dish", "电影": "movie", "书": "book", "歌": "song", "歌手": "singer", "运动": "sport",
    "动物": "animal", "季节": "season", "城市": "city", "音乐": "music", "游戏": "game", "饮料": "drink", "球队": "team", "餐厅": "restaurant",
    "作家": "author", "演员": "actor", "电视剧": "show", "品牌": "brand", "花": "flower", "数字": "number",
}  # fmt: skip
"""Nouns of 最喜欢的X, as in `favorite_color`."""

FAVORITE = rule(
    rf"最(?:喜欢|爱)(?:吃|喝|看|听|玩|读)?的(?P<noun>[一-龥]{{1,5}}?)(?:现在|目前|一直)?(?:是|叫){V}{END}",
    Fact("favorite_{noun}", "{s}最喜欢的{noun}是{v}"),
)

FOOD = (
    rule(rf"对(?P<v>[^，,不]{{1,20}}?)(?:不|不再|已经不)过敏{END}", Fact("allergy", "{s}对{v}不过敏", polarity=-1, many=True), bare=True),
    rule(rf"不对{V}过敏{END}", Fact("allergy", "{s}对{v}不过敏", polarity=-1, many=True), bare=True),
    rule(rf"对(?P<v>[^，,]{{1,20}}?)(?:都|也|会|严重|有点|有些|轻微|特别|非常|很|超级|极度|重度|有){{0,3}}过敏{END}", Fact("allergy", "{s}对{v}过敏", many=True), bare=True),
    rule(rf"(?:有|患有)(?P<v>[^，,没]{{1,10}}?)过敏(?:症|史)?{END}", Fact("allergy", "{s}对{v}过敏", many=True)),
    rule(r"(?P<v>(?!皮肤|鼻子|眼睛|又|会|容易|有点|严重|没|不)[一-龥]{2,6}?)过敏", Fact("allergy", "{s}对{v}过敏", many=True)),
    rule(rf"(?:有)?(?P<v>乳糖|麸质|酒精|果糖)不耐受?{END}", Fact("intolerance", "{s}{v}不耐受")),
    rule(rf"(?:一直)?吃(?P<v>全?素){END}|(?:是)?{_ONE}?(?P<w>素食(?:主义)?者|纯素(?:主义)?者|严格素食者|蛋奶素){END}", Fact("diet", "{s}吃素", value="素食")),
    rule(rf"(?P<not>{_NEVER})(?:再)?(?:吃|碰)(?!了|上|下|过|完|得|惯|起|不|饱){V}{END}", Fact("eats", "{s}不吃{v}", polarity=-1, many=True)),
    rule(rf"(?P<not>{_NEVER})(?:再)?喝(?!了|上|下|过|完|得|惯|起|不|多){V}{END}|已?戒(?P<w>酒){END}", Fact("drinks", "{s}不喝{v}", polarity=-1, many=True)),
    rule(rf"(?P<not>{_NEVER})(?:再)?(?:抽|吸){V}{END}|已?戒(?P<w>烟){END}", Fact("smokes", "{s}不抽{v}", polarity=-1)),
    rule(rf"(?:抽|吸)(?P<v>烟|电子烟|雪茄){END}", Fact("smokes", "{s}抽{v}")),
)  # fmt: skip

_EVERY = r"每(?:天|日|周|月|年|晚|早|个?(?:星期|礼拜|周末|月|工作日)|(?:周|星期|礼拜)[一二三四五六日天末])(?:早上|早晨|上午|中午|下午|晚上|早|晚)?"
HABITS = (
    rule(
        rf"(?P<v>{_EVERY}(?!(?:都)?(?:觉得|感到|想|在想|是))[^，,很太好非特]{{2,20}}?){END}",
        Fact("habit", "{s}{v}", confidence=0.85),
    ),
    rule(
        rf"(?:从不|从来不|从来都不|绝不)(?!知道|认为|觉得|会|是|后悔|想|敢|怕|缺|相信|喜欢|爱|吃|喝|抽|用){V}{END}",
        Fact("habit", "{s}从不{v}", polarity=-1),
    ),
    rule(rf"习惯(?:了|于)?(?!用|性|就|是){V}{END}", Fact("habit", "{s}习惯{v}", confidence=0.85)),
    rule(rf"有(?P<v>[^，,没]{{2,12}}?)的(?:好)?习惯{END}", Fact("habit", "{s}有{v}的习惯")),
)

PLACE = (
    rule(rf"(?:不|不再|已经不|早就不|没有?再?)住在?(?!酒店){V}{END}", Fact("home", "{s}不再住在{v}", retract=True, check="place")),
    rule(
        rf"(?:家)?(?:居?住在|居住于|定居在?|定居于|常住在?|家住|家在|住(?!的|着|过|院|酒|宾|旅|民|一|两|在|得|不|了|校)|(?:搬家?|移居|迁居)(?:到|去|来|回)了?){V}{END}",
        Fact("home", "{s}住在{v}", check="place"),
    ),
    rule(rf"(?:来自|老家(?:是|在)|家乡(?:是|在)|祖籍(?:是|在)?|籍贯是?){V}{END}", Fact("hometown", "{s}来自{v}", check="place")),
    rule(rf"(?:出生在|出生于|生在|生于)(?P<v>[^，,\d]{{2,12}}?){END}", Fact("birthplace", "{s}出生在{v}", check="place")),
    rule(rf"(?:是)?(?:土生土长的)?(?P<v>{PLACES})(?:本地)?人{END}", Fact("hometown", "{s}是{v}人", check="place")),
    rule(rf"是(?P<v>{PLACES})的", Fact("hometown", "{s}是{v}人", check="place")),
    rule(rf"是(?P<v>{COUNTRIES})人{END}", Fact("nationality", "{s}是{v}人", check="place")),
)  # fmt: skip

_AT = r"在(?P<v>[^，,]{1,20}?)"
WORK = (
    rule(rf"(?:正?在)?找(?P<v>[^，,]{{1,16}}?)(?:方面|相关|类)?的?(?:工作|职位|岗位|实习){END}", Fact("job_search", "{s}在找{v}的工作")),
    rule(rf"(?:应聘|求职|面试)(?P<v>[一-龥A-Za-z]{{0,8}}{OCCUPATIONS_ZH})的?(?:职位|岗位)?{END}", Fact("job_search", "{s}在找{v}的工作")),
    rule(rf"在(?P<v>{_PLACE_WORD})(?:上班|工作|打工|实习){END}", Fact("work_place", "{s}在{v}工作", check="place")),
    rule(
        rf"{_AT}(?:当|做|任|担任|任职|工作是)(?:了|过)?{_ONE}?{_JOB}{END}",
        Fact("employer", "{s}在{v}工作", check="organisation"),
        Fact("occupation", "{s}的职业是{v}", group="occupation"),
    ),
    rule(
        rf"(?:不|不再|已经不|没有?)在(?P<v>[^，,]{{1,20}}?)(?:上班|工作|任职|干){END}|(?:已经)?从(?P<w>[^，,]{{1,20}}?)(?:离职|辞职|跳槽|离开|退休){END}",
        Fact("employer", "{s}不再在{v}工作", retract=True, check="organisation"),
    ),
    rule(rf"(?:一直)?{_AT}(?:上班|工作|任职|就职|供职|打工|实习){END}", Fact("employer", "{s}在{v}工作", check="organisation")),
    rule(
        rf"(?:(?:就职|任职|供职|受雇)于|入职(?:了|到)?|跳槽(?:到|去)了?)(?P<v>[^，,]{{1,20}}?)(?:工作|上班)?{END}",
        Fact("employer", "{s}在{v}工作", check="organisation"),
    ),
    rule(
        rf"(?:是|当|做|担任|任|职业是|从事|(?:转行|改行)做?了?|(?:升|升职|晋升|提拔)(?:为|成|到|任)了?|当上){{1,2}}(?:了)?{_ONE}?{_JOB}{END}",
        Fact("occupation", "{s}的职业是{v}", group="occupation"),
    ),
    rule(
        rf"是(?P<v>[一-龥A-Za-z0-9]{{2,16}}?)的(?:一名|一个|一位)?(?P<occupation>[一-龥A-Za-z+#]{{0,6}}?{OCCUPATIONS_ZH}|员工|职员)",
        Fact("employer", "{s}在{v}工作", check="organisation"),
        Fact("occupation", "{s}的职业是{v}", group="occupation", check="occupation"),
    ),
    rule(r"是(?:做|搞|干)(?P<v>[一-龥A-Za-z]{1,10})的", Fact("occupation", "{s}是做{v}的")),
)  # fmt: skip

SCHOOL = (
    rule(
        rf"{_AT}(?:上学|读书|念书|上大学|读大学|读研|读博|读本科|读高中|读研究生|求学|就读|念大学){END}|就读于(?P<w>[^，,]{{2,20}}?){END}",
        Fact("school", "{s}在{v}上学", check="school"),
    ),
    rule(
        rf"(?:毕业于|毕业自)(?P<v>[^，,]{{2,20}}?){END}|从(?P<w>[^，,]{{2,20}}?)毕业{END}|考上了?(?P<x>[^，,]{{2,20}}?){END}|是(?P<y>[^，,]{{2,16}}?)的(?:学生|研究生|博士生|本科生|校友|毕业生)",
        Fact("school", "{s}的学校是{v}", check="school"),
    ),
    rule(
        r"在(?P<v>[^，,]{1,16}?(?:大学|学院|中学|高中|学校))(?:学|读|攻读|主修)(?!习|到|会|了|过|完)(?P<major>[一-龥]{2,12}?)(?:专业)?" + END,
        Fact("school", "{s}在{v}上学", check="school"),
        Fact("major", "{s}的专业是{v}", group="major"),
    ),
    rule(rf"(?:主修|攻读|学的是|读的是)(?P<v>[一-龥A-Za-z]{{2,14}}?)(?:专业)?{END}|[学读](?P<w>[一-龥]{{2,10}})专业{END}", Fact("major", "{s}的专业是{v}")),
)  # fmt: skip

_DAY = r"(?:(?:19|20)\d{2}年)?(?:农历)?(?:\d{1,2}|[一二三四五六七八九十]{1,2})月(?:\d{1,2}|[一二三四五六七八九十]{1,3})[日号]?"
SELF = (
    rule(r"(?:的名字)?(?:就)?(?:叫做|名叫|叫)(?P<v>[^，,]{1,20}?)[。!~ ]*", Fact("name", "{s}叫{v}", check="name")),
    rule(rf"姓(?P<v>[一-龥]{{1,2}}|[A-Z][a-z]+){END}", Fact("surname", "{s}姓{v}", check="name")),
    rule(r"(?:才|刚|快|都)?(?P<v>(?:\d{1,2}|[一二三四五六七八九十两]{1,3})岁半)[了啦啊。!~ ]*", Fact("age", "{s}{v}", check="number")),
    rule(r"(?P<v>\d{1,3}|[一二三四五六七八九十百]{1,4})(?:周)?岁(?:半)?[了啦啊。!~ ]*", Fact("age", "{s}{v}岁", check="number")),
    rule(rf"(?:的)?(?:生日|过生日|出生日期)(?:是|在|为)?(?P<v>{_DAY}){END}", Fact("birthday", "{s}的生日是{v}")),
    rule(rf"(?:是)?(?P<v>{_DAY})(?:出生|生|过生日|生日)的?{END}|(?:出生于|生于)(?P<w>{_DAY}){END}", Fact("birthday", "{s}的生日是{v}")),
    rule(rf"(?:是)?(?P<v>(?:19|20)\d{{2}})年(?:出生|生)的?{END}|(?:出生于|生于)(?P<w>(?:19|20)\d{{2}})年{END}", Fact("birth_year", "{s}{v}年出生", check="number")),
    rule(rf"(?:身高)?(?:有)?(?P<v>\d{{2,3}}(?:\.\d)? ?(?:cm|厘米|公分)|[\d一]米[\d一二三四五六七八九十]{{1,3}}|1\.\d{{1,2}} ?(?:米|m))高?{END}", Fact("height", "{s}身高{v}", check="number")),
    rule(rf"(?:体重)?(?:有)?(?P<v>\d{{2,3}}(?:\.\d)? ?(?:公斤|千克|kg|斤))重?{END}", Fact("weight", "{s}体重{v}", check="number")),
    rule(r"(?:是)?(?P<v>单身|已婚|未婚|离异|丧偶)[的了。! ]*", Fact("marital_status", "{s}{v}")),
    rule(r"(?P<v>结婚|离婚|订婚)了[。! ]*", Fact("marital_status", "{s}已{v}")),
    rule(rf"(?:一点也|完全)?(?:不会|不懂|不)(?:说|讲)?(?P<v>{LANGUAGES_ZH}){END}", Fact("language", "{s}不会{v}", polarity=-1, many=True)),
    rule(rf"(?:会|能)?(?:说|讲|精通|掌握|懂|会)(?:一点|一些|流利的)?(?P<v>{LANGUAGES_ZH}){END}", Fact("language", "{s}会{v}", many=True)),
    rule(rf"(?:正?在|一直在|开始)(?:学习|自学|学)(?!校|了|习){V}{END}", Fact("learning", "{s}在学{v}", many=True, confidence=0.85)),
    rule(rf"(?:擅长|精于|善于){V}{END}", Fact("skill", "{s}擅长{v}", many=True)),
    rule(rf"有(?:一|两|二|三|\d)(?:辆|台|部|套|架|把){V}{END}", Fact("owns", "{s}有{v}")),
)  # fmt: skip

PETS = (
    rule(
        rf"(?:家)?(?:里)?(?:养|有)(?:了|着)?(?:一|两|二|三|\d)?(?:只|条|个|头|匹){_PETS}(?:[, ]?(?:它)?(?:的名字|名字)?(?:叫|名叫)(?:做)?(?P<name>[^，,的]{{1,10}}))?{END}",
        Fact("pet", "{s}养了{v}", group="pet"),
        Fact("{pet}", "{s}的{pet}叫{v}", group="name", check="name"),
        passes_on=False,
    ),
    rule(
        rf"(?:家)?(?:里)?(?:养|有)(?:了|着)?(?:一|两|二|三|\d)?(?:只|条|个)(?:名)?叫(?:做)?(?P<name>[^，,的]{{1,10}})的{_PETS}{END}",
        Fact("pet", "{s}养了{v}", group="pet"),
        Fact("{pet}", "{s}的{pet}叫{v}", group="name", check="name"),
        passes_on=False,
    ),
    rule(rf"(?:家)?养了?{_PETS}{END}", Fact("pet", "{s}养了{v}", group="pet"), passes_on=False),
)  # fmt: skip

_KIN = r"(?P<rel>儿子|女儿|闺女|孩子|哥哥|弟弟|姐姐|妹妹|表哥|表弟|表姐|表妹|堂哥|堂弟|堂姐|堂妹|侄子|侄女|外甥女|外甥)"
FAMILY = (
    rule(rf"有[一二两三四五六\d]个{_KIN}(?:[, ]?(?:他|她)?(?:名字)?(?:叫做?|名叫)(?P<v>[^，,的]{{1,10}})){END}", Fact("{rel}", "{s}的{rel}叫{v}", check="name"), passes_on=False),
    rule(rf"有(?P<v>[一二两三四五六\d]个{_KIN}){END}", Fact("{rel}", "{s}有{v}"), passes_on=False),
)  # fmt: skip

_TOOL = r"(?P<v>[A-Za-z][A-Za-z0-9_.+#-]*(?: [A-Za-z0-9][A-Za-z0-9_.+#-]*){0,3}|[^，,]{0,10}(?:手机|电脑|系统|输入法|浏览器|编辑器|软件|相机|平板|笔记本))"
_FOR = r"(?: ?(?:来|写|做|开发|办公|编程|记|画|处理|管理|作为)[^，,]{0,12})?"
USES = (
    rule(
        rf"(?:已经)?(?:从|由|把) ?{_TOOL} ?(?:换|改|迁移|切换|转)(?:成|到|用|为)了? ?(?P<new>[^，,]{{1,24}}?){END}",
        Fact("uses", "{s}不再用{v}", retract=True, check="tool"),
        Fact("uses", "{s}用{v}", group="new", check="tool"),
        bare=True,
    ),
    rule(rf"(?:不再|再也不|已经不|早就不|不想再)(?:使用|用) ?{_TOOL}{_FOR}{END}|(?:弃用|放弃|卸载|停用)了 ?(?P<w>[A-Za-z][\w.+# -]{{0,24}}){END}", Fact("uses", "{s}不再用{v}", retract=True, check="tool")),
    rule(rf"(?:从不|从来不|不)(?:使用|用) ?{_TOOL}{_FOR}{END}", Fact("uses", "{s}不用{v}", polarity=-1, check="tool")),
    rule(rf"(?:改用|换用|转用|换成|换到|转到|迁移到|切换到|改成|换回)了? ?{_TOOL}{END}", Fact("uses", "{s}用{v}", check="tool"), bare=True),
    rule(rf"(?:正?在|一直|一直在|习惯)?(?:使用|用) ?(?:的是)? ?{_TOOL}{_FOR}{END}", Fact("uses", "{s}用{v}", many=True, check="tool")),
    rule(rf"(?:正?在|现在)?用的(?P<noun>[一-龥]{{1,4}})是{V}{END}", Fact("uses", "{s}用的{noun}是{v}")),
)  # fmt: skip

NICKNAME = rule(rf"(?:大家|朋友们?|同事们?|家人|你|请|可以|你可以|以后)?(?:都)?(?:叫|称呼)我(?P<v>[^，,]{{1,8}}?)(?:就行|就好|即可|就可以|好了){{0,2}}{END}", Fact("nickname", "{s}的昵称是{v}", check="name"), bare=True)  # fmt: skip

DECISION = re.compile(
    r"(?:我们?|咱们?|团队|大家)?(?:最终|最后|已经|经过讨论|讨论后|一致)*(?:决定|选定|敲定|选择|选用|采用|确定)(?:了|用了)?(?!权|不了|不下|性|论|于|了$)(?P<v>[^？?]{2,60})"
)

PREDICATES = (FAVORITE, *LIKES, *FOOD, *HABITS, *PLACE, *WORK, *SCHOOL, *SELF, *PETS, *FAMILY, *USES)
"""In the order they are tried; the first whose values pass states the clause's facts."""
