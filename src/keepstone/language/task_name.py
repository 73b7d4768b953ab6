"""Finds what a session was about in what its user asked for: a request that names its subject, the heading of an issue
that was handed over, or the issue's key. Mentions, code, dates and addresses alone name nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from ..lib.pattern import Pattern
from ..lib.text import STOP_WORDS, clip, words
from .prompt_parts import is_machine, own_lines

PROMPTS_READ = 12  # prompts in which a session's task is searched: after them the session is about something else
REQUEST_CHARS = 140  # of a request
LABELS_READ = 12  # lines of a foreign text in which a label is looked for
LINES_READ = 200  # lines of a prompt that are read: the name of what follows is above it

_FENCED = Pattern(r"(`{3,}|~{3,}).*?(?:\1|\Z)", re.DOTALL)
_MARKUP = Pattern(r"</?[A-Za-z][\w-]{1,40}(?: [^<>]{0,200})?>")
_REMARK = Pattern(
    r"\((?:last |originally )?(?:modified|edited|updated|changed|reported|opened|created|assigned)\b[^()\n]*\)",
    re.IGNORECASE,
)
_COMMENT = Pattern(r"#+[^\s#\d]")  # of code: a heading has a blank behind its signs
# A line of code that prose never looks like: of C, an assignment, a statement's end; and a package that a runner names.
_CODE = Pattern(
    r"^\s*(?:#\s*(?:include|define|undef|pragma|if(?:n?def)?|elif|else|endif)\b|"
    r"[\w.\[\]]+ [-+*/|&]?= (?:\S+|.*[(\[{].*)$|\S.*[;{}]\s*$|[{}]|>? ?@?[\w./-]+@\d+\.\d+\S*(?: \S+)?\s*$)"
)
# Whose words follow, where that is a mention: "From @mira:", "@mira reported:".
_SAID_BY = Pattern(
    r"^[\s>*#-]*(?:(?:from|by|via|per|for) )?@[\w-]+\**(?: (?:reported|reports|says|said|wrote|writes|asked|asks|"
    r"found|noticed|mentioned|commented|posted|sent)(?: (?:this|that|us|today|yesterday|(?:on|in) \S+|\d+ \w+ ago))*)?"
    r"\s*:\**",
    re.IGNORECASE,
)
# The key or the sort of an issue, in brackets before its title: "[SHOP-412] Checkout hangs", "[Bug] ...".
_BRACKETED = Pattern(
    r"^([\s>*#]*)\[(?:((?-i:[A-Z])[A-Z0-9]{1,9}-\d{1,6}|#\d{1,6})|(?:bug|feature|feat|task|story|epic|enhancement|docs?|"
    r"question|request|regression|rfc|issue|chore|refactor|proposal|idea)(?: (?:report|request))?)\]\s*:?\s*(?=\S)",
    re.IGNORECASE,
)
# Whom a line calls, at the end of a sentence: "ping @mira", "(cc @mira and @leo)".
_CALLED = Pattern(
    r"\(?(?<![\w-])/?(?:ping(?:ing)?|cc|fyi|attn|paging):? +(?:@[A-Za-z][\w-]*[\s,&]*(?:and\s+)?)+\)?(?=[.!?]|\s*$)",
    re.IGNORECASE,
)
_STEPS = Pattern(
    r"^\W*(?:(?:steps?|how) (?:to )?(?:reproduce|repro)|steps|(?:to )?reproduc(?:e|tion)(?: steps)?|"
    r"repro(?: steps)?)\W*$",
    re.IGNORECASE,
)
_STEP = Pattern(r"^\s*(?:[-*+•]|\(?\d{1,2}[.)])\s+\S")
_IMAGE = Pattern(r"!\[[^\]\n]{0,200}\]\([^()\s]{0,300}\)")
_MARKS = " \t#*>-–—|:"
_LEAD = Pattern(r"^(?:[ \t*>|:–—-]|#(?!\d))+")  # the sign before a number is that of an issue
_EMPHASIS = Pattern(r"\A_([^_].*[^_])_\Z")
_LINK = Pattern(r"<?\bhttps?://\S+|\bwww\.\S+")
_MENTION = Pattern(r"(?<![\w./])\W?@[A-Za-z][\w-]*(?![\w./\\:-])\W?")
_ISSUE_LINK = Pattern(r"https?://[\w.-]+/[\w.-]+/([\w.-]+)/(?:-/)?(?:issues|pull|merge_requests)/(\d+)")
_KEY = Pattern(
    r"\b[A-Z][A-Z0-9]{1,9}-\d{1,6}\b|(?<![\w&/])#\d{1,6}\b|"
    r"\b(?:issue|ticket|task|bug|story|epic|PR|pull request|bead)s? #?\d{1,6}\b|"
    r"\b(?:bead|issue|ticket|task|epic|implement|fix) ([a-z]{2,20}-[a-z]*\d[a-z0-9]*(?:\.\d+)*|"
    r"[a-z]{3,20}-[a-z]{3}(?:\.\d+)*)\b",
    re.IGNORECASE,
)
# The lead of a line that names an issue, and of lines of an issue that never do.
_LABEL = Pattern(
    r"(?:^|\b(?:status|issue|pull request):\s*)\W*(?:title|summary|subject|issue|task|plan|headline|"
    r"problem(?:[_ ]statement)?|bug(?:[_ ]report)?|feature(?:[_ ]request)?)\s*:\s*(?=\S)",
    re.IGNORECASE,
)
# A field of a record that was handed over: it says where the issue is from.
_FIELD = Pattern(r"^\s*(?:\w+_\w+|id|repo|commit|sha|branch|hash|instance|base)\s*:\s", re.IGNORECASE)
# Where a request says that its task is written down.
_WRITTEN_IN = Pattern(
    r"\b(?:based on|according to|as (?:described|written|given|stated|specified|defined) in|"
    r"(?:described|specified|given|defined|found|listed) in|following|from|per|see|in|with|using|of)"
    r"(?: the)?(?: files?)? [\w./-]*\w\.(?:ya?ml|json|md|txt|toml|rst|csv|docx?|pdf)\b",
    re.IGNORECASE,
)
_ASIDE = Pattern(
    r"^[\W_]*(?:(?:cc|regards|signed-off-by|co-authored-by|opened (?:this|by|on))\b|(?:ping|fyi)\W*$|"
    r"(?:dear|reported by|created|closed|assign\w*|reporter|author|labels?|priority|status|state|milestone|version|"
    r"environment|date|owner|severity|component|url|number|reviewers?|projects?|type)(?: (?:at|on|by|to))?\s*(?::|$)|"
    r"(?:(?:issue|ticket|bug|pr|pull request) )?(?:#?\d+ )?(?:last |first |was )?"
    r"(?:opened|created|edited|modified|updated|reported|closed|merged) (?:by|on|at)\b|"
    r"(?:\S{1,40} ){1,4}(?:opened|commented|created|reported|asked|edited|closed|merged|posted|updated)"
    r"(?: (?:this|an?)(?: (?:issue|pull request|merge request|ticket|bug|pr))?)? (?:on (?:[A-Z][a-z]{2,8}\.? \d{1,2}|"
    r"\d{1,4}[/.-]\d\S*|\d{1,2} [A-Z][a-z]{2,8})(?:,? \d{4})?(?:,? (?:at )?\d{1,2}:\d\d\S*(?: [ap]m)?)?|"
    r"yesterday|today|"
    r"last \w+|(?:\d+|an?|one) \w+ ago)\s*(?:$|[·•|(,–—-])|"
    r"\S{1,40} (?:commented|opened this|added a|assigned|mentioned this|referenced|self-assigned|changed the title)\b|"
    r"on \w{3,9}(?:,? \w{1,9})? \d|>>> |import [\w.]+$|import [\w.]+ as\b|from [\w.]+ import\b|#include\b|#!|"
    r"\[?\d{1,2}[/:]\d\d\b|"
    # what a tracker writes above and below an issue: where it is from, its fields, and what befell it
    r"in (?:gitlab|github|jira|bitbucket|gitea|trac|bugzilla|redmine) by\b|(?:originally )?posted (?:by|on behalf)\b|"
    r"(?:imported|migrated|copied|moved|transferred) from (?:\w+ )?(?:gitlab|github|jira|bitbucket|gitea|trac|bugzilla|"
    r"redmine|#\d|\w+[/#]\d)|comment:\d|"
    r"(?:last )?(?:opened|created|edited|modified|updated|reported|closed|merged|changed|posted|commented|asked|active|"
    r"seen)\b.{0,40}\bago\b|"
    r"(?:keywords|triage stage|sprint|due date|time spent|updated|resolved|resolution|epic link|blocked by|depends on|"
    r"security level|importance|whiteboard|qa contact|see also|target (?:release|version)|found in)\s*:|"
    r"\S{1,30}(?: \S{1,30})? \d{1,2}:\d\d(?: ?[ap]m)?$|[a-z/ ]{4,30}: (?:yes|no|set|unset|none|0|1)$|"
    r"attachments?\s*(?::\s*(?:$|\S{1,60}\.\w{1,5}\b)|\(\d|$)|"
    r"(?:[a-z]{2,16} ){1,2}(?:changed from \S.{0,60} to [\w .@-]{1,30}|set to [\w.@-]+|(?:unset|deleted))$|"
    r"(?:[\w.-]{1,30} ){1,3}(?:(?:added|removed) (?:the |a |an )?(?:[\w:.-]{1,30} ){0,2}"
    r"(?:labels?|milestone|assignees?)\b|"
    r"(?:removed their assignment|self-assigned)|changed the (?:title|milestone|description|base)\b|"
    r"(?:added|moved|closed|reopened|pinned|unpinned|locked|transferred|converted|marked|linked|opened|mentioned|"
    r"referenced|unassigned|removed) (?:this\b(?! \w+ (?:is|are|was|were|has)\b)|a (?:pull|merge) request|"
    r"an issue that)))",
    re.IGNORECASE,
)
_GREETING = Pattern(
    r"^\W*(?:hi|hello|hey|thanks|thank you|thx)\b(?: (?:there|all|team|claude))?[\s,.!:-]+(?=\w)", re.IGNORECASE
)
# How an order to an assistant begins: what stands so in a foreign text is no heading that a summary may repeat.
_ORDER = Pattern(
    r"^\W*(?:always|never|you (?:must|should|are)|remember|from now on|before you|whenever you|when you|make sure|"
    r"(?:ignore|disregard|forget) (?:all|any|every|previous|the above|your)|(?:assistant|claude|system)\b)",
    re.IGNORECASE,
)
# What a prompt says before it comes to the point: whose part the assistant plays, or what was uploaded.
_PREAMBLE = Pattern(
    r"^\W*(?:(?:you are|act as|you're|from now on,? (?:you|act)|agisci|da ora|actúa|eres)\b|"
    r"(?:i(?:'ve| have)? (?:just )?(?:uploaded|attached|pasted)|here(?:'s| is| are))\b)",
    re.IGNORECASE,
)
# Words of a request that say nothing of its subject, and the headings of an issue's parts.
_GENERAL = STOP_WORDS | frozenset(
    """
    able above accept actual additional again agreed ahead all already also another approved ask asked attached back
    background based begin behavior behaviour below bug bugs case change changes check code codebase commence commit
    complete consider context continue cool could current dear decide described description details directory does
    doing done dont environment epic error errors example expected explain feature few file files find fine first
    fix fixed folder following full fyi get give given go going good great guide handle hello help here hey hi
    implement implementation improve information instructions issue issues its keep know lgtm like line list look
    looks made make mentioned message met need needed needs new next nice note now ok okay one only open other out
    output overview part path perfect ping plan please pls problem problems proceed project pull purpose question
    read ready related remaining repo report repository reproduce reproduction request required requirements resolve
    resume run same see session should solve some something sounds start started starting status steps still story
    subtask subtasks success suggested sure take task tasks terminallastcommand terminalselection thank thanks them
    they thing things think this ticket title tldr todo try two under understand update uploaded version want wants
    way well what whole work working works write yep yes
    """.split()
)
_TELLING = 2  # words that a line of a foreign text needs to name something
_NAME_CHARS = 160  # a longer line of a foreign text is no heading


@dataclass(frozen=True, slots=True)
class Task:
    """What a session was asked for: the `request`, in the user's words, and the `heading` of a text that was handed
    over with it, each "" if there is none. `names` tells whether the request names its subject, and not only that
    something is to be done.
    """

    request: str = ""
    heading: str = ""
    names: bool = False

    @property
    def key(self) -> str:
        """Returns the key of an issue that the request names, or ""."""
        found = _KEY.search(self.request)
        return (found[1] or found[0]) if found else ""


def task_of(prompts: Iterable[str]) -> Task:
    """Returns the task of a session: that of its first prompt that names one, otherwise its first request."""
    first = Task()
    for prompt in islice(prompts, PROMPTS_READ):
        found = _task(prompt)
        if found.names or found.heading or _KEY.search(found.request):
            return found
        first = first if first.request else found
    return first


def name_in(text: str) -> str:
    """Returns the first line of a text that may be its name, "" if there is none."""
    return next(filter(None, map(_heading, _lines(text))), "")


def _task(prompt: str) -> Task:
    prompt = _prose(prompt.replace("’", "'").replace("‘", "'").replace("\r\n", "\n"))
    own, raw = own_lines(prompt), _lines(prompt)
    count = _before(raw, [line for _, line in own])
    request, names = _request(own[:count])
    heading = "" if names else _heading_of(raw[count:])
    linked = _ISSUE_LINK.search(prompt)
    if linked and not names:
        request = f"{request or 'Work on'} {linked[1]} #{linked[2]}"
    if not request and not heading:
        rest = own[count:] or [(0, line) for line in raw if not is_machine(line)]
        request, names = _request([(number, line) for number, line in rest if not _ORDER.match(_plain(line))])
    return Task(request, heading, names)


def _prose(prompt: str) -> str:
    """Returns a prompt without lines of code and the comments above them, without steps to reproduce something, and
    without whose words follow.
    """
    lines = [_BRACKETED.sub(r"\1\2 ", _SAID_BY.sub("", line)) for line in prompt.split("\n")]
    found: list[str] = []
    in_steps = False
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        in_steps = bool(_STEPS.match(line) or in_steps and (_STEP.match(line) or not line.strip()))
        is_comment = line.startswith("#") and _CODE.match(following)
        is_code = is_comment or _CODE.match(line) and (line.startswith(">") or not is_machine(line))
        found.append("" if in_steps or is_code else line)
    return "\n".join(found)


def _heading_of(lines: list[str]) -> str:
    """Returns the heading of a foreign text: what a label says is one, otherwise the first line that may be."""
    labelled = (line for line in lines[:LABELS_READ] if _LABEL.search(line))
    others = (line for line in lines if not _FIELD.match(line))
    return next(filter(None, map(_heading, (*labelled, *others))), "")


def _before(raw: list[str], own: list[str]) -> int:
    """Returns the number of the user's own lines before the first of someone else's: that is announced by a colon,
    labelled, or nobody's words.
    """
    for at, line in enumerate(own):
        if at >= len(raw) or raw[at].strip() != line.strip() or _LABEL.search(line):
            return at
        if line.rstrip().endswith(":"):
            return at + 1
    return len(own)


def _request(lines: list[tuple[int, str]]) -> tuple[str, bool]:
    """Returns the user's own sentences from the first on that names something, or an issue's key, otherwise from the
    first that asks for anything; and whether that sentence names something. A line like a title is taken alone.
    """
    lines = [(number, line) for number, line in lines if not _ASIDE.match(_plain(line))]
    prose = [(number, line) for number, line in lines if not _COMMENT.match(line) and not line.startswith("    ")]
    whole = _joined(prose or lines)
    parts = [(_sentences(line), _is_title(line)) for line in whole]
    found = [(_plain(part), is_title) for sentences, is_title in parts for part in sentences]
    said = [(part, title) for part, title in found if any(map(str.isalpha, part)) and not _PREAMBLE.match(part)]
    if not said:
        return "", False
    first = next((at for at, (part, _) in enumerate(said) if _names(part) or _KEY.search(part)), 0)
    text, is_title = said[first]
    asked = text if is_title or not _names(text) else " ".join(part for part, _ in said[first:])
    return clip(asked, REQUEST_CHARS), _names(text)


def _names(request: str) -> bool:
    """Tells whether a request names its subject, and not only the file in which it is written down."""
    return bool(_telling(_WRITTEN_IN.sub(" ", request)))


def _joined(lines: list[tuple[int, str]]) -> list[str]:
    """Returns the lines, with those joined that go on in the middle of a sentence."""
    found: list[str] = []
    last = -1
    for paragraph, line in lines:
        line = line.strip()
        if found and paragraph == last and line[:1].islower() and found[-1][-1:] not in ".!?:":
            found[-1] += " " + line
        else:
            found.append(line)
        last = paragraph
    return found


def _is_title(line: str) -> bool:
    return line[-1:] not in ".!?:," and len(_telling(line)) > _TELLING


def _sentences(line: str) -> list[str]:
    parts = re.split(r"(?<=[.!?:])\s+(?=[A-Z`\"'#@*]|$)", line.strip())
    is_keyed = len(parts) > 1 and any(f"{found[0]}:" == parts[0][found.start() :] for found in _KEY.finditer(parts[0]))
    return [" ".join(parts[:2]), *parts[2:]] if is_keyed else parts


def _lines(text: str) -> list[str]:
    """Returns the lines of a text that hold words: without code, and without tags."""
    bare = _MARKUP.sub("", _FENCED.sub("", text))
    return [line for line in bare.split("\n") if line.strip()][:LINES_READ]


def _heading(line: str) -> str:
    """Returns a line of a foreign text if it may be its heading."""
    labelled = _LABEL.search(line)
    bare = line[labelled.end() :] if labelled else line.lstrip("> \t")
    said = _plain(bare)
    is_code = _COMMENT.match(bare) or line.startswith("    ") or is_machine(bare.strip("*_ ")) or is_machine(said)
    if (is_code and not labelled) or len(said) > _NAME_CHARS or _ASIDE.match(said) or _ORDER.match(said):
        return ""
    return said if len(_telling(said)) >= _TELLING else ""


def _plain(text: str) -> str:
    """Returns a line without its marks, and without mentions, links and remarks on who changed it when."""
    for pattern in (_IMAGE, _REMARK, _LINK, _CALLED, _MENTION):
        text = pattern.sub(" ", text)
    text = text.replace("**", "")
    text = _GREETING.sub("", text)
    return _EMPHASIS.sub(r"\1", _LEAD.sub("", " ".join(text.split()).rstrip(_MARKS)))


def _telling(text: str) -> list[str]:
    """Returns the words of a text by which its subject is known."""
    return [
        word for word in words(_KEY.sub(" ", text)) if len(word) > 2 and not word.isdigit() and word not in _GENERAL
    ]
