"""How many tokens a text costs: an estimate without a tokenizer's vocabulary.

Made to stand in for OpenAI's `o200k_base`. It leans to the high side, for budgets are cut by it: it aims at 0.95 to
1.25 times the size of a text of twenty tokens and more. Measured on messages in Chinese, English and both, code and
emoji (`evals/data/token_counts.jsonl`, half of them not used in fitting), that held for all; of 750 other sentences and
pieces of code six were underrated by more and none overrated. What it underrates most is random letters (pinyin in
addresses, base64), rare names, and makefiles. Longer texts come closer. Other scripts are rated high and were only
spot-checked. Other tokenizers differ: where a model's own is at hand, `graph.counters` gives it, and whoever has
another passes a `TokenCounter` of their own.
"""

from __future__ import annotations

import functools
import math
import re
import unicodedata
from itertools import groupby

from memory.record import TokenCounter

MESSAGE_OVERHEAD = 4
"""What a chat format adds to each message: its role and the marks around it."""

_ACCENTED = "\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f"
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA_HANGUL_THAI = "\u3040-\u30ff\u31f0-\u31ff\uac00-\ud7a3\u1100-\u11ff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"

# The pieces into which o200k_base cuts a text before it merges bytes, as nearly as `re` can say it. No token crosses
# from one piece into the next, so costs add up. A sign or space before a word belongs to the word.
_PIECE = re.compile(
    rf"(?P<word>(?:[^\w\r\n]|_)?(?:[A-Z]*[a-z{_ACCENTED}]+|[A-Z]+)(?:'(?:s|t|re|ve|m|ll|d)\b)?)"
    rf"|(?P<han>(?:[^\w\r\n]|_)?[{_HAN}]+)"
    rf"|(?P<dense>[{_KANA_HANGUL_THAI}]+)"
    rf"|(?P<letters> ?[^\W\d_A-Za-z{_ACCENTED}{_HAN}{_KANA_HANGUL_THAI}]+)"
    r"|\d{1,3}"
    r"|(?P<signs> ?(?:[^\w\s]|_)+[\r\n/]*)"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
_CUT = re.compile(re.sub(r"\?P<\w+>", "?:", _PIECE.pattern))
"""The same without groups, which finds the pieces of a text as strings, all at once."""

_MARGIN = 1.02
"""The costs below are means; names and rare words spread around them, and a budget must not be missed."""

_SHORT, _LONG = 2000, 32_000
"""Characters up to which an estimate is kept: many short ones, a few long ones."""


def estimate_tokens(text: str) -> int:
    """About how many `o200k_base` tokens `text` has; 0 only for the empty text. Linear time, never raises."""
    if len(text) <= _SHORT:
        return _estimated_before(text)
    return _estimated_just_now(text) if len(text) <= _LONG else _estimated(text)


def _estimated(text: str) -> int:
    # A long piece is not worth keeping.
    cost = sum(_known_cost(piece) if len(piece) <= _WORD else _cost(piece) for piece in _CUT.findall(text))
    return math.ceil(_MARGIN * cost - 1e-9)


# A turn counts the same lines in several steps, and the next turn most of them again.
_estimated_before = functools.lru_cache(maxsize=4096)(_estimated)
# The memory block is counted when it is planned and when it is sent.
_estimated_just_now = functools.lru_cache(maxsize=32)(_estimated)


def count_message_tokens(*texts: str, count: TokenCounter = estimate_tokens) -> int:
    """The tokens of one message whose content is these texts, with what the chat format adds to a message."""
    return MESSAGE_OVERHEAD + sum(map(count, texts))


def _cost(text: str) -> float:
    """What one piece costs. It is the same piece wherever it stands."""
    piece = _PIECE.match(text)
    match piece and piece.lastgroup:
        case "word":
            return _word_cost(text)
        case "han":
            return _han_cost(text)
        case "dense":
            return 0.9 * len(text)
        case "letters":
            return max(1.0, 0.5 * len(text))
        case "signs":
            return _signs_cost(text)
    return 1.0  # up to three digits, or any run of white space


_WORD = 40
"""Characters of a piece whose cost is kept."""
_known_cost = functools.lru_cache(maxsize=16384)(_cost)


def _word_cost(text: str) -> float:
    """An ASCII word with the sign before it, if any. Short words are one token, more so after a space.

    Fitted by length and case on English chat, documentation and Python source. Past 14 letters a "word" is mostly
    run together or random.
    """
    word = text if text[0].isalpha() else text[1:]
    before = text[: len(text) - len(word)]
    if not before.isascii():
        return _signs_cost(before) + _word_cost(word)
    if (known := _RARE.get(word.lower())) is not None:
        return known
    n = len(word)
    accents = 0 if word.isascii() else 0.4 * sum(not c.isascii() for c in word)
    case = "upper" if word.isupper() else "lower" if word.islower() else "title"
    if before in _APART:
        return 1.0 + _word_cost(word)
    kind = before if before in ("", " ") else "joint" if before in "._(-" else "sign"
    first, step, free = _WORD_COSTS[kind, case]
    stem, apostrophe, _ = word.lower().partition("'")
    contracted = 0.0 if not apostrophe or stem in _CONTRACTED else 0.8
    return first + step * max(0, n - free) + 0.25 * max(0, n - 14) + accents + contracted


# Words of this project's own that have more tokens than their length tells.
_RARE = {"palimpsest": 4.0, "pyproject": 2.0, "toml": 2.0}

# Signs that no token joins to a word.
_APART = frozenset("|`@$~^")

# With these a contraction is one token; a name and its 's are two.
_STEMS = """
i it he she that there what who you we they let here don doesn didn isn wasn aren weren can couldn won wouldn shouldn
haven hasn hadn ain
"""
_CONTRACTED = frozenset(_STEMS.split())

# What stands before the word and its case: the cost of a short one, and of each letter after so many.
_WORD_COSTS = {
    (" ", "lower"): (1.04, 0.06, 5),
    (" ", "title"): (1.1, 0.08, 4),
    (" ", "upper"): (1.0, 0.20, 2),
    ("", "lower"): (1.08, 0.15, 5),
    ("", "title"): (1.05, 0.08, 4),
    ("", "upper"): (1.05, 0.25, 2),
    ("joint", "lower"): (1.12, 0.11, 3),
    ("joint", "title"): (1.4, 0.12, 3),
    ("joint", "upper"): (1.3, 0.25, 2),
    ("sign", "lower"): (1.5, 0.18, 3),
    ("sign", "title"): (1.6, 0.12, 3),
    ("sign", "upper"): (1.3, 0.25, 2),
}


def _han_cost(run: str) -> float:
    """A run of Chinese: common words of two or three characters are one token, other characters one or two each.

    A space, comma or full stop before it often shares the first token.
    """
    tokens, i = 0.0, 0
    if run[0] in " ，。、":
        tokens, i = 0.5 if run[0] == " " else 0.9, 1
    elif not run[0].isalpha():
        tokens, i = _signs_cost(run[0]), 1
    while i < len(run):
        if run[i : i + 3] in _ONE_TOKEN_WORDS:
            i += 3
            tokens += 1
        elif run[i : i + 2] in _ONE_TOKEN_WORDS:
            i += 2
            tokens += 1
        else:
            tokens += 1 if _is_common(run[i]) else 2
            i += 1
    return tokens


def _is_common(character: str) -> bool:
    """Whether a character is one token: those of GB 2312's first level are, but for a list of exceptions."""
    if character in _TWO_TOKEN_CHARACTERS:
        return False
    try:
        return character.encode("gb2312")[0] < 0xD8
    except UnicodeEncodeError:
        return False


def _signs_cost(text: str) -> float:
    """A run of punctuation, symbols or emoji, and the line ends after it."""
    tokens, halves = 0.6 if text[:1] == " " and text[1:2] > "\U0001f000" else 0.0, 0
    for sign, run in groupby(text):
        n = sum(1 for _ in run)
        if sign.isspace():
            continue
        if sign.isascii():
            halves += 1 if n < 3 else 2  # "()" is one token, and so is "-----"
            continue
        tokens, halves = tokens + _ascii_signs_cost(halves), 0
        if sign in _ONE_TOKEN_SIGNS or unicodedata.combining(sign):
            tokens += n if sign > "\U0001f000" else 1
        else:
            tokens += 2 * n
    return max(1.0, tokens + _ascii_signs_cost(halves))


def _ascii_signs_cost(halves: int) -> float:
    return max(1.0, 0.5 * halves - 0.2) if halves else 0.0


_ONE_TOKEN_SIGNS = frozenset(
    "‐‑–—―‘’‚“”„‟†‡•․…‰′″‹›※‼₪€₹℃№™←↑→↓⇒∀∆−∙√∞∨≈≤≥≫─━│┃├┣═║"
    "╗╝▀▄█▋░▒▓■□▪▫▬▲△▶▷►▼▽◆◇○◎●★☆☎☴☺♀♂♡♥♦♪♫✅✓✔✨❤➡⭐⭕、。〈〉《》「"
    "」『』【】〒〔〕〖〜・🏻🏼👇👉👌👍👏💕🔥😀😁😂😉😊😍😘😭🙂🙏🤣！％＆（）＊＋，－．／：；＜＝＞？＠［＼］＾＿"
    "｀｜～｡｣､･"
)

_TWO_TOKEN_CHARACTERS = frozenset(
    "丑丛丢丧乍乏乖乞亨仆仇仗仰仿伐伞伪佃佑侄侍侨俘俞俩俯倘倚傍傻僧僵儒兜兹冀冤冯冶凑凛凳凶凹凿刃刨刮剁剃剥剿劈劝劫勃"
    "勋勘勾匀匠匣匪卑卜卞卤卵卿厄厌厢叙叛叠叮叹吏吓吱吵吼呆呐呛呜呸咀咏咒咬咯咱咳咸咽哀哄哇哉哎哑哗哟哨哩哼唇唉唤唬啃"
    "啄喀喂喇喉嗅嗜嗣嘶嘻嚷嚼囊圭坎坟坠坤垂垒垫垮埋堆堕堤堪堰塌墩壕壳壶夷夸妄妆妥姥娟娥娶婴婶孝宰寇寡尘尹屈屎屑屡岂崇"
    "崔崖崩嵌巢巷巾帆帕帘幌幢庇庙庞庶庸廊廖弓弥弦弧弯彪彬彭忌忿怔怠怨怯恕恨恭恰恼悄悔悬惟惧惹惺愁愈愚愤慌慕憋懒戎戳扁"
    "扇扔扛扭扮扯扳抄抑抖抚抛抬抹抿拂拈拌拎拐拢拣拦拧拱拴拽挎挖挟挠挤挨挪挫挽捂捅捆捉捎捏捐捞捡捣捧捶捻掀掏掐掘掠掣掩"
    "掳掷揖揣揩揪揽搁搂搅搓摊摔摹撇撕撩撬撰擅擒攀攒敛敝敲敷斋斌斑斜斟斡斥斧斩旱旷昏晃晕朔朵杖枉枕枢枣枯枷柬栖栽桓桨桩"
    "梗梢梭梳棉棍棕棘棱棵棺椅椎楞橙橱檀歇歪歼殷殿毙毡氖氟氢氨氮氯汝汞汪沽沾泪泻泼洒浇浑浙浸涂涅涌淋淌淑淖淤淮渊渔渗渝"
    "渣渴溃溅溜溶滇滞滥滩漆澄灌灶灸灼炕炯烂烘烛烤烩烫焉焚煎煞煮熏熔熙熬爪爬爹牵犁犹狄狭狮狱猿玫珊琼瑰瑶瓮瓷甩甫甭畏畔"
    "畜疏痒痕痰痴瘤瘦皖皱盏盔盯盲盼眨眯睁睦瞅瞎瞒瞥瞧瞪瞻矗矛矢矣矮砌砍砰砸硅硫碗碘碟碧碱碳碾磅磋磕磷礁祸禄禹秃稀稻穗"
    "穷窃窄窑窖窜窟竖笛笨笼筒箍篆簇簿粘粥粪糊糟纤纱纺绞绢绣绳绷绽缅缎缚缝缠缸罐罕罢羌羹翅翘耍耕耙耶耸肆肋肘肚肝肠肢肾"
    "肿胀胁胯脆脉脊脏脾腊腑腔腥腮腺腻膏膛膝膳臂舆舌舱舵艘芒芜芥苔苯茅茎茨茬荆荤荫菊菱萧葬葱蒋蒜蒸蓄蓉蓬薛藉藕藩藻虏虞"
    "虾蚀蚁蚌蛔蛙蛮蛾蜀蜡蝉螺蟹衔衙衫衰袁袍裴裹褂褐褪襄觅詹誓讳诛诲诵谅谐谦谭豫贞贩贪贬贱贺贼贾赎赐赣赦趁趟趾跪跺踢蹄"
    "蹦蹬蹭蹲蹿躬躲躺轰轿辈辟辩辫迭迸逗逛逝逞逢逮逾邓邢郊郡郧鄂酥酬酮酱酶醇醋釜钉钒钓钙钞钠钡钦钧钨钩钵钾铀铅铝铬铲铸"
    "锌锣锤锥锯锰镁镍镐镑镶闯闷闸闹闽阔阜阮陀陕陡隅隋隙隶雁雇雌雾霉霜靛靶鞍鞘鞭韦韵顷顽颁颂颇颈颊颐颠颤飘饱饲饵饶饼饿"
    "馋驮驳驴驼骂骇鲤鳃鳖鳞鹃鹤黔齿龟"
)

_WORDS = (
    "一下一个一些一句一天一定一家一年一本一样一次一步一点一直一种一级一致一般一起一路一道万元万吨丈夫三个三级上下上传"
    "上午上市上海上涨上述下午下来下载下降下面不中不了不仅不会不停不到不可不同不好不少不得不断不是不用不能不要不足不过"
    "不错专业专家专题世界世纪业务东京东北东方东西两个严格严重个人中华中国中央中心中文丰富为了为何主义主人主任主体主动"
    "主席主持主管主要主题举办举行之一之前之后之外之间书记了解事业事件事务事实事情事故事项于是云南互动五月亚洲交换交易"
    "交流交通产业产品产权产生人为人人人体人口人员人士人大人工人才人数人民人物人生亿元什么今天今年今日今晚介绍他们代理"
    "代码代表令人以上以下以内以前以及以后以来价值价格任何任务企业优势优惠优秀伙伴会上会员会议传媒传播传统但是位置住宅"
    "住宿住房住所体现体系体育体验余额作为作品作用作者你好使命使用例如供应依据依法侵犯便利促进保存保护保持保证保险保障"
    "信息信用修改值得做到做好停止停车健康儿童允许元素充分先生先进先锋免费兑换党员党委全国全天全年全文全民全球全部全面"
    "公交公众公共公司公告公安公布公平公开公式公斤公里共同共和关于关注关系关键关闭兴趣其中其他其它其实其次具体具有养老"
    "兼职内容内部再次军事农业农村冠军决定准备准确凌晨减少几个几年凤凰出去出口出台出售出来出版出现出生函数分享分别分析"
    "分类分钟列表创业创建创新创造删除判断利润利用利益别人到底制作制定制度制造刷新刺激力度力量办法办理功能加入加工加强"
    "加载动作动力动态动物动画助手努力劳动包含包括北京区别区域医保医学医生医疗医院十一十三十二十五十八十分十四十大千万"
    "升级半年协会协议协调单位南京博士卫生印度危险即可厂家历史压力厘米原则原因去年参与参加参数参考及时双方反馈发动发展"
    "发布发挥发现发生发行发表取得取消受到变化变量另外只是只有只能召开可以可是可能可靠台湾司机司法各种合作合同合法合理"
    "同志同时同期同步同比名单名字名称后台后来否则启动告诉员工周年周期和尚和平咨询品牌品质哈哈响应哥哥哪个哪些哪里唯一"
    "商业商务商品商城喜欢四川回事回应回来回答因为因此因素团队困难固定国产国内国外国家国际图库图片土地在线地下地主地区"
    "地图地址地域地方地点坚定坚持垃圾型号城乡城区城市培养培训基地基层基本基础基金填写增加增强增长声明声音处理处罚备案"
    "复制复杂外交外国多个多久多少多年多数大众大会大厅大型大学大家大小大师大战大片大胆大道大量大陆天下天地天堂天天天气"
    "天津天然天空太阳夫妻失败奋斗奖励奖金女人女士女子女孩女性好友好多如下如今如何如果如此妈妈妹妹姐姐姑娘姓名委员娱乐"
    "媒体字体字符存在季度学习学历学校学生学院孩子安全安徽安排安装完全完善完成完整官方定义定位宝宝实例实力实施实时实现"
    "实行实践实际实验客户宣传宣布家庭容易容量对于对应对此对象寻找导师导演导致小姐小学小时小说少年尤其就业就是屁股居民"
    "展开展示属于属性山东山区岗位工业工作工具工商工程工资左右巨大已有已经巴黎市场市委布局希望帮助常委干部平台平均平方"
    "年代年份年底年度年轻年龄幸福幸运幻想广东广告广大广州广播广西库存应用应该延期建立建筑建议建设开发开启开始开展开心"
    "开放异常引用强化强调当前当地当天当然录像形式形成影响影片影视待遇很多律师得到循环微软德国心理必要必须快乐快捷快速"
    "怎么怎样思想性能性质总体总结总统总部恢复患者情况想到想着意义意味意思意见意识感染感觉感谢成为成人成功成员成本成果"
    "成熟成立成绩成都成长我们我国或者战争战略截止截至所以所在所属所有所谓手机手续才能打印打开执行扩大扫描批准找到承担"
    "技巧技术技能投入投诉投资报价报名报告报警报道招商招生招聘拥有持续指出指定指导指数指标按照按钮挑战授权排列排名排序"
    "探索接受控制推出推动推广推荐推进措施描述提供提出提前提升提醒提高搜狐搜索摄影播放操作支付支持收入收到收益收藏收费"
    "改变改善改革攻击放心政协政府政治政策故事效果效率教学教师教授教材教程教育数字数学数据数组数量整个整体整理文件文化"
    "文字文学文明文本文章新增新版新疆新闻方便方向方式方案方法方面施工旅游旅行无人无法无限日前日志日报日期日本早餐时代"
    "时候时期时间明星明显明确星期春节昨天昨日是否显示晚上普通智慧智能暂停更加更多更新最低最佳最后最多最大最快最新最终"
    "最近最高月份有人有关有所有效有限朋友服务期待期间期限未来未知本人本科机会机关机制机器机场机构机械权益权限材料条件"
    "条例来到来源来看来自来说杭州查看标准标签标题栏目校园核心根据案件案例梦想检查检测森林植物模块模型模式模拟模板次数"
    "欢乐欢迎欧洲歌曲歌词正在正常正式正文正确此前此外此次武汉死亡每天每日比例比分比如比赛比较毕业毫米民主民族水平水果"
    "江苏江西污染汽车没有河北河南治理治疗法国法律法规法院注册注意注销活动流程测试浏览浙江海外消息消费涉及深入深化深圳"
    "添加渠道游客游戏湖北湖南满意满足漂亮漏洞演员澳门激情点击点评热点热门然后然而照片爱情爸爸版本版权物流特别特殊特点"
    "特色犯罪状态猛烈玩家环保环境现代现在现场现实现金球队理念理由理解理论甚至生产生命生态生成生日生活用于用户用途由于"
    "申请电子电影电脑电视电话男人男子男性画像留下疫情疯狂疾病病毒登录登记登陆百万百度百科的话皇家监察监督监管目前目录"
    "目标目的直到直接直播相信相关相比省委看到看来看看真实真正真的知识知道短信研发研究确保确定确认社会社区禁止福利福建"
    "私人科学科技科研秘书秘密积分积极移动程序程度稳定空气空间突出突然突破窗口立即竞争章节符合第一第三第二第五第四等待"
    "等等等级答案策略简介简单简称算法管理类似类型精准精品精彩精神系列系统素材累计红包纪录纪律纽约线路组件组合组成组织"
    "终于经典经历经济经理经营经过经验结合结束结构结果给予统一统计继续维修维护综合绿色缓存编号编码编辑网上网友网址网站"
    "网络网页美元美国群众老人老婆老师老板考虑考试而言聊天职业职位职责联合联盟联系联网股份股票背景能力能够能源腾讯自主"
    "自动自己自治自然自由自行自身至少舒服航空艺术节点节目英国英文英语英雄苹果范围获取获得菜单营业营销落实董事蒙古虽然"
    "融合行业行为行动行情行政表现表示表达装备要求覆盖观察观点观看规划规则规定规律规模规范视觉视频觉得角色解决解析解释"
    "解除警方计划计算订单认为认真认证认识讨论训练记录记者讲话许可论坛论文设备设施设置设计访问证券证明评价评级评论详情"
    "详细语言说明说道请求课程调整调查调用谢谢负责贡献财富财政财经责任账号账户质量购买贯彻贵州贷款贸易费用资产资料资本"
    "资格资源资讯资金赛事起来超过趋势足球距离路径路线身份身体车辆转换转载软件辅助输入输出辽宁达到过去过程运动运营运行"
    "运输近日近期返回还是还有这个这么这些这样这种这里进入进去进口进行违反违法连接连续退休退出选择透明透露途中通信通常"
    "通知通讯通过速度造成道人道路遗漏避免邀请那个那么那些那里邮件邮箱部分部署部长部门配置酒店采取采用采访采购释放里面"
    "重复重大重庆重新重点重要重量金融金额针对铁路银行链接销售销量错误长度长期长沙门户问题阅读阶段附件附近降低限制陕西"
    "除了随后随机随着隐藏集中集合集团需求需要青年青春非常非法面对面积革命韩国音乐页面项目预测预算预计领先领取领域领导"
    "频道颜色额度风险飞机食品首先首次首页香港马上验证高中高度高手高校高潮高级高速黄色黄金默认"
)
_COMMON = (
    "我的你的他的个月好了了吗他说也是假的人的付款优化上线主页共享关联几点几十出租作文专区公益党的入口出了到了做人的人来了去了"
    "好的很好充值入住密码六月海南号码退款"
)
_THREE = (
    "的时候为什么怎么样怎么办服务器数据库验证码二维码身份证银行卡支付宝多少钱客户端互联网公众号自己的公司的平方米字符串关键词"
    "请输入有什么是什么是多少进一步人民币微信群有哪些"
)
_ONE_TOKEN_WORDS = frozenset(
    words[i : i + n] for words, n in ((_WORDS, 2), (_COMMON, 2), (_THREE, 3)) for i in range(0, len(words), n)
)
