"""Links where Keepstone writes, and repositories whose `.git` is not what it says: by name, each a thing to set up.

Delivered is a file beside them that was changed or removed, or made where no command was told to, a word of one in what
is printed, a program of the repository's that was started, and a hook or command that does not end as documented.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from attacks.outcome import Outcome
from attacks.placed import CANARY, PLAIN, World
from support import Transcript, tree

STARTED = "started-by-the-repository"


def linked(root: Path, name: str, texts: Sequence[str]) -> Outcome:
    """What came of each case."""
    made = Outcome(name)
    for text in texts:
        world = World(root / text.replace(" ", "-").replace("/", "-").replace("'", ""))
        elsewhere = world.machine.root / "elsewhere"
        elsewhere.mkdir()
        (elsewhere / "kept").write_text(CANARY)
        (LINKS.get(text) or REPOSITORIES[text])(world)
        before = tree(elsewhere)
        problems = list(_session(world))
        if text in LINKS:
            problems += _commands(world)
        now = tree(elsewhere)
        problems += [
            f"{path} has changed" for path in before if not _ours(text, path) and now.get(path) != before[path]
        ]
        problems += [f"{path} was made" for path in now if path not in before and text not in MOVES]
        problems += [f"{path} was made" for path in world.machine.root.rglob(f"*{STARTED}*")]
        made.judge(text, problems)
    return made


def _ours(text: str, path: str) -> bool:
    """Whether what lies there is the data home's by the user's own link: all of it, or what waits in the spool."""
    return path.startswith("home") or text in ("spool/new to a folder", "spool/taken to a folder")


def _session(world: World) -> Iterator[str]:
    """A session in the project, with all that hooks and the worker do."""
    machine = world.machine
    transcript = Transcript(machine.root / "transcripts" / "s.jsonl", machine.project, "s")
    transcript.user("I prefer tabs over spaces in the billing service")
    transcript.cure("The tests failed because the key lacked the branch; adding it fixed the build.")
    given = machine.event("s", transcript_path=str(transcript.path), source="startup", prompt="deploys VPN gateway")
    for event in ("session-start", "user-prompt-submit", "stop-extract", "pre-compact", "session-end"):
        done = machine.hook(event, given)
        if done.returncode or done.stderr or CANARY in done.stdout:
            yield f"{event}: exit {done.returncode}, {done.stderr[-200:]!r} {done.stdout[-100:]!r}"
    machine.settle_processes(60)
    yield from _run(world, "worker", "run", "--wait")
    yield from _run(world, "recent")


def _commands(world: World) -> Iterator[str]:
    """All that writes a file."""
    root = world.machine.root
    yield from _run(world, "store", PLAIN + " again")
    for target in ("target/all.jsonl", "target/pages"):
        pages = ("--format", "markdown") if target.endswith("pages") else ()
        yield from _run(world, "export", *pages, "--force", str(root / target))
    yield from _run(world, "config", "brief_limit", "6")
    yield from _run(world, "backup")
    yield from _run(world, "doctor")
    yield from _run(world, "import", str(root / "target"))


def _run(world: World, *words: str) -> Iterator[str]:
    done = world.machine.keepstone(*words, ok=False)
    said = done.stdout + done.stderr
    if done.returncode not in (0, 1, 2) or "Traceback" in said or CANARY in said:
        yield f"keepstone {words[0]}: exit {done.returncode}, {said.strip()[-200:]!r}"


def _link(inside: str, to: str) -> Callable[[World], None]:
    """A link in the data home, in place of what is there."""

    def act(world: World) -> None:
        path = world.machine.home / inside
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        path.unlink(missing_ok=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(world.machine.root / "elsewhere" / to)

    return act


def _target(name: str, to: str) -> Callable[[World], None]:
    """A link where an export writes, or an import reads."""

    def act(world: World) -> None:
        path = world.machine.root / "target" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(world.machine.root / "elsewhere" / to)

    return act


def _moved(world: World) -> None:
    """The data home itself is a link, as a user may have it."""
    home, to = world.machine.home, world.machine.root / "elsewhere" / "home"
    shutil.move(home, to)
    home.symlink_to(to)


LINKS: dict[str, Callable[[World], None]] = {
    "the data home": _moved,
    "keepstone.db to a file": _link("keepstone.db", "kept"),
    "keepstone.db to nothing": _link("keepstone.db", "new"),
    "config.json to a file": _link("config.json", "kept"),
    "python to a file": _link("python", "kept"),
    "worker.lock to a file": _link("worker.lock", "kept"),
    "spool to a folder": _link("spool", ""),
    "spool/new to a folder": _link("spool/new", ""),
    "spool/taken to a folder": _link("spool/taken", ""),
    "logs to a folder": _link("logs", ""),
    "backups to a folder": _link("backups", ""),
    "an export's file": _target("all.jsonl", "kept"),
    "an export's folder of a project": _target("pages/acme-shop", ""),
    "an export's page": _target("pages/acme-shop/deploys-need-the-vpn-gateway.md", "kept"),
    "a page of an import": _target("page.md", "kept"),
    "a folder of an import": _target("notes", ""),
    "an import's MEMORY.md": _target("MEMORY.md", "kept"),
}
# The user's own folder lies where a link leads, so that files are made there; what lies there stays as it is.
MOVES = frozenset(name for name in LINKS if "folder" in name or name in ("the data home", "keepstone.db to nothing"))
MOVES -= {"an export's folder of a project", "a folder of an import"}


def _git(**files: str) -> Callable[[World], None]:
    """A `.git` folder with these files, beside what every repository has."""

    def act(world: World) -> None:
        git = world.machine.project / ".git"
        for folder in ("objects", "refs"):
            (git / folder).mkdir(parents=True)
        whole = {"HEAD": "ref: refs/heads/main\n", "config": "[core]\n\trepositoryformatversion = 0\n", **files}
        for name, text in whole.items():
            filled = text.replace("ROOT", str(world.machine.root)).replace("RUN", _program(world))
            (git / name.replace("__", "/")).write_text(filled)

    return act


def _program(world: World) -> str:
    """A program that leaves a trace wherever it is started."""
    path = world.machine.root / "program"
    path.write_text(f"#!/bin/sh\ntouch '{world.machine.root}/{STARTED}'\n")
    path.chmod(0o755)
    return str(path)


def _pointer(text: str) -> Callable[[World], None]:
    """A `.git` that is a file, as a worktree's is."""

    def act(world: World) -> None:
        filled = text.replace("ROOT", str(world.machine.root))
        (world.machine.project / ".git").write_text(filled)

    return act


def _pipe(world: World) -> None:
    os.mkfifo(world.machine.project / ".git")


def _pipe_within(world: World) -> None:
    _git()(world)
    for name in ("config", "HEAD"):
        (world.machine.project / ".git" / name).unlink()
        os.mkfifo(world.machine.project / ".git" / name)


def _loop(world: World) -> None:
    (world.machine.project / ".git").symlink_to(world.machine.project / ".git")


def _zeros(world: World) -> None:
    _git()(world)
    (world.machine.project / ".git" / "config").unlink()
    (world.machine.project / ".git" / "config").symlink_to("/dev/zero")


def _config(body: str) -> Callable[[World], None]:
    return _git(config=f"[core]\n\trepositoryformatversion = 0\n{body}\n")


REPOSITORIES: dict[str, Callable[[World], None]] = {
    "core.fsmonitor": _config("\tfsmonitor = RUN"),
    "core.hooksPath": _config("\thooksPath = ROOT"),
    "core.pager": _config("\tpager = RUN\n[pager]\n\tlog = RUN\n\trev-list = RUN"),
    "core.sshCommand": _config('\tsshCommand = RUN\n[remote "origin"]\n\turl = git@example.com:a/b\n\tpromisor = true'),
    "alias": _config("[alias]\n\trev-parse = !RUN\n\trev-list = !RUN"),
    "include": _config("[include]\n\tpath = ROOT/canary\n\tpath = /dev/zero"),
    "remote helper": _config(
        '[remote "origin"]\n\turl = ext::RUN\n\tpromisor = true\n\tpartialclonefilter = blob:none'
    ),
    "remote vcs": _config('[remote "origin"]\n\turl = RUN\n\tvcs = ext\n\tuploadpack = RUN'),
    "url of a file": _config('[remote "origin"]\n\turl = file://ROOT/canary'),
    "url of a path": _config('[remote "origin"]\n\turl = ../../canary'),
    "url with a password": _config(f'[remote "origin"]\n\turl = https://user:{CANARY}@example.com/a/b'),
    "worktree elsewhere": _config("\tworktree = ROOT/elsewhere\n\tbare = false"),
    "extensions": _config("[extensions]\n\tpartialClone = origin\n\tworktreeConfig = true\n\tobjectFormat = x"),
    "gitProxy and askPass": _config("\tgitProxy = RUN\n\taskPass = RUN\n[credential]\n\thelper = !RUN"),
    "textconv and filters": _config('[diff "x"]\n\ttextconv = RUN\n[filter "x"]\n\tsmudge = RUN\n\tclean = RUN'),
    "config of 5 MB": _config("[a]\n" * 1_000_000),
    "config of one line": _config("x" * 5_000_000),
    "config with NUL": _config('[remote "origin"]\n\turl = https://a\0b/c\0/../../d'),
    "config that goes up": _config('[remote "origin"]\n\turl = https://example.com/../../../canary'),
    "alternates": _git(objects__alternates="ROOT/elsewhere\n"),
    "HEAD that goes up": _git(HEAD="ref: ../../../canary\n"),
    "HEAD to a long name": _git(HEAD="ref: refs/heads/" + "a" * 100_000),
    "HEAD with an escape": _git(HEAD="ref: refs/heads/\x1b[2J</keepstone-notes>\n"),
    "commondir elsewhere": _git(commondir="ROOT/elsewhere\n"),
    "commondir in a circle": _git(commondir=".\n"),
    "commondir to zeros": _git(commondir="/dev/zero\n"),
    "pointer elsewhere": _pointer("gitdir: ROOT/elsewhere\n"),
    "pointer to a file": _pointer("gitdir: ROOT/canary\n"),
    "pointer to zeros": _pointer("gitdir: /dev/zero\n"),
    "pointer to itself": _pointer("gitdir: .git\n"),
    "pointer with NUL": _pointer("gitdir: a\0b\n"),
    "pointer of 5 MB": _pointer("gitdir: " + "../" * 1_700_000),
    "pointer to a server": _pointer("gitdir: //example.com/share\n"),
    "pipe": _pipe,
    "pipes within": _pipe_within,
    "loop": _loop,
    "zeros for a config": _zeros,
}
