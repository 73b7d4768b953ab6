"""Text in a memory, its title, its tags, its project's name: through every face that the model reads.

Delivered is what leaves its line, opens or closes a fence or a mark, real or look-alike, or holds characters that are
not seen; and a face that says other words around its fence than it says for a plain memory.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from attacks.looks import marks, unseen
from attacks.outcome import Outcome
from keepstone.lib.errors import KeepstoneError
from support import Machine, Sessions

PLAIN = "Deploys of billing/rounding.py need the VPN, the gateway prints EADDRNOTOURS otherwise"
ASKED = "why do deploys of billing/rounding.py need the VPN gateway?"
ERROR = "Exit code 1\nError: EADDRNOTOURS deploys of billing/rounding.py need the VPN, the gateway prints it"
RULE = "pnpm only, never npm or yarn: CI caches its store"
FENCE = re.compile(r"<keepstone-notes[^<>\n]*>\n(.*?)</keepstone-notes>\n", re.DOTALL)
# a project's long name stands within
WITHIN = re.compile(r"(?:\d+ memor(?:y|ies) loaded(?: of [^\s<>\[\]]{1,41})?:|### [A-Z][A-Za-z ]+|- .*|)")
MARKED = re.compile(
    r"\[Keepstone — retrieved for billing/rounding\.py\]\n[^\n]*\(([0-9a-f]{6,16}), [^\n]*\)\n\[/Keepstone\](?:\n|\Z)"
)
LISTED = re.compile(r"- \[.\] .*\([0-9a-f]{6,16}, .*\)")
CHANGING = re.compile(r"\b[0-9a-f]{6,16}\b|of \S+\.|\d+")


@dataclass(slots=True)
class Faces:
    """A machine with few memories at a time, and what tells the model of them; `around` is what each face says around
    plain ones.
    """

    machine: Machine
    names: Sequence[str]
    around: dict[str, str] = field(default_factory=dict)
    session: int = 0

    def problems(self) -> list[str]:
        """What is wrong with anything that the model is told."""
        return [f"{face}: {problem}" for face, said in self._said() for problem in self._wrong(face, said)]

    def _said(self) -> Iterator[tuple[str, str]]:
        for face in self.names:
            self.session += 1
            said = FACES[face](self.machine, f"session-{self.session}")
            if said:
                yield face, said

    def _wrong(self, face: str, said: str) -> Iterator[str]:
        if hidden := unseen(said):
            yield f"holds {', '.join(hidden)}"
        around, within = SHAPES[face](said)
        if face in self.around and around != self.around[face]:
            yield f"says {around!r} around its notes"
        yield from within
        looks = [mark for mark in marks(_bare(said)) if face == "a file" or not mark.startswith("[")]
        if looks:
            yield f"holds what looks like {looks[0]!r}"


def _bare(said: str) -> str:
    """What is said without the marks that belong there, each once; those of a file all, `_in_marks` sees to them."""
    if MARKED.match(said):
        said = re.sub(
            r"^\[(?:/Keepstone|Keepstone — retrieved for billing/rounding\.py)\]$", "", said, flags=re.MULTILINE
        )
    for mark in (
        "</keepstone-notes>",
        "[/Keepstone]",
        "[Keepstone — retrieved for billing/rounding.py]",
        "</keepstone-result>",
    ):
        said = said.replace(mark, "", 1)
    return re.sub(r"<keepstone-(?:notes|result)[^<>\n]*>", "", said, count=1)


def _fenced(said: str) -> tuple[str, list[str]]:
    """(what stands around one fence, what is wrong within it)."""
    found = FENCE.split(said, maxsplit=1)
    if len(found) != 3:
        return said, ["has no fence"]
    before, inside, after = found
    odd = [line for line in inside.split("\n") if not WITHIN.fullmatch(line)]
    return CHANGING.sub("#", before + after), [f"holds the line {line[:60]!r}" for line in odd]


def _in_marks(said: str) -> tuple[str, list[str]]:
    """One mark around each memory, which its id tells: a text that forges one has none of its own."""
    ids = MARKED.findall(said)
    return "", [] if len(ids) == len(set(ids)) and not MARKED.sub("", said) else [f"is not in marks: {said[:80]!r}"]


def _kept(said: str) -> tuple[str, list[str]]:
    head, *lines = said.rstrip("\n").split("\n")
    return head, [f"holds the line {line[:60]!r}" for line in lines if not line.startswith("- ")]


def _listed(said: str) -> tuple[str, list[str]]:
    odd = [line for line in said.rstrip("\n").split("\n") if not LISTED.fullmatch(line)]
    return "", [f"holds the line {line[:60]!r}" for line in odd]


def _result(said: str) -> tuple[str, list[str]]:
    head, *lines, end = said.rstrip("\n").split("\n")
    fence = [] if (head, end) == ('<keepstone-result command="recent">', "</keepstone-result>") else ["has no fence"]
    return "", fence + _listed("\n".join(lines))[1]


def _whole(said: str) -> tuple[str, list[str]]:
    """A memory shown whole is a page: its own words stand behind a heading's mark, a quote's or a list's."""
    odd = [line for line in said.split("\n") if line and not line.startswith(("# ", "> ", "- ", "## Evidence"))]
    return "", [f"holds the line {line[:60]!r}" for line in odd]


def _hook(event: str, **said: object) -> Callable[[Machine, str], str]:
    def tell(machine: Machine, session: str) -> str:
        given = machine.event(session, tool_use_id="t-1", **said)
        return _context(machine.hook(event, given).stdout)

    return tell


def _context(printed: str) -> str:
    """What of a hook's output reaches the model."""
    if not printed.startswith("{"):
        return printed
    return str(json.loads(printed)["hookSpecificOutput"].get("additionalContext", ""))


def _compacted(machine: Machine, session: str) -> str:
    machine.sql(f"UPDATE memory SET session_id = '{session}'")
    return machine.hook("pre-compact", machine.event(session, trigger="auto")).stdout


def _show(machine: Machine, session: str) -> str:
    ((memory_id,),) = machine.sql("SELECT id FROM memory ORDER BY seq LIMIT 1")
    return machine.keepstone("show", str(memory_id)).stdout


EDIT = {"tool_name": "Edit", "tool_input": {"file_path": "billing/rounding.py"}}
INSTALL = {"tool_name": "Bash", "tool_input": {"command": "npm install lodash"}}
FAILED = {"tool_name": "Bash", "tool_input": {"command": "make"}, "error": ERROR}
FACES: dict[str, Callable[[Machine, str], str]] = {
    "session start": _hook("session-start", source="startup"),
    "a prompt": _hook("user-prompt-submit", prompt=ASKED),
    "a file": _hook("pre-tool-use", **EDIT),
    "a command": _hook("pre-tool-use", **INSTALL),
    "a failure": _hook("post-tool-use-failure", **FAILED),
    "a compaction": _compacted,
    "a typed command": _hook("user-prompt-expansion", command_name="keepstone:memory", command_args="recent"),
    "search": lambda machine, session: machine.keepstone("search", "deploys VPN gateway").stdout,
    "show": _show,
}
SHAPES: dict[str, Callable[[str], tuple[str, list[str]]]] = {
    "session start": _fenced,
    "a prompt": _fenced,
    "a file": _in_marks,
    "a command": _fenced,
    "a failure": _fenced,
    "a compaction": _kept,
    "a typed command": _result,
    "search": _listed,
    "show": _whole,
}

Place = Callable[[Sessions, str], None]


def _content(sessions: Sessions, text: str) -> None:
    """Before and behind what is asked for, so that each face shows some of it."""
    for start, kind in ((PLAIN, "solution"), (RULE, "preference")):
        words = f"{text[:60]} {start} {text}"[:8_000] if start is PLAIN else f"{start} {text}"[:8_000]
        sessions.memory.store(words, kind=kind)


def _title(sessions: Sessions, text: str) -> None:
    page = sessions.machine.root / "page.md"
    page.write_text(f"---\ntitle: {json.dumps(text)}\n---\n\n{PLAIN}\n", encoding="utf-8", errors="replace")
    sessions.memory.transfer.take_in(str(page))


def _tag(sessions: Sessions, text: str) -> None:
    tags = [text[at : at + 60] for at in range(0, min(len(text), 240), 60)]
    sessions.memory.store(PLAIN, kind="solution", tags=[tag for tag in tags if tag.strip()])


def _file(sessions: Sessions, text: str) -> None:
    """A session cures something by changing a file of that name."""
    transcript = sessions.begin()
    transcript.user("fix it")
    named = text.replace("\n", " ").encode("utf-8", "replace").decode()[:200]
    transcript.cure(f"The cause was that the key lacked the branch; adding it fixed it. {PLAIN}", file=named)
    sessions.end(transcript)


# Where a text stands, with the faces that show what stands there.
FEW = ("session start", "search", "show", "a typed command")
PLACES: dict[str, tuple[Place, Sequence[str]]] = {
    "fences in a memory's text": (_content, tuple(FACES)),
    "fences in a memory's title": (_title, ("a prompt", "a file", *FEW)),
    "fences in a memory's tags": (_tag, FEW),
    "fences in the names of a memory's files": (_file, FEW),
}


def fenced(root: Path, name: str, texts: Sequence[str]) -> Outcome:
    """What came of each text at one place, through every face."""
    made = Outcome(name)
    sessions = Sessions(Machine(root), "2026-11-20")
    (sessions.machine.project / "billing").mkdir()
    (sessions.machine.project / "billing" / "rounding.py").write_text("")
    place, names = PLACES[name]
    faces = Faces(sessions.machine, names)
    _content(sessions, "")
    faces.around = {face: SHAPES[face](said)[0] for face, said in faces._said()}
    silent = sorted(set(names) - set(faces.around))
    assert not silent, f"nothing is shown at {silent}: what is tried there says nothing"
    for text in texts:
        _emptied(sessions)
        problems = _tried(sessions, faces, place, text)
        waits = bool(sessions.memory.review.quarantined()) and not sessions.memory.recent()
        made.judge(text, [] if waits else problems, waits)
    return made


def _tried(sessions: Sessions, faces: Faces, place: Place, text: str) -> list[str]:
    try:
        place(sessions, text)
    except KeepstoneError:
        return []  # it was not even taken
    return faces.problems()


def _emptied(sessions: Sessions) -> None:
    for table in ("memory", "evidence", "memory_facet", "delivery", "session", "focus"):
        sessions.machine.sql(f"DELETE FROM {table}")


def project_named(root: Path, name: str, texts: Sequence[str]) -> Outcome:
    """The same for a project's name: its folder's, or its remote's."""
    made = Outcome(name)
    for number, text in enumerate(texts):
        machine = Machine(root / str(number))
        if not _named(machine, name, text):
            made.judge(text, [])
            continue
        sessions = Sessions(machine)
        (machine.project / "billing").mkdir(exist_ok=True)
        (machine.project / "billing" / "rounding.py").write_text("")
        _content(sessions, "")
        made.judge(text, Faces(machine, FEW).problems())
    return made


def _named(machine: Machine, place: str, text: str) -> bool:
    """Whether a project of that name can be made."""
    try:
        if place == "fences in a project's folder":
            machine.project = machine.root / text.replace("/", "\u2215").encode("utf-8", "surrogatepass").decode(
                "utf-8", "replace"
            )
            machine.project.mkdir()
        else:
            git = machine.project / ".git"
            for name in ("objects", "refs"):
                (git / name).mkdir(parents=True)
            (git / "HEAD").write_text("ref: refs/heads/main\n")
            config = f'[remote "origin"]\n\turl = https://git.example.com/acme/{text}\n'
            (git / "config").write_text(config, encoding="utf-8", errors="replace")
    except (OSError, ValueError):
        return False
    return True
