"""Nouns that a figure may follow in Chinese talk: 利率3.1, 尿酸590, 帽围59, 月供2780. One table, one rule."""

from __future__ import annotations

from memory.extraction.pattern import Found, Lazy, Who
from memory.extraction.people import RELATIONS_ZH, alternatives, theirs
from memory.extraction.vocabulary import NUMBER_ZH

NOUNS = {
    "利率": "interest_rate", "年利率": "interest_rate", "月供": "monthly_payment", "房贷": "mortgage", "车贷": "car_loan", "贷款": "loan", "网贷": "debt", "欠款": "debt", "外债": "debt", "首付": "down_payment", "存款": "savings", "积蓄": "savings", "手头": "savings", "手里": "savings", "卡里": "savings", "预算": "budget", "定存": "savings", "公积金": "housing_fund", "公积金余额": "housing_fund", "社保基数": "social_security_base",
    "物业费": "property_fee", "学费": "tuition", "托费": "tuition", "托班费": "tuition", "保费": "premium", "生活费": "living_allowance", "零花钱": "allowance", "电费": "electricity_bill", "水费": "water_bill", "话费": "phone_bill", "月租": "price", "房租": "price", "租金": "price", "押金": "deposit", "定金": "deposit", "彩礼": "betrothal_gift", "年终奖": "bonus", "提成": "commission", "时薪": "salary", "日薪": "salary", "月薪": "salary", "年薪": "salary", "工资": "salary", "税后工资": "salary", "到手工资": "salary", "底薪": "salary", "退休金": "salary", "养老金": "salary", "稿费": "income", "月收入": "salary", "年收入": "salary",
    "腰围": "waist", "胸围": "chest_size", "上胸围": "chest_size", "臀围": "hip_size", "头围": "hat_size", "帽围": "hat_size", "帽子": "hat_size", "颈围": "neck_size", "领围": "neck_size", "肩宽": "shoulder_width", "臂长": "arm_length", "袖长": "sleeve_length", "腿长": "leg_length", "裤长": "pants_length", "脚长": "foot_length", "足长": "foot_length", "手围": "wrist_size", "腕围": "wrist_size", "戒指": "ring_size", "指围": "ring_size", "圈口": "bracelet_size", "手套": "glove_size", "鞋码": "shoe_size", "鞋": "shoe_size", "鞋子": "shoe_size", "脚": "shoe_size", "裤子": "pants_size", "裤腰": "waist", "上衣": "clothing_size", "衣服": "clothing_size", "外套": "clothing_size", "T恤": "clothing_size", "校服": "clothing_size", "工装": "clothing_size", "衬衫": "clothing_size", "内衣": "bra_size", "文胸": "bra_size",
    "体脂": "body_fat", "体脂率": "body_fat", "BMI": "bmi", "血压": "blood_pressure", "静息心率": "resting_heart_rate", "心率": "heart_rate", "视力": "eyesight", "裸眼视力": "eyesight", "瞳距": "pupillary_distance", "散光": "astigmatism", "左眼": "left_eye", "右眼": "right_eye", "身高": "height", "净身高": "height", "体重": "weight",
    "层高": "ceiling_height", "客厅净宽": "living_room_width", "客厅宽": "living_room_width", "建面": "area", "面积": "area", "套内": "area", "建筑面积": "area", "使用面积": "area", "门宽": "door_width", "里程": "mileage", "公里数": "mileage", "表显": "mileage", "油耗": "fuel_consumption", "胎压": "tire_pressure", "网速": "bandwidth", "宽带": "bandwidth", "流量": "data_plan", "内存": "memory_size", "硬盘": "disk_size",
    "绩点": "gpa", "GPA": "gpa", "均分": "gpa", "高考": "gaokao_score", "高考分数": "gaokao_score", "考研初试": "exam_score", "初试": "exam_score", "雅思": "ielts_score", "托福": "toefl_score", "GRE": "gre_score", "四级": "cet4_score", "六级": "cet6_score", "驾龄": "driving_years", "工龄": "working_years", "教龄": "teaching_years", "党龄": "party_years", "年假": "annual_leave", "半马": "half_marathon_pb", "全马": "marathon_pb", "PB": "personal_best", "工位": "desk_number", "展位": "booth_number", "车位": "parking_space", "楼层": "floor", "座位": "seat_number", "床位": "bed_number", "宿舍": "dormitory",
}  # fmt: skip
"""Noun to attribute."""
HEALTH = "尿酸|空腹血糖|餐后血糖|血糖|血脂|胆固醇|低密度|甘油三酯|转氨酶|肌酐|血红蛋白|白细胞|血小板|TSH|糖化|糖化血红蛋白|骨密度|肺活量|甲胎蛋白|HCG|孕酮|AMH"
"""Figures of a laboratory, kept with their noun."""

_FIGURE = rf"(?P<v>(?:¥|￥)?(?:{NUMBER_ZH}(?:\.\d+)?(?:[/:：×xX-]\d+(?:\.\d+)?)?(?:万|千|百|k|K|w|W)?(?:[一二三四五六七八九\d]{{1,2}})?(?:多)?(?:块钱?|元|美元|欧元|刀|平米?|平方米?|平|米|厘米|公分|毫米|cm|mm|m|公斤|斤|kg|个点|点|%|％|分|度|年|天|小时|码|号|公里|万公里|个|G|T|M|兆|寸|层|楼|次|升|L)?[一二三四五六七八九半]?|[XSML]{{1,4}}码?|\d?XL|[A-Z]?\d{{1,4}}[A-Z]?|[均大中小]码|\d{{2}}[A-G]))"
_MEASURE = Lazy(
    rf"(?P<who>我(?:们)?(?:家)?(?:的)?|本人的?|家里的?|现在的?|目前的?|(?:我|我家)?(?:{alternatives(RELATIONS_ZH)})的?)?(?:现在|目前|每个?月|一个月|税前|税后|到手|净|实际|上衣|平时|一年)*(?:的)?(?:(?P<noun>{alternatives(NOUNS)})|(?P<lab>{HEALTH}))(?:方面|上|余额|总共|一共)?(?:现在|目前|已经|大概|大约|差不多|就|都|也|才|只有|只|还剩|还有|还欠|剩下?|是|有|要|得|穿|戴|买|拿|量的?|测|到|高达|达到|一个月|每个?月|一年|每年|从[^，,]{{1,10}}?|涨|加|升|降|跌|减|跑|跑进|考了?|交|存了?|付了?|发了?|凑了?|掏了?|攒了?|成|为|至|了|[:： ])*{_FIGURE}(?:左右|上下|以内|出头|了|的|一个月|每月|一年|封顶|不到|多|啊|吧|[。!~ ])*",
)


def measures(view: str, text: str, start: int, end: int, me: Who) -> list[Found]:
    """The figure of a noun of the table: of the one who speaks, or of one of theirs."""
    m = _MEASURE.fullmatch(view, start, end)
    if m is None:
        return []
    said = (m["who"] or "").removeprefix("我家").removeprefix("我").removesuffix("的")
    who = theirs(me, said, RELATIONS_ZH[said], "zh") if said in RELATIONS_ZH else me
    value = text[m.start("v") : m.end("v")].strip()
    if m["lab"]:
        return [Found(who, "health", f"{m['lab']}{value}", f"{who.shown}{m['lab']}{value}")]
    noun = m["noun"]
    attribute = next(a for n, a in NOUNS.items() if n.casefold() == noun.casefold())
    return [Found(who, attribute, value, f"{who.shown}的{noun}是{value}")]
