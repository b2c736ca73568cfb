"""Where Chinese speakers say that people live, come from, work and learn, in the words of talk. Rules only."""

from __future__ import annotations

from memory.extraction.pattern import Fact, rule
from memory.extraction.vocabulary import COUNTRIES
from memory.extraction.zh_words import (
    ANYWHERE,
    GRADE,
    HERE,
    JOB,
    MID,
    PEOPLE_OF,
    PLACE,
    SPAN,
    TAIL,
    WORK,
)

_HOME = Fact("home", "{s}住在{v}", check="place")
_KNOWN_HOME = Fact("home", "{s}住在{v}", check="known")
_NOT_KNOWN_HOME = Fact("home", "{s}不再住在{v}", retract=True, check="known")
_NOT_HOME = Fact("home", "{s}不再住在{v}", retract=True, check="place")
_TOWN = Fact("hometown", "{s}是{v}人", check="place")
_KNOWN_TOWN = Fact("hometown", "{s}是{v}人", check="known")
_LIVE = r"(?:租好了?(?:个|间|套)?(?:房子?|一居|两居)?|租房子?住?|租的房子?|租了?(?:个|间|套)?(?:房子?|单间|[一两三]居室?|公寓|开间)|合租|整租|独居|居住|住|定居|安家|安了?家|落户|落脚|扎根|扎了根|买房|买的房子?|买了(?:一?套|个)?(?:小|新|二手)?房子?|供着?(?:一?套)?房|生活|过日子|养老|带娃|带孩子|陪读|漂|(?:待|呆)(?=了?(?:快|有|都)?[一二三四五六七八九十两几\d]+(?:多|来)?年)|蹲|窝|北漂|沪漂|坐月子|长住|常住|常驻|躺平|留学|念书|混日子)"
HOME = (
    rule(rf"(?:在|搁|于|到|来|跑){PLACE}{HERE}(?:{_LIVE}{TAIL})+", _KNOWN_HOME, bare=True),
    rule(rf"(?:在|搁)(?!酒店|宾馆|民宿|医院){ANYWHERE}{HERE}(?:租房子?住?|租的房子?|租了?(?:个|间|套)?(?:房子?|单间|[一两三]居室?|公寓|开间)|合租|定居|安家|安了家|落户|买了?(?:一?套)?(?:新|二手)?房子?)(?:{_LIVE}|{TAIL})*", _HOME, bare=True),
    rule(rf"(?:家住|现居|定居|落户|安家|旅居|客居|移居|移民|蜗居|窝|常住|常驻|暂住|借住|寄住|扎根|漂|base|坐标|人在|家在|家就在|家里?在|住在?|住的是|租住|租)(?:在|到|于|了|就在|是|:|：)*{PLACE}{HERE}{TAIL}", _KNOWN_HOME, bare=True),
    rule(rf"(?:坐标|base|Base|现居|现住址?|目前在|人在|人现在在|人还在|人目前在)(?:在|是|:|：|于)*{PLACE}{HERE}{TAIL}", _KNOWN_HOME, bare=True),
    rule(rf"(?:搬家?|迁|挪|移民|移居|嫁|入赘|回|举家搬|从[^，,]{{2,8}}?(?:搬|迁|移居)|跟[^，,]{{1,6}}?(?:搬|去|来|到|嫁))(?:到|去|来|回|进|至|过)+了?{PLACE}{HERE}(?:{_LIVE}|发展|去了?|来了?|了|{TAIL})*", _KNOWN_HOME, bare=True),
    rule(rf"(?:搬家?|迁|挪|移居|嫁)(?:到|去|来|回|进|至|过)+了?{ANYWHERE}{HERE}(?:{_LIVE}|去了?|{TAIL})*", _HOME, bare=True),
    rule(rf"(?:来|到|在|来到){PLACE}{HERE}(?:都|也|已经|快|有|一晃|一眨眼|待了|漂了|混了|呆了)*(?:{SPAN})(?:了|多|啦)+", _KNOWN_HOME, bare=True),
    rule(rf"(?:在){PLACE}{HERE}(?:当|做|打|搞|开|上)?(?:北漂|沪漂|社畜|陪读妈妈|带孙子|带外孙|帮[^，,]{{1,4}}?带(?:孩子|娃|孙子)){TAIL}", _KNOWN_HOME, bare=True),
    rule(rf"(?:离开|搬离|搬出|搬走|逃离|告别)了?{PLACE}{HERE}{TAIL}", _NOT_KNOWN_HOME, bare=True),
    rule(rf"(?:不|没)(?:再|怎么)?(?:住|待|呆|租|漂)(?:在)?{PLACE}{HERE}{TAIL}", _NOT_KNOWN_HOME, bare=True),
    rule(rf"(?:人)?(?:都|就|还)?在{PLACE}{HERE}{TAIL}", _KNOWN_HOME, others=True),
)  # fmt: skip

_SELF = r"(?:是|系|乃|为|作为|一个|是个|是一个|就是|也是|可是|算是|属于|其实是|本来就是|地道的?|地地道道的?|土生土长的?|正宗的?|正儿八经的?|纯正?的?|典型的?|标准的?|老|新|资深|半个|[ ])+"
ORIGIN = (
    rule(rf"(?:是)?(?P<v>{COUNTRIES})籍(?:华人|的)?{TAIL}", Fact("nationality", "{s}的国籍是{v}", check="place")),
    rule(rf"(?P<v>(?:满|回|蒙古|藏|维吾尔|壮|苗|彝|土家|侗|瑶|白|傣|黎|畲|朝鲜|哈尼|哈萨克|羌|纳西|水|布依|仡佬|锡伯|汉)族){TAIL}", Fact("ethnicity", "{s}是{v}"), bare=True),
    rule(rf"(?:是|是个|入了)?(?P<v>(?:中共|预备|老)?党员|共青团员|民盟盟员|入党积极分子|民主党派){TAIL}", Fact("political_status", "{s}是{v}")),
    rule(rf"(?:在家里?|家里?|家中)?(?:是|排行|排)(?P<v>老[大二三四五六七八幺小]|第[一二三四五]|最小|最大|中间)(?:的|那个)?{TAIL}", Fact("birth_order", "{s}排行{v}")),
    rule(rf"(?P<v>[一-龥]{{2,8}}?)人{TAIL}", _KNOWN_TOWN),
    rule(rf"{_SELF}(?P<v>{COUNTRIES})(?:国籍)?人?{TAIL}", Fact("nationality", "{s}是{v}人", check="place")),
    rule(rf"{_SELF}{PEOPLE_OF}{TAIL}", _TOWN),
    rule(rf"(?:是)?(?P<v>[一-龥]{{2,8}}?)的{TAIL}", _KNOWN_TOWN),
    rule(rf"{_SELF}(?P<v>(?:满|回|蒙古|藏|维吾尔|壮|苗|彝|土家|侗|瑶|白|傣|黎|畲|朝鲜|哈尼|哈萨克|羌|纳西|水|布依|仡佬|锡伯|达斡尔|汉)族|回民){TAIL}", Fact("ethnicity", "{s}是{v}"), bare=True),
    rule(rf"(?:的)?(?:老家|家乡|故乡|祖籍|籍贯|原籍|根)(?:就|也|都)?(?:是|在|于)*{PLACE}{HERE}(?:的|人|农村|乡下|的?一个[一-龥]{{1,6}})?{TAIL}", Fact("hometown", "{s}的老家是{v}", check="known"), bare=True),
    rule(rf"(?:出生|生|长|打小|土生土长|从小长|在)+(?:于|在|是在)*{PLACE}{HERE}(?:土生土长|出生|长大|生|长|一个[一-龥]{{1,5}}|的|{TAIL})*长大{TAIL}", Fact("hometown", "{s}在{v}长大", check="known"), bare=True),
    rule(rf"(?:出生|生)(?:于|在)+{PLACE}{HERE}{TAIL}", Fact("birthplace", "{s}出生在{v}", check="known"), bare=True),
    rule(rf"(?:是)?(?:在)?{PLACE}{HERE}(?:出生|生)(?:的|人){TAIL}", Fact("birthplace", "{s}出生在{v}", check="known")),
    rule(rf"(?:是)?(?:从|打){PLACE}{HERE}(?:出来|来|过来|考出来|走出来){TAIL}", _KNOWN_TOWN),
    rule(rf"(?:是|属于)?{PLACE}(?:户口|户籍|土著|本地的?){TAIL}", _KNOWN_TOWN, bare=True),
    rule(rf"(?:的)?(?:户口|户籍)(?:还|一直|现在|落)*(?:是|在)+{PLACE}{TAIL}", Fact("household_registration", "{s}的户口在{v}", check="known"), bare=True),
    rule(rf"(?:拿的?(?:是)?|持|入了|加入了?)(?P<v>{COUNTRIES})(?:国?籍|护照){TAIL}", Fact("nationality", "{s}的国籍是{v}", check="place")),
)  # fmt: skip

_ONE = r"(?:一个|一名|一位|个|名|位|份|一份)?"
_OCC = Fact("occupation", "{s}的职业是{v}", group="occupation", check="trade")
_WORKS = Fact("occupation", "{s}的职业是{v}", group="occupation", check="work")
_TRADE = Fact("occupation", "{s}的职业是{v}", group="work")
_EMPLOYER = Fact("employer", "{s}在{v}工作", check="organisation")
_LEFT = Fact("employer", "{s}不再在{v}工作", retract=True, check="organisation")
_FIRM = r"(?P<v>(?!的|了|着|过|家|宿舍|老家|办公室|会议室|图书馆|网上|路上|外面|外地|哪|这|那|一起|一线|楼|职读|[一-龥]{1,3}楼)[^，,了着我你他她]{2,16}?)"
_OFFICE = r"(?P<v>[^，,了着我你他她]{0,12}?(?:公司|集团|银行|医院|研究所|研究院|事务所|科技|大厂|物流园|产业园|科技园|园区|工作室|[^格当结破布时成定]局|海关|铁路|电网|体制内|机关|出版社|报社|电视台|电台|券商|基金|厂|车间|中心|学校|国企|外企|央企|私企|民企|大学|中学|小学|幼儿园|机构|单位|院|所|店|馆|社|部|处|协会|基金会|部队|法院|检察院|街道办|社区|物业|酒店|餐厅|超市|工地|矿上?|车站|机场|港口|码头|农场|平台|创业公司|甲方|乙方|腾讯|字节|字节跳动|阿里|阿里巴巴|蚂蚁|百度|美团|京东|华为|小米|网易|滴滴|拼多多|快手|宁德时代|比亚迪|中科院|蔚来|理想|小鹏|大疆|微软|谷歌|苹果|亚马逊|特斯拉|B站|携程|联想|海尔|格力|美的|顺丰|菜鸟|中通|圆通|海底捞|星巴克|麦当劳|肯德基|富士康|中石油|中石化|国家电网|移动|联通|电信|铁塔|中建|中铁|中交|招行|工行|建行|农行|中行|平安|人保|国寿|茅台|五粮液|伊利|蒙牛|三一|中兴|京东方|海康|大华|科大讯飞|商汤|旷视|[A-Za-z]{3,}))"
_DO = r"(?:混日子|上班|工作|任职|就职|供职|打工|实习|干活|当差|搬砖|谋生|做事|混|服务|值班|坐班|挂职|兼职|干|待着)"
EMPLOYMENT = (
    rule(rf"在{_OFFICE}{HERE}{WORK}{TAIL}", _EMPLOYER, _TRADE, bare=True),
    rule(rf"(?:是)?{_OFFICE}的{TAIL}", _EMPLOYER),
    rule(rf"(?:不|没)(?:再)?在(?P<v>[^，,我你他她了]{{2,10}}?)(?:那边)?了{TAIL}", Fact("employer", "{s}不再在{v}工作", retract=True, check="organisation")),
    rule(rf"(?:的)?(?:上班|工作|实习)的?(?:地方|地点|公司|单位|办公室|那栋楼)(?:就)?(?:在|是在)(?P<v>[^，,我你]{{2,10}}?){HERE}{TAIL}", Fact("work_place", "{s}在{v}工作", check="place"), bare=True),
    rule(rf"(?:的)?(?:上班|工作|实习)的(?:地方|地点|城市)(?:现在|目前|就)*是(?P<v>[一-龥]{{2,8}}?){HERE}{TAIL}", Fact("work_place", "{s}在{v}工作", check="known"), bare=True),
    rule(rf"(?:的)?(?:上班|工作|实习)的(?:地方|公司|单位)(?:现在|目前|就)*(?:是|叫做?){_OFFICE}{TAIL}", _EMPLOYER, bare=True),
    rule(rf"(?:就|也|才)?(?:是|成了?|算)(?P<v>[^，,我你他的]{{2,10}}?)的?(?:员工|职工|正式员工){TAIL}", _EMPLOYER),
    rule(rf"(?:任职|就职|供职|受雇|服务|效力)(?:于|在){_FIRM}(?:里|旗下)?(?:(?:担任|当|做|任|从事|负责){_ONE}{JOB})?{TAIL}", _EMPLOYER, _OCC, bare=True),
    rule(rf"在(?P<v>[一-龥]{{2,8}}?){HERE}(?:当|做|干|担任|任|从事|搞)?(?:{SPAN}的?)?{_ONE}{JOB}{TAIL}", Fact("work_place", "{s}在{v}工作", check="known"), _WORKS, bare=True),
    rule(rf"在(?P<v>[一-龥]{{2,8}}?){HERE}{_DO}{TAIL}", Fact("work_place", "{s}在{v}工作", check="known"), bare=True),
    rule(rf"(?:从[一-龥]{{2,6}}?)?(?:被)?(?:借调|调动|调)(?:到|去|回|往)了?(?P<v>[一-龥]{{2,8}}?){HERE}(?:{_DO}|去)?{TAIL}", Fact("work_place", "{s}在{v}工作", check="known")),
    rule(rf"在{_FIRM}{HERE}(?:里|当|做|干|担任|任|负责|管|搞){{1,3}}(?:了|过|着)?(?:{SPAN}的?)?{_ONE}{JOB}{TAIL}", _EMPLOYER, _WORKS, bare=True),
    rule(rf"在{_FIRM}{HERE}{_DO}{TAIL}", _EMPLOYER, bare=True),
    rule(rf"(?:入职|加入|加盟|跳槽(?:到|去|来)|跳(?:到|去)|换到|换去|转到|转去|调(?:到|去|回|进)|进了?|去了|签了|签约|投奔|拿了|拿到|接了|考进|考上|考到|应聘到|应聘上|空降|被挖到|被[^，,]{{0,3}}?挖去|(?:回|在)(?=[^，,]{{3}}))了?{_OFFICE}(?:的)?(?:上班|工作|报到|那边|录用|录取|[Oo]ffer|以后|之后|后|这边|任职|入职|编制|正式工|当|做)*{TAIL}", _EMPLOYER, bare=True),
    rule(rf"(?:入职|换到|跳槽到|跳槽去|跳到|跳去)了?(?P<v>(?!新|另|别|一|了|这|那|其他|下|两|三|半)[^，,了着我你他她的]{{2,8}}?)(?:上班|工作|报到|那边|以后|之后|后)*{TAIL}", _EMPLOYER, bare=True),
    rule(rf"(?:要|准备|马上|即将)?(?:去|到|回){_FIRM}(?:报到|上班|入职|任职|实习|工作){TAIL}", _EMPLOYER, bare=True),
    rule(rf"(?:跟|和|与){_OFFICE}签了?(?:合同|三方|约|劳动合同)?{TAIL}", _EMPLOYER, bare=True),
    rule(rf"(?:从|离开了?|告别了?|退出了?){_FIRM}(?:离职|辞职|裸辞|辞|走|走人|跳出来|出来|退休|退|毕业|撤|跳槽|被裁){TAIL}", _LEFT, bare=True),
    rule(rf"(?:离开|告别){_OFFICE}{TAIL}", _LEFT, bare=True),
    rule(rf"被{_OFFICE}(?:裁|优化|开除|辞退|毕业|炒){TAIL}", _LEFT, bare=True),
    rule(rf"(?:把)?{_OFFICE}(?:的)?(?:工作|活儿?|班|职位|岗位)?(?:给)?(?:辞|裸辞){TAIL}", _LEFT, bare=True),
    rule(rf"(?:是|系|作为){_OFFICE}的(?:一名|一个)?(?:正式)?(?:员工|职员|职工|人|在编|编制|正式工|临时工|实习生|老员工){TAIL}", _EMPLOYER),
)  # fmt: skip

OCCUPATION = (
    rule(rf"在(?P<v>[一-龥]{{2,8}}?){HERE}(?P<occupation>开(?:了|着|的|过)?(?:一?(?:家|个|间|爿))?(?:小)?[一-龥]{{1,6}}(?:店|馆|公司|工作室|厂|吧|摊|铺|铺子|诊所|餐厅|民宿|超市|坊|社|堂|[一-龥]?场|果园|养殖场|网店|修理厂|培训班|画室|琴行|花坊|幼儿园|宾馆|旅馆|档口|作坊)){TAIL}", Fact("work_place", "{s}在{v}工作", check="known"), Fact("occupation", "{s}的职业是{v}", group="occupation"), bare=True),
    rule(rf"(?:本人|我)?{MID}{JOB}(?:一枚|一名|一个|一只){TAIL}", _OCC, bare=True),
    rule(rf"(?:开|卖|种|教|做|修|当|干|跑|养|带|打)(?:了|过)(?:{SPAN}|大半辈子|一辈子|半辈子)的?(?P<v>(?!了|多)[一-龥]{{1,6}}?){TAIL}", Fact("occupation", "{s}的职业：{v}")),
    rule(rf"(?:去|在部队|在)?(?P<v>当兵|参军|入伍|服役|当义务兵)(?:去)?{TAIL}", Fact("occupation", "{s}{v}")),
    rule(rf"(?:我)?(?:被裁|失业|待业|没工作|在找工作|正在找工作|找工作中){TAIL}", Fact("employment_status", "{s}没有工作", value="待业"), bare=True),
    rule(rf"(?:接|做|干|打|跑|揽)(?:点儿?|些|着)?(?P<v>[一-龥]{{2,6}}?)(?:的)?(?:活儿?|单子?|零工|散工|私活儿?|项目){TAIL}", Fact("occupation", "{s}的职业是{v}"), bare=True),
    rule(rf"(?:管着?|负责|分管|主管|主要负责|对接|专攻|主攻|专门负责)(?!不|理|住|用|任|着|教|闲)(?P<v>[^，,我你他她了]{{2,12}}?)(?:那摊子事儿?|这摊子事儿?|这一?块儿?|那一?块儿?|方面|工作|业务|的|那摊|这摊)*{TAIL}", Fact("occupation", "{s}的职业是{v}", check="job")),
    rule(rf"(?:还是|继续|也是|照样|依旧|现在|目前|主要|负责|改)*(?:干|做|当|负责|改做|改当|改行做|转做|转行做|兼职做|兼职当)(?:回|起|上|了|着|的是|的)*{_ONE}{JOB}(?:的|这行|这块|这一块|相关|方面|工作)*{TAIL}", _OCC, bare=True),
    rule(rf"(?:从|由)(?P<old>[一-龥A-Za-z]{{2,8}}?)(?:岗)?(?:转行|改行|转岗|转|调|升|提|晋升|换)(?:到|去|为|成|任|做)*(?:去)?(?:做|当|干|搞)?(?:了)?{_ONE}(?:{JOB}|(?P<w>(?:做|当|干|搞)[一-龥]{{2,6}}?)){TAIL}", _OCC, Fact("occupation", "{s}的职业是{v}", group="w"), Fact("occupation", "{s}不再做{v}", group="old", retract=True, check="work"), bare=True),
    rule(rf"(?:是|系|为|当|做|干|任|担任|从事|转行|改行|现任|兼任|升|升任|升职|晋升|提拔|提|考上|考了|当上|干上|干起|做起|转岗|转正|混成|兼|兼职|成为){{1,3}}(?:做|当|成|为|到|的是|了|着|过|起)*(?:{SPAN}的?)?{_ONE}(?:全职|兼职|普通|小小的?|小|资深|高级|初级|中级|首席|见习|注册|执业|在编|合同工?|民办|退休|实习|自由|野生|独立)*的?{JOB}{TAIL}", _OCC),
    rule(rf"(?:靠|以|主要|就|一直|一直在|全职|职业|是|常年在外|在外面?|在外头|在家|在镇上|在村里|在县里|在县城|在街上|在市场|在路边|在菜市场)+(?:{WORK})(?:的|为生|谋生|养家|糊口|{SPAN}){TAIL}", _TRADE),
    rule(rf"{WORK}(?:的|为生|谋生|养家|糊口)*(?:{SPAN})(?:了|的|多)*{TAIL}", _TRADE),
    rule(rf"(?:转行|改行|转岗|开始|回去|回来|回家|现在|专门|专职|全职|去)+(?:去)?(?:了)?{WORK}{TAIL}", _TRADE, bare=True),
    rule(rf"从事(?:的是)?(?P<occupation>[一-龥A-Za-z]{{2,14}}?)(?:方面|相关|行业|工作|的)*{TAIL}", _OCC, bare=True),
    rule(rf"(?:在[一-龥]{{2,4}})?(?:老家|镇上|县城|街上|小区门口|校门口|村里|线上|网上|家里|自己)?(?:自己)?(?P<occupation>开(?:了|着|的|过)?(?:一?(?:家|个|间|爿))?(?:小)?[一-龥]{{1,6}}(?:店|馆|公司|工作室|厂|吧|摊|铺|铺子|诊所|餐厅|民宿|超市|坊|社|堂|茶楼|茶室|[一-龥]?场|果园|养殖场|网店|淘宝店|修理厂|培训班|画室|琴行|花坊|幼儿园|驾校|宾馆|旅馆|食堂|档口|作坊)){TAIL}", Fact("occupation", "{s}的职业是{v}", group="occupation"), bare=True),
    rule(rf"(?:的)?(?:工作|职业|岗位|职位|职务|主业|本职|本职工作|副业|专职|身份|工种|职称)(?:就|也)?(?:是|:|：)+{_ONE}{JOB}{TAIL}", _WORKS, bare=True),
    rule(rf"(?:在家)?(?P<v>待业|失业|退休|全职带娃|备考|考研|考公|二战考研|gap|躺平|创业|读博|当兵|服役|休产假|休病假|坐月子|自由职业|灵活就业)(?:在家|中|着|了|{SPAN})*{TAIL}", Fact("employment_status", "{s}{v}")),
)  # fmt: skip

_DEGREE = r"(?:自考|成人|函授|全日制|在职|普通|统招)?(?:大专|本科|硕士|博士|高中|初中|中专|专科|研究生|小学|MBA)"
_S = r"(?P<v>(?![IE][NS][FT][JP])[^，,读上学在的考念了我]{0,12}?(?:大学|学院|中学|高中|小学|初中|师范|师大|理工|交大|科大|[一-龥]{1,3}大(?!家|学|四|三|二|一|专)|[一二三四五六七八九十附]中(?:分校)?|幼儿园|北大|清华|复旦|学校|分校|外国语|实验班|党校|职校|技校|中专|MIT|NUS|(?-i:[A-Z]{3,5})|北师大|华师大?|北航|北邮|哈工大|哈工程|西工大|北理工?|南航|成电|中传|央美|国美|川美|中戏|北影|上戏|国科大|港中文|港科大?))"
_LEVEL = r"(?:本科|硕士|博士|研究生|高中|大学|初中|中专|大专|专科|博士后|小学|读研|考研|读博|本硕|本硕博)?"
SCHOOLING = (
    rule(rf"(?:只|就|才|也|勉强|一直)*(?:读|念|上)(?:到了?|的是|的就是|完了?)(?P<v>{_DEGREE})(?:毕业|学历)?(?:就[^，,]{{2,8}})?{TAIL}|(?:可|也|就|还)*是(?:一?[个位名])(?P<w>博士|硕士){TAIL}", Fact("education", "{s}的学历是{v}")),
    rule(rf"(?:是个?|有个?|拿了?个?|拿到了?|取得了?|读了个?)?(?P<v>{_DEGREE})(?:毕业|学历|学位|文凭|在读|肄业|生在读|没毕业){TAIL}|{MID}(?:在职|自考|函授)(?:读|上|念)?(?P<w>大专|本科|硕士|博士|研究生|MBA|EMBA){TAIL}", Fact("education", "{s}的学历是{v}"), bare=True),
    rule(rf"(?:本科|硕士|博士|研究生|高中|大学|初中|小学|中专)(?:是)?在(?P<v>[^，,我你]{{2,10}}?)(?:读|念|上)的{TAIL}", Fact("school", "{s}的学校是{v}"), bare=True),
    rule(rf"(?:是|在)?{_S}(?:\d{{2,4}}级)的?{TAIL}", Fact("school", "{s}的学校是{v}"), bare=True),
    rule(rf"(?:是)?{_S}的(?P<major>[一-龥]{{2,8}}?)(?:专业|系)?{TAIL}", Fact("school", "{s}的学校是{v}"), Fact("major", "{s}的专业是{v}", group="major", check="major")),
    rule(rf"(?:是)?学(?!历(?!史)|位|校|生(?!物|态|命|化)|费|期|长(?!笛)|姐|弟|妹|会(?!计)|习)(?P<v>[一-龥]{{2,8}}?)(?:专业)?的{TAIL}", Fact("major", "{s}的专业是{v}")),
    rule(rf"在{_S}{TAIL}", Fact("school", "{s}的学校是{v}")),
    rule(rf"(?:的)?研究方向(?:是|:|：)?(?P<v>[^，,我你]{{2,14}}?){TAIL}|方向是(?P<w>[^，,我你]{{2,14}}?){TAIL}", Fact("major", "{s}的研究方向是{v}"), bare=True),
    rule(rf"{_LEVEL}(?:是|在)?{_S}(?:的)?(?:学|读|念|修|主修)(?!校|生|历|习|期)(?P<major>(?!同学|生|毕业|初|高|大[一二三四]|研|博|[一二三四五六]年|本科|硕士)[一-龥]{{2,8}}?)(?:专业|系)?(?:的)?{TAIL}", Fact("school", "{s}的学校是{v}"), Fact("major", "{s}的专业是{v}", group="major"), bare=True),
    rule(rf"{_LEVEL}(?:是|都)?(?:在|于){_S}(?:里)?(?:读|念|上|就读|求学|学|攻读|进修|旁听|借读|复读|做)(?:的|了|着|到|完)?(?P<grade>{GRADE})(?:了|呢|的|刚|{SPAN})*{TAIL}", Fact("school", "{s}的学校是{v}"), Fact("education", "{s}读{v}", group="grade"), bare=True),
    rule(rf"{_LEVEL}(?:是|都)?(?:在|于)?(?:读|念|上|就读|考上|考进|考入|考到|考取|录到|保研到?|保送到?|毕业|被|转学?到|升|升入|进|调剂到|申到|申请到|复试过了|上岸)(?:的是?|于|在|了|到)*{_S}(?:录取|的)?(?P<major>(?!了|的|呢)[一-龥]{{2,8}}?)?(?:专业|系|学院|的)?(?P<grade>{GRADE})?{TAIL}", Fact("school", "{s}的学校是{v}"), Fact("major", "{s}的专业是{v}", group="major", check="major"), bare=True),
    rule(rf"(?:在|上|读|念|升|刚升|开学)*(?:到|了)?(?P<v>大[一二三四五]|研[一二三]|博[一二三四五]|高[一二三]|初[一二三]|小?[一二三四五六]年级|幼儿园[大中小]班|[大中小托]班)(?:了|呢|的?学生|在读|{TAIL})*", Fact("education", "{s}读{v}")),
    rule(rf"在(?P<h>[一-龥]{{2,8}}?){HERE}(?:上|读|念)(?:的)?(?P<v>{GRADE}){TAIL}", Fact("home", "{s}在{v}上学", group="h", check="known"), Fact("education", "{s}读{v}"), bare=True),
    rule(rf"(?:学|读|念|修|主修|辅修|攻读|报|选|学习)的?(?:是|专业是)(?P<v>[一-龥A-Za-z]{{2,12}}?)(?:专业|系|方向)?{TAIL}", Fact("major", "{s}的专业是{v}", check="text"), bare=True),
    rule(rf"(?:读研|考研|研究生|读博|硕士|博士|大二|大三|保研)?(?:跨考?|转|换|改|转专业)(?:到|去|成|为|读|学|考)*了?(?P<v>[一-龥A-Za-z]{{2,10}}?)(?:专业|系|方向)?{TAIL}", Fact("major", "{s}的专业是{v}", check="major"), bare=True),
    rule(rf"{_S}", Fact("school", "{s}的学校是{v}", confidence=0.8)),
)  # fmt: skip

OF_OTHERS = (
    rule(rf"{WORK}(?:的|为生|谋生)*{TAIL}", _TRADE, others=True),
    rule(rf"(?:是)?{JOB}{TAIL}", _OCC, others=True),
    rule(rf"(?:在|去了?|到了?)(?P<v>[一-龥]{{2,8}}?){HERE}(?:做|干|当|搞|打|带|读|上)?[^，,]{{0,6}}", Fact("home", "{s}在{v}", check="known"), others=True),
)  # fmt: skip
"""What is said so barely only of somebody else: 我娘种棉花, 他在迪拜."""

RULES = (*HOME, *ORIGIN, *EMPLOYMENT, *OCCUPATION, *SCHOOLING, *OF_OTHERS)
"""In the order they are tried, after the rules for plainer sentences."""
