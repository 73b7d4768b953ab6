"""`keepstone uninstall` takes back what setup did and no more, whatever became of it since; `--purge` the data home."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from admin.conftest import EVERYTHING
from keepstone.admin.install import purge
from keepstone.config import runtime
from keepstone.lib import files
from support import ROOT, tree


def test_what_the_user_changed_since_stays(owner):
    owner.lives_here()
    owner.keepstone("setup", *EVERYTHING)
    settings, rules = owner.client_folder / "settings.json", owner.client_folder / "CLAUDE.md"
    text = settings.read_text().replace('"haiku"', '"opus"')
    settings.write_text(text)
    rules.write_text("# First\n\n" + rules.read_text() + "\n# Last\n")
    config = owner.home / "config.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), "brief_limit": 3}))
    owner.keepstone("uninstall", "--yes")
    assert (
        settings.read_text()
        == json.dumps(
            {"model": "opus", "env": {"GREETING": "grüß dich"}, "permissions": {"allow": ["Bash(ls:*)"]}},
            indent=4,
            ensure_ascii=False,
        )
        + "\n\n"
    )
    assert rules.read_text() == "# First\n\n# Mine\n\nBe brief; don't guess.\n# Last\n"
    assert json.loads(config.read_text()) == {"brief_limit": 3}


def test_what_the_client_wrote_anew_loses_our_part_alone(owner):
    """It writes all of its settings in its own layout when a plugin is turned on."""
    settings = owner.has(".claude/settings.json", "{}")
    owner.keepstone("setup", "--statusline")
    own = {"enabledPlugins": {"keepstone@keepstone": True}}
    settings.write_text(json.dumps({**json.loads(settings.read_text()), **own}, indent=2))
    owner.keepstone("uninstall", "--yes")
    assert settings.read_text() == json.dumps(own, indent=2)


def test_a_file_that_setup_made_stays_with_what_the_user_added(owner):
    owner.keepstone("setup", "--statusline", "--claude-md")
    settings, rules = owner.client_folder / "settings.json", owner.client_folder / "CLAUDE.md"
    settings.write_text(json.dumps({**json.loads(settings.read_text()), "model": "opus"}))
    rules.write_text(rules.read_text() + "\nBe brief.\n")
    owner.keepstone("uninstall", "--yes")
    assert json.loads(settings.read_text()) == {"model": "opus"} and rules.read_text().strip() == "Be brief."


def test_parts_of_ours_that_the_user_changed_are_the_users_now(owner):
    owner.keepstone("setup", *EVERYTHING)
    settings, rules = owner.client_folder / "settings.json", owner.client_folder / "CLAUDE.md"
    owner.shim.write_text("#!/bin/sh\necho mine\n")
    rules.write_text(rules.read_text().replace("at once", "when I say so"))
    settings.write_text('{"statusLine": {"type": "command", "command": "mine"}}')
    owner.keepstone("config", "extractor", "anthropic")
    kept = {path: path.read_bytes() for path in (owner.shim, rules, settings, owner.home / "config.json")}
    done = owner.keepstone("setup", "--shell", "--claude-md", ok=False)
    assert "was changed by hand" in done.stdout and "not Keepstone's" in done.stderr
    said = owner.keepstone("uninstall", "--yes").stdout
    assert said.count("left as it is: ") == 4 and {path: path.read_bytes() for path in kept} == kept
    assert not (owner.client_folder / "skills").exists() and not (owner.home / "statusline").exists()
    assert "nothing here" in owner.keepstone("uninstall", "--yes").stdout


def test_what_the_user_removed_already_is_no_matter(owner):
    owner.lives_here()
    owner.keepstone("setup", *EVERYTHING)
    shutil.rmtree(owner.client_folder)
    owner.shim.unlink()
    said = owner.keepstone("uninstall", "--yes").stdout
    assert said.count("gone already: ") == 4 and not owner.client_folder.exists()


def test_a_folder_of_setups_that_holds_something_else_by_now_stays(owner):
    owner.keepstone("setup", "--slash-memory", "--shell")
    owner.has(".claude/skills/other/SKILL.md", "mine")
    owner.keepstone("uninstall", "--yes")
    left = {path for path, what in tree(owner.user_home).items() if what[0] == "file"}
    assert {path for path in left if "/keepstone/opened" not in path} == {".claude/skills/other/SKILL.md"}


def test_without_a_terminal_it_shows_what_goes_and_how_to_say_yes(owner):
    owner.lives_here()
    owner.keepstone("setup", *EVERYTHING)
    before = tree(owner.user_home)
    for more, hint in (([], "keepstone uninstall --yes\n"), (["--purge"], "keepstone uninstall --yes --purge\n")):
        done = owner.keepstone("uninstall", *more, ok=False)
        assert done.returncode == 1 and done.stderr.endswith(f"Try: {hint}") and tree(owner.user_home) == before
        assert "its part of ~/.claude/settings.json" in done.stdout and "keepstone export" in done.stdout
    assert "1 memory and all else in ~/.local/share/keepstone, for good" in done.stdout


def test_where_nothing_was_set_up_it_says_what_the_client_removes(owner):
    said = owner.keepstone("uninstall").stdout
    assert "has changed nothing here" in said and "claude plugin uninstall keepstone@keepstone" in said
    assert tree(owner.user_home) == {}
    (owner.client_folder / "plugins" / "cache" / "keepstone").mkdir(parents=True)
    assert "rm -rf '" in owner.keepstone("uninstall").stdout


def test_a_purge_leaves_nothing(owner):
    owner.keepstone("setup", *EVERYTHING)
    owner.keepstone("store", "Deploys need the VPN")
    owner.hook("session-start", owner.event())
    said = owner.keepstone("uninstall", "--purge", "--yes").stdout
    assert tree(owner.user_home) == {} and "Keepstone's data stay" not in said


def test_a_purge_knows_every_name_in_the_data_home():
    """Whoever puts something new there adds it to the list of what is Keepstone's."""
    named = set()
    for path in (ROOT / "src" / "keepstone").rglob("*.py"):
        named |= set(re.findall(r'join\((?:\w+\.)*home, "([^"]+)"', path.read_text()))
    assert len(named) > 10
    assert {name for name in named if not purge.is_ours(name)} <= {"projects", "settings.json", ".local", "Library"}
    copy = Path(runtime.database_file("/home", {"KEEPSTONE_DATABASE_URL": "postgresql://host/name"})).name
    assert all(purge.is_ours(copy + ending) for ending in purge.ENDINGS) and not purge.is_ours("copy-of-mine.db")


def test_a_purge_on_a_terminal_names_the_number_of_memories(owner):
    owner.lives_here()
    code, shown = owner.terminal(["uninstall", "--purge"], ["n"])
    assert code == 0 and "1 memory and all else in" in shown
    assert owner.memories()
    code, shown = owner.terminal(["uninstall", "--purge"], ["y"])
    assert code == 0 and not owner.home.exists() and owner.home.parent.exists()


def test_a_purge_of_damaged_data_works(owner):
    owner.lives_here()
    (owner.home / "keepstone.db").write_bytes(b"garbage" * 1000)
    assert "memories that can't be counted" in owner.keepstone("uninstall", "--purge", "--yes").stdout
    assert not owner.home.exists()


def test_a_purge_deletes_nothing_that_is_not_keepstones(owner):
    home = owner.root / "data"
    env = {"KEEPSTONE_HOME": str(home)}
    owner.keepstone("store", "Deploys need the VPN", **env)
    (home / "thesis.txt").write_text("mine")
    (home / "keepstone.db.backup").write_text("mine")
    outside = owner.root / "outside"
    outside.mkdir()
    (outside / "kept").write_text("mine")
    (home / "backups").symlink_to(outside)
    said = owner.keepstone("uninstall", "--purge", "--yes", **env).stdout
    assert {path.name for path in home.iterdir()} == {"thesis.txt", "keepstone.db.backup"}
    assert "keepstone.db.backup, thesis.txt" in said and (outside / "kept").exists()


@pytest.mark.parametrize("where", ["/", "{home}", "{home}/..", "{home}/own", "{root}/link"])
def test_a_folder_that_is_no_data_home_is_not_purged(owner, where):
    owner.has("own/thesis.txt", "mine")
    (owner.root / "link").symlink_to(owner.user_home)
    home = where.format(home=owner.user_home, root=owner.root)
    before = tree(owner.root)
    done = owner.keepstone("uninstall", "--purge", "--yes", ok=False, KEEPSTONE_HOME=home)
    said = "is not written plainly" if where.endswith("..") else "is no data home"
    assert done.returncode and said in done.stderr and tree(owner.root) == before


def test_a_purge_waits_for_the_worker(owner):
    owner.lives_here()
    held = files.lock(str(owner.home))
    command = [sys.executable, "-m", "keepstone", "uninstall", "--purge", "--yes"]
    running = subprocess.Popen(command, env=owner.env, cwd=owner.project, stdout=subprocess.PIPE, text=True)
    assert any("Waiting for what works in the background" in line for line in iter(running.stdout.readline, ""))
    assert owner.home.exists() and running.poll() is None
    files.unlock(held)
    running.communicate(timeout=30)
    assert running.returncode == 0 and not owner.home.exists()


def test_a_damaged_record_is_named(owner):
    owner.keepstone("setup", "--shell")
    (owner.home / "installed.json").write_text("{")
    for words in (["uninstall", "--yes"], ["setup", "--claude-md"]):
        done = owner.keepstone(*words, ok=False)
        assert done.returncode == 1 and "installed.json" in done.stderr and "Try: " in done.stderr
    assert owner.shim.exists() and not owner.client_folder.exists()


def test_no_secret_of_the_users_files_is_recorded(owner):
    owner.has(".claude/settings.json", json.dumps({"env": {"API_KEY": "kept-to-myself"}}))
    owner.has(".claude/CLAUDE.md", "The key is kept-to-myself")
    owner.keepstone("setup", *EVERYTHING)
    for path in owner.home.rglob("*"):
        assert path.is_dir() or b"kept-to-myself" not in path.read_bytes()
    assert oct(os.stat(owner.home / "installed.json").st_mode & 0o777) == "0o600"
