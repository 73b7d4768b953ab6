"""Finds what a session proved: a check failed, a change was made, the same check passed, and the assistant said why. An
explanation before the check passes is only a hypothesis.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..claude_code.observation import FAILED, OK, SHELLS, UNKNOWN, Observation, only_shows
from ..lib.limits import ERROR_LINES, PASSAGE_CHARS
from ..lib.pattern import Pattern
from ..shell.parse import program, started

SOLUTION_ROWS = 4  # observations after a passing check in which its explanation is searched

USER = "user"  # the tool of an observation with the user's own verdict on a fix
EDITS = frozenset(("Edit", "Write", "MultiEdit", "NotebookEdit"))

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
    r"rejects|(?:crash|failure|hang|leak) was)\b",
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
    r"have to)\b|you (?:can|should)\b|want me to|unsure|not sure|in case|for now|workaround)\b",
    re.IGNORECASE,
)
_SENTENCE = Pattern(r"(?<=[.!])\s+(?=[A-Z`\"'(*-])|\n+")
_CHATTER = Pattern(
    r"^(?:(?:done|great|perfect|excellent|ok(?:ay)?|good|nice|yes|fixed|all (?:\w+ )?(?:tests?|checks|"
    r"hooks)? ?pass(?:es|ed)?(?: now)?|"
    r"it (?:works|builds|passes)(?: now)?|there (?:it|we) (?:is|go)|confirmed|succeeded)\b[\s.:,!;*-]*)+",
    re.IGNORECASE,
)
_SETTING = Pattern(
    r"^\s*(?:(?:cd|pushd|popd|export|unset|source|\.|sleep|exit)(?:\s.*)?|set\s+[-+].*|true|false|:|done|fi|esac|[{}()]|#.*)\s*$"
)
_QUOTED = Pattern(r"\"[^\"]*\"|'[^']*'")
_REDIRECT = Pattern(r"(?:\d|&)?>{1,2}(?:\s*[^\s&;|]+|&\d)|<\s*\S+")
_KEYWORD = Pattern(r"^(?:(?:do|then|else|if|elif|while|until|!)\s+|[({]\s*)+")
_ASSIGNMENT = Pattern(r"^\w+=\S*$")


@dataclass(frozen=True, slots=True)
class Solution:
    """An explanation of what fixed a failure, in the assistant's words, and the record that contains it. `files` were
    changed in between. `check` is the command that passes now, "" if the user confirmed the fix. `errors` are lines by
    which the failure can be recognised.
    """

    text: str
    record_uuid: str
    said_at: float
    files: tuple[str, ...]
    check: str
    errors: tuple[str, ...] = ()


def verdict(text: str) -> str:
    """Returns a prompt's verdict on a fix: OK if it says that the fix worked, FAILED if it did not,
    otherwise UNKNOWN.
    """
    start = text[:200]
    if _REFUTES.search(start):
        return FAILED
    return OK if _CONFIRMS.search(start) and "?" not in start else UNKNOWN


def check_of(command: str) -> str:
    """Returns a shell line's check: the last command's program and its first argument. Returns "" if the line only
    shows something.
    """
    if only_shows(command):
        return ""
    plain = _REDIRECT.sub(" ", _QUOTED.sub(_joined, command.replace("\\\n", " ")))
    lines = [_KEYWORD.sub("", part.partition("|")[0].strip()) for part in re.split(r"&&|\|\||;|\n", plain)]
    lines = [line for line in lines if line and not _SETTING.match(line) and not only_shows(line)]
    words = [word for word in lines[-1].split() if not _ASSIGNMENT.match(word)] if lines else []
    name, *rest = started([word.rstrip(")") for word in words if word.strip(")}")]) or [""]
    own = [word for word in rest if not word.startswith(("-", "&"))]
    return " ".join([program(name), *own[:1]])


def _joined(quoted: re.Match[str]) -> str:
    """Returns a quoted word, or "" if it has characters that would be split."""
    word = quoted.group()[1:-1]
    return word if re.fullmatch(r"[\w./:@=+-]+", word) else ""


def solutions(observed: Sequence[Observation]) -> Iterator[Solution]:
    """Yields the solutions that a session's observations, in order, prove: for each failure only the last one."""
    taken: set[str] = set()
    for failed, passed in _arcs(observed):
        said = _words(observed, failed, passed)
        if said is not None and said[0].record_uuid not in taken:
            taken.add(said[0].record_uuid)
            yield _solution(observed, failed, passed, *said)


def _solution(observed: Sequence[Observation], failed: int, passed: int, by: Observation, text: str) -> Solution:
    changed = [file for row in observed[failed:passed] if row.tool in EDITS and row.state == OK for file in row.files]
    check = "" if observed[passed].tool == USER else observed[passed].command
    met = [line for row in observed[failed:passed] if row.state == FAILED for line in row.error.split("\n") if line]
    errors = tuple(dict.fromkeys(met))[:ERROR_LINES]
    return Solution(text, by.record_uuid, by.observed_at, tuple(dict.fromkeys(changed)), check, errors)


def _arcs(observed: Sequence[Observation]) -> Iterator[tuple[int, int]]:
    """Yields (index of a check's last failure, index where it passed) for checks that passed after a change and did not
    fail again. Also yields (index where work began, index where the user said that it works).
    """
    failing: dict[str, int] = {}
    found: dict[str, tuple[int, int]] = {}
    for at, row in enumerate(observed):
        key = row.tool if row.tool == USER else check_of(row.command) if row.tool in SHELLS else ""
        if not key or row.state == UNKNOWN:
            continue
        if key == USER:
            _by_user(observed, at, found)
        elif row.state == FAILED:
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
    """Tells whether anything was changed between the first and the last of these runs that could explain a
    new result.
    """
    first, *between, last = rows
    done = (row.tool in EDITS or (row.tool in SHELLS and check_of(row.command)) for row in between if row.state == OK)
    return first.command != last.command or any(done)


def _words(observed: Sequence[Observation], failed: int, passed: int) -> tuple[Observation, str] | None:
    """Returns the explanation of a fix and its observation: one after the check passed, otherwise the last one before.
    A guess does not count.
    """
    for row in observed[passed + 1 : passed + 1 + SOLUTION_ROWS]:
        if row.tool == USER or (row.tool in SHELLS and row.state == FAILED):
            break
        if text := explained(row.reasoning, proven=observed[passed].tool != USER):
            return row, text
    for row in reversed(observed[failed + 1 : passed + 1]):
        if text := explained(row.reasoning):
            return row, text
        if row.reasoning and observed[passed].tool == USER:
            break  # the user's verdict is about the last thing said
    return None


def sentences(text: str) -> list[str]:
    """Splits the assistant's text into sentences. A semicolon does not end one."""
    return _SENTENCE.split(text)


def explained(reasoning: str, proven: bool = False) -> str:
    """Returns one or two sentences that name a cause and its fix, "" if there are none without doubt. Directly after
    the proof, a cause or a fix alone is enough.
    """
    said = [_CHATTER.sub("", line.strip(" *#-")) for line in sentences(reasoning)]
    said = [line for line in said if len(line.split()) > 3]
    for count in (1, 2):
        for place in range(len(said) - count + 1):
            text = " ".join(said[place : place + count])
            causes, cures = bool(_CAUSE.search(text)), bool(_CURE.search(text))
            sure = len(text) <= PASSAGE_CHARS and not _OPEN.search(text) and "[…]" not in text
            if sure and causes and cures:
                return _clean(text)
    first = " ".join(said[:2])
    if proven and said and len(first) <= PASSAGE_CHARS and not _OPEN.search(first) and "[…]" not in first:
        return _clean(first) if _CAUSE.search(first) or _CURE.search(first) else ""
    return ""


def _clean(text: str) -> str:
    text = text.replace("**", "").rstrip(" .!,;:")
    return text[0].upper() + text[1:]
