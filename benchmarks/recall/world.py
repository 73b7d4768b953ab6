"""The machine on which situations happen: repositories, a data home that remembers, and the plugin's hooks."""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import closing
from pathlib import Path

from keepstone.db import sessions
from keepstone.db.migrations import run
from keepstone.db.writer import Writer
from keepstone.freshness.verify import tie
from keepstone.language.facets import facets
from keepstone.lib.fuzzy import ratio
from keepstone.lifecycle import add_sql
from keepstone.lifecycle.add_sql import Origin
from keepstone.model.candidate import SUPERSEDES, Candidate
from keepstone.project.identity import identify
from keepstone.recall.embeddings.build_table import make
from keepstone.recall.embeddings.fill_vectors import fill, recount
from keepstone.recall.embeddings.static import Static
from keepstone.shell.failure import signatures

ROOT = Path(__file__).resolve().parent.parent.parent
SPAN = 28 * 86_400  # seconds in which all was said: less than what happened once is kept for


def load(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


class World:
    """Everything of one file of situations, below one folder."""

    def __init__(self, root: Path, lines: list[dict]) -> None:
        self.root = root
        self.home = root / "user" / ".local" / "share" / "keepstone"
        self.home.mkdir(parents=True, mode=0o700)
        self.ids: dict[str, str] = {}
        self.keys: dict[str, str] = {}
        self.env = {"HOME": str(root / "user"), "PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8"}
        python = os.path.realpath(sys.executable)
        (self.home / "python").write_text(f"{python}\n{sys.executable}\n")
        self.memories = [line for line in lines if "memory" in line]
        self.files = [line for line in lines if "file" in line and "moment" not in line]
        self.situations = [line for line in lines if "moment" in line]
        for name in {line["project"] for line in [*self.files, *self.situations]}:
            self._repository(name)
        make(str(self.home))
        run.ensure(str(self.database))
        with closing(Writer(str(self.database), ratio)) as writer:
            self._remember(writer)
            recount(writer, str(self.home), self.env)
            fill(writer, Static(str(self.home), self.env))
        self._today()

    @property
    def database(self) -> Path:
        return self.home / "keepstone.db"

    def folder(self, project: str) -> Path:
        return self.root / "work" / project

    def _repository(self, name: str) -> None:
        git = self.folder(name) / ".git"
        for folder in ("objects", "refs"):
            (git / folder).mkdir(parents=True)
        (git / "HEAD").write_text("ref: refs/heads/main\n")
        (git / "config").write_text(f'[remote "origin"]\n\turl = git@example.com:acme/{name}.git\n')

    def _remember(self, writer: Writer) -> None:
        """Stores each memory as its day would have: with the files as they were then."""
        now = time.time() - SPAN
        superseded = [line for line in self.memories if "superseded_by" in line]
        order = superseded + [line for line in self.memories if line not in superseded]
        taken_back = {line["superseded_by"]: line["memory"] for line in superseded}
        for number, line in enumerate(order):
            self._then(line)
            self._store(writer, line, taken_back.get(line["memory"]), now + number * SPAN / len(order))

    def _store(self, writer: Writer, line: dict, takes_back: str | None, now: float) -> None:
        user = line.get("user", False)
        identity = None if user else identify(str(self.folder(line["project"])), "", self.env["HOME"])
        text = line["text"]
        errors = [("error", made) for made in signatures(line.get("error", ""))]
        candidate = Candidate(
            kind=line["kind"],
            content=text,
            relevance=0.8,
            record_uuid=line["memory"],
            excerpt=text[:500],
            method="user",
            scope="user" if user else "project",
            said_at=now,
            relation=SUPERSEDES if takes_back else "",
            related_id=self.ids[takes_back] if takes_back else "",
            facets=(*(("file", file) for file in line.get("files", [])), *errors, *facets(text)),
        )
        with writer.transaction() as tx:
            project = None if user else sessions.project(tx, identity, "", now)
            origin = Origin("hook", project, f"then-{line['memory']}")
            memory_id, _ = add_sql.store(tx, origin, candidate, (), line["memory"], now)
        tie(writer, [memory_id])
        self.ids[line["memory"]] = memory_id
        self.keys[memory_id] = line["memory"]

    def _then(self, line: dict) -> None:
        """Writes a memory's files as they were when it was made: with every identifier that it quotes."""
        quoted = " ".join(line["text"].split("`")[1::2])
        for file in self.files:
            if file["file"] in line.get("files", []) and file["project"] == line.get("project"):
                self._write(file, file["content"] + "\n" + quoted + "\n")

    def _today(self) -> None:
        for file in self.files:
            self._write(file, file["content"])

    def _write(self, file: dict, content: str) -> None:
        path = self.folder(file["project"]) / file["file"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
