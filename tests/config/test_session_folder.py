"""What a session's repository has set counts for nothing in the session's shell, wherever that stands."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from keepstone.config.own_environment import own_folders
from keepstone.config.provenance import LEFT_OUT
from loopback import server
from support import ROOT

SESSION = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "session-1", "CLAUDE_CODE_ENTRYPOINT": "cli"}
# Where a program of ours sends something, whom it trusts, or what it reads, starts or writes.
HOSTILE = (
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "https_proxy", "all_proxy", "no_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "NODE_OPTIONS"),
    *("ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_CUSTOM_HEADERS", "CLAUDE_CODE_USE_BEDROCK", "AWS_PROFILE"),
    *("PGHOST", "PGSERVICEFILE", "PGPASSFILE", "HF_ENDPOINT", "GIT_SSH_COMMAND", "GIT_CONFIG_GLOBAL", "HOSTALIASES"),
    *("PIP_CONFIG_FILE", "PIP_CERT", "PIP_TRUSTED_HOST", "PIP_PROXY", "PIP_INDEX_URL", "PIP_KEYRING_PROVIDER"),
    *("UV_DEFAULT_INDEX", "UV_INSECURE_HOST", "UV_CACHE_DIR", "UV_INDEX_ACME_PASSWORD", "UV_CONFIG_FILE"),
    *("KEEPSTONE_USER", "KEEPSTONE_EMBEDDER_KEY", "KEEPSTONE_EXTRACTOR_KEY"),
)
# In a copy of one process for each environment: to start Python for each takes ten times as long.
ASK = """\
import json, os, sys
sys.path.insert(0, sys.argv[1])
from keepstone.config.own_environment import keep_own_environment
for env in json.load(sys.stdin):
    if not os.fork():
        os.environ.clear()
        os.environ.update(env)
        keep_own_environment()
        print(json.dumps(dict(os.environ)), flush=True)
        os._exit(0)
    assert os.wait()[1] == 0
"""


def shell_of_a_session(machine, project, *, session="session-1", **env):
    """The variables that the client gives to a shell, after a hook of ours has named the session there."""
    file = machine.root / "session's variables"
    file.write_text("")
    env |= {**SESSION, "CLAUDE_ENV_FILE": str(file)}
    given = {**env, "CLAUDE_PROJECT_DIR": str(project)}
    machine.hook("session-start", machine.event(session, source="startup", cwd=str(project)), **given)
    said = subprocess.run(["/bin/sh", "-c", f'. "{file}"; env -0'], env={}, capture_output=True, text=True, check=True)
    named = dict(line.split("=", 1) for line in said.stdout.split("\0") if line)
    return {**machine.env, **env, **{name: one for name, one in named.items() if name.startswith("KEEPSTONE_")}}


def of_commands(envs, folder):
    """The environments of commands that start in a folder."""
    words = [sys.executable, "-I", "-c", ASK, str(ROOT / "src")]
    done = subprocess.run(words, input=json.dumps(envs).encode(), env={}, cwd=folder, capture_output=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def of_a_command(env, folder):
    """The environment of a command that starts in a folder."""
    (own,) = of_commands([env], folder)
    return own


def project_that_sets(folder, *names, file=".claude/settings.json"):
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"env": dict.fromkeys(names, "/evil")}))
    return folder


@pytest.fixture
def elsewhere(tmp_path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("name", ["it's a clone", "$(touch x)", "ünïcode", "plain"])
def test_the_sessions_repository_is_known_where_its_shell_stands_elsewhere(machine, tmp_path, elsewhere, name):
    clone = project_that_sets(tmp_path / name, *HOSTILE)
    env = shell_of_a_session(machine, clone, **dict.fromkeys(HOSTILE, "/evil"))
    for folder in (elsewhere, clone / ".claude", "/usr/share"):
        own = of_a_command(env, folder)
        assert not {*HOSTILE} & {*own} and "/evil" not in own.values()
        assert set(own[LEFT_OUT].split()) == {*HOSTILE}
        assert own["KEEPSTONE_SESSION_ID"] == "session-1" and own["HOME"] == env["HOME"]


def test_what_the_user_has_set_stays_in_every_shell_of_a_session_of_a_harmless_repository(machine, tmp_path, elsewhere):
    harmless = project_that_sets(tmp_path / "clone", "EDITOR", "LANG")
    env = shell_of_a_session(machine, harmless, **dict.fromkeys(HOSTILE, "/own"))
    for folder in (elsewhere, harmless):
        own = of_a_command(env, folder)
        assert {name: own.get(name) for name in HOSTILE} == dict.fromkeys(HOSTILE, "/own")


FORGED = (
    {},
    {"KEEPSTONE_SESSION_FOLDER": "/nowhere"},
    {"KEEPSTONE_SESSION_FOLDER": ":/nowhere"},
    {"KEEPSTONE_SESSION_FOLDER": "0" * 32 + ":/nowhere"},
    {"KEEPSTONE_SESSION_FOLDER": "{elsewhere}"},
    {"KEEPSTONE_WORKED_IN": "{elsewhere}"},
    {"KEEPSTONE_WORKED_IN": ""},
    {"CLAUDE_PROJECT_DIR": "{elsewhere}"},
    {"CLAUDE_PROJECT_DIR": "/"},
    {"KEEPSTONE_TYPED": "1"},
    {"KEEPSTONE_NESTED": "1"},
    {"KEEPSTONE_SESSION_ID": "session-2", "KEEPSTONE_SESSION_FOLDER": "{signed}"},  # of another session
    {"KEEPSTONE_SESSION_FOLDER": "{signed}x"},
)


@pytest.mark.parametrize("forged", FORGED)
def test_where_no_hook_has_said_the_sessions_folder_nothing_counts_that_any_repository_may_have_set(
    forged, machine, tmp_path, elsewhere
):
    (tmp_path / "clone").mkdir()
    signed = shell_of_a_session(machine, tmp_path / "clone")["KEEPSTONE_SESSION_FOLDER"]
    values = {name: one.format(elsewhere=elsewhere, signed=signed) for name, one in forged.items()}
    own = of_a_command({**machine.env, **SESSION, **dict.fromkeys(HOSTILE, "/evil"), **values}, elsewhere)
    assert not {*HOSTILE} & {*own} and set(own[LEFT_OUT].split()) >= {*HOSTILE}


def test_outside_of_a_session_what_the_shell_says_is_the_users(machine, elsewhere):
    own = of_a_command({**machine.env, **dict.fromkeys(HOSTILE, "/own")}, elsewhere)
    assert {name: own[name] for name in HOSTILE} == dict.fromkeys(HOSTILE, "/own") and LEFT_OUT not in own


@pytest.mark.parametrize("name", ["HTTPS_PROXY", "PIP_INDEX_URL", "UV_DEFAULT_INDEX", "SSL_CERT_FILE", "PGHOST"])
def test_what_the_users_own_settings_give_is_the_users_whatever_a_repository_names(name, machine, tmp_path, elsewhere):
    clone = project_that_sets(tmp_path / "clone", name, "ALL_PROXY")
    machine.choose(name, "/own")
    env = shell_of_a_session(machine, clone, **{name: "/own", "ALL_PROXY": "/evil"})
    own = of_a_command(env, elsewhere)
    assert own[name] == "/own" and own[LEFT_OUT] == "ALL_PROXY"
    assert name not in of_a_command({**env, name: "/evil"}, elsewhere)


@pytest.fixture
def programs(machine, tmp_path):
    """A repository with programs, of which each notes that it was started."""
    clone = tmp_path / "clone"
    (clone / "bin").mkdir(parents=True)
    (clone / "sub").mkdir()
    for name in ("git", "ed", "vi", "claude", "python3", "uv"):
        (clone / "bin" / name).write_text(f"#!/bin/sh\ntouch '{machine.root}/started'\nexit 1\n")
        (clone / "bin" / name).chmod(0o755)
    return clone


def test_no_program_of_the_repository_is_started_from_a_shell_elsewhere(machine, programs, elsewhere):
    """`store` asks git for the file that a memory names; `edit` starts an editor."""
    hostile = {"PATH": f"{programs}/bin:{machine.env['PATH']}", "EDITOR": f"{programs}/bin/ed"}
    project_that_sets(programs, *hostile)
    machine.record_interpreters()
    machine.keepstone("store", "Deploys need the VPN")
    (elsewhere / "deploy.py").write_text("pass\n")
    subprocess.run(["git", "init", "-q", elsewhere], check=True)
    signed = shell_of_a_session(machine, programs, **hostile)
    machine.project = elsewhere
    for env in (signed, {**machine.env, **SESSION, **hostile}):
        assert "Deploys start in deploy.py" in machine.bin("store", "Deploys start in deploy.py", **env).stdout
        refused = machine.bin("edit", "--all", ok=False, **env)
        assert refused.returncode and "EDITOR may be this repository's" in refused.stderr
    assert "VPN" in machine.bin("recent", "--all").stdout
    assert not (machine.root / "started").exists()


def test_neither_key_nor_text_goes_to_a_proxy_of_the_repository(machine, tmp_path, elsewhere):
    """The user has an embedder of an own server; the control is the user's own proxy."""
    answers = {"data": [{"index": 0, "embedding": [1.0, 0.0]}]}
    with server(lambda body: (200, answers)) as (url, asked):
        proxy = url.removesuffix("/v1")
        machine.keepstone("store", "Deploys need the VPN")
        for name, value in (("embedder_url", "http://vectors.acme.example/v1"), ("embedder_model", "m")):
            machine.keepstone("config", name, value)
        machine.keepstone("config", "embedder", "endpoint")
        key = {"KEEPSTONE_EMBEDDER_KEY": "sk-own-key"}
        clone = project_that_sets(tmp_path / "clone", "HTTP_PROXY")
        hostile = shell_of_a_session(machine, clone, HTTP_PROXY=proxy)
        asked.clear()
        machine.project = elsewhere
        for env in (hostile, {**machine.env, **SESSION, "HTTP_PROXY": proxy}):
            machine.bin("search", "--all", "VPN", ok=False, **env, **key)
            machine.bin("worker", "run", ok=False, **env, **key)
        assert asked == []
        (tmp_path / "harmless").mkdir()
        machine.project = tmp_path / "harmless"
        own = shell_of_a_session(machine, machine.project, HTTP_PROXY=proxy)
        machine.project = elsewhere
        machine.bin("worker", "run", ok=False, **own, **key)
        assert asked and "VPN" in json.dumps([body for _, _, body in asked])


@pytest.mark.parametrize("variable", ["HOME", "CLAUDE_CONFIG_DIR"])
@pytest.mark.parametrize("is_signed", [True, False])
def test_settings_of_the_client_in_a_repository_are_not_the_users_from_elsewhere(
    variable, is_signed, machine, tmp_path, elsewhere
):
    """It has no .git, as one that was downloaded; the control is the user's own."""
    clone = tmp_path / "clone"
    address = {"KEEPSTONE_EMBEDDER_URL": "http://evil.example/v1"}
    for place in (clone / "settings.json", clone / ".claude" / "settings.json"):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps({"env": {**address, variable: str(clone)}}))
    machine.keepstone("store", "Deploys need the VPN")
    signed = shell_of_a_session(machine, clone, **address)
    env = {**(signed if is_signed else {**machine.env, **SESSION, **address}), variable: str(clone)}
    own = of_a_command(env, elsewhere)
    assert not {*address} & {*own} and str(clone) not in (own.get("HOME"), own.get("CLAUDE_CONFIG_DIR"))
    machine.choose("KEEPSTONE_EMBEDDER_URL", "http://own.example/v1")
    env = {
        **machine.env,
        **SESSION,
        **({"KEEPSTONE_SESSION_FOLDER": signed["KEEPSTONE_SESSION_FOLDER"]} if is_signed else {}),
    }
    assert of_a_command(env, elsewhere)["KEEPSTONE_EMBEDDER_URL"] == "http://own.example/v1"


BROUGHT = (
    "{clone}/bin",
    "{clone}",
    "{clone}/.hidden/bin",
    "{clone}/sub/../bin",
    "{link}",
    "/proc/self/cwd/../evil-lib/bin",
    "/proc/self/cwd/bin",
    "/dev/fd/../evil",
    "/./proc/self/cwd/bin",
    "//proc/self/cwd/bin",
    "{clone}/../evil-lib/bin",
    "bin",
    "./bin",
    "..",
    "~/bin",
    "",
)


@pytest.mark.parametrize("where", ["clone", "clone/sub", "elsewhere"])
@pytest.mark.parametrize("has_git", [True, False])
def test_folders_of_a_repositorys_programs_are_left_out_wherever_the_shell_stands(
    where, has_git, machine, tmp_path, programs, elsewhere, monkeypatch
):
    if has_git:
        (programs / ".git").mkdir()
    project_that_sets(programs, "PATH")
    (tmp_path / "link").symlink_to(programs / "bin")
    (tmp_path / "own").mkdir()
    env = shell_of_a_session(machine, programs)
    monkeypatch.chdir(tmp_path / where)
    folders = [folder.format(clone=programs, link=tmp_path / "link") for folder in BROUGHT]
    asked = [{**env, "PATH": f"{folder}:{tmp_path}/own:/usr/bin"} for folder in folders]
    for folder, own in zip(BROUGHT, of_commands(asked, tmp_path / where), strict=True):
        assert own["PATH"] == f"{tmp_path}/own:/usr/bin", folder


def test_in_a_session_a_folder_of_another_repository_is_left_out_and_what_is_installed_stays(
    tmp_path, elsewhere, monkeypatch
):
    monkeypatch.chdir(elsewhere)
    (tmp_path / "another" / ".git").mkdir(parents=True)
    (tmp_path / "another" / "bin").mkdir()
    home = os.path.expanduser("~" + os.environ.get("USER", "root"))
    installed = (f"{home}/.local/bin", f"{home}/.pyenv/shims", "/opt/homebrew/bin", "/usr/local/bin", "/usr/bin")
    given = os.pathsep.join((f"{tmp_path}/another/bin", *installed))
    assert own_folders(given, {}) == given
    for known in ({}, {"KEEPSTONE_WORKED_IN": "?"}, {"KEEPSTONE_WORKED_IN": str(tmp_path / "clone")}):
        assert own_folders(given, {"CLAUDECODE": "1", **known}) == os.pathsep.join(installed)
    assert own_folders(f"{tmp_path}/own", {"CLAUDECODE": "1", "KEEPSTONE_WORKED_IN": "?"}) == ""


@pytest.mark.parametrize("spelled", ["{main}", "../main", "../x/../main", "./../main"])
def test_a_worktrees_main_folder_is_where_one_works_however_its_file_says_it(spelled, tmp_path, monkeypatch):
    main, tree = tmp_path / "main", tmp_path / "tree"
    (main / ".git" / "worktrees" / "tree").mkdir(parents=True)
    (main / "bin").mkdir()
    (tmp_path / "x").mkdir()
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {spelled.format(main=main)}/.git/worktrees/tree\n")
    monkeypatch.chdir(tree)
    assert own_folders(f"{main}/bin:/usr/bin", {}) == "/usr/bin"
    project_that_sets(main, "KEEPSTONE_HOME")
    shown = f"src={ROOT}/src; . {ROOT}/src/data-home.sh; is_a_repositorys KEEPSTONE_HOME && echo theirs; at={main}/bin/"
    for shell in ("/bin/sh", "/bin/bash"):
        done = subprocess.run([shell, "-c", f"{shown}; is_at_work && echo at work"], capture_output=True, text=True)
        assert done.stdout == "theirs\nat work\n", done
