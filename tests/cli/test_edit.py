"""`keepstone edit` with real editors: programs that change the page they are given."""

from __future__ import annotations

import re
from pathlib import Path

import pytest


@pytest.fixture
def filled(machine):
    for kind, text in (
        ("decision", "PostgreSQL for billing"),
        ("preference", "pnpm only"),
        ("fact", "VPN for deploys"),
    ):
        machine.keepstone("store", "--type", kind, text)
    return machine


def editor(machine, script):
    """An editor that runs a sed script on the page."""
    path = machine.root / "an editor"
    path.write_text(f"#!/bin/sh\nsed -i -E '{script}' \"$1\"\n")
    path.chmod(0o755)
    return f"'{path}'"


def contents(machine):
    return sorted(memory["content"] for memory in machine.memories())


def test_a_saved_page_revises_pins_and_forgets(filled):
    script = "s/for billing/for invoices/; s/^(## .* fact)$/\\1, pinned/; /^## .* preference/,/^pnpm/d"
    done = filled.keepstone("edit", "--yes", EDITOR=editor(filled, script))
    assert "-PostgreSQL for billing\n+PostgreSQL for invoices" in done.stdout and "-pnpm only" in done.stdout
    assert done.stdout.endswith("forget 1, pin 1, revise 1\nDone.\n")
    assert contents(filled) == ["PostgreSQL for invoices", "VPN for deploys"]
    (pinned,) = [memory for memory in filled.memories() if memory["kind"] == "fact"]
    assert "pinned" in filled.keepstone("show", pinned["id"]).stdout
    assert "pnpm only" in filled.keepstone("recent", "--forgotten").stdout
    (decision,) = [memory for memory in filled.memories() if memory["kind"] == "decision"]
    assert "PostgreSQL for billing" in filled.keepstone("show", decision["id"]).stdout


def test_only_the_named_ones_are_laid_open(filled):
    (fact,) = [memory for memory in filled.memories() if memory["kind"] == "fact"]
    filled.keepstone("edit", "--yes", fact["id"], EDITOR=editor(filled, "s/^([A-Z].*)$/\\1, always/"))
    assert contents(filled) == ["PostgreSQL for billing", "VPN for deploys, always", "pnpm only"]


@pytest.mark.parametrize("script", ["", "d"])
def test_a_page_that_is_left_or_emptied_changes_nothing(filled, script):
    assert filled.keepstone("edit", "--yes", EDITOR=editor(filled, script)).stdout == "Nothing is changed.\n"
    assert len(contents(filled)) == 3


def test_where_nobody_can_be_asked_nothing_is_done(filled):
    done = filled.keepstone("edit", ok=False, EDITOR=editor(filled, "s/billing/invoices/"))
    assert done.returncode == 1 and "keepstone edit --yes" in done.stderr and "+PostgreSQL for invoices" in done.stdout
    assert "PostgreSQL for billing" in contents(filled)


def test_a_page_that_can_not_be_read_is_kept(filled):
    done = filled.keepstone("edit", "--yes", ok=False, EDITOR=editor(filled, "s/^## [0-9a-f]+/## abcdef/"))
    assert done.returncode == 2 and "nothing is changed" in done.stderr
    page = Path(re.search(r"your page is (\S+\.md)", done.stderr).group(1))
    assert "## abcdef" in page.read_text() and len(contents(filled)) == 3
    page.unlink()


def test_an_editor_that_is_not_there_is_said(filled):
    done = filled.keepstone("edit", ok=False, EDITOR="/nowhere/vi")
    assert done.returncode == 1 and "/nowhere/vi" in done.stderr and len(contents(filled)) == 3


def test_on_a_terminal_it_asks_first(filled):
    change = {"EDITOR": editor(filled, "s/billing/invoices/")}
    code, shown = filled.terminal(["edit"], ["n"], **change)
    assert code == 0 and "Do it? [y/N]" in shown and "PostgreSQL for billing" in contents(filled)
    code, shown = filled.terminal(["edit"], ["y"], **change)
    assert code == 0 and "Done." in shown and "PostgreSQL for invoices" in contents(filled)


def test_what_changed_meanwhile_stays(filled):
    (fact,) = [memory for memory in filled.memories() if memory["kind"] == "fact"]
    other = f"{filled.plugin}/bin/keepstone revise {fact['id']} VPN for releases > /dev/null; "
    other += 'sed -i s/deploys/shipping/ "$1"'
    path = filled.root / "slow"
    path.write_text(f"#!/bin/sh\n{other}\n")
    path.chmod(0o755)
    done = filled.keepstone("edit", "--yes", EDITOR=str(path))
    assert "was changed meanwhile" in done.stdout and "VPN for releases" in contents(filled)


def test_without_memories_there_is_nothing_to_edit(machine):
    assert "No memories to edit" in machine.keepstone("edit", EDITOR="/nowhere/vi").stderr


@pytest.mark.parametrize("name", ["EDITOR", "VISUAL"])
@pytest.mark.parametrize("spelled", ["./ed", "'{project}/ed'", "/proc/self/cwd/ed --wait", "env ./ed", "env"])
def test_an_editor_that_may_be_a_repositorys_is_not_started(filled, name, spelled):
    program = filled.project / "ed"
    program.write_text(f"#!/bin/sh\ntouch '{filled.root}/started'\n")
    program.chmod(0o755)
    if spelled == "env":
        (filled.project / ".envrc").write_text(f"export {name}=env\n")
    done = filled.keepstone("edit", "--yes", ok=False, **{name: spelled.format(project=filled.project)})
    assert done.returncode == 2 and "may be this repository's" in done.stderr
    assert not (filled.root / "started").exists()
