"""Recalls the rules that a shell command is about to break: preferences, decisions, conventions. The command is not
blocked. Hot.
"""

from __future__ import annotations

from ..language.tool_families import rivals_of
from ..lib.limits import QUERY_TERMS
from ..lib.text import STOP_WORDS, words
from ..model import render
from ..model.memory import RULES
from ..shell.command import Doing
from ..shell.parse import commands
from ..shell.violations import breaks
from .find import forms
from .moment import Recalled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..model.memory import StoredMemory
    from .moment import Moment

COMMAND_LIMIT = 2  # memories for one command
COMMAND_CHARS = 300  # characters of each
COMMAND_FOUND = 40  # candidates, the best by words
COMMAND_WORDS = 12  # words of a command that are searched for
COMMAND_SESSION_CHARS = 2_000  # characters for all commands of a session: as for prompts


def at_command(moment: Moment, line: str) -> Recalled:
    """Returns the memories that a shell line is about to break."""
    doing = [Doing(one) for one in commands(line, moment.folder) if not one.only_shows]
    if not doing or moment.is_spent(COMMAND_SESSION_CHARS):
        return Recalled()
    chosen = moment.untold(_broken(moment, doing))[:COMMAND_LIMIT]
    lines = moment.lines(chosen, COMMAND_CHARS)
    text = render.notes(lines, "before this command runs") if lines else ""
    shown = zip([memory.id for memory in chosen], map(len, lines))  # noqa: B905  strict= needs Python 3.10
    return Recalled(text, shown)


def _broken(moment: Moment, doing: list[Doing]) -> list[StoredMemory]:
    """Returns the memories that the commands break, the surest first."""
    matches = moment.matches()
    spoken = _spoken(doing)
    asked = matches.rarest(list(map(forms, spoken)), QUERY_TERMS)
    if not asked:
        return []
    matches.by_words(asked)
    found = matches.taken(COMMAND_FOUND)
    elsewhere = moment.elsewhere(found)
    sure = []
    for memory in found:
        if memory.kind == "summary" or memory.outdated or memory.id in elsewhere:
            continue
        broken = [breaks(memory.content, one, memory.group in RULES) for one in doing]
        if min(broken) >= 0 < max(broken):
            sure.append((max(broken), memory))
    sure.sort(key=lambda pair: (-pair[0], -pair[1].relevance, -pair[1].seq))
    return [memory for _, memory in sure]


def _spoken(doing: list[Doing]) -> list[str]:
    """Returns words; a memory about these commands contains at least one of them."""
    found: list[str] = []
    for one in doing:
        names = [one.runner, one.program]
        found += [*names, *sorted(one.tasks), *(rival for name in names for rival in rivals_of(name))]
        found += [part for word in one.text.split()[1:COMMAND_WORDS] for part in words(word)]
    found = [" ".join(words(word)) for word in found]  # a program's name may contain anything, even quotes or NUL
    return [word for word in dict.fromkeys(found) if len(word) > 1 and word not in STOP_WORDS]
