"""What English clauses say of a person: names, age, body and health, food, numbers, how to reach them. Rules only."""

from __future__ import annotations

from memory.extraction.pattern import Fact, rule
from memory.extraction.patterns_en import END, A, B, V
from memory.extraction.vocabulary import DIETS_EN, DISEASES_EN, NUMBER_EN

_NM = r"(?P<v>(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+){0,2})"
_WHO = r"(?:my |the |all |most )?(?:friends?|family|people|everyone|everybody|folks|coworkers|colleagues|kids|mates|team|students|the guys|parents|mom|mum|dad|they|nieces and nephews|husband|wife)(?: here| at work| back home| from home)?"
NAME = (
    rule(rf"{_WHO} (?:(?:all|just|always|usually|mostly|still) )?calls? me {_NM}(?: though| instead)?{END}", Fact("nickname", "{s} goes by {v}", check="name"), bare=True),
    rule(rf"(?:please |you can |just |feel free to |so )*call me (?!Ishmael|Maybe|Crazy|Later|Old){_NM}(?: please| instead| though| for short)?{END}", Fact("nickname", "{s} goes by {v}", check="name"), bare=True),
    rule(rf"(?:at work |at home |online |to (?:my|the) (?:family|friends|kids) )?(?:I|i)?(?:'m| am|'ve been| have been|'ve always been| was always) {_NM} (?:at work|at home|online|to (?:my |the )?(?:family|friends|everyone|kids)|since forever|for short){END}", Fact("nickname", "{s} goes by {v}", check="name"), bare=True),
    rule(rf"{A}go(?:es)? by {_NM}(?: at work| online| instead| these days| though)?{END}", Fact("nickname", "{s} goes by {v}", check="name")),
    rule(rf"(?:my |his |her )?(?:full |real |legal |given |first )?name(?:'s| is) (?:actually |really )?{_NM}{END}", Fact("name", "{s}'s name is {v}", check="name"), bare=True),
    rule(rf"(?:'s| is)(?: called| named) {_NM}{END}", Fact("name", "{s} is called {v}", check="name")),
    rule(rf"{_NM} for short{END}", Fact("nickname", "{s} goes by {v}", check="name")),
    rule(rf"(?:my )?nickname(?:'s| is| was) {_NM}{END}", Fact("nickname", "{s} goes by {v}", check="name"), bare=True),
)  # fmt: skip

_MON = r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?"
_DATE = rf"(?P<v>{_MON} (?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?:,? (?:19|20)\d\d)?|(?:the )?\d{{1,2}}(?:st|nd|rd|th)? (?:of )?{_MON}(?:,? (?:19|20)\d\d)?|(?:19|20)\d\d-\d\d-\d\d)"
AGE = (
    rule(rf"{B}(?:(?:only|about to be|now|already|just) )*(?P<v>{NUMBER_EN})(?: years? old| now)?(?: and .*)?{END}", Fact("age", "{s} is {v} years old", check="age")),
    rule(rf"(?:'ve|'s| have| has|'ll| will| just|'m| am| is)?(?: just| recently| about to| going to)* ?(?:turned|turns?|hit|turning)(?: the big)? (?P<v>{NUMBER_EN})(?: (?:on|in|last|this|next|back|the|and|a|yesterday)\b.*)?{END}", Fact("age", "{s} is {v} years old", check="age")),
    rule(rf"(?:mine|(?:my |his |her )?(?:birthday|bday)|(?:I|i))(?:'s| is|'s on| is on| was born on|'m born on)(?: on)? {_DATE}(?: and .*)?{END}", Fact("birthday", "{s}'s birthday is {v}", check="plain"), bare=True),
    rule(rf"(?:'s| is|'s birthday is| birthday is| was born|'m| turns [\w-]+| turned [\w-]+)(?: on)? {_DATE}(?: and .*)?{END}", Fact("birthday", "{s}'s birthday is {v}", check="plain")),
    rule(r"(?: was|'s| were)? born (?:back )?in (?P<v>(?:19|20)\d\d)\b.*", Fact("birth_year", "{s} was born in {v}", check="number")),
    rule(rf"{B}an? (?P<v>Aries|Taurus|Gemini|Cancer|Leo|Virgo|Libra|Scorpio|Sagittarius|Capricorn|Aquarius|Pisces)\b.*", Fact("zodiac", "{s} is a {v}")),
)  # fmt: skip

_SICK = rf"(?P<v>(?:(?:type [12]|mild|severe|chronic|seasonal|bad|really bad|terrible|high|low|adult|early|stage \w+) )?{DISEASES_EN})"
_SINCE = r"(?:,? (?:since|for|from|in|on|all|that|last|this|and|so|pretty|really|every|when|as a|about|back|again|these days|a few|years|too|now|at|after|two|three|, ).*)?"
HEALTH = (
    rule(rf"{A}(?:don't|doesn't|do not) have {_SICK}{_SINCE}{END}", Fact("health", "{s} does not have {v}", polarity=-1)),
    rule(rf"(?:(?:'ve|'s| have| has)(?: also| always| both)?(?: got| had)?|{A}(?:have|has|had|suffers? from|gets?|live with|lives with|deal with|deals with|struggle with|struggles with|developed)|(?:'ve|'s| have| has| was| were)?(?: just| recently| finally| been| also)* diagnosed with|{B}(?:living with|dealing with|being treated for|recovering from|on medication for|on meds for|prone to)) (?:an? |some |my )?(?:bit of |touch of |case of )?{_SICK}{_SINCE}{END}", Fact("health", "{s} has {v}")),
    rule(rf"(?:my )(?:old )?{_SICK}(?:'s| is|'re| are| has| have)?(?: been| really| always)? (?:back|acting up|flaring up|flared up|getting worse|playing up|worse|bad|under control)\b.*", Fact("health", "{s} has {v}"), bare=True),
    rule(rf"{B}(?P<v>type [12] diabetic|diabetic|asthmatic|anaemic|anemic|epileptic|dyslexic|colou?r[- ]?blind|autistic|pregnant|deaf in one ear|hard of hearing|near-?sighted|short-?sighted|far-?sighted|hypertensive|celiac|coeliac|\w+ (?:weeks|months) pregnant){_SINCE}{END}", Fact("health", "{s} is {v}")),
    rule(rf"{B}(?P<v>(?:left|right)-handed)\b.*", Fact("handedness", "{s} is {v}")),
    rule(rf"(?:(?:'ve|'s| have| has)?{A}(?:had|got|having)|{A}have) (?:an? |my )?(?P<v>[a-z]+(?: [a-z]+)? (?:surgery|transplant|replacement|bypass)){_SINCE}{END}", Fact("health", "{s} had {v}")),
    rule(rf"{A}(?:broke|tore|sprained|fractured|dislocated|ruptured) (?:my|his|her) (?P<v>(?:left |right )?(?:ankle|leg|arm|wrist|foot|toe|knee|hip|shoulder|collarbone|finger|thumb|elbow|ACL|meniscus|achilles|hamstring|nose|jaw|ribs?|back|neck|hand))\b.*", Fact("health", "{s} injured: {v}")),
    rule(rf"{B}(?:(?:severely|badly|deathly|mildly|really|super|pretty|a bit|a little|slightly|very) )*allergic to (?P<v>[^,]{{1,50}}?)(?: (?:and|so|which|even|like)\b.*)?{END}", Fact("allergy", "{s} is allergic to {v}", many=True)),
    rule(rf"(?:(?:'ve|'s| have| has) got|{A}(?:have|has)|'ve|{B}living with) (?:an? |some )?(?:(?:severe|bad|serious|mild|nasty|terrible|deadly) )?(?P<v>[a-z-]+(?: [a-z-]+)?) allerg(?:y|ies){_SINCE}{END}", Fact("allergy", "{s} is allergic to {v}")),
    rule(rf"(?:(?:'ve|'s| have| has) got|{A}(?:have|has)|'ve) an? (?:(?:severe|bad|serious|mild|nasty|terrible) )?allergy to {V}{_SINCE}{END}", Fact("allergy", "{s} is allergic to {v}", many=True)),
    rule(r"(?:(?:even )?(?:an? |any )?(?:bite|bit|trace|sniff|whiff|touch) of )?(?P<v>[A-Za-z-]+(?: [a-z-]+)?) (?:(?:always|really) )?(?:makes? my (?:throat|face|lips|tongue|eyes)|gives? me hives|makes? me break out|brings? me out in|sends? me into anaphyla\w+|sets? off my allerg\w+)\b.*", Fact("allergy", "{s} is allergic to {v}"), bare=True),
    rule(r"{B}(?:quite |pretty |really )?(?P<v>lactose|gluten|fructose|dairy)[- ]intolerant\b.*".replace("{B}", B), Fact("intolerance", "{s} is {v} intolerant")),
)  # fmt: skip

_STEADY = r"(?: (?:also|now|just|currently|mostly|strictly|basically|pretty much|recently|always|only|still|really))*"
DIET = (
    rule(rf"(?:{B}|{A}(?:went|go|turned|stay|follow|follows|do|does|keep|keeps|started|eat|eats|stick to|sticks to) |(?:'ve|'s| have| has)(?: been| gone| turned| started)?{_STEADY} )(?:(?:doing|on|following|mostly|strictly|trying|eating|going|a|an|been|gone|the) )*(?P<v>{DIETS_EN})(?: diet| plan| thing| food)?{_SINCE}{END}", Fact("diet", "{s}'s diet: {v}")),
    rule(rf"my (?:doctor|dietitian|nutritionist|gp|cardiologist|trainer|wife|husband)(?:'s| has)? (?:got|put|has|placed|started) me on (?:an? |the )?(?P<v>[a-z-]+(?:[- ][a-z]+)?)(?: diet| plan)?{_SINCE}{END}", Fact("diet", "{s}'s diet: {v}"), bare=True),
    rule(r"(?:so |and |that means )?no(?:t)? more (?P<v>[a-z]+(?: [a-z]+)?) for me\b.*", Fact("eats", "{s} no longer eats {v}", retract=True), bare=True),
    rule(rf"(?:(?:'ve|'s| have| has) )?{A}?(?:dropped|cut out|gave up|given up|quit|stopped eating|stopped having|swore off|cut|went off) (?P<v>(?:all )?(?:(?:red |processed |fried |white |added |refined )?(?:meat|dairy|sugar|carbs|gluten|bread|pork|beef|chicken|fish|eggs?|cheese|milk|sweets|candy|chocolate|desserts?|fast food|junk food|takeout|seafood|chips|crisps|snacks|pasta|rice)))\b.*", Fact("eats", "{s} no longer eats {v}", retract=True)),
    rule(rf"(?:(?:'ve|'s| have| has) )?{A}?(?:dropped|cut out|gave up|given up|quit|stopped drinking|swore off) (?P<v>coffee|soda|caffeine|tea|energy drinks|pop|diet coke|coke|juice|milk|beer|wine|booze)\b.*", Fact("drinks", "{s} no longer drinks {v}", retract=True)),
    rule(rf"{A}(?:don't|doesn't|do not|never|can't|won't) (?:really |usually )?(?:eat|touch) (?P<v>[^,]{{1,30}}?)(?: (?:for|because|after|before|since|at all|anymore|any more|so|on)\b.*)?{END}", Fact("eats", "{s} does not eat {v}", polarity=-1, many=True, check="food")),
    rule(rf"{A}(?:don't|doesn't|do not|never) drink(?: alcohol| at all| anymore)*(?: so .*)?{END}|{B}(?:a )?(?:teetotal(?:l?er)?|sober)\b.*", Fact("drinks", "{s} does not drink alcohol", value="alcohol", polarity=-1)),
    rule(rf"{A}(?:takes?|drinks?|have|has) (?:my |his |her )?(?P<v>(?:coffee|tea|espresso)(?: (?:black|white|with [a-z ]{{2,20}}|without [a-z ]{{2,20}}|strong|decaf|iced))){_SINCE}{END}", Fact("drinks", "{s} drinks {v}")),
    rule(rf"{A}(?:(?:mostly|only|mainly|usually|basically) )?(?:eats?|lives? on) (?:mostly |only |mainly )?(?P<v>[a-z]+(?:(?:,| and|, and) [a-z]+){{0,4}}) (?:for (?:breakfast|lunch|dinner)|most (?:days|nights)|every (?:day|night|morning))\b.*", Fact("eats", "{s} eats {v}")),
    rule(rf"(?:'m|'s| am| is) eating between (?P<v>[^,]{{3,30}}?){END}|eating between (?P<w>[^,]{{3,30}}?){END}", Fact("habit", "{s} eats between {v}"), bare=True),
    rule(rf"(?P<v>(?:one|two|three|four|a couple of|\d) (?:cups?|mugs?|shots?|pots?|glasses|pints|cans|bottles)(?: of [a-z]+)? (?:before|after|a|every|with|by|in|at|per)\b[^,]{{1,30}}?){END}", Fact("habit", "{s}: {v}"), bare=True),
)  # fmt: skip

_ABOUT = r"(?:(?: about| around| roughly| exactly| only| just| now| currently| up to| under| at| no more than| capped at| set at| something like| a| an)*)"
_MONEY = rf"(?P<v>(?:US|A|C|NZ)?[$£€¥]\s?\d[\d,.]*(?: ?(?:k|K|m|grand|million|thousand|hundred))?|{NUMBER_EN}(?: ?(?:k|grand|thousand|hundred|million))?(?: (?:dollars|bucks|euros?|pounds|quid|yen|USD|EUR|GBP))?)"
_PER = r"(?: (?:a|per|each|an|for|tops|max|total|all in|at most|before|after|including|not|plus|if|and|this|so|on|to|in|but|from)\b.*| now)?"
NUMBERS = (
    rule(rf"(?:(?:'ve|'s| have| has| we've)(?: got)? )?(?:(?:the|my|our|total|trip|wedding|renovation|kitchen|holiday|gift|whole|monthly|party) )*(?:budget|spending limit|limit|cap)(?:'s| is| was| tops out at| maxes out at| stops at| of| comes to|: | for [a-z ]{{2,30}}(?:'s| is)| has gone up to| went up to| went from .{{1,12}} to| just went to| is now| goes up to){_ABOUT} ?{_MONEY}{_PER}{END}", Fact("budget", "{s}'s budget is {v}", check="number"), bare=True),
    rule(rf"(?:for [^,]{{2,30}} )?(?:I|we)(?:'ve|'d| have| had| can|'m| am|'re| are)?(?: only| just)? (?:capped (?:it|that|things|the \w+)? ?at|budgeted|set aside|got|have|spend up to|spend|want to spend|trying to stay under|hoping to stay under|keeping it under|keep it under|can't go over|can't go above|don't want to go over|can go up to|willing to spend(?: up to)?|looking to spend){_ABOUT} ?{_MONEY}(?: (?:budgeted|to spend|set aside|max|tops|at most|total|as a budget|for the|for it|for this|for two|all in|or less)\b.*){END}", Fact("budget", "{s}'s budget is {v}", check="number"), bare=True),
    rule(rf"(?:for [^,]{{2,30}} )?(?:I|we)(?:'ve|'d| have| had)? capped (?:it|that|things|the [a-z]+) at{_ABOUT} ?{_MONEY}{_PER}{END}", Fact("budget", "{s}'s budget is {v}", check="number"), bare=True),
    rule(rf"(?:my|our)? ?(?:rent|mortgage)(?:'s| is| went up to| just went up to| came to| comes to){_ABOUT} ?{_MONEY}{_PER}{END}", Fact("price", "{s}'s rent is {v}", check="number"), bare=True),
    rule(rf"(?:(?:I|we)(?:'m| am)?(?: currently)? (?:make|earn|pull in|making|earning|take home|bring home)|(?:my )?(?:salary|pay|wage|base|income)(?:'s| is| went up to| will be)){_ABOUT} ?{_MONEY}{_PER}{END}", Fact("salary", "{s}'s income is {v}", check="number"), bare=True),
    rule(rf"{B}(?:about |around |roughly |just |only )*(?P<v>\d[\d.]* ?(?:cm|m|meters|metres)|\d ?(?:'|ft|foot|feet) ?\d{{0,2}}(?:\"| ?inches| ?in)?|(?:five|six|four) (?:foot|feet)(?: (?:\w+))?)(?: tall| even)?(?: and .*)?{END}", Fact("height", "{s} is {v} tall", check="plain")),
    rule(rf"{A}weigh(?:s|ed in at)?{_ABOUT} ?(?P<v>{NUMBER_EN} ?(?:kg|kgs|kilos?|kilograms|lbs?|pounds|stone)(?: \w+)?)(?: (?:now|for|these|at|so|and)\b.*)?{END}", Fact("weight", "{s} weighs {v}", check="number")),
    rule(rf"(?:(?:my )?(?:feet|shoes?|foot)(?:'s| is| are|'re)?(?: an?)?|{A}(?:wears?|takes?)(?: an?)?|{B}an?) (?:a )?size (?P<v>\d+(?:\.5| and a half| ½| 1/2)?(?: wide| women's| men's| UK| US| EU)?)(?: (?:in shoes|shoes?|boots?|in (?:boots|sneakers|trainers)))?{END}|(?:my )?shoe size(?:'s| is)(?: an?)? (?P<w>[^,]{{1,16}}?){END}", Fact("shoe_size", "{s}'s shoe size is {v}", check="plain"), bare=True),
    rule(rf"(?:{B}an? |{A}wears? an? |{A}takes? an? )(?P<v>(?:extra |X-?|double |XX?)?(?:small|medium|large|S|M|L|XL|XXL)|size \d+)(?: in (?:shirts|t-shirts|jackets|everything|tops|most things|dresses|jeans|hoodies))?(?: shirt| jacket| top| t-shirt| dress| hoodie)?{END}|(?:for|in) (?:shirts|t-shirts|jackets|tops|hoodies|dresses) (?:I'm|I take|I wear|it's) an? (?P<w>(?:extra |X)?(?:small|medium|large|L|M|S|XL))\b.*", Fact("clothing_size", "{s}'s clothing size is {v}", check="plain"), bare=True),
    rule(r"for (?:gloves|mittens) (?:I'm|I take|I wear|it's) an? (?P<v>(?:extra |X)?(?:small|medium|large|L|M|S|XL))\b.*", Fact("glove_size", "{s}'s glove size is {v}", check="plain"), bare=True),
    rule(r"(?:my )?ring size(?:'s| is)(?: an?)? (?P<v>[^,]{1,16}?)[ .!]*", Fact("ring_size", "{s}'s ring size is {v}", check="plain"), bare=True),
    rule(rf"(?:my )?blood type(?:'s| is) (?P<v>(?:AB|A|B|O)(?:[ -]?(?:positive|negative|pos|neg)|[+-])?){END}|{B}(?:type )?(?P<w>(?:AB|A|B|O)[ -]?(?:positive|negative|pos|neg|[+-])){END}", Fact("blood_type", "{s}'s blood type is {v}", check="plain"), bare=True),
    rule(rf"(?:my )?(?:resting )?(?:heart rate|pulse)(?:'s| is){_ABOUT} ?(?P<v>\d{{2,3}})\b.*", Fact("resting_heart_rate", "{s}'s resting heart rate is {v}", check="number"), bare=True),
    rule(r"(?:my )?blood pressure(?:'s| is| was| runs)(?: about| around)? ?(?P<v>\d{2,3}(?:/| over )\d{2,3})\b.*", Fact("blood_pressure", "{s}'s blood pressure is {v}", check="plain"), bare=True),
)  # fmt: skip

CONTACT = (
    rule(rf"(?:my )?(?:new |work |personal |best )?(?:e-?mail|email address)(?: address)?(?:'s| is|: | changed to|'s now| is now) ?(?P<v>[\w.+-]+@[\w-]+(?:\.[\w-]+){{1,4}}){END}", Fact("email", "{s}'s email is {v}", check="plain"), bare=True),
    rule(rf"(?:reach me (?:at|on)|(?:my )?(?:new |work |cell |mobile |home )?(?:phone|cell|mobile|number|landline)(?: number)?(?:'s| is|: |'s now| is now)|call (?:or text )?me (?:on|at)|text me (?:on|at)) ?(?P<v>\+?[\d(][\d ()-]{{6,18}}\d){END}", Fact("phone", "{s}'s phone is {v}", check="plain"), bare=True),
    rule(rf"(?:you can )?(?:email|reach|write to) me (?:at|on) (?P<v>[\w.+-]+@[\w-]+(?:\.[\w-]+){{1,4}}){END}", Fact("email", "{s}'s email is {v}", check="plain"), bare=True),
    rule(rf"(?:my )?(?:(?:Signal|Telegram|Instagram|Insta|Discord|Twitter|GitHub|Twitch|Steam|IG|Skype|Snapchat|TikTok|Reddit) )?(?:handle|username|user name|gamertag|ID|tag)(?: there| on \w+)?(?:'s| is|: ) ?(?P<v>@?[\w.#-]{{3,30}}){END}", Fact("username", "{s}'s username is {v}", check="plain"), bare=True),
    rule(r"(?:I'm|find me|add me|I am)(?: at| as)? (?P<v>@[\w.#-]{3,30}|[\w.-]*\d[\w.-]{2,20})(?: on|,? over on) (?:Signal|Telegram|Instagram|Insta|Discord|Twitter|GitHub|Twitch|Steam|IG|Skype|Snapchat|TikTok|Reddit|LinkedIn|everything)\b.*", Fact("username", "{s}'s username is {v}", check="plain"), bare=True),
    rule(r"(?:the )?best way to (?:reach|contact|get) (?:me|hold of me)(?:'s| is)(?: by| via| on| through)? (?P<v>(?-i:[A-Z])\w+|e-?mail|text|phone)[ .!]*", Fact("prefers", "{s} prefers to be reached by {v}", check="plain"), bare=True),
    rule(r"(?:my )?(?:new |home |mailing |work |shipping |delivery |billing |current )*address(?:'s| is|: |'s now| is now| changed to) ?(?P<v>[^?!]{4,70}?)[ .!]*", Fact("address", "{s}'s address is {v}", check="plain"), bare=True),
)  # fmt: skip

RULES = (*NAME, *AGE, *HEALTH, *DIET, *NUMBERS, *CONTACT)
"""In the order they are tried, after those of `patterns_en`."""
