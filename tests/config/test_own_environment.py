"""What a repository sets to lead our programs elsewhere does not reach them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess

import pytest

from homes import NAMED
from keepstone.caller import Caller
from keepstone.config.named_by import SETTING_FILES
from keepstone.config.own_environment import own_environment
from keepstone.config.provenance import LEFT_OUT
from keepstone.config.settings import SETTINGS, copy_options, load
from support import ROOT, plugin_at

LEADING = (
    *("ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_CUSTOM_HEADERS"),
    *("ANTHROPIC_BEDROCK_BASE_URL", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CONFIG_DIR"),
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "all_proxy", "no_proxy"),
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_OPTIONS", "NODE_EXTRA_CA_CERTS"),
    *("AWS_ENDPOINT_URL", "AWS_PROFILE", "GOOGLE_APPLICATION_CREDENTIALS", "CLOUD_ML_REGION", "VERTEX_REGION"),
    *("HF_ENDPOINT", "HF_HUB_OFFLINE", "PGHOST", "PGHOSTADDR", "PGSERVICEFILE", "PGPASSFILE", "PGSSLROOTCERT"),
    *("GIT_CONFIG_GLOBAL", "GIT_SSL_CAINFO", "XDG_CONFIG_HOME", "KRB5_CONFIG", "LDAPCONF", "SASL_PATH", "HOSTALIASES"),
    *("LOCALE_ARCHIVE", "TERMINFO", "INPUTRC", "BUN_OPTIONS"),
    *("PIP_CONFIG_FILE", "PIP_CERT", "PIP_TRUSTED_HOST", "PIP_PROXY", "PIP_INDEX_URL", "PIP_KEYRING_PROVIDER"),
    *("UV_DEFAULT_INDEX", "UV_INSECURE_HOST", "UV_CACHE_DIR", "UV_INDEX_ACME_PASSWORD", "UV_CONFIG_FILE"),
    "PYTHONEXECUTABLE",
)
# By which Python, OpenSSL, the C library, the loader or a shell loads code, reads a file or writes one.
LOADING = (
    *("OPENSSL_CONF", "OPENSSL_CONF_INCLUDE", "OPENSSL_MODULES", "OPENSSL_ENGINES", "SSLKEYLOGFILE"),
    *("LD_PRELOAD", "LD_AUDIT", "LD_DEBUG_OUTPUT", "LD_PROFILE_OUTPUT", "DYLD_INSERT_LIBRARIES"),
    *("GCONV_PATH", "LOCPATH", "NLSPATH", "GETCONF_DIR", "GLIBC_TUNABLES", "MALLOC_TRACE", "MALLOC_CONF"),
    *("RESOLV_HOST_CONF", "BASH_ENV", "ENV", "PERL5OPT", "PERL5LIB", "PERL5DB", "RUBYOPT", "RUBYLIB"),
    *("PYTHONEXECUTABLE", "__PYVENV_LAUNCHER__"),
)
LOADING_ELSEWHERE = (
    *("LD_BIND_NOW", "LD_ORIGIN_PATH", "DYLD_FORCE_FLAT_NAMESPACE", "GSS_MECH_CONFIG", "P11_KIT_STRICT", "PYTHONPATH"),
    *("OMP_TOOL_LIBRARIES", "MallocLogFile", "MALLOC_CHECK_", "BASH_FUNC_cd%%", "SHELLOPTS", "BASHOPTS", "PS4"),
    *("PYTHONHOME", "PYTHONSTARTUP", "PYTHONINSPECT", "PYTHONUSERBASE", "PYTHONWARNINGS", "PYTHONTZPATH"),
)
# What the user's own shell says, and may be needed.
NEEDED = (
    *("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "HTTPS_PROXY"),
    *("no_proxy", "LD_LIBRARY_PATH", "KRB5_CONFIG", "TMPDIR", "XDG_CONFIG_HOME", "LANG", "LC_ALL", "ENVIRONMENT"),
)
KEPT = (
    *("CLAUDE_CODE_SESSION_ID", "CLAUDECODE", "KEEPSTONE_SESSION_ID", "CLAUDE_PROJECT_DIR"),
    *("LANG", "TZ", "EDITOR", "USER"),
)


@pytest.fixture
def repository(tmp_path, monkeypatch):
    made = tmp_path / "clone"
    (made / "bin").mkdir(parents=True)
    monkeypatch.chdir(made)
    return made


def sets(repository, variable, name=SETTING_FILES[0]):
    path = repository.joinpath(*name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"env": {variable: "x"}}) if path.suffix == ".json" else f"export {variable}=x\n")


@pytest.mark.parametrize("variable", LEADING)
def test_where_something_is_sent_is_not_a_repositorys_to_say(repository, variable):
    environ = {variable: "/x", "PATH": "/usr/bin", "HOME": "/"}
    assert own_environment(environ) == {name: environ[name] for name in environ if name != "PYTHONEXECUTABLE"}
    sets(repository, variable)
    assert own_environment(environ) == {"PATH": "/usr/bin", "HOME": "/", LEFT_OUT: variable}


def test_what_loads_code_or_files_never_reaches_our_programs_and_what_is_needed_does(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    needed = {name: str(tmp_path.parent / name) for name in NEEDED} | {"PATH": "/usr/bin", "HOME": "/"}
    for name in {*LOADING, *LOADING_ELSEWHERE} - {"__PYVENV_LAUNCHER__"}:
        for value in ("evil", "./evil", "/tmp/evil", ""):
            assert own_environment({**needed, name: value}) == needed, name


def test_in_a_session_no_command_is_taken_for_a_shell_that_asks_for_completions():
    environ = {"_KEEPSTONE_COMPLETE": "zsh_complete", "PATH": "/usr/bin", "HOME": "/"}
    assert own_environment(environ) == environ
    assert "_KEEPSTONE_COMPLETE" not in own_environment({**environ, "CLAUDECODE": "1"})


ZONES = ("Europe/Berlin", "UTC", "CET-1CEST,M3.5.0,M10.5.0/3", "America/Argentina/Ushuaia", "Etc/GMT+5", "<+03>-3", "")
ZONE_FILES = (
    ":/dev/stdin",
    "/dev/stdin",
    ":",
    ":Europe/Berlin",
    "../../../dev/stdin",
    "/proc/self/fd/0",
    "//dev/stdin",
)


def test_a_zone_is_a_name_and_no_file(tmp_path, monkeypatch):
    """By Python, and by each shell: a hook reads its input whatever a repository sets."""
    monkeypatch.chdir(tmp_path)
    kept = {"PATH": "/usr/bin", "HOME": "/"}
    shown = f"""src={ROOT}/src; . {ROOT}/src/data-home.sh; printf '%s|%s|' "${{TZ-none}}" "${{TZDIR-none}}"
    exec /usr/bin/python3 -I -S -c 'import sys, time; print(sys.stdin.read())'"""
    for number, zone in enumerate((*ZONES, *ZONE_FILES)):
        own = own_environment({**kept, "TZ": zone, "TZDIR": "/x"})
        assert own == ({**kept, "TZ": zone} if zone in ZONES else kept), zone
        shell = SHELLS[number % len(SHELLS)]
        words = [shutil.which(shell), *(["ash"] if shell == "busybox" else []), "-c", shown]
        env = {**kept, "TZ": zone, "TZDIR": "/dev"}
        done = subprocess.run(words, env=env, cwd=tmp_path, capture_output=True, text=True, input="said", check=True)
        assert done.stdout == f"{zone if zone in ZONES else 'none'}|none|said\n", (zone, shell)


@pytest.mark.parametrize("folder", ["TMPDIR", "TEMP", "TMP", "SQLITE_TMPDIR", "XDG_CONFIG_HOME"])
def test_no_file_of_ours_is_made_or_read_in_a_folder_of_the_repository(repository, tmp_path, folder):
    for value in ("bin", str(repository), "/proc/self/cwd", f"{repository}/bin/../bin"):
        assert folder not in own_environment({folder: value, "PATH": "/usr/bin", "HOME": "/"})
    assert own_environment({folder: str(tmp_path), "PATH": "/usr/bin", "HOME": "/"})[folder] == str(tmp_path)


@pytest.mark.parametrize("name", NAMED, ids="/".join)
def test_whatever_file_of_a_repository_says_it(repository, name):
    sets(repository, "HTTPS_PROXY", name)
    environ = {"HTTPS_PROXY": "x", "PATH": "/usr/bin", "HOME": "/", LEFT_OUT: "what a repository says"}
    assert own_environment(environ) == {"PATH": "/usr/bin", "HOME": "/", LEFT_OUT: "HTTPS_PROXY"}


@pytest.mark.parametrize("variable", KEPT)
def test_whose_session_it_is_stays_whatever_a_repository_says(repository, variable):
    sets(repository, variable)
    environ = {variable: "x", "PATH": "/usr/bin", "HOME": "/"}
    assert own_environment(environ) == environ


@pytest.mark.parametrize("spelled", ["{repository}", "{repository}/bin", "/proc/self/cwd/bin", "{outside}/link"])
def test_a_home_in_the_repository_is_none(repository, tmp_path, spelled):
    (tmp_path / "link").symlink_to(repository / "bin")
    environ = {"HOME": spelled.format(repository=repository, outside=tmp_path), "PATH": "/usr/bin"}
    home = own_environment(environ)["HOME"]
    assert home == os.path.realpath(os.path.expanduser("~" + os.environ.get("USER", "root")))


def test_a_repository_can_not_make_a_model_a_person(repository):
    """Only who has started a program knows its own number."""
    for said in ("1", "", "true", str(os.getpid())):
        environ = {"CLAUDE_CODE_SESSION_ID": "session-1", "KEEPSTONE_TYPED": said, "HOME": "/"}
        assert Caller(None, own_environment(environ)).by_model
    environ["KEEPSTONE_TYPED"] = str(os.getppid())
    assert not Caller(None, own_environment(environ)).by_model


@pytest.mark.parametrize("path", ["", ".", "bin:", ":", "/proc/self/cwd/bin"])
def test_a_path_of_a_repositorys_folders_alone_is_the_systems(repository, path):
    assert own_environment({"PATH": path, "HOME": "/"})["PATH"] == os.defpath


@pytest.mark.parametrize("variable", ["CLAUDE_CONFIG_DIR", "HOME"])
@pytest.mark.parametrize("spelled", ["{repository}", "/proc/self/cwd", "{outside}/link"])
def test_plugin_options_in_a_repository_are_not_the_users(repository, tmp_path, variable, spelled):
    (tmp_path / "link").symlink_to(repository)
    options = {"pluginConfigs": {"keepstone@keepstone": {"options": {"backups": "0"}}}}
    for place in (repository / ".claude" / "settings.json", repository / "settings.json"):
        place.parent.mkdir(exist_ok=True)
        place.write_text(json.dumps(options))
    home = tmp_path / "ks"
    home.mkdir()
    environ = {"HOME": str(tmp_path), variable: spelled.format(repository=repository, outside=tmp_path)}
    copy_options(str(home), {**environ, "CLAUDE_PLUGIN_OPTION_BACKUPS": "0"})
    assert load(str(home), {})["backups"] == 7


SHELLS = [shell for shell in ("dash", "bash", "busybox", "sh") if shutil.which(shell)]
FOLDERS = (
    "bin",
    "./bin",
    ".",
    "",
    "{repository}/bin",
    "{repository}/src/../bin",
    "/proc/self/cwd/bin",
    "{outside}/link",
)


@pytest.mark.parametrize("shell", SHELLS)
def test_a_launcher_passes_on_nothing_that_loads_code_or_files(tmp_path, shell):
    """All at once: none of them is a matter of the others, and a shell needs none."""
    words = [shutil.which(shell), *(["ash"] if shell == "busybox" else [])]
    shown = f"src={ROOT}/src; . {ROOT}/src/data-home.sh; exec /usr/bin/env -0"
    env = {name: "evil-" + name for name in LOADING if not name.startswith(("LD_", "GLIBC_", "MALLOC_"))}
    loader = {"LD_PRELOAD": "", "LD_DEBUG_OUTPUT": "", "GLIBC_TUNABLES": "", "MALLOC_TRACE": "", "LD_AUDIT": ""}
    given = {**{name: "own" for name in NEEDED}, **env, **loader, "PATH": "/usr/bin", "HOME": "/"}
    printed = subprocess.run([*words, "-c", shown], env=given, cwd=tmp_path, capture_output=True, check=True).stdout
    passed = dict(line.split("=", 1) for line in printed.decode().split("\0") if line)
    assert not {*LOADING} & {*passed}
    assert {name: passed[name] for name in NEEDED} == dict.fromkeys(NEEDED, "own")


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("folder", FOLDERS)
def test_a_python_of_the_repository_is_not_found(repository, tmp_path, shell, folder):
    plugin = plugin_at(tmp_path / "plugin", {"/usr/": "/nowhere/", "/opt/": "/nowhere/"})
    (tmp_path / "link").symlink_to(repository / "bin")
    for name in ("python3", "python3.11", "python", "id", "uname"):
        for place in (repository / "bin" / name, repository / name):
            place.write_text(f"#!/bin/sh\ntouch '{repository}/started'\nexec /usr/bin/python3 \"$@\"\n")
            place.chmod(0o755)
    words = [shutil.which(shell), *(["ash"] if shell == "busybox" else []), str(plugin / "src" / "find-python.sh")]
    path = folder.format(repository=repository, outside=tmp_path)
    done = subprocess.run(words, env={"PATH": path, "HOME": "/"}, cwd=repository, capture_output=True, text=True)
    assert done.stdout in ("", "/bin/python3\n") and done.stderr == "" and not (repository / "started").exists()
    own = tmp_path / "own"
    own.mkdir()
    (own / "python3").symlink_to("/usr/bin/python3")
    env = {"PATH": f"{path}:{own}", "HOME": "/"}
    done = subprocess.run(words, env=env, cwd=repository, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == (f"{own}/python3\n", "") and not (repository / "started").exists()


@pytest.mark.parametrize("way", ["hook", "command"])
def test_python_that_says_it_is_a_program_of_the_repository_is_not_recorded(machine, way):
    program = machine.project / "python3"
    program.write_text(f"#!/bin/sh\ntouch '{machine.root}/started'\n")
    program.chmod(0o755)
    sets(machine.project, "PYTHONEXECUTABLE")
    env = {"PYTHONEXECUTABLE": str(program)}
    if way == "hook":
        machine.hook("session-start", machine.event(), **env)
    else:
        machine.bin("recent", **env)
    recorded = machine.home / "python"
    assert not recorded.exists() or str(program) not in recorded.read_text()
    assert not (machine.root / "started").exists()


def test_doctor_says_what_it_does_not_use(machine):
    sets(machine.project, "HTTPS_PROXY")
    machine.record_interpreters()
    said = machine.bin("doctor", ok=False, HTTPS_PROXY="http://evil.example").stdout
    assert re.search(r"HTTPS_PROXY\b.* (?:is|are) not used: it may be a repository's", said)
    assert "evil.example" not in said


def cloned(folder, settings, **env):
    """A repository that was cloned, with a file of settings that sets these variables."""
    (folder / ".git").mkdir(parents=True)
    (folder / settings).parent.mkdir(exist_ok=True)
    (folder / settings).write_text(json.dumps({"env": env}))
    return folder


@pytest.mark.parametrize("project", ["", "clone"])
def test_a_repository_is_nobodys_home_and_its_settings_are_its_own(project, tmp_path, monkeypatch):
    clone = cloned(tmp_path / "clone", ".claude/settings.json", ANTHROPIC_BASE_URL="http://evil.example")
    monkeypatch.chdir(clone)
    environ = {"HOME": ".", "PATH": "/usr/bin", "CLAUDECODE": "1", "ANTHROPIC_BASE_URL": "http://evil.example"}
    environ |= {"CLAUDE_PROJECT_DIR": str(clone)} if project else {}
    own = own_environment(environ)
    assert "ANTHROPIC_BASE_URL" not in own and own["HOME"] != "."


@pytest.mark.parametrize("where", ["here", "elsewhere"])
def test_a_repositorys_folder_holds_no_settings_of_the_client(where, tmp_path, monkeypatch):
    clone = cloned(tmp_path / "clone", "cfg/settings.json", KEEPSTONE_EMBEDDER_URL="http://evil.example/v1")
    monkeypatch.chdir(clone if where == "here" else tmp_path)
    environ = {"HOME": str(tmp_path), "PATH": "/usr/bin", "CLAUDECODE": "1", "CLAUDE_CONFIG_DIR": str(clone / "cfg")}
    environ["KEEPSTONE_EMBEDDER_URL"] = "http://evil.example/v1"
    own = own_environment(environ)
    assert "KEEPSTONE_EMBEDDER_URL" not in own and "CLAUDE_CONFIG_DIR" not in own


@pytest.mark.parametrize("setting", SETTINGS)
def test_nobody_takes_back_by_a_variable_what_the_users_own_settings_say(setting, tmp_path, monkeypatch):
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").write_text(json.dumps({"env": {setting.variable: "1"}}))
    environ = {"HOME": str(tmp_path), "PATH": "/usr/bin", "CLAUDECODE": "1", setting.variable: "1"}
    assert own_environment({**environ, LEFT_OUT: setting.variable})[setting.variable] == "1"


@pytest.mark.parametrize("variable", ["KEEPSTONE_USER", "KEEPSTONE_WORKSPACE"])
def test_a_repository_does_not_say_whose_the_memories_are(variable, tmp_path, monkeypatch):
    (tmp_path / ".env").write_text(f"{variable}=evil\n")
    monkeypatch.chdir(tmp_path)
    environ = {"HOME": "/", "PATH": "/usr/bin", variable: "evil"}
    assert variable not in own_environment(environ)
