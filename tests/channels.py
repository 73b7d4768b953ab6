"""The ways by which words reach a session, and what is learned of each: the real clients are tested against this table,
and docs/channels.md is made of it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Channel:
    """A way, what is said by it, and the memories that it makes: their texts."""

    way: str
    said: str
    learned: tuple[str, ...] = ()
    note: str = ""


ANSWERS = (
    Channel(
        "an option of Claude's question, chosen",
        "Which database should the billing service use? PostgreSQL",
        ("The billing service should use PostgreSQL",),
        "chosen by the user",
    ),
    Channel(
        "words of one's own, in place of an option",
        "Always prefix commits with the ticket number",
        ("Always prefix commits with the ticket number",),
    ),
    Channel(
        "several questions at once",
        "Which test runner should the web package use? Vitest; Where should the docs be hosted? Our own server",
        ("The web package should use Vitest", "Where should the docs be hosted? Our own server"),
        "each with its own question",
    ),
    Channel(
        "the reason for denying a call",
        "We never use npm here, always use pnpm",
        ("We never use npm here, always use pnpm",),
        "the evidence names the call",
    ),
    Channel(
        "a prompt typed while Claude works",
        "We deploy with Terraform only, never by hand.",
        ("We deploy with Terraform only, never by hand",),
    ),
    Channel("a line behind an image", "[Image #1] We never ship on Fridays.", ("We never ship on Fridays",)),
    Channel("a text pasted into a prompt", "We always use gadget 3.", (), "nobody knows whose words these are"),
    Channel(
        "a shell line with a comment (`!`)",
        "!echo hi # releases are always cut from the trunk branch",
        ("Releases are always cut from the trunk branch",),
    ),
    Channel("a note (`#`)", "# always use tabs in Makefiles", ("Always use tabs in Makefiles",)),
)
PLANS = (
    Channel(
        "a plan, approved",
        "- We always use DuckDB for reports, never Spark",
        ("We always use DuckDB for reports, never Spark",),
        "Claude's words, chosen by the user",
    ),
    Channel(
        "a plan, refused with words",
        "We never use an ORM in billing",
        ("We never use an ORM in billing",),
        "and nothing of the plan",
    ),
)
COURSE = (
    Channel("a prompt that was taken back (Esc, Esc)", "Our staging host is stage7.example.com, use port 8080."),
    Channel(
        "the prompt sent in its place",
        "Our staging host is stage9.example.com, use port 9090.",
        ("Our staging host is stage9.example.com, use port 9090",),
    ),
    Channel(
        "after `/clear`",
        "We always build with Bazel, never with Make.",
        ("We always build with Bazel, never with Make",),
    ),
    Channel(
        "after `claude --continue`",
        "We always squash commits before a merge.",
        ("We always squash commits before a merge",),
        "what was said before is not said again",
    ),
    Channel(
        "after `claude --continue --fork-session`",
        "We always write release notes in German.",
        ("We always write release notes in German",),
        "what was said before is not said again",
    ),
    Channel(
        "in a session killed in the middle of a turn (kill -9)",
        "We never keep logs longer than 30 days.",
        ("We never keep logs longer than 30 days",),
        "at the next start",
    ),
)
OTHERS = (
    Channel("the prompt of a sub-agent", "We always get two approvals for a release, never one.", (), "Claude's words"),
    Channel(
        "the output of a task in the background", "We always use the purple cluster for builds, never the red one."
    ),
)


def table() -> str:
    """Returns the table of docs/channels.md."""
    rows = ["| by | said | learned |", "| --- | --- | --- |"]
    for one in (*ANSWERS, *PLANS, *COURSE, *OTHERS):
        learned = "; ".join(one.learned) or "nothing"
        rows.append(f"| {one.way} | {one.said} | {learned}{f' ({one.note})' if one.note else ''} |")
    return "\n".join(rows) + "\n"
