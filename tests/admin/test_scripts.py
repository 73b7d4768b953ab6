"""What setup wrote outside of the plugin goes on working when the plugin moves, and does no harm when it is gone."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

import pytest

from support import plugin_at, require

SHELLS = {"dash": ["dash"], "busybox": ["busybox", "sh"], "bash": ["bash", "--posix"]}


@pytest.fixture
def set_up(owner):
    owner.lives_here()
    owner.keepstone("setup", "--shell", "--statusline")
    return owner


def typed(owner, *words, ok=True, **env):
    """`keepstone`, as the user's own terminal runs it."""
    path = f"{owner.shim.parent}:{owner.env['PATH']}"
    return owner.command(["/bin/sh", "-c", 'keepstone "$@"', "sh", *words], ok, PATH=path, **env)


def line(owner, said=b"{}", **env):
    """What the client shows below its prompt."""
    script = owner.home / "statusline"
    done = subprocess.run([script], input=said, env={**owner.env, **env}, cwd=owner.project, capture_output=True)
    assert done.returncode == 0 and done.stderr == b""
    return done.stdout.decode()


@pytest.mark.system
@pytest.mark.parametrize("shell", SHELLS)
def test_the_command_runs_in_any_posix_shell(set_up, shell):
    require(shell, shutil.which(shell), f"install {shell}")
    done = set_up.command([*SHELLS[shell], str(set_up.shim), "recent"])
    assert "Deploys need the VPN" in done.stdout and done.stderr == ""


def test_the_command_passes_words_and_exit_codes_on(set_up):
    text = 'don\'t `x` $HOME; a "b" \\n %s日本'
    assert text in typed(set_up, "store", text).stdout
    assert typed(set_up, "nonsense", ok=False).returncode == 2


def test_a_session_tells_them_where_the_plugin_is_now(set_up, tmp_path):
    there = plugin_at(tmp_path / "1.1 ö")
    set_up.plugin = there
    set_up.hook("session-start", set_up.event())
    assert (set_up.home / "plugin").read_text() == f"{there}\n"
    written = (set_up.home / "plugin").stat().st_mtime_ns
    set_up.hook("session-start", set_up.event())
    assert (set_up.home / "plugin").stat().st_mtime_ns == written
    assert "Deploys need the VPN" in typed(set_up, "recent").stdout
    assert line(set_up) == "keepstone 1 memory, 1 new this week\n"


def test_before_an_updates_first_session_the_command_finds_it_beside_the_old_one(set_up, tmp_path):
    cache = tmp_path / "plugins" / "cache" / "keepstone" / "keepstone"
    plugin_at(cache / "0.2.0")
    (set_up.home / "plugin").write_text(f"{cache}/0.1.0\n")
    assert "Deploys need the VPN" in typed(set_up, "recent").stdout


def test_without_the_plugin_they_say_what_to_do_and_harm_nothing(set_up):
    (set_up.home / "plugin").write_text("/gone/away\n")
    done = typed(set_up, "recent")
    assert done.stdout == "" and "/gone/away" in done.stderr
    assert "claude plugin install keepstone@keepstone" in done.stderr and f"rm '{set_up.shim}'" in done.stderr
    assert f"still in {set_up.home}" in done.stderr
    assert line(set_up) == ""
    shutil.rmtree(set_up.home)
    assert "claude plugin install" in typed(set_up, "recent").stderr


def test_without_the_plugin_a_shell_starts_and_completes_in_silence(set_up):
    (set_up.home / "plugin").write_text("/gone/away\n")
    for words, env in (
        (["completion", "bash"], {}),
        ([], {"_KEEPSTONE_COMPLETE": "bash_complete", "COMP_WORDS": "keepstone "}),
    ):
        done = typed(set_up, *words, **env)
        assert (done.stdout, done.stderr) == ("", "")


def test_a_data_home_of_ones_own_is_found_from_every_shell(owner):
    home = owner.root / "my data"
    owner.keepstone("store", "Kept elsewhere", KEEPSTONE_HOME=str(home))
    owner.keepstone("setup", "--shell", "--statusline", KEEPSTONE_HOME=str(home))
    assert "Kept elsewhere" in typed(owner, "recent").stdout
    done = owner.command([str(home / "statusline")])
    assert done.stdout == "keepstone 1 memory, 1 new this week\n"
    owner.keepstone("store", "Kept here")
    assert "Kept here" in typed(owner, "recent", KEEPSTONE_HOME=str(owner.home)).stdout


def test_it_says_what_the_path_lacks_for_the_shell_in_use(owner):
    for shell, says in (("bash", '~/.bashrc:\n  export PATH="$HOME/.local/bin:$PATH"'), ("fish", "fish_add_path")):
        said = owner.keepstone("setup", "--shell", SHELL=f"/bin/{shell}").stdout
        owner.keepstone("uninstall", "--yes")
        assert says in said and "is not on your PATH" in said and f"keepstone completion {shell}" in said
    other = owner.has("other/keepstone", "#!/bin/sh\n", 0o755)
    said = owner.keepstone("setup", "--shell", PATH=f"{other.parent}:{owner.shim.parent}:/usr/bin:/bin").stdout
    assert f"Another one comes before it on your PATH: {other}" in said


def test_the_command_may_go_into_another_folder(owner):
    owner.keepstone("setup", "--shell", "bin")
    assert (owner.project / "bin" / "keepstone").exists() and not owner.shim.exists()
    owner.keepstone("uninstall", "--yes")
    assert not (owner.project / "bin").exists()


@pytest.mark.system
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes_commands_and_options(set_up, shell):
    script = typed(set_up, "completion", shell).stdout
    assert "_KEEPSTONE_COMPLETE" in script
    require(shell, shutil.which(shell), f"install {shell}")
    if shell != "bash":
        assert subprocess.run([shell, "-n"], input=script, text=True).returncode == 0
        return
    asks = (
        script
        + '\nCOMP_WORDS=(keepstone uninst); COMP_CWORD=1; _keepstone_completion keepstone; echo "${COMPREPLY[*]}"'
    )
    assert set_up.command(["bash", "-c", asks], PATH=f"{set_up.shim.parent}:/usr/bin:/bin").stdout == "uninstall\n"
    asks = (
        script
        + '\nCOMP_WORDS=(keepstone setup --st); COMP_CWORD=2; _keepstone_completion keepstone; echo "${COMPREPLY[*]}"'
    )
    done = set_up.command(["bash", "-c", asks], PATH=f"{set_up.shim.parent}:/usr/bin:/bin")
    assert done.stdout == "--statusline\n"


def test_before_the_packages_are_there_a_shell_starts_and_completes_in_silence(set_up):
    (set_up.home / "python").write_text("/usr/bin/python3\n\n")
    for words, env in ((["completion", "bash"], {}), (["setup"], {"_KEEPSTONE_COMPLETE": "bash_complete"})):
        done = typed(set_up, *words, **env)
        assert (done.stdout, done.stderr) == ("", "")


def test_the_personal_skill_is_the_plugins_and_needs_nothing_of_it(owner):
    owner.keepstone("setup", "--slash-memory")
    text = (owner.client_folder / "skills" / "memory" / "SKILL.md").read_text()
    assert "\ndisable-model-invocation: true\n---\n" in text  # Claude has the plugin's own
    assert not re.search(r"\$\{CLAUDE_PLUGIN", text)  # left as text in a personal skill
    plugins = (owner.plugin / "skills" / "memory" / "SKILL.md").read_text()
    assert text.split("---\n")[2].partition("-->\n")[2] == plugins.split("---\n", 2)[2]


def test_scripts_are_the_users_alone(set_up):
    for path in (set_up.shim, set_up.home / "statusline"):
        assert oct(os.stat(path).st_mode & 0o777) == "0o700"
