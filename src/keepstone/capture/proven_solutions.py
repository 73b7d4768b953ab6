"""Finds what a session proved: a check failed, a change was made, the same check passed, and the assistant named the
cause in words that are about this check or this change. An explanation before the check passes is only a hypothesis.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from ..claude_code.observation import EDITS, FAILED, OK, SHELLS, UNKNOWN, Observation
from ..lib.limits import ERROR_LINES, PASSAGE_CHARS
from ..lib.pattern import Pattern
from ..lib.text import STOP_WORDS, words
from .checks import (
    changed_words,
    changes,
    check_of,
    is_clear,
    is_test,
    reads_prose,
    removes_tests,
    rewrites_expected,
    sets_up,
)
from .eased_checks import EASES, REMARKS, TURNS_OFF, TURNS_ON, line_effect

SOLUTION_ROWS = 4  # observations after a passing check in which its explanation is searched

USER = "user"  # the tool of an observation with the user's own verdict on a fix

_CONFIRMS = Pattern(
    r"\b(?:(?:that|this|it|which|yes+|yep)[ ,]*(?:really |finally |has |did )?(?:fixed|solved|cured|resolved|"
    r"worked|did it|did the trick)\b|"
    r"(?:works|working|runs|passes|builds|starts|compiles|loads) (?:fine |great |perfectly |well |"
    r"like a charm )?(?:now|again)\b|"
    r"now (?:it )?(?:works|runs|passes|builds|starts)\b|that was it\b(?! for)|"
    r"(?:errors?|crash(?:es)?|warnings?|problems?|issues?|bug|it|leak|flicker\w*) (?:is|are) gone\b|all green\b|"
    r"(?:no|zero) (?:more )?(?:errors?|crash(?:es)?) (?:now|any ?more)\b|^(?:yes|yep|yess+)[ ,!]*(?:it )?works\b)",
    re.IGNORECASE,
)
_REFUTES = Pattern(
    r"\b(?:still (?:failing|fails|broken|red|crash\w*|the same|not|doesn'?t|doesnt|getting|happens|hangs|get)|"
    r"(?:didn'?t|didnt|did not|doesn'?t|doesnt|does not) (?:help|work|fix|change|solve)|same (?:error|problem|"
    r"thing|issue)|"
    r"not (?:it|that|fixed|working|the (?:cause|problem|reason))\b|nope\b|(?:it'?s|its|is) back\b|no change|"
    r"no effect|are you sure|only after|red herring|now (?:nothing|everything|the whole|another|a different|i get)\b|"
    r"but now|but (?:it|the|then)|came back|again broken|broke (?:it|the|something))",
    re.IGNORECASE,
)
_CAUSE = Pattern(
    r"\b(?:because|caused by|the (?:actual |real |root )?(?:cause|culprit|problem|issue|reason|bug|error) (?:was|"
    r"is|:)|root cause|cause:|"
    r"due to|turned out|turns out|it was|was (?:missing|wrong|stale|never|still|not|set|using|hard-?coded|being)|"
    r"were (?:missing|never|not|still)|had (?:been|no|the|a|to)|has no|lacked|expects?|needs?|needed|requires?|"
    r"comes? from|came from|"
    r"stems? from|defaults? to|no longer|can'?t|cannot|couldn'?t|forgot|didn'?t|doesn'?t|went over|left a|lacks|"
    r"rejects|(?:fail(?:s|ed)|broke|crash(?:es|ed)|hung) (?:as|since)|(?:crash|failure|hang|leak) was)\b",
    re.IGNORECASE,
)
_CURE = Pattern(
    r"\b(?:fix(?:es|ed)?|solv(?:es|ed)|cure[sd]?|resolv(?:es|ed)|avoids?|was the cure|did (?:it|the trick)|setting|"
    r"adding|pinning|"
    r"installing|using|with|stops?|works? with|must be|instead of|switch(?:ed|ing)|replac(?:ed|ing)|chang(?:ed|ing)|"
    r"rais(?:ed|ing)|mov(?:ed|ing)|bump(?:ed|ing)|now (?:uses?|sets?|passes)|let|makes?|keeps?|passes|goes through|"
    r"after `|has it|from now on)\b",
    re.IGNORECASE,
)
_OPEN = Pattern(
    r"\?|\b(?:maybe|perhaps|might|may|could|probably|possibly|seems?|looks like|likely|i think|i suspect|suspect|"
    r"guess|"
    r"let me|let's|i'?ll|i will|i'?m going to|next|should (?:fix|work|help|do|be|now|pass)|try(?:ing)?|to see|"
    r"checking|"
    r"would|hopefully|assum\w+|i (?:need|have|want|should|must|can|see|notice)\b|i'm\b|we (?:need|should|"
    r"have to)\b|you (?:can|should)\b|want me to|unsure|not sure|in case|for now|workaround|unrelated|"
    r"(?:by|on) (?:itself|its own)|coincidence|as expected|"
    r"my (?:\w+ )?(?:fix|change|edit|code|approach|implementation|test|patch))\b",
    re.IGNORECASE,
)
# A cause that needs no cure beside it if the change right after it cured the failure.
_NAMED_CAUSE = Pattern(
    r"\b(?:because|caused by|(?:cause|culprit|reason|bug) (?:was|is)|cause:|due to|turned out|turns out|"
    r"(?:is|are|was|were|still|never|isn't|aren't|wasn't|weren't) (?:missing|wrong|stale|outdated|unset|empty|never|"
    r"not|hard-?coded|set|called|closed|flushed|reset|installed|loaded|sorted|registered|escaped|passed|awaited|defined|"
    r"compiled|compared|read|written|shared|swapped|reversed)|"
    r"lacks?|lacked|has no|have no|had no|doesn't|don't|didn't|does not|do not|did not|can't|cannot|forgot|forgets|"
    r"ignores?|skips?|drops?|expects?|needs?|requires?|comes from|defaults? to|off by one|instead of|"
    r"too (?:early|late))\b",
    re.IGNORECASE,
)
_CURED = Pattern(
    r"\b(?:fix(?:es|ed)|solv(?:es|ed)|cure[sd]|resolv(?:es|ed)|was the cure|did the trick)\b", re.IGNORECASE
)
# A sentence that says itself why something fails: it is about the failure, whatever else it names.
_FAILS_BY = Pattern(
    r"\b(?:fail(?:s|ed|ing|ures?)?|breaks?|broke(?:n)?|crash(?:es|ed)?|panic(?:s|ked)?|hangs?|hung|red|errors? out|"
    r"(?:does|did|do|will|would|can)(?:n'?t| not) (?:pass|compile|build|link|run|start|load))\b"
    r"[^.;]*?(?:\b(?:because|since|as|due to|caused by|comes? from|stems? from|down to)\b|:(?= ))|"
    r"\b(?:because of|caused by|due to) \w[^.;]*\b(?:fail(?:s|ed)?|breaks?|broke|crash(?:es|ed)?|panic(?:s|ked)?)\b|"
    r"\b(?:is|was|that'?s) (?:why|what) (?:the |it |this |all )?[\w` ./:-]{0,40}\b(?:fail|break|broke|crash|panic|"
    r"hang)|"
    r"^\W*(?:the )?(?:(?:actual|root|real|underlying) )?(?:cause|culprit|reason|problem|issue|bug)\b[^.;:]{0,60}"
    r"(?: (?:is|was|lies|comes?|came)\b|:(?= ))",
    re.IGNORECASE,
)
# Words that announce the cause of what failed: it follows.
_FOUND = Pattern(
    r"^\W*(?:(?:ok(?:ay)?|ah|aha|now|so|right|great|good|perfect|excellent|yes)\b[\s,!.]*)*"
    r"(?:(?:i(?:'ve|(?: have| can| could)?(?: now)?)? ?(?:see|found|understand|know|spotted|identified)|found|"
    r"here(?:'s| is| comes)|that(?:'s| is)|there(?:'s| is)|this is)(?: now)? "
    r"(?:it|(?:the|a|our|what(?:'s| is)) (?:\w+ ){0,2}(?:issue|problem|bug|cause|culprit|error|failure|reason|"
    r"mistake|wrong)|why)\b|(?:the|this) (?:issue|problem|bug|cause|culprit|reason) (?:is|was) (?:now )?"
    r"(?:clear|plain|obvious|simple)\b)"
    r"[^.:!,;\u2014\u2013-]{0,40}(?:\s*[.:!,;\u2014\u2013]+\s*|\s+-+\s+|$)",
    re.IGNORECASE,
)
# The plan behind a cause: "..., so I'll add it". What is still to be looked at is no plan.
_PLAN = Pattern(
    r"\s*(?:[,;\u2014\u2013]|\s-+\s)\s*(?:(?:so|and|then|now)\s+)*(?:let me|let's|i'?ll|i will|i(?:'m| am) going to) "
    r"(?:now |just |simply )?(?:add|fix|include|use|change|set|update|put|pass|replace|remove|correct|make|move|handle|"
    r"import|install|bump|pin|rename|switch|restore|convert|wrap|escape|guard|drop|sort|close|reset|give|raise|lower|"
    r"call|return|initiali[sz]e|register|declare|define|export|mark|await|clone|derive|implement)\b[^.;]*(?=[.!]?$)",
    re.IGNORECASE,
)
# A place, or that there is a cause at all.
_VAGUE = Pattern(
    r"^\W*(?:(?:the|this|that|our) )?(?:\w+ )?(?:cause|culprit|reason|problem|issue|bug|failure)\b[^,;:]{0,40} "
    r"(?:is|was|lies) (?:now |indeed |also )?"
    r"(?:(?:in|on|at|inside|within|with|here|there)\b(?!.*\b(?:where|which|that|because|since|whose|when)\b)|"
    r"(?:confirmed|clear|fixed|real|reproduced|obvious|gone|resolved|still|simple|known)\b)",
    re.IGNORECASE,
)
_DOES = Pattern(r"with|using|let|makes?|keeps?|passes|stops?|has it|goes through", re.IGNORECASE)
_REMARK = Pattern(r"(?:that|this|those|these) \w+\b", re.IGNORECASE)  # on something that was shown before
# A list's item tells what was made, unless its label says that it names the cause or the cure.
_ITEM = Pattern(r"^\s*(?:[-*+•–]|\d{1,2}[.)]|\|)\s")
_LABELLED = Pattern(
    r"^\s*(?:[-*+•–]|\d{1,2}[.)])\s+[*_`]*(?:the )?(?:actual |root |real )?"
    r"(?:cause|culprit|problem|reason|bug|fix|cure|solution)\b",
    re.IGNORECASE,
)
# Words of most checks, changes and remarks: that two texts share one says nothing.
_COMMON = STOP_WORDS | frozenset(
    "add added adds all also app bash bin build built check code command compile compiled dev done error errors exit "
    "fail failed failing fails file files fine fixed get home lib line lint main make new node now one out python "
    "pytest result return run running runs script set src test tests tmp two usr work "
    "working works".split()
)
_PROSE = (".md", ".mdx", ".markdown", ".rst", ".adoc", "license", "changelog", "readme")
_ABOUT = ("readme", "changelog", "license", "contributing")
_DOCUMENTS = frozenset(("doc", "docs", "documentation", "wiki", ".github"))
_FILE = Pattern(r"\b[\w-]+\.(?:[cm]?[jt]sx?|py|rs|go|rb|java|kt|cs|cpp|cc|c|h|php|swift|ex|exs|vue|scala)\b")
_STEM = 5  # letters by which two forms of a word are the same
_SHORTEST = 3  # letters of a word that tells something, or digits of a number less one
_SENTENCE = Pattern(r"(?<=[.!])\s+(?=[A-Z`\"'(*-])|\n+")
_ROOT_CAUSE = Pattern(r"^\W*(?:the )?root cause\b", re.IGNORECASE)  # right after a pass, it is that of the failure
_CHATTER = Pattern(
    r"^(?:(?:done|great|perfect|excellent|ok(?:ay)?|good|nice|yes|fixed|all (?:\w+ )?(?:tests?|checks|"
    r"hooks)? ?pass(?:es|ed)?(?: now)?|"
    r"the fix (?:works|is working)|it (?:works|builds|passes)(?: now)?|"
    r"there (?:it|we) (?:is|go)|confirmed|succeeded)\b[\s.:,!;*-]*)+",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Solution:
    """An explanation of what fixed a failure, in the assistant's words, and the record that contains it. `files` were
    changed in between. `check` is the command that passes now, "" if the user confirmed the fix. `errors` are lines by
    which the failure can be recognised. `only_cause` tells that the words name no cure: the change is the cure.
    """

    text: str
    record_uuid: str
    said_at: float
    files: tuple[str, ...]
    check: str
    errors: tuple[str, ...] = ()
    only_cause: bool = False


def verdict(text: str) -> str:
    """Returns a prompt's verdict on a fix: OK if it says that the fix worked, FAILED if it did not,
    otherwise UNKNOWN.
    """
    start = text[:200]
    if _REFUTES.search(start):
        return FAILED
    return OK if _CONFIRMS.search(start) and "?" not in start else UNKNOWN


def solutions(observed: Sequence[Observation]) -> Iterator[Solution]:
    """Yields the solutions that a session's observations, in order, prove: for each failure only the last one."""
    taken: set[str] = set()
    for failed, passed in _arcs(observed):
        said = _words(observed, failed, passed, taken)
        if said is not None and said[0].record_uuid not in taken:
            taken.add(said[0].record_uuid)
            yield _solution(observed, failed, passed, *said)


def _solution(
    observed: Sequence[Observation], failed: int, passed: int, by: Observation, text: str, only_cause: bool
) -> Solution:
    changed = [file for row in observed[failed:passed] if row.tool in EDITS and row.state == OK for file in row.files]
    check = "" if observed[passed].tool == USER else observed[passed].command
    met = [line for row in observed[failed:passed] if row.state == FAILED for line in row.error.split("\n") if line]
    errors = tuple(dict.fromkeys(met))[:ERROR_LINES]
    return Solution(text, by.record_uuid, by.observed_at, tuple(dict.fromkeys(changed)), check, errors, only_cause)


def _arcs(observed: Sequence[Observation]) -> Iterator[tuple[int, int]]:
    """Yields (index of a check's last failure, index where it passed) for checks that passed after a change and did not
    fail again. Also yields (index where work began, index where the user said that it works).
    """
    failing: dict[str, int] = {}
    found: dict[str, tuple[int, int]] = {}
    for at, row in enumerate(observed):
        if row.tool == USER and row.state != UNKNOWN:
            _by_user(observed, at, found)
        key = check_of(row.command) if row.tool in SHELLS else ""
        if not key or not is_clear(row.command, row.state):
            continue
        if row.state == FAILED:
            failing[key] = at
            found.pop(key, None)
        elif key in failing and _changed(observed[failing[key] : at + 1]):
            found[key] = (failing.pop(key), at)
    yield from sorted(found.values(), key=lambda arc: arc[1])


def _by_user(observed: Sequence[Observation], at: int, found: dict[str, tuple[int, int]]) -> None:
    """Applies a user's verdict on the work since the previous one: confirms it, or discards what checks have shown."""
    since = max((place for place in range(at) if observed[place].tool == USER), default=-1) + 1
    if observed[at].state == OK:
        found[f"{USER} {at}"] = (since, at)
        return
    for key in [key for key, (_, passed) in found.items() if passed >= since]:
        del found[key]


def _changed(rows: Sequence[Observation]) -> bool:
    """Tells whether the last of these runs checked what failed in the first, and anything was changed between them that
    could explain the new result. Where a test was taken away, nothing is proven.
    """
    first, *between, last = rows
    if any(row.tool in SHELLS and _takes_tests(row.command) for row in (*between, last)):
        return False
    if rewrites_expected(last.command) or _turns_off(between):
        return False
    differ = changed_words(first.command, last.command)
    return differ is not None and (first.command != last.command or _could_change(first, between))


def _takes_tests(command: str) -> bool:
    return removes_tests(command) or line_effect(command) == TURNS_OFF


def _turns_off(rows: Sequence[Observation]) -> bool:
    """Tells whether edits left a test turned off."""
    off = Counter[str]()
    for row in filter(_is_edit, rows):
        for file in row.files:
            off[file] += (row.command == TURNS_OFF) - (row.command == TURNS_ON)
    return any(count > 0 for count in off.values())


def _could_change(first: Observation, between: Sequence[Observation]) -> bool:
    """Tells whether what was done after a failure could change its result. Beside a check that was made easier, or
    words that it doesn't read, something else has to have been changed: if a test is easier, something that is none.
    """
    edits = list(filter(_is_edit, between))
    idle = [row for row in edits if row.command == EASES or _is_unread(row, first)]
    if not idle:
        return any(map(_changes, between))
    is_easier = any(row.command == EASES and all(map(is_test, row.files)) for row in idle)
    others = [row for row in edits if row not in idle and not (is_easier and all(map(is_test, row.files)))]
    return bool(others) or any(row.state == OK and row.tool in SHELLS and sets_up(row.command) for row in between)


def _is_unread(row: Observation, failed: Observation) -> bool:
    """Tells whether an edit changed words only, which the check that failed neither reads nor names."""
    if reads_prose(failed.command):
        return False
    if row.command == REMARKS:
        return True
    return all(map(_is_document, row.files)) and not _could_cure(row.files, _stems([failed.command, failed.error]))


def _is_document(file: str) -> bool:
    """Tells whether a file is prose about the project, and not part of what it is made of."""
    *folders, name = file.lower().split("/")
    return name.endswith(_PROSE) and (not _DOCUMENTS.isdisjoint(folders) or not folders or name.startswith(_ABOUT))


def _is_edit(row: Observation) -> bool:
    return row.tool in EDITS and row.state == OK


def _changes(row: Observation) -> bool:
    if _is_edit(row):
        return row.command != EASES
    if row.state != OK or row.tool not in SHELLS or not changes(row.command):
        return False
    return not rewrites_expected(row.command) and line_effect(row.command) != EASES


def _words(
    observed: Sequence[Observation], failed: int, passed: int, taken: Container[str]
) -> tuple[Observation, str, bool] | None:
    """Returns the explanation of a fix, its observation, and whether it only names the cause: one after the check
    passed, otherwise the only one before that explains no earlier fix. A guess does not count.
    """
    arc = observed[failed : passed + 1]
    by_user = observed[passed].tool == USER
    about = _ANYTHING if by_user else _subject(arc)
    for row in observed[passed + 1 : passed + 1 + SOLUTION_ROWS]:
        if row.tool == USER or (row.tool in SHELLS and row.state == FAILED):
            break
        if text := explained(row.reasoning, proven=not by_user and row.tool not in EDITS, about=about):
            return row, text, False
    if by_user:
        last = next((row for row in reversed(arc) if row.reasoning), None)  # the verdict is about the last thing said
        text = explained(last.reasoning) if last else ""
        return (last, text, False) if last and text else None
    return _hypothesis([row for row in arc[1:] if row.record_uuid not in taken], about)


def _hypothesis(rows: Sequence[Observation], about: _Subject) -> tuple[Observation, str, bool] | None:
    """Returns the one explanation in what led to a pass, as `_words` does: told before the first change or after the
    last. Of two explanations, or two steps, which one was right is not proven.
    """
    changing = [at for at, row in enumerate(rows[:-1]) if _changes(row)] or [len(rows) - 1]  # or the check's own line
    told = [row for at, row in enumerate(rows) if at <= changing[0] or at > changing[-1]]
    found = [(row, text, False) for row in told if (text := explained(row.reasoning, about=about))]
    if not found:
        found = [(row, text, True) for row in rows if _changes(row) and (text := _cause(row.reasoning, about))]
        before = rows[: changing[0]]
        known = [(row, text, True) for row in before if (text := _cause(row.reasoning, about, outright=True))]
        found = found or known[-1:]
        found = found if found and found[0][0] in rows[: changing[0] + 1] else []
    return found[0] if len({text for _, text, _ in found}) == 1 else None


@dataclass(frozen=True, slots=True)
class _Subject:
    """What a failure and its cure are about: `stems` of the changed files, the changed commands and the errors, None if
    anything is. `is_near` tells whether the change touches what failed.
    """

    stems: frozenset[str] | None = None
    is_near: bool = True

    def has(self, text: str, is_cause: bool = False) -> bool:
        """Tells whether a text is about it: it shares a word, or says why something failed, as `is_cause` tells too."""
        if self.stems is None or not self.stems.isdisjoint(_stems([text])):
            return True
        return self.is_near and (is_cause or _FAILS_BY.search(text) is not None)


_ANYTHING = _Subject()


def _subject(arc: Sequence[Observation]) -> _Subject:
    """Returns what a failure and its cure are about. If no file was changed, a text names what else was."""
    first, last = arc[0], arc[-1]
    files = [file for row in arc if row.tool in EDITS and row.state == OK for file in row.files]
    ran = [row.command for row in arc[1:-1] if row.tool in SHELLS and _changes(row)]
    differ = changed_words(first.command, last.command) or set()
    added = [word for word in last.command.split() if word not in first.command]
    change = _stems([*files, *ran, *differ, *added])
    failure = _stems([first.command, *(row.error for row in arc if row.state == FAILED)])
    if not _could_cure(files, failure):
        return _Subject(frozenset(change), False)
    is_near = not _FILE.search(first.error) or not failure.isdisjoint(_stems(files))
    return _Subject(frozenset(change | failure), is_near)


def _could_cure(files: Sequence[str], failure: set[str]) -> bool:
    """Tells whether changes of files could cure a failure: prose that it doesn't name cures none."""
    return any(not file.lower().endswith(_PROSE) or not failure.isdisjoint(_stems([file])) for file in files)


def _stems(texts: Sequence[str]) -> set[str]:
    found = (word for text in texts for word in words(text.replace("_", " ")))
    return {_stem(word) for word in found if len(word) + word.isdigit() >= _SHORTEST and word not in _COMMON}


def _stem(word: str) -> str:
    return word[:-1] if len(word) <= _STEM and word.endswith("s") and not word.endswith("ss") else word[:_STEM]


def sentences(text: str) -> list[str]:
    """Splits the assistant's text into sentences. A semicolon does not end one."""
    return _SENTENCE.split(text)


def explained(reasoning: str, proven: bool = False, about: _Subject = _ANYTHING) -> str:
    """Returns one or two sentences that name a cause and its fix, "" if there are none without doubt, or if they are
    about something else. Directly after the proof, a cause or a fix alone is enough.
    """
    said = _statements(reasoning)
    for count in (1, 2):
        for place in range(len(said) - count + 1):
            text = " ".join(said[place : place + count])
            causes, cures = bool(_CAUSE.search(text)), bool(_CURE.search(text))
            if _is_sure(text) and causes and cures and (_CURED.search(text) or about.has(text)):
                return _clean(text)
    first = " ".join(said[:2])
    if (
        proven
        and said
        and _is_sure(first)
        and not _REMARK.match(first)
        and (about.has(first) or _ROOT_CAUSE.match(said[0]) or _CURED.search(reasoning.partition(said[0])[0]))
    ):
        return _clean(first) if _CAUSE.search(first) or _tells_change(first) else ""
    return ""


def _tells_change(text: str) -> bool:
    """Tells whether words name what was changed, and not only what something does."""
    return any(not _DOES.fullmatch(found[0]) for found in _CURE.finditer(text))


def _cause(reasoning: str, about: _Subject, outright: bool = False) -> str:
    """Returns the last sentence that names a cause for sure, "" if none does. `outright`: it must be told as the cause,
    not as anything that may be one.
    """
    found, is_announced = "", False
    for line in _lines(reasoning):
        text = _FOUND.sub("", line, count=1)
        is_cause = is_announced or text != line or _FAILS_BY.search(text) is not None
        names = _NAMED_CAUSE.search(text) or (is_cause and _FAILS_BY.search(text))
        if (
            _is_long(text)
            and _is_sure(text)
            and names
            and not _VAGUE.search(text)
            and about.has(text, is_cause)
            and (is_cause or not outright)
        ):
            found = _clean(text)
        is_announced = text != line and not _is_long(text)
    return found


def _statements(reasoning: str) -> list[str]:
    """Returns the sentences that may explain something, not those of three words."""
    return [line for line in _lines(reasoning) if _is_long(line)]


def _lines(reasoning: str) -> list[str]:
    """Returns the sentences without chatter and plans, but for the items of a list."""
    lines = (line for line in sentences(reasoning) if not _ITEM.match(line) or _LABELLED.match(line))
    return [_PLAN.sub("", _CHATTER.sub("", line.strip(" *#-"))) for line in lines]


def _is_long(text: str) -> bool:
    return len(text.split()) > 3


def _is_sure(text: str) -> bool:
    return len(text) <= PASSAGE_CHARS and not _OPEN.search(text) and "[…]" not in text


def _clean(text: str) -> str:
    text = text.replace("**", "").rstrip(" .!,;:")
    return text[:1].upper() + text[1:]
