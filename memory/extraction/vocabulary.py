"""Closed lists of words, as pattern text: what a precise rule must know to tell a job from a mood and a city from a firm."""

from __future__ import annotations

from memory.extraction.pattern import by_initial

OCCUPATIONS_ZH = (
    r"(?:工程师|程序员|设计师|医生|大夫|护士|老师|教师|教授|讲师|律师|法官|会计|出纳|经理|总监|主管|组长|主任|司机|厨师|学生|研究生|博士生|大学生|高中生|初中生|警察|消防员|记者|编辑|作家|画家"
    r"|演员|歌手|翻译|导游|销售|销售员|客服|快递员|外卖员|店员|公务员|科学家|研究员|分析师|咨询师|顾问|架构师|农民|工人|军人|飞行员|空姐|空乘|摄影师|导演|模特|主播|博主|自由职业者|创业者|创始人|合伙人|投资人|老板"
    r"|店长|院长|校长|厂长|CEO|CTO|CFO|HR|实习生|助理|秘书|前台|保安|理发师|教练|运动员|建筑师|药剂师|牙医|兽医|音乐家|钢琴家|舞者|开发者|测试员|运维|策划|文员|保姆|月嫂|家庭主妇|宝妈|柜员|柜台|理货员|收银员|服务员|配音员|点餐员|操作员|检验员|质检员|采购员|化验员|技术员|维修工|电工|焊工|木工|瓦工|水管工|钳工|裁缝|花艺师|咖啡师|调酒师|面点师|甜品师|烘焙师|营养师|康复师|心理咨询师|美容师|美甲师|化妆师|造型师|插画师|动画师|剪辑师|录音师|调音师|配音演员|编剧|制片人|出版人|书店店员|图书管理员|班主任|辅导员|园长|幼师|家教|培训师|讲解员|解说员|裁判|船员|船长|海员|列车员|乘务员|机长|空管|检察官|书记员|公证员|民警|交警|辅警|法医|麻醉师|检验师|放射科医生|护理员|护工|社工|志愿者|村官|科员|处长|科长|部长|总裁|副总|董事长|高管|合伙人|猎头|操盘手|交易员|精算师|审计师|税务师|评估师|造价师|监理|项目经理|产品经理|地质员|气象员|渔民|果农|茶农|养蜂人|兽医|训犬师|驯兽师|饲养员|全职妈妈|全职爸爸)"
)
_JOBS_EN = (
    r"engineer|developer|programmer|designer|doctor|nurse|teacher|professor|lecturer|lawyer|attorney|accountant|manager|director|driver|chef|cook|baker|student|undergraduate|police officer|detective|firefighter|journalist|reporter|editor|writer|author|painter"
    r"|artist|actor|actress|singer|musician|pianist|guitarist|dancer|translator|interpreter|guide|salesperson|salesman|saleswoman|clerk|cashier|scientist|researcher|analyst|consultant|architect|farmer|soldier|pilot|flight attendant|photographer|director|model|freelancer|entrepreneur|founder|co-founder"
    r"|ceo|cto|cfo|intern|assistant|secretary|receptionist|guard|hairdresser|barber|coach|trainer|athlete|pharmacist|dentist|vet|veterinarian|therapist|psychologist|counselor|social worker|electrician|plumber|carpenter|mechanic|technician|librarian|bartender|barista|waiter|waitress|banker|broker|economist|physicist|chemist|biologist|mathematician|statistician|paramedic|surgeon|psychiatrist|physician|judge|officer|administrator|product owner|data scientist|homemaker|paralegal|barrister|solicitor|notary|realtor|estate agent|landscaper|gardener|roofer|welder|machinist|builder|contractor|bricklayer|handyman|locksmith|jeweller|jeweler|tailor|seamstress|florist|butcher|brewer|sommelier|sous chef|line cook|pastry chef|caterer|hygienist|midwife|radiographer|radiologist|cardiologist|dermatologist|pediatrician|paediatrician|optometrist|optician|chiropractor|physiotherapist|physio|physical therapist|occupational therapist|speech therapist|nutritionist|dietitian|phlebotomist|anaesthetist|anesthesiologist|GP|EMT|caregiver|carer|nanny|au pair|childminder|tutor|teaching assistant|principal|headteacher|superintendent|dean|postdoc|archivist|curator|historian|anthropologist|archaeologist|geologist|astronomer|ecologist|zoologist|botanist|meteorologist|marine biologist|engineer|surveyor|urban planner|draftsman|copywriter|illustrator|animator|videographer|filmmaker|producer|screenwriter|playwright|novelist|poet|composer|conductor|drummer|violinist|DJ|comedian|magician|stylist|makeup artist|tattoo artist|game designer|sysadmin|devops engineer|QA tester|tester|recruiter|HR manager|auditor|actuary|bookkeeper|trader|stockbroker|underwriter|adjuster|claims adjuster|civil servant|diplomat|politician|councillor|mayor|priest|pastor|rabbi|imam|chaplain|bus driver|truck driver|lorry driver|courier|postman|mail carrier|dispatcher|conductor|flight engineer|air traffic controller|sailor|captain|fisherman|rancher|beekeeper|forester|park ranger|ranger|lifeguard|bouncer|security guard|warden|prison officer|probation officer|cop|sheriff|paratrooper|marine|sergeant|janitor|cleaner|housekeeper|concierge|porter|valet|butler|event planner|wedding planner|travel agent|tour guide|yoga instructor|instructor|personal trainer|referee|umpire|jockey|groomer|dog walker|dog groomer|zookeeper|undertaker|mortician|supervisor|foreman|shift lead|team lead|project manager|product manager|executive|salesperson|sales rep|rep|marketer|strategist|buyer|merchandiser|webmaster|blogger|youtuber|streamer|podcaster|stay-at-home (?:mom|dad)"
)
OCCUPATIONS_EN = f"(?:{by_initial(_JOBS_EN)})"
_LANGUAGE_ZH = r"(?:汉语|中文|普通话|英语|英文|法语|法文|德语|德文|日语|日文|韩语|韩文|西班牙语|葡萄牙语|俄语|意大利语|阿拉伯语|印地语|越南语|泰语|土耳其语|荷兰语|瑞典语|波兰语|希腊语|拉丁语|粤语|广东话|闽南语|上海话|四川话|客家话|手语|世界语)"
LANGUAGES_ZH = rf"{_LANGUAGE_ZH}(?:(?:、|和|跟|以及|及){_LANGUAGE_ZH}){{0,5}}"
_LANGUAGE_EN = r"(?:English|Chinese|Mandarin|Cantonese|French|German|Japanese|Korean|Spanish|Portuguese|Russian|Italian|Arabic|Hindi|Urdu|Bengali|Vietnamese|Thai|Turkish|Dutch|Swedish|Norwegian|Danish|Finnish|Polish|Czech|Greek|Hebrew|Latin|Ukrainian|Romanian|Hungarian|Indonesian|Malay|Tagalog|Swahili|Persian|Farsi|sign language)"
LANGUAGES_EN = rf"{_LANGUAGE_EN}(?:(?:, and |, | and ){_LANGUAGE_EN}){{0,5}}"
_REGIONS = (
    r"(?:北京|上海|天津|重庆|河北|山西|辽宁|吉林|黑龙江|江苏|浙江|安徽|福建|江西|山东|河南|湖北|湖南|广东|海南|四川|贵州|云南|陕西|甘肃|青海|内蒙古|广西|西藏|宁夏|新疆|香港|澳门|台湾|台北|高雄"
    r"|石家庄|太原|沈阳|大连|长春|哈尔滨|南京|苏州|无锡|杭州|宁波|温州|合肥|福州|厦门|泉州|南昌|济南|青岛|烟台|郑州|洛阳|武汉|长沙|广州|深圳|珠海|佛山|东莞|中山|惠州|汕头|潮州|潮汕|湛江|江门|肇庆|清远|揭阳|梅州|常州|南通|扬州|镇江|徐州|盐城|连云港|淮安|泰州|宿迁|嘉兴|绍兴|湖州|金华|台州|义乌|舟山|芜湖|蚌埠|安庆|阜阳|黄山|漳州|莆田|龙岩|宁德|赣州|九江|景德镇|上饶|潍坊|临沂|淄博|济宁|威海|日照|泰安|菏泽|德州|聊城|开封|南阳|新乡|安阳|许昌|信阳|商丘|周口|宜昌|襄阳|荆州|黄石|十堰|黄冈|株洲|湘潭|衡阳|岳阳|常德|张家界|郴州|柳州|北海|玉林|百色|德阳|南充|宜宾|乐山|泸州|自贡|达州|遵义|六盘水|安顺|曲靖|丽江|西双版纳|玉溪|咸阳|宝鸡|延安|汉中|榆林|天水|酒泉|大同|运城|临汾|长治|包头|鄂尔多斯|赤峰|呼伦贝尔|唐山|保定|邯郸|秦皇岛|廊坊|沧州|张家口|承德|鞍山|抚顺|锦州|丹东|吉林|延边|四平|大庆|齐齐哈尔|牡丹江|佳木斯|喀什|伊犁|南宁|桂林|海口|三亚|成都|绵阳|贵阳|昆明|大理|拉萨|西安|兰州|西宁|银川|乌鲁木齐|呼和浩特)"
)
PLACES = rf"(?:{_REGIONS}(?:省|市)?){{1,2}}(?:[一-龥]{{1,5}}(?:市|县|区|镇|村))?"
COUNTRIES = r"(?:中国|美国|英国|法国|德国|日本|韩国|加拿大|澳大利亚|新西兰|新加坡|马来西亚|泰国|越南|印度|俄罗斯|意大利|西班牙|葡萄牙|荷兰|瑞士|瑞典|巴西|阿根廷|墨西哥|埃及|南非|土耳其)"
SURNAMES = "王李张刘陈杨赵黄周吴徐孙胡朱郭何林罗郑梁谢宋唐许邓冯韩曹曾彭萧蔡潘田董袁余叶蒋杜苏魏程吕丁沈姚卢傅钟姜崔谭廖范汪陆贾韦邱邹熊孟秦阎薛侯雷龙段郝孔邵毛万顾赖武康贺严尹钱施牛洪龚劉陳楊趙黃吳孫鄭謝許鄧馮韓蕭葉蔣蘇魏張"
NAME_ZH = rf"(?:(?:欧阳|司马|上官|诸葛|[{SURNAMES}])[一-龥]{{1,2}}|[小老阿][{SURNAMES}明红华强丽芳军伟刚玲雨雪美][一-龥]?|[A-Z][a-z]+(?: [A-Z][a-z]+)?)"
NUMBER_ZH = r"(?:\d[\d,]*(?:\.\d+)?|[零〇一二两三四五六七八九十百千万半]{1,7})"
DISEASES_ZH = (
    r"(?:[一-龥]{0,6}(?:(?<!毛)(?<![看生有没得治犯养]|心)病|症|炎|癌|瘤|结节|结石|囊肿|增生|息肉|综合征|突出|反流|溃疡|骨折|脱位|硬化|骨刺)|(?:过敏性)?哮喘|贫血|痛风|湿疹|高血压|高血脂|高血糖|低血糖|低血压|糖尿病|脂肪肝|甲亢|甲减|抑郁|焦虑症|失眠"
    r"|偏头痛|近视|远视|老花|散光|色盲|色弱|心律不齐|早搏|痔疮|静脉曲张|荨麻疹|多囊|三高|耳鸣|乙肝|癫痫|白癜风|青光眼|白内障|飞蚊症|花粉症|心脏病|抑郁症|脚气|扁平足|帕金森|阿尔茨海默|疝气)"
)
DIETS_ZH = r"(?:生酮|低碳水?|轻断食|间歇性?断食|间歇性禁食|16\+8|168|减脂餐?|减肥|控糖|低糖|无糖|戒糖|低盐|低脂|低嘌呤|低油|少油少盐|清淡|清真|纯素|全素|蛋奶素|鱼素|素食|素|无麸质|高蛋白|地中海|增肌|控制饮食|少食多餐|忌辛辣|过午不食)"
BREEDS_ZH = r"(?:金毛|拉布拉多|拉拉|哈士奇|二哈|柯基|泰迪|贵宾|比熊|柴犬|边牧|萨摩耶?|博美|吉娃娃|法斗|斗牛犬|阿拉斯加|雪纳瑞|德牧|马尔济斯|松狮|中华田园犬|土狗|巴哥|腊肠|约克夏|秋田|比格|杜宾|罗威纳|串串)(?:犬|狗)?"
CAT_BREEDS_ZH = (
    r"(?:布偶|英短|美短|橘猫|狸花|三花|奶牛猫?|蓝猫|暹罗|加菲|缅因|无毛|波斯|金渐层|银渐层|德文|田园|黑|白|橘|玄)猫?"
)
TRADES_ZH = (
    r"(?:开(?:出租车?|网约车|滴滴|货车|大货车?|公交车?|大巴|卡车|校车|叉车|挖掘机|塔吊|飞机|高铁|地铁)|跑(?:外卖|滴滴|业务|运输|长途|销售)|送(?:外卖|快递)|教(?:英语|数学|语文|物理|化学|历史|地理|生物|音乐|美术|体育|书法|钢琴|瑜伽|游泳|小学|初中|高中|书|舞蹈|画画)"
    r"|(?:做|搞|干)(?:IT|程序员|销售|财务|会计|行政|人事|运营|产品经理|产品|设计|装修|外贸|翻译|保险|房产|房地产|餐饮|物流|电商|直播|自媒体|科研|教育|金融|投资|审计|咨询|广告|新媒体|建筑|工程|木工|水电|电工|测试|开发|前端|后端|算法|生意|小生意|美容|美甲|代购|电焊|建材|服装|批发)"
    r"|种地|务农|当兵|经商|养殖|养猪|养鱼|卖(?:菜|水果|保险|房子?|车|衣服|早点|海鲜))"
)
BREEDS_EN = r"(?:beagle|poodle|labrador|lab|golden retriever|retriever|border collie|collie|corgi|husky|dachshund|greyhound|whippet|terrier|jack russell|pug|bulldog|french bulldog|frenchie|boxer|rottweiler|german shepherd|shepherd|chihuahua|spaniel|cocker spaniel|springer spaniel|cavapoo|cockapoo|labradoodle|goldendoodle|doodle|pomeranian|shih tzu|schnauzer|dalmatian|great dane|mastiff|malamute|akita|shiba(?: inu)?|sheepdog|pit ?bull|mutt|rescue dog|hound|maltese|samoyed|weimaraner|vizsla|pointer|setter)"
CAT_BREEDS_EN = r"(?:tabby|siamese|persian|maine coon|ragdoll|tortie|tortoiseshell|calico|bengal(?: cat)?|sphynx|british shorthair|tuxedo cat|ginger cat|ginger tom|black cat|rescue cat|tomcat|tom|russian blue|moggy|burmese)"
_ONES = r"(?:one|two|three|four|five|six|seven|eight|nine)"
_TENS = r"(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)"
NUMBER_EN = rf"(?:\d[\d,]*(?:\.\d+)?|{_TENS}(?:[- ]{_ONES})?|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|{_ONES})"
DISEASES_EN = (
    r"(?:diabetes|asthma|eczema|psoriasis|migraines?|arthritis|rheumatoid arthritis|anxiety|depression|adhd|add|autism|ocd|ptsd|bipolar(?: disorder)?|insomnia|sleep apn(?:o)?ea|tinnitus|vertigo|epilepsy|celiac(?: disease)?|coeliac(?: disease)?|crohn's(?: disease)?|ibs|colitis|ulcerative colitis|acid reflux|gerd|reflux"
    r"|hay ?fever|hypertension|(?:high |low )?blood pressure|(?:high )?cholesterol|an[ae]?emia|gout|scoliosis|sciatica|a heart (?:murmur|condition)|heart (?:murmur|disease|condition)|arrhythmia|afib|an? (?:underactive|overactive) thyroid|(?:underactive|overactive) thyroid|hypothyroidism|hyperthyroidism|hashimoto's|thyroid (?:problems|issues|disease)|pcos|endometriosis|fibromyalgia|lupus|ms|multiple sclerosis|parkinson's|alzheimer's|dementia"
    r"|cancer|(?:breast|skin|lung|prostate|colon) cancer|glaucoma|cataracts|astigmatism|kidney (?:stones|disease)|gallstones|an? (?:slipped|herniated) disc|herniated disc|slipped disc|carpal tunnel|tendonitis|plantar fasciitis|(?:bad |dodgy |trick )(?:knees?|back|hip|shoulder)|raynaud's|rosacea|dyslexia|narcolepsy|osteoporosis|hepatitis [abc]|long covid|an? (?:nut|peanut) allergy|a pacemaker|chronic (?:pain|fatigue|migraines|back pain))"
)
DIETS_EN = r"(?:vegan|vegetarian|pescatarian|pescetarian|keto|paleo|halal|kosher|gluten[- ]free|dairy[- ]free|sugar[- ]free|plant[- ]based|low[- ](?:carb|sodium|salt|fat|fodmap|sugar|cal(?:orie)?|gi)|high[- ]protein|mediterranean|carnivore|whole30|intermittent fasting|one meal a day|omad|calorie counting|raw food|flexitarian|the 16:8|16:8|nut[- ]free|no sugar|no carbs|liquid)"
