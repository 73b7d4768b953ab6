"""Concludes a session: its proven solutions, its summary, and the end of its working memories."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ..claude_code.observation import Observation, Use
from ..claude_code.session_names import names_of
from ..claude_code.steps import open_steps
from ..claude_code.transcript import TOOL_USE, Turn, parse
from ..claude_code.transcript_files import first_prompts, lines, reads_of, turns_of, unix, whose
from ..claude_code.untrusted import AGENTS, QUOTED_RUN, reads_outside
from ..db.writer import Writer
from ..language.facets import facets
from ..language.task_name import PROMPTS_READ, Task, task_of
from ..language.withdrawals import without_withdrawal
from ..lib.limits import RULES_CONFIDENCE, SUMMARY_RELEVANCE
from ..lib.text import clean, clip, one_line, words
from ..lifecycle.add_sql import Origin
from ..model.candidate import Candidate
from ..model.render import path_word
from ..model.trust import suspicion
from . import observations_sql
from .by_program import Programs
from .proven_solutions import Solution, sentences, solutions
from .session_summary import summary

SOLUTION_RELEVANCE = 0.75  # important: the fix of a failure
SOLUTION_CONFIDENCE = 0.75  # the assistant's words, proven by a check: below the user's own

NAME_CHARS = 140  # of what the client calls a session: its summary shows as much of a request

# How far a session is. It continues after a compaction, and may continue after its transcript was read by hand.
COMPACTED, READ, ENDED = "compacted", "read", "ended"

PASTED = "a text that was pasted"  # replaces a prompt without words of the user's own

Accept = Callable[[Candidate], Candidate | None]
# Commits a session's solutions and summary, and whether it has ended. Returns the ids of new memories.
Commit = Callable[[Origin, list[Candidate], Candidate | None, bool, float], list[str]]


def conclude(
    writer: Writer,
    path: str,
    origin: Origin,
    stage: str,
    redact: Callable[[str], str],
    accept: Accept,
    commit: Commit,
    now: float,
    programs: Programs,
) -> list[str]:
    """Concludes a session. Returns the ids of new memories. Repeating it changes nothing; if the session has grown, its
    summary is renewed. What is quoted of the transcript is redacted before it is quoted, and again by `accept`.
    `programs` tells what is learned where a program ran the session.
    """
    session_id = origin.session_id or ""
    with writer.transaction() as tx:
        observed = observations_sql.observations(tx, session_id)
    outside_from = _outside_from(path) if observed else math.inf
    proven = [] if stage == COMPACTED else solutions(observed)
    others_from = min(outside_from, _others_from(path)) if proven else math.inf
    found = [_solved(observed, solution, path, others_from) for solution in proven]
    led = {turn.uuid for turn in turns_of(path) if turn.by_program} if found else set()
    heard = [one for one in found if not programs.ignores(one.record_uuid in led)]
    solved = [fit for one in heard if (fit := accept(programs.marked(one, one.record_uuid in led)))]
    made = _summary(path, redact, session_id, observed, now, outside_from, programs)
    summed = accept(made) if made else None
    return commit(origin, solved, summed, stage == ENDED, now)


def _outside_from(path: str) -> float:
    """Returns the offset in a transcript at which the assistant first reads untrusted content, infinity if it never
    does. A sub-agent's report does not count, because quotes of it can be found in the transcript.
    """
    mark = f'"{TOOL_USE}"'.encode()
    with open(path, "rb") as file:
        return next((start for start, _, line in lines(file, 0) if mark in line and _reads_outside(line)), math.inf)


def _others_from(path: str) -> float:
    """Returns the offset in a transcript at which the assistant first reads a file that others have written, infinity
    if it never does.
    """
    mark = f'"{TOOL_USE}"'.encode()
    with open(path, "rb") as file:
        reads = reads_of(file)
        for start, _, line in lines(file, 0):
            turn = _turn_of(line) if mark in line else None
            if turn is None:
                continue
            reads.files.go(turn.cwd)
            calls = [use for use in turn.uses if use.tool not in AGENTS]
            if any([reads.call(use.tool, use.command, use.files) for use in calls]):
                return start
    return math.inf


def _turn_of(line: bytes) -> Turn | None:
    try:
        return parse(line)
    except (ValueError, RecursionError):
        return None


def _reads_outside(line: bytes) -> bool:
    turn = _turn_of(line)
    return turn is not None and any(map(_brings_others_words, turn.uses))


def _brings_others_words(call: Use | Observation) -> bool:
    return call.tool not in AGENTS and reads_outside(call.tool, call.command, call.files)


def _solved(observed: list[Observation], solution: Solution, path: str, outside_from: float) -> Candidate:
    """Returns the candidate for a solution. It may be untrusted if untrusted content was read before it, whatever check
    passed, or if the text or a longer sentence of it is not the assistant's own.
    """
    at = next(number for number, row in enumerate(observed) if row.record_uuid == solution.record_uuid)
    seen = outside_from < observed[at].place or any(map(_brings_others_words, observed[:at]))
    longer = [one for one in sentences(solution.text) if len(words(one)) >= QUOTED_RUN]
    outside = whose(seen, (solution.text, *longer), path, solution.record_uuid)
    changed = f"changed {', '.join(map(path_word, solution.files))}" if solution.only_cause and solution.files else ""
    proof = "; ".join(filter(None, (changed, f"then `{solution.check}` passed" if solution.check else "")))
    content = f"{solution.text} ({proof})" if proof else solution.text
    return Candidate(
        kind="solution",
        content=content,
        relevance=SOLUTION_RELEVANCE,
        record_uuid=solution.record_uuid,
        excerpt=solution.text,
        method="assistant",
        confidence=SOLUTION_CONFIDENCE,
        said_at=solution.said_at if math.isfinite(solution.said_at) else None,
        outside=outside,
        facets=(
            *(("file", file) for file in solution.files),
            *(("error", line) for line in solution.errors),
            *facets(solution.text),
        ),
    )


def _summary(
    path: str,
    redact: Callable[[str], str],
    session_id: str,
    observed: list[Observation],
    now: float,
    outside_from: float,
    programs: Programs,
) -> Candidate | None:
    first, task, named = _named(path, redact, outside_from)
    if first is None or programs.ignores(first.by_program):
        return None
    began_at = unix(first.at)
    if began_at is None:  # Observations are deleted when a session ends: a resumed session has only those since.
        began_at = observed[0].observed_at if observed and math.isfinite(observed[0].observed_at) else now

    def is_own(subject: str, row: Observation) -> bool:
        seen = outside_from < math.inf and not 0 <= row.place < outside_from
        return not suspicion((subject,)) and not whose(seen, (subject,), path, row.record_uuid)

    made = summary(task, observed, began_at, is_own, named, _left(path, redact, outside_from))
    if made is None:
        return None
    title, content = made
    found = Candidate(
        kind="summary",
        content=content,
        relevance=SUMMARY_RELEVANCE,
        record_uuid=f"summary:{session_id}",
        excerpt=task.request or task.heading or PASTED,
        method="summary",
        confidence=RULES_CONFIDENCE,
        title=title,
        said_at=began_at,
    )
    return programs.marked(found, first.by_program)


def _named(path: str, redact: Callable[[str], str], outside_from: float) -> tuple[Turn | None, Task, str]:
    """Returns a session's first prompt, its task, and what else its client calls it. A name in a model's words counts
    if it comes from nothing that the session has read.
    """
    prompts = first_prompts(path, PROMPTS_READ)
    if not prompts:
        return None, Task(), ""
    task = task_of(_not_taken_back([turn.redacted(redact).text for turn in prompts]))
    names = names_of(path)
    if names.given:
        return prompts[0], Task(clip(redact(one_line(clean(names.given))), NAME_CHARS), names=True), ""
    if task.names or task.heading:
        return prompts[0], task, ""
    seen = outside_from < math.inf
    made = ((clip(redact(one_line(clean(name))), NAME_CHARS), uuid) for name, uuid in names.made)
    return prompts[0], task, next((name for name, uuid in made if name and not whose(seen, (name,), path, uuid)), "")


def _not_taken_back(prompts: Sequence[str]) -> list[str]:
    """Returns the prompts that the next one does not take back, without the words that do: "Forget that. Fix ..."."""
    pairs = zip(prompts, (*prompts[1:], ""), strict=True)
    return [without_withdrawal(one) for one, then in pairs if without_withdrawal(then) == then]


def _left(path: str, redact: Callable[[str], str], outside_from: float) -> list[str]:
    """Returns the steps that a session has left open, each "" if its words may come from what the session has read, or
    read as an order.
    """
    seen = outside_from < math.inf
    found = ((clip(redact(one_line(clean(step.text))), NAME_CHARS), step.uuid) for step in open_steps(path))
    return ["" if suspicion((text,)) or whose(seen, (text,), path, uuid) else text for text, uuid in found]
