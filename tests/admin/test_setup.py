"""`keepstone setup` changes what was asked for and nothing else; what `keepstone uninstall` leaves is what there was
before.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys

import pytest

from admin.conftest import EVERYTHING
from support import known_home, require, tree


def test_a_home_that_never_saw_keepstone_is_as_it_was(owner):
    owner.keepstone("setup", *EVERYTHING)
    assert len(tree(owner.user_home)) == 17
    owner.keepstone("uninstall", "--yes")
    assert tree(owner.user_home) == {}


def test_a_home_that_is_lived_in_is_as_it_was(owner):
    owner.lives_here()
    before = tree(owner.user_home)
    owner.keepstone("setup", *EVERYTHING)
    owner.keepstone("setup", *EVERYTHING)
    settings = json.loads((owner.client_folder / "settings.json").read_text())
    assert settings["env"] == {"GREETING": "grüß dich"} and settings["statusLine"]["type"] == "command"
    assert (
        (owner.client_folder / "CLAUDE.md")
        .read_text()
        .startswith("# Mine\n\nBe brief; don't guess.\n\n<!-- keepstone:")
    )
    changed = {path for path, what in tree(owner.user_home).items() if before.get(path) != what}
    assert changed == {
        *(".local/bin/keepstone", ".claude/skills/memory", ".claude/skills/memory/SKILL.md", ".claude/settings.json"),
        *(".claude/CLAUDE.md", *(f".local/share/keepstone/{name}" for name in KEEPSTONES_OWN)),
    }
    owner.keepstone("uninstall", "--yes")
    assert tree(owner.user_home) == before


KEEPSTONES_OWN = ("statusline", "plugin", "installed.json", "config.json")


@pytest.mark.parametrize(
    "text", ["{}", "{}\n", "", '{\r\n\t"a": 1\r\n}\r\n', '\ufeff{"a":1}', '{ "hooks": {"Stop": [ ] } }']
)
def test_any_layout_of_the_clients_settings_comes_back(owner, text):
    path = owner.has(".claude/settings.json", text)
    before = tree(owner.user_home)
    owner.keepstone("setup", "--statusline")
    assert "statusLine" in json.loads(path.read_bytes().decode("utf-8-sig"))
    owner.keepstone("uninstall", "--yes")
    assert tree(owner.user_home) == before


@pytest.mark.parametrize("text", [b"", b"\n", b"a\r\nb", b"caf\xe9 in latin-1\n", b"a\n\n\n"])
def test_any_text_of_the_users_rules_comes_back(owner, text):
    owner.has(".claude/CLAUDE.md", text)
    before = tree(owner.user_home)
    owner.keepstone("setup", "--claude-md")
    assert (owner.client_folder / "CLAUDE.md").read_bytes().startswith(text)
    owner.keepstone("uninstall", "--yes")
    assert tree(owner.user_home) == before


def test_links_into_a_repository_of_settings_stay_links(owner):
    kept = owner.has("dotfiles/settings.json", '{"a": 1}', 0o600), owner.has("dotfiles/rules.md", "mine\n")
    owner.client_folder.mkdir()
    (owner.client_folder / "settings.json").symlink_to(kept[0])
    (owner.client_folder / "CLAUDE.md").symlink_to("../dotfiles/rules.md")
    before = tree(owner.user_home)
    owner.keepstone("setup", "--statusline", "--claude-md")
    assert (owner.client_folder / "settings.json").is_symlink() and "statusLine" in kept[0].read_text()
    assert (owner.client_folder / "CLAUDE.md").is_symlink() and "keepstone:rules" in kept[1].read_text()
    owner.keepstone("uninstall", "--yes")
    assert tree(owner.user_home) == before


def test_the_clients_folder_may_be_elsewhere(owner):
    elsewhere = owner.user_home / "cc"
    owner.keepstone("setup", *EVERYTHING, CLAUDE_CONFIG_DIR=str(elsewhere))
    assert {path.name for path in elsewhere.iterdir()} == {"CLAUDE.md", "settings.json", "skills"}
    assert not owner.client_folder.exists()
    owner.keepstone("uninstall", "--yes")  # by its record: the variable may be gone
    assert tree(owner.user_home) == {}


def test_without_a_flag_it_shows_what_there_is_and_changes_nothing(owner):
    owner.lives_here()
    before = tree(owner.user_home)
    said = owner.keepstone("setup").stdout
    for flag in ("--shell", "--slash-memory", "--statusline", "--claude-md", "--extractor NAME"):
        assert f"\n{flag}" in said
    assert "hides the client's own dialog" in said and "writes ~/.local/bin/keepstone" in said and "now rules" in said
    assert "edits ~/.claude/CLAUDE.md" in said and "Type" not in said and "keepstone setup --shell --statusline" in said
    assert all(len(line) <= 80 for line in said.splitlines()) and tree(owner.user_home) == before
    owner.keepstone("setup", *EVERYTHING)
    assert owner.keepstone("setup").stdout.count(" done\n") == 4


def test_a_dry_run_shows_what_would_be_written_and_nothing_of_the_users(owner):
    owner.lives_here()
    before = tree(owner.user_home)
    said = owner.keepstone("setup", *EVERYTHING, "--dry-run").stdout
    assert tree(owner.user_home) == before
    assert '+    "statusLine": {' in said and "+## Memory" in said and "+exec" not in said and "grüß" not in said
    shown = "".join(line[3:] + "\n" for line in said.split("would")[1].splitlines()[1:])
    owner.keepstone("setup", "--shell")
    assert shown == owner.shim.read_text()


def test_what_is_not_ours_is_left_alone(owner):
    owner.lives_here()
    owner.has(".local/bin/keepstone", "#!/bin/sh\necho mine\n", 0o755)
    owner.has(".claude/skills/memory/notes.txt", "mine")
    owner.has(".claude/settings.json", '{"statusLine": {"type": "command", "command": "mine"}}')
    owner.has(".claude/CLAUDE.md", "<!-- keepstone:rules:begin -->\nmine\n<!-- keepstone:rules:end -->\n")
    before = tree(owner.user_home)
    for flag, says, hint in (
        ("--shell", "bin/keepstone is there already, and not by", "move it away"),
        ("--slash-memory", "skills/memory is there already, and not by", "move it away"),
        ("--claude-md", "that are not Keepstone's", "remove these lines"),
        ("--statusline", "has a statusLine of your own", "have that script print Keepstone's line as well"),
    ):
        done = owner.keepstone("setup", flag, ok=False)
        assert done.returncode == 1 and says in done.stderr and hint in done.stderr, done.stderr
        now = tree(owner.user_home)
        assert {path for path in now if now[path] != before.get(path)} <= {
            f".local/share/keepstone/{name}" for name in KEEPSTONES_OWN
        }
    assert owner.keepstone("setup").stdout.count("not possible: ") == 4
    owner.keepstone("uninstall", "--yes")
    assert tree(owner.user_home) == before


def test_the_line_for_a_status_line_of_ones_own_works(owner):
    owner.lives_here()
    owner.has(".claude/settings.json", '{"statusLine": {"type": "command", "command": "mine"}}')
    hint = owner.keepstone("setup", "--statusline", ok=False).stderr.partition("as well: ")[2]
    said = owner.command(["/bin/sh", "-c", f"input='{{}}'; {hint}"])
    assert said.stdout == "keepstone 1 memory, 1 new this week\n"


@pytest.mark.parametrize("what", ["a link", "a dead link", "a folder"])
def test_whatever_stands_where_the_command_would_be_stays(owner, what):
    owner.shim.parent.mkdir(parents=True)
    if what == "a folder":
        owner.shim.mkdir()
    else:
        owner.shim.symlink_to("/bin/true" if what == "a link" else "/nowhere")
    before = tree(owner.user_home)
    assert "there already" in owner.keepstone("setup", "--shell", ok=False).stderr
    assert tree(owner.user_home) == before


def test_broken_settings_and_lost_markers_are_named_and_left(owner):
    owner.has(".claude/settings.json", '{"a": 1,}')
    owner.has(".claude/CLAUDE.md", "<!-- keepstone:rules:begin -->\nmine\n")
    before = {path: what for path, what in tree(owner.user_home).items() if path.startswith(".claude")}
    done = owner.keepstone("setup", "--statusline", "--claude-md", ok=False)
    assert "settings.json can't be read" in done.stdout and "keepstone:rules" in done.stderr
    now = {path: what for path, what in tree(owner.user_home).items() if path.startswith(".claude")}
    assert now == before


def test_what_can_be_done_is_done_where_something_else_can_not(owner):
    owner.has(".claude/skills/memory/SKILL.md", "mine")
    done = owner.keepstone("setup", "--slash-memory", "--claude-md", ok=False)
    assert done.returncode == 1 and "there already" in done.stderr
    assert "keepstone:rules" in (owner.client_folder / "CLAUDE.md").read_text()


def test_an_unknown_extractor_is_a_mistake_and_changes_nothing(owner):
    done = owner.keepstone("setup", "--extractor", "magic", ok=False)
    assert done.returncode == 2 and "rules or claude-cli" in done.stderr and tree(owner.user_home) == {}


def test_choosing_an_extractor_says_what_it_takes_and_a_second_choice_goes_back_to_the_first_state(owner):
    owner.lives_here()
    before = tree(owner.user_home)
    assert "claude-haiku-4-5" in owner.keepstone("setup", "--extractor", "anthropic").stdout
    owner.keepstone("setup", "--extractor", "claude-cli")
    assert json.loads((owner.home / "config.json").read_text()) == {"brief_limit": 8, "extractor": "claude-cli"}
    owner.keepstone("uninstall", "--yes")
    assert tree(owner.user_home) == before


def test_a_later_plugins_files_replace_the_earlier_ones(owner, tmp_path):
    later = tmp_path / "later"
    shutil.copytree(owner.plugin / "src", later / "src", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("bin", "skills"):
        shutil.copytree(owner.plugin / name, later / name)
    rules = (owner.plugin / "CLAUDE.md.template").read_text()
    (later / "CLAUDE.md.template").write_text(rules.replace("## Memory", "## Memory, later"))
    for name in ("shim.sh", "statusline.sh"):
        with (later / "src" / "keepstone" / "admin" / "install" / name).open("a") as script:
            script.write("# later\n")
    owner.lives_here()
    before = tree(owner.user_home)
    owner.keepstone("setup", *EVERYTHING)
    env = {"PYTHONPATH": str(later / "src")}
    assert owner.keepstone("setup", **env).stdout.count("to be renewed: ") == 3
    owner.keepstone("setup", *EVERYTHING, **env)
    assert owner.shim.read_text().endswith("# later\n") and (owner.home / "plugin").read_text() == f"{later}\n"
    assert (owner.client_folder / "CLAUDE.md").read_text().count("## Memory, later") == 1
    owner.keepstone("uninstall", "--yes", **env)
    assert tree(owner.user_home) == before


# Runs command lines, each in a fork of its own; kills one, as kill -9 does, right before the n-th change to the file
# system, where n is not 0. Prints what became of each.
FORKS = """
import importlib, os, pkgutil, signal, sys
import keepstone
from keepstone.cli.main import main
for module in pkgutil.walk_packages(keepstone.__path__, "keepstone."):  # each fork would load them anew
    if module.name != "keepstone.__main__":
        importlib.import_module(module.name)
def watch(event, args):
    global left
    if event in ("os.rename", "os.mkdir", "os.chmod", "os.remove", "os.rmdir") and "pycache" not in str(args[0]):
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
for line in sys.stdin:
    step, *sys.argv[1:] = line.split()
    child = os.fork()
    if not child:
        left = int(step)
        os.dup2(os.open(os.devnull, os.O_RDWR), 0)
        os.dup2(0, 1)
        sys.addaudithook(watch)
        try:
            main()
        except SystemExit as end:
            os._exit(end.code)  # an interpreter with all of it loaded takes a second to come to its end
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.fixture
def forks(owner):
    """Runs a command; whether it was killed at that change."""
    argv = [sys.executable, "-B", "-c", FORKS]
    with subprocess.Popen(
        argv, env=owner.env, cwd=owner.project, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:

        def run(*words, step=0):
            print(step, *words, file=running.stdin, flush=True)
            code = int(running.stdout.readline())
            assert code == 0 or (step and code == -signal.SIGKILL), (words, code)
            return code != 0

        yield run
        running.stdin.close()


EVERY = 2  # a kill at every second step, from the first or from the second: all take a minute


@pytest.mark.system
def test_a_setup_that_is_killed_anywhere_is_taken_back(owner, forks):
    owner.lives_here()
    before = tree(owner.user_home)
    step = 1
    while forks("setup", *EVERYTHING, step=step):
        forks("uninstall", "--yes")
        now = tree(owner.user_home)
        assert {path for path in now if not _is_a_records_own(path)} == set(before), step
        assert all(now[path] == before[path] for path in before), step
        for path in filter(_is_a_records_own, now):
            (owner.user_home / path).unlink()
        step += EVERY
    assert step > 15


def _is_a_records_own(path):
    """What a kill leaves that came before the record itself: it lies in the data home, where a purge finds it."""
    return path.startswith((".local/share/keepstone/installed.json.", ".local/share/keepstone/plugin."))


@pytest.mark.system
def test_an_uninstall_that_is_killed_anywhere_goes_on_the_next_time(owner, forks):
    owner.lives_here()
    before = tree(owner.user_home)
    step, killed = EVERY, True
    while killed:
        forks("setup", *EVERYTHING)
        killed = forks("uninstall", "--yes", step=step)
        forks("uninstall", "--yes")
        left = [path for path in tree(owner.user_home) if _is_a_records_own(path)]
        for path in left:
            (owner.user_home / path).unlink()
        assert tree(owner.user_home) == before, step
        step += EVERY
    assert step > 15


def test_on_a_terminal_it_asks_for_each(owner):
    code, shown = owner.terminal(["setup"], ["y", "", "no", "Y", "rules"])
    assert code == 0 and shown.count("[y/N]") == 4 and "Which? [rules: Enter keeps it]" in shown, shown
    assert owner.shim.exists() and "keepstone:rules" in (owner.client_folder / "CLAUDE.md").read_text()
    assert not (owner.client_folder / "settings.json").exists() and not (owner.home / "config.json").exists()
    code, shown = owner.terminal(["uninstall"], [""])
    assert code == 0 and "Nothing is removed." in shown and owner.shim.exists()
    code, shown = owner.terminal(["uninstall"], ["y"])
    assert code == 0 and tree(owner.user_home) == {}, shown


def test_a_refusal_on_a_terminal_goes_on_to_the_next_question(owner):
    code, shown = owner.terminal(["setup"], ["n", "n", "n", "n", "magic"])
    assert code == 0 and "Not done: extractor can't be 'magic'" in shown and tree(owner.user_home) == {}


@pytest.mark.parametrize("python", ["python3", pytest.param("python3.9", marks=pytest.mark.system)])
def test_it_works_before_the_packages_are_there(owner, python):
    found = shutil.which(python)
    works = found and subprocess.run([found, "-c", "import _sqlite3"], capture_output=True).returncode == 0
    require(python, works, f"install {python}")
    owner.record_interpreters()
    (owner.home / "python").write_text(f"{found}\n\n")
    known_home(owner.home)
    before = tree(owner.user_home)
    owner.bin("setup", *EVERYTHING)
    bare = tree(owner.user_home)
    owner.bin("uninstall", "--yes")
    assert tree(owner.user_home) == before
    assert "--slash-memory" in owner.bin("setup").stdout and "--shell" in owner.bin("setup", "--help").stdout
    owner.keepstone("setup", *EVERYTHING)
    full = tree(owner.user_home)
    assert {path: bare[path] for path in bare if "installed" not in path} == {
        path: full[path] for path in full if "installed" not in path
    }
    assert owner.bin("uninstall", ok=False).returncode == 1
    owner.bin("uninstall", "--yes")
    assert tree(owner.user_home) == before


def test_without_a_home_it_says_what_to_set(owner):
    env = {"KEEPSTONE_HOME": str(owner.root / "data")}
    del owner.env["HOME"]
    done = owner.keepstone("setup", "--shell", ok=False, **env)
    assert done.returncode == 2 and "HOME is not set" in done.stderr and not (owner.root / "data").exists()


@pytest.mark.system
def test_a_home_that_can_not_be_written_is_named(owner):
    require("a user other than root", os.geteuid() != 0, "run the tests as a normal user")
    owner.user_home.chmod(0o500)
    done = owner.keepstone("setup", "--shell", ok=False)
    owner.user_home.chmod(0o700)
    assert done.returncode == 1 and "denied" in done.stderr and tree(owner.user_home) == {}


def test_text_that_was_added_without_a_line_break_before_it_stays(owner):
    rules = owner.has(".claude/CLAUDE.md", "My rules")
    owner.keepstone("setup", "--claude-md")
    rules.write_text(rules.read_text() + "- more\n")
    owner.keepstone("uninstall", "--yes")
    assert rules.read_text() == "My rules\n- more\n"


def test_a_member_that_is_null_is_somebodys_own(owner):
    text = '{"statusLine": null, "model": "opus"}'
    settings = owner.has(".claude/settings.json", text)
    done = owner.keepstone("setup", "--statusline", ok=False)
    assert done.returncode == 1 and "has a statusLine of your own" in done.stderr and settings.read_text() == text


def test_what_is_no_file_is_refused_and_the_others_are_done(owner):
    (owner.user_home / ".local").mkdir(exist_ok=True)
    (owner.user_home / ".local" / "bin").symlink_to("/nowhere/bin")
    owner.client_folder.mkdir(exist_ok=True)
    os.mkfifo(owner.client_folder / "CLAUDE.md")
    done = owner.keepstone("setup", "--shell", "--claude-md", "--statusline", ok=False)
    assert done.returncode == 1 and "CLAUDE.md is no file" in done.stdout + done.stderr
    assert ".local/bin: " in done.stdout + done.stderr
    assert "statusLine" in (owner.client_folder / "settings.json").read_text()
