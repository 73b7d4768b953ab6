"""Finds the lines of a prompt that may be a text of somebody else's, handed over to be worked on: what is said there
waits for the user's word. It shows by what stands around it: who wrote it and when, a shell, a menu, or the order to
review, explain, answer or print what follows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from ..lib.pattern import Pattern
from .duplicates import normalise
from .pasted_lines import SPOT, is_persons_line, is_topic

MAYBE_PASTED = "may stand in a text that was pasted"
LOOKED_CHARS = 300  # of a line: what stands around a text is short, and the patterns backtrack
_NAME_WORDS = 3
_FEWEST = 3  # words of a piece that is looked for: fewer stand anywhere by chance

_POLITE = (
    r"^\W*(?:(?:hey|hi|ok(?:ay)?|so|and|now|then|just|please|pls|plz|claude|(?:can|could|would|will) you|let's|"
    r"i need you to|help me)\b,?\s+){0,4}"
)
_THIS = r"(?:this|these|those|that|it|him|her|them|(?:the )?(?:following|above)|what follows|below|here)"
_TEXT = r"(?:comments?|feedback|remarks?|tickets?|issues?|e?mails?|messages?|threads?|questions?|reviews?|letters?)"
_WORK = (
    r"(?:review|explain|summari[sz]e|sum up|translate|proofread|rephrase|reword|rewrite|reply|respond|answer|comment|"
    r"fix|"
    r"check|read|look|anal[yi][sz]e|debug|describe|interpret|parse|simplify|improve|critique|see|work|address|handle|"
    r"triage|evaluate|assess|format|convert|decode|refute|verify)"
)
# A first line that asks to work on what follows, without naming a thing of its own: "review", "why?", "is this ok?".
_FRAME = Pattern(
    rf"{_POLITE}(?:{_WORK}(?: (?:to|at|on|up|into|in|through|over))?"
    rf"(?: {_THIS}(?: [\w-]+){{0,2}}| (?:the |this |that |his |her |their )?(?:[\w-]+ ){{0,2}}{_TEXT})?|"
    rf"(?:why|how|what|where|who)(?! (?:i|we|you)\b)"
    rf"(?: (?:is|are|does|do|did|was|about|happened|went|means?|wrong|here|now|to do))?"
    rf"(?:'s| \w+)?(?: (?:with|of|about|in|mean by|to do with))?(?: {_THIS})?(?: [\w-]+){{0,3}}|"
    rf"(?:is|are|does|do|was|would|can|should) (?:{_THIS})(?: [\w-]+){{0,4}}|"
    rf"(?:any )?(?:thoughts|ideas?|opinions?|comments?|feedback)(?: (?:on|about) {_THIS})?|wdyt|huh|tl;?dr|fyi|"
    rf"what do you (?:think|make|say)(?: (?:of|about|to) {_THIS})?(?: [\w-]+){{0,2}})(?: (?:please|pls|for me))?\W*$",
    re.IGNORECASE,
)
# A place alone where people write: what follows was copied from there.
_PLACE = Pattern(
    r"^\s*(?:(?:<?https?://\S+/(?:issues?|pulls?|pull-requests|merge_requests|browse|discussions|questions|archives)/\S+|"
    r"[A-Z][A-Z0-9]+-\d+|#\d+|[\w.-]+/[\w.-]+#\d+)[\s,:>]*){1,3}$"
)
# A first line that says whose words follow: "eve left a comment", "the team added:", "meeting notes from eve below".
_ANNOUNCES = Pattern(
    r"^(?!\W*(?:as |like )?(?:i|we|you|it|this|that|let|please|never|always|if|when)\b)\W*(?:"
    r"[\w.@'-]+(?: [\w.@'-]+){0,2} (?:shared|forwarded|added|opened|filed|reported|made|asks|says)\b(?: \S+){0,8}\s*:|"
    r"[\w.@'-]+(?: [\w.@'-]+){0,2} (?:left|wrote|posted|sent|commented|asked|answered|replied|said|mailed|messaged|"
    r"pinged|texted)\b(?: \S+){0,4}|"
    r"(?:\S+ ){0,8}(?:below|follows|in full|verbatim)|"
    r"(?:\S+ ){0,2}(?:notes?|minutes|transcript|summary|quote|e?mail|message|thread|ticket|comment|review|feedback|"
    r"answer|reply) (?:from|of|by) (?!.*\b(?:is|are)\b)\S+(?: \S+){0,6})\s*[:.…]*$",
    re.IGNORECASE,
)
# Where texts come from that are not one's own: another assistant, people of whom one speaks, a page, a conversation.
_AI = (
    r"(?:chat ?gpt|gpt(?:-?\d[\w.]*)?|gemini|copilot|grok|deepseek|perplexity|mistral|llama|codex|opus|sonnet|"
    r"o[134](?:-\w+)?|cursor's \w+|claude (?:web|desktop)|(?:an?other|other|different) (?:ai|llm|model|agent|tool|"
    r"assistant|session))"
)
_PERSON = (
    r"(?:colleagues?|co-?workers?|boss|manager|teammates?|customers?|vendors?|auditors?|consultants?|lawyers?|"
    r"recruiters?|reviewers?|maintainers?|support|ops|pm|po|cto|ceo|hr|guy|someone|somebody|friends?)"
)
_SOURCE = (
    rf"(?:{_AI}|{_PERSON}|wiki|handbook|manual|readme|docs?|documentation|guides?|guidelines|websites?|sites?|"
    r"articles?|blogs?(?: posts?)?|banner|reddit|twitter|linkedin|hn|hacker news|stack ?overflow|forum|confluence|"
    r"notion|jira|slack|discord|whatsapp|zoom|newsletter|announcement|notice|tweets?|posts?|threads?|e?-?mails?|"
    r"messages?|tickets?|reviews?|comments?|feedback|suggestions?|reports?|checklists?|minutes|meetings?|sync|standup|"
    r"retro|transcript|vacancy|release notes|terms|policy|excerpt|accepted answer)"
)
_TOLD = (
    r"(?:says?|said|writes?|wrote|reads|tells?|told|states?|sent|gave|suggest(?:s|ed)|recommend(?:s|ed)|proposed?|"
    r"claims?|concluded|answer(?:s|ed)|replied|posted|shared|pinged|complains?|ha[sd] this|dropped|came up with|"
    r"(?:comes?|came|is) from|wrote in|got back|wants?|thinks|found)"
)
_SHORT = r"(?![\s>]*[-*+•\d#])(?=(?:\S+\s+){0,13}\S+\s*$)"  # no item, and 14 words at most
# A line that says that somebody told what stands below it: "gpt gave me this, is it ok?", "copied this from a wiki".
_BRINGS = Pattern(
    rf"^{_SHORT}\W*(?:(?:(?!(?:i|we|you)\b)\S+ ){{0,5}}?(?:{_SOURCE}|paragraph|section|commit message)(?:'s \w+)? "
    rf"{_TOLD}\b(?! \d)(?: \S+){{0,8}}|"
    r"(?:i |we )?(?:just )?(?:got|found|copied|pasted|took|grabbed|read|saw) (?:this|it|that|these|the following) "
    rf"(?:from|on|in|by|off|via)(?: \S+){{0,3}}? {_SOURCE}\b(?: \S+){{0,6}}|"
    rf"(?:i |we )?asked {_AI}(?: \S+){{0,8}}|according to the {_SOURCE}|"
    rf"(?:(?:this|that|here|below)(?:'s| is| comes| came) (?!(?:about|for|how|where|why|when)\b)|paste |"
    rf"(?:everything )?from )(?:\S+ ){{0,6}}?{_SOURCE}\b(?: \S+){{0,6}})\s*[:.…?]*$",
    re.IGNORECASE,
)
# A first line that names such a text with whose it is: "checklist from the auditor", "their blog". One that orders code
# or speaks of the software names a thing of one's own: "the page for comments from guests is slow".
_NAMES_TEXT = Pattern(
    rf"^{_SHORT}(?!.*[/@#`_]){_POLITE}(?!(?:add|fix|create|implement|build|remove|update|refactor|rename|move|delete|"
    r"change|debug|run|use|write|start|continue|switch|open|go|follow|thanks|keep|forget|as for|back to)\b)"
    rf"(?:\S+ ){{0,9}}?\(?(?:{_SOURCE}(?: \w+)? (?:from|by|of(?= \S+'s\b)) "
    rf"(?!me\b|us\b|(?:my|our) (?!{_PERSON})|the last)\S+|"
    rf"(?:from|in|of|on|by) (?:{_AI}|jira|slack|reddit|twitter|linkedin|discord|confluence|notion|zoom|"
    r"the (?:meeting|call|vendor))|"
    rf"(?:their|his|her|another|(?:(?:a|the|my|our) (?:\S+ )?)?\w+'s|\w+s') (?:\S+ ){{0,2}}{_SOURCE}|"
    rf"the {_SOURCE} (?-i:[A-Z])\w+)\b(?: \S+){{0,6}}\W*$",
    re.IGNORECASE,
)
_OWN_MATTERS = frozenset(
    """
    always never must should don't prefer i we you your yours me mine let's some few two on next now here integration
    page pages table tables component components button buttons api apis endpoint endpoints form forms model models
    field fields screen screens modal tab view views route routes handler handlers function functions class classes test
    tests column columns schema service services worker workers queue template templates module feature instructions
    generator signup bug bugs broken slow fail fails crash crashes error errors can't disappear commit rule rules
    convention conventions requirement requirements standards principles preferences style styles naming format
    """.split()
)
_OF_RULES = frozenset("always never must should don't prefer".split())
# A first line that asks to put what follows another way, or what it is worth.
_REWORK = Pattern(
    rf"{_POLITE}(?:(?:translate|rephrase|reword|shorten|summari[sz]e|proofread)(?: (?:in)?to \w+| it| {_THIS})?|"
    r"(?:make|turn|put|draft|write|compare|extract|list)\b(?: \S+){0,6}? (?:this|below|theirs|"
    r"(?:the|this|that) (?:meeting|call|job|mail|email|text|offer|thread))(?: (?:job|text|mail|sound|look|read)\b.*)?|"
    r"(?:is|does|would|do) (?:this|that|it|these)(?: \w+){1,4})\W*$",
    re.IGNORECASE,
)
# The voice of an assistant and of an advertisement, and what stands around a page's or a mail's text.
_VOICE = Pattern(
    r"^\W*(?:certainly! |i'd be happy to help|as an ai\b|(?:chatgpt|gemini|copilot) said:?$)|"
    r"\b(?:let me know if you'd like me to\b|"
    r"would you like me to (?:apply|write|implement|go|create|generate|draft|add|fix|make|expand|walk|help|proceed)\b|"
    r"we(?:'re| are) (?:excited to announce|looking for an? (?:\S+ ){0,3}(?:engineer|developer|designer)))|"
    r"\([mwfdx]/[mwfdx]/[mwfdx]\)|^\W*what (?:we offer|you'll do|you will do|you bring)\W*$|"
    r"^\s*(?:was this \w+ helpful|on this page|edit this page|last (?:updated|modified).{0,30}|skip to content|"
    r"\d+ (?:upvotes?|points?|likes?|votes?|answers?|replies|comments)|reply share|share reply|full changelog\b.*|"
    r"(?:sent from|gesendet von|envoyé de|enviado desde|inviato da) m\w+ \w+|unsubscribe|"
    r"this e-?mail (?:and|is|may)\b.*)\W*$",
    re.IGNORECASE,
)
# The heads that a tracker's form gives its fields, and a title with a line beneath.
_FORM = Pattern(
    r"^\s*(?:#{1,6}\s*|\*\*)(?:description|environment|motivation|steps to reproduce|expected(?: \w+)?|actual(?: \w+)?|"
    r"acceptance criteria|proposal|user story|definition of done|additional context|reproduction)\s*:?(?:\*\*)?:?\s*$",
    re.IGNORECASE,
)
_UNDERLINE = Pattern(r"^\s*={3,}\s*$")
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
# Who wrote a text, or when: a field of a ticket, a commit or a record, the line above an answer on a page.
_BYLINE = Pattern(
    r"^[\s>*#-]*(?:author(?:ed by)?|authordate|committer|commit(?:ted)? by|reporter|"
    r"reported by|assignee|(?:opened|posted|created|written|submitted|requested|filed|raised|asked|answered) by|"
    r"(?:reviewed|signed-off|co-authored|acked)-by)\**\s*:\**\s*\S.{0,120}$|"
    r"^(?!\W*(?:i|we|you)\b)\s*(?:[\w.@'-]+ ){0,20}(?:answered|asked|edited|modified|commented|posted|replied|opened|"
    r"reported|updated)(?: (?:on|at|about|over))? "
    rf"(?:(?:\d+|an?) \w+ ago|{_MONTH} \d{{1,2}}\b|\d{{1,2}}\.? {_MONTH}|\d{{4}}-\d\d|yesterday)[^.!?]{{0,80}}$|"
    r"^\s*@?[\w.'-]+(?: [\w.'-]+)? (?:requested changes|left a review)\b[^.!?]{0,60}$|"
    r"^\s*(?-i:[A-Z][\w.'-]*)(?: (?-i:[A-Z])[\w.'-]*){0,2} <[^<>\s]+@[^<>\s]+>\s*$|"
    r"^\s*(?:am|le|el|il|em|op|den) .{5,60} (?:schrieb|écrit|escribió|ha scritto|escreveu|schreef)\b.{0,80}:\s*$|"
    r"^\s*(?:[ur]/)?[\w.-]+ [·•] \d+ ?(?:m|h|d|w|mo|y|min|hours?|days?|weeks?|months?|years?)(?: ago)?\s*$",
    re.IGNORECASE,
)
# When something was said, and what shows that this is past: no rule of one's own is dated so.
_UNIT = r"(?:s|m|h|d|w|y|mo|min|sec|hr|seconds?|minutes?|hours?|days?|weeks?|months?|years?)s?\.?"
_CLOCK = r"(?:\d{1,2}:\d\d(?::\d\d)?(?: ?[ap]\.?m\b\.?)?)"
_DAY = r"(?:today|yesterday|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6})\b"
_DAYS_DATE = (
    rf"(?:\d{{1,4}}[./-](?:\d{{1,2}}|{_MONTH})[./-]\d{{2,4}}|{_MONTH} \d{{1,2}}\b(?:st|nd|rd|th)?(?:,? \d{{4}})?|"
    rf"\d{{1,2}}\.? {_MONTH}(?: \d{{4}})?)"
)
_PAST = rf"(?:(?:\d{{1,3}}|an?|last) ?{_UNIT} ago\b|{_DAYS_DATE}|{_DAY},? (?:at )?{_CLOCK}|yesterday\b)"
_WHEN = Pattern(rf"(?:{_PAST}|{_DAY}|{_CLOCK}|(?<=[·•|] )\d{{1,3}} ?{_UNIT}(?!\w))", re.IGNORECASE)
_IS_PAST = Pattern(rf"{_PAST}|[·•|] \d{{1,3}} ?{_UNIT}(?:\s|$)", re.IGNORECASE)
_APART = Pattern(r"[·•|\[\](),–—]|\s{2,}|\s-\s")
_AM_PM = Pattern(r"^(?:\s+|.*\d ?[ap]\.?m\b)", re.IGNORECASE)
_WORDS = Pattern(r"[^\W\d_][\w.@'-]*")
_HANDLE = Pattern(r"^\W*(?:u/|by )?@?[^\W\d_][\w.@'-]*")
_HAS_DONE = Pattern(
    r"^\W*(?:(?:[ru]/)?@?[\w.'-]+(?: [A-Z][\w.'-]*){0,2}(?: \(?bot\)?)? [a-z]{1,12}(?:ed|ote|aid|ade|eft)\b|"
    r"[A-Z][a-z]+ed by )"
)
_NO_HEAD = Pattern(
    r"[.!?:;]\s*$|\b(?:i|i'm|we|you|it|is|are|was|were|be|must|should|can|can't|never|always|not|no|the|that|since|until|"
    r"from|before|after|every|each|use|fix|at least)\b",
    re.IGNORECASE,
)
_NO_NAME = Pattern(r"[~\\$={}\"%!]|\w{2}/\w|,\S")
_NEXT_SPEAKER = Pattern(r"(?:[.!?]| /) [^\W\d_][\w'-]{1,20}: ")
_TITLED_WORD = Pattern(r"^\s*[A-Z][a-z]")
_HEAD_CHARS, _HEAD_WORDS = 90, 9
# From here on stands a review's remark, a list that others made, or what was noted of a meeting.
_REMARKS = Pattern(
    rf"^[\s#>*]*(?:{SPOT}|@@ -\d.*|"
    r"(?!I\b|We\b)(?:[\w.@'-]+ ){0,3}[Rr]eviewed (?:\d+ (?:(?:out )?of \d+ )?(?:changed )?files?|"
    r"(?:your|this|these) [\w ]{2,20})\b.{0,40})(?: \(?(?:outdated|resolved|[A-Z]{4,10})\)?)?[\s*:`)\]]*$"
)
_MET = Pattern(
    r"^[\s*#-]*(?:attendees|participants|present|attending|teilnehmer)\**\s*[:–-]\**\s*\S.{0,200}$", re.IGNORECASE
)
_LIST_OF_OTHERS = Pattern(
    r"^[\s#*]*(?:pr |pull request )?(?:checklist|dod|definition of done|acceptance criteria|"
    r"before you merge)[\s*:]*$",
    re.IGNORECASE,
)
_LISTED = Pattern(r"^\s*(?:[-*+•]|\d{1,2}[.)])\s")
# A field of a mail's head: one alone may be the user's own heading, "From: Save" in a list of renamings.
_MAIL_FIELD = Pattern(
    r"^[\s>*#-]*(?P<name>from|to|cc|bcc|subject|sent|date|von|an|betreff|de|objet|asunto)\**\s*:\**\s*(?P<value>\S.{0,120})$",
    re.IGNORECASE,
)
_TITLED = frozenset(("subject", "betreff", "objet", "asunto"))
_SENT = _TITLED | {"sent", "date"}  # a mail's head has one of these
# From here on somebody else speaks: "[10:42] Eve", "Speaker 1 (00:12):", a commit, a line of blame, a shell.
_STARTS = Pattern(
    r"^\s*(?:\[\d{1,2}[:.]\d\d(?:[:.]\d\d)?(?: ?[ap]m)?\]\s*\S.{0,40}$|"
    r"(?:[A-Z][\w.'-]*|\w+ \d{1,3})(?: [A-Z][\w.'-]*){0,2} ?[\[(]\d{1,2}:\d\d(?::\d\d)?[\])]:?(?:\s|$)|"
    r"\[?(?:\d\d:)?\d{1,2}:\d\d(?:[.,]\d+)?\]? ?(?:-->|[-–—>]|[A-Z][\w'-]*(?: [A-Z\d][\w'-]*){0,2}:)|"
    r"(?:speaker|person|participant|sprecher) ?\d*\s*[:(\[]|"
    r"commit [0-9a-f]{7,40}\b|\^?[0-9a-f]{7,40} (?:\S+ )?\(.*\d{4}-\d\d-\d\d.*\)|"
    r"[$%❯»] \S|\S+@\S+[:~ ]\S*\s?[$#%](?:\s|$)|PS [A-Z]:\\|[A-Z]:\\[^<>]*>|>>> \S|In \[\d+\]:)",
    re.IGNORECASE,
)
_GREETS = Pattern(
    r"^\s*(?:hi|hello|hey|dear|hallo|liebe[rs]?|bonjour|hola|ciao|good (?:morning|afternoon|evening)|moin)"
    r"(?: (?!claude)(?:(?P<who>(?-i:[A-Z])[\w.'-]*|all|team|everyone|everybody|folks)|[\w.'-]+)){0,3}\s*[,!:]?\s*$",
    re.IGNORECASE,
)
_TO_CLAUDE = Pattern(r"^\W*(?:hi|hello|hey|dear|hallo)? ?claude\b", re.IGNORECASE)
_NAME = r"(?-i:[A-Z][\w.'-]*(?: [A-Z][\w.'-]*){0,2})"
_SIGNS_OFF = Pattern(
    r"^\s*(?:(?:(?:with )?(?:kind|best|warm|many) )?(?:regards|wishes)|sincerely|yours(?: \w+)?|best|greetings|"
    r"(?:mit )?(?:freundlichen?|viele|liebe|beste) gr(?:ü|ue)(?:ß|ss)en?|mfg|cordialement|saludos|atentamente|"
    r"cordiali saluti|(?P<thanks>(?:many )?thanks(?: again| a lot| so much)?|thank you|thx|cheers|danke|merci|gracias))"
    rf"[\s,!.]*(?P<name>(?!claude\b){_NAME})?\s*$",
    re.IGNORECASE,
)
# What stands between the labels of a page or a window that stand in one line, wide apart.
_GAP = Pattern(r"\s{2,}|\t|\s[|›·»]\s")
_CELLS = 2, 13  # labels in one line
_CELL_WORDS = 3
_LABEL = Pattern(r"^\s*[A-Z][\w-]+(?: [\w-]+){0,2}\s*$")
_DIFF = Pattern(r"^(?:\+(?!1\b)[^\s+].*|-[^\s-].*|[+-])$")
_ADDED = Pattern(r"^\+(?!1\b)[^\s+]")
# An order that has the text in its own line: "commit with the message: ...", "fix #42: ...".
_OWN = (
    r"(?!.*\b(?:memor\w+|rules?|conventions?|mind|remember|claude\.md|agents\.md|down|styles?|"
    r"patterns?|formats?|polic(?:y|ies))\b.*:)"
)
_GIVE = (
    r"(?:add|put|insert|append|write|print|echo|say|type|paste|use|take|send|post|return|set|log|output|display|show|"
    r"render|include|copy|commit|push|tag|release|amend|merge|squash)"
)
_INLINE = Pattern(
    rf"{_POLITE}(?:(?:{_WORK}|close|implement|resolve|solve|do|tackle)(?: on| at)? (?:the )?(?:"
    r"(?:issue|bug|ticket|pr|pull request|task|story|comment|request)s?\b(?=[^:\n]*"
    r"(?:[\"'“#]|\bby\b|\bfrom\b|\d)[^\n]*:|\s*:)|#\d+|[A-Z]{2,}-\d+)[^:\n]{0,80}:|"
    rf"{_OWN}(?:{_GIVE}\b[^:\n.!?]{{0,40}}\b(?:line|string|message|title|subject|description|body|word|comment|data|"
    r"fixture|example|input|placeholder|header|label|snippet|e?-?mail|text|sentence|paragraph)|"
    rf"{_WORK}\b[^:\n.!?]{{0,40}}\b(?:{_THIS}|latex|markdown|grammar|wording|typo|spelling|json|yaml|html|text|sentence|"
    r"paragraph))s?\b[^:\n.!?]{0,30}:|"
    r"(?:what do you (?:think|make|say)|(?:any )?thoughts|opinions?|what does|explain|summari[sz]e)\b[^:\n.!?]{0,20}"
    r"\bth(?:is|ese)\b(?: \w+){0,2}[?:])\s+(?=\S)",
    re.IGNORECASE,
)


def parted(text: str) -> str:
    """Returns a prompt with a line of its own for what an order in its first line hands over."""
    found = _INLINE.match(text[:LOOKED_CHARS])
    return f"{text[: found.end()].rstrip()}\n\n{text[found.end() :]}" if found else text


def handed_over(lines: Sequence[str]) -> set[int]:
    """Returns the numbers of the lines that may be somebody else's."""
    said = [at for at, line in enumerate(lines) if line.strip()]
    if not said:
        return set()
    lines = [line[:LOOKED_CHARS] for line in lines]
    start = next((at for at in said if _STARTS.match(lines[at])), len(lines))
    byline = next((at for at in said if _BYLINE.match(lines[at])), -1)
    if byline >= 0:  # it stands above a text or below it
        return _since(said, start if start < byline else 0)
    if _has_mail_head([lines[at] for at in said]):
        return _since(said, next(at for at in said if _MAIL_FIELD.match(lines[at])))
    if _is_framed(lines, said[0]):
        return set(said[1:])
    begins = min(_where_it_begins(lines, said), _heads(lines, said))
    if begins < len(lines):
        return _since(said, begins)
    found = _since(said, start) | _letter(lines, said) | _diff(lines, said)
    return found | ({said[0]} if is_persons_line(lines[said[0]]) and not _is_topics(lines, said) else set())


def _is_topics(lines: Sequence[str], said: Sequence[int]) -> bool:
    """Tells whether a prompt is one line with a topic at its head: "Prices: we ..." is typed, "eve: we ..." pasted."""
    first = lines[said[0]]
    return len(said) == 1 and bool(_TITLED_WORD.match(first)) and not _NEXT_SPEAKER.search(first)


def _is_framed(lines: Sequence[str], at: int) -> bool:
    """Tells whether a first line only hands over what stands below it."""
    first = lines[at]
    if any(frame.match(first) for frame in (_FRAME, _PLACE, _ANNOUNCES)) or _INLINE.match(f"{first} x"):
        return True
    return _is_apart(lines, at) and bool(_REWORK.match(first) or (_NAMES_TEXT.match(first) and _is_of_others(first)))


def _is_of_others(line: str) -> bool:
    """Tells whether a line speaks of nothing that is one's own."""
    return _OWN_MATTERS.isdisjoint(word.strip('.,:;!?()"') for word in line.lower().split())


def _is_apart(lines: Sequence[str], at: int) -> bool:
    """Tells whether an empty line or a colon parts a line from the text below it."""
    follows = lines[at + 1].strip() if at + 1 < len(lines) else "-"
    return at + 1 < len(lines) and (not follows or lines[at].rstrip().endswith(":") or bool(_LISTED.match(follows)))


def _where_it_begins(lines: Sequence[str], said: Sequence[int]) -> int:
    """Returns the number of the line with which a text begins that is told by its own form, their count if none is."""
    if any(_VOICE.search(lines[at]) for at in said):
        return 0
    starts = [
        *(
            at + 1
            for at in said
            if _is_apart(lines, at) and _BRINGS.match(lines[at]) and _OF_RULES.isdisjoint(lines[at].lower().split())
        ),
        *(at for at in said if _FORM.match(lines[at])),
        *(max(at - 1, 0) for at in said if _UNDERLINE.match(lines[at])),
    ]
    if not starts and _is_window([lines[at] for at in said]):
        starts = [next(at for at in said if _is_menu(lines[at]) or _LABEL.match(lines[at]))]
    return min(starts, default=len(lines))


def _heads(lines: Sequence[str], said: Sequence[int]) -> int:
    """Returns the number of the first line that stands above what others said, wrote or listed, their count if none."""
    for at, below in pairwise(said):
        line = lines[at]
        if _REMARKS.match(line) or _MET.match(line) or (_LIST_OF_OTHERS.match(line) and _LISTED.match(lines[below])):
            return at
        if len(line) <= _HEAD_CHARS and _tells_who_and_when(line, lines[at - 1] if at else "", lines[below]):
            return at
    return len(lines)


def _tells_who_and_when(line: str, above: str, below: str) -> bool:
    """Tells whether a line consists of a time in the past and whose words stand below it, or names one of them beside
    the other.
    """
    if not _WHEN.search(line) or _NO_HEAD.search(line):
        return False
    is_past, left = bool(_IS_PAST.search(line)), _WHEN.sub(" ", line)
    words = _WORDS.findall(left)
    if not words:
        has_name = any(_is_name(one) for one in (above, below if is_past else ""))
        return has_name and (is_past or bool(_AM_PM.search(line))) or (is_past and "ago" in line.lower())
    if len(words) > _HEAD_WORDS or is_topic(words[0]) or _NO_NAME.search(left) or not _HANDLE.match(left):
        return False
    if _is_name(left) and len(words) > 1:
        return is_past or bool(_APART.search(line.strip()) or _AM_PM.search(line.strip()))
    return is_past and bool(len(words) == 1 or _APART.search(line.strip()) or _HAS_DONE.match(line))


def _is_name(line: str) -> bool:
    """Tells whether a line is a person's name, of words that begin with capitals, and no topic."""
    words = line.strip(" \t,|·•-–—()[]<>@").split()
    return 0 < len(words) <= _NAME_WORDS and all(
        word[:1].isalpha() and (len(words) == 1 or word[0].isupper()) and not is_topic(word) for word in words
    )


def _since(said: Sequence[int], start: int) -> set[int]:
    return {at for at in said if at >= start}


def is_handed_over(excerpt: str, own: str, others: str) -> bool:
    """Tells whether a piece of an excerpt stands in what may be somebody else's, and not in the user's own lines."""
    mine, theirs = normalise(own), normalise(others)
    pieces = (normalise(piece) for piece in re.split(r" … |\n", excerpt))
    return any(len(piece.split()) >= _FEWEST and piece not in mine and piece in theirs for piece in pieces)


def _is_window(said: Sequence[str]) -> bool:
    """Tells whether lines are those of a page or a window: a sentence among labels."""
    menus = sum(map(_is_menu, said))
    labels = sum(bool(_LABEL.match(line)) for line in said)
    return menus >= 1 and labels >= 1 and menus + labels < len(said)


def _is_menu(line: str) -> bool:
    """Tells whether a line is a row of labels, and no two sentences."""
    cells = [cell.split() for cell in _GAP.split(line.strip()) if cell.strip()]
    fewest, most = _CELLS
    return fewest <= len(cells) <= most and all(
        len(words) <= _CELL_WORDS and not words[-1].endswith((".", "!", "?", ",")) for words in cells
    )


def _has_mail_head(said: Sequence[str]) -> bool:
    """Tells whether lines hold the head of a mail: its subject first, or two fields of which one says what, when, or an
    address.
    """
    fields = [found for found in map(_MAIL_FIELD.match, said) if found]
    names = {found["name"].lower() for found in fields}
    first = _MAIL_FIELD.match(said[0])
    if first and first["name"].lower() in _TITLED and len(said) > 1:
        return True
    return len(names) > 1 and (not names.isdisjoint(_SENT) or any("@" in found["value"] for found in fields))


def _letter(lines: Sequence[str], said: Sequence[int]) -> set[int]:
    """Returns the lines of a letter: from its greeting to its end, or all where somebody's name ends it. One to the
    assistant is the user's, and so are thanks behind a greeting without a name.
    """
    if _TO_CLAUDE.match(lines[said[0]]):
        return set()
    start = next((at for at in said if _GREETS.match(lines[at])), -1)
    greeted = _GREETS.match(lines[start]) if start >= 0 else None
    for at, below in pairwise((*said, len(lines))):
        found = _SIGNS_OFF.match(lines[at]) if at > start and at != said[0] else None
        is_named = found and (found["name"] or (below < len(lines) and _LABEL.match(lines[below])))
        if found and (greeted and greeted["who"] if found["thanks"] else greeted or is_named):
            return _since(said, max(start, 0))
    return set()


def _diff(lines: Sequence[str], said: Sequence[int]) -> set[int]:
    """Returns the lines of a difference without a head: a sign stands right before the text."""
    if not any(_ADDED.match(lines[at]) for at in said):
        return set()
    return {at for at in said if _DIFF.match(lines[at])}
