"""Long texts in which a careless pattern would take for ever: through all that reads what others have written.

Delivered is a process that takes more than its seconds of processor time, ends in an error of Python's, or says more
than a screen can take.
"""

from __future__ import annotations

import contextlib
import io
import resource
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from attacks import inside, outside
from attacks.outcome import Outcome, argument
from keepstone.hooks import main
from keepstone.redaction.redact import redact
from keepstone.spool import queue
from support import Machine, Sessions, copied, forked

SECONDS = 40  # of processor time, for up to 2 MB: a secret at every twentieth character takes half of it
PRINTED_MAX = 200_000
PLAIN = "Deploys need the VPN gateway"
BOMBS = {**outside.BOMBS, **inside.BOMBS}


class Bounded(contextlib.AbstractContextManager[None]):
    """Ends a copied process that takes too long."""

    def __enter__(self) -> None:
        used = int(sum(resource.getrusage(resource.RUSAGE_SELF)[:2]))  # a copy begins at nought, or nearly
        resource.setrlimit(resource.RLIMIT_CPU, (used + SECONDS, used + SECONDS + 2))

    def __exit__(self, *problem: object) -> None:
        pass


def bombed(root: Path, name: str, texts: Sequence[str]) -> Outcome:
    """What came of each bomb at one way in; `texts` are their names."""
    made = Outcome(name)
    sessions = Sessions(Machine(root))
    sessions.machine.record_interpreters()
    sessions.memory.store(PLAIN)
    worst = (0.0, "")
    for key in texts:
        before = _used()
        problems = list(WAYS[name](sessions, BOMBS[key]()))
        worst = max(worst, (_used() - before, key))
        made.judge(key, problems)
    made.notes.append(f"at most {worst[0]:.1f} s of processor time ({worst[1]})")
    return made


def _used() -> float:
    return sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def _in_transcript(sessions: Sessions, text: str) -> Iterator[str]:
    """As what the user types, Claude says and runs, and a tool prints; also short enough to be looked at as a whole."""
    transcript = sessions.begin()
    transcript.user(_kept(text))
    for said in (text[:7_900], text[:3_900], f"We decided to use {text[:3_500]}"):
        transcript.user(_kept(said))
        transcript.assistant(_kept(said))
        transcript.cure(_kept(said), check=f"make {_kept(said)}")
    failed = {"type": "tool_result", "tool_use_id": "toolu_1", "content": _kept(text), "is_error": True}
    transcript.line({"type": "user", "message": {"role": "user", "content": [failed]}, "toolUseResult": ""})
    yield from _wrong(
        forked(("capture", str(transcript.path)), sessions.machine.env, sessions.machine.project, Bounded())
    )


def _at_prompt(sessions: Sessions, text: str) -> Iterator[str]:
    """On a hook's stdin: as a prompt, as a command, as an error, as a file's name."""
    said = _kept(text)
    bash = {"tool_name": "Bash", "tool_input": {"command": said}}
    for event, more in (
        ("user-prompt-submit", {"prompt": said}),
        ("pre-tool-use", bash),
        ("pre-tool-use", {"tool_name": "Edit", "tool_input": {"file_path": said}}),
        ("post-tool-use-failure", {**bash, "error": said}),
        ("post-tool-use-failure", {**bash, "error": said[:7_900]}),
        ("user-prompt-expansion", {"command_name": "keepstone:memory", "command_args": f"recent {said[:100_000]}"}),
    ):
        given = sessions.machine.event("s", tool_use_id="t", **more)
        done = copied(lambda e=event, g=given: _hook(e, g), sessions.machine.env, sessions.machine.project, Bounded())
        yield from (f"{event}: {problem}" for problem in _wrong(done))
    queue.drain_observed(str(sessions.machine.home), lambda lines: None)


def _hook(event: str, given: dict[str, object]) -> None:
    """A hook in a copy of this process, as its launcher runs it."""
    from json import dumps

    sys.stdin = io.TextIOWrapper(io.BytesIO(dumps(given).encode()))
    main.main(event)


def _stored(sessions: Sessions, text: str) -> Iterator[str]:
    """As the words of a command, whole and cut to what it takes."""
    for words in (("store", text), ("store", text[:7_900]), ("revise", "mem-0", text), ("store", "x", "--tag", text)):
        yield from _keepstone(sessions, *words)
    yield from _keepstone(sessions, "context")


def _asked(sessions: Sessions, text: str) -> Iterator[str]:
    for words in (("search", "--", text), ("about", "--", text[:7_900]), ("recent", "--file", text)):
        yield from _keepstone(sessions, *words)


def _redacted(sessions: Sessions, text: str) -> Iterator[str]:
    def act() -> None:
        redact(text)

    yield from _wrong(copied(act, sessions.machine.env, sessions.machine.project, Bounded()))


def _imported(sessions: Sessions, text: str) -> Iterator[str]:
    """As a page, as the client's memory, as a line of JSON, as what an export says."""
    folder = sessions.machine.root / "import"
    folder.mkdir(exist_ok=True)
    said = _kept(text)
    for name in ("page.md", "MEMORY.md", "file.jsonl"):
        (folder / name).write_text(said)
        for format in ("auto", "mcp", "jsonl")[: 3 if name == "file.jsonl" else 1]:
            yield from _keepstone(sessions, "import", str(folder / name), "--format", format)
    (folder / "config.json").write_text(said)


def _keepstone(sessions: Sessions, *words: str) -> Iterator[str]:
    """A command with these words, as far as a system hands them over: 128 kB each."""
    cut = [argument(word)[:100_000] for word in words]
    done = forked(tuple(cut), sessions.machine.env, sessions.machine.project, Bounded())
    yield from (f"keepstone {words[0]}: {problem}" for problem in _wrong(done))


def _wrong(done: object) -> Iterator[str]:
    if done.returncode < 0:
        yield f"took more than {SECONDS} s of processor time"
    elif done.returncode not in (0, 1, 2):
        yield f"exit {done.returncode}, {done.stderr.strip()[-300:]!r}"
    if len(done.stdout) > PRINTED_MAX:
        yield f"printed {len(done.stdout):,} characters"


def _kept(text: str) -> str:
    """As a file holds it."""
    return text.encode("utf-8", "replace").decode()


WAYS: dict[str, Callable[[Sessions, str], Iterator[str]]] = {
    "bombs in a transcript": _in_transcript,
    "bombs on a hook's stdin": _at_prompt,
    "bombs in a command": _stored,
    "bombs in a query": _asked,
    "bombs to redact": _redacted,
    "bombs to import": _imported,
}
