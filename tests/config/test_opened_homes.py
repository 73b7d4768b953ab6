"""A data home that only a variable names is opened in a session only if its user has opened it outside of one."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time

import pytest

from homes import SHELLS, VARIABLES, by_shell, planted
from keepstone.admin.health_report import Facts, report
from keepstone.config.provenance import data_home, is_noted, is_opened_in_sessions, note_home, own_home, require_home
from keepstone.context import open_context
from keepstone.lib.errors import BadInput
from support import known_home

# Where a repository's files, or what a package manager has brought, may lie: no git repository is around any of them.
PLACES = {
    "jujutsu": "clone/.jj",
    "mercurial": "clone/.hg",
    "subversion": "clone/.svn",
    "an archive": "clone/src",
    "a bare repository": "clone.git/objects",
    "a crate": "user/.cargo/registry/src/index/evil-1.0/src",
    "a package of npm": "user/.cache/npm/evil/lib",
    "a wheel": "user/.local/lib/python3/site-packages/evil",
    "a module of Go": "user/go/pkg/mod/evil@v1.0.0/cmd",
    "what a build has made": "built/evil",
}
MARKS = ({"CLAUDECODE": "1"}, {"CLAUDE_CODE_SESSION_ID": "s", "CLAUDE_PROJECT_DIR": "{elsewhere}"})


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """Where the session's shell stands: in no folder of the repository."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def opened(environ, folder, shells=SHELLS):
    """The data homes that Python and the launchers in some shells open."""
    return {data_home(environ) or "", *(by_shell(shell, environ, folder) for shell in shells)}


def some(number):
    """Every second one of the shells: the neighbouring case asks the others."""
    return SHELLS[number % 2 :: 2] or SHELLS


@pytest.mark.parametrize("number", range(len(MARKS)), ids=["", "project"])
@pytest.mark.parametrize("variable", list(VARIABLES))
@pytest.mark.parametrize("place", list(PLACES))
def test_no_home_that_a_variable_names_is_opened_before_its_user_has(place, variable, number, tmp_path, elsewhere):
    (tmp_path / PLACES[place]).mkdir(parents=True)
    base = (tmp_path / PLACES[place]).parent
    home = planted(base / "ks" / VARIABLES[variable])
    own = planted(tmp_path / "user/.local/share/keepstone")
    note_home(str(own), {})
    plain = {"HOME": str(tmp_path / "user"), variable: str(base / "ks")}
    environ = {**plain, **{name: value.format(elsewhere=elsewhere) for name, value in MARKS[number].items()}}
    shells = some(number)
    one = [shells[list(PLACES).index(place) % len(shells)]]
    assert opened(environ, elsewhere, shells) == {""}
    with pytest.raises(BadInput, match="a repository may have set") as told:
        require_home(environ)
    assert "~/.claude/settings.json" in told.value.hint and str(home) in told.value.hint
    assert opened(plain, elsewhere, one) == {str(home)}  # in a terminal it is the user's choice
    note_home(str(home), environ)
    assert not is_noted(str(home))  # not by what runs in a session
    note_home(str(home), plain)
    assert opened(environ, elsewhere, one) == {str(home)}
    assert opened({**environ, variable: "", "HOME": str(tmp_path / "user")}, elsewhere, one) == {str(own)}


FORGED = {
    "nothing": None,
    "an empty mark": "",
    "zeros": "0 0",
    "a pattern": "*",
    "a guess": "12 1700000000",
    "two lines": "12 1700000000\n13 1700000000",
    "a command": "$(stat -c '%i %Z' opened)",
    "a mark of another home": "copy",
}


@pytest.mark.parametrize("shape", ["file", "link", "folder", "none"])
@pytest.mark.parametrize("forged", list(FORGED))
def test_a_note_that_came_with_the_files_is_none(forged, shape, tmp_path, elsewhere):
    true = planted(tmp_path / "true")
    note_home(str(true), {})
    home = planted(tmp_path / "forged")
    said = (true / "opened.mark").read_text() if FORGED[forged] == "copy" else FORGED[forged]
    if said is not None:
        (home / "opened.mark").write_text(said + "\n")
    make = {
        "file": lambda path: shutil.copy2(true / "opened", path),
        "link": lambda path: path.symlink_to(true / "opened"),
        "folder": lambda path: path.mkdir(),
        "none": lambda path: None,
    }
    make[shape](home / "opened")
    environ = {"HOME": str(tmp_path / "user"), "KEEPSTONE_HOME": str(home), "CLAUDECODE": "1"}
    assert opened(environ, elsewhere) == {""}
    environ["KEEPSTONE_HOME"] = str(true)
    one = [SHELLS[list(FORGED).index(forged) % len(SHELLS)]]
    assert opened(environ, elsewhere, one) == {str(true)}
    true.rename(tmp_path / "moved")
    environ["KEEPSTONE_HOME"] = str(tmp_path / "moved")
    assert opened(environ, elsewhere, one) == {str(tmp_path / "moved")}


@pytest.mark.parametrize("spelled", ["{own}/.local/share/keepstone", "{own}/.local/share/../share/keepstone"])
def test_the_default_place_needs_no_note(spelled, elsewhere):
    home = f"{own_home()}/.local/share/keepstone"
    given = spelled.format(own=own_home())
    if os.path.isdir(home) and ".." not in given:
        assert data_home({"HOME": "/nowhere", "KEEPSTONE_HOME": given, "CLAUDECODE": "1"}) == home
    else:  # none is there, or it is not written plainly
        assert data_home({"HOME": "/nowhere", "KEEPSTONE_HOME": given, "CLAUDECODE": "1"}) in (None, home)


def test_who_exports_it_in_a_profile_is_told_what_to_type_and_finds_the_memories_then(machine):
    home = machine.root / "my memories"
    machine.env["KEEPSTONE_HOME"] = str(home)
    session = {"CLAUDECODE": "1", "CLAUDE_PROJECT_DIR": str(machine.project), "CLAUDE_CODE_ENTRYPOINT": "cli"}
    for stands in (False, True):  # whether the home is there already, as before an update
        told = json.loads(machine.hook("session-start", machine.event(source="startup"), **session).stdout)
        assert "Keepstone is off: a variable names the data home" in told["systemMessage"]
        assert machine.keepstone("recent", ok=False, **session).returncode == 2
        said = machine.keepstone("recent", ok=False, **session).stderr
        command = re.search(r"outside of a session: (.*)$", said, re.MULTILINE)[1]
        if stands:
            assert "mkdir" not in command
            subprocess.run(["/bin/sh", "-c", command], env=machine.env, cwd=machine.project, check=True)
        else:
            assert "mkdir -p" in command
            home.mkdir(mode=0o700)
            (home / "python").write_text((machine.home / "python").read_text())
    machine.keepstone("store", "Deploys need the VPN", **session)
    brief = machine.hook("session-start", machine.event(source="startup"), **session).stdout
    assert "Deploys need the VPN" in brief
    assert "Deploys need the VPN" in machine.keepstone("recent").stdout


def test_a_home_that_is_made_in_a_terminal_is_noted_at_once(tmp_path):
    home = tmp_path / "memories"
    context = open_context(str(home), str(tmp_path), {"HOME": str(tmp_path), "KEEPSTONE_HOME": str(home)})
    assert not home.exists()  # who only looks makes nothing
    context.prepare()
    assert is_noted(str(home))


def test_a_session_that_makes_a_home_does_not_note_it(tmp_path):
    home = tmp_path / "memories"
    environ = {"HOME": str(tmp_path), "KEEPSTONE_HOME": str(home), "CLAUDECODE": "1"}
    open_context(str(home), str(tmp_path), environ).prepare()
    assert home.exists() and not is_noted(str(home))


def test_only_a_home_that_is_not_the_default_one_is_made_for_its_note(tmp_path):
    default, named = tmp_path / ".local/share/keepstone", tmp_path / "named"
    for home in (default, named):
        note_home(str(home), {"HOME": str(tmp_path)}, makes=True)
    assert not default.exists() and is_noted(str(named))
    assert named.stat().st_mode & 0o777 == 0o700


def touched(home):
    """As `chmod -R` leaves it: the files were changed at another time."""
    (home / "opened.mark").write_text("1 1\n")


def copied(home):
    """As a restore leaves it: other files with the same content."""
    shutil.copytree(home, home.with_name("copy"))
    shutil.rmtree(home)
    home.with_name("copy").rename(home)


def linked(home):
    """As `cp -al` leaves it: the file has one more name, which changes its time."""
    time.sleep(1.1)
    os.link(home / "opened", home.with_name("backup"))


@pytest.mark.parametrize("content", [[], ["python"]], ids=["empty", "used"])
@pytest.mark.parametrize("change", [touched, copied, linked])
def test_the_next_command_in_a_terminal_renews_a_stale_note(change, content, tmp_path, elsewhere):
    home = tmp_path / "memories"
    known_home(home)
    for name in content:
        (home / name).write_text("/bin/true\n")
    plain = {"HOME": str(tmp_path / "user"), "KEEPSTONE_HOME": str(home)}
    change(home)
    assert not is_noted(str(home))
    open_context(None, str(elsewhere), plain)
    assert is_noted(str(home))


def test_doctor_says_whether_sessions_open_a_home_that_a_variable_names(machine):
    def said(**more):
        checks = json.loads(machine.keepstone("doctor", "--json", ok=False, **more).stdout)
        return [check["state"] for check in checks if check["name"] == "home in sessions"]

    assert said() == []  # nothing names it but HOME
    home = machine.root / "memories"
    home.mkdir(mode=0o700)
    assert said(KEEPSTONE_HOME=str(home)) == ["ok"]
    assert said(KEEPSTONE_HOME=str(home), CLAUDECODE="1") == []


def test_doctor_warns_of_a_home_that_sessions_do_not_open(tmp_path):
    environ = {"HOME": str(tmp_path), "KEEPSTONE_HOME": str(tmp_path / "memories")}
    assert is_opened_in_sessions(environ["KEEPSTONE_HOME"], environ) is False
    assert is_opened_in_sessions(str(tmp_path / "another"), environ) is None
    told = {check.name: check for check in report(Facts(opened_in_sessions=False))}["home in sessions"]
    assert told.state == "warn" and "do not open it" in told.says and told.fix


def test_a_home_that_is_opened_in_a_terminal_is_opened_in_sessions(machine):
    machine.env["KEEPSTONE_HOME"] = str(machine.root / "memories")
    machine.keepstone("store", "Deploys need the VPN")
    assert is_noted(machine.env["KEEPSTONE_HOME"])
    session = {"CLAUDECODE": "1", "CLAUDE_PROJECT_DIR": str(machine.project)}
    assert "VPN" in machine.hook("session-start", machine.event(source="startup"), **session).stdout
    assert "VPN" in machine.bin("recent", **session).stdout
