"""What an installer sees of the environment: how to reach an index, and nothing that changes what it does."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from keepstone.admin.bootstrap import _SET, BuildRunner
from support import ROOT, require

UV = ROOT / ".venv" / "bin" / "uv"
INDEX = re.compile(
    r"(?:PIP|UV)_(?:.*INDEX.*|FIND_LINKS|TRUSTED_HOST|INSECURE_HOST|PROXY|CERT|CLIENT_CERT|TIMEOUT|DEFAULT_TIMEOUT|"
    r"KEYRING_PROVIDER|CACHE_DIR|NATIVE_TLS|SYSTEM_CERTS|OFFLINE|HTTP_.*)"
)


def variables_of_pip() -> set[str]:
    """The variables that pip takes: one for each of its options."""
    shown = subprocess.run([sys.executable, "-m", "pip", "help", "install"], capture_output=True, text=True).stdout
    return {"PIP_" + name.upper().replace("-", "_") for name in re.findall(r"--([a-z][a-z-]+)", shown)}


def variables_of_uv() -> set[str]:
    require("uv", UV.exists(), "make setup")
    shown = [
        subprocess.run([UV, *words, "--help"], capture_output=True, text=True).stdout
        for words in (["venv"], ["pip", "install"])
    ]
    return set(re.findall(r"\bUV_[A-Z_]+", "".join(shown)))


@pytest.mark.parametrize("of", [variables_of_pip, variables_of_uv])
def test_of_an_installers_own_variables_those_about_the_index_pass_alone(tmp_path, of):
    named = of()
    assert len(named) > 25
    seen = BuildRunner(str(tmp_path), dict.fromkeys(named, "/hostile") | {"PATH": os.environ["PATH"]}).env
    passed = {name for name in named if seen.get(name) == "/hostile"}
    assert passed and all(INDEX.fullmatch(name) for name in passed), passed


@pytest.mark.parametrize(
    "name",
    [
        *("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONINSPECT", "VIRTUAL_ENV", "CONDA_PREFIX", "PIPX_HOME"),
        *("LD_PRELOAD", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "ENV", "IFS", "SHELLOPTS"),
        *("GIT_SSH_COMMAND", "GIT_ASKPASS", "GIT_EXEC_PATH", "CC", "CFLAGS", "RUSTC_WRAPPER", "CARGO_HOME", "NETRC"),
        *("ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "AWS_SECRET_ACCESS_KEY", "KEEPSTONE_TOKEN", "XDG_DATA_HOME"),
    ],
)
def test_what_changes_a_program_or_is_a_secret_does_not_pass(tmp_path, name):
    assert name not in BuildRunner(str(tmp_path), {name: "/hostile", "PATH": "/usr/bin"}).env


def find_index(tmp_path, **environ):
    """What a build sees of the index beyond what this machine's own settings say; `~` is a user's home."""
    found = []
    for home in (tmp_path / "nobody", tmp_path / "user"):
        given = environ if home.name == "user" else {}
        tools = BuildRunner(str(tmp_path), {"PATH": os.environ["PATH"], "HOME": str(home), **given})
        tools.find_index()
        assert tools.output == ""  # it runs nothing
        found.append({name: one for name, one in tools.env.items() if name.startswith("PIP_") and name not in _SET})
    machines, seen = found
    return {name: value for name, value in seen.items() if machines.get(name) != value}


OWN = "[global]\nindex-url = https://own.acme.example/simple\ncert = /etc/own.pem\n[install]\nproxy = http://own:3128\n"
SEEN = {
    "PIP_INDEX_URL": "https://own.acme.example/simple",
    "PIP_CERT": "/etc/own.pem",
    "PIP_PROXY": "http://own:3128",
}


@pytest.mark.parametrize("place", [".config/pip/pip.conf", ".pip/pip.conf", "elsewhere/pip.conf"])
def test_the_users_own_settings_of_pip_are_read_wherever_pip_looks(tmp_path, place):
    path = tmp_path / "user" / place
    path.parent.mkdir(parents=True)
    path.write_text(OWN)
    named = {"PIP_CONFIG_FILE": str(path)} if "elsewhere" in place else {}
    assert find_index(tmp_path, **named) == SEEN
    assert find_index(tmp_path, PIP_CONFIG_FILE=os.devnull) == {}  # as pip takes it
    assert find_index(tmp_path, PIP_CERT="/mine.pem", **named) == {**SEEN, "PIP_CERT": "/mine.pem"}


@pytest.mark.parametrize(
    "line",
    [
        *("python = {there}/python3", "log = {there}/bashrc", "log-file = {there}/bashrc", "cache-dir = {there}/cache"),
        *(
            "target = {there}",
            "prefix = {there}",
            "root = {there}",
            "src = {there}",
            "user = true",
            "editable = {there}",
        ),
        *("requirement = {there}/more.txt", "constraint = {there}/more.txt", "build-constraint = {there}/more.txt"),
        *("no-binary = :all:", "use-feature = fast-deps", "config-settings = x=y", "global-option = x", "isolated = 1"),
        *("report = {there}/report", "exists-action = w", "require-virtualenv = 1", "debug = 1", "dry-run = 1"),
    ],
)
@pytest.mark.parametrize("section", ["global", "install", ":env:", "config"])
def test_no_line_of_pips_settings_starts_or_writes_anything(tmp_path, line, section):
    there = tmp_path / "there"
    there.mkdir()
    (there / "python3").write_text(f"#!/bin/sh\ntouch '{there}/started'\n")
    (there / "python3").chmod(0o755)
    settings = tmp_path / "user" / ".config" / "pip" / "pip.conf"
    settings.parent.mkdir(parents=True)
    said = OWN if f"[{section}]" in OWN else f"{OWN}[{section}]\n"
    settings.write_text(said.replace(f"[{section}]\n", f"[{section}]\n{line.format(there=there)}\n"))
    assert find_index(tmp_path) == SEEN
    assert [path.name for path in there.iterdir()] == ["python3"]


BROUGHT = (
    *("{clone}/pip.conf", "pip.conf", "./pip.conf", "{clone}/sub/../pip.conf", "{out}/../clone/pip.conf", "{link}"),
    *("/proc/self/cwd/pip.conf", "/dev/fd/../../pip.conf", "//proc/self/cwd/pip.conf", "{other}/pip.conf"),
    *("{other}/deep/pip.conf", "~/pip.conf", "{foreign}"),
)


@pytest.mark.parametrize("spelled", BROUGHT)
def test_settings_of_pip_that_a_repository_may_have_brought_are_not_read(tmp_path, monkeypatch, spelled):
    clone, out, other = tmp_path / "clone", tmp_path / "out", tmp_path / "other"
    for folder in (clone / "sub", out, other / "deep", other / ".git"):
        folder.mkdir(parents=True)
    for folder in (clone, other, other / "deep", clone / "~"):
        folder.mkdir(exist_ok=True)
        (folder / "pip.conf").write_text("[global]\nindex-url = http://evil.example\nproxy = http://evil.example\n")
    (out / "link").symlink_to(clone / "pip.conf")
    (out / "foreign").write_text("[global]\nindex-url = http://evil.example\n")
    if "foreign" in spelled:
        if os.geteuid():
            pytest.skip("only root gives a file away")
        os.chown(out / "foreign", 12345, 12345)
    own = tmp_path / "user" / ".pip" / "pip.conf"
    own.parent.mkdir(parents=True)
    own.write_text(OWN)
    monkeypatch.chdir(clone)
    path = spelled.format(clone=clone, out=out, other=other, link=out / "link", foreign=out / "foreign")
    assert find_index(tmp_path, PIP_CONFIG_FILE=path, CLAUDECODE="1", CLAUDE_PROJECT_DIR=str(clone)) == SEEN


@pytest.mark.parametrize(
    "text",
    ["", "[global", "index-url = x", "[global]\nindex-url\n", "[global]\n[global]\n", "\0\0", "\udcff[global]\n", "=x"],
)
def test_settings_of_pip_that_can_not_be_read_say_nothing(tmp_path, text):
    (tmp_path / "user" / ".pip").mkdir(parents=True)
    (tmp_path / "user" / ".pip" / "pip.conf").write_bytes(text.encode("utf-8", "surrogateescape"))
    assert find_index(tmp_path) == {}


PLACES = ("HOME", "TMPDIR", "PIP_CACHE_DIR", "UV_CACHE_DIR", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize(
    "spelled",
    [
        *("{clone}/there", "there", "/proc/self/cwd/there", "{out}/../clone/there", "{out}/link"),
        *("/proc/self/cwd/../evil/there", "{clone}/../evil", "{other}/there", "/dev/fd/../there"),
    ],
)
def test_a_place_in_the_folder_that_one_works_in_does_not_pass(tmp_path, monkeypatch, name, spelled):
    clone, out = tmp_path / "clone", tmp_path / "out"
    (clone / "there").mkdir(parents=True)
    out.mkdir()
    (out / "link").symlink_to(clone / "there")
    monkeypatch.chdir(clone)
    (tmp_path / "other" / ".git").mkdir(parents=True)
    value = spelled.format(clone=clone, out=out, other=tmp_path / "other")
    assert BuildRunner(str(tmp_path), {name: value, "CLAUDECODE": "1"}).env.get(name) != value
    assert BuildRunner(str(tmp_path), {name: str(out)}).env[name] == str(out)


@pytest.mark.parametrize(
    "folder",
    ["{clone}", "{clone}/bin", ".", "bin", "./bin", "", "/proc/self/cwd", "/proc/self/cwd/bin", "{out}/../clone/bin"],
)
def test_a_folder_of_programs_in_the_folder_that_one_works_in_is_left_out(tmp_path, monkeypatch, folder):
    clone, out = tmp_path / "clone", tmp_path / "out"
    (clone / "bin").mkdir(parents=True)
    out.mkdir()
    monkeypatch.chdir(clone)
    path = os.pathsep.join([folder.format(clone=clone, out=out), str(out), "/usr/bin"])
    assert BuildRunner(str(tmp_path), {"PATH": path}).env["PATH"] == os.pathsep.join([str(out), "/usr/bin"])


CORPORATE = """\
[global]
index-url = https://pypi.acme.example/simple
extra-index-url =
    https://one.acme.example/simple
    https://two.acme.example/simple
trusted-host = pypi.acme.example
target = /hostile
no-binary = :all:
[install]
proxy = http://proxy.acme.example:3128
requirement = /hostile
[download]
index-url = https://other.acme.example/simple
"""


def test_what_the_users_settings_of_pip_say_of_the_index_is_passed_on_and_nothing_else(tmp_path):
    settings = tmp_path / "pip.conf"
    settings.write_text(CORPORATE)
    tools = BuildRunner(
        str(tmp_path), {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PIP_CONFIG_FILE": str(settings)}
    )
    tools.find_index()
    assert tools.env["PIP_INDEX_URL"] == "https://pypi.acme.example/simple"
    assert tools.env["PIP_EXTRA_INDEX_URL"] == "https://one.acme.example/simple https://two.acme.example/simple"
    assert tools.env["PIP_PROXY"] == "http://proxy.acme.example:3128"
    assert "/hostile" not in tools.env.values() and "PIP_NO_BINARY" not in tools.env
    assert tools.env["PIP_CONFIG_FILE"] == os.devnull


def test_a_variable_of_the_index_goes_before_the_settings(tmp_path):
    settings = tmp_path / "pip.conf"
    settings.write_text(CORPORATE)
    given = {
        "PATH": os.environ["PATH"],
        "PIP_CONFIG_FILE": str(settings),
        "PIP_INDEX_URL": "https://mine.example/simple",
    }
    tools = BuildRunner(str(tmp_path), given)
    tools.find_index()
    assert tools.env["PIP_INDEX_URL"] == "https://mine.example/simple"
