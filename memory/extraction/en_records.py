"""English facts that stand under a noun rather than a verb: names, numbers, codes, handles, and "X's noun is value".

"gate code's 4471", "Shoe 44, jacket 52", "my rent went up to 1,200", "my sister's birthday is 5 March", "this is Dorota".
A noun that no table knows becomes an attribute of its own when its value is a figure, a name or an address.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory.attributes import ATTRIBUTES
from memory.extraction.en_kin import KIN, NAME, attribute_of, is_name, naming, whose
from memory.extraction.pattern import Found, Lazy, Who
from memory.extraction.people import RELATIONS_EN, alternatives, somebody, theirs

_MEASURES = {
    "shoe": "shoe_size", "shoes": "shoe_size", "feet": "shoe_size", "boots": "shoe_size", "jacket": "jacket_size", "coat": "jacket_size",
    "waist": "waist", "inside leg": "inside_leg", "inseam": "inside_leg", "chest": "chest_size", "bust": "chest_size", "hips": "hip_size",
    "collar": "collar_size", "neck": "collar_size", "head": "head_size", "hat": "hat_size", "glove": "glove_size", "gloves": "glove_size",
    "ring": "ring_size", "ring finger": "ring_size", "dress": "dress_size", "trousers": "trouser_size", "jeans": "trouser_size", "shirt": "clothing_size",
    "sleeve": "sleeve_length", "bra": "bra_size", "height": "height", "weight": "weight", "wrist": "wrist_size", "helmet": "helmet_size",
    "resting heart rate": "resting_heart_rate", "resting pulse": "resting_heart_rate", "pulse": "resting_heart_rate",
}  # fmt: skip
_NUMBER = r"(?:\d[\d.,]*(?:½|/\d+)?|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen)(?: and a half| ½)?(?: ?(?:cm|mm|inch(?:es)?|in|kg|kgs|lbs?|stone|bpm|wide|narrow|uk|us|eu|[A-H])\b)?"
_MEASURE = Lazy(
    rf"(?:my |his |her )?(?P<noun>{alternatives(_MEASURES)})(?: size)?(?:'s| is| are|:| =|,)?(?: an?| about| around| roughly| exactly| size| currently| now)* (?P<v>{_NUMBER}|(?-i:(?<=ring size )[A-Z](?![\w])|XXL|XXS|XL|XS|[SML])\b)(?![\w-])(?! (?:years|months|days|weeks|people|times|of|per|miles|quid|dollars|pounds a|minutes|hours))"
)
_MONEY = r"(?:(?:US|A|C|NZ)?[$£€¥₹] ?\d[\d,.]*(?: ?(?:k|m|grand|million|thousand|hundred|bn)\b)?|\d[\d,.]* ?(?:k|grand|million|thousand|hundred|dollars|bucks|euros?|pounds|quid|yen|USD|EUR|GBP|rupees|kr|zł)\b|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))? (?:grand|thousand|hundred|million|k|quid)\b)(?: (?:ex|inc|incl|excl|plus)\.? ?vat)?"
_BUDGET = Lazy(
    rf"(?:.*?\b(?:budget|spending limit|cap|ceiling|upper limit|max|maximum|top whack|spend|sign(?:ed)? off|approved|capped|set aside|saved up|put aside|earmarked|allocated|limit|stay under|keep (?:it|this) under|can't go over|not a penny over|up to|no more than|come in under|comes in under|come in at|to spend|to play with|all in|for the lot)\b.*?)(?P<v>{_MONEY})|(?P<x>\d{{3,6}}(?: a (?:month|week|year))?) (?:[\w ]{{0,20}} )?(?:all in|max|tops|absolute ceiling|is the limit|is my limit)|(?P<w>{_MONEY}) (?:budget|to spend|to play with|max|tops|all in|set aside|is (?:my|our|the) (?:limit|max|ceiling|cap|budget)|total for|for the whole|is all (?:I've|we've|I have|we have))"
)
_TO_SPEND = re.compile(
    rf"\b(?:I|we)(?:'ve| have)?(?: only| just)? (?:got|have) (?:about |around )?(?P<v>{_MONEY}) (?:to (?:do|spend|work with|play with)|for the)",
    re.IGNORECASE,
)
_EARN = re.compile(
    rf"\b(?:I'm|im|I am|she's|he's) on (?:about |around )?(?P<v>{_MONEY})(?! (?:a drink|the clock))", re.IGNORECASE
)
_RISE = re.compile(rf"\bfrom {_MONEY} to (?P<v>{_MONEY})", re.IGNORECASE)
_BUDGET_NO = re.compile(
    r"\b(?:costs?|cost me|paid|pays?|earn|salary|rent|owe|owes|worth|charges?|bill|lottery|fine|price|bought|sold|per hour|deposit|mortgage)\b",
    re.IGNORECASE,
)
_NOUN_WORD = r"(?!(?:it|that|this|what|there|here|who|he|she|one|all|day|life|mind|point|question|problem|issue|plan|idea|guess|bad|mistake|fault|answer|advice|take|view|opinion|worry|concern|mood|turn|luck|goal|aim|hope|dream|thing|stuff|reason|excuse|theory|rule|motto|favou?rite|first|last|next|only|best|worst|biggest|main|whole|entire|other|current mood|understanding|impression|experience|feeling|heart|brain|head|body|battery|internet|apologies|thanks|word|back)\b)[a-z][a-z-]*"
_LINK = r"(?:(?:'s| is| has| have| was| just| got|'ve)*(?: just| now| been| recently| since)* (?:changed|went|gone|gone up|went up|gone down|went down|risen|rose|dropped|fell|jumped|moved|increased|raised|bumped(?: up)?|cut|reduced|shot up|crept up|updated|switched|put up|renewed|got bumped|got raised|come down|came down)(?: from (?P<old>[^,;]{1,20}?))? to(?: (?:about|around|roughly|just))?|(?:'s| is|'s now| is now| are| are now|:| =|s)(?: (?:actually|currently|now|just|only|still|officially|set at|set to|called|named|spelled|spelt|written|down as|listed as|about|around|roughly|exactly|up to|at))*|(?: now| currently)? (?:starts|ends|stands) at)"
_VALUE = r"(?P<v>[^;!?]{1,60}?)"
_OWNED = Lazy(
    rf"(?:(?P<my>(?:my|our) )(?P<rel>(?:{alternatives(KIN)})'s )?|(?P<name>{NAME})'s |(?P<his>(?:his|her|their) )|(?P<new>new )|(?P<bare>(?=(?:the )?(?:rent|mortgage|salary|wage|bday|birthday|anniversary|commute|postcode|zip code|dob|surname|maiden name|hometown|day job|blood type|job title)(?:'s|s| is|:| has| went| just)))(?:the )?)(?:new |current |old |own |actual |full |total |real |present |monthly |weekly |annual |home |work |direct |main |usual )?(?P<noun>day job|first language|go-to|{_NOUN_WORD}(?: {_NOUN_WORD}){{0,2}}?)(?: numbers?| no\.?)?{_LINK} {_VALUE}(?= *$|[,;!](?!\d)|\. |\)| (?:and|but|so|because|now|since|from|as of|instead|these days|per|a month|a year|if|which|though|tho|this year|starting|after|before|until|not|please)\b)"
)
_SPECIFIC = re.compile(
    r"(?:about |around |roughly |only |just )*(?:[$£€¥₹#+@]?\d|(?-i:[A-Z])[\w'.&-]+)|[\w.+-]+@[\w-]+\.\w+|\w+\.(?:com|org|net|io|co)\b"
)
_PLAIN_NOUNS = {"hobby": "likes", "hobbies": "likes", "interest": "likes", "job": "occupation", "day job": "occupation", "new job": "occupation", "job title": "occupation", "title": "occupation", "role": "occupation", "profession": "occupation", "occupation": "occupation", "major": "major", "degree": "education", "course": "major", "diet": "diet", "pronouns": "pronouns", "native language": "native_language", "first language": "native_language", "mother tongue": "native_language", "go-to": "likes", "comfort food": "likes", "guilty pleasure": "likes", "pet peeve": "dislikes", "blood type": "blood_type", "star sign": "zodiac", "hometown": "hometown", "employer": "employer", "boss": "boss", "nickname": "nickname", "gamertag": "username", "handle": "username", "username": "username", "date of birth": "birthday", "dob": "birthday", "bday": "birthday", "birthday": "birthday", "anniversary": "anniversary", "wedding anniversary": "anniversary", "phone": "phone", "number": "phone", "mobile": "phone", "cell": "phone", "email": "email", "address": "address", "postcode": "postcode", "zip code": "postcode", "zip": "postcode", "rent": "rent", "mortgage": "mortgage", "pay": "salary", "wage": "salary", "salary": "salary", "income": "salary", "base": "salary", "commute": "commute", "height": "height", "weight": "weight", "age": "age", "name": "name", "surname": "surname", "maiden name": "maiden_name", "middle name": "middle_name", "speciality": "specialty", "instrument": "skill", "religion": "religion", "nationality": "nationality", "team": "favorite_team", "car": "car", "ride": "car", "bike": "bike", "phone model": "phone_model", "laptop": "laptop"}  # fmt: skip
_ATTRIBUTES = {**ATTRIBUTES.nouns("en"), **_PLAIN_NOUNS}
_ADJECTIVE = re.compile(
    r"(?:so |very |really |too |not |a bit |pretty |quite |getting |going |being |in |on |at |under |over |the worst|the best|great|good|bad|fine|ok|okay|hard|tough|dead|ruined|broken|killing|driving|stressful|boring|awful|terrible|amazing|long|short|far|fun|busy|late|due|ready|done|gone|full|empty|wrong|right|better|worse|nice|simple|that|this|to |up|down|out|off|acting|playing|running|making|having|taking|like|a (?:joke|mess|nightmare|disaster|pain|lot|secret|mystery|blur|dream|lie)|here|there|back|still|always|never|a|none|nothing|everything|what|when|where|how|if|whether|because|you|mine|yours|his|hers|it|my|your)\b",
    re.IGNORECASE,
)
_CODE_NOUN = r"(?:[a-z-]+ ){0,2}?(?:code|pin|passcode|password|wi-?fi(?: password)?|combination|combo|reference|ref|booking ref|locator|membership|account|policy|order|tracking|case|ticket|claim|invoice|confirmation|reservation|serial|licen[cs]e|permit|plate|reg|registration|passport|nhs|ni|student|employee|staff|customer|member|library card|loyalty|frequent flyer|contract|pnr|po|job|docket|application|crn|siret|vat|meter|mrn|patient|badge|locker|room|seat|flight|imei|sort code|iban)"
_CODE = Lazy(
    rf"(?:(?:my|our|the|new|it's|his|her) )?(?P<noun>{_CODE_NOUN})(?: (?:no\.?|numbers?|#|id|ref(?:erence)?|code))?(?: (?:at|for|on|to) (?:mine|ours|[\w' ]{{2,16}}?))?(?:'s| is|s| are|:| =|,)?(?: now| still)? ?(?P<v>[#№]?(?=[\w/.-]*\d)[A-Za-z0-9][A-Za-z0-9/._-]{{2,30}}(?: \d{{2,6}}){{0,3}}#?|\ufffc{{4,34}})(?= *$|[,;!).]| (?:with|for|on|and|if|in|all|but|at|now|not|expires|please|as|from|via|renewal)\b)"
)
_CODE_NAMES = {"policy": "policy_number", "account": "account_number", "order": "order_number", "tracking": "tracking_number", "case": "case_number", "ticket": "ticket_number", "claim": "claim_number", "invoice": "invoice_number", "confirmation": "booking_number", "reservation": "booking_number", "booking ref": "booking_number", "booking reference": "booking_number", "booking": "booking_number", "locator": "booking_number", "pnr": "booking_number", "reference": "reference_number", "ref": "reference_number", "serial": "serial_number", "plate": "plate_number", "reg": "plate_number", "registration": "plate_number", "passport": "passport_number", "student": "student_number", "employee": "employee_number", "staff": "employee_number", "customer": "account_number", "member": "member_number", "membership": "member_number", "contract": "contract_number", "room": "room_number", "seat": "seat_number", "flight": "flight_number", "wifi": "wifi_password", "wi-fi": "wifi_password", "wifi password": "wifi_password", "licence": "license_number", "license": "license_number", "library card": "library_card_number", "loyalty": "loyalty_number", "frequent flyer": "frequent_flyer_number", "meter": "meter_number", "nhs": "nhs_number", "ni": "ni_number", "application": "application_number", "permit": "permit_number", "patient": "patient_number", "mrn": "patient_number", "locker": "locker_number", "badge": "badge_number"}  # fmt: skip
_WITH = Lazy(
    r".*?\b(?:policy|insurance|cover|account|mortgage|pension|isa|broadband|contract|phone contract)\b.{0,40}? (?:is |'s |are |now |be )?with (?P<v>(?-i:[A-Z])[\w&'-]+(?: (?-i:[A-Z])[\w&'-]+){0,2})"
)
_PHONE = r"\+?\(?\d[\d ()-]{6,17}\d"
_CONTACT = re.compile(
    r"\b(?:mobile|cell|phone|number|landline|whatsapp|reach me|text me|ring me|call me|get me on|extension|ext\.|my personal|personal one|use my|contact me|office line|extension)\b",
    re.IGNORECASE,
)
_NOT_MINE = re.compile(
    r"\b(?:their|your|his|her|the (?:doctor|clinic|bank|school|hotel|shop|office|plumber|helpline|surgery)(?:'s)?|call (?:them|him|her|us)|their'?s|switchboard|emergenc|hotline|customer service)\b",
    re.IGNORECASE,
)
_PLATFORM = r"(?:Signal|Telegram|Instagram|Insta|IG|Discord|Twitter|X|GitHub|GitLab|Twitch|Steam|Skype|Snapchat|Snap|TikTok|Reddit|LinkedIn|Bluesky|Mastodon|Threads|Strava|PSN|Xbox(?: Live)?|Switch|WhatsApp|Facebook|FB|Goodreads|Letterboxd|Ravelry|Duolingo|Spotify|YouTube|Pinterest|Venmo|PayPal|Etsy|Slack|WeChat|Chess\.com|Lichess)"
_HANDLE = Lazy(
    rf"(?:(?:I'm|im|find me|add me|follow me|it's|its|its just|my (?:handle|username|gamertag|tag|user|user ?name)(?:'s| is|s)?) (?:at |as )?)?(?P<v>@?[\w.#-]{{3,30}}) (?:on|over on|for) (?P<on>{_PLATFORM})(?![\w])"
)
_ON_HANDLE = Lazy(
    rf"(?:my )?(?P<on>{_PLATFORM})(?: (?:handle|username|user|id|tag|name|account|add))?(?:'s| is|:|=| -| –) ?(?P<v>@?[\w.#-]{{3,30}})(?= *$|[,;.)!]| (?:and|but|with|on|if|all)\b)"
)
_AS_HANDLE = Lazy(
    rf"(?:I'm|im|I am|find me|add me|I'm also) on (?P<on>{_PLATFORM}) (?:as|at|under)(?: the name)? (?P<v>@?[\w.#-]{{3,30}})"
)
_TAGGED = Lazy(
    r"(?:my )?(?:gamertag|gamer tag|handle|user ?name|screen ?name|login|tag|user id)(?: (?:there|on \w+))?(?:'s| is|s|:| =) ?(?P<v>@?[\w.#-]{3,30})"
)
_EMAIL = Lazy(
    r"(?:.*?\b(?:e-?mail|reach|contact|write to|mail|address|inbox|get me|ping)\b.*?)?(?P<v>[\w.+-]+@[\w-]+(?:\.[\w-]+){1,4})"
)
_THEIR_EMAIL = Lazy(
    rf"\bmy (?:[\w-]+ )?(?P<noun>{alternatives(RELATIONS_EN)})'s (?:[a-z]+ )?(?:e-?mail|inbox)\b[^,;]*@"
)
_FULL = rf"(?P<v>{NAME}(?: {NAME}){{0,3}})"
_NAME_HERE = Lazy(
    rf"(?:{_FULL} (?:here|speaking|checking in|reporting|signing in)(?= *$|[,.!;-])|{_FULL.replace('<v>', '<w>')} from (?:the )?(?P<org>(?-i:[A-Z])[\w&'-]+(?: (?-i:[A-Z])[\w&'-]+){{0,3}}) here|(?:hi|hello|hey|hiya),? (?:this is|it's|its) {_FULL.replace('<v>', '<x>')}|(?:this is|it's|its) {_FULL.replace('<v>', '<y>')} (?:btw|by the way|here|again|speaking|from)\b)"
)
_NAME_IS = Lazy(
    rf"(?:(?:my|the|her|his) )?(?:(?:full|real|legal|actual|proper|official|birth|given|christian|government)(?: (?:legal|first|given))?(?: name)?|(?:first )?name)(?:'s| is|:|s)(?: (?:actually|really|just|officially|legally|technically))* {_FULL}"
)
_IRL = Lazy(
    rf"(?:irl|in real life|offline|in person|on paper|legally|officially|on my passport|on the mortgage|on the form|at birth|professionally),? (?:it's|its|I'm|im|it is|I am)(?: just| actually)* {_FULL}"
)
_NICK = Lazy(
    rf"(?:(?:everywhere else|to (?:my )?(?:friends|mates|family|everyone(?: else)?|the (?:lads|team|kids))|at (?:home|work)|around here|in the office|for short|day to day) ?(?:it's|its|I'm|im|just)?(?: just)? {_FULL}|(?:just|but everyone|everyone|everybody|people|(?:my )?(?:friends|mates|family|colleagues|cousins|teammates|nephews|nieces|students)(?: (?:from|at|in) [a-z]+)?|most people|the lads|the team|the kids) (?:just |all |mostly )?calls? me {_FULL.replace('<v>', '<w>')}|(?:I )?(?:go|goes|going|prefer to go) by {_FULL.replace('<v>', '<x>')}|(?:please )?(?:just )?call me {_FULL.replace('<v>', '<y>')}|or {_FULL.replace('<v>', '<z>')} (?:if you're|if youre|to) |{_FULL.replace('<v>', '<u>')} (?:for short|to my friends|to everyone|to most people|will do|is fine)\b)"
)
_NICK_NO = re.compile(r"^(?:When|Whatever|Later|Back|Crazy|Tomorrow|Old|Ishmael|Maybe|If|Mad|Anything)\b")


def records(said: str, text: str, me: Who, third: Who | None) -> list[Found]:
    """The facts of one segment that stand under a noun; `text` is the segment as written."""
    return list(_records(said, text, me, third))


def _group(m: re.Match[str]) -> str:
    return next(g for g in ("v", "w", "x", "y", "z", "u") if m.groupdict().get(g))


def _records(said: str, text: str, me: Who, third: Who | None) -> Iterator[Found]:
    who = me
    if m := _MEASURE.match(said):
        noun = m["noun"].lower()
        yield Found(who, _MEASURES[noun], m["v"].strip(" ,."), f"{me.shown}'s {noun} size is {m['v']}")
        return
    if m := _NAME_HERE.match(said):
        name = is_name(m[_group(m)])
        if name:
            yield Found(me, "name", name, f"{me.shown}'s name is {name}")
            if m["org"]:
                yield Found(me, "employer", m["org"], f"{me.shown} works at {m['org']}")
            return
    for pattern in (_NAME_IS, _IRL):
        if (m := pattern.match(said)) and (name := is_name(m["v"])):
            yield Found(me, "name", name, f"{me.shown}'s name is {name}")
            return
    if (m := _NICK.match(said)) and (name := is_name(m[_group(m)])) and not _NICK_NO.match(name):
        of = third if third and "for short" in said else me
        yield Found(of, "nickname", name, f"{of.shown} goes by {name}")
        return
    for pattern in (_AS_HANDLE, _HANDLE, _ON_HANDLE):
        m = pattern.match(said)
        if m and (m["v"][0] == "@" or re.search(r"[\d_]", m["v"]) or pattern is not _HANDLE):
            on = m["on"].lower()
            on = {"insta": "instagram", "ig": "instagram", "fb": "facebook", "snap": "snapchat"}.get(on, on)
            yield Found(me, on.replace(" ", "_"), m["v"], f"{me.shown} is {m['v']} on {on}")
            return
    if m := _TAGGED.match(said):
        yield Found(me, "username", m["v"], f"{me.shown}'s username is {m['v']}")
        return
    if m := _CODE.match(said):
        noun = re.sub(r" (?:no|number|id|ref)\.?$", "", m["noun"].lower()).strip()
        value = text[m.start("v") : m.end("v")].strip("\"'“”‘’ .")
        if value and not re.fullmatch(r"(?:19|20)\d\d", value):
            attribute = _CODE_NAMES.get(noun, noun.replace(" ", "_").replace("-", ""))
            yield Found(me, attribute, value, f"{me.shown}'s {noun} is {value}")
            if also := _WITH.match(said):
                yield Found(
                    me,
                    "insurer" if "polic" in noun or "insur" in said else "provider",
                    also["v"],
                    f"{me.shown}'s {noun} is with {also['v']}",
                )
            return
    if "@" in said and (m := _EMAIL.fullmatch(said.strip(" ."))) and not _NOT_MINE.search(said):
        whose_it_is = _THEIR_EMAIL.pattern.search(said)
        noun = whose_it_is["noun"].lower() if whose_it_is else ""
        who = theirs(me, noun, RELATIONS_EN[noun], "en") if noun else me
        yield Found(who, "email", m["v"], f"{who.shown}'s email is {m['v']}")
        return
    yield from _owned(said, me, third)


def _owned(said: str, me: Who, third: Who | None) -> Iterator[Found]:
    m = _OWNED.match(said)
    if m is None or (m["his"] and third is None):
        return
    noun = m["noun"].lower().removesuffix(" is")
    value = m["v"].strip(" .,")
    attribute = _ATTRIBUTES.get(noun)
    if attribute in set(KIN.values()) and not m["new"]:
        name = is_name(re.sub(r"^(?:called|named) ", "", value))
        if name and (m["rel"] or m["name"] or m["his"]):
            who = _of(m, me, third)
            yield Found(who, attribute_of(noun), name, f"{who.shown}'s {noun} is called {name}")
        return
    if attribute == "name" and m["rel"]:
        if name := is_name(value):
            yield naming(me, m["rel"].removesuffix("'s "), name)
        return
    if ATTRIBUTES.get(attribute or "").kind == "name" and not is_name(value):
        return
    if any(word in KIN for word in (noun, *noun.split())) or not value or "\ufffc" in value or _ADJECTIVE.match(value):
        return
    if re.search(
        r"%|\bper ?cent\b|^(?:fine|wrong|correct|right|ok|okay|good|taken|broken|missing|blocked|locked)\b", value
    ):
        return
    if attribute is None and re.match(r"\d\d?[:.]\d\d\b", value):
        return
    if attribute is None and (
        re.search(r"\b(?:old|minutes?|hours?|late|behind)\b", value)
        or noun.endswith(("phone", "battery", "inbox", "knees", "back", "brain", "liver", "heart", "soul", "patience"))
    ):
        return
    if attribute is None and (
        m["new"] or not re.match(r"(?:about |around |roughly )*[$£€¥₹#+]?\d", value) or len(noun.split()) > 2
    ):
        return
    if attribute is not None and attribute not in set(_PLAIN_NOUNS.values()) and not _SPECIFIC.match(value):
        return
    if ATTRIBUTES.get(attribute or "").kind in ("number", "id", "date") and not re.search(
        r"\d|[A-Z]{3}|first|second|third|hundred|thousand|grand", value
    ):
        return
    if len(value.split()) > 7 or re.search(r"\b(?:you|your|I|we)\b", value):
        return
    who = _of(m, me, third)
    slot = attribute or re.sub(r"[ '-]+", "_", noun)
    yield Found(who, slot, value, f"{who.shown}'s {noun} is {value}")


def _of(m: re.Match[str], me: Who, third: Who | None) -> Who:
    if m["rel"]:
        return whose(me, m["rel"].removesuffix("'s "))
    if m["name"]:
        return somebody(me, m["name"])
    return third if m["his"] and third else me


_FIGURE = re.compile(r"\d|grand|thousand|hundred|million|quid|k\b", re.IGNORECASE)
"""Without one there is neither an amount nor a phone number."""


def numbers(said: str, me: Who) -> list[Found]:
    """What a whole clause says of money to spend and of how to phone the one who speaks."""
    out: list[Found] = []
    if not _FIGURE.search(said):
        return out
    m = _BUDGET.match(said)
    if m and not _BUDGET_NO.search(said):
        rise = _RISE.search(said)
        value = rise["v"] if rise else m[_group(m)]
        out.append(Found(me, "budget", value, f"{me.shown}'s budget is {value}"))
    elif m := _TO_SPEND.search(said):
        out.append(Found(me, "budget", m["v"], f"{me.shown}'s budget is {m['v']}"))
    elif (m := _EARN.search(said)) and re.match(r"i", m[0], re.IGNORECASE):
        out.append(Found(me, "salary", m["v"], f"{me.shown}'s income is {m['v']}"))
    if (phone := re.search(_PHONE, said)) and _CONTACT.search(said) and not _NOT_MINE.search(said):
        digits = sum(c.isdigit() for c in phone[0])
        if 7 <= digits <= 15:
            out.append(Found(me, "phone", phone[0].strip(), f"{me.shown}'s phone is {phone[0].strip()}"))
    return out
