"""Writes the onboarding offer for the model, and turns answers into memories. Hot module."""

from __future__ import annotations

from ..lib.text import one_line

# For each topic: the beginning of its memory, and its kind.
TOPICS = {
    "role": ("The user's role", "fact"),
    "stack": ("The user's tech stack", "fact"),
    "goals": ("The user's goals", "fact"),
    "conventions": ("The user's conventions", "preference"),
}
_OFFER = (
    "Onboarding: Keepstone knows nothing yet. Do the user's task first, all of it. Then make this offer, once, in a "
    "few "
    "words, and take any answer:\n"
)
_ARCHIVE = (
    "- say first that what is said in sessions is kept on this machine, without secrets, to be searched: for %s days, "
    "some 1.2 kB a turn; `keepstone config archive_days 0` turns that off\n"
)
_LEARN = "- learn from the %s, here on this machine and at no cost: `keepstone onboard --learn`\n"
_ASK = (
    "- remember role, tech stack, goals and conventions (ask for all four in one message; each may be left out): "
    "`keepstone onboard --role '...' --stack '...' --goals '...' --conventions '...'`, with `--profile` only if the "
    "user "
    "wants them in ~/.claude/CLAUDE.md too\n"
    "- say that a model finds more in sessions than this machine does for free: `keepstone onboard`, typed in a "
    "terminal, tells what it would take and asks\n"
    "If the user says no: `keepstone onboard --no`, and it is never offered again.\n"
)


def offer(sessions: int, archive_days: int) -> str:
    """Returns the onboarding offer, to be made after the user's task. `sessions` is the number of past sessions that
    can be learned from, `archive_days` the setting.
    """
    found = "1 past session found" if sessions == 1 else str(sessions) + " past sessions found"
    kept = _ARCHIVE % archive_days if archive_days else ""
    return _OFFER + kept + (_LEARN % found if sessions else "") + _ASK


def line(content: str) -> str:
    """Returns an answer's memory as a line of the user's own profile."""
    said = one_line(content).removeprefix("The user's ").replace("<!--", "&lt;!--")
    return said[:1].upper() + said[1:]


def sentence(topic: str, answer: str) -> str:
    """Returns an answer as the text of a memory that can be understood alone."""
    return TOPICS[topic][0] + ": " + answer
