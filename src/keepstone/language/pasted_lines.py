"""Finds the lines of a prompt that others wrote and that look like prose: a chat, a review, a checklist, release notes;
and those that the assistant wrote before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import accumulate

from ..lib.pattern import Pattern
from .duplicates import normalise

REPEATED_WORDS = 5  # a line with fewer words may be the same by chance
CLAUSES = 12  # of a sentence that are compared
RUN_WORDS = 10  # so many words in a row are a quotation wherever they begin
LEAD_WORDS = 4  # before a clause that is repeated: "in this repo we ..."
RESTATED_WORDS = 4  # a statement of fewer words that matter may say the same by chance
NAME_WORDS = 2  # of a person before a colon
MATTERS_CHARS = 4  # words that matter have at least as many letters

_ITEM = Pattern(r"^\s*(?:[-*+•–]|\(?\d{1,2}[.)])\s+")
_MARKS = Pattern(r"^[\s>*+•–\"'“”`-]+|[\s\"'“”`]+$")
_SENTENCE = Pattern(r"(?<=[.!?…])\s+|(?<=[.!?…][\"'”])\s+|;\s+")
_CLAUSE = Pattern(r"(?<=[,:;])\s+(?:and\s+|but\s+)?|\s+(?:-{1,2}|–|—|<-+|->)\s+")
_JOINED = Pattern(r"[,:;()–—]|\s-+\s|\b(?:so|and|but|because|since|which|while|though)\b", re.IGNORECASE)
_JOINING = Pattern(r"(?:[\s,;:–—-]+(?:and|or|but|so|then|also))*[\s,;:–—-]*$", re.IGNORECASE)  # at the end
# Of a sentence that tells of a rule, or of what was done against it.
_OF_A_RULE = Pattern(r"\b(?:says?|said|states?|guidelines?|rules?|told|asked|but)\b", re.IGNORECASE)
_LABELLED = Pattern(r"^[\s>*+•–-]*[A-Za-z][\w .'/-]{0,30}\*{0,2}:\*{0,2}\s+")  # "Proper fix: ..."
# What a tool puts before a line of a file: its number, or the file's name and number.
_NUMBERED = Pattern(r"^\s*(?:\d+[\t→]|[\w./-]+:\d+(?::\d+)?:|\d+[:-])\s*")
# How one agrees with what is repeated behind it.
_AGREES = Pattern(
    r"^(?:(?:ok(?:ay)?|k|yes|yep|yeah|sure|alright|right|agreed|exactly|good|great|fine|perfect|so|then|please|and|well|"
    r"go with|do|let's do)\b[,:.!]*\s+)+",
    re.IGNORECASE,
)
# What goes on with the words before it, so that both are one person's.
_HANGS = Pattern(
    r"^[\s,;:]*(?:and |but |or )?(?:on|in|at|by|for|with|without|to|from|of|as|if|when|while|until|unless|before|after|"
    r"during|except|only|even|not|never|always|also|then|because|since)\b",
    re.IGNORECASE,
)
# Who speaks in a chat, and when.
_NAME = (
    r"@?[^\W\d_][\w.'-]{0,19}(?: (?:(?:van|von|der|den|de|da|del|bin|al) ){0,2}"
    r"(?!(?:To|Yester|Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b)[^\W\d_a-z][\w.'-]{0,14}){0,2}"
    r"(?:@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,})?(?: <[^<>\s]{1,40}@[^<>\s]{3,40}>)?"
)
_ROLE = r"(?: ?[\[(][A-Za-z][\w/ -]{0,20}[\])])?"
_DATE = (
    r"(?:(?:today|yesterday|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?|"
    r"\d{1,4}[./-]\d{1,2}[./-]\d{2,4}|(?:\d{1,2} )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"
    r"(?: \d{1,2}(?:st|nd|rd|th)?)?(?:,? \d{4})?),?(?: at)?,? )?"
)
_TIME = (
    rf"[\[(]?{_DATE}\d{{1,2}}:\d\d(?::\d\d)?(?: ?[ap]\.?m\b\.?)?"
    r"(?:,? \d{1,2}[./-]\d{1,2}[./-]\d{2,4})?[\])]?"
)
_AGO = (
    r"(?:commented|wrote|replied|said|posted) "
    r"(?:(?:\d+|an?|last|the other) \w+(?: ago)?|on \w{3,9} \d{1,2}(?:, \d{4})?|yesterday|today)"
)
# A chat: a line that a name begins, or a line of a name and a time above what was said then.
_SPEAKER = Pattern(
    rf"^\s*(?:[-*+•]\s+)?(?:(?i:{_TIME}),?\s+(?:-\s+)?)?(?P<strong>\*\*)?(?P<name>{_NAME})(?P<role>{_ROLE})"
    r"(?P<time> ?[\[(]\d{1,2}:\d\d[^\])]{0,6}[\])])?(?(strong)(?:\*\*(?=:)|(?=:\*\*)))(?P<mark>:|>| +[-–—])"
    r"(?(strong)(?:\*\*)?)\s+(?P<text>\S.*)$"
)
_HEADER = Pattern(rf"^\s*(?P<name>{_NAME}){_ROLE},?(?P<gap>\s+)(?P<dash>[—–-]\s*)?(?P<when>(?i:{_TIME}|{_AGO}))\s*$")
_NAMED = Pattern(rf"^\s*(?P<name>{_NAME}){_ROLE}\s*$")
_TIMED = Pattern(rf"^\s*{_TIME}\s*$", re.IGNORECASE)
# One who can be nothing but a person: by an address, an Irish name, or what they are to the work.
_PERSON = Pattern(r"@[\w.-]+\.[A-Za-z]|^[A-Z]'[A-Z][a-z]")
_CHIEF = Pattern(r"\b(?:cto|ceo|he|she|they)\b", re.IGNORECASE)
# What one is to the work, and no scope of a rule as "(client)", "(dev)" and "(admin)" are.
_WORKS_AS = Pattern(r"\b(?:pm|po|cto|ceo|engineer|developer|designer|intern|he|she|they)\b", re.IGNORECASE)
# A point in the past, which heads what somebody said then and no rule.
_PAST = Pattern(
    rf"\b(?:today|yesterday)\b|\d[./-]\d{{1,2}}[./-]\d|\b(?:{_AGO})\s*$",
    re.IGNORECASE,
)
# The end of a word for things or for what is done, and of few people's names in a chat.
_INFLECTED = Pattern(r"(?:ing|[^siu]s|er|ful|ion|ity|ment|age)$")
# How somebody begins who speaks for themselves.
_SPEAKS = Pattern(r"^(?:we|i|i'm|i've|let's|you|our|my|they)\b", re.IGNORECASE)
# What heads an item of one's own, and is nobody's name.
_TOPICS = frozenset(
    """
    accept admin after afternoon alert alerts also always android api apis app approach architecture auth avoid aws
    azure back-end backend background backup backups bad batch before benefit benefits billing branch branches browser
    bug bugs build builds but c cache caching call case cases cause checkout choice chrome ci client clients code coding
    comment comments commit commits con config cons consequence context convention conventions cron css cutoff daily
    dart data database databases day db decided decision decisions default demo dependencies deploy deployment
    deployments deploys design desktop development django do docker docs documentation don't done dont downtime edge
    email emails env error errors eslint evening example examples exception exceptions expected export exports fact
    feature features file files firefox fix flutter folder folders format formatting freeze friday front-end frontend
    git github go goal good hint hints host hosts hourly html id idea if import important imports infra infrastructure
    input integration ios issue java javascript jest job jobs js json kafka kickoff kotlin kubernetes language layout
    library lint linter linting linux local log logging login logs lunch mac macos mail maintenance meeting merge merges
    midnight migration migrations mobile model models module modules monday mongo mongodb monitoring morning mysql
    naming never new next nginx night nightly no node noon not note notes now npm ok okay old once option orders output
    package packages path paths payments performance phone php plan planning playwright pnpm policy port ports postgres
    postgresql preference preferences prettier pro problem process prod production project pros purpose pytest python
    queue queues rails rationale react reading reason reasons reboot redis release releases remember repo report reports
    requirement requirements restart restarts result retro review reviews right ruby rule rules rust safari saturday
    schedule scope search secrets security server service services session shell should signup since so solution sql
    sqlite stack staging standup status step stop storage style styles summary sunday svelte swift sync table tables
    tablet talk task tasks terraform test testing tests then thursday tip todo tone tool tooling tools tuesday types
    typescript typo ui unit update url urls use ux value version versioning versions vue warning we web webpack
    wednesday weekly when why window windows wording worker workers workflow workshop writing wrong yaml yarn yes
    """.split()
)
# What somebody else said, in a line with the name: "Slack from bob: ...", "bob wrote: ...".
_FORWARDED = Pattern(
    r"^\s*(?:(?:slack|mail|e-?mail|message|note|chat|comment|dm|ping|quote|answer|reply|text)s?(?: \w+)? "
    r"(?:from|by|of) \S+(?: \S+)?|(?!(?:(?:as|like|what|but|and|no,?) )?(?:i|we|you)\b)"
    r"\S+(?: \S+)? (?:said|says|wrote|writes|asked|asks|replied|answered|posted|commented|wants|wanted|demands|"
    r"suggests|suggested)(?: (?:in|on|via|to) \S+)?|"
    r"(?:from )?(?:the )?(?:slack|teams|discord|whatsapp|e?-?mail|chat)(?: (?:channel|thread))?(?=: \S+(?: \S+)?:))"
    r"\s*:\s+\S",
    re.IGNORECASE,
)
_POSTED = Pattern(rf"^\s*(?P<name>{_NAME}) (?:in|on|@) #[\w-]+\s*:\s+\S")  # "bob in #dev: ..."
_STAMPED = Pattern(rf"^\s*{_TIME}", re.IGNORECASE)
# Words with which one says the same: "we should always ...". And those with which one says the contrary.
_LIGHT = frozenset("should always must will please also just this that then from with into here have need want".split())
_CONTRARY = frozenset("not no never dont cannot cant wont isnt arent only except without instead rather".split())
_ASKS = Pattern(r"\?(?=[\s\"'”’)*_]|$)")  # not within an address
_DIGIT = Pattern(r"\d")
_SELF = frozenset(("me", "you", "i", "myself"))
# What only an answer says.
_ANSWER = Pattern(
    r"^(?:ok(?:ay)?|yes|yep|yeah|no|nope|sure|agreed|sounds good|\+1|thanks|thx|ty|lgtm|fine(?: by me)?|great|cool|"
    r"done|good (?:point|idea)|will do|on it|right|same here|makes sense|👍)\b[^\w]{0,4}$",
    re.IGNORECASE,
)
# The same, but for what a list of settings says: "Linting: yes".
_THANKS = Pattern(rf"^(?!(?:yes|no|done|right|fine|great)\W*$){_ANSWER.pattern[1:]}", re.IGNORECASE)
# How one answers what was said right before, or begins a remark on it.
_REPLY = Pattern(
    r"^\s*(?:(?:no|nope|nah|yes|yep|yeah|sure|ok(?:ay)?|agreed|right|wrong)\b|"
    r"(?:notes?|rules?|decisions?|reasons?|remember|important|todo|hints?|tips?|summary):)",
    re.IGNORECASE,
)
# A place in code, as a review names it: "src/db.ts:40", "On src/db.ts, line 40", "`db.ts` (L40-L44)".
_LINE_NUMBER = r"[+R]?\d{1,6}(?:(?: ?[-–:] ?| to )[LR+]{0,2}\d{1,6})?"
_LINES = rf"(?:[Ll](?:ines?)?\.? ?){_LINE_NUMBER}"
_CODE_FILE = r"[`*\[(]{0,3}[\w./-]{1,120}\.[A-Za-z]{1,5}[`*\])]{0,3}"
SPOT = (
    rf"(?:[Cc]omment(?:s|ed)? )?(?:(?:[Oo]n|[Ii]n|[Aa]t|[Ff]ile) )?(?:{_LINES}(?: (?:of|in) {_CODE_FILE})?|"
    rf"{_CODE_FILE}(?:[:#@](?:{_LINES}|{_LINE_NUMBER})|,?(?: at| on)? [(\[]?{_LINES}[)\]]?|"
    r" \d{1,6}[-–]\d{1,6}))"
)
# A review's remark: on a line, or with the reviewer's word for how much it matters.
_REVIEW = Pattern(
    rf"^\s*(?:[-*+•]\s+)?[*`\[(]{{0,2}}(?:{SPOT}|"
    r"(?:[Nn]it(?:pick)?|[Bb]locker|[Bb]locking|[Nn]on-blocking|[Mm]inor|[Mm]ajor|P[0-3]|[Ss]uggestion|[Pp]raise)"
    r"(?: ?\([\w ,-]{1,30}\))?|[a-z]{3,12} ?\((?:non-)?(?:blocking|if-minor|optional)[\w ,-]{0,20}\))"
    r"[*`\])]{0,2}\s*(?:[:–—-]|->|→)[*`]{0,2}\s"
)
# The head of a review: what stands below it is the reviewer's. And its remark in the same line.
_REVIEWER = (
    r"(?:reviewer(?:'s)?(?: (?:#?\d{1,2}|comments?|feedback|remarks?))?|review comments?|"
    r"(?:pr|pull request|mr|merge request) ?[#!]\d+ (?:review|feedback|comments?)|(?:review|comments?) (?:of|on) "
    r"(?:(?:pr|mr|pull request) ?)?[#!]\d+|comments? (?:on|at) lines? \d+(?: ?[-–] ?\d+)?)"
)
_REVIEW_HEAD = Pattern(
    rf"^\s*(?:#{{1,6}}\s*|\*\*)?(?:{_REVIEWER}|(?:must|should|could)[ -]fix|requested changes)"
    r"(?:\*\*)?\s*:?(?:\*\*)?\s*$",
    re.IGNORECASE,
)
_REVIEW_REMARK = Pattern(rf"^\s*(?:[-*+•]\s+)?\*{{0,2}}{_REVIEWER}\*{{0,2}}\s*:\*{{0,2}}\s+\S", re.IGNORECASE)
# What ends a mail: two dashes, a name, and perhaps who that is.
_DASHES = Pattern(r"^\s*--\s*$")
_SIGNED = Pattern(r"^\s*[A-Z][\w.'-]*(?: [A-Z][\w.'-]*){0,3}\s*$")
_SIGNATURE_LINES = 5
_CHECKBOX = Pattern(r"^\s*(?:[-*+•]\s+|\d{1,2}[.)]\s+)?(?:\[[ xX✓]?\]|\([ xX✓]\)|[☐☑✅✔✓✗✘])\s+\S")
_FIELD = Pattern(r"^[ \t]+[\"']?[A-Za-z][\w-]{1,40}[\"']?:(?:[ \t]|$)")  # of a record in YAML or JSON
# The head of release notes, and of their parts. A version alone in a line, or with its date, begins them; behind a name
# and before a colon it says where rules hold: "Python 3.11:".
_CHANGES = (
    r"(?:release )?(?:highlights?|changes|improvements|notes)|(?:what(?:'s)? )?(?:new|added|changed|fixed|removed)"
)
_VERSION = r"(?:(?:this|the) (?:\w+ )?(?:release|version)|(?:\w+ )?v?\d+(?:\.\d+)+)"
_RELEASE = Pattern(
    r"^\s*(?:[#=*]{1,6}\s*)?(?:(?:(?:release|version) )?\[?v?\d+\.\d+(?:\.\d+)?(?:-\w+)?\]?(?:\s*[-–—(:/=].{0,40})?|"
    rf"(?:{_CHANGES}) (?:of|in|since) {_VERSION}|"
    rf"(?:release|upgrade|migration) (?:highlights?|notes)(?: for {_VERSION})?|"
    r"[\w-]+ v?\d+\.\d+(?:\.\d+(?:-\w+)?)?(?:\s*[-–—(].{0,40})|[\w-]+ v?\d+\.\d+\.\d+(?:-\w+)?(?=(?:\*\*)?\s*$)|"
    r"(?:the )?(?:release notes|change ?log|what'?s new|what'?s changed|unreleased)\b.{0,40})(?:\*\*)?:?\s*$",
    re.IGNORECASE,
)
_RELEASE_LINE = Pattern(
    r"^\s*(?:#{1,6}\s*|\*\*)?(?:the )?(?:release notes|change ?log|what'?s (?:new|changed))\b[^:.!?]{0,30}?\b"
    r"v?\d+(?:\.\d+)*(?:\*\*)?:\s+\S",
    re.IGNORECASE,
)
# An entry of a log of changes with its tag; one alone may be the user's task: "FIX: ...".
_CHANGE = Pattern(r"^\s*(?:[-*+•]\s+)?\[?(?:NEW|ADD|CHG|CHANGE|FIX|REM|REMOVE|DEL|SEC|IMP|UPD|DEP)(?:D|ED)?\]?:?\s+\S")
_RULED = Pattern(r"^\s*([=~-])\1{2,}\s*$")  # beneath a title
_RELEASE_PART = Pattern(
    r"^\s*(?:#{1,6}\s*|\*\*)?(?:(?P<done>added|changed|fixed|removed)|deprecated|security|features?|bug ?fixes|fixes|"
    r"improvements?|breaking(?: changes)?|new(?: features)?)(?:\*\*)?:?\s*$",
    re.IGNORECASE,
)


_ALONE = (_REVIEW, _REVIEW_REMARK, _CHECKBOX, _FORWARDED, _RELEASE_LINE)  # a line that is somebody else's by itself


def of_others(lines: Sequence[str]) -> set[int]:
    """Returns the numbers of the lines that others wrote."""
    alone = {at for at, line in enumerate(lines) if any(one.match(line) for one in _ALONE) or _is_posted(line)}
    return (
        alone | _chat(lines) | _conversation(lines) | _release(lines) | _record(lines) | _review(lines) | _mail(lines)
    )


def without_repeats(text: str, heard: Sequence[str], said: Sequence[str]) -> str:
    """Returns a prompt without the lines and sentences that the assistant wrote before: that are whole lines or
    sentences of the texts `heard`, or long runs of them, and that the user had not `said` earlier.
    """
    theirs = {part for one in heard for part in _units(one)} - {part for one in said for part in _units(one)}
    whole = [normalise(one) for one in heard]
    own = "\n".join(map(normalise, said))

    def is_repeated(part: str) -> bool:
        plain = _bare(part)
        count = len(plain.split())
        if count < REPEATED_WORDS or plain in own:
            return False
        return plain in theirs or (count >= RUN_WORDS and any(plain in one for one in whole))

    kept = []
    for line in text.split("\n"):
        parts = [] if is_repeated(line) else _SENTENCE.split(line)
        left = [rest for part in parts if (rest := _left(part, is_repeated)) or not part]
        kept.append(line if parts and left == parts else " ".join(left))
    return "\n".join(kept)


def copied(text: str, shown: str) -> list[str]:
    """Returns the lines, sentences and clauses of a prompt whose words stand among those `shown` to the assistant or
    written by it, as `words_shown` returns them.
    """
    units = {_bare(unit) for line in text.split("\n") for unit in (*_lines_units(line), *_CLAUSE.split(line))}
    return [bare for bare in units if len(bare.split()) >= REPEATED_WORDS and f" {bare} " in shown]


def words_shown(texts: Sequence[str], said: Sequence[str]) -> str:
    """Returns the words of texts such as files that the assistant read, without line numbers, signs and ends of lines,
    and without the lines and sentences that the user had `said` before.
    """
    lines = (_NUMBERED.sub("", line) for text in texts for line in text.split("\n"))
    found = f" {normalise(' '.join(lines))} "
    for unit in _units("\n".join(said)):
        if len(unit.split()) >= REPEATED_WORDS:
            found = found.replace(f" {unit} ", " … ")
    return found


def _lines_units(line: str) -> list[str]:
    """Returns a line, its sentences, and what stands behind a label in them."""
    found = [line, *_SENTENCE.split(line)]
    return [*found, *(rest for one in found if (rest := _LABELLED.sub("", one)) != one)]


def restates(statement: str, heard: str) -> bool:
    """Tells whether a statement says what a sentence of the text `heard` says, in its words and their order. What is
    said in answer to a question is a decision.
    """
    if _ASKS.search(heard):
        return False
    words = normalise(statement).split()
    matter = [word for word in words if word not in _LIGHT and (len(word) >= MATTERS_CHARS or _DIGIT.search(word))]
    if len(matter) < RESTATED_WORDS:
        return False
    contrary = [word for word in words if word in _CONTRARY]
    sentences = (normalise(one).split() for line in heard.split("\n") for one in _SENTENCE.split(line))
    return any(
        _in_order(matter, unit) and contrary == [word for word in unit if word in _CONTRARY] for unit in sentences
    )


def is_said_in(statement: str, heard: str) -> bool:
    """Tells whether a statement of any length is a clause of the text `heard`, which asks and denies nothing there, and
    names no rule that says so: "CLAUDE.md says never push to main, but I did".
    """
    words = normalise(statement).split()
    units = [one for line in heard.split("\n") for one in _SENTENCE.split(line)]
    units = [one for one in units if not _ASKS.search(one) and not _OF_A_RULE.search(one)]
    clauses = [normalise(clause).split() for one in units for clause in (one, *_JOINED.split(one))]
    leads = (clause[: -len(words)] for clause in clauses if words and clause[-len(words) :] == words)
    return any(len(lead) <= LEAD_WORDS and not {*lead} & {*_CONTRARY, "you"} for lead in leads)


def _in_order(words: Sequence[str], among: Sequence[str]) -> bool:
    rest = iter(among)
    return all(word in rest for word in words)


def _left(sentence: str, is_repeated: Callable[[str], bool]) -> str:
    """Returns a sentence without the clauses that repeat something, alone or together."""
    if is_repeated(sentence) or is_repeated(_AGREES.sub("", sentence)):
        return ""
    ends = [(end.start(), end.end()) for end in _CLAUSE.finditer(sentence)][:CLAUSES]
    starts, stops = [0, *(end for _, end in ends)], [*(start for start, _ in ends), len(sentence)]
    spans = [(low, high) for low in starts for high in stops if low < high and (low, high) != (0, len(sentence))]
    for low, high in sorted(spans, key=lambda span: span[0] - span[1]):
        if not _HANGS.match(sentence[high:]) and is_repeated(sentence[low:high]):
            rest = sentence[high:].lstrip(" ,;:–—-")
            if not rest and sentence[:low].rstrip().endswith(":"):
                return f"{sentence[:low].strip()} …"  # the label tells what comes of the one behind it
            return f"{sentence[:low] if rest else _JOINING.sub('', sentence[:low])} {rest}".strip(" ,;:–—-")
    return sentence


def _units(text: str) -> set[str]:
    """Returns the lines of a text and their sentences, as they are compared."""
    return {_bare(part) for line in text.split("\n") for part in _lines_units(line)}


def _bare(part: str) -> str:
    return normalise(_MARKS.sub("", _ITEM.sub("", part)))


def _is_self(name: str) -> bool:
    return name.split()[0].strip("@,").casefold() in _SELF


def is_topic(name: str) -> bool:
    """Tells whether a name is that of a topic, as at the head of one's own rules."""
    return not (_is_self(name) or _PERSON.search(name)) and any(word in _TOPICS for word in name.casefold().split())


def _chat(lines: Sequence[str]) -> set[int]:
    """Returns the lines of a chat in which each begins with its speaker's name, but for the user's own; what stands
    between two such lines is said by the first one's speaker, unless it answers that one.
    """
    spoken = {at: match for at, line in enumerate(lines) if (match := _SPEAKER.match(line))}
    people = {at: match for at, match in spoken.items() if not is_topic(match["name"])}
    named = _with_topics(lines, spoken, people)
    found = named if _is_chat(list(named.values())) else people
    if not _is_chat(list(found.values())):
        return {at for at, match in found.items() if match["mark"] == ":" and _is_alone(match)}
    others = {at for at, match in found.items() if not _is_self(match["name"])}
    for at in range(max(found)):
        if at - 1 in others and at not in spoken and lines[at].strip() and not _replies(lines[at - 1], lines[at]):
            others.add(at)
    return others


def _with_topics(
    lines: Sequence[str], spoken: dict[int, re.Match[str]], people: dict[int, re.Match[str]]
) -> dict[int, re.Match[str]]:
    """Returns those who may speak in a chat: people, and beside them whoever is called as a topic is, such as Ruby. A
    paragraph of its own with a topic at its head is the user's.
    """
    paragraphs = list(accumulate(not line.strip() for line in lines))
    each = [paragraphs[at] for at in spoken]
    is_apart = len(set(each)) == len(each)  # a chat with empty lines between all that is said
    beside = {paragraphs[at] for at in people}
    named = {
        at: match
        for at, match in spoken.items()
        if at in people or ((is_apart or paragraphs[at] in beside) and not _REPLY.match(lines[at]))
    }
    topics = {match["name"].casefold() for at, match in named.items() if at not in people}
    certain = any(
        match["time"] or _is_self(match["name"]) or _STAMPED.match(match[0]) or _THANKS.match(match["text"])
        for match in people.values()
    )
    return named if certain or len(topics) <= len({match["name"].casefold() for match in people.values()}) else people


def _replies(before: str, line: str) -> bool:
    """Tells whether a line is the user's answer to the one before, which somebody else wrote."""
    return before.rstrip().endswith("?") or bool(_REPLY.match(line))


def _is_alone(speaker: re.Match[str]) -> bool:
    """Tells whether a line that begins with a name is somebody's though no other one speaks."""
    return bool(_PERSON.search(speaker["name"]) or _CHIEF.search(speaker["role"]))


def is_persons_line(line: str) -> bool:
    """Tells whether a line alone may be what somebody said, with the name before it: "eve: we use ...". Behind a topic
    one's own rule stands.
    """
    found = _SPEAKER.match(line)
    if not found or found["mark"] != ":" or _is_self(found["name"]) or is_topic(found["name"]):
        return False
    is_name = len(found["name"].split()) <= NAME_WORDS and not _INFLECTED.search(found["name"])
    return is_name and bool(_SPEAKS.match(found["text"])) and not _REPLY.match(line)


def _is_person(speaker: re.Match[str]) -> bool:
    return bool(_PERSON.search(speaker["name"]) or _WORKS_AS.search(speaker["role"]))


def _is_chat(found: Sequence[re.Match[str]]) -> bool:
    """Tells whether lines that begin with a name are a chat. A list of headed items looks alike: in a chat somebody is
    called "me", speaks twice in turn, or only answers.
    """
    names = [match["name"].casefold() for match in found]
    turns = [name for at, name in enumerate(names) if not at or name != names[at - 1]]
    marks = {match["mark"].strip() for match in found}
    if len(set(names)) < 2 or (len(marks) > 1 and not marks <= {":", ">"}):
        return False
    return (
        len(turns) > len(set(turns))
        or any(map(_is_self, names))
        or any(match["mark"] == ">" or match["time"] or _is_person(match) for match in found)
        or any(_ANSWER.match(match["text"]) or _STAMPED.match(match[0]) for match in found)
        or (marks == {":"} and any(match["text"].rstrip().endswith("?") for match in found[:-1]))
    )


def _conversation(lines: Sequence[str]) -> set[int]:
    """Returns the lines of a chat in which the speaker and the time stand above what was said, but the user's own. The
    last one's words end at an empty line.
    """
    heads = {at: name for at in range(len(lines)) if (name := _head(lines, at))}
    copied = {at for at in heads if (found := _HEADER.match(lines[at])) and len(found["gap"]) > 1}
    people = {at: name for at, name in heads.items() if not is_topic(name) or (at in copied and len(copied) > 1)}
    if len(heads) > 2 * len(people):
        heads = people
    if not people or (len(heads) == 1 and not _is_past(lines, *heads)):
        return set()
    starts = list(heads)
    end = next(at for at in range(starts[-1], len(lines)) if _HEADER.match(lines[at]) or _TIMED.match(lines[at]))
    end = next((at for at in range(end + 1, len(lines)) if lines[at].strip()), len(lines))
    end = next((at for at in range(end, len(lines)) if not lines[at].strip()), len(lines))
    spans = zip(starts, [*starts[1:], end], strict=True)
    return {at for start, stop in spans if not _is_self(heads[start]) for at in range(start, stop)}


def _head(lines: Sequence[str], at: int) -> str:
    """Returns whose words stand below a line that gives a name and a time, or a name above a time, "" if nobody's."""
    found = _HEADER.match(lines[at])
    if not found and at + 1 < len(lines) and _TIMED.match(lines[at + 1]):
        found = _NAMED.match(lines[at])
    return found["name"] if found else ""


def _is_past(lines: Sequence[str], at: int) -> bool:
    """Tells whether a line alone heads what somebody said: by its date, or its gap or marks, as a chat is copied. A
    time may be that of a rule, too: "Backups 02:00".
    """
    found = _HEADER.match(lines[at])
    if not found:
        return bool(_PAST.search(lines[at + 1]))
    is_marked = len(found["gap"]) > 1 or found["dash"] or found["when"].startswith(("[", "("))
    return bool(is_marked or _PAST.search(lines[at]))


def _is_posted(line: str) -> bool:
    found = _POSTED.match(line)
    return bool(found and not _is_self(found["name"]) and not is_topic(found["name"]))


def _review(lines: Sequence[str]) -> set[int]:
    """Returns the lines of a review: from its head to the next empty line."""
    found: set[int] = set()
    inside = False
    for at, line in enumerate(lines):
        inside = bool(_REVIEW_HEAD.match(line)) or (inside and bool(line.strip()))
        if inside:
            found.add(at)
    return found


def _mail(lines: Sequence[str]) -> set[int]:
    """Returns the lines of a mail that ends with its sender's signature."""
    for at, line in enumerate(lines):
        if _DASHES.match(line):
            below = [one for one in lines[at + 1 :] if one.strip()]
            if 0 < len(below) <= _SIGNATURE_LINES and _SIGNED.match(below[0]):
                return set(range(len(lines)))
    return set()


def _record(lines: Sequence[str]) -> set[int]:
    """Returns the lines of a record that is handed over, as of an issue with its fields: from the first field behind a
    colon on to the end, because a field's text may be as long as it likes.
    """
    for at in range(len(lines) - 2):
        if lines[at].rstrip().endswith((":", ":{", ": {")) and all(map(_FIELD.match, lines[at + 1 : at + 3])):
            return set(range(at + 1, len(lines)))
    return set()


def _release(lines: Sequence[str]) -> set[int]:
    """Returns the lines of release notes: from a head on what is listed below it, to the first prose of its own."""
    changes = {at for at, line in enumerate(lines) if _CHANGE.match(line)}
    found: set[int] = changes if len(changes) > 1 else set()
    inside = False
    following = ""
    parts = [_RELEASE_PART.match(line) for line in lines]
    is_log = any(part is not None and part["done"] for part in parts)  # "## Security" may head rules of one's own
    lists = [False] * len(lines)  # whether a list follows a line, or the head of a part of one
    for at in reversed(range(len(lines))):
        lists[at] = bool(_ITEM.match(following) or _RELEASE_PART.match(following))
        following = lines[at] if lines[at].strip() and not _RULED.match(lines[at]) else following
    for at, line in enumerate(lines):
        is_part = parts[at] and (inside or (is_log and line.lstrip()[:1] in "#*"))
        if (_RELEASE.match(line) or is_part) and (inside or lists[at]):
            inside = True
        elif line.strip() and not (_ITEM.match(line) or _RULED.match(line) or line.startswith((" ", "\t"))):
            inside = False
        if inside:
            found.add(at)
    return found
