"""Splits a prompt into statements, without pasted, quoted or code text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from ..lib.pattern import Pattern
from .claims import common
from .handed_over import handed_over, parted
from .openers import disputes, says_again, without_agreement, without_opener
from .others_speech import begins_with_speech, is_within_quotation, without_speech
from .pasted_lines import is_said_in, of_others
from .reversal import swaps
from .withdrawals import (
    denies_claim,
    first_withdrawn,
    forbids,
    heads_what_is_not_so,
    is_call,
    labelled,
    needs_one_before,
    opposed,
    says_over,
    withdraws_what_is_before,
    without_withdrawal,
)

_FENCED = Pattern(r"(`{3,}|~{3,}).*?(?:\1|\Z)", re.DOTALL)  # a longer fence may contain shorter ones
_PASTED = Pattern(r"<pasted_content id=\"(\w+)\">.*?(?:</pasted_content id=\"\1\">|\Z)", re.DOTALL)
_TAGGED = Pattern(r"<([A-Za-z][\w-]{2,40})\b[^<>]*>.*?</\1\s*>", re.DOTALL)
_DASHES = ("-", "–", "—")
_BULLET = Pattern(r"^\s*(?:[-*+•▪◦‣●–]|\(?\d{1,2}[.)]|\(?[a-z]\))\s+")
_ME = Pattern(r"^(?:me|myself): (?=\S)", re.IGNORECASE)  # the user's own line in a chat
_NUMBER = Pattern(r"(?<!\S)\(?(?:(\d{1,2})[.)]|([a-z])\))\s+(?=\S)")  # of an item in a list
_DOT = Pattern(r"(?<!\S)[•▪◦‣●]\s+(?=\S)")  # before an item
# A list of rules in one line: "Rules: never push to main, always squash, two approvals".
_RULE_LIST = Pattern(
    r"((?:[\w'/-]+ ){0,3}(?:rules?|conventions?|guidelines?|standards?|policy|policies|principles?|preferences?))"
    r":\s+(.+)",
    re.IGNORECASE,
)
_RULE = Pattern(r"(?:never|always|no|don't|do not|only|must|please)\b", re.IGNORECASE)
_HEADING = Pattern(r"^\s*#{1,6}\s")
_TITLE = Pattern(r"^\s*(?:#{1,6}\s+\S|\*\*[^*]+(?::\*\*|\*\*:?\s*$))")  # the title of a document or a section
# The part of the work that a statement is about: "[backend] we use Go". Any other word in brackets may be a program's.
_AREA = (
    r"(?i:(?:back-?end|front-?end|api|web(?:-?app)?|app|mobile|ios|android|infra|ops|devops|ci|cd|db|database|docs(?:/\w+)?|"
    r"qa|security|design|data|ui|ux|auth|billing|payments?|search)\] (?:we|our|i|my|never|always|please|let's|don't) )"
)
# A line that no person writes: of a log, a stack trace, a shell, a table, a diff, code, a configuration or a mail's
# header.
_MACHINE = Pattern(
    r"^\s*(?:[>▸⚠📌🔔ℹ✅❌💡]|"
    r"A hook (?:provided|blocked|returned|failed|reported|said|denied)\b|"
    r"(?:Stop|PreCompact|PostToolUse|SessionStart|UserPromptSubmit) hook\b|Background task\b|"
    r"\||[+-]{3}\s|@@|\$\s|[%❯]\s|#!|//|/\*|\* @|<[/!?a-zA-Z]|Traceback|File \"|at \S+\(|at \S+ \(|"
    r"(?:\w+\.)*\w*(?:Error|Exception|Warning)\b[:(]|(?:npm|yarn|pnpm) (?:ERR!|WARN|error)|error(?:\[|:)|warning:|"
    r"(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE|PANIC)\b|"
    rf"\[(?!{_AREA})[^\]]{{1,30}}\]\s|"
    r"\[?\d{4}-\d\d-\d\d[T ]|"
    r"\d\d:\d\d(?::\d\d)?[ ,.]|[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d|[IWEF]\d{4} \d\d:|\w+=\S+ \w+=|PS [A-Z]:\\|\{\"|"
    r"Caused by: |panic: |thread '|Exception in thread |goroutine \d|--> |diff --git |E {3}\S|FAILED \S+::|"
    r"(?:FAIL|PASS) +\S+[./]\S+|&\w+;|"
    r"\S+:\d+: \w+Error\b|/\S+:\d+|import [\w.]+(?: as \w+)?\s*$|from [\w.]+ import [\w*, ]+$|"
    r"(?:import|from|export|const|let|var|def|class|function|return|public|private|static|package|using|#include|fn|"
    r"func|type|struct|select|insert|update|delete|create|alter|"
    r"SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|FROM|RUN|COPY|CMD|ENV)\s(?:.*[;{(=:]|.*\w\([^()]*\)|[^()]*\))\s*$|"
    r"[\w.\-\"']+\s*[:=]\s*[\[{\"'].*$|[\]})];?,?\s*$|\w[\w.-]*\(.*\)\s*[;{]?\s*$|\S+@\S+:\S*[$#]\s|"
    r"(?:From|To|Cc|Subject|Sent|Date|Assignee|Reporter|Priority|Labels|Status|Environment|Message-ID|Summary|"
    r"Resolution|"
    r"Description|Acceptance|Steps to reproduce|Expected|Actual|HINT|DETAIL|STATEMENT|CONTEXT|LOCATION):\s|"
    r"\w+ from \w+: ?['\"]|(?:hint|help|[EWIN]): |E\s+\w*Error|[A-Z]{2,}\d{3,}\b.{0,3}: |"
    r"(?:From the session before|Human turn restored|Session (?:resumed|restored)|"
    r"Summary of (?:the )?(?:conversation|session)|"
    r"Files rewound)\b)"
)
# Who wrote a message, when and to whom, as a mail, a chat or a tracker heads it; and a time alone.
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_CLOCK = r"\d{1,2}:\d\d(?::\d\d)?(?: ?[ap]\.?m\.?)?"
_AGO = r"(?:\d+|an?|one) ?(?:s|m|h|d|w|y|mo|min|sec|hr|wk|yr|(?:second|minute|hour|day|week|month|year))s? ago"
_BYLINE = Pattern(
    rf"\W*(?:{_CLOCK}|to me(?:, \w+)*|(?:member|owner|author|contributor|collaborator|maintainer)s?|"
    rf"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? )?(?:{_MONTH} \d{{1,2}}|\d{{1,2}}\.? {_MONTH})(?:,? \d{{4}})?"
    rf"(?:,? (?:at )?{_CLOCK})?(?: \({_AGO}\))?|"
    rf"(?!(?:we|i|it|the|this|that|our|my|they)\b)(?:\S+ +){{0,5}}{_AGO}|"
    r"[\w.' -]{2,40} <\S+@\S+>(?: wrote:?)?)\W*",
    re.IGNORECASE,
)
# A letter to someone else, or a system prompt, which names a role ("You are a reviewer, ..."; "You are right" names
# none): all that follows is not the user's.
_ADDRESSED = Pattern(
    r"^\s*(?:Dear\b|--\s*$|(?:(?:[Bb]est|[Kk]ind|[Ww]arm) )?[Rr]egards\b,?\s*$|"
    r"(?:Hi|Hello|Hey) (?:all|team|everyone|everybody|folks|guys|there team)\b|"
    r"You are (?!the best\b|a (?:bit|little)\b|(?:RIGHT|WRONG|NOT|STILL)\b)(?:(?:an? |the )[\"“]?\w|[\"“]?[A-Z])\w*"
    r"(?: \w+){0,3}[\"”]?[,.]|"
    r"-{3,} ?(?:Original|Forwarded)\b|Minutes\b.{0,40}$|You must always (?:answer|respond|reply|return|output)\b|"
    r"Your (?:role|job|task) is(?::|(?: \w+ly)? (?:to|an?|the|\w+ing)\b)|(?:System|Assistant|Human|User): )"
)
# What is set in bold within a line, as a person does; a line or an item that begins so is often a document's.
_BOLD = Pattern(r"(?<=[\w,;] )\*\*(?=[^\s*])([^*\n]{1,80})(?<=\S)\*\*(?!\w)")
# A file that contains rules. If a prompt names one, its lists probably come from the file.
_RULES_FILE = Pattern(
    r"\b(?:claude|agents|gemini|contributing|readme|copilot-instructions|skill)\.md\b|cursor ?rules\b|\.cursor/rules|"
    r"\b(?:CLAUDE|AGENTS|CONTRIBUTING|README)\b|\b(?:style ?guide|system prompt)\b",
    re.IGNORECASE,
)
_SENTENCE = Pattern(
    r"(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\bvs\.)(?<!\bcf\.)(?<!\bca\.)(?<!\bapprox\.)"
    r"(?<=[.!?…])[\"')\]]*\s+|(?<=[。！？])\s*(?=\S)|;\s+|(?<=[a-z]{2});(?=[A-Za-z']+ \w)|"
    r"(?<=[a-z]{2}[.!?])(?=(?:We|I|Our|My|Please|Never|Always|Don't|No|Use|All|Every) \w)|"
    r"(?<!\s)\s+(?:—|–|-{1,2})\s+(?=[^\s\d])|\n+|"
    r"(?<!\s)\s+/\s+(?=(?i:we|i|our|my|please|never|always|don't) [\w'-]+ \w)"
)
_COMMA = Pattern(
    r",\s+(?:and\s+)?|(?<!\s)\s+(?=(?:and|but|so|also|btw|fyi)\s+(?:we|i|our|my|the|please|pls|can|could|it|its|it's|you|"
    r"they|"
    r"there|never|always|no|dont|don't|only|every|all)\b)",
    re.IGNORECASE,
)
# A part that cannot be understood alone. It stays with the part before it.
_TIED = Pattern(
    r"^(?:and |but |so |or )?(?:not|never|nor|because|cause|cuz|coz|bc|since|as|which|that|who|otherwise|except|"
    r"unless|"
    r"without|with|instead|rather|until|till|else|due|thanks to|for|to|in|on|at|of|by|from|like|e\.?g\.?|i\.?e\.?|"
    r"including|incl|even|especially|at least|at most|max|min|etc|if|when|while|whereas|though|although|"
    r"per|via|after|before|than|either|too|as well|same|"
    r"is|are|was|were|be|been|being|has|had|must|should|shall|will|would|can|could|may|might|does|"
    r"isn't|aren't|hasn't|won't|can't|cannot|mustn't|shouldn't|doesn't)\b",
    re.IGNORECASE,
)
# An order behind "and", not a verb of what is said before it: "never stored there", "never verifies it".
_ORDER = Pattern(
    r"^(?:and )?never (?!(?:\w*[^s\W]s|\w{2,}ed|\w{3,}en|kept|sent|built|made|read|run|set|put|left|lost|held|told|"
    r"shown|by|in|on|at|for|with|without|from|to|of|into|through|via|under|before|after|the|an?|any|this|that|as|if|when)\b)"
    r"\w+ \S",
    re.IGNORECASE,
)
_OF_ONE = Pattern(r"^(?:(?:we|i|never|always|please)\b|(?:\S+ ){1,5}is\b)", re.IGNORECASE)
_CLAUSE = Pattern(r"^(?:and )?(?:we|i) \w+ \S+", re.IGNORECASE)  # short, and yet a statement
_AND = Pattern(r"\band\s+$", re.IGNORECASE)
# A part that only introduces the next one.
_INTRO = Pattern(
    r"^\W*(?:from (?:now|here) on|going forward|(?:in|for|on|across) (?:this|our|all|every|my) \w+(?: \w+)?|by default|"
    r"in general|generally|as a rule|by the way|for the record|(?:please )?note|as of (?:now|today)|at work|here)\W*$",
    re.IGNORECASE,
)
TIED_WORDS = 3  # a part with this few words says nothing alone
SIGNS_MAX = 3  # signs that a line of language may have at any length
SIGNS_SHARE = 1 / 12  # of a line's characters: prose has far fewer signs, code and logs far more
BYLINE_CHARS = 100  # a longer line is no byline
LOOKED_CHARS = 1_000  # read of a line to detect machine output, because the patterns backtrack
TYPED_CACHE = 8  # prompts whose lines are remembered: each statement of one asks for them
HEADING_WORDS = 8  # a line with this few words that ends with a colon is a heading
# "Commit message rules:" introduces what the user says.
_OWN_LIST = Pattern(
    r"^(?!.*\b(?:here|this|these|those|from|says?|said|pasted?|attached|following|below|got|their|his|her)\b)\W*"
    r"(?:[\w'/-]+ ){0,4}(?:rules?|conventions?|guidelines?|standards?|style|naming|format|policy|policies|principles?|"
    r"preferences?|requirements?|habits?)\W*:\W*$",
    re.IGNORECASE,
)
# "Here is the ticket:" and the like: the text up to the next empty line comes from someone else.
_HANDED = Pattern(
    r"(?:\b(?:ticket|issue|mail|email|e-mail|message|slack|thread|chat|log|logs|output|error|trace|stack ?trace|"
    r"traceback|docs?|documentation|readme|readme\.md|claude\.md|agents\.md|wiki|page|article|blog|spec|rfc|prompt|"
    r"config|conf|yaml|json|snippet|code|file|paste|pasted|text|draft|release notes|changelog|transcript|quote|"
    r"says|said|wrote|writes|reads|states|got this|get this|gives|gave|this is what|verbatim|contents?|"
    r"comment|review|answer|reply|announcement|post|story|paragraph|section|copy|instructions?|"
    r"template)\b[^.!?\n]{0,60}"
    r"[:：]|^\s*[\w-]+\[bot\]|^\s*(?:-----|=====|\*\*\*|___|```))\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Part:
    """A statement of a prompt, verbatim except for apostrophes. `sentence` numbers its sentence, `ending` is the last
    character of that; `corrects` tells whether words that call the assistant wrong stood before it, `retold` whether
    they complain that it was said before. `heading` is the line that introduces it, `bullet` tells whether it is in a
    list, `pasted` counts the lines of the prompt that are not the user's words; `paragraph` numbers its paragraph;
    `added` tells whether "and" joins it to the part before, `withdrawn` whether the same prompt takes it back or denies
    it, `denied` whether it was never stated: it stands behind "Wrong:" only to be denied. `joint` is the dash or
    semicolon between its sentence and the one before.
    """

    text: str
    sentence: int
    ending: str
    corrects: bool = False
    heading: str = ""
    bullet: bool = False
    pasted: int = 0
    paragraph: int = 0
    added: bool = False
    withdrawn: bool = False
    retold: bool = False
    joint: str = ""
    denied: bool = False


def parts(text: str, before: str = "") -> list[Part]:
    """Returns a prompt's statements in order. `before` is the assistant's message, of which it may deny a statement."""
    found: list[Part] = []
    number, heading, headed = 0, "", -1
    own = [(paragraph, line) for paragraph, line, _ in _typed_lines(text)]
    pasted = sum(bool(line.strip()) for line in parted(text).split("\n")) - len(own)
    items = [(paragraph, item) for paragraph, whole in own for item in _items(whole)]
    pairs = opposed(_BULLET.sub("", item).strip() for _, item in items)
    for paragraph, line in items:
        bare = _ME.sub("", _BULLET.sub("", line)).strip()
        if _HEADING.match(line) or (len(bare.split()) <= HEADING_WORDS and bare.rstrip("*").endswith(":")):
            heading, headed = bare.strip("#*: ").lower(), paragraph
            continue
        opener = ""
        bullet = bare != line.strip()
        headed = headed if bullet or paragraph == headed else -1  # a line of talk ends the list below a heading
        is_below = headed >= 0 and (bullet or bool(pairs) or not disputes(heading))
        is_not_so = is_below and heads_what_is_not_so(heading)
        for whole, joint, is_behind in _told(bare, pairs):
            is_denied = (is_not_so or is_behind) and not forbids(whole)
            agreed = without_agreement(whole)
            sentence = without_opener(agreed)
            if not is_denied and not found:
                sentence = without_opener(without_withdrawal(sentence)) or sentence  # of an earlier prompt
            elif not is_denied and _withdraws(whole, [part.text for part in found]):
                found = _taken_back(found, whole)
                sentence = without_opener(without_withdrawal(sentence))
            opener += agreed[: len(agreed) - len(sentence)]
            if any(char.isalnum() for char in sentence) and not begins_with_speech(sentence):
                number += 1
                said = Part("", number, sentence[-1], bool(opener), heading, bullet, pasted, paragraph)
                said = replace(said, retold=says_again(opener), joint=joint, denied=is_denied)
                found += _said(said, sentence, before if disputes(opener) else "")
                opener = opener if is_denied else ""
    return _without_wrong(found)


def _without_wrong(found: list[Part]) -> list[Part]:
    """Denies what stands behind "wrong" if the next part says the same of another name: "Wrong: we use npm. We use
    pnpm".
    """
    return [
        replace(part, withdrawn=True, denied=True) if part.corrects and swaps(then.text, part.text) else part
        for part, then in zip(found, [*found[1:], Part("", 0, "")], strict=False)
    ]


def _told(line: str, pairs: Sequence[tuple[Pattern, Pattern]]) -> Iterator[tuple[str, str, bool]]:
    """Yields the sentences of a line, each with the dash or semicolon before it and whether a label denies it: up to
    the next label, or else the first one behind it.
    """
    pieces = labelled(line, pairs)
    for at, (piece, is_denied) in enumerate(pieces):
        instead = pieces[at + 1][0] if is_denied and at + 1 < len(pieces) else ""
        label = ""
        for number, (sentence, joint) in enumerate(_sentences(piece)):
            is_over = says_over(sentence) or (joint[:1] in _DASHES and says_over(f"{label}: "))
            is_over |= bool(instead) and (needs_one_before(sentence) or common(sentence, instead) >= 1)
            yield sentence, joint, is_over or (is_denied and not number)
            label = sentence


def _said(said: Part, sentence: str, disputed: str) -> list[Part]:
    """Returns the parts of a sentence. They are denied if it only repeats the text that it calls untrue."""
    split = _split(sentence)
    gone = _withdrawn([part for part, _ in split])
    is_denied = said.denied or all(is_said_in(part, disputed) for part, _ in split)
    return [
        replace(said, text=part, added=added, withdrawn=at in gone or is_denied, denied=is_denied)
        for at, (part, added) in enumerate(split)
    ]


def _taken_back(found: list[Part], by: str) -> list[Part]:
    """Marks the last sentence, with those that it depends on, as taken back by the one that follows. If it ends with
    what the assistant did ("..., you used 80"), only that is judged.
    """
    if found[-1].text[:3].casefold() == "you" and not found[-1].withdrawn:
        return [*found[:-1], replace(found[-1], withdrawn=True)]
    first: dict[int, str] = {}
    for part in found:
        first.setdefault(part.sentence, part.text)
    numbers = list(first)
    since = numbers[first_withdrawn([first[number] for number in numbers], by)]
    return [replace(part, withdrawn=True) if part.sentence >= since else part for part in found]


def _withdrawn(said: list[str]) -> set[int]:
    """Returns which parts of a sentence are denied, or taken back by a later clause of it."""
    gone = {at for at, part in enumerate(said) if denies_claim(part)}
    for at, part in enumerate(said):
        clauses = part.split(", ")
        if any(_withdraws(clauses[k], clauses[:k]) for k in range(1, len(clauses))):
            gone |= set(range(at + 1))
        elif _withdraws(part, [clause for before in said[:at] for clause in before.split(", ")]):
            gone |= set(range(at))
    return gone


def _withdraws(sentence: str, before: list[str]) -> bool:
    """Tells whether a sentence or clause takes back the last one before it, but for calls: "no, wait"."""
    while before and is_call(before[-1]):
        sentence = f"{before[-1]} {sentence}"
        before = before[:-1]
    return bool(before) and withdraws_what_is_before(sentence, before[-1])


def own_lines(text: str) -> list[tuple[int, str]]:
    """Returns the lines of a prompt that are the user's own words, each with the number of its paragraph."""
    return [(paragraph, line) for paragraph, line, is_doubtful in _typed_lines(text) if not is_doubtful]


def doubtful_lines(text: str) -> list[str]:
    """Returns the lines of a prompt that may be the user's own words, or a text that they handed over."""
    return [line for _, line, is_doubtful in _typed_lines(text) if is_doubtful]


@lru_cache(TYPED_CACHE)
def _typed_lines(text: str) -> tuple[tuple[int, str, bool], ...]:
    """Returns the lines of a prompt that the user may have typed: paragraph, text, and whether it is doubtful."""
    text = text.replace("’", "'").replace("‘", "'").replace("\r\n", "\n")
    text = without_speech(_TAGGED.sub("\n", _FENCED.sub("\n", _PASTED.sub("\n", text))))
    text = parted(text)
    titled = bool(_TITLE.match(text.lstrip()))  # a prompt that is divided into sections itself
    of_a_file = names_rules(text)
    found: list[tuple[int, str, bool]] = []
    paragraph, blank = 0, False
    handed = is_open = False  # handed: text from someone else was announced; is_open: it has begun
    lines = text.split("\n")
    others, doubtful = of_others(lines), handed_over(lines)
    for at, line in enumerate(lines):
        if not line.strip():
            handed, blank = handed and not is_open, True
            continue
        paragraph, blank = paragraph + blank, False
        is_open = handed
        if _ADDRESSED.match(line) or (found and not titled and _TITLE.match(line)):
            break  # the rest is a document
        if handed:
            continue
        handed = bool(_HANDED.search(line)) and not _OWN_LIST.match(line)
        if not handed and at not in others and not is_machine(line) and not (of_a_file and _BULLET.match(line)):
            found.append((paragraph, line, at in doubtful))
    return tuple(found)


def names_rules(text: str) -> bool:
    """Tells whether a prompt mentions a file that contains rules, which the prompt may then quote."""
    return bool(_RULES_FILE.search(text))


def is_machine(line: str) -> bool:
    """Tells whether a line is none that a person writes: of a log, a trace, a table, code or a configuration."""
    line = _BOLD.sub(r"\1", line)
    signs = sum(not (c.isalnum() or c.isspace() or c in ".,'\"!?;:()-`/_") for c in line)
    return (
        bool(_MACHINE.match(line[:LOOKED_CHARS]) and not _BULLET.match(line))
        or (len(line) <= BYLINE_CHARS and bool(_BYLINE.fullmatch(line)))
        or begins_with_speech(line)
        or "▸" in line
        or signs > max(SIGNS_MAX, len(line) * SIGNS_SHARE)
    )


def _items(line: str) -> list[str]:
    """Returns the items of a list within a line, or the line itself: "1. ... 2. ...", "a) ... b) ...", "• ... • ...",
    or rules behind a colon. What introduces the list is an item of its own.
    """
    ruled = _RULE_LIST.fullmatch(line.strip())
    rules = [rule.strip() for rule in ruled[2].split(",")] if ruled else []
    if ruled and len(rules) > 1 and all(len(rule.split()) > 1 and _RULE.match(rule) for rule in rules[:2]):
        return [f"{ruled[1]}:", *(f"- {rule.removeprefix('and ')}" for rule in rules)]
    starts = [mark.start() for mark in _DOT.finditer(line)] or _numbered(line)
    if len(starts) < 2:
        return [line]
    if not line[: starts[0]].rstrip().endswith(":"):
        starts[0] = 0
    bounds = sorted({0, *starts, len(line)})
    return [line[start:end].strip() for start, end in pairwise(bounds)]


def _numbered(line: str) -> list[int]:
    """Returns where the items of a list begin whose numbers or letters count up from the first."""
    for group, first in ((1, 1), (2, 10)):
        marks = [mark for mark in _NUMBER.finditer(line) if mark[group]]
        if marks and [int(mark[group], 36) for mark in marks] == list(range(first, first + len(marks))):
            is_list = group == 1 or not (before := line[: marks[0].start()].rstrip()) or before.endswith(":")
            return [mark.start() for mark in marks] if is_list else []
    return []


def _sentences(line: str) -> list[tuple[str, str]]:
    """Returns the sentences of a line, each with the dash or semicolon before it. A quotation is not split."""
    found, start, joint = [], 0, ""
    for end in _SENTENCE.finditer(line):
        if not is_within_quotation(line, end.start(), end.end()):
            found.append((line[start : end.start()], joint))
            start, joint = end.end(), end[0].strip(" \t\n/.!?\"')]")
    return [(piece.strip(), joint) for piece, joint in (*found, (line[start:], joint)) if piece.strip()]


def _split(sentence: str) -> list[tuple[str, bool]]:
    """Returns a sentence's parts, each with whether "and" joins it to the one before. A part that cannot be understood
    alone stays with the one before it.
    """
    found: list[tuple[str, bool]] = []
    begin = end = 0
    for low, high in _pieces(sentence):
        piece = sentence[low:high]
        said = sentence[begin:end]
        is_short = len(piece.split()) <= TIED_WORDS and not _CLAUSE.match(piece)
        is_tied = _TIED.match(piece) and not _is_order(said, piece, bool(_AND.search(sentence[:low])))
        tied = is_short or is_tied or len(said.split()) < 2 or _INTRO.match(said)
        if not tied:
            found.append((sentence[begin:end], bool(_AND.search(sentence[:begin]))))
            begin = low
        end = high
    found.append((sentence[begin:end], bool(_AND.search(sentence[:begin]))))
    bare = [(part.strip(" ,").strip(), added) for part, added in found]
    return [(part, added or part[:4].casefold() == "and ") for part, added in bare if part]


def _is_order(said: str, piece: str, added: bool) -> bool:
    """Tells whether a piece that begins with "and never" is an order of its own: what is `said` before it is of one
    thing, or of us, and so no subject of its verb. "Prices are in cents and never go up" is of the prices.
    """
    return (added or piece[:4].casefold() == "and ") and bool(_ORDER.match(piece) and _OF_ONE.match(said))


def _pieces(sentence: str) -> list[tuple[int, int]]:
    """Returns the (start, end) of a sentence's pieces between commas and conjunctions, but not
    within brackets or code.
    """
    found, start = [], 0
    for match in _COMMA.finditer(sentence):
        before = sentence[: match.start()]
        is_in_code = before.count("(") > before.count(")") or before.count("`") % 2
        if not is_in_code and not is_within_quotation(sentence, match.start(), match.end()):
            found.append((start, match.start()))
            start = match.end()
    return [*found, (start, len(sentence))]
