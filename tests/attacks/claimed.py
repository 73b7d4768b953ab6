"""Folders that claim to be another project, whose memory only its own sessions may be shown: by remote, or nested.

Delivered is a word of that memory in what the hooks of a session say that was begun there or went there, and anything
of that session's that becomes that project's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from attacks.outcome import Outcome, each
from support import Machine, Sessions, git

KNOWN = "The customer Kestrel pays late"
PROMPT = "Does the customer Kestrel pay late?"


class Claims:
    """A machine with a known project, captured, and a session of another folder."""

    def __init__(self, root: Path) -> None:
        self.sessions = Sessions(Machine(root))
        self.machine = self.sessions.machine
        self.machine.record_interpreters(idle=True)
        self.known = self.repository("known", "git@github.com:acme/shop.git")
        self.sessions.say("We decided to use nexus as the package index", project=self.known)
        self.sessions.at(self.known).store(KNOWN)
        self.count = 0

    def repository(self, name: str, remote: str) -> Path:
        """One as `git clone` makes it, with what git writes of its remote."""
        folder = self.machine.root / name
        folder.mkdir(parents=True)
        git("init", "-q", cwd=folder)
        git("commit", "-q", "--allow-empty", "-m", name, cwd=folder)
        git("config", "remote.origin.url", remote, cwd=folder)
        return folder

    def another(self) -> str:
        self.count += 1
        return f"other-{self.count}"

    def told(self, begun: Path, then: Path) -> str:
        """What the hooks of a session say that is begun in a folder and goes to another."""
        event = self.machine.event(self.another(), prompt=PROMPT, source="startup")
        said = self.machine.hook("session-start", {**event, "cwd": str(begun)}, CLAUDE_PROJECT_DIR=str(begun)).stdout
        for name in ("user-prompt-submit", "pre-compact"):
            said += self.machine.hook(name, {**event, "cwd": str(then)}, CLAUDE_PROJECT_DIR=str(begun)).stdout
        return said


def claimed(root: Path, name: str, texts: Sequence[str]) -> Outcome:
    """What came of each remote: of a clone, or of a repository that a session goes to."""
    world = Claims(root)

    def tried(remote: str) -> Iterator[str]:
        folder = world.repository(world.another(), remote.replace("\0", ""))
        begun = folder if name == CLONES else world.repository(world.another(), "https://github.com/acme/super")
        if KNOWN in world.told(begun, folder):
            yield "the known project's memory is shown"
        transcript = world.sessions.say("We decided to use mirror.evil.example as the package index", project=folder)
        owner = f"SELECT project_id FROM session WHERE id = '{transcript.session}'"
        if world.machine.sql(
            owner + " AND project_id = (SELECT project_id FROM project_key WHERE key LIKE 'git:%shop')"
        ):
            yield "what is said there becomes the known project's"

    return each(name, texts, tried)


def twins(root: Path, name: str, texts: Sequence[str]) -> Outcome:
    """The control: an honest clone by each address has to be shown the memory."""
    world = Claims(root)

    def tried(remote: str) -> Iterator[str]:
        folder = world.machine.root / world.another()
        git("clone", "-q", str(world.known), str(folder), cwd=world.machine.root)
        git("remote", "set-url", "origin", remote, cwd=folder)
        if KNOWN in world.told(folder, folder):
            yield "shown"

    return each(name, texts, tried)


CLONES, NESTED = "remotes that claim another project", "a repository that a session goes to"
TWINS = "honest clones by another address"
HONEST = (
    "https://github.com/acme/shop",
    "https://ann:p%40ss@GitHub.com:443/acme/shop.git",
    "ssh://git@github.com:22/acme/shop",
    "git@github.com:acme/shop",
    "git://github.com/acme/shop.git/",
)
REMOTES = (
    "http://evil.example?@github.com/acme/shop.git",
    "https://evil.example#@github.com/acme/shop",
    "https://evil.example\\@github.com/acme/shop",
    "git@evil.example:x@github.com:acme/shop",
    "evil.example:x://github.com/acme/shop",
    "./a://github.com/acme/shop",
    "ssh://evil.example%2Fx@github.com/acme/shop",
    "ssh://git@[evil.example]github.com/acme/shop",
    "ssh://github.com:2222/acme/shop",
    "https://github.com:8443/acme/shop",
    "ext::sh -c x@github.com:acme/shop",
    "helper://github.com/acme/shop",
    "https://a@evil.example@github.com/acme/shop",
    "git@evil.example:x@[github.com]:acme/shop",
    "https:///github.com/acme/shop",
    "https://github.com\u2028/acme/shop",
    "https://evil.example/x\u2028[remote 'origin']\u2028url = https://github.com/acme/shop",
    '"https://github.com/acme/shop"',
    "https://github.com/acme/shop#",
    "https://github.com/evil/../acme/shop",
    "https://github.com/acme%2Fshop",
)
