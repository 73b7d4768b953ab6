"""A data home that a repository may have chosen is not opened, by Python nor by the launchers."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest

from homes import NAMED, SHELLS, VARIABLES, by_shell, planted
from keepstone.config.named_by import sets
from keepstone.config.own_environment import own_environment
from keepstone.config.provenance import (
    LEFT_OUT,
    data_home,
    may_set,
    note_home,
    own_home,
    require_home,
    why_no_home,
)
from keepstone.lib.errors import BadInput
from support import ROOT, plugin_at

# Where a repository sets HOME: this user's real one. Python makes none there, and a launcher asks for a `python` in it.
REAL = f"{own_home()}/.local/share/keepstone"
REAL_TO_PYTHON = REAL if os.path.isdir(REAL) else None
REAL_TO_SHELL = "" if os.path.isdir(REAL) and not os.path.isfile(f"{REAL}/python") else REAL


@pytest.fixture
def repository(tmp_path):
    made = tmp_path / "clone"
    (made / "src" / "api").mkdir(parents=True)
    return made


def refused(environ, folder, monkeypatch):
    """Whether Python and every shell refuse the data home of an environment."""
    monkeypatch.chdir(folder)
    with pytest.raises(BadInput) as told:
        require_home(environ)
    assert told.value.hint and data_home(environ) is None
    return [by_shell(shell, environ, folder) for shell in SHELLS] == [""] * len(SHELLS)


WAYS = {
    "its path": "{repository}/.ks",
    "up and down again": "{repository}/src/../.ks",
    "the kernel's name of the folder": "/proc/self/cwd/.ks",
    "another slash": "//proc/self/cwd/.ks",
    "a link elsewhere": "{outside}/link",
    "a link to the kernel": "{outside}/cwd/.ks",
    "its own root": "{repository}",
    "a relative path": ".ks",
    "relative, from above": "../clone/.ks",
}


@pytest.mark.parametrize("variable", list(VARIABLES))
@pytest.mark.parametrize("way", list(WAYS))
def test_a_data_home_in_the_repository_is_refused_however_it_is_named(way, variable, repository, tmp_path, monkeypatch):
    base = repository if way == "its own root" else repository / ".ks"
    planted(base / VARIABLES[variable])
    (tmp_path / "link").symlink_to(repository / ".ks")
    (tmp_path / "cwd").symlink_to("/proc/self/cwd")
    environ = {"HOME": str(tmp_path / "user"), variable: WAYS[way].format(repository=repository, outside=tmp_path)}
    assert refused(environ, repository, monkeypatch)


UP = {"a folder above": "{repository}/.ks", "the kernel's name of it": "/usr/../proc/self/cwd/{up}/.ks"}


@pytest.mark.parametrize("way", list(UP))
@pytest.mark.parametrize("kind", ["repository", "worktree"])
@pytest.mark.parametrize("project", ["", "src", "src/api"])
@pytest.mark.parametrize("folder", ["src", "src/api"])
def test_a_data_home_in_the_repository_is_refused_from_every_folder_of_it(
    folder, project, kind, way, repository, tmp_path, monkeypatch
):
    work = repository
    if kind == "repository":
        (repository / ".git").mkdir()
    else:
        work = tmp_path / "linked"
        (work / "src" / "api").mkdir(parents=True)
        (work / ".git").write_text(f"gitdir: {repository}/.git/worktrees/linked\n")
        if "up" in UP[way]:
            planted(work / ".ks")
    planted(repository / ".ks")
    up = "/".join([".."] * len(folder.split("/")))
    environ = {"HOME": str(tmp_path / "user"), "KEEPSTONE_HOME": UP[way].format(repository=repository, up=up)}
    if project:
        environ["CLAUDE_PROJECT_DIR"] = str(work / project)
    assert refused(environ, work / folder, monkeypatch)


@pytest.mark.parametrize("variable", list(VARIABLES))
@pytest.mark.parametrize(
    "mark", ["CLAUDECODE", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_PROJECT_DIR"]
)
def test_a_session_opens_no_data_home_in_any_repository_wherever_its_shell_stands(
    mark, variable, repository, tmp_path, monkeypatch
):
    (repository / ".git").mkdir()
    planted(repository / ".ks" / VARIABLES[variable])
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    environ = {"HOME": str(tmp_path / "user"), variable: str(repository / ".ks"), mark: str(elsewhere)}
    assert refused(environ, elsewhere, monkeypatch)
    del environ[mark]
    monkeypatch.chdir(elsewhere)
    assert data_home(environ) == str(repository / ".ks" / VARIABLES[variable])  # in a terminal it is the user's choice


@pytest.mark.parametrize(
    "spelled", ["/./proc/self/cwd/.ks", "/.//proc/self/root/x", "/usr/../sys/x", "/a/../dev/shm/x"]
)
def test_a_data_home_that_is_not_written_plainly_is_refused(spelled, repository, monkeypatch):
    planted(repository / ".ks")
    assert refused({"HOME": "/nowhere", "KEEPSTONE_HOME": spelled}, repository, monkeypatch)


@pytest.mark.parametrize("folder", ["src", "src/api"])
@pytest.mark.parametrize("project", ["", "src"])
def test_a_data_home_in_the_project_is_refused_from_below_it_too(folder, project, repository, monkeypatch):
    home = planted(repository / "src" / ".ks")
    environ = {"HOME": "/nowhere", "KEEPSTONE_HOME": str(home), "CLAUDE_PROJECT_DIR": str(repository / "src")}
    assert refused(environ, repository / folder, monkeypatch)


def test_a_home_that_anybody_may_write_is_refused(tmp_path, repository, monkeypatch):
    for mode in (0o777, 0o720, 0o702):
        home = planted(tmp_path / "ks")
        home.chmod(mode)
        monkeypatch.chdir(repository)
        with pytest.raises(BadInput, match="others may write") as told:
            require_home({"KEEPSTONE_HOME": str(home)})
        assert told.value.hint == f"chmod go-w {home}"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_home_of_another_user_is_refused(tmp_path, repository, monkeypatch):
    home = planted(tmp_path / "ks")
    os.chown(home, 1234, 1234)
    assert refused({"KEEPSTONE_HOME": str(home)}, repository, monkeypatch)


FILES = ("python", "config.json", "keepstone.db", "keepstone.db-wal", "plugin", "spool", "spool/new", "venv")
MORE_FILES = (
    *(
        "installed.json",
        "copy-1.db",
        "keepstone.db-shm",
        "keepstone.db-journal",
        "token",
        "notice",
        "taken-back",
        "off",
    ),
    *("vectors", "vectors/static", "venv/1234", "build.json", "due", "all"),
)  # believed too, and told by whoever can enter


def filled(folder, mode):
    """A data home with all that is believed of one."""
    home = planted(folder)
    for name in ("spool", "spool/new", "venv", "vectors", "off", "venv/1234"):
        (home / name).mkdir(mode=0o700)
    for name in (*FILES, *MORE_FILES):
        if not (home / name).exists():
            (home / name).write_text("{}")
        (home / name).chmod(0o700 if (home / name).is_dir() else 0o600)
    home.chmod(mode)
    return home


def test_what_stands_in_a_home_is_believed_only_if_nobody_else_may_have_written_it(tmp_path, repository, monkeypatch):
    """Whoever can enter the folder can write what its mode lets them: in one of 0700 that is nobody."""
    monkeypatch.chdir(repository)
    for folder in (0o700, 0o710, 0o701, 0o711, 0o750, 0o755):
        home = filled(tmp_path / f"home-{folder:o}", folder)
        environ = {"HOME": str(tmp_path), "KEEPSTONE_HOME": str(home)}
        assert data_home(environ) == str(home)
        for name in (*FILES, *MORE_FILES):
            mode = (home / name).stat().st_mode & 0o777
            for more, enters in ((0o020, 0o010), (0o002, 0o001), (0o044, 0)):
                (home / name).chmod(mode | more)
                problem = why_no_home(environ)
                assert (problem is not None) == bool(folder & enters), (folder, name, more)
                assert problem is None or (f"{home}/{name}" in problem.message and problem.hint)
            (home / name).chmod(mode)
        assert data_home(environ) == str(home)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_file_of_another_user_is_not_believed_whatever_its_mode(tmp_path, repository, monkeypatch):
    home = filled(tmp_path / "ks", 0o700)
    environ = {"HOME": str(tmp_path), "KEEPSTONE_HOME": str(home)}
    monkeypatch.chdir(repository)
    for name in FILES:
        os.chown(home / name, 1234, 1234)
        problem = why_no_home(environ)
        assert problem and f"{home}/{name} belongs to another user" in problem.message
        if name == "python":
            assert [by_shell(shell, environ, repository) for shell in SHELLS] == [""] * len(SHELLS)
        os.chown(home / name, 0, 0)
        assert data_home(environ) == str(home)


def test_the_users_own_is_taken_wherever_one_works(tmp_path, repository, monkeypatch):
    home = planted(tmp_path / "data" / "ks")
    note_home(str(home), {})
    for folder in (repository, repository / "src", tmp_path / "data" / ".." / "clone", "/"):
        monkeypatch.chdir(folder)
        environ = {"HOME": str(tmp_path), "KEEPSTONE_HOME": str(home), "CLAUDE_PROJECT_DIR": str(repository)}
        assert data_home(environ) == str(home)
        assert [by_shell(shell, environ, folder) for shell in SHELLS] == [str(home)] * len(SHELLS)


def test_a_home_that_is_not_there_yet_is_made_when_it_is_needed(tmp_path, repository, monkeypatch):
    monkeypatch.chdir(repository)
    assert require_home({"KEEPSTONE_HOME": str(tmp_path / "new")}) == str(tmp_path / "new")


@pytest.mark.parametrize(("variable", "turn"), [("KEEPSTONE_HOME", 0), ("XDG_DATA_HOME", 1)])
@pytest.mark.parametrize("file", NAMED)
def test_what_a_repository_names_is_passed_over_for_the_users_own(
    file, variable, turn, tmp_path, repository, monkeypatch
):
    """Of each file every shell is asked, and each text is met in both folders: half of all for each variable."""
    user = tmp_path / "user"
    own = planted(user / ".local/share/keepstone")
    planted(tmp_path / "elsewhere" / VARIABLES[variable])
    environ = {"HOME": str(user), variable: str(tmp_path / "elsewhere")}
    path = repository.joinpath(*file)
    path.parent.mkdir(parents=True, exist_ok=True)
    letters = "".join(f"\\u{ord(letter):04x}" for letter in variable)
    plain = json.dumps({"env": {variable: environ[variable]}})
    escaped = f'{{"env": {{"{letters}": "/x"}}}}'
    wide = [text.encode(code) for text in (plain, escaped) for code in ("utf-16", "utf-16-be", "utf-32")]
    odd = (*wide, b" " * 1_100_000 + plain.encode())  # one with each file
    for number, text in enumerate((plain.encode(), escaped.encode(), odd[NAMED.index(file) % len(odd)])):
        path.write_bytes(text)
        is_huge = number == 2 and len(text) > 1_000_000
        # what is too large to read may set HOME too
        expected, launched = (REAL_TO_PYTHON, REAL_TO_SHELL) if is_huge else (str(own), str(own))
        folder = (repository, repository / "src" / "api")[(number + turn) % 2]
        monkeypatch.chdir(folder)
        assert data_home(environ) == expected
        assert own_environment(environ).get(variable) is None
        shell = SHELLS[(NAMED.index(file) + number + 2 * turn) % len(SHELLS)]
        assert by_shell(shell, environ, folder) == launched


@pytest.mark.parametrize("shell", SHELLS)
def test_a_home_with_a_line_end_is_not_named_by_a_line_of_the_users_settings(shell, tmp_path, repository):
    """The user's home is that of the system, so the script is told of another one."""
    script = tmp_path / "src" / "data-home.sh"
    script.parent.mkdir()
    for path in (ROOT / "src").glob("*.sh"):
        text = path.read_text()
        assert text.count("~$(id -un)") == (path.name == "provenance.sh")
        script.with_name(path.name).write_text(text.replace("~$(id -un)", "$OWN"))
    user = tmp_path / "user"
    own = planted(user / ".local/share/keepstone")
    named, tricky = planted(tmp_path / "named"), planted(tmp_path / "elsewhere\nvi")
    (user / ".claude").mkdir()
    (user / ".claude/settings.json").write_text(json.dumps({"env": {"EDITOR": "vi", "KEEPSTONE_HOME": str(named)}}))
    environ = {"HOME": str(user), "CLAUDECODE": "1", "OWN": str(user)}
    seen = [by_shell(shell, {**environ, "KEEPSTONE_HOME": str(home)}, repository, script) for home in (named, tricky)]
    assert (seen[0], str(tricky) in seen[1]) == (str(named), False), seen
    assert own.exists()


def test_where_the_user_has_none_of_their_own_a_repositorys_is_refused(tmp_path, repository, monkeypatch):
    planted(tmp_path / "elsewhere")
    (repository / ".envrc").write_text(f"export KEEPSTONE_HOME={tmp_path}/elsewhere\n")
    environ = {"HOME": str(tmp_path / "user"), "KEEPSTONE_HOME": str(tmp_path / "elsewhere")}
    monkeypatch.chdir(repository)
    with pytest.raises(BadInput, match="this repository's files name KEEPSTONE_HOME"):
        require_home(environ)
    assert data_home(environ) is None
    assert not (tmp_path / "user").exists()


def test_the_files_of_the_users_own_home_may_name_it(tmp_path, repository, monkeypatch):
    home = planted(tmp_path / "elsewhere")
    note_home(str(home), {})
    (tmp_path / ".envrc").write_text("export KEEPSTONE_HOME=anything\n")
    environ = {"HOME": str(tmp_path), "KEEPSTONE_HOME": str(home), "CLAUDE_PROJECT_DIR": str(repository)}
    monkeypatch.chdir(repository)
    assert require_home(environ) == str(home)
    assert [by_shell(shell, environ, repository) for shell in SHELLS] == [str(home)] * len(SHELLS)


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/full", "/dev/random"])
@pytest.mark.parametrize("name", [".env", ".envrc", ".mcp.json"])
def test_a_link_to_a_device_is_not_read_and_may_name_anything(name, device, tmp_path, repository, monkeypatch):
    planted(tmp_path / "elsewhere")
    (repository / name).symlink_to(device)
    environ = {"HOME": str(tmp_path / "user"), "KEEPSTONE_HOME": str(tmp_path / "elsewhere")}
    monkeypatch.chdir(repository)
    assert data_home(environ) == REAL_TO_PYTHON
    assert {by_shell(shell, environ, repository) for shell in SHELLS} == {REAL_TO_SHELL}


# What sets HOME in a file of JSON, and elsewhere; and what only speaks of it, or uses it.
SETS_HOME_IN_JSON = (
    *('{"env": {"HOME": "/x"}}', '{"env":{"\\u0048OME":"/x"}}', '{"env":{"H\\u004f\\u004DE" : "/x"}}'),
    *('{"HOME"\n:\t"/x"}', '{"HOME"\r\n  : "/x"}', '{"a": "HOME", "HOME":"/x"}'),
)
SETS_HOME = (
    *(
        "HOME=/x\n",
        "export HOME=/x\n",
        "x=1; HOME=/x",
        "\tHOME: /x\n",
        "ENV HOME /x\n",
        "ENV HOME=/x",
        "HOME=",
        "HOME:",
    ),
    *(
        "[env]\nHOME = '/x'\n",
        "env = {HOME='/x'}\n",
        "{HOME: /x}",
        "- HOME=/x\n",
        '- "HOME=/x"\n',
        "env:\n  'HOME': /x\n",
    ),
    *(
        "unset HOME; : ${HOME:=/x}\n",
        ": ${HOME=/x}",
        "export PATH=$HOME/bin HOME=/x\n",
        'export "HOME=/x"\n',
        "HOME+=/x",
    ),
    *('"\\u0048OME" = "/x"', '"\\x48\\x4f\\x4DE": /x', 'env.HOME = "/x";', 'env."HOME" = "/x"', 'x = ["HOME=/x"]'),
    *("A=1\rHOME=/x", "\ufeffHOME=/x", "{ a: b, HOME: /x }", "env HOME=/x make", "  env HOME /x", '{"HOME":"/x"}'),
)
SPEAKS_OF_HOME_IN_JSON = (
    *(
        '{"a": "\\u2713"}',
        '{"env": {"ANDROID_HOME": "/x"}}',
        '{"a": "HOME"}',
        '{"a": "HOME=/x"}',
        '["Bash(HOME=/x a:*)"]',
    ),
    *(
        '{"a": "$HOME/x"}',
        '{"a": "see \\"HOME\\": x"}',
        '{"HOMEBREW_PREFIX": "/x"}',
        '{"a": ["HOME", 1]}',
        "{}",
        "# HOME",
    ),
)
SPEAKS_OF_HOME = (
    *("# see HOME for more", "HOME_DIR=/x", "WORK.HOME=1", "env.HOME", "~HOME", 'os.environ["HOME"]', "%HOME%"),
    *(
        "HOMEBREW_PREFIX=",
        "PATH=$HOME/bin:$PATH\n",
        "PATH=${HOME}/bin\n",
        "JAVA_HOME=/x\n",
        "CARGO_HOME=$HOME/.cargo\n",
    ),
    *(
        "homepage = 'x'\n",
        "NEXT_PUBLIC_HOME_URL=/\n",
        "WELCOME_HOME=1\n",
        "",
        "  # HOME=/x\n",
        "${HOME:-/x}",
        "~HOME=/x",
    ),
    *("- HOME\n", '[ "$HOME" = /x ]', '[ "${HOME}" == /x ]', "%HOME%=/x", "aenv.HOME=1", "-v $HOME:/x", "HOME == 1"),
    *("${HOME: -1}", "echo 'HOME: x'", "MY-HOME=1", "HOMEHOME=1", "HOME:/x", "Welcome HOME", "ENV HOMEY /x", "\u2713"),
)


def home_texts():
    """(text, whether it is JSON, whether it sets HOME)"""
    for texts, does in ((SETS_HOME_IN_JSON, True), (SPEAKS_OF_HOME_IN_JSON, False)):
        yield from ((text, True, does) for text in texts)
    for texts, does in ((SETS_HOME, True), (SPEAKS_OF_HOME, False)):
        yield from ((text, False, does) for text in texts)


def test_what_sets_home_does_so_for_python_and_for_the_launchers_and_a_word_about_it_does_not(tmp_path):
    wrong = [one for one in home_texts() if sets("HOME", one[0].replace("\ufeff", ""), one[1]) != one[2]]
    assert wrong == []
    for number, (text, is_json, _) in enumerate(home_texts()):
        code = ("utf-8", "utf-16", "utf-16-be")[number % 3]
        (tmp_path / f"{number:02}{'.json' if is_json else ''}").write_bytes(text.encode(code))
    shown = f'. {ROOT}/src/provenance.sh; for file in [0-9]*; do sets_home "$file" && echo 1 || echo 0; done'
    for shell in SHELLS:
        words = [shutil.which(shell), *(["ash"] if shell == "busybox" else []), "-c", shown]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True)
        said = [one == "1" for one in done.stdout.split()]
        assert [one for one, does in zip(home_texts(), said, strict=True) if one[2] != does] == [], shell


def test_what_a_users_own_settings_set_home_to_is_believed_by_the_launchers(tmp_path, repository):
    """In a copy of the plugin, another folder stands for the home that the system knows."""
    user, elsewhere = tmp_path / "user", tmp_path / "elsewhere"
    (user / ".claude").mkdir(parents=True)
    planted(elsewhere / ".local/share/keepstone")
    (repository / ".envrc").write_text("export HOME=/x\n")
    plugin = plugin_at(tmp_path / "plugin")
    text = (plugin / "src/provenance.sh").read_text()
    assert text.count('"cd -P -- ~$(id -un)"') == 1
    (plugin / "src/provenance.sh").write_text(text.replace('"cd -P -- ~$(id -un)"', f'"cd -P -- {user}"'))
    shown = f'src={plugin}/src; . {plugin}/src/data-home.sh; printf %s "$home"'
    env = {"HOME": str(elsewhere), "PATH": "/usr/bin"}
    for said, home in ((str(elsewhere), elsewhere), ("/another", user), (None, user)):
        (user / ".claude/settings.json").write_text(json.dumps({"env": {"HOME": said} if said else {}}, indent=1))
        for shell in SHELLS:
            words = [shutil.which(shell), *(["ash"] if shell == "busybox" else []), "-c", shown]
            done = subprocess.run(words, env=env, cwd=repository, capture_output=True, text=True, check=True)
            assert done.stdout == f"{home}/.local/share/keepstone", (shell, said)


def test_a_home_that_a_repository_names_is_the_systems_and_one_that_it_uses_is_the_users(
    tmp_path, repository, monkeypatch
):
    """Each file with a text of each kind, and each shell in turn."""
    own = planted(tmp_path / "user/.local/share/keepstone")
    note_home(str(own), {})
    environ = {"HOME": str(tmp_path / "user"), "CLAUDECODE": "1", "PATH": "/usr/bin"}
    for number, file in enumerate(NAMED):
        path = repository.joinpath(*file)
        path.parent.mkdir(parents=True, exist_ok=True)
        folder = (repository, repository / "src" / "api")[number % 2]
        shell = SHELLS[number % len(SHELLS)]
        monkeypatch.chdir(folder)
        sets, speaks = (SETS_HOME, SPEAKS_OF_HOME)
        if path.suffix in (".json", ".code-workspace"):
            sets, speaks = SETS_HOME_IN_JSON, SPEAKS_OF_HOME_IN_JSON
        path.write_text(sets[number % len(sets)])
        assert data_home(environ) == REAL_TO_PYTHON, path
        assert by_shell(shell, environ, folder) == REAL_TO_SHELL, path
        kept = own_environment(environ)
        assert kept["HOME"] == own_home() and "HOME" in kept[LEFT_OUT]
        path.write_text(speaks[number % len(speaks)])
        assert (data_home(environ), own_environment(environ)) == (str(own), environ), path
        assert by_shell(shell, environ, folder) == str(own), path
        path.unlink()


@pytest.mark.parametrize("home", ["", ".", "./", "/proc/self/cwd"])
def test_without_a_home_a_repositorys_settings_are_not_the_users(home, repository, monkeypatch):
    settings = repository / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"env": {"KEEPSTONE_EMBEDDER_URL": "http://evil.example", "HOME": home}}))
    monkeypatch.chdir(repository)
    environ = {"HOME": home, "CLAUDECODE": "1", "KEEPSTONE_EMBEDDER_URL": "http://evil.example", "PATH": "/usr/bin"}
    assert not may_set("KEEPSTONE_EMBEDDER_URL", environ)
    assert "KEEPSTONE_EMBEDDER_URL" not in own_environment(environ)


def test_a_pipe_in_place_of_a_file_of_settings_is_not_waited_for(tmp_path, repository, monkeypatch):
    home = planted(tmp_path / "ks")
    os.mkfifo(repository / ".env")
    monkeypatch.chdir(repository)
    environ = {"HOME": str(tmp_path), "KEEPSTONE_HOME": str(home)}
    assert require_home(environ) == str(home)
    assert [by_shell(shell, environ, repository) for shell in SHELLS] == [str(home)] * len(SHELLS)


def test_an_installed_plugin_believes_the_home_that_it_was_installed_in_and_no_folder_on_the_way(tmp_path, repository):
    """By Python and by the launchers, which then read no file of the repository."""
    user = tmp_path / "user"
    plugin = plugin_at(user / ".claude" / "plugins" / "cache" / "keepstone")
    (repository / ".envrc").write_text(f"export HOME={user}\n")
    code = "import sys; sys.path.insert(0, sys.argv[1]); from keepstone.config.provenance import data_home\n"
    code += "print(data_home() or '', 'pwd' in sys.modules)"
    shown = f'src={plugin}/src; . {plugin}/src/data-home.sh; printf %s "$home"'
    for number, home in enumerate((user, *[one for one in (*plugin.parents, plugin) if one.is_relative_to(user)])):
        planted(home / ".local/share/keepstone")
        theirs = f"{user}/.local/share/keepstone"
        expected = (theirs, theirs) if home == user else (REAL_TO_PYTHON or "", REAL_TO_SHELL)
        env = {"HOME": str(home), "PATH": "/usr/bin"}
        words = [sys.executable, "-I", "-S", "-c", code, f"{plugin}/hooks/../src"]
        found, looked = subprocess.run(words, env=env, cwd=repository, capture_output=True, text=True).stdout.split(" ")
        assert found == expected[0] and (looked == "False\n") == (home == user), home
        shell = SHELLS[number % len(SHELLS)]
        words = [shutil.which(shell), *(["ash"] if shell == "busybox" else []), "-c", shown]
        printed = subprocess.run(words, env=env, cwd=repository, capture_output=True, text=True).stdout
        assert printed == expected[1], home


@pytest.mark.parametrize("name", ["USER", "CLAUDE_PROJECT_DIR"])
def test_other_names_that_are_much_used_count_only_where_something_is_assigned_to_them(name):
    for text, is_json, does in home_texts():
        other = text.replace("\ufeff", "").replace("HOME", name)
        if "\\" not in text and name not in text:
            assert sets(name, other, is_json) == does, other
