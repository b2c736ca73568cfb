"""English constructions of tastes, habits, things used and owned, skills, family and what was decided: tables of frames only."""

from __future__ import annotations

import re

from memory.extraction.en_frame import Frame, State, frame, trimmed
from memory.extraction.en_kin import is_name
from memory.extraction.vocabulary import BREEDS_EN, CAT_BREEDS_EN

_DAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?s?"
OFTEN = rf"(?:(?:every|each) (?:single |other |second )?(?:day|morning|evening|night|afternoon|week|weekend|month|year|summer|winter|spring|autumn|fall|weekday|work ?day|fortnight|christmas|lunchtime|{_DAY})(?: (?:morning|evening|night|afternoon)s?)?|(?:once|twice|three times|four times|five times|a couple of times|a few times|\d times|\dx) (?:a|per|every) (?:day|week|month|year|fortnight)|on (?:most |alternate )?(?:weekends|weekdays|weeknights|mon(?:day)?s|tues(?:day)?s|wednesdays|thurs(?:day)?s|fri(?:day)?s|sat(?:urday)?s|sun(?:day)?s)|{_DAY} (?:nights|mornings|evenings|afternoons|lunchtimes)|(?:mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|weekends|weeknights|weekdays|most (?:days|mornings|nights|evenings|weekends)))(?![a-z])"
CLOCK = r"(?:at |by |from )?(?:\d{1,2}(?:[:.]\d\d)?(?: ?(?:am|pm))?|half (?:past )?(?:five|six|seven|eight|nine|ten|eleven|four)|five|six|seven|eight|nine|ten|eleven|noon|midnight|dawn|sunrise|quarter (?:to|past) \w+)"
_VERY = r"(?:(?:really|absolutely|just|always|still|totally|properly|so|very|completely|utterly|honestly|genuinely|obviously|kind of|kinda|weirdly|secretly|a bit|a little|quite|rather|pretty|super|truly|mainly|mostly|also|massively|frankly|positively) )*"

_LIKE = State("likes", "{s} likes {v}", each=True)
_ONE_LIKE = State("likes", "{s} likes {v}")
_DISLIKE = State("likes", "{s} likes {v}", each=True, denies=True)
_ONE_DISLIKE = State("likes", "{s} likes {v}", denies=True)
_NOT_IT = r"(?!(?:it|that|this|them|him|her|you|your|how|when|if|to (?:hear|know|see if|say|admit|think|help|be)|for|my|our|the (?:fact|way|idea)|a (?:good|chat)|seeing|being able|myself|what)\b)"
LIKES = (
    frame("plain perfect", rf"{_VERY}(?:love|loves|loved|adore|adores|enjoy|enjoys|dig|relish|fancy|rate|like|likes|worship|live for|lives for|swear by|cannot get enough of|get enough of|die for) (?:to )?{_NOT_IT}<list>", _LIKE, bare=True, of="taste"),
    frame("can", r"(?:get enough of|live without|resist|do without) <list>", State("likes", "{s} likes {v}", each=True, denies=True), of="cannot"),
    frame("can", r"(?:stand|abide|bear|do(?= [\w'-]+ (?!right|today|now|that|it)[\w'-]+)|stomach|face|be doing with|be bothered with|cope with|handle|deal with|be around|deal|tolerate) (?:the sight of |the smell of |the taste of |being around )?" + _NOT_IT + r"<np>", State("likes", "{s} likes {v}"), bare=True, of="cannot"),
    frame("be plain perfect", rf"{_VERY}(?:an? )?{_VERY}(?:(?:big|huge|massive|die-hard|lifelong|serious|total|bit of a|real|major|long-time|devoted|not-so-secret|secret|great|proud) )*(?:fan|lover|devotee|fiend|sucker|nut|addict|enthusiast|believer|obsessive|follower|admirer) (?:of|for|in) (?:anything |all things |everything )?<list>", _LIKE, bare=True),
    frame("plain be", r"(?:an? )?(?:(?:big|huge|massive|die-hard|lifelong|serious|total|avid|keen|proud|major|mega) )+(?P<v>(?!people)(?:[\w'-]+ ){0,2}?[\w'-]+) (?:fan|nerd|lover|geek|buff|nut|fanatic|enthusiast|supporter|reader)\b", _ONE_LIKE, bare=True),
    frame("be perfect plain", rf"{_VERY}(?:into|obsessed with|hooked on|addicted to|crazy about|mad about|mad for|nuts about|nuts for|passionate about|keen on|fond of|partial to|big on|in love with|all about|all in on|wild about|devoted to|smitten with|besotted with|sold on|bananas for|bonkers about|hot on|a martyr to|a slave to) (?:anything |all things )?{_NOT_IT}<list>", _LIKE, bare=True),
    frame("plain perfect", r"(?:'ve|have|has|got|had) (?:an? )?(?:(?:huge|big|massive|serious|total|real|major|bit of a) )*(?:soft spot|thing|weakness|passion|love|obsession|sweet spot|addiction) (?:for|with|to) <list>", _LIKE, bare=True),
    frame("plain perfect", rf"{_VERY}(?:hate|hates|hated|loathe|loathes|despise|despises|detest|detests|dislike|dislikes|dread|dreads|resent|cannot stand|refuse to eat|draw the line at|never (?:liked|cared for|got on with|got into|understood)) (?:the sight of |the smell of |the taste of |people who |being around )?{_NOT_IT}<list>", _DISLIKE, bare=True, denied="nothing"),
    frame("be perfect plain", rf"{_VERY}(?:sick of|sick to death of|fed up with|allergic to the idea of|terrified of|scared of|afraid of|petrified of|phobic about|frightened of|creeped out by|put off by|repulsed by|bored of) {_NOT_IT}<np>", _ONE_DISLIKE, of="fear"),
    frame("plain", r"(?:not|never) (?:really |much of |that |exactly )*(?:an? )?(?:(?:big|huge|massive) )?(?:fan of|into|keen on|one for|mad on|fussed about|bothered about|crazy about) <list>", _DISLIKE, bare=True),
    frame("be", r"(?:really |much of |that |exactly |one )*(?:for|about) <list>", State("likes", "{s} likes {v}", each=True), of="negative"),
    frame("plain would perfect", r"(?:prefer|prefers|would rather have|favour|favor) <np>(?: (?:over|to|than|rather than) [\w' -]{2,30})?", State("prefers", "{s} prefers {v}"), bare=True),
    frame("be", r"(?:an? |more of an? |very much an? )(?P<v>(?!people|good|bad|nice|terrible|changed|busy|different|lucky|horrible|better|new|normal|grown|real|private|free|big|old|young|shy)[a-z]+(?: [a-z]+)?) (?:person|guy|girl|gal|man|woman|drinker|lover|fan|nerd|geek|buff|nut|freak|junkie|fanatic|eater|household|family)(?= *(?:$|[,.!]))", _ONE_LIKE, bare=True),
)  # fmt: skip


_COLLECT = frame(
    "plain be",
    r"(?:collect(?:s|ing)?) (?P<v>(?!data|the|my|his|her|it|them|dust|unemployment|benefits|a |parcels|kids)[a-z][\w' -]{2,40}?)(?= *$|[,.;!]| (?:and|but|since|because|from|for)\b)",
    State("likes", "{s} collects {v}"),
)


def _act(value: str) -> str | None:
    value = re.sub(r"\b(?:and|but|so|or)$", "", value.strip(" .,!")).strip()
    if re.search(
        r"\b(?:interview|appointment|meeting|deadline|exam)\b|^\w+ (?:it|that|this|them|so)\b|\b(?:he|she|they|you|your)\b",
        value,
        re.IGNORECASE,
    ):
        return None
    return value if 2 <= len(value.split()) <= 12 or re.search(r"\d", value) else None


_DO = r"(?!(?:be|been|am|is|was|have to|need|have been|have always|want|think|know|hope|guess|wonder|feel|mean|love|hate|like|say|get why|see why|forget|remember|agree|wish|believe|suppose|have no|understand|assume|worry|live|used|[a-z]+ed|went|got|had|was|were)\b)[a-z]{2,14}"
HABITS = (
    frame("plain", rf"(?P<v>{_DO}(?: [\w'&.:/-]+){{0,9}}?),? (?P<often>{OFTEN})(?: {CLOCK})?", State("habit", "{s} does this regularly: {v}", check=_act), bare=False, denied="nothing", of="habit"),
    frame("plain", rf"(?!(?:have|has|got) (?!breakfast|lunch|dinner|tea|supper|coffee))(?P<v>{_DO}(?: [\w'&-]+){{0,6}}? (?:at|by) {CLOCK}(?: (?:sharp|on the dot))?)(?= *$|[,.;:!]| (?:to|and|for|so|with|before|every)\b)", State("habit", "{s} does this regularly: {v}", check=_act), of="habit", denied="nothing"),
    frame("plain be", rf"(?:(?<=always )|(?<=usually )|(?<=normally )|(?<=typically )|(?<=generally )|(?<=mostly )|(?<=religiously )|(?<=tend to ))(?P<v>{_DO}(?: [\w'&-]+){{1,7}}?)(?= *$|[,.;:!]| (?:because|since|so|when|if|unless|but|and)\b)", State("habit", "{s} does this regularly: {v}", check=_act), of="habit"),
    frame("plain", r"(?P<v>(?:go|goes|went|get|gets|take|takes|catch|catches|do|does|walk|walks|cycle|cycles|run|runs|swim|swims|play|plays|read|reads|cook|cooks|bake|bakes|drive|drives|ride|rides|have|has|train|trains|meet|meets|drink|drinks|eat|eats|call|calls|ring|rings|volunteer|volunteers|sing|sings|row|rows|garden|paint|paints|work|works|teach|teaches|coach|coaches)(?: [\w'&.:-]+){0,8}?) (?:before (?:work|bed|breakfast|school|sunrise)|after (?:work|dinner|lunch|school|church)|first thing(?: in the morning)?|in the (?:mornings|evenings|afternoons)|at weekends|on the way to work|in the winter|in the summer|all year round)\b", State("habit", "{s} does this regularly: {v}", check=_act), of="habit", denied="nothing"),
    frame("plain", r"(?P<v>(?:walk|cycle|bike|drive|commute|run|scoot|take the (?:bus|train|tube|metro|tram|ferry|subway)|get the (?:bus|train|tube|tram)|catch the (?:bus|train)) (?:in )?to (?:work|school|uni|the office|campus))(?! (?:today|tomorrow|this|yesterday))\b", State("habit", "{s} does this regularly: {v}"), of="habit"),
    frame("plain", rf"(?P<v>[a-z]+(?: [a-z]+){{0,2}} (?:on|every|each) {_DAY})(?= *$|[,.;:!])", State("habit", "{s} does this regularly: {v}"), bare=True, of="weekly"),
    frame("plain be", r"(?P<v>(?:mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|weekends|weeknights|mornings|evenings)(?:'s|'re| is| are)(?: always| usually| for| strictly| my| our)* [\w' -]{3,50}?)(?= *$|[,.;:!]| (?:and|but|because)\b)", State("habit", "{s} does this regularly: {v}"), bare=True, of="weekday"),
    frame("plain be perfect", rf"(?P<v>(?:up|awake|in bed|out of bed|asleep|at the gym|in the gym|in the pool|on the water|at my desk) (?:at|by|before) {CLOCK}(?: for [\w' ]{{2,20}})?)", State("habit", "{s} does this regularly: {v}"), bare=True, of="clock"),
    frame("plain", r"(?P<v>(?:breakfast|lunch|dinner|tea|supper|nap|bed|bedtime|gym|swim|run|yoga|church|choir|pub quiz|therapy|coffee|shower|walkies|prayers?|meditation|football|training|pilates|spin|dog walk) (?:at|by|after|before|on|every) [\w:.' ]{2,24}?)(?= *$|[,.;:!])", State("habit", "{s} does this regularly: {v}"), bare=True, of="bare"),
    frame("plain perfect past be", r"(?:quit|stopped|gave up|given up|giving up|packed in|dropped|cancelled|canceled|jacked in|sacked off|binned|knocked|kicked|ditched|let go of|no more) (?:the |my |our |going to |doing |playing |with the )*(?P<v>(?:gym(?: membership)?|membership|[a-z]+ (?:class|classes|lessons|club|membership)|yoga|running|jogging|swimming|football|tennis|golf|boxing|crossfit|pilates|piano|guitar|choir|gambling|biting my nails|night shifts|veganuary|netball|cycling|pottery)(?: on the head)?)\b", State("habit", "{s} does this: {v}", ends=True), bare=True),
)  # fmt: skip

_USES = State("uses", "{s} uses {v}", each=True)
_UNUSED = State("uses", "{s} uses {v}", each=True, ends=True)
_THING = r"(?-i:[A-Z])[\w+#.-]*(?: (?-i:[A-Z0-9])[\w+#.-]*){0,2}"
_ALL = r"(?:run|host|deploy|build|do|write|keep|store|track|manage|organi[sz]e|plan|log|test) (?:everything|it all|all (?:of )?(?:my|our) [a-z]+|most things|most of it|all of it) (?:on|in|with|through|via|from)"
_TOOL = rf"(?P<v>(?:{_THING}|[a-z][\w.-]*)(?:(?: \+|, and|,| and| &) (?:{_THING}|[a-z][\w.-]*))*)"
_TOOLS = rf"(?P<v>{_THING}(?:(?: \+|, and|,| and| &| plus) {_THING})*)"
USES = (
    frame("be perfect", rf"(?:all |back |mostly |now |fully |still )*on {_TOOL} (?:from now on|now|these days|instead|full time|everywhere|at work|for everything)\b", _USES, of="tool"),
    frame("be plain perfect past", rf"(?:went|going|gone|end(?:ed)? up(?: going)?|settled|stick(?:ing)?|stuck|sticking|decided to go|voted to go) (?:with|on|for) {_TOOLS}(?= *$|[,.;:!]| (?:and|for|over|instead|because|as|in|since|rather)\b)", _USES, bare=True, of="we"),
    frame("plain perfect be past", rf"(?:use|uses|using|swear by|rely on|running|run|switched (?:over |back )?to|moved (?:over |everything )?to|migrated (?:over )?to|ported (?:it |everything )?to|converted to|standardi[sz]ed on|built (?:it )?(?:on|with|in)|writ(?:e|ing) (?:it |everything )?in|code in|coding in|develop(?:ing)? in|host(?:ed|ing)? on|deploy(?:ing)? (?:to|on|with)|track(?:ing)? (?:[\w' ]{{2,24}} )?(?:in|with)|keep(?:ing)? (?:all )?(?:my|our|the) [\w' ]{{2,24}} (?:in|on)|edit(?:ing)? (?:[\w' ]{{2,16}} )?in|shoot(?:ing)? (?:on|with)|bank(?:ing)? with|budget(?:ing)? (?:in|with)|doing (?:it|everything|my [a-z]+) in|record(?:ing)? (?:in|on)|draw(?:ing)? (?:in|on|with)|design(?:ing)? in|compos(?:e|ing) in|take (?:my )?notes (?:in|on)|store (?:everything |it )?in) (?:the |my |an? |our )?{_TOOLS}", _USES, bare=True),
    frame("plain perfect be", rf"{_ALL} {_TOOLS}", _USES),
    frame("plain perfect past", rf"(?:switched|moved|migrated|converted) (?:the|our|my) [\w' ]{{2,24}}? (?:to|over to|onto) {_TOOLS}", _USES, bare=True),
    frame("plain perfect be past", rf"(?:ditched|dropped|swapped|traded|switched(?: over)? from|replaced|moved from|migrated from|gone from|went from) (?P<old>{_THING}) (?:for|to|with) (?P<v>{_THING})(?![\w])", State("uses", "{s} uses {v}", group="old", ends=True), State("uses", "{s} uses {v}"), bare=True),
    frame("plain", r"(?:run|runs|do|does|keep|keeps|manage|manages|track|tracks|plan|plans|organi[sz]e|organi[sz]es) (?:my|our|the|his|her) (?:[\w'-]+ ){1,4}(?:off|on|from|out of|with|in) (?P<v>an? [\w'-]+(?: [\w'-]+)?(?:,? and an? [\w'-]+)?)(?= *$|[,.;!]| (?:in|at|and|on|not|because)\b)", _USES),
    frame("plain perfect be past", rf"(?:dropp(?:ed|ing)|ditch(?:ed|ing)|abandon(?:ed|ing)|quit|quitting|done with|finished with|cancel(?:l?ed|l?ing)|deleted|uninstalled|got rid of|getting rid of|gave up(?: on)?|given up(?: on)?|moved (?:off|away from)|off|switched (?:off|away from|from)|retired|binned|scrapp(?:ed|ing)|migrated (?:off|away from)|no longer on|stopped using|unsubscribed from|phased out|moving off) {_TOOLS}(?= *$|[,.;:!]| (?:for (?:good|ever|(?-i:[A-Z]))|and|because|after|in|entirely|altogether|completely|ages|last|this|subscription|account|to)\b)", _UNUSED, bare=True, of="tool"),
)  # fmt: skip


def _object(value: str) -> str | None:
    value = re.sub(r"^(?:an?|the|my|our|some|this) ", "", value, flags=re.IGNORECASE)
    if re.fullmatch(rf"(?:[\w-]+ )?(?:{BREEDS_EN}|{CAT_BREEDS_EN})", value, re.IGNORECASE):
        return None
    if re.match(
        r"(?:cold|headache|feeling|lot|bit|look|chat|call|word|meeting|idea|point|question|problem|issue|hunch|go|break|rest|nap|drink|coffee|lift|ride|haircut|job|appointment|interview|exam|test|doubt|cough|fever|great|good|bad|nice|hard|rough|long|busy|laugh|think|plan|crush|baby|kid|son|daughter|brother|sister|wife|husband|friend|dog|cat|date|party|ticket|day|week|night|moment|choice|chance|right|reason|sense|time|room|say|quick|new job|promotion|raise|email|text|letter|message|bill|refund|mate|mum|dad|mother|nervous|tired|degree|allergy|dream|nightmare|response|reply|answer|visa|deadline)\b",
        value,
        re.IGNORECASE,
    ):
        return None
    return trimmed(value)


_OWNS = State("owns", "{s} has {v}", check=_object)
_MODEL = r"(?P<v>(?:(?:new|used|old|second[- ]?hand|refurbished|vintage|electric|cargo|pair of|little|red|blue|black|white|green|silver|grey|gray|yellow|\d{4}|ancient|battered|beat-up|trusty|hand-me-down|big|tiny) )*(?:(?-i:[A-Z])[\w'-]*(?: (?-i:[A-Z0-9])[\w'-]*){0,3}|(?:[a-z-]+ )?(?:car|van|truck|bike|e-?bike|motorbike|motorcycle|scooter|moped|boat|kayak|canoe|campervan|caravan|tent|piano|guitar|violin|cello|banjo|ukulele|drum kit|keyboard|synth|telescope|camera|lens|drone|laptop|desktop|monitor|tablet|phone|watch|headphones|earbuds|e-?reader|kindle|printer|3d printer|sewing machine|loom|spinning wheel|kiln|lathe|allotment|greenhouse|hot tub|treadmill|rowing machine|exercise bike|air fryer|espresso machine|coffee machine|bread maker|dishwasher|tv|television|projector|turntable|record player|motor home|motorhome|tractor|chainsaw|lawnmower|wood burner|log burner|vineyard|timeshare|shop|bakery|café|cafe|pub|houseboat|narrowboat|holiday home|surfboard|snowboard|skis|skateboard|wetsuit|barbecue|smoker|aquarium|beehives?|chickens|hens|goats|sheep|tortoise)s?))"
OWNS = (
    frame("plain perfect be past", rf"(?:bought|got|picked up|ordered|purchased|own|owns|owned|have|has|having|upgraded to|invested in|treated myself to|splashed out on|drive|drives|ride|rides|fly|sail|inherited|traded (?:it |the [\w ]+ )?in for|replaced (?:it|[\w' ]{{2,24}}) with|went for|ended up with|leas(?:e|ing)|keep) (?:myself |ourselves |me )?(?:an?|the|my first|two|three|one of those|some|our|my|another|\d) {_MODEL}(?: (?:ones?|thing))?(?![\w-])(?! (?:card|cards|membership|season|account|subscription|voucher|receipt|bag|box|delivery|order|app|job|meeting|accent|passport|visa|today|fan|person|guy|fest|concert|ticket|lesson|exam|test|licence|license|show|album|game|match)\b)", _OWNS, bare=True),
    frame("plain", r"keep(?:s)? (?P<v>(?:bees|chickens|hens|goats|sheep|pigs|ducks|pigeons|alpacas|llamas|horses|ponies|quail|koi|tropical fish|stick insects|tarantulas|snakes|geckos))\b", State("owns", "{s} has {v}")),
    frame("plain perfect", r"(?:have|has|got|own|owns|owned|had) (?:an?|any|no) (?P<v>(?:kids|children|child|siblings|brothers or sisters))\b", State("child", "{s} has {v}"), of="negative"),
    frame("plain perfect", r"(?:have|has|got|own|owns|owned|had) (?:an?|any) (?P<v>(?:car|tv|telly|television|bike|smartphone|mobile|pet|pets|dog|cat|house|driving licen[cs]e|licen[cs]e|garden|dishwasher|microwave|credit card|passport|loom|boat|piano|suit|computer|laptop|printer|gun|tattoo|tattoos|mortgage|landline)s?)\b", State("owns", "{s} has {v}"), of="negative"),
    frame("plain perfect", r"have no (?P<v>kids|children)\b|(?:no )(?P<w>kids|children)(?= *$|[,.;!]| (?:and|yet|just)\b)", State("child", "{s} has {v}", denies=True), bare=True),
    frame("plain perfect be past", rf"(?:sold|gave away|got rid of|donated|scrapped|traded in|pawned|flogged|rehomed|returned|chucked|threw out|selling|getting rid of) (?:the|my|our|both my) {_MODEL}(?![\w-])", State("owns", "{s} has {v}", check=_object, ends=True), bare=True),
)  # fmt: skip

_ABLE = r"(?P<v>(?:play|ride|drive|speak|read|sew|knit|crochet|weld|code|cook|bake|dance|draw|paint|sing|whistle|fly|sail|swim|ski|snowboard|surf|skate|juggle|type|touch[- ]type|solder|drive|climb|dive|scuba dive|do (?:the splits|a handstand|a cartwheel|a backflip)|build|fix|shear|milk|sign|lip[- ]?read|shoot|fence|box|plaster|tile|wire|plumb|program|parallel park|fillet)\b(?! (?:it|this|that|them|you)\b)(?: (?!(?:because|but|so|though|tho|since|anymore|any|when|if|and|or|to save|for|until|pretty|quite|really|properly|now|again|today|tomorrow)\b)[\w'&-]+){0,5})"
_INSTRUMENT = r"(?P<v>(?:the )?(?:piano|guitar|bass(?: guitar)?|violin|viola|cello|double bass|drums|flute|piccolo|oboe|clarinet|bassoon|saxophone|sax|trumpet|trombone|tuba|french horn|cornet|euphonium|ukulele|harp|banjo|mandolin|accordion|concertina|bagpipes|harmonica|recorder|organ|keyboards?|harpsichord|sitar|tabla|erhu|guzheng|pipa|koto|shamisen|tin whistle|bodhr[aá]n|fiddle|marimba|xylophone|lute|theremin|synth)|chess|bridge|poker|mahjong|golf|tennis|squash|badminton|table tennis|rugby|football|soccer|cricket|hockey|netball|basketball|volleyball|lacrosse|five-a-side|darts|snooker|pool|petanque|bowls|padel|pickleball|ultimate)"
SKILLS = (
    frame("can", rf"(?:also |actually |still |even |just about )*{_ABLE}(?![\w-])", State("skill", "{s} can {v}"), bare=True, of="skill"),
    frame("plain perfect past", rf"(?:learn(?:ed|t)|know how|knows how|taught (?:myself|himself|herself)|figured out how)(?: how)? to {_ABLE}(?![\w-])", State("skill", "{s} can {v}"), bare=True),
    frame("plain perfect be", rf"(?:play|plays|playing|played)(?: (?:a bit of|some|competitive|amateur|semi-pro))* {_INSTRUMENT}(?![\w-])(?! (?:tomorrow|tonight|today|on (?:my|the) (?:phone|ps|xbox)))", State("skill", "{s} plays {v}"), bare=True, of="skill"),
    frame("be perfect plain", rf"(?:learning|taking up|took up|having lessons (?:in|on)|taking lessons (?:in|on)|started(?: learning)?|picking up|teaching myself|getting into)(?: (?:to play|how to play))? {_INSTRUMENT}(?![\w-])", State("learning", "{s} is learning {v}"), bare=True),
)  # fmt: skip

_CHOICE = r"(?P<v>(?:(?:going|sticking|staying|ending) with|going for|plumping for) [\w' &-]{2,40}?|(?:turning down|taking(?! up| lessons| classes|[\w' -]* (?:class|course|lesson|walk|nap|bath|shower|photo|picture)s?\b| care| part| over| a break| the bus| the train)|keeping(?! busy| well| an eye| up)|selling|quitting|postponing|cancelling|dropping|skipping|accepting|declining|closing|cutting|scrapping|hiring|renewing|not renewing|not going|switching to|holding off(?: on)?|calling off|pushing back|ditching|giving up) [\w' &-]{2,60}?)"
DECISIONS = (
    frame("be plain", rf"(?:definitely |officially |not |all )*{_CHOICE}(?= *$|[,.;:!]| (?:and|because|but|so|instead)\b)", State("decision", "Decision: {v}"), bare=True, of="decided", denied="nothing"),
    frame("plain perfect past", r"(?:opted|voted|resolved|made the decision|made the call)(?: (?:to|on|that|against|for|we'd|I'd))+ (?P<v>[\w' &-]{3,70}?)(?= *$|[,.;:!]| (?:because|since|so|but)\b)", State("decision", "Decision: {v}"), bare=True, denied="nothing"),
)  # fmt: skip

_NUM = r"(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d+)"
FAMILY = (
    frame("plain perfect past", rf"(?:have|has|had|got|raised|raising|gave birth to)(?: got)? (?P<v>{_NUM} (?:[a-z]+ )?(?:kids|children|sons|daughters|boys|girls|grandkids|grandchildren|kid|son|daughter|stepkids|foster kids))\b(?! (?:called|named|who))", State("child", "{s} has {v}"), bare=False, denied="nothing"),
    frame("plain perfect", rf"(?:have|has|got)(?: got)? (?P<v>{_NUM} (?:older |younger |little |big |half[- ]?|twin )?(?P<rel>brothers?|sisters?|siblings))\b(?! (?:called|named))", State("sibling", "{s} has {v}"), denied="nothing"),
    frame("be perfect plain was past", r"(?:just |recently |finally |got |been |happily |newly |freshly |recently )*(?P<v>married|engaged|divorced|separated|widowed|a widow(?:er)?)\b(?! (?:to (?:my|the)|bed|room|couple|life|people|name|women|men|friends|mum|mom))", State("marital_status", "{s} is {v}"), bare=True, of="status"),
    frame("be perfect plain past", r"(?:just |recently |finally |got |been |happily )*(?P<v>married|engaged) to (?P<w>(?-i:[A-Z])[a-z]+)(?! [A-Z])", State("marital_status", "{s} is {v}"), State("partner", "{s}'s partner is called {v}", group="w", check=is_name), bare=True),
    frame("be perfect", r"(?:been )?(?:dating|seeing|going out with) (?P<v>(?-i:[A-Z])[a-z]+)(?= *$|[,.;!]| (?:for|since|now)\b)", State("partner", "{s}'s partner is called {v}", check=is_name)),
    frame("be perfect", r"(?:been )?(?P<v>single)(?= *$|[,.;!]| (?:and|again|now|these|for|since|but)\b)", State("marital_status", "{s} is {v}")),
    frame("be", r"expecting (?P<v>(?:an?|our|their|my|her) (?:first |second |third |baby )*(?:baby|child|kid|girl|boy|son|daughter)?|twins|again|in [a-z]+)", State("event", "{s} is expecting {v}"), bare=True),
    frame("be", r"(?P<v>(?:\d+|[a-z]+(?:-[a-z]+)?) (?:weeks|months) (?:pregnant|along|gone))", State("health", "{s} is {v}"), bare=True),
    frame("plain perfect past", r"(?P<v>(?:made|just made|make) partner(?: at [\w' ]{2,24})?|(?:got|gets) (?:the |a |his |her )?(?:promotion|promoted|engaged|tenure|citizenship|green card)|(?:had|has had) (?:a |her |his |their )(?:baby|stroke|heart attack|fall|operation|first baby|little boy|little girl)|passed (?:away|his|her|their) ?(?:driving test|exams|bar|test|viva)?|retired|graduated|moved out|moved in|started (?:school|uni|nursery|a new job))\b(?! (?:from|at) [A-Z])", State("event", "{s}: {v}"), of="other"),
    frame("plain perfect past", r"(?P<v>(?:opened|started|launched|founded|set up|bought|sold|published|adopted|won|joined|moved in with|split up with|broke up with|ran|finished|applied (?:to|for)|signed up for|went back to|dropped out of|proposed to|had) (?:an?|his|her|their|the|us|me|my)? ?[\w' -]{2,40}?)(?= *$|[,.;!]| (?:and|but|last|this|in|on|so|yesterday|when|after|at|for|which)\b)", State("event", "{s} {v}"), of="other", denied="nothing"),
    frame("was", r"(?P<v>(?:diagnosed|hospitali[sz]ed|discharged|laid off|promoted|elected|ordained|knighted|deported|arrested)\b[^,.;]{0,30})", State("event", "{s} was {v}"), of="other"),
)  # fmt: skip

AGE_WORD = r"(?:\d{1,3}|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[- ](?:one|two|three|four|five|six|seven|eight|nine))?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen)"


def _age(value: str) -> str | None:
    return None if value.isdecimal() and not 0 < int(value) < 115 else value


_AGE = State("age", "{s} is {v} years old", check=_age)
SELF = (
    frame("be will plain perfect past", rf"(?:just |recently |only |now |about to |nearly |almost |be |going to )*(?:be|turn(?:s|ed|ing)?|hit(?:ting)?|pushing|approaching|celebrat\w+ my)(?: the big)? (?P<v>{AGE_WORD})(?:th)?(?= *$|[,.;:!?)]| (?:in|on|this|next|last|today|tomorrow|yesterday|and|but|now|soon|years? old|at)\b)(?! (?:minutes|percent|o'clock))", _AGE, bare=True, of="age"),
    frame("plain perfect past", r"[a-z]+(?: [\w' ]{2,30}?)?,? at (?P<v>\d\d)(?= *$|[:,.!]| and\b)", _AGE, of="perfect"),
    frame("be", rf"(?:only |just |now |already )*(?:an? )?(?P<v>{AGE_WORD})(?!\.\d)[- ]?(?:years?[- ]?old|yrs? ?old|y/?o|yo|now|and (?:a half|counting)|going on \w+)?(?= *$|[,.;:!)]| (?:and|but|so|in|next|this|now|tho|though)\b)(?! (?:and a half )?(?:minutes|hours|miles|km|stone|kilos|feet|foot|am|pm))", _AGE, of="age"),
    frame("plain be perfect", rf"(?:an? )?(?P<v>{AGE_WORD})[- ](?:years?[- ]old|yr old|y/?o|yo)\b(?! (?:dog|cat|car|boiler|laptop|house|kid|son|daughter|brother|whisky|wine|building|phone|computer))", _AGE, bare=True),
    frame("be was plain", r"(?:was )?born (?:and raised )?(?:on )?(?:an? [a-z]+ day, )?(?P<v>(?:the )?(?:\d{1,2}(?:st|nd|rd|th)? (?:of )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*(?:,? (?:(?:19|20)?\d\d))?|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* (?:the )?\d{1,2}(?:st|nd|rd|th)?(?:,? (?:19|20)\d\d)?))", State("birthday", "{s}'s birthday is {v}"), bare=True),
    frame("be was plain", r"(?:was )?born (?:back )?in (?:the [a-z]+ of )?(?P<v>(?:19|20)\d\d|'\d\d)\b", State("birth_year", "{s} was born in {v}"), bare=True),
    frame("be was plain", r"(?:was )?born (?:and (?:raised|bred) )?in (?P<v>(?-i:[A-Z])\w+(?:[ ,]+(?-i:[A-Z])\w+)*)", State("birthplace", "{s} was born in {v}"), bare=True),
    frame("plain", r"(?P<v>\d ?(?:ft|foot|')(?: ?\d{1,2}\"?)?)(?= *$|[,.;]| (?:and|tall)\b)", State("height", "{s} is {v} tall"), bare=True, of="bare"),
    frame("be", r"(?:about |around |roughly |just |only |exactly )*(?P<v>\d[\d.]* ?(?:cm|m|metres|meters)|\d ?(?:'|ft|foot|feet) ?\d{0,2}(?:\"| ?inches| ?in)?|(?:five|six|four) (?:foot|feet)(?: (?:one|two|three|four|five|six|seven|eight|nine|ten|eleven))?)(?: tall| and \w+)?", State("height", "{s} is {v} tall")),
    frame("plain be", r"(?:weigh(?:s|ing)?(?: in at)?|down to|up to) (?:about |around |roughly |just |only |exactly )*(?P<v>\d[\d.]* ?(?:kgs?|kilos?|kilograms|lbs?|pounds|stone)(?: \d+)?|\w+ stone(?: \w+)?)", State("weight", "{s} weighs {v}"), bare=True),
    frame("be", r"(?:about |around |roughly |just |only )*(?P<v>\d[\d.]* ?(?:kgs?|kilos?|lbs?|pounds|stone)(?: \d+)?)(?![\w-])(?! (?:of|overweight|lighter|heavier|down|box|bag))(?:,? and (?P<tall>\d[\d.]* ?cm)\b)?", State("weight", "{s} weighs {v}"), State("height", "{s} is {v} tall", group="tall"), of="other"),
    frame("plain be", r"(?:an? )?(?:blood )?type[- ](?P<v>(?:AB|A|B|O)(?: ?(?:positive|negative|pos|neg|\+|-))?)(?: blood)?(?: donor)?(?![\w-])", State("blood_type", "{s}'s blood type is {v}"), bare=True),
    frame("plain be", r"(?P<v>(?-i:AB|A|B|O)[ -]?(?:positive|negative|pos|neg|rh negative))\b", State("blood_type", "{s}'s blood type is {v}"), bare=True),
    frame("be", r"an? (?P<v>Aries|Taurus|Gemini|Cancer|Leo|Virgo|Libra|Scorpio|Sagittarius|Capricorn|Aquarius|Pisces)\b", State("zodiac", "{s} is a {v}"), bare=True),
    frame("be", r"(?:an? )?(?:practising |devout |lapsed |practicing |non-practising )?(?P<v>Muslim|Christian|Catholic|Jewish|Hindu|Buddhist|Sikh|Quaker|Mormon|atheist|agnostic|Protestant|Methodist|Baptist|Anglican|Orthodox|Jain)\b(?! (?:school|church|wedding))", State("religion", "{s} is {v}"), bare=False),
)  # fmt: skip

FRAMES: tuple[Frame, ...] = (*SELF, *FAMILY, *DECISIONS, *SKILLS, *USES, *OWNS, *HABITS, _COLLECT, *LIKES)
