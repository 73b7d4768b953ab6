"""The ways by which words reach a session, and what comes of each: the real clients and what they have recorded are
tested against this table, and docs/channels.md is made of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from keepstone.model.candidate import CHOSEN, PROGRAM
from keepstone.model.hit import METHOD_LABELS

RECORDED = Path(__file__).resolve().parent / "data" / "channels"
USER = "user"
_KNOWN = """
SELECT m.content, m.trust, e.method FROM memory m LEFT JOIN evidence e ON e.memory_id = m.id WHERE m.status = 'active'
UNION ALL SELECT text, 'suggested', method FROM suggestion WHERE state = 'waiting'
"""
WAITS = {"quarantined": "waits for review", "suggested": "waits as a suggestion"}
OLDEST = "2.1.197"


@dataclass(frozen=True, slots=True)
class Channel:
    """A way, what is said by it, and the texts that it leaves: those that are `learned`, and those that wait, with
    their state. `method` is the speaker in the evidence, of which each text has one. `oldest` is learned with the
    oldest client alone.
    """

    name: str
    way: str
    said: str
    learned: tuple[str, ...] = ()
    note: str = ""
    method: str = USER
    waits: tuple[tuple[str, str], ...] = ()
    oldest: tuple[str, ...] = ()

    def leaves(self, version: str) -> list[tuple[object, ...]]:
        """What a client of this version leaves: (text, state, method)."""
        learned = self.learned + (self.oldest if version == OLDEST else ())
        return [(text, state, self.method) for text, state in (*((one, "trusted") for one in learned), *self.waits)]

    @property
    def outcome(self) -> str:
        """What the table says of it."""
        said = METHOD_LABELS[self.method] if self.method != USER else ""
        remarks = "; ".join(filter(None, (said, self.note)))
        waits = [f"{WAITS[state]}: {text}" for text, state in self.waits]
        heard, *more = [*filter(None, ["; ".join(self.learned)]), *waits] or ["nothing"]
        more += [f"with {OLDEST}, which does not: {text}" for text in self.oldest]
        return "; ".join([f"{heard} ({remarks})" if remarks else heard, *more])


ANSWERS = (
    Channel(
        "option",
        "an option of Claude's question, chosen",
        "Which database should the billing service use? PostgreSQL",
        ("The billing service should use PostgreSQL",),
        method=CHOSEN,
    ),
    Channel(
        "own-words",
        "words of one's own, in place of an option",
        "Always prefix commits with the ticket number",
        ("Always prefix commits with the ticket number",),
    ),
    Channel(
        "several-questions",
        "several questions at once",
        "Which test runner should the web package use? Vitest; Where should the docs be hosted? Our own server",
        ("The web package should use Vitest", "Where should the docs be hosted? Our own server"),
        "each with its own question",
        CHOSEN,
    ),
    Channel(
        "denial",
        "the reason for denying a call",
        "We never use npm here, always use pnpm",
        ("We never use npm here, always use pnpm",),
        "the evidence names the call",
    ),
    Channel(
        "queued",
        "a prompt typed while Claude works",
        "We deploy with Terraform only, never by hand.",
        ("We deploy with Terraform only, never by hand",),
    ),
    Channel("image", "a line behind an image", "[Image #1] We never ship on Fridays.", ("We never ship on Fridays",)),
    Channel(
        "paste",
        "a text pasted into a prompt",
        "Never push to main.",
        note="nobody knows whose words these are, and the client marks them",
        oldest=("Never push to main",),
    ),
    Channel(
        "shell-comment",
        "a shell line with a comment (`!`)",
        "!echo hi # releases are always cut from the trunk branch",
        ("Releases are always cut from the trunk branch",),
    ),
    Channel("note", "a note (`#`)", "# always use tabs in Makefiles", ("Always use tabs in Makefiles",)),
)
PLANS = (
    Channel(
        "plan-approved",
        "a plan, approved",
        "- We always use DuckDB for reports, never Spark",
        ("We always use DuckDB for reports, never Spark",),
        "Claude's words",
        CHOSEN,
        (("Add an index to the invoices table", "suggested"),),
    ),
    Channel(
        "plan-refused",
        "a plan, refused with words",
        "We never use an ORM in billing",
        ("We never use an ORM in billing",),
        "and nothing of the plan",
    ),
)
TAKEN_BACK, INSTEAD = (
    Channel(
        "taken-back",
        "a prompt that was taken back (Esc, Esc)",
        "Our staging host is stage7.example.com, use port 8080.",
    ),
    Channel(
        "instead",
        "the prompt sent in its place",
        "Our staging host is stage9.example.com, use port 9090.",
        ("Our staging host is stage9.example.com, use port 9090",),
    ),
)
BEFORE = Channel(
    "before",
    "a prompt",
    "We always build with Bazel, never with Make.",
    ("We always build with Bazel, never with Make",),
)
_NOT_AGAIN = "what was said before is not said again"
COURSE = (
    Channel(
        "cleared",
        "after `/clear`",
        "We always store prices as integers of cents.",
        ("We always store prices as integers of cents",),
        _NOT_AGAIN,
    ),
    Channel(
        "continued",
        "after `claude --continue`",
        "We always squash commits before a merge.",
        ("We always squash commits before a merge",),
        _NOT_AGAIN,
    ),
    Channel(
        "resumed",
        "after `claude --resume ID`",
        "We never rebase the main branch.",
        ("We never rebase the main branch",),
        _NOT_AGAIN,
    ),
    Channel(
        "forked",
        "after `claude --continue --fork-session`",
        "We always write release notes in German.",
        ("We always write release notes in German",),
        _NOT_AGAIN,
    ),
)
KILLED = Channel(
    "killed",
    "in a session killed in the middle of its first turn (kill -9)",
    "We never keep logs longer than 30 days.",
    ("We never keep logs longer than 30 days",),
    "at the next start",
)
BY_PROGRAM = Channel(
    "program",
    "the prompt of a program (`claude -p`)",
    "We require tests for every change and we never accept new dependencies.",
    method=PROGRAM,
    waits=(("We require tests for every change, and we never accept new dependencies", "quarantined"),),
)
OTHERS = (
    Channel(
        "agent",
        "the prompt of a sub-agent",
        "We always get two approvals for a release, never one.",
        (),
        "Claude's words",
    ),
    Channel(
        "background",
        "the notice that a task in the background has ended, by what Claude called it",
        "We always use the purple cluster for builds, never the red one.",
    ),
)
CHANNELS = (BEFORE, *ANSWERS, *PLANS, TAKEN_BACK, INSTEAD, *COURSE, KILLED, BY_PROGRAM, *OTHERS)
# The sessions that are recorded of each client, a channel in each, but where one needs another.
ALONE = {
    **{one.name: (one,) for one in (BEFORE, *ANSWERS, *PLANS, KILLED, BY_PROGRAM, *OTHERS)},
    TAKEN_BACK.name: (TAKEN_BACK, INSTEAD),
    **{one.name: (BEFORE, one) for one in COURSE},
}


def expected(version: str, *channels: Channel) -> list[tuple[object, ...]]:
    """What is known, and what waits, when all of these have been heard once by a client of this version."""
    return sorted(left for one in channels for left in one.leaves(version))


def known(sql: Callable[[str], list[tuple[object, ...]]]) -> list[tuple[object, ...]]:
    """All that a database holds or that waits in it, whoever said it: (text, state, method) for each evidence."""
    return sorted(sql(_KNOWN))


def table() -> str:
    """Returns the table of docs/channels.md."""
    rows = ["| by | said | learned |", "| --- | --- | --- |"]
    rows += [f"| {one.way} | {one.said} | {one.outcome} |" for one in CHANNELS]
    return "\n".join(rows) + "\n"
