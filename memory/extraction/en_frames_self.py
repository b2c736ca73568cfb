"""English constructions of where one lives, works and learns, of body and food, of languages: tables of frames only."""

from __future__ import annotations

import re

from memory.extraction.en_frame import Frame, State, frame
from memory.extraction.en_words import (
    ALLERGENS,
    CONDITION_WORDS,
    CONDITIONS,
    DEVICES,
    DIETS,
    DWELLING,
    FIELDS,
    JOBS,
    LANGUAGES,
    NOT_PLACES,
    PEOPLES,
    SUBJECTS,
    TITLES,
    VEHICLES,
)

_INSIDE = rf"(?:(?:an?|the|my|our|his|her|their) (?:[\w'-]+ ){{0,4}}?(?:{DWELLING}|[\w'-]+) (?:in|near|outside|off|on|by|over in|overlooking) )?"


def _place(value: str) -> str | None:
    bare = re.sub(r"^(?:the|downtown|central|north|south|east|west) ", "", value, flags=re.IGNORECASE)
    return None if NOT_PLACES.match(bare) or NOT_PLACES.match(value) or re.match(r"\d", value) else value


def _place_caps(value: str) -> str | None:
    return _place(value) if re.match(r"(?:the |downtown |central |north |south |east |west )?[A-Z]", value) else None


def _firm(value: str) -> str | None:
    if re.match(
        r"(?:an? |the )?(?:home|night|nights|weekends?|moment|time|party|it|myself|people|kids|children|animals|wood|clay|money|free|fun|life|once|least|least|night|end|door|dentist|airport|hospital waiting|gym|beach|pub|least|best|worst|start|table|present|risk|war|peace|ease|odds)$",
        value,
        re.IGNORECASE,
    ):
        return None
    return value


def _firm_caps(value: str) -> str | None:
    return (
        _firm(value)
        if re.match(r"(?:the |an? )?[A-Z0-9]", value)
        and not re.match(
            r"(?:The )?(?:Spanish|French|German|Italian|Japanese|Chinese|Korean|Russian|Greek|Arabic|English|Facebook|Instagram|Twitter|Netflix|Spotify|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|January|February|March|April|May|June|July|August|September|October|November|December|Christmas|Easter)\b",
            value,
        )
        else None
    )


def _school(value: str) -> str | None:
    return (
        None
        if re.match(
            r"(?:bed|sleep|work|the|town|church|a|my|hospital|therapy|lunch|dinner)\b(?! univ| school| coll)",
            value,
            re.IGNORECASE,
        )
        else value
    )


_HOME = State("home", "{s} lives in {v}", check=_place)
_HOME_CAPS = State("home", "{s} lives in {v}", check=_place_caps)
_NOT_HOME = State("home", "{s} lives in {v}", check=_place_caps, ends=True)
_LIVE = r"(?:liv(?:e|es|ing|in)|resid(?:e|es|ing)|based|rent(?:s|ing)?(?: (?:an? )?(?:<adj>[a-z]+)?)?|lodging|moored|parked up|settled(?: down)?|squatting|crashing|couch[- ]?surfing|holed up|stationed|posted|house[- ]?sharing|house[- ]?sitting|living the dream)"
_NEAR = r"(?:in|at|near|outside|off|below|above|by|around|just outside|just below|just off|on the outskirts of|over in|out in|up in|down in|back in)"
HOME = (
    frame("plain be perfect", rf"(?!rent\w* (?:the same|.{{2,40}} (?:every|each) )){_LIVE} <adv>(?:with [\w' ]{{2,20}} )?{_NEAR} {_INSIDE}<np>", _HOME, bare=True),
    frame("be perfect plain", r"(?:stay(?:s|ing|ign)?) <adv>(?:with|at) (?P<w>(?:my|our) [a-z]+'?s?)(?: (?:place|house|flat|spare room))? (?:in|near|outside) <np>", _HOME, bare=True),
    frame("plain perfect past", rf"(?:moved|relocated|emigrated|settled)(?: <adv>(?:house|back|away))*(?: (?:in )?with [\w' ]{{2,16}}?)?(?: from (?P<w>[\w' ]{{2,24}}?))? (?:to|into|in|out to|up to|down to|over to) {_INSIDE}(?:the )?<np>", _HOME_CAPS, bare=True),
    frame("plain be perfect", r"(?:liv(?:e|es|ing)|based) on (?P<v>(?:an? |the )[\w' -]{2,40}?)(?= *$|[,.;!]| (?:with|and|but|near|since|now)\b)", _HOME, bare=True),
    frame("plain perfect past", rf"(?:sold|left|moved out of|handed back|let go of|gave up|given up|vacated|swapped) (?:the|my|our|that) <adj>(?:{DWELLING}) (?:in|on|near) <Cap>", State("home", "{s} lives in {v}", ends=True), bare=True),
    frame("plain perfect past", rf"(?:closed on|bought|exchanged on|completed on|signed (?:the lease|a lease|for)(?: (?:on|for))?|found|took|rented|inherited|got the keys to|moved into|purchased|got) (?:an?|the|our|my) <adj>(?:{DWELLING}) (?:in|on|near|outside|off|out in) <Cap>", _HOME_CAPS, bare=True),
    frame("plain perfect past", rf"(?:closed on|bought|exchanged on|completed on|signed (?:the |a )?lease (?:on|for)|took|rented|inherited|got the keys to|moved into|purchased) (?:the |a |our |my )(?P<v>(?-i:[A-Z])[\w'-]+(?: (?-i:[A-Z])[\w'-]+)* (?:{DWELLING}))", State("home", "{s} lives in {v}"), bare=True),
    frame("be", r"(?:living )?in <np>", State("home", "{s} lives in {v}", check=_place, ends=True), denied="end", of="negative"),
    frame("perfect", r"(?:in|here in|out in|over in) <Cap> (?:since|for|going on)\b", _HOME_CAPS),
    frame("be", r"(?:living |based )?(?:in|out in|over in|up in|down in|back in) <Cap> (?:now|these days|since|full[- ]time|at the moment|for good)\b", _HOME_CAPS),
    frame("be", r"(?:over |out |up |down |back |off )?in <Cap>", _HOME_CAPS, of="other"),
    frame("plain", r"<Cap> since (?:january|february|march|april|may|june|july|august|september|october|november|december|last|the|(?:19|20)\d\d)\b", _HOME_CAPS, bare=True, of="bare"),
    frame("be plain", r"(?:originally |born and (?:raised|bred) |raised |brought up )+(?:from |in )<Cap>", State("hometown", "{s} comes from {v}", check=_place_caps), bare=True),
    frame("plain past was", r"(?:grew up|raised|born and (?:bred|raised)|brought up|come from|comes from|came from|hails? from) (?:in |near |outside )?" + _INSIDE + "<Cap>", State("hometown", "{s} comes from {v}", check=_place_caps), bare=True),
    frame("be was", r"(?:from|a native of) <Cap>", State("hometown", "{s} comes from {v}", check=_place_caps)),
    frame("be was", rf"(?:an? |half[- ]|originally |actually )*(?P<v>{PEOPLES})(?= *$|[,.;!]| (?:and|but|so|by birth|citizen|national|passport holder|originally)\b)", State("nationality", "{s} is {v}")),
)  # fmt: skip

_JOB = rf"(?P<job>(?:(?!an? |the |my )[\w'/-]+ ){{0,3}}?(?:{JOBS}|{TITLES}))"
_OCC = State("occupation", "{s}'s occupation is {v}", group="job")
_EMPLOYER = State("employer", "{s} works at {v}", check=_firm)
_EMPLOYER_CAPS = State("employer", "{s} works at {v}", check=_firm_caps)
_SACKED = r"(?:resigned from|laid off (?:from|by)|let go (?:by|from)|made redundant (?:by|from|at)|fired (?:from|by)|sacked (?:from|by)|retired from|handed (?:in )?my notice (?:in )?(?:at|to)|gave (?:my )?notice at|quit my job (?:at|with)|left my job (?:at|with)) "
_QUIT = r"(?:quit|resigned from|laid off (?:from|by)|let go (?:by|from)|made redundant (?:by|from|at)|fired (?:from|by)|retired from|jacked in|packed in|done with|done at|handed (?:in )?my notice (?:in )?(?:at|to)|gave (?:my )?notice at|parted ways with|walked out of|stepped down from)"
WORK = (
    frame("plain be perfect", r"(?:work(?:s|ing|ed)?|do(?:es|ing)?|on) (?P<w>nights|days|night shifts?|day shifts?|shifts|lates|earlies|weekends|part[- ]time|remotely)(?: (?:at|for|in|on) (?P<x>(?:the |an? )?(?!moment)[\w'&-]+(?: (?-i:[A-Z])[\w'&-]+)*))?", State("habit", "{s} works {v}", group="w"), State("employer", "{s} works at {v}", group="x", check=_firm), bare=True),
    frame("plain be perfect", r"work(?:s|ing|in)? <adv>(?:at|for|out of|over at) (?:the )?(?P<v>(?:same |local )?(?:an? )?[\w'&.-]+(?: (?!(?:in|on|as|and|or|but|for|since|where|which|with|at|doing|now|so|because|near|by|part|full|until|til|every|these|from)\b)[\w'&.-]+){0,4})(?: as (?:an? |the )?" + _JOB + ")?", _EMPLOYER, _OCC, bare=True),
    frame("plain be perfect", rf"work(?:s|ing)? <adv>(?:in|on) (?:the )?(?P<v>{FIELDS})(?: (?:at|for) (?P<w>(?-i:[A-Z])[\w'&-]+(?: (?-i:[A-Z])[\w'&-]+)*))?", State("occupation", "{s} works in {v}"), State("employer", "{s} works at {v}", group="w"), bare=True),
    frame("plain be perfect", r"work(?:s|ing)? <adv>in (?:the same |an? |the )(?P<v>[a-z]+(?: [a-z]+)?)(?= (?:like|as|in|with|since|and|near|on)\b|$|[,.])", State("work_place", "{s} works in a {v}", check=_firm)),
    frame("plain be perfect", r"work(?:s|ing)? <adv>as (?:an? |the )?(?P<v>[a-z][\w' -]{2,40}?)(?= (?:at|for|in|with|on|and|but|since|so|now)\b|$|[,.])(?: (?:at|for|with) (?P<w>(?:the )?(?-i:[A-Z])[\w'&-]+(?: (?-i:[A-Z])[\w'&-]+)*))?", State("occupation", "{s}'s occupation is {v}"), State("employer", "{s} works at {v}", group="w"), bare=True),
    frame("be perfect", r"(?:with|at) (?P<v>(?:the )?(?-i:[A-Z])[\w'&.-]*(?: (?:of |& |and )?(?-i:[A-Z])[\w'&.-]*){0,3})(?= (?:now|these|since|for (?:the|\w+ years)|as (?:an?|the|their)|doing)\b)|with (?P<w>(?-i:[A-Z])[\w'&.-]*(?: (?:of |& |and )?(?-i:[A-Z])[\w'&.-]*){0,3})(?= *$|[.;])", _EMPLOYER_CAPS),
    frame("perfect be plain", r"(?:with|at) <np> (?:since|for (?:\w+ )?(?:years|months|donkey's))\b", State("employer", "{s} works at {v}", check=_firm), bare=True, of="been"),
    frame("plain perfect past be", rf"(?:joined|hired (?:by|at)|got hired (?:by|at)|taken on (?:by|at)|started (?:at|with|working (?:at|for)|an? (?:new )?(?:job|role|position) (?:at|with))|starting (?:at|with)|employed (?:by|at|with)|contract(?:ing|ed)? (?:for|with|to)|interning (?:at|with|for)|temping (?:at|for)|accepted (?:an|the) offer (?:from|at)|got a job (?:at|with)|poached by|signed with|freelanc(?:e|ing) for) (?P<v>(?:the |an? )?(?-i:[A-Z0-9])[\w'&.-]*(?: (?:of |& |and )?(?-i:[A-Z])[\w'&.-]*){{0,3}})(?: as (?:an? |the |their )?{_JOB})?", _EMPLOYER_CAPS, _OCC, bare=True),
    frame("plain perfect past be will", r"(?:joined|joining|start(?:ed|ing)?(?: work| a job)? (?:at|with)|got a job (?:at|with)|moving to|moved to|taken a job (?:at|with)|taking a job (?:at|with)) (?P<v>an? (?:[\w'-]+ ){1,4}?(?:studio|firm|company|start-?up|agency|school|hospital|clinic|practice|charity|bakery|restaurant|bank|lab|garage|workshop|gallery|museum|library|law firm|consultancy|nonprofit|co-op|brewery|theatre|nursery|care home|shop|salon))(?: as (?:an? |the |their )?(?P<job>[a-z][\w' -]{2,30}?)(?= *$|[,.;!]| (?:in|on|from|and|next|at)\b))?", _EMPLOYER, _OCC, bare=True),
    frame("plain perfect past was be", rf"{_QUIT} (?:my (?:job|post|role|position) (?:at|with) )?<The>", State("employer", "{s} works at {v}", check=_firm_caps, ends=True), bare=True),
    frame("plain perfect past was be", _SACKED + r"<np>", State("employer", "{s} works at {v}", check=_firm, ends=True), bare=True),
    frame("be perfect plain", rf"(?:been )?in (?P<v>{FIELDS}) (?:at|for|with) (?P<w>(?:the )?(?-i:[A-Z])[\w'&-]+(?: (?-i:[A-Z])[\w'&-]+)*)", State("occupation", "{s} works in {v}"), State("employer", "{s} works at {v}", group="w"), bare=True),
    frame("be perfect", rf"(?:been )?in (?P<v>{FIELDS})(?= *$|[,.;!]| (?:for|since|these|now|and|but)\b)", State("occupation", "{s} works in {v}")),
    frame("plain be", r"(?:ex|formerly)[- ](?:of )?<Cap>", State("employer", "{s} works at {v}", check=_firm_caps, ends=True), bare=True),
    frame("plain be perfect", rf"(?:an? |the |one of the |their |her |his )?(?:(?:qualified|retired|trained|registered|chartered|trainee|full-time|part-time|freelance|self-employed|practising|licensed|certified) )*{_JOB}(?![\w'-])(?! (?:friend|mate|said|says|told|appointment|visit|bill|strike|called|called me|who)\b)(?:,? (?:over |down |up |here |out )?(?:(?:at|for|with) (?P<v>(?:the |an? )?(?-i:[A-Z0-9])[\w'&.-]*(?: (?:of |& |and )?(?-i:[A-Z])[\w'&.-]*){{0,3}})|(?:in|based in|out of|on) (?P<place>(?-i:[A-Z])[\w'&.-]*(?: (?-i:[A-Z])[\w'&.-]*){{0,2}})))?", _OCC, _EMPLOYER_CAPS, State("work_place", "{s} works in {v}", group="place", check=_firm_caps), of="job", bare=True),
    frame("be", r"(?:only |just |basically )?the (?:one|guy|person|woman|man|bloke|girl|gal|lad|lady|chap) who (?P<v>(?:repairs?|fix(?:es)?|cleans?|makes?|builds?|drives?|teaches|sells?|runs?|designs?|answers?|writes?|does|delivers?|empties|changes) [\w' -]{3,40}?)(?=$|[,.]| (?:so|and|but)\b)", State("occupation", "{s}'s work: {v}")),
    frame("plain", r"(?P<v>(?!work|have|has|need|want|like|love|pay|vote|care|wait|apply|look|buy|live|speak|volunteer|use|make time)[a-z]+s? (?:the |an? )?[\w' -]{3,30}?) (?:for|at) (?:the |an? )(?:[\w-]+ )?(?:council|city|county|state|government|NHS|hospital|university|school|charity|company|firm|start-?up|sanctuary|bank|museum|airline|railway|church|zoo|theatre|local paper|newspaper|police|library|college|care home|nursery|brewery|supermarket|factory|warehouse|hotel|restaurant|caf[eé]|farm|law firm|nonprofit|agency)(?= *$|[,.;!]| (?:and|but|in|on|so|these|now|since)\b)", State("occupation", "{s}'s work: {v}"), of="habit"),
    frame("plain", r"(?P<v>clean(?:s)? (?:offices|houses|windows|schools)|(?:keep|keeps|do|does) the (?:books|accounts|payroll)|wait(?:s)? tables|stack(?:s)? shelves|walk(?:s)? dogs|deliver(?:s)? (?:parcels|post|mail|pizza|pizzas|food|newspapers|groceries)|fix(?:es)? (?:boilers|roofs|bikes|phones|computers)|cut(?:s)? (?:hair|lawns|trees))(?= *$|[,.;!]| (?:and|but|in|on|at|for|so|these|now|since|while)\b)", State("occupation", "{s}'s work: {v}"), of="habit"),
    frame("plain perfect", r"(?P<v>[a-z]+ [\w' &-]{2,40}?) (?:for a living|for my sins|professionally|by trade|as a job)\b", State("occupation", "{s}'s work: {v}"), bare=True),
    frame("be", r"(?:an? )?(?P<v>[a-z][\w' -]{2,30}?) by (?:trade|profession|training|day|night)\b", State("occupation", "{s}'s occupation is {v}"), bare=True),
    frame("plain be perfect", rf"(?P<v>(?:look(?:s|ing)? after (?!(?:my|our|his|her|the kids|the dog|him|them|it|myself)\b)[\w' ]{{3,40}}?|teach(?:es|ing)? (?:{SUBJECTS}|year \w+|kids|adults|primary|secondary|kindergarten|(?:first|second|third|fourth|fifth|sixth|seventh|eighth) grade|english|yoga|piano|swimming|music)[\w' ]{{0,20}}?|(?:drive|drives|driving) (?:an? |the )?(?:(?:number )?\w+ )?(?:{VEHICLES})|(?:manage|run|lead|supervise|coordinate|oversee|head up|head)(?:s|ing)? (?:the|an?|our|their) [\w' -]{{2,24}}? ?(?:team|shop|department|ward|site|kitchen|branch|desk|office|store|farm|business|unit|bar|pub|caf[eé]|clinic|nursery|salon|programme|program|company|restaurant|lab|studio|bakery|library|warehouse|garage|gallery|school|theatre)|(?:restor|repair|build|mak|design|sell|edit|translat|writ|paint|tun|install|carv|forg|weld|brew|bind|print|groom|train)(?:s|es|e|ing)? (?:pianos?|organs?|pipe organs|houses|furniture|software|games|websites|apps|boats|bikes|cars|clocks|watches|violins?|guitars?|books|insurance|property|cars|dogs|horses|beer|ships|pottery|ceramics|jewell?ery|curtains|cakes|sails|dentures|prosthetics|code)|(?:do|does|doing) (?:payroll|marketing|hr|compliance|accounts|bookkeeping|it support|tech support|social media|reception|admin|logistics|procurement|[a-z]+ (?:rights )?law|[a-z]+ (?:design|engineering|research|photography|surgery|nursing|therapy)|hair|nails|tattoos|tax returns)|(?:something|stuff) (?:with|in) [a-z]+|doing something (?:with|in) [a-z]+|slinging bags|tend(?:s|ing)? bar|wait(?:s|ing)? tables|drives? lorries))(?=$|[,.;)(]| (?:all|and|but|so|at|in|on|for|across|which|these|now|since|out|over|around|by|to|until)\b)", State("occupation", "{s}'s work: {v}"), bare=True),
    frame("plain perfect past was will be", rf"(?:got promoted to|promoted to|made|got made|become|became|stepp(?:ed|ing) up (?:to|as)|tak(?:en|ing) over as|appointed|got the job as|starting as|started as|got the) (?:be )?(?:an? |the )?{_JOB}", _OCC, of="job"),
    frame("be plain perfect will", r"(?:gone |went |now |fully |officially )*(?P<v>freelance|freelancing|self[- ]employed|retired|semi[- ]retired|unemployed|between jobs|out of work|on (?:mat(?:ernity)?|pat(?:ernity)?|parental|sick) leave|on the dole|job[- ]hunting|contracting|a stay-at-home (?:mum|mom|dad|parent)|signed off sick)\b", State("employment_status", "{s} is {v}"), bare=True),
    frame("be", r"(?:looking for|hunting for|applying for|on the hunt for|after|job hunting for) (?P<v>(?:an? )?(?:new |better |part-time |remote |full-time )*(?:job|work|role|position|placement|internship|apprenticeship|gig)[\w' -]{0,40}?)(?=$|[,.]| (?:and|but|so|now)\b)", State("job_search", "{s} is looking for {v}"), bare=True),
)  # fmt: skip

_SCHOOL = State("school", "{s}'s school is {v}", check=_school)
_MAJOR = State("major", "{s}'s subject is {v}", group="major")
_SUBJECT = rf"(?P<major>(?:{SUBJECTS}|aeronautics|astronautics|robotics|mechatronics|ceramics|sculpture|dentistry|paramedic science|optometry|veterinary nursing|land management|real estate|actuarial science|american studies|film|acting|musical theatre|creative writing|publishing|librarianship|museum studies|conservation)(?: (?:and|with|&) (?:{SUBJECTS}))?)"
SCHOOL = (
    frame("plain be perfect", rf"(?:in )?(?:(?:my|her|his) )?(?:first|second|third|fourth|fifth|final|last|1st|2nd|3rd|4th|freshman|sophomore|junior|senior)[- ]year (?:student )?(?:(?:of|doing|studying) )?(?:{_SUBJECT} )?(?:at )(?P<v>[\w'&.-]+(?: (?-i:[A-Z])[\w'&.-]+| of (?-i:[A-Z])\w+)*)(?:,? {_SUBJECT.replace('major', 'major2')})?", _SCHOOL, _MAJOR, State("major", "{s}'s subject is {v}", group="major2"), bare=True),
    frame("be plain perfect", rf"(?:study(?:ing)?|studies|reading|doing|on a|majoring in|majors? in|taking a degree in|doing (?:a|my|her|his) (?:degree|ba|bsc|masters?|master's|ma|msc|phd|doctorate|undergrad|a-levels?)(?: in)?) {_SUBJECT}(?: (?:at|over at) (?P<v>(?:the )?(?-i:[A-Z])[\w'&.-]+(?: (?:of )?(?-i:[A-Z])[\w'&.-]+)*))?", _MAJOR, State("school", "{s}'s school is {v}"), bare=True),
    frame("plain perfect past was be", rf"(?:graduated|got (?:my|a|her|his) degree|did (?:my|a|her|his) (?:degree|masters?|phd|undergrad)|studied|read|majored|trained)(?: (?:in )?{_SUBJECT})?(?:,? (?:from|at|in)) (?P<v>(?:the )?(?-i:[A-Z])[\w'&.-]+(?: (?:of )?(?-i:[A-Z])[\w'&.-]+)*)", State("school", "{s}'s school is {v}"), _MAJOR, bare=True),
    frame("plain perfect past be", r"(?:go to|goes to|went to|attend(?:s|ed|ing)?|at|enrolled (?:at|in)|transferred to|got into|accepted (?:to|at|by)|going to|starting at|starts at|started at|in at|off to) (?P<v>(?:the )?(?-i:[A-Z])[\w'&.-]+(?: (?:of |for )?(?-i:[A-Z])[\w'&.-]+)*)(?= (?:uni|university|college|school|academy|primary|high|poly|tech)\b|(?<=School)|(?<=College)|(?<=University)|(?<=Academy)|(?<=High)|(?<=Tech)|(?<=State)|(?<=Institute)|(?<=Primary)| (?:to study|doing|studying))", _SCHOOL, bare=True),
    frame("plain perfect past", rf"(?:got into|accepted (?:to|at|by)|offered a place at|got a place at|starts? at|going to|off to) (?P<v>(?:the )?(?-i:[A-Z])[\w'&.-]+(?: (?:of )?(?-i:[A-Z])[\w'&.-]+)*) (?:to (?:do|study|read)|for|doing|reading) {_SUBJECT}", _SCHOOL, _MAJOR, bare=True),
    frame("plain perfect past be", r"(?:start(?:ed|s|ing)?|going into|in|into) (?P<v>(?:Year \d+|year \d+|reception|kindergarten|nursery|preschool|(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|\d+th|1st|2nd|3rd) grade|sixth form|high school|secondary school|big school))\b", State("grade", "{s} is in {v}"), of="other"),
    frame("be perfect", r"(?P<v>home[- ](?:schooled|educated)|in (?:kindergarten|preschool|nursery|reception|year \d+|(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|1st|2nd|3rd|\dth|1\dth) grade|sixth form|grad school|med school|law school|high school|middle school))\b", State("education", "{s} is {v}")),
    frame("plain perfect past", r"(?P<v>dropped out of [a-z]+(?: [a-z]+)?)", State("event", "{s} {v}"), bare=True),
    frame("plain perfect past", rf"did (?:my|a|her|his) (?:degree|masters?|master's|phd|undergrad|ba|bsc|ma|msc|mba)(?: (?:in )?{_SUBJECT})?(?:,? (?:at|in)) (?P<v>(?:the )?(?-i:[A-Z])[\w'&.-]+(?: (?:of )?(?-i:[A-Z])[\w'&.-]+)*)", State("school", "{s}'s school is {v}"), _MAJOR, bare=True),
    frame("be", r"(?:at|in) <The>", State("school", "{s}'s school is {v}", ends=True), of="school"),
)  # fmt: skip

_SICK = State("health", "{s} has {v}")
_MOD = r"(?:(?:mild|severe|chronic|bad|really bad|terrible|awful|type \w+|seasonal|a bit of|a touch of|a mild case of|high|low|serious|an?|the|my|early|late|stage \w+|properly|officially|slight) )*"
HEALTH = (
    frame("be perfect plain will", rf"(?:gone |going |went |turned |turning |become |became |on an? |on the |eat(?:s|ing)? |been |doing |trying |trying out |follow(?:s|ing)? an? |stick(?:ing)? to |back on |an? |the |strict |lifelong |mostly |full |proper |raised |a bit of a |strictly |only |committed |practising )*(?P<v>{DIETS})(?: diet| food| thing| plan)?(?![\w-])(?! (?:restaurant|recipe|option|cheese|place|burger|friend|cook|dish|meal|menu|sausage))", State("diet", "{s}'s diet: {v}"), bare=True),
    frame("be perfect was", rf"(?:an? )?(?P<v>{CONDITIONS})(?![\w-])", State("health", "{s} is {v}"), bare=True),
    frame("plain", rf"(?:an? )?(?P<v>{CONDITIONS})(?= *$|[,.;!]| (?:since|from|and|so|but|as|in|for)\b)", State("health", "{s} is {v}"), bare=True, of="bare"),
    frame("plain", rf"(?:(?:severe|bad|serious|mild|nasty|massive) )*(?P<v>{ALLERGENS}|nut|peanut|tree nut|egg|prawn|cat|dog|pollen|bee|wasp|dust|strawberry|tomato|fish|seafood) allergy\b(?! (?:test|season|tablets|meds|advice|card))", State("allergy", "{s} is allergic to {v}"), bare=True, of="bare"),
    frame("plain perfect past", r"(?:had|have had|having|getting) (?:my|his|her) (?P<v>[a-z]+(?: [a-z]+)? (?:out|removed|replaced|fixed|pinned|drained|taken out))\b", State("health", "{s} had {v}"), bare=True),
    frame("plain perfect past be", r"no more (?P<v>[a-z][\w -]{2,24}?) for (?:me|us)\b|no (?P<w>red meat|meat|dairy|gluten|sugar|alcohol|booze|caffeine|coffee|salt|bread|carbs|cheese|eggs|seafood|fried food) for (?:me|us)\b", State("eats", "{s} has {v}", ends=True), bare=True),
    frame("plain perfect be was past", rf"(?:'ve|have|has|had|got|having|getting|get|gets|suffer(?:s|ing)?(?: from)?|diagnosed(?: with)?|liv(?:e|es|ing) with|deal(?:s|ing)? with|struggl(?:e|es|ing) with|managing|battling|battle|developed|prone to|recovering from|on (?:meds|tablets|medication|pills) for|treated for|in remission from|ended up with) {_MOD}(?P<v>{CONDITION_WORDS})(?![\w-])", _SICK, bare=True),
    frame("be perfect plain", r"(?:<adj>)(?:allergic|anaphylactic) (?:to|for) <list>", State("allergy", "{s} is allergic to {v}", each=True), bare=True),
    frame("plain perfect", r"(?:have|has|got|having) (?:an? |some )?(?:(?:severe|bad|serious|mild|nasty|terrible|life-threatening|deadly|known) )*(?:allergy|allergies|intolerance|sensitivity|reaction) to <list>", State("allergy", "{s} is allergic to {v}", each=True), bare=True),
    frame("plain perfect", r"(?:have|has|got|having) (?:an? )?(?:(?:severe|bad|serious|mild|nasty|terrible|life-threatening|deadly|known) )*(?P<v>[a-z-]+(?: [a-z-]+)?) (?:allergy|allergies)\b", State("allergy", "{s} is allergic to {v}"), bare=True),
    frame("be", r"(?P<v>lactose|gluten|fructose|dairy|histamine|wheat)[- ]intolerant\b", State("intolerance", "{s} is {v} intolerant"), bare=True),
    frame("can plain", rf"(?:have|eat|do|tolerate|digest|touch|stomach|be near|go near) (?:any )?(?P<v>(?:{ALLERGENS})(?:(?:,| and| or|, or) (?:{ALLERGENS}))*)(?![\w-])", State("allergy", "{s} cannot have {v}", each=True, denies=True), of="cannot"),
    frame("plain be perfect", rf"(?:wear(?:s|ing)?|use(?:s)?|using|got|have|has|having|need|needs|on|fitted with|given|walk(?:s|ing)? with|rely(?:ing)? on|relies on) (?:an? |my |his |her |some |new |the )*(?P<v>{DEVICES})(?![\w-])", State("uses", "{s} uses {v}"), bare=True),
    frame("plain", rf"(?:an? )?(?P<v>{DEVICES})(?: (?:in|on|for|since|as of)\b)", State("uses", "{s} uses {v}"), bare=True, of="bare"),
    frame("be perfect plain", r"(?:been )?(?:on|taking|takes?) (?P<v>(?!the |a |my |holiday|track|time|board|top|average|fire|call|edge|sale|it|and|off|part|over|notes?|care|classes|lessons|photos|pictures|up|out|in|down)[a-z]{4,20}(?:in|ol|ine|ide|am|one|ex|il|ate|an|um|mg|pril|zac|oft|ol))(?= (?:for|since|\d|twice|every|and|at)|$|[,.])", State("medication", "{s} takes {v}"), bare=True),
    frame("plain past perfect", r"(?:broke|broken|tore|torn|sprained|fractured|dislocated|ruptured|snapped|smashed|busted|pulled|twisted|did in) (?:my|his|her) (?P<v>(?:left |right )?(?:ankle|leg|arm|wrist|foot|toe|big toe|knee|hip|shoulder|collarbone|finger|thumb|elbow|acl|mcl|meniscus|achilles|hamstring|calf|groin|quad|bicep|rotator cuff|nose|jaw|ribs?|back|neck|hand|skull|pelvis|tailbone|coccyx|shin|heel|femur|tibia|fibula|tooth)(?: tendon| ligament)?)\b", State("health", "{s} injured: {v}"), bare=True),
    frame("perfect plain past was", r"(?:had|have|having|has|got|getting|scheduled for) (?:an? |my |his |her |the )?(?P<v>(?:[a-z]+ )?(?:surgery|operation|op|transplant|replacement|bypass|c-section|hysterectomy|appendectomy|root canal|angioplasty|stent|biopsy|mastectomy|cataract op))\b(?! on my mind)", State("health", "{s} had {v}"), bare=True),
    frame("plain be", r"(?:(?<=only )|(?<=mostly )|(?<=just )|(?<=mainly ))drink(?:s)? (?P<v>(?:decaf|oat milk|herbal tea|green tea|black coffee|black tea|water|tap water|tea|coffee|espresso|alcohol-free beer|lactose-free milk|almond milk|soy milk)(?: coffee| tea)?)\b", State("drinks", "{s} drinks {v}")),
    frame("plain past perfect be was", r"(?:quit|stopped|gave up|given up|giving up|packed in|kicked|knocked) (?:the )?(?P<v>smoking|cigarettes|fags|vaping|cigs|smokes)\b", State("smokes", "{s} smokes", value="tobacco", denies=True), bare=True),
    frame("plain past perfect be was", r"(?:quit|stopped|gave up|given up|giving up|packed in|cut out|off) (?:the )?(?:drinking|booze|alcohol|drink|sauce)\b|(?:teetotal|sober|on the wagon|a teetotaller|dry)\b(?! (?:cleaning|humou?r|skin|january))", State("drinks", "{s} drinks alcohol", value="alcohol", denies=True), bare=True),
    frame("plain past perfect be was", r"(?:quit|stopped drinking|gave up|given up|giving up|cut out|switched off|dropped|swore off|off) (?:the )?(?P<v>coffee|caffeine|soda|fizzy drinks|energy drinks|beer|wine|milk|sugar|red meat|meat|dairy|gluten|bread|carbs|pork|chocolate|cheese|eggs|fish)\b", State("eats", "{s} has {v}", ends=True), bare=True),
    frame("plain past perfect be", r"switched (?:back )?to (?P<v>decaf|oat milk|soy milk|almond milk|green tea|herbal tea|black coffee|tea|matcha|coffee|water|skimmed milk)\b", State("drinks", "{s} drinks {v}"), bare=True),
)  # fmt: skip

_LANG = rf"(?:{LANGUAGES})"
_LANGS = rf"(?P<v>{_LANG}(?:(?:, and|,| and| &| n| plus) (?:some |a bit of |a little |bad |decent )?{_LANG})*)"
SPEECH = (
    frame("plain can perfect be", rf"(?:speak(?:s|ing)?|understand(?:s)?|know(?:s)?|talk(?:s)?|read(?:s)?|grew up (?:speaking|with|on)|fluent in|native in|conversational in|bilingual in|get by in|have (?:enough|some|decent|basic|rusty|conversational|a bit of|passable|good|school)|has (?:enough|some|decent|basic)|raised speaking)(?: (?:fluent|some|a bit of|a little|decent|basic|conversational|passable|enough|pretty good|native|both|only|mainly|broken|rusty|perfect|good|terrible|bad))* {_LANGS}(?![\w-])(?! (?:literature|history|grammar|food|films?|teacher|class|is|was|people|restaurant))", State("language", "{s} speaks {v}", each=True), bare=True),
    frame("be plain perfect past", rf"(?:learn(?:ing|t|ed)?|studying|taking up|picking up|brushing up(?: on)?|taking(?: lessons in)?|teaching myself|doing|started(?: learning)?|signed up for|switched to|took up)(?: (?:some|a bit of|evening|beginners?))* (?P<v>{_LANG})(?![\w-])(?! (?:literature|history|homework|exam|food|films?|teacher|people|gcse|a-level))", State("learning", "{s} is learning {v}"), bare=True),
    frame("plain past perfect", rf"(?:dropped|quit|gave up|stopped(?: learning)?|given up|abandoned|packed in|ditched)(?: (?:my|the|on))* (?P<v>{_LANG})(?![\w-])", State("learning", "{s} is learning {v}", ends=True), bare=True),
)  # fmt: skip

FRAMES: tuple[Frame, ...] = (*HEALTH, *SPEECH, *SCHOOL, *WORK, *HOME)
