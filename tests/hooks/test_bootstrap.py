"""The first session on any machine, and how its packages come: pythons and uv as they are found in the wild."""

from __future__ import annotations

import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import zipfile
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from keepstone.admin import bootstrap
from keepstone.lib import files
from support import ROOT, Machine, Transcript, plugin_at, require

pytestmark = pytest.mark.system

UV = ROOT / ".venv" / "bin" / "uv"
ATTENDED = {"CLAUDE_CODE_ENTRYPOINT": "cli"}
NOWHERE = {"/usr/": "/nowhere/", "/opt/": "/nowhere/"}
OFFLINE = {
    **{"PIP_CONFIG_FILE": os.devnull, "PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_NO_INDEX": ""},
    **{"PIP_FIND_LINKS": "", "UV_DEFAULT_INDEX": "http://127.0.0.1:9/simple", "UV_FIND_LINKS": "", "UV_OFFLINE": "0"},
    "UV_HTTP_RETRIES": "0",
}


# what only a model's API needs: half of the time that a build takes, which is the same with fewer packages
OF_MODELS = re.compile(r"(?:anthropic|httpcore2|httpx2|jiter|opentelemetry|docstring-parser|pyvis|pygments|rich)")


def plugin_with_fewer_packages(place: Path, replaced: dict[str, str] | None = None) -> Path:
    plugin = plugin_at(place, replaced)
    lock = plugin / "requirements.lock"
    kept = [one for one in re.split(r"\n(?=\S)", lock.read_text()) if not OF_MODELS.match(one)]
    assert len(kept) > 15
    lock.write_text("\n".join(kept) + "\n")
    return plugin


@pytest.fixture
def whole(fresh, tmp_path):
    """The same machine with every package of the lock to be installed."""
    fresh.plugin = plugin_at(tmp_path / "whole")
    return fresh


@pytest.fixture
def fresh(tmp_path, packages):
    """A machine on which no session has ever run: nothing recorded, no uv, and a package index."""
    made = Machine(tmp_path / "machine", plugin_with_fewer_packages(tmp_path / "plugin"))
    del made.env["KEEPSTONE_NO_BOOTSTRAP"]
    made.env |= packages
    made.tools = tmp_path / "tools"
    made.tools.mkdir()
    made.env["PATH"] = f"{made.tools}:{made.env['PATH']}"
    return made


def program(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)
    return folder / name


def give_uv(machine: Machine, path: str = "") -> None:
    """Puts uv on the machine's PATH; it notes each call, and finds Pythons on `path` too."""
    require("uv", UV.exists(), "make setup")
    program(machine.tools, "uv", f'echo "$1" >> "{machine.root}/uv calls"\nPATH="{path}:$PATH" exec "{UV}" "$@"')


def pretend(folder: Path, name: str, code: str, before: str = "") -> Path:
    """A Python that is this one, but says `code` of itself before it runs anything (`-c` and `-m` alike)."""
    return program(
        folder,
        name,
        f"""{before}
options=
while [ $# -gt 0 ]; do
    case $1 in
        -I | -S) options="$options $1"; shift ;;
        -c) said=$2; shift 2; exec "{sys.executable}" $options -c "import sys; sys.executable = '{folder}/{name}'
{code}
$said" "$@" ;;
        *) break ;;
    esac
done
exec "{sys.executable}" $options "$@\"""",
    )


def python_3_9(folder: Path, name: str) -> Path:
    """A Python that says it is 3.9, and is where the machine has one."""
    real = shutil.which("python3.9")
    if real and subprocess.run([real, "-c", "import _sqlite3"], capture_output=True).returncode == 0:
        return program(folder, name, f'exec "{real}" "$@"')
    return pretend(folder, name, "sys.version_info = (3, 9, 18, 'final', 0)")


def first_session(machine: Machine, session: str = "session-1", **env: str) -> str:
    """A session's start; what it printed."""
    done = machine.hook("session-start", machine.event(session, source="startup"), **env)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def user_sees(printed: str) -> str:
    return json.loads(printed)["systemMessage"] if printed.startswith("{") else ""


def state(machine: Machine) -> dict[str, object]:
    path = machine.home / "build.json"
    return json.loads(path.read_text()) if path.exists() else {}


def venvs(machine: Machine) -> list[str]:
    return sorted(path.name for path in (machine.home / "venv").glob("*"))


def worker(machine: Machine) -> str:
    return (machine.home / "python").read_text().splitlines()[1]


def settle(machine: Machine) -> None:
    machine.settle_processes(300)


@pytest.mark.parametrize("way", ["pip", "uv"])
def test_what_the_first_session_says_is_known_in_the_next_without_anything_done_by_hand(whole, way):
    if way == "uv":
        give_uv(whole)
    printed = first_session(whole, **ATTENDED)
    assert "installs its packages" in user_sees(printed) and str(whole.home) in user_sees(printed)
    assert json.loads(printed)["hookSpecificOutput"]["additionalContext"].startswith("## Session Memory")
    transcript = Transcript(whole.root / "t.jsonl", whole.project)
    transcript.user("I prefer tabs over spaces")
    whole.hook("session-end", whole.event(transcript_path=str(transcript.path)))
    whole.bin("store", "Deploys need the VPN")
    settle(whole)
    whole.settle()
    second = first_session(whole, "session-2", **ATTENDED)
    assert "I prefer tabs over spaces" in second and "Deploys need the VPN" in second
    assert user_sees(second) == "Keepstone: learned 1 thing last session. See /keepstone:memory recent."
    python = worker(whole)
    assert Path(python).is_relative_to(whole.home / "venv") and not (whole.home / "build.json").exists()
    compiled = list((whole.home / "venv").glob("*/lib/python3*/site-packages/anthropic/__pycache__/_client.*.pyc"))
    assert len(compiled) == 1
    assert whole.bin("--version").stdout.startswith("keepstone, version ")
    assert whole.bin("doctor", ok=False).stdout.count("FAIL") == 0


def test_ten_first_sessions_at_once_make_one_build(fresh):
    give_uv(fresh)
    said = json.dumps(fresh.event(source="startup")).encode()
    hooks = [
        subprocess.Popen(
            [fresh.plugin / "hooks" / "session-start"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**fresh.env, **ATTENDED},
            cwd=fresh.project,
        )
        for _ in range(10)
    ]
    printed = [hook.communicate(said, timeout=60)[0].decode() for hook in hooks]
    assert all("## Session Memory" in text for text in printed)
    assert len([text for text in printed if user_sees(text)]) == 1
    settle(fresh)
    assert (fresh.root / "uv calls").read_text().split() == ["venv", "pip"]
    assert len(venvs(fresh)) == 1 and worker(fresh)


def test_offline_it_says_so_once_waits_longer_each_time_and_then_builds(fresh):
    give_uv(fresh)
    assert "installs" in user_sees(first_session(fresh, **OFFLINE, **ATTENDED))
    settle(fresh)
    assert state(fresh)["attempts"] == 1 and 30 < state(fresh)["not_before"] - time.time() < 61
    assert first_session(fresh, "unattended", **OFFLINE, CLAUDE_CODE_ENTRYPOINT="sdk-cli").startswith("## ")
    line = user_sees(first_session(fresh, "second", **OFFLINE, **ATTENDED))
    assert "package index can't be reached" in line and line.endswith(f"{fresh.plugin}/bin/keepstone bootstrap")
    assert user_sees(first_session(fresh, "third", **OFFLINE, **ATTENDED)) == ""
    settle(fresh)
    assert state(fresh)["attempts"] == 1
    time_passes = {**state(fresh), "not_before": 0}
    (fresh.home / "build.json").write_text(json.dumps(time_passes))
    first_session(fresh, "fourth", **OFFLINE, **ATTENDED)
    settle(fresh)
    assert state(fresh)["attempts"] == 2 and 90 < state(fresh)["not_before"] - time.time() < 121
    assert user_sees(first_session(fresh, "fifth", **OFFLINE, **ATTENDED)) == ""
    assert "can't be reached" in fresh.bin("status").stdout
    by_hand = fresh.bin("bootstrap", ok=False, **OFFLINE)
    assert by_hand.returncode == 1 and "can't be reached" in by_hand.stderr and "Try: " in by_hand.stderr
    assert "packages are installed" in fresh.bin("bootstrap").stdout
    assert state(fresh) == {} and worker(fresh)
    assert user_sees(first_session(fresh, "sixth", **ATTENDED)) == ""


def test_a_python_3_9_alone_runs_the_hooks_and_names_what_is_missing(fresh, tmp_path):
    fresh.plugin = plugin_with_fewer_packages(tmp_path / "bare", NOWHERE)
    python_3_9(fresh.tools, "python3.9")
    fresh.env["PATH"] = f"{fresh.tools}:{tools_without_python(tmp_path)}"
    assert "installs" in user_sees(first_session(fresh, **ATTENDED))
    settle(fresh)
    line = user_sees(first_session(fresh, "second", **ATTENDED))
    assert "Python 3.11 or newer" in line and line.endswith("bin/keepstone bootstrap") and "astral.sh/uv" in line
    assert fresh.bin("store", "Deploys need the VPN").stdout.startswith("Saved. Searchable once")


def test_a_python_3_9_and_uv_get_a_python_of_uvs_own(fresh, tmp_path):
    fresh.plugin = plugin_with_fewer_packages(tmp_path / "bare", NOWHERE)
    python_3_9(fresh.tools, "python3.9")
    fresh.env["PATH"] = f"{fresh.tools}:{tools_without_python(tmp_path)}"
    give_uv(fresh, path=os.path.join(sys.base_prefix, "bin"))
    first_session(fresh)
    settle(fresh)
    assert worker(fresh).startswith(str(fresh.home / "venv"))
    assert fresh.bin("store", "Deploys need the VPN").stdout.startswith("Stored.")


def tools_without_python(tmp_path: Path) -> Path:
    """A folder with what a POSIX machine has on its PATH, Pythons apart."""
    folder = tmp_path / "posix"
    folder.mkdir()
    for name in ("sh", "uname", "git", "readlink", "env"):
        (folder / name).symlink_to(shutil.which(name))
    return folder


WITHOUT_ENSUREPIP = """
echo "Loading a module of the site's ..." >&2
case "$*" in
    *"-m venv --without-pip"*) ;;
    *"-m venv"*) echo "The virtual environment was not created because ensurepip is not available."; exit 1 ;;
esac
"""
WITHOUT_PIP = """
case "$*" in *"-m pip"*) echo "No module named pip"; exit 1 ;; esac
"""


@pytest.mark.parametrize("has_pip", [True, False])
def test_without_ensurepip_a_pip_that_is_there_fills_the_venv_or_the_package_is_named(fresh, tmp_path, has_pip):
    fresh.plugin = plugin_with_fewer_packages(tmp_path / "bare", NOWHERE)
    pretend(fresh.tools, "python3.11", "pass", WITHOUT_ENSUREPIP + ("" if has_pip else WITHOUT_PIP))
    fresh.env["PATH"] = f"{fresh.tools}:{tools_without_python(tmp_path)}"
    first_session(fresh, **ATTENDED)
    settle(fresh)
    if has_pip:
        assert worker(fresh).startswith(str(fresh.home / "venv"))
        assert fresh.bin("store", "Deploys need the VPN").stdout.startswith("Stored.")
    else:
        line = user_sees(first_session(fresh, "second", **ATTENDED))
        assert "can't make a venv" in line
        wanted = "apt install python3.11-venv" if os.path.exists("/etc/debian_version") else "astral.sh/uv"
        assert wanted in line


def test_windows_store_stub_is_passed_over(machine, tmp_path):
    """It prints an advertisement and exits 9009, of which a POSIX shell sees the low byte."""
    machine.store("Deploys need the VPN")
    (machine.home / "python").unlink()
    machine.plugin = plugin_at(tmp_path / "plugin", NOWHERE)
    folder = tmp_path / "WindowsApps"
    folder.mkdir()
    program(folder, "python3", "echo 'Python was not found; run without arguments to install'; exit 49")
    program(folder, "python", f'exec "{sys.executable}" "$@"')
    machine.env["PATH"] = f"{folder}:{tools_without_python(tmp_path)}"
    printed = first_session(machine)
    assert "Deploys need the VPN" in printed and "not found" not in printed
    (machine.home / "python").unlink()
    assert "Deploys need the VPN" in machine.bin("recent").stdout


@pytest.mark.parametrize("developer_tools", [False, True])
def test_macos_stub_is_not_run_without_the_developer_tools(machine, tmp_path, developer_tools):
    machine.store("Deploys need the VPN")
    (machine.home / "python").unlink()
    folder = tools_without_python(tmp_path)
    stub = program(tmp_path, "stub", f': > "{tmp_path}/dialog"\nexec "{sys.executable}" "$@"')
    machine.plugin = plugin_at(tmp_path / "plugin", {"/usr/bin/python3": str(stub), "/usr/": "/nowhere/"})
    (folder / "uname").unlink()
    program(folder, "uname", "echo Darwin")
    program(folder, "xcode-select", f"exit {0 if developer_tools else 2}")
    machine.env["PATH"] = str(folder)
    assert ("Deploys need the VPN" in first_session(machine)) == developer_tools
    assert (tmp_path / "dialog").exists() == developer_tools


def test_the_build_on_macos_never_runs_the_stub(fresh, tmp_path):
    stub = program(tmp_path, "stub", f': > "{tmp_path}/dialog"\nexit 1')
    fresh.plugin = plugin_with_fewer_packages(tmp_path / "bare", {"/usr/bin/python3": str(stub), "/usr/": "/nowhere/"})
    mac = pretend(fresh.tools, "python3", "sys.platform = 'darwin'; sys.version_info = (3, 9, 6)")
    (fresh.tools / "python3.11").symlink_to(stub)
    fresh.env["PATH"] = f"{fresh.tools}:{tools_without_python(tmp_path)}"
    fresh.home.mkdir(parents=True)
    (fresh.home / "python").write_text(f"{mac}\n\n")
    first_session(fresh)
    settle(fresh)
    assert "Python 3.11 or newer" in state(fresh)["line"] and not (tmp_path / "dialog").exists()


@pytest.mark.parametrize("shell", ["dash", "busybox", "bash"])
def test_without_anything_recorded_hooks_and_command_run_in_any_posix_shell(machine, shell):
    require(shell, shutil.which(shell), f"apt-get install {shell}")
    machine.store("Deploys need the VPN")
    run = [shutil.which(shell), *(["sh"] if shell == "busybox" else [])]
    for words, said in (["hooks/session-start"], machine.event()), (["bin/keepstone", "recent"], {}):
        (machine.home / "python").unlink()
        done = subprocess.run(
            [*run, str(ROOT / words[0]), *words[1:]],
            input=json.dumps(said),
            env=machine.env,
            cwd=machine.project,
            capture_output=True,
            text=True,
        )
        assert "Deploys need the VPN" in done.stdout and (done.returncode, done.stderr) == (0, ""), words
        (machine.home / "python").touch()


def test_an_update_in_the_middle_builds_anew_while_hooks_go_on(fresh, tmp_path):
    give_uv(fresh)
    running, updated = fresh.plugin, plugin_with_fewer_packages(tmp_path / "updated")
    lock = updated / "requirements.lock"
    lock.write_text(lock.read_text() + "# a later release\n")
    first_session(fresh)  # of the earlier plugin, after the update
    fresh.bin("store", "Deploys need the VPN")
    settle(fresh)
    fresh.settle()
    (old,) = venvs(fresh)
    fresh.plugin = updated
    assert "Deploys need the VPN" in first_session(fresh, "updated")
    fresh.plugin = running
    assert "Deploys need the VPN" in first_session(fresh, "still running")
    settle(fresh)
    (new,) = set(venvs(fresh)) - {old}
    assert worker(fresh).startswith(str(fresh.home / "venv" / new)) and old in venvs(fresh)
    calls = (fresh.root / "uv calls").read_text()
    assert "Deploys need the VPN" in first_session(fresh, "again")  # the old plugin does not want its old venv back
    settle(fresh)
    assert (fresh.root / "uv calls").read_text() == calls and old in venvs(fresh)
    an_hour_passes = time.time() - 3_700
    os.utime(fresh.home / "python", (an_hour_passes, an_hour_passes))
    fresh.hook("session-end", fresh.event(transcript_path=str(lock)))
    settle(fresh)
    assert venvs(fresh) == [new]


def test_a_venv_that_is_being_built_is_not_swept_away(machine):
    used, growing = machine.home / "venv" / "used", machine.home / "venv" / "growing"
    for folder in (used, growing):
        (folder / "bin").mkdir(parents=True)
    (used / "bin" / "python").symlink_to(sys.executable)
    (machine.home / "python").write_text(f"\n{used}/bin/python\n")
    days = time.time() + 200_000
    held = files.lock(str(machine.home), name="build")
    bootstrap.sweep(str(machine.home), days)
    assert growing.exists()
    files.unlock(held)
    bootstrap.sweep(str(machine.home), days)
    assert used.exists() and not growing.exists()


def test_a_proxys_certificate_in_the_systems_store_is_found_at_the_second_try(fresh):
    """As uv says it behind a proxy that inspects TLS, until it is told to look there."""
    give_uv(fresh)
    wrapper = (fresh.tools / "uv").read_text()
    refused = 'echo "error: invalid peer certificate: UnknownIssuer"; exit 2'
    refusal = f'[ "$1" = pip ] && [ -z "$UV_SYSTEM_CERTS" ] && {{ {refused}; }}'
    (fresh.tools / "uv").write_text(wrapper.replace("#!/bin/sh\n", f"#!/bin/sh\n{refusal}\nenv > '{fresh.root}/env'\n"))
    first_session(fresh, ANTHROPIC_API_KEY="sk-ant-x", CLAUDE_CODE_MESSAGING_TOKEN="t", PIP_USER="1")
    settle(fresh)
    assert worker(fresh).startswith(str(fresh.home / "venv"))
    seen = (fresh.root / "env").read_text()
    assert "ANTHROPIC" not in seen and "MESSAGING" not in seen and "PIP_USER" not in seen


def wheel(folder: Path, name: str, version: str, text: str = "") -> Path:
    """Makes a package that writes down that it was started, as soon as Python starts beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{re.sub('[-.]', '_', name)}-{version}-py3-none-any.whl"
    info = f"{path.name.partition('-py3')[0]}.dist-info"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr(f"{name}.pth", f"import pathlib; pathlib.Path({str(folder / 'started')!r}).touch()\n")
        packed.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{text}")
        packed.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        packed.writestr(f"{info}/RECORD", f"{info}/RECORD,,\n")
    return path


@pytest.mark.parametrize("way", ["pip", "uv"])
def test_a_repositorys_variables_install_nothing_and_start_nothing(fresh, way):
    """As `env` in a repository's settings sets them, with files of the repository."""
    if way == "uv":
        give_uv(fresh)
    there = fresh.project / "there"
    other = wheel(there, "otherpkg", "1.0")
    digest = hashlib.sha256(other.read_bytes()).hexdigest()
    (there / "more.txt").write_text(f"otherpkg @ {other.as_uri()} --hash=sha256:{digest}\n")
    lines = (f"python = {there}/python3", f"log = {there}/log", f"target = {there}", "index-url = http://127.0.0.1:9/")
    lines += ("proxy = http://127.0.0.1:9", f"cert = {there}/more.txt", "trusted-host = 127.0.0.1")
    (there / "pip.conf").write_text("\n".join(("[install]", f"requirement = {there}/more.txt", "[global]", *lines)))
    (there / "uv.toml").write_text(f'[pip]\ntarget = "{there}/target"\n')
    for name in ("python3", "python3.14", "python3.13", "python", "uv", "git", "sh"):
        program(there, name, f'touch "{there}/started"; exit 1')
    before = sorted(path.name for path in there.iterdir())
    hostile = {
        "PATH": f"{there}:there:/proc/self/cwd/there:{fresh.env['PATH']}",
        **dict.fromkeys(("PIP_REQUIREMENT", "PIP_CONSTRAINT", "PIP_BUILD_CONSTRAINT"), f"{there}/more.txt"),
        **dict.fromkeys(("UV_OVERRIDE", "UV_CONSTRAINT", "UV_BUILD_CONSTRAINT"), f"{there}/more.txt"),
        **dict.fromkeys(("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_SRC", "PIP_LOG"), f"{there}/target"),
        **dict.fromkeys(("PIP_PYTHON", "UV_PYTHON", "PYTHONEXECUTABLE"), f"{there}/python3"),
        **dict.fromkeys(("UV_PROJECT_ENVIRONMENT", "UV_PYTHON_INSTALL_DIR", "UV_TOOL_DIR"), f"{there}/target"),
        **dict.fromkeys(("TMPDIR", "PIP_CACHE_DIR", "UV_CACHE_DIR", "XDG_CONFIG_HOME", "PYTHONPATH"), str(there)),
        **{"PIP_CONFIG_FILE": f"{there}/pip.conf", "UV_CONFIG_FILE": f"{there}/uv.toml", "PIP_EDITABLE": str(there)},
        **{"PIP_NO_BINARY": ":all:", "UV_NO_BINARY": "1", "PIP_USER": "1", "PIP_DRY_RUN": "1", "UV_SYSTEM_PYTHON": "1"},
        **{"PIP_NO_DEPS": "0", "PIP_REQUIRE_HASHES": "0", "UV_REQUIRE_HASHES": "0", "UV_NO_VERIFY_HASHES": "1"},
    }
    first_session(fresh, **hostile)
    settle(fresh)
    assert worker(fresh).startswith(str(fresh.home / "venv")), state(fresh)
    (packages,) = (fresh.home / "venv").glob("*/lib/python3*/site-packages")
    names = {one for one in re.findall(r"^([\w.-]+)==", (fresh.plugin / "requirements.lock").read_text(), re.MULTILINE)}
    there_now = {re.sub("[-_.]+", "-", path.name.partition("-")[0]).lower() for path in packages.glob("*.dist-info")}
    assert there_now == {re.sub("[-_.]+", "-", name).lower() for name in names} and not list(packages.glob("*.pth"))
    assert sorted(path.name for path in there.iterdir()) == before
    assert fresh.bin("store", "Deploys need the VPN").stdout.startswith("Stored.")


@pytest.mark.parametrize("way", ["pip", "uv"])
def test_a_mirror_with_other_files_of_those_names_fills_nothing(fresh, tmp_path, way):
    if way == "uv":
        give_uv(fresh)
    lock = (fresh.plugin / "requirements.lock").read_text()
    for name, version in re.findall(r"^([\w.-]+)==(\S+)", lock, re.MULTILINE):
        made = wheel(tmp_path / "mirror" / name, name, version)
        (made.parent / "index.html").write_text(f'<a href="{made.name}">{made.name}</a>')
    handler = functools.partial(Quiet, directory=str(tmp_path / "mirror"))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}"
    mirror = {**OFFLINE, "PIP_INDEX_URL": address, "UV_DEFAULT_INDEX": address}
    first_session(fresh, **mirror)
    settle(fresh)
    server.shutdown()
    server.server_close()
    line = user_sees(first_session(fresh, "second", **mirror, **ATTENDED))
    assert "hash" in line.lower() and "Try: " in line
    assert worker(fresh) == "" and venvs(fresh) == [] and not list(tmp_path.rglob("started"))


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.mark.parametrize("name", ["evil.pth", "sitecustomize.py", "keepstone/__init__.py", "numpy.so"])
def test_what_the_lock_did_not_bring_is_refused_before_it_runs_and_the_user_is_told(fresh, tmp_path, name):
    fresh.plugin = plugin_with_fewer_packages(tmp_path / "bare", NOWHERE)
    python_3_9(fresh.tools, "python3.9")
    fresh.env["PATH"] = f"{fresh.tools}:{tools_without_python(tmp_path)}"
    give_uv(fresh, path=os.path.join(sys.base_prefix, "bin"))
    (tmp_path / "evil").write_text(f"import pathlib; pathlib.Path('{tmp_path}/started').touch()")
    install = (fresh.tools / "uv").read_text().replace("exec ", "")
    place = f"$(echo '{fresh.home}'/venv/*/lib/python3*/site-packages)/{name}"
    then = f'/bin/mkdir -p "${{place%/*}}"; /bin/cp "{tmp_path}/evil" "$place"'
    (fresh.tools / "uv").write_text(f'{install}place="{place}"; [ "$1" = pip ] && {{ {then}; }}; exit 0\n')
    first_session(fresh)
    settle(fresh)
    line = user_sees(first_session(fresh, "second", **ATTENDED))
    assert "is not what the lock file names" in line and name in line
    assert worker(fresh) == "" and venvs(fresh) == [] and not (tmp_path / "started").exists()


def test_a_venv_that_is_gone_or_broken_is_built_again(fresh):
    give_uv(fresh)
    first_session(fresh)
    settle(fresh)
    (first,) = venvs(fresh)
    shutil.rmtree(fresh.home / "venv" / first)
    assert fresh.bin("store", "Deploys need the VPN").stdout.startswith("Saved.")
    settle(fresh)
    fresh.settle()
    assert "Deploys need the VPN" in first_session(fresh, "second")
    settle(fresh)  # a worker that runs already has the package in memory
    (package,) = (fresh.home / "venv" / first).glob("lib/python3*/site-packages/rapidfuzz")
    shutil.rmtree(package)
    fresh.hook("session-end", fresh.event(transcript_path=str(ROOT / "LICENSE")))  # the worker finds it broken
    settle(fresh)
    assert worker(fresh) == ""
    first_session(fresh, "third")
    settle(fresh)
    assert worker(fresh) and package.exists()


def test_the_packages_of_every_face_come_when_they_are_asked_for_and_stay(fresh):
    give_uv(fresh)
    fresh.bin("bootstrap")
    (first,) = venvs(fresh)
    assert "bootstrap --all" in fresh.bin("serve", "--port", "0", ok=False).stderr
    folder = fresh.home / "venv" / first
    os.mkfifo(folder / "pipe")  # which can't be copied, as nothing can on a full disk
    assert fresh.bin("bootstrap", "--all", ok=False).returncode == 1
    assert not (fresh.home / "all").exists() and venvs(fresh) == [first]
    (folder / "pipe").unlink()
    fresh.bin("bootstrap", "--all")
    packages = folder / "lib"
    assert venvs(fresh) == [first] and len(list(packages.glob("python3*/site-packages/uvicorn"))) == 1
    shutil.rmtree(packages)
    fresh.bin("bootstrap")
    assert list(packages.glob("python3*/site-packages/uvicorn")) and list(packages.glob("python3*/site-packages/mcp"))


def test_a_kill_while_an_environment_is_replaced_costs_nothing(fresh):
    give_uv(fresh)
    fresh.bin("bootstrap")
    (first,) = venvs(fresh)
    folder, calls = fresh.home / "venv" / first, (fresh.root / "uv calls").read_text()
    folder.rename(folder.with_name(f"{first}.old"))
    shutil.copytree(folder.with_name(f"{first}.old"), folder.with_name(f"{first}.new"), symlinks=True)
    fresh.bin("bootstrap")
    assert venvs(fresh) == [first] and (fresh.root / "uv calls").read_text() == calls
    assert "Stored." in fresh.bin("store", "Deploys need the VPN").stdout


def test_it_can_be_forbidden(fresh):
    give_uv(fresh)
    assert first_session(fresh, KEEPSTONE_NO_BOOTSTRAP="1", **ATTENDED).startswith("## Session Memory")
    done = fresh.bin("store", "Deploys need the VPN", KEEPSTONE_NO_BOOTSTRAP="1")
    assert "Searchable once" in done.stdout and "KEEPSTONE_NO_BOOTSTRAP" in done.stdout
    settle(fresh)
    assert not (fresh.root / "uv calls").exists() and venvs(fresh) == []


def test_nothing_is_built_for_an_interpreter_of_the_users_own(fresh):
    give_uv(fresh)
    fresh.record_interpreters()
    assert user_sees(first_session(fresh, **ATTENDED)) == ""
    settle(fresh)
    assert not (fresh.root / "uv calls").exists()


def test_what_uv_was_refused_is_told_though_pip_succeeds_and_harms_no_environment_in_use(fresh, tmp_path):
    give_uv(fresh)
    (tmp_path / "evil").write_text(f"import pathlib; pathlib.Path('{tmp_path}/started').touch()\n")
    install = (fresh.tools / "uv").read_text().replace("exec ", "")
    find = 'while [ $# -gt 0 ]; do [ "$1" = --python ] && into=$2; shift; done'
    each = 'for packages in "${into%/bin/python}"/lib/python3*/site-packages'
    then = f'{find}; {each}; do /bin/cp "{tmp_path}/evil" "$packages/evil.pth"; done'
    (fresh.tools / "uv").write_text(f'{install}[ "$1" = pip ] && {{ {then}; }}; exit 0\n')
    said = fresh.bin("bootstrap").stdout
    assert "By pip, as uv's were refused: " in said and "evil.pth" in said
    fresh.bin("store", "Deploys need the VPN")
    assert "evil.pth" in user_sees(first_session(fresh, "second", **ATTENDED))
    assert "evil.pth" not in first_session(fresh, "third", **ATTENDED)
    (folder,) = (fresh.home / "venv").iterdir()
    before = {path for path in folder.rglob("*") if "__pycache__" not in path.parts}
    refused = fresh.bin("bootstrap", "--all", ok=False)
    assert refused.returncode == 1 and "evil.pth belongs to none of its packages" in refused.stderr
    assert {path for path in folder.rglob("*") if "__pycache__" not in path.parts} == before
    assert venvs(fresh) == [folder.name] and not (fresh.home / "all").exists() and not (tmp_path / "started").exists()
    assert "VPN" in fresh.bin("recent").stdout
