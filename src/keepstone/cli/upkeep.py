"""The commands for looking after Keepstone: what it holds, whether it is well, and its work by hand."""

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
from ..model.memory import GROUPS, group_of
from . import output
from .everyday import json_option, project_option

if TYPE_CHECKING:
    from ..api.types import Explained, Ingested, Named, Scrubbed, Sources, Spending, Status, Week

INGEST_RATE = 10_000_000.0  # bytes a second, for an estimate; in MB/s: talk 1, mixed 23, tool output 100

NAMED = 3  # files that are left out, by name; the others are counted
PROJECTS = "keepstone capture ~/.claude/projects/FOLDER/SESSION.jsonl"


@click.command()
@click.option("--all", "everything", is_flag=True, help="Every project, not only this one.")
@project_option
@json_option
def status(everything: bool, project: str, as_json: bool) -> None:
    """What Keepstone knows here, and what waits."""
    now = opened(project).maintenance.status(everything=everything)
    if as_json:
        output.objects(asdict(now))
        return
    where = "in every project" if now.everything else f"in {now.project or 'sessions outside any project'}"
    more = f" ({now.elsewhere:,} more elsewhere)" if now.elsewhere else ""
    output.lines(f"{output.counted(now.memories, 'memory', 'memories')} {where}{more}")
    counts = dict.fromkeys(GROUPS, 0)
    for kind, count in now.kinds.items():
        counts[group_of(kind)] += count
    for group, (icon, heading) in GROUPS.items():
        click.echo(f"  {icon} {heading:<12} {counts[group]:>6,}")
    click.echo(f"Learned last from a session: {now.last_captured_at or 'never'}")
    output.lines("\n".join(_extractor(now.extractor, asdict(now.spending))))
    output.lines("\n".join(_place(now)))


def _as_whom(now: Status) -> str:
    return f"; you are {now.user}, in the workspace {now.workspace}" if now.user else ""


def _place(now: Status) -> Iterator[str]:
    """What waits, and where all this is."""
    if now.waiting:
        yield f"Waiting in the spool: {now.waiting}. `keepstone work --wait` returns when that is done."
    if now.aside:
        yield f"Failed too often: {now.aside}. `keepstone doctor` says more."
    if now.off:
        yield "Keepstone is turned off here: nothing is injected or captured. `keepstone config off` says where."
    if now.captures:
        yield f"Python: {now.python}"
    else:
        yield "Nothing is learned yet: Keepstone's packages are not there. `keepstone bootstrap` installs them."
    yield f"Data: {now.home} ({now.database_bytes / 1e6:.1f} MB)"
    if now.server:
        yield f"Server: {now.server} (all of the above is there{_as_whom(now)})"
    if now.unsent:
        yield f"Kept here for it: {_memories(now.unsent)}. `keepstone work` sends what is kept."


def _extractor(name: str, today: dict[str, Any]) -> Iterator[str]:
    """The extractor, and what paid ones took today: also before somebody went back to the rules."""
    if not today["model"]:
        yield f"Extractor: {name}, no cost"
        if not today["calls"]:
            return
    else:
        yield f"Extractor: {name}, model {today['model']}"
    calls = f"{today['calls']:,} of {today['calls_cap']:,} calls"
    yield f"  Today: {calls}, {today['tokens']:,} of {today['tokens_cap']:,} tokens{_cost(today)}"
    if today["model"] and today["cap_reached"]:
        yield "  Cap reached: rules do the work until 00:00 UTC."
    if today["problem"]:
        failures = output.counted(today["failures"], "failure", "failures")
        yield f"  {failures} today, the last at {today['problem_at']}: {today['problem']}"


def _cost(today: dict[str, Any]) -> str:
    if not today["calls"]:
        return ""
    if today["uncosted"] == today["calls"]:
        return ", cost unknown"
    more = f" and {output.counted(today['uncosted'], 'call', 'calls')} of unknown cost" if today["uncosted"] else ""
    return f", about ${today['cost_usd']:.4f}{more}"


@click.command()
@click.option("--all", "everything", is_flag=True, help="Every project, not only this one.")
@project_option
@json_option
def week(everything: bool, project: str, as_json: bool) -> None:
    """What the last seven days' sessions were shown, used, corrected and learned."""
    found = opened(project).maintenance.week(everything=everything)
    if as_json:
        output.objects(asdict(found))
        return
    where = "every project" if found.everything else found.project or "sessions outside any project"
    output.lines(f"The last {found.days} days in {where}, since {found.since[:10]}")
    for line in _nothing(found) if found.empty else _week(found):
        output.lines(line, indent="  " if line.startswith("- ") else "")


def _nothing(found: Week) -> Iterator[str]:
    yield "Nothing yet: no memory was shown to a session, corrected or learned."
    if not found.everything:
        yield "Other projects: keepstone week --all"
    yield "`keepstone status` shows what Keepstone knows, `keepstone ingest` learns from past sessions."


def _week(found: Week) -> Iterator[str]:
    shown = f"{_memories(found.shown)}, {output.counted(found.deliveries, 'time', 'times')}"
    yield f"Shown         {shown} in {output.counted(found.sessions, 'session', 'sessions')}"
    yield f"Used          {_memories(found.used)}, {output.counted(found.used_deliveries, 'time', 'times')}"
    yield from map(_named, found.most_used)
    yield f"Contradicted  {_memories(found.contradicted)}"
    yield from map(_named, found.most_contradicted)
    ways = {"superseded": found.superseded, "revised": found.revised, "rated outdated": found.outdated}
    yield f"Corrected     {_memories(found.corrected)}{_listed(ways)}"
    groups = {GROUPS[group][1]: count for group, count in found.learned.items()}
    yield f"Learned       {_memories(sum(groups.values()))}{_listed(groups)}"
    if found.unjudged:
        yield f"Not judged yet: {found.unjudged:,} of {found.deliveries:,}, of sessions that were not captured since."
    if found.deliveries:
        yield "Used is what a transcript proves: an id cited, a command run, advice taken after a correction."


def _memories(count: int) -> str:
    return output.counted(count, "memory", "memories")


def _named(one: Named) -> str:
    more = f", {one.sessions:,} sessions" if one.sessions > 1 else ""
    return f"- {one_line(one.says)} ({one.short_id}{more})"


def _listed(counts: dict[str, int]) -> str:
    """`: revised 2, rated outdated 1`, or nothing."""
    said = ", ".join(f"{name} {count:,}" for name, count in counts.items() if count)
    return f": {said}" if said else ""


def _need_transcript(path: str, unread: bool) -> None:
    if unread:
        raise KeepstoneError(f"{path} is no transcript of Claude Code: no line of it could be read", PROJECTS)


def _explained(found: Explained, as_json: bool) -> None:
    if as_json:
        output.objects(asdict(found))
        return
    for number, (at, judged) in enumerate(found.turns, start=1):
        output.lines(f"Prompt {number}, {at or 'undated'}")
        for one in judged:
            became = f"unsure {one.kind}" if one.unsure else one.kind or "passed over"
            output.lines(f"{became}: {clip(one_line(one.text), LINE_CHARS)}", indent="  ")
            output.lines(one.why, indent="      ")
    for one in found.proven:
        output.lines(f"Proven: {one.text}")
        output.lines(one.why, indent="      ")
    read = output.counted(found.others, "turn", "turns")
    click.echo(f"{read} of Claude and its tools read: their words count only where something proves them.")
    click.echo(f"A score lies in 0..1, and from {KEEP_SCORE:.2f} on it is kept (more beside a pasted text).")
    click.echo("What is unsure lives for its session, is recalled nowhere, and becomes a memory if it is said again.")


@click.command()
@click.argument("transcript", type=click.Path())
@click.option("--explain", is_flag=True, help="Only show what the rules would keep of each turn, and why.")
@json_option
def capture(transcript: str, explain: bool, as_json: bool) -> None:
    """Learn from one transcript now; when it returns, the memories are there."""
    memory = opened()
    if explain:
        found = memory.capture.explain(transcript)
        _need_transcript(transcript, found.skipped > 0 and not found.turns and not found.others)
        _explained(found, as_json)
        return
    report = memory.capture.capture(transcript)
    _need_transcript(transcript, report.skipped > 0 and not report.turns and not report.passed)
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
    if done.agents:
        yield f"Left out: {output.counted(done.agents, 'file', 'files')} of sub-agents, whose prompts nobody typed."
    if done.off:
        yield f"Left out: {output.counted(done.off, 'session', 'sessions')} in which Keepstone is or was turned off."
    for paths, why in ((done.others, "no transcript"), (done.unreadable, "unreadable")):
        if paths:
            more = ", ..." if len(paths) > NAMED else ""
            names = ", ".join(map(one_line, paths[:NAMED]))
            yield f"Left out: {output.counted(len(paths), 'file', 'files')}, {why}: {names}{more}"
    if everywhere and not (done.sessions or done.unchanged):
        yield f"No past sessions in {everywhere}. Try: keepstone ingest FOLDER"
    elif done.new:
        yield "Look at them: keepstone recent --all"
    elif done.sessions:
        yield (
            "The offline rules take explicit statements in English. `keepstone config` shows which extractors find "
            "more."
        )


@click.command()
@click.option("--wait", is_flag=True, help="Also wait for a worker that is at it already.")
@click.option("--retry", is_flag=True, help="Try jobs again that failed too often.")
@json_option
def work(wait: bool, retry: bool, as_json: bool) -> None:
    """Do now what waits in the spool."""
    worked = opened().maintenance.work(wait=wait, retry=retry)
    if as_json:
        output.objects(None if worked is None else asdict(worked))
    elif worked is None:
        click.echo("Another worker is at it. `keepstone work --wait` waits for it.")
    else:
        jobs = output.counted(worked.done, "job", "jobs")
        click.echo(f"{jobs} done, {worked.waiting} waiting, {worked.set_aside} set aside.")
        if worked.sent or worked.unsent or worked.unsent_why:
            why = f": {worked.unsent_why}" if worked.unsent_why else ""
            output.lines(f"{_memories(worked.sent)} sent to the server, {worked.unsent} still kept for it{why}.")


@click.command()
@click.option("--dry-run", is_flag=True, help="Only count what would be redacted.")
@json_option
def scrub(dry_run: bool, as_json: bool) -> None:
    """Redact what was stored before: memories, observations, logs, jobs and backups.

    Secrets are left out before anything is written; this takes out what an earlier version did not know for one.
    """
    done = opened().privacy.scrub(dry_run=dry_run)
    if as_json:
        output.objects(asdict(done))
    else:
        output.lines(_scrubbed(done))
    for problem in done.problems:
        click.echo(f"Not done: {one_line(problem)}", err=True)
    if done.problems:
        raise click.exceptions.Exit(1)


def _scrubbed(done: Scrubbed) -> str:
    if not done.found:
        return "Nothing to redact: no memory, observation, log, job or backup holds a known secret."
    parts = (
        output.counted(done.memories, "memory", "memories"),
        output.counted(done.rows, "note or observation", "notes and observations"),
        output.counted(done.files, "log or job", "logs and jobs"),
    )
    copies = output.counted(done.backups, "backup", "backups")
    if done.dry_run:
        return f"Would redact {', '.join(parts)} and replace {copies}. `keepstone scrub` does it."
    return f"Redacted {', '.join(parts)}; replaced {copies}. `keepstone show ID` says where something was taken out."


COMMANDS = (status, week, capture, observe, ingest, work, scrub)
