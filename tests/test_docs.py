"""The documentation can't drift: it names what there is, and what it shows works."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from importlib import import_module

import click
import pytest

from keepstone.cli.main import PARTS, SECTIONS
from support import ROOT

README = (ROOT / "README.md").read_text()


def test_every_command_is_in_a_section_of_the_help_and_found_in_its_part():
    parts = {
        path.stem: import_module(f"keepstone.cli.{path.stem}")
        for path in (ROOT / "src/keepstone/cli").glob("[a-z]*.py")
    }
    there = {
        command.name: name
        for name, part in parts.items()
        for command in getattr(part, "COMMANDS", ())
        if isinstance(command, click.Command)
    }
    assert there == {name: PARTS.get(name, name) for _, names in SECTIONS for name in names}
    assert PARTS.keys() <= there.keys()


def test_the_generated_pages_are_current():
    done = subprocess.run([sys.executable, ROOT / "docs" / "generate.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_link_of_the_readme_leads_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / target).exists(), target


def commands_shown():
    table = re.findall(r"`(keepstone [^`]+)`", README) + re.findall(
        r"`(keepstone [^`]+)`", (ROOT / "skills/memory/SKILL.md").read_text()
    )
    named = (
        "keepstone store",
        "keepstone search",
        "keepstone import",
        "keepstone onboard",
        "keepstone forget",  # not shown with what they take
        "keepstone serve",  # goes on until it is stopped: tests/web
    )
    table = [command for command in table if command not in named]
    return sorted({command for command in table if not re.search(r"\bID\b|\.\.\.|:", command.split("'")[0])})


@pytest.mark.parametrize("command", commands_shown())
def test_every_command_that_is_shown_works(machine, command, monkeypatch):
    monkeypatch.setattr("keepstone.admin.prove.PROVE_RUNS", 1)  # more runs show the same
    (row,) = json.loads(
        machine.keepstone(
            "store", "billing", "--json", KEEPSTONE_SESSION_ID="s-1", KEEPSTONE_TYPED=str(os.getppid())
        ).stdout
    )
    named = {"3fa2c1": row["id"], "SESSION": "s-1"}
    words = [named.get(word, word) for word in shlex.split(command)[1:]]
    if words[0] == "restore":
        machine.keepstone("forget", row["id"])
    if words[0] == "import":
        machine.keepstone("export", words[-1])
    if words[0] in ("erase", "undo"):
        words.append("--yes")
    machine.keepstone(*words, EDITOR="true")


def test_what_the_page_of_the_architecture_names_is_there():
    page = (ROOT / "docs" / "architecture.md").read_text()
    assert len(page.splitlines()) <= 150
    named = {name for name in re.findall(r"`([\w./*]+(?:/|\.py|\.json))`", page)}
    assert len(named) > 60
    package = ROOT / "src" / "keepstone"
    lost = {name for name in named if not [*ROOT.glob(name.rstrip("/")), *package.rglob(name.rstrip("/"))]}
    assert lost <= {"config.json"}  # the data home's
