"""Names that are paths, links, and repositories that lead elsewhere.

Delivered is a file that was made, changed or removed outside of the data home and of what the command names as its
target; a word of a file beside the project in anything that is printed or kept; a program of the repository's that was
started; a hook or command that does not end as documented.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from attacks.outcome import Outcome, argument, each
from keepstone.lib.errors import KeepstoneError
from support import Machine, Sessions, Transcript, tree

CANARY = "canary-7f3a-that-nobody-may-read"
PLAIN = "Deploys need the VPN gateway"
OURS = ("user/.local/share/keepstone", "target", "pages", "acme shop", "transcripts")


class World:
    """A machine with a file beside the project that nobody may read or write, and all that lies around."""

    def __init__(self, root: Path) -> None:
        self.machine = Machine(root)
        self.machine.record_interpreters()
        self.sessions = Sessions(self.machine)
        for folder in (root, self.machine.user_home, root / "acme shop" / ".."):
            for name in ("canary", "canary.md", "canary.jsonl"):
                (folder / name).write_text(f"# {CANARY}\n")
        (root / "target").mkdir()
        self.id = self.sessions.memory.store(PLAIN)[0].memory.id
        self.before = self.state()

    def state(self) -> dict[str, object]:
        """All files that are no business of a command's."""
        found = tree(self.machine.root)
        return {path: what for path, what in found.items() if not path.startswith(OURS)}

    def changes(self) -> list[str]:
        now = self.state()
        odd = {path for path in {*now, *self.before} if now.get(path) != self.before.get(path)}
        self.before = now
        return [f"{path} was made, changed or removed" for path in sorted(odd)]


def _ids(world: World, path: str) -> Iterator[str]:
    """As the id of a memory, a session, a project, a filter."""
    path = argument(path)
    for words in (["show", path], ["rate", path, "up"], ["forget", path], ["recent", "--file", path]):
        yield from _run(world, *words)
    for words in (["recent", "--project", path], ["diff", path], ["undo", path, "--yes"]):
        yield from _run(world, *words)


def _sessions(world: World, path: str) -> Iterator[str]:
    """As a session's id, its folder, its transcript, the file of a call: all that a client may name."""
    text = path.encode("utf-8", "replace").decode()
    transcript = Transcript(world.machine.root / "transcripts" / "any.jsonl", text, text)
    transcript.user("I prefer tabs over spaces")
    given = {"session_id": text, "cwd": text, "transcript_path": str(transcript.path), "tool_use_id": "t"}
    edit = {"tool_name": "Edit", "tool_input": {"file_path": text}}
    for event, more in (
        ("session-start", {"source": "startup", "transcript_path": text}),
        ("user-prompt-submit", {"prompt": "deploys VPN gateway", "transcript_path": text}),
        ("pre-tool-use", edit),
        ("post-tool-use", edit),
        ("stop-extract", {}),
        ("session-end", {"transcript_path": text}),
        ("session-end", {}),
    ):
        done = world.machine.hook(event, {**given, **more})
        if done.returncode or done.stderr or CANARY in done.stdout:
            yield f"{event}: exit {done.returncode}, {done.stderr[-200:]!r}, {done.stdout[-100:]!r}"
    yield from _run(world, "worker", "run", "--wait")
    world.machine.settle()
    yield from _learned(world)


def _files(world: World, path: str) -> Iterator[str]:
    """As a file that a memory is about: verified, watched, told of."""
    path = path.encode("utf-8", "replace").decode()
    transcript = world.sessions.begin()
    transcript.user("fix it")
    named = f"{world.machine.project}/{path}" if not path.startswith(("/", "~")) else path
    transcript.cure("The cause was that the key lacked the branch; adding it fixed the build.", file=path)
    transcript.tool("Edit", {"file_path": named, "old_string": "a", "new_string": "b"})
    world.sessions.end(transcript)
    ids = world.machine.sql("SELECT id FROM memory WHERE kind = 'solution'")
    for (memory_id,) in ids:
        yield from _run(world, "verify", str(memory_id))
        yield from _run(world, "show", "--evidence", str(memory_id))
    yield from _run(world, "context")
    yield from _learned(world)
    for (memory_id,) in ids:
        world.sessions.memory.privacy.erase([str(memory_id)])


def _exports(world: World, path: str) -> Iterator[str]:
    """As a memory's words and its project's name, of which an export makes the names of its files."""
    bare = path.replace("/", "\u2215").replace("\0", "").encode("utf-8", "replace")
    folder = bare[:200].decode("utf-8", "ignore")  # a system takes 255 bytes
    inside = world.machine.project / f"x{folder}"
    inside.mkdir(exist_ok=True)
    memory = world.sessions.at(inside)
    try:
        kept = [memory.store(text)[0].memory.id for text in (path, f"{path} {PLAIN} {path}")]
    except KeepstoneError:
        return
    pages = world.machine.root / "pages"
    yield from _run(world, "export", "--format", "markdown", "--force", str(pages))
    yield from (f"a page is {page}" for page in pages.rglob("*") if len(page.relative_to(pages).parts) > 2)
    memory.privacy.erase(kept)


def _imports(world: World, path: str) -> Iterator[str]:
    """As what a page of an import calls itself, links to, or names as its project."""
    target = world.machine.root / "target"
    text = path.encode("utf-8", "replace").decode().replace("\n", " ")
    (target / "MEMORY.md").write_text(f"# Memory\n\n- [x]({text})\n- `{text}.md`\n- {text}.md\n")
    front = f"---\nid: {text}\nproject: {text}\ntitle: {text}\nfile: {text}\n---\n\n{PLAIN} number {len(path)}\n"
    (target / "page.md").write_text(front)
    for words in (["import", str(target / "MEMORY.md")], ["import", str(target / "page.md")], ["import", str(target)]):
        yield from _run(world, *words)
    yield from _learned(world)


def _run(world: World, *words: str) -> Iterator[str]:
    done = world.machine.keepstone(*words, ok=False)
    if done.returncode not in (0, 1, 2) or "Traceback" in done.stderr or CANARY in done.stdout + done.stderr:
        yield f"keepstone {words[0]}: exit {done.returncode}, {(done.stderr or done.stdout).strip()[-200:]!r}"


def _learned(world: World) -> Iterator[str]:
    """Whether what may not be read has come into the store."""
    found = world.machine.sql(f"SELECT id FROM memory WHERE content || title LIKE '%{CANARY}%'")
    found += world.machine.sql(f"SELECT memory_id FROM evidence WHERE excerpt LIKE '%{CANARY}%'")
    if found:
        yield f"{found[0][0]} holds what may not be read"


WAYS: dict[str, Callable[[World, str], Iterator[str]]] = {
    "paths as ids": _ids,
    "paths as a session's": _sessions,
    "paths as a memory's files": _files,
    "paths as names of an export": _exports,
    "paths within an import": _imports,
}


def placed(root: Path, name: str, texts: Sequence[str]) -> Outcome:
    """What came of each path at one way to name it."""
    world = World(root)

    def tried(text: str) -> Iterator[str]:
        elsewhere = _stat(text)
        yield from WAYS[name](world, text)
        yield from world.changes()
        if _stat(text) != elsewhere:
            yield "what lies there has changed"

    return each(name, texts, tried)


def _stat(path: str) -> object:
    """What can be known of an absolute path without opening it."""
    try:
        found = os.lstat(path) if os.path.isabs(path) else None
    except (OSError, ValueError):
        return "nothing"
    return found and (found.st_ino, found.st_mode, found.st_size if not path.startswith(("/proc", "/dev")) else 0)
