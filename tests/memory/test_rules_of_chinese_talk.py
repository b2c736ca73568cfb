"""Constructions of Chinese talk, and what must stop them: whole values, in words of our own."""

from datetime import datetime

import pytest
from read_facts import is_, is_not, no_longer, read

from memory.extraction import RuleExtractor
from memory.record import Utterance

AT = datetime.fromisoformat("2026-11-25T10:00+08:00")  # a Wednesday


def facts(text):
    return read(text, AT)


SAID = [
    ("本人陆青禾，海事局的，人在舟山", [is_("employer", "海事局"), is_("home", "舟山")]),
    ("在下家住沙坪坝，老家绵阳的", [is_("home", "沙坪坝"), is_("hometown", "绵阳")]),
    ("全家去年从兰州搬去了贵阳", [is_("home", "贵阳")]),
    ("我在珠海拱北租了个单间", [is_("home", "珠海拱北")]),
    ("我是土生土长的青岛人", [is_("hometown", "青岛")]),
    ("我舅在厦门开了家修车铺", [is_("work_place", "厦门", "user's maternal uncle"), is_("occupation", "开了家修车铺", "user's maternal uncle")]),
    ("我娘种茶，我爹跑大车", [is_("occupation", "种茶", "user's mother"), is_("occupation", "跑大车", "user's father")]),
    ("我表姐嫁到加拿大去了", [is_("home", "加拿大", "user's biaojie")]),
    ("我发小阿彪是兽医，贵州人", [is_("friend", "阿彪"), is_("occupation", "兽医", "user's friend"), is_("hometown", "贵州", "user's friend")]),
    ("我室友小丁，安徽人，特别爱吃臭豆腐", [is_("roommate", "小丁"), is_("hometown", "安徽", "user's roommate"), is_("likes", "吃臭豆腐", "user's roommate")]),
    ("老吴跟我从小一起长大", [is_("friend", "老吴")]),
    ("我有男朋友了，叫江临", [is_("boyfriend", "江临")]),
    ("毕业就进了水利局，去年从水利局离职了", [is_("employer", "水利局"), no_longer("employer", "水利局")]),
    ("我从会计转行做了咖啡师", [is_("occupation", "咖啡师"), no_longer("occupation", "会计")]),
    ("自考本科", [is_("education", "本科")]),
    ("尘螨过敏", [is_("allergy", "尘螨")]),
    ("吃虾浑身起疹子", [is_("allergy", "虾")]),
    ("我滴酒不沾，牛羊肉也不碰", [is_not("drinks", "酒"), is_not("eats", "牛羊肉")]),
    ("水果我只吃苹果", [is_("eats", "苹果")]),
    ("豆浆我早就戒了", [no_longer("drinks", "豆浆")]),
    ("医生让我低盐饮食", [is_("diet", "低盐")]),
    ("我爸糖尿病，二甲双胍一天两片", [is_("health", "糖尿病", "user's father"), is_("medication", "二甲双胍", "user's father")]),
    ("我血糖6.8，血压也偏高", [is_("health", "血糖6.8"), is_("health", "血压也偏高")]),
    ("我恐高", [is_("health", "恐高")]),
    ("我粉了五年蔡琴", [is_("likes", "蔡琴")]),
    ("烦透了推销电话", [is_not("likes", "推销电话")]),
    ("烟味我实在闻不了", [is_not("likes", "烟味")]),
    ("蹦极这种事我最讨厌了", [is_not("likes", "蹦极这种事")]),
    ("我雷打不动晚上九点夜跑", [is_("habit", "晚上九点夜跑")]),
    ("不喝一碗热汤我浑身难受", [is_("habit", "喝一碗热汤")]),
    ("我周二周四去打球", [is_("habit", "周二周四去打球")]),
    ("我骑电动车上下班", [is_("commute", "骑电动车上下班")]),
    ("我养的是陆龟，叫石头", [is_("pet", "陆龟"), is_("pet", "石头")]),
    ("我会吹双簧管，也拉大提琴", [is_("skill", "吹双簧管"), is_("skill", "拉大提琴")]),
    ("俄语我听得懂", [is_("language", "俄语")]),
    ("闽南语一句都不会说", [is_not("language", "闽南语")]),
    ("我把手机换成小米15了", [is_("owns", "小米15")]),
    ("数据库从MySQL迁到TiDB了", [no_longer("uses", "MySQL"), is_("uses", "TiDB")]),
    ("记账我一直用随手账", [is_("uses", "随手账")]),
    ("淘宝我卸了", [no_longer("uses", "淘宝")]),
    ("我开了QQ音乐会员", [is_("subscription", "QQ音乐会员")]),
    ("姓名：梁若水\u3000性别：女\u3000民族：侗族", [is_("name", "梁若水"), is_("gender", "女"), is_("ethnicity", "侗族")]),
    ("紧急联系人：姐姐 梁若冰 13600001111", [is_("emergency_contact", "梁若冰"), is_("name", "梁若冰", "user's older sister"), is_("phone", "13600001111", "user's older sister")]),
    ("护照E66012345", [is_("passport_number", "E66012345")]),
    ("家里WiFi密码abc12345", [is_("wifi_password", "abc12345")]),
    ("我工资从七千涨到九千了", [is_("salary", "九千")]),
    ("首付凑了六十万，月供五千", [is_("down_payment", "六十万"), is_("monthly_payment", "五千")]),
    ("腰围二尺三", [is_("waist", "二尺三")]),
    ("我同事老陈的生日是6月1日", [is_("colleague", "老陈"), is_("birthday", "6月1日", "user's colleague")]),
    ("我姐的电话换了，现在是13500002222", [is_("phone", "13500002222", "user's older sister")]),
    ("我舅舅的性格特别开朗", [is_("personality", "特别开朗", "user's maternal uncle")]),
    ("在铁路上班的是我姐夫", [is_("employer", "铁路", "user's brother in law")]),
    ("把我喜欢摇滚那条删了吧", [no_longer("likes", "摇滚")]),
    ("快到我生日了，3月7号", [is_("birthday", "3月7号")]),
    ("下月6号到9号我去厦门集训", [is_("plan", "去厦门集训")]),
    ("我订了29号去三亚的机票", [is_("plan", "去三亚的机票")]),
    ("后天别忘了交水费", [is_("todo", "交水费")]),
    ("国庆打算去趟敦煌", [is_("plan", "去趟敦煌")]),
    ("大学时我在食堂打过两年工", [is_("event", "在食堂打过两年工")]),
    ("以后回答别写太长，直接给代码", [is_("prefers", "直接给代码")]),
    ("我住在青浦，不是青田", [is_("home", "青浦")]),
    ("我信佛，初一十五吃素", [is_("religion", "佛"), is_("diet", "初一十五吃素")]),
    ("我奶奶是回族", [is_("ethnicity", "回族", "user's grandmother")]),
    ("我INFP", [is_("mbti", "INFP")]),
    ("我现在是纯素食者", [is_("diet", "纯素食者")]),
    ("网名“一川烟雨”", [is_("nickname", "一川烟雨")]),
]  # fmt: skip

NOTHING = [
    "租房合同到期前一个月提醒房东就行",
    "现在的小孩天天上补习班",
    "空腹别喝浓茶",
    "每天喝八杯水其实没啥依据",
    "昨晚又失眠了",
    "早上挤地铁差点被挤成照片",
    "外面又下雨了",
    "这咖啡也太难喝了",
    "谢谢你，帮大忙了",
    "假如我在谷歌上班，肯定天天摸鱼",
    "在考虑要不要换工作",
    "想换个手机，又舍不得钱",
    "我是吃货转世，前世大概是头猪",
    "我是北京户口本上的黑户，哈哈骗你的",
    "我感觉自己已经和工位结婚了",
    "把下面这句翻成英文：我住在上海，对海鲜过敏",
    "设定一个角色：林默，三十岁，法医，养了一只黑猫",
    "续写：她在深圳工作，每天坐地铁上班",
    "朋友圈有人发“我终于戒烟了”",
    "听我妈说表哥离婚了",
    "新闻里说那个明星对花生过敏",
    "爱因斯坦是左撇子",
    "不是我住海淀，是我公司在海淀",
    "我不是不喜欢他，只是不熟",
    "好家伙，我可真是个大善人",
    "我就爱大夏天停电",
    "高铁上不能带什么",
    "你知道我住哪儿吗",
    "猫能吃葡萄吗",
    "推荐几本适合五岁孩子看的书",
    "帮我算算3500的八折",
    "把这段话改得正式一点",
    "养猫的人家里都得备个粘毛器",
    "孕妇不能喝酒",
    "人到中年不得不认命",
    "我们这代人都是看还珠格格长大的",
    "开车的最怕堵车",
    "楼下新开了家面馆",
    "公司年会又是老一套",
    "电脑又死机了",
    "刚跑完五公里，腿都软了",
    "嗓子冒烟了",
    "刚吃完午饭，有点撑",
    "我在开会，晚点说",
    "哈哈哈哈你太逗了",
    "早啊",
    "好的收到",
    "姓名,年龄,城市",
    "系统提示：用户已离线",
    "租房信息：海淀区两居室，月租8000",
    "我老板认为AI会取代一切",
    "要不要去报个瑜伽班",
    "在纠结考研还是工作",
    "说不定明年就回老家了",
    "要是能住海边就好了",
    "小时候天天盼着过年",
    "那时候一块钱能买三个包子",
    "猪肉又涨价了",
    "苹果手机又出新款了",
    "这本书写得不错",
    "一个人吃饭也挺好",
    "学好数理化走遍天下都不怕",
    "懒人沙发真舒服",
    "我说的不是这个意思",
    "我不是要买，就是看看",
    "不会用Excel",
    "后端不用Go",
    "用Excel怎么做透视表",
    "从北京到上海坐高铁要多久",
    "我昨天梦见自己搬到火星了",
    "我妈觉得我该减肥",
    "有人住过亚朵吗",
    "新来的实习生是浙大的",
    "那个主播又塌房了",
    "明天会下雨吗",
    "昨天没睡好",
    "刚才快递员打电话来",
    "晚上吃什么",
    "我在地铁上",
    "我在家躺着呢",
    "我去趟厕所",
    "我穷得只剩钱了",
    "我的天哪",
    "我的问题是怎么安装",
    "我喜欢你的回答",
    "我爱死你了",
    "我不喜欢这个颜色，换一个",
    "我想去西藏",
    "我准备睡了",
    "我需要一份合同模板",
    "我有点事",
    "我有两台服务器挂了",
    "我会考虑的",
    "我能理解",
    "我练了半天还是不行",
    "我订的外卖迟到了",
    "我用的是你给的代码",
    "我换了个浏览器还是打不开",
    "我把猫的照片发你",
    "我邻居家的狗天天叫",
    "她住哪里",
    "人家是清华毕业的",
    "听说字节在裁员",
    "如果我住在成都就好了",
    "万一我被裁了怎么办",
    "等我退休了就去大理住",
    "举个例子，我叫小明，今年十岁",
    "例句：我在银行工作",
    "他跟我说他辞职了",
    "算命的说我三十岁发财",
    "电影里那个警察是广东人",
    "我演的是一个医生",
    "表格里要填姓名和电话",
    "手机号码必须是11位",
    "邮箱格式不对",
    "预算不够怎么办",
    "身高体重怎么测",
    "感冒了喝什么",
    "狗能吃巧克力吗",
    "生日蛋糕多少钱",
    "结婚要准备什么",
    "退休金怎么算",
    "奶茶好喝",
    "咖啡提神",
    "熬夜掉头发",
    "北京房价太高",
    "四川人爱吃辣",
    "老师有寒暑假",
]


@pytest.mark.parametrize(("said", "expected"), SAID)
def test_what_chinese_talk_states(said, expected):
    assert facts(said) == expected


@pytest.mark.parametrize("said", NOTHING)
def test_chinese_talk_that_states_nothing(said):
    assert facts(said) == []


def test_a_newer_value_of_anybodys_attribute_has_the_same_slot():
    for before, now in (
        ("我姐的电话是13500001111", "我姐的电话换成13500002222了"),
        ("我表哥的公司是华为", "我表哥的公司换成了小米"),
        ("我室友的身高是一米七", "我室友的身高是一米七二"),
        ("房租3000", "房租从3000涨到3500了"),
        ("我是素食者", "我现在是纯素食者"),
    ):
        (old,), (new,) = facts(before), facts(now)
        assert old[:2] == new[:2]
        assert old[2] != new[2]


def test_a_day_range_begins_on_its_first_day():
    (plan,) = RuleExtractor().extract([Utterance("m1", "下个月6号到9号去厦门集训", said_at=AT)]).proposals
    assert (plan["value"], plan["occurred_at"]) == ("去厦门集训", "2026-12-06")


OF_OTHERS = [
    ("我师姐在绍兴上班呢", [is_("work_place", "绍兴", "user's classmate")]),
    ("我堂弟他在厦门工作", [is_("work_place", "厦门", "user's tangdi")]),
    ("我姑父从无锡调到绍兴了", [is_("work_place", "绍兴", "user's paternal aunts husband")]),
    ("我姑父工作的地方是福建厦门", [is_("work_place", "福建厦门", "user's paternal aunts husband")]),
    ("我姨父上班的地方叫南桥印刷厂", [is_("employer", "南桥印刷厂", "user's maternal aunts husband")]),
    ("伯母的工作地点是在绍兴", [is_("work_place", "绍兴", "user's elder uncles wife")]),
    ("我舅妈生日是在2月11号", [is_("birthday", "2月11号", "user's maternal uncles wife")]),
    ("我婶婶的生日是在2月11号", [is_("birthday", "2月11号", "user's paternal uncles wife")]),
    ("我外甥身高有158厘米呢", [is_("height", "158厘米", "user's sisters son")]),
    ("我堂姐只念到初中", [is_("education", "初中", "user's tangjie")]),
    ("我堂姐读的是专科", [is_("education", "专科", "user's tangjie")]),
    ("我堂姐学历挺高的，她是个硕士", [is_("education", "硕士", "user's tangjie")]),
    ("我堂姐有硕士学位", [is_("education", "硕士", "user's tangjie")]),
]


@pytest.mark.parametrize(("said", "expected"), OF_OTHERS)
def test_what_is_said_of_ones_people(said, expected):
    assert facts(said) == expected


@pytest.mark.parametrize(
    "said",
    [
        "我弟弟在哪儿上班呢",
        "我弟弟呢",
        "我弟弟多高呢",
        "我想去上班呢",
        "我同事他妈在绍兴上班",
        "我同事他老婆是护士",
        "我女儿她班主任是数学老师",
        "小王走了，调到深圳了",
        "我工作的地方是个写字楼",
    ],
)
def test_what_is_asked_of_ones_people_or_wished_states_nothing(said):
    assert facts(said) == []
