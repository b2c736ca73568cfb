"""Forms and codes in Chinese messages: 姓名：林晓, 性别 女, 护照EJ1234567, 家里WiFi密码 abcd1234, 紧急联系人 母亲 王芳 139...

A label with a colon, a space or 是 behind it gives a field; one straight before a code needs no link.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory.attributes import ATTRIBUTES
from memory.extraction.pattern import Found, Lazy, Who
from memory.extraction.people import RELATIONS_ZH, alternatives, theirs
from memory.extraction.values import CHECKS, whole

CODES = {
    "护照": "passport_number", "护照号": "passport_number", "护照号码": "passport_number", "学号": "student_number", "工号": "employee_number", "准考证号": "exam_number", "考号": "exam_number", "身份证": "id_number", "身份证尾号": "id_number", "手机尾号": "phone", "身份证号": "id_number",
    "驾照号": "license_number", "驾驶证号": "license_number", "驾照档案号": "license_number", "港澳通行证": "travel_permit_number", "通行证": "travel_permit_number", "社保号": "social_security_number", "社保卡号": "social_security_number", "医保卡号": "insurance_card_number", "就诊卡号": "clinic_card_number", "就诊号": "clinic_card_number", "病历号": "record_number", "住院号": "record_number",
    "车牌": "plate_number", "车牌号": "plate_number", "车架号": "vin_number", "手机": "phone", "手机号": "phone", "手机号码": "phone", "电话": "phone", "联系电话": "phone", "座机": "phone", "新号码": "phone", "新号": "phone", "微信": "wechat", "微信号": "wechat", "QQ": "qq", "QQ号": "qq", "扣扣": "qq", "企鹅号": "qq", "邮箱": "email", "电子邮箱": "email", "常用邮箱": "email", "钉钉": "dingtalk", "飞书": "feishu", "抖音号": "username", "小红书号": "username", "B站UID": "username", "UID": "username", "用户名": "username", "GitHub": "github", "GitHub账号": "github", "推特": "twitter", "ins": "instagram", "Steam": "steam",
    "WiFi密码": "wifi_password", "Wi-Fi密码": "wifi_password", "无线密码": "wifi_password", "无线网密码": "wifi_password", "wifi密码": "wifi_password", "门锁密码": "door_code", "门禁密码": "door_code", "密码锁密码": "door_code", "大门密码": "door_code", "取件码": "pickup_code", "取餐码": "pickup_code", "邀请码": "invitation_code", "邮编": "postal_code", "订单号": "order_number", "订单编号": "order_number", "快递单号": "tracking_number", "运单号": "tracking_number", "会员号": "member_number", "会员卡号": "member_number", "卡号": "bank_account_number", "银行卡号": "bank_account_number", "公积金账号": "housing_fund_number", "户号": "utility_number", "电费户号": "utility_number", "水费户号": "utility_number", "燃气户号": "utility_number", "发票税号": "tax_number", "税号": "tax_number", "合同号": "contract_number", "保单号": "policy_number", "预约号": "booking_number", "航班": "flight_number", "航班号": "flight_number", "车次": "train_number", "座位号": "seat_number", "房间号": "room_number", "宿舍号": "room_number", "门牌号": "house_number", "工位号": "desk_number", "序列号": "serial_number", "报修单号": "ticket_number", "工单号": "ticket_number", "案号": "case_number", "账号": "account_number", "教工号": "employee_number", "编号": "number_code", "借书证号": "library_card_number", "读者证号": "library_card_number",
}  # fmt: skip
TEXTS = {
    "姓名": "name", "名字": "name", "真实姓名": "name", "性别": "gender", "民族": "ethnicity", "籍贯": "hometown", "祖籍": "hometown", "老家": "hometown", "出生地": "birthplace", "国籍": "nationality", "户籍": "household_registration", "户口所在地": "household_registration", "现居": "home", "现居地": "home", "现住址": "address", "通讯地址": "address", "联系地址": "address", "办公地址": "office_address", "公司地址": "office_address", "新地址": "address", "汉字": "name", "中文名": "name", "本名": "name", "东家": "employer", "英文姓名": "english_name", "拼音": "pinyin", "住址": "address", "地址": "address", "家庭住址": "address", "收货地址": "address", "收件地址": "address", "坐标": "home", "所在城市": "home", "所在地": "home", "常住地": "home",
    "职业": "occupation", "岗位": "occupation", "职务": "occupation", "职位": "occupation", "职称": "job_title", "单位": "employer", "工作单位": "employer", "公司": "employer", "部门": "department", "学校": "school", "毕业院校": "school", "毕业学校": "school", "院校": "school", "专业": "major", "学历": "education", "最高学历": "education", "学位": "education", "年级": "education", "班级": "class",
    "年龄": "age", "生日": "birthday", "出生日期": "birthday", "出生年月": "birthday", "身高": "height", "体重": "weight", "血型": "blood_type", "鞋码": "shoe_size", "星座": "zodiac", "属相": "zodiac", "生肖": "zodiac", "婚姻状况": "marital_status", "婚姻": "marital_status", "婚否": "marital_status", "政治面貌": "political_status", "宗教信仰": "religion", "信仰": "religion", "爱好": "likes", "兴趣爱好": "likes", "特长": "skill", "忌口": "dietary_restriction", "过敏史": "allergy", "过敏源": "allergy", "过敏原": "allergy", "过敏药物": "allergy", "既往病史": "health", "病史": "health", "MBTI": "mbti", "昵称": "nickname", "网名": "nickname", "英文名": "nickname", "小名": "nickname", "期望薪资": "expected_salary", "紧急联系人": "emergency_contact", "时区": "timezone", "母语": "native_language",
}  # fmt: skip
_NOT_TEXT = re.compile(
    r"^(?:同上|无|略|暂无|没有|没|保密|不详|待定|不便|未知|见附件|是|很|太|的|在哪|什么|多少|怎么)|[吗呢？?]|怎么|什么"
)
_ONLY_LINKED = Lazy(
    rf"(?:[（(【\[].{{0,6}}[】\])）])?(?P<who>(?:我|本人)(?:的)?|(?:我|我的|我家)?(?:{alternatives(RELATIONS_ZH)})的)?(?P<label>{alternatives(TEXTS)})(?: ?[:：] ?| +|(?:已|现|现已|正式)?(?:变更|更改|更换|更新|改|换|调整|搬)(?:为|成|到|至)了?|(?<=东家)是|(?<=汉字)|(?<=性别)(?=[男女]$)|(?<=民族)(?=[一-龥]{{1,4}}族$)|(?<=血型)(?=[ABO]))(?P<v>[^ ，,；;：:]{{1,40}}(?: (?=[^ ：:]{{1,12}}$)[^ ，,：:]{{1,24}})?)",
    re.IGNORECASE,
)
_CODE = r"(?P<v>[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼]?[A-Za-z0-9][A-Za-z0-9@_.·*/-]{2,40}(?: \d{3,6}){0,4})"
_BEFORE_CODE = Lazy(
    rf"(?:[^，,]{{0,8}}?)(?P<who>(?:(?:我|我们|本人|家里|公司|宿舍|办公室)(?:的|家的?)?|(?:我|我的|我家)?(?:{alternatives(RELATIONS_ZH)})的?))?(?:新的?|旧的?|工作|常用|个人|现在的?|家里的?)*(?P<label>{alternatives(CODES)})(?:号码|号)?(?:现在|就|已经|还)*(?:[:：]|是|为|换成了?|改成了?|变成了?|变了)* ?{_CODE}(?:了|的|[^A-Za-z0-9，,].{{0,12}})?",
    re.IGNORECASE,
)
_EMERGENCY = Lazy(
    rf"紧急联系人(?:请登记|是|填|写|为|登记)*(?:[:：]| )*(?P<rel>(?:我)?(?:{alternatives(RELATIONS_ZH)}))?(?:[:： ])*(?P<name>[一-龥]{{2,4}})?(?:[:： ])*(?:电话|手机号?)?(?:[:： ])*(?P<v>1\d{{2}}[ -]?\d{{4}}[ -]?\d{{4}})?"
)


def fields(view: str, text: str, start: int, end: int, me: Who) -> list[Found]:
    """The fields of the form that `view[start:end]` is a line of; nothing when it is no such line."""
    if m := _EMERGENCY.fullmatch(view, start, end):
        return list(_emergency(m, me))
    pieces = [(m.start(), m.end()) for m in re.finditer(r"[^；;]+?(?= [一-龥A-Z]{2,6}[:： ]|$|；|;)", view[start:end])]
    found: list[Found] = []
    for a, b in pieces:
        while a < b and view[start + a] in " （(":
            a += 1
        found += _field(view, text, start + a, start + b, me)
    return found


def _owner(said: str | None, me: Who) -> Who:
    noun = re.sub(r"^(?:我家|我们|我)?的?|的$", "", said or "")
    return theirs(me, noun, RELATIONS_ZH[noun], "zh") if noun in RELATIONS_ZH else me


def _field(view: str, text: str, start: int, end: int, me: Who) -> Iterator[Found]:
    if m := _BEFORE_CODE.fullmatch(view, start, end):
        value = whole(text[m.start("v") : m.end("v")].rstrip(" .-"))
        by_fold = {k.casefold(): a for k, a in CODES.items()}
        attribute = by_fold[m["label"].casefold()]
        if m["label"] == "卡号" and re.search(r"(?![行用蓄的我本人卡])[一-龥]$", view[start : m.start("label")]):
            return  # the number of some other card
        if (
            value
            and (re.search(r"\d", value) or "@" in value or len(value) >= 6)
            and not re.search(r"\*{3}|x{4}", value)
        ):
            who = _owner(m["who"], me)
            yield Found(who, attribute, value, f"{who.shown}的{m['label']}是{value}")
        return
    if m := _ONLY_LINKED.fullmatch(view, start, end):
        attribute = {k.casefold(): a for k, a in TEXTS.items()}[m["label"].casefold()]
        said = text[m.start("v") : m.end("v")].strip(" 。.!！")
        if _NOT_TEXT.search(said):
            return
        check = ATTRIBUTES.get(attribute).kind
        value = CHECKS[check](said, "zh") if check in ("name", "number", "place") else whole(said)
        if value:
            who = _owner(m["who"], me)
            yield Found(who, attribute, value, f"{who.shown}的{m['label']}是{value}")


def _emergency(m: re.Match[str], me: Who) -> Iterator[Found]:
    if not m["name"] and not m["v"]:
        return
    noun = (m["rel"] or "").removeprefix("我")
    value = m["name"] or m["v"]
    yield Found(me, "emergency_contact", value, f"{me.shown}的紧急联系人是{noun}{value}")
    who = theirs(me, noun, RELATIONS_ZH[noun], "zh") if noun else Who(value, value)
    if noun and m["name"]:
        yield Found(who, "name", m["name"], f"{who.shown}叫{m['name']}")
    if m["v"] and m["v"] != value:
        yield Found(who, "phone", m["v"], f"{who.shown}的电话是{m['v']}")
