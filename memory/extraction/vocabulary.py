"""Closed lists of words, as pattern text: what a precise rule must know to tell a job from a mood and a city from a firm."""

from __future__ import annotations

OCCUPATIONS_ZH = (
    r"(?:工程师|程序员|设计师|医生|大夫|护士|老师|教师|教授|讲师|律师|法官|会计|出纳|经理|总监|主管|组长|主任|司机|厨师|学生|研究生|博士生|大学生|高中生|初中生|警察|消防员|记者|编辑|作家|画家"
    r"|演员|歌手|翻译|导游|销售|销售员|客服|快递员|外卖员|店员|公务员|科学家|研究员|分析师|咨询师|顾问|架构师|农民|工人|军人|飞行员|空姐|空乘|摄影师|导演|模特|主播|博主|自由职业者|创业者|创始人|合伙人|投资人|老板"
    r"|店长|院长|校长|厂长|CEO|CTO|CFO|HR|实习生|助理|秘书|前台|保安|理发师|教练|运动员|建筑师|药剂师|牙医|兽医|音乐家|钢琴家|舞者|开发者|测试员|运维|策划|文员|保姆|月嫂|家庭主妇|全职妈妈|全职爸爸)"
)
OCCUPATIONS_EN = (
    r"(?:engineer|developer|programmer|designer|doctor|nurse|teacher|professor|lecturer|lawyer|attorney|accountant|manager|director|driver|chef|cook|baker|student|undergraduate|police officer|detective|firefighter|journalist|reporter|editor|writer|author|painter"
    r"|artist|actor|actress|singer|musician|pianist|guitarist|dancer|translator|interpreter|guide|salesperson|salesman|saleswoman|clerk|cashier|scientist|researcher|analyst|consultant|architect|farmer|soldier|pilot|flight attendant|photographer|director|model|freelancer|entrepreneur|founder|co-founder"
    r"|ceo|cto|cfo|intern|assistant|secretary|receptionist|guard|hairdresser|barber|coach|trainer|athlete|pharmacist|dentist|vet|veterinarian|therapist|psychologist|counselor|social worker|electrician|plumber|carpenter|mechanic|technician|librarian|bartender|barista|waiter|waitress|banker|broker|economist|physicist|chemist|biologist|mathematician|statistician|paramedic|surgeon|psychiatrist|physician|judge|officer|administrator|product owner|data scientist|homemaker|stay-at-home (?:mom|dad))"
)
_LANGUAGE_ZH = r"(?:汉语|中文|普通话|英语|英文|法语|法文|德语|德文|日语|日文|韩语|韩文|西班牙语|葡萄牙语|俄语|意大利语|阿拉伯语|印地语|越南语|泰语|土耳其语|荷兰语|瑞典语|波兰语|希腊语|拉丁语|粤语|广东话|闽南语|上海话|四川话|客家话|手语|世界语)"
LANGUAGES_ZH = rf"{_LANGUAGE_ZH}(?:(?:、|和|跟|以及|及){_LANGUAGE_ZH}){{0,5}}"
_LANGUAGE_EN = r"(?:English|Chinese|Mandarin|Cantonese|French|German|Japanese|Korean|Spanish|Portuguese|Russian|Italian|Arabic|Hindi|Urdu|Bengali|Vietnamese|Thai|Turkish|Dutch|Swedish|Norwegian|Danish|Finnish|Polish|Czech|Greek|Hebrew|Latin|Ukrainian|Romanian|Hungarian|Indonesian|Malay|Tagalog|Swahili|Persian|Farsi|sign language)"
LANGUAGES_EN = rf"{_LANGUAGE_EN}(?:(?:, and |, | and ){_LANGUAGE_EN}){{0,5}}"
_REGIONS = (
    r"(?:北京|上海|天津|重庆|河北|山西|辽宁|吉林|黑龙江|江苏|浙江|安徽|福建|江西|山东|河南|湖北|湖南|广东|海南|四川|贵州|云南|陕西|甘肃|青海|内蒙古|广西|西藏|宁夏|新疆|香港|澳门|台湾|台北|高雄"
    r"|石家庄|太原|沈阳|大连|长春|哈尔滨|南京|苏州|无锡|杭州|宁波|温州|合肥|福州|厦门|泉州|南昌|济南|青岛|烟台|郑州|洛阳|武汉|长沙|广州|深圳|珠海|佛山|东莞|南宁|桂林|海口|三亚|成都|绵阳|贵阳|昆明|大理|拉萨|西安|兰州|西宁|银川|乌鲁木齐|呼和浩特)"
)
PLACES = rf"(?:{_REGIONS}(?:省|市)?){{1,2}}(?:[一-龥]{{1,5}}(?:市|县|区|镇|村))?"
COUNTRIES = r"(?:中国|美国|英国|法国|德国|日本|韩国|加拿大|澳大利亚|新西兰|新加坡|马来西亚|泰国|越南|印度|俄罗斯|意大利|西班牙|葡萄牙|荷兰|瑞士|瑞典|巴西|阿根廷|墨西哥|埃及|南非|土耳其)"
SURNAMES = "王李张刘陈杨赵黄周吴徐孙胡朱郭何林罗郑梁谢宋唐许邓冯韩曹曾彭萧蔡潘田董袁余叶蒋杜苏魏程吕丁沈姚卢傅钟姜崔谭廖范汪陆贾韦邱邹熊孟秦阎薛侯雷龙段郝孔邵毛万顾赖武康贺严尹钱施牛洪龚劉陳楊趙黃吳孫鄭謝許鄧馮韓蕭葉蔣蘇魏張"
NAME_ZH = rf"(?:(?:欧阳|司马|上官|诸葛|[{SURNAMES}])[一-龥]{{1,2}}|[小老阿][{SURNAMES}明红华强丽芳军伟刚玲雨雪美][一-龥]?|[A-Z][a-z]+(?: [A-Z][a-z]+)?)"
