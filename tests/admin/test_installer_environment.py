"""What an installer sees of the environment: how to reach an index, and nothing that changes what it does."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from keepstone.admin.bootstrap import BuildRunner
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


PLACES = ("HOME", "TMPDIR", "PIP_CACHE_DIR", "UV_CACHE_DIR", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize(
    "spelled", ["{clone}/there", "there", "/proc/self/cwd/there", "{out}/../clone/there", "{out}/link"]
)
def test_a_place_in_the_folder_that_one_works_in_does_not_pass(tmp_path, monkeypatch, name, spelled):
    clone, out = tmp_path / "clone", tmp_path / "out"
    (clone / "there").mkdir(parents=True)
    out.mkdir()
    (out / "link").symlink_to(clone / "there")
    monkeypatch.chdir(clone)
    value = spelled.format(clone=clone, out=out)
    assert BuildRunner(str(tmp_path), {name: value}).env.get(name) != value
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
    tools.find_index([sys.executable, "-I", "-m", "pip"])
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
    tools.find_index([sys.executable, "-I", "-m", "pip"])
    assert tools.env["PIP_INDEX_URL"] == "https://mine.example/simple"
