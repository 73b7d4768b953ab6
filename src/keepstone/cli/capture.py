"""The commands that learn from sessions: capture, observe, ingest."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from ..api.open import opened
from ..capture.budget import cost
from ..claude_code.observation import STATES, UNKNOWN
from ..lib.errors import KeepstoneError
from ..lib.limits import ANSWER_TOKENS, KEEP_SCORE, LINE_CHARS, REQUEST_TOKENS, WINDOW_CHARS
from ..lib.text import clip, one_line
from ..model.hit import iso
from . import output
from .options import json_option, project_option

if TYPE_CHECKING:
    from ..api.types import Explained, Ingested, Judgement, Sources, Spending

INGEST_RATE = 2_200_000.0  # bytes a second, for an estimate: of five real sessions, 5.8 MB, on one core
NAMED = 3  # files that are left out, by name; the others are counted
PROJECTS = "keepstone capture ~/.claude/projects/FOLDER/SESSION.jsonl"


def _require_transcript(path: str, unread: bool) -> None:
    if unread:
        raise KeepstoneError(f"{path} is no transcript of Claude Code: no line of it could be read", PROJECTS)


def _explained(found: Explained, as_json: bool) -> None:
    if as_json:
        output.objects(_explained_object(found))
        return
    for number, turn in enumerate(found.turns, start=1):
        output.lines(f"Prompt {number}, {turn.at or 'undated'}")
        for one in turn.passages:
            became = f"suggested {one.kind}" if one.unsure else one.kind or "passed over"
            became = f"waits for review, {became}" if one.waits else became
            output.lines(f"{became}: {clip(one_line(one.text), LINE_CHARS)}", indent="  ")
            output.lines(one.why, indent="      ")
    for one in found.proven:
        output.lines(f"Proven: {one.text}")
        output.lines(one.why, indent="      ")
    read = output.counted(found.others, "turn", "turns")
    click.echo(f"{read} of Claude and its tools read: their words count only where something proves them.")
    click.echo(f"A score lies in 0..1, and from {KEEP_SCORE:.2f} on it is kept (more beside a pasted text).")
    click.echo("What is suggested is no memory: it waits 14 days for somebody's word, or to be said again.")


def _explained_object(found: Explained) -> dict[str, Any]:
    turns = [
        {"record_uuid": turn.record_uuid, "at": turn.at, "passages": list(map(_passage, turn.passages))}
        for turn in found.turns
    ]
    proven = list(map(_passage, found.proven))
    return {"turns": turns, "proven": proven, "others": found.others, "skipped": found.skipped}


def _passage(one: Judgement) -> dict[str, Any]:
    score = None if one.score is None else round(one.score, 3)
    return {
        "text": one.text,
        "kind": one.kind,
        "score": score,
        "outcome": one.outcome,
        "waits": one.waits,
        "why": one.why,
    }


@click.command()
@click.argument("transcript", type=click.Path())
@click.option("--explain", is_flag=True, help="Only show what of each turn is kept, suggested or dropped, and why.")
@json_option
def capture(transcript: str, explain: bool, as_json: bool) -> None:
    """Learn from one transcript now; when it returns, the memories are there.

    A transcript is Claude Code's record of a session: ~/.claude/projects/FOLDER/SESSION.jsonl.
    """
    memory = opened()
    if explain:
        found = memory.capture.explain(transcript)
        _require_transcript(transcript, found.skipped > 0 and not found.turns and not found.others)
        _explained(found, as_json)
        return
    report = memory.capture.capture(transcript)
    _require_transcript(transcript, report.skipped > 0 and not report.turns and not report.passed)
    if report.off:
        raise KeepstoneError(
            "Keepstone is turned off for this session's project, or was in this session", "keepstone config off"
        )
    if as_json:
        output.objects(asdict(report))
        return
    learned = output.counted(len(report.new), "memory", "memories")
    click.echo(f"{report.turns:,} new turns read: {learned} learned, {len(report.reinforced)} stated again.")
    output.memories(memory.get(report.new), as_json)
    if report.skipped:
        click.echo(f"{report.skipped:,} lines could not be read and were passed over.", err=True)


@click.command()
@click.option("--tool", default="", metavar="NAME", help="The tool that was used; without one, only the words count.")
@click.option("--command", "line", default="", metavar="TEXT", help="The command it ran.")
@click.option(
    "--state", default=UNKNOWN, metavar="STATE", show_default=True, help=f"How it ended: {', '.join(STATES)}."
)
@click.option("--file", "files", multiple=True, metavar="PATH", help="A file that it read or wrote; may be repeated.")
@click.option("--reasoning", default="", metavar="TEXT", help="What was said on why.")
@click.option("--session", default="", metavar="ID", help="The session; in Claude Code its own, unless you name one.")
@project_option
@json_option
def observe(
    tool: str,
    line: str,
    state: str,
    files: tuple[str, ...],
    reasoning: str,
    session: str,
    project: str,
    as_json: bool,
) -> None:
    """Note what another client's session did; Claude Code's tool calls are noted by themselves.

    An observation is no memory: it is redacted, and kept for a week at most.

    Example: keepstone observe --session 42 --tool Bash --command "make test" --state failed
    """
    made = opened(project).sessions.observe(
        tool, command=line, state=state, files=files, reasoning=reasoning, session=session
    )
    if as_json:
        output.objects(None if made is None else {**asdict(made), "observed_at": iso(made.observed_at)})
    elif made is None:
        click.echo("Not noted: what Keepstone itself does is no work of the session's.")
    else:
        output.lines(one_line(f"Noted: {made.tool} {made.command or made.reasoning} ({made.state})"))


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(), metavar="[PATH]...")
@json_option
def ingest(paths: tuple[str, ...], as_json: bool) -> None:
    """Learn from past sessions: from transcripts, folders of them, or all that Claude Code keeps.

    Newest first. It may be stopped at any time: a rerun goes on from there, and what was read before costs nothing.
    """
    memory = opened()
    spending = memory.maintenance.status().spending
    bar = output.Bar(not as_json)

    def begin(sources: Sources) -> None:
        if not as_json:
            output.lines(estimate(sources, spending))
        bar.begin(sources.left)

    started = time.monotonic()
    try:
        done = memory.capture.ingest(paths, begin=begin, watch=bar.move)
    except KeyboardInterrupt:
        bar.end()
        click.echo("Stopped. What was read is kept: `keepstone ingest` goes on from there.", err=True)
        raise
    finally:
        bar.end()
    seconds = time.monotonic() - started
    if as_json:
        output.objects({**asdict(done), "projects": len(done.projects), "seconds": round(seconds, 1)})
        return
    for line in _ingested(done, seconds, memory.capture.past_sessions if not paths else ""):
        output.lines(line)


def estimate(sources: Sources, spending: Spending) -> str:
    """How much there is to read, how long that takes about, and what it may cost."""
    count = output.counted(len(sources.files), "transcript", "transcripts")
    before = sources.size - sources.left
    known = f" ({output.size(before)} of it read before)" if before else ""
    sizes = f"{count}, {output.size(sources.size)}{known}"
    if not spending.model:
        return f"{sizes}: {output.duration(sources.left / INGEST_RATE)}, no cost."
    left = min(spending.calls_cap - spending.calls, (spending.tokens_cap - spending.tokens) // REQUEST_TOKENS)
    calls = max(0, min(left, -(-sources.left // WINDOW_CHARS)))
    each = cost(spending.model, REQUEST_TOKENS - ANSWER_TOKENS, ANSWER_TOKENS)
    dollars = "cost unknown" if each is None else f"${each * calls:.2f} at the very most"
    return f"{sizes}: up to {calls:,} calls of {spending.model} ({dollars}); the rules do the rest."


def _ingested(done: Ingested, seconds: float, everywhere: str) -> Iterator[str]:
    """The summary. `everywhere` is the folder of all past sessions, where no path was given."""
    sessions = output.counted(done.sessions, "session", "sessions")
    same = f" ({done.unchanged:,} with nothing new)" if done.unchanged else ""
    learned = output.counted(done.new, "memory", "memories")
    places = output.counted(len(done.projects), "project", "projects")
    learned += f" learned, {done.reinforced:,} stated again, in {places}"
    yield f"{sessions} read in {output.duration(seconds)}{same}: {learned}."
    yield from _left_out(done)
    if done.suggested:
        yield output.suggested(done.suggested, everything=True)
    if everywhere and not (done.sessions or done.unchanged):
        yield f"No past sessions in {everywhere}. Try: keepstone ingest FOLDER"
    elif done.new:
        yield "Look at them: keepstone recent --all"
    elif done.sessions:
        yield (
            "The offline rules take explicit statements in English. `keepstone config` shows which extractors find "
            "more."
        )


def _left_out(done: Ingested) -> Iterator[str]:
    if done.agents:
        yield f"Left out: {output.counted(done.agents, 'file', 'files')} of sub-agents, whose prompts nobody typed."
    if done.off:
        yield f"Left out: {output.counted(done.off, 'session', 'sessions')} in which Keepstone is or was turned off."
    for paths, why in ((done.others, "no transcript"), (done.unreadable, "unreadable")):
        if paths:
            more = ", ..." if len(paths) > NAMED else ""
            names = ", ".join(map(one_line, paths[:NAMED]))
            yield f"Left out: {output.counted(len(paths), 'file', 'files')}, {why}: {names}{more}"


COMMANDS: tuple[Any, ...] = (capture, observe, ingest)
