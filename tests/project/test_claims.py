"""What a repository that was cloned or unpacked may claim to be, and what is believed; honest ones stay the same."""

from __future__ import annotations

import os
import subprocess

import pytest

from keepstone.project.identity import choose, folder_of, identify, normalise_remote, spelled
from support import Transcript, git

SHOP = "github.com/acme/shop"
# Addresses of which a part names the shop, and that git or curl take to another host, to a program, or nowhere.
ELSEWHERE = [
    "http://evil.example?@github.com/acme/shop.git",
    "https://evil.example#@github.com/acme/shop",
    "https://evil.example\\@github.com/acme/shop",
    "https://evil.example?x#y@github.com/acme/shop",
    "https://evil.example:443#@github.com:443/acme/shop",
    "https://a@evil.example@github.com/acme/shop",
    "https://[evil.example]@github.com/acme/shop",
    "https://evil.example%2f@github.com\\/acme/shop",
    "https:///github.com/acme/shop",
    "ssh://evil.example%2Fx@github.com/acme/shop",
    "ssh://git%2f@github.com/acme/shop",
    "git://evil.example%2f%40@github.com/acme/shop",
    "ssh://git@[evil.example]github.com/acme/shop",
    "ssh://git@github.com:x@evil.example/acme/shop",
    "ssh://github.com:2222/acme/shop",
    "https://github.com:8443/acme/shop",
    "git@evil.example:x@github.com:acme/shop",
    "git@evil.example:x@github.com/acme/shop",
    "evil.example:x://github.com/acme/shop",
    "evil.example://github.com/acme/shop",
    "./a://github.com/acme/shop",
    "../a:b@github.com:acme/shop",
    "git@evil.example:x@[github.com]:acme/shop",
    "[evil.example]:x@github.com:acme/shop",
    "git@[evil.example:22]:github.com/acme/shop",
    "ext::sh -c x@github.com:acme/shop",
    "ext::https://github.com/acme/shop",
    "helper://github.com/acme/shop",
    "file://github.com/acme/shop",
    "https://github.com\u2028/acme/shop",
    "https://github.com\n@evil.example/acme/shop",
    "https://github.com\t/acme/shop",
    "https://github.com /acme/shop",
    "https://git\u200bhub.com/acme/shop",
    "ssh://git\u212aub.com/acme/shop".replace("git\u212aub", "github\u212a"),
    " https://github.com/acme/shop",
    "https://github.com:4\u0664\u0663/acme/shop",
]
HONEST = [
    "git@github.com:acme/shop.git",
    "github.com:acme/shop",
    "ACME\\ann@github.com:acme/shop.git",
    "https://github.com/acme/shop",
    "https://github.com:443/acme/shop.git",
    "http://github.com:80/acme/shop/",
    "https://ann:p%40ss%2Fword@GitHub.com/acme/shop",
    "https://x-token-auth@github.com/acme/shop",
    "https://ann:pw!$&'()*+,;=:~@github.com/acme/shop",
    "https://github.com/acme/shop?private_token=A1b2C3d4E5",
    "ssh://git@github.com/acme/shop.git",
    "ssh://git@github.com:22/acme/shop.git",
    "ssh://ann%40acme@github.com/acme/shop",
    "git+ssh://git@github.com/acme/shop",
    "git://github.com:9418/acme/shop",
]


@pytest.mark.parametrize("url", ELSEWHERE)
def test_a_remote_that_git_reads_otherwise_is_not_the_shop(url):
    assert normalise_remote(url) != SHOP


@pytest.mark.parametrize("url", HONEST)
def test_twins_of_the_shop_stay_the_shop(url):
    assert normalise_remote(url) == SHOP


def asked(tmp_path, url):
    """The host that git lets ssh connect to, "" where it asks for none."""
    ssh, told = tmp_path / "ssh", tmp_path / "told"
    ssh.write_text(f'#!/bin/sh\nfor last; do before=$host; host=$last; done\nprintf %s "$before" >"{told}"\nexit 1\n')
    ssh.chmod(0o755)
    told.unlink(missing_ok=True)
    env = {**os.environ, "GIT_SSH": str(ssh), "GIT_SSH_VARIANT": "ssh", "GIT_TERMINAL_PROMPT": "0"}
    env |= {"GIT_ALLOW_PROTOCOL": "ssh", "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(["git", "ls-remote", "--", url], cwd=tmp_path, env=env, capture_output=True, check=False)
    return told.read_text().rpartition("@")[2].lower() if told.exists() else ""


PARTS = ("git@", "", "a:b@", "x@y@", "evil.example/", "evil.example:", "evil.example:x@", "e%2fx@", "[::1]:", "@[::1]")


@pytest.mark.parametrize("first", ["", "ssh://", "git+ssh://"])
@pytest.mark.parametrize("part", PARTS)
def test_the_host_in_a_key_is_the_one_that_git_asks(tmp_path, first, part):
    for rest in ("github.com:acme/shop", "github.com/acme/shop", "github.com:22/acme/shop", "[::1]:acme/shop"):
        key = normalise_remote(url := first + part + rest)
        host = key.partition("/")[0]
        host = host.partition("]")[0].lstrip("[") if host.startswith("[") else host.partition(":")[0]
        assert not key or host == asked(tmp_path, url).strip("[]"), (url, key)
    assert asked(tmp_path, "git@github.com:acme/shop") == "github.com"


@pytest.fixture
def shop(tmp_path):
    return repository(tmp_path / "shop", "git@github.com:acme/shop.git")


def repository(folder, remote=""):
    folder.mkdir(parents=True)
    git("init", "-q", cwd=folder)
    git("commit", "-q", "--allow-empty", "-m", f"first of {folder.name}", cwd=folder)
    if remote:
        git("remote", "add", "origin", remote, cwd=folder)
    return folder


def keys(folder):
    return identify(str(folder)).keys


@pytest.mark.parametrize("url", [url for url in ELSEWHERE if "\n" not in url])
def test_what_git_writes_into_a_clones_configuration_is_read_as_git_reads_it(shop, url):
    git("config", "remote.origin.url", url, cwd=shop)
    assert f"git:{SHOP}" not in keys(shop) and f"dir:{shop}" in keys(shop)
    git("config", "remote.origin.url", "https://github.com/acme/shop", cwd=shop)
    assert keys(shop) == (f"git:{SHOP}", f"dir:{shop}")


SECTIONS = [
    "../\u2028[remote 'origin']\u2028url = https://github.com/acme/shop",
    '../\u2028[remote "origin"]\u2028url = https://github.com/acme/shop',
    "../\x0b[remote 'origin']\x0burl=https://github.com/acme/shop",
    "../\x1e[remote 'origin']\x1eurl = https://github.com/acme/shop\x1e",
    "../\x85[remote 'origin']\x85url = https://github.com/acme/shop",
]


@pytest.mark.parametrize("value", SECTIONS)
def test_no_value_that_git_has_written_holds_a_remote(tmp_path, value):
    """As a submodule's path may, which git writes into its configuration before the remote."""
    made = repository(tmp_path / "lib")
    config = ("config", "--file", str(made / ".git" / "config"))
    git(*config, "core.worktree", value, cwd=tmp_path)
    git(*config, "remote.Origin.url", "https://github.com/acme/shop", cwd=tmp_path)
    assert keys(made) == (f"dir:{made}",)
    git(*config, "remote.origin.url", '  https://github.com/acme/shop" ;x#y\\', cwd=tmp_path)
    assert keys(made) == (f"dir:{made}",)
    git(*config, "remote.origin.url", "https://github.com/acme/lib", cwd=tmp_path)
    assert keys(made)[0] == "git:github.com/acme/lib"


def _file(folder, text):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".git").write_text(text)
    return folder


def _git_dir(place, config="", **files):
    for name in ("objects", "refs"):
        (place / name).mkdir(parents=True)
    for name, text in {"HEAD": "ref: refs/heads/main\n", "config": config, **files}.items():
        (place / name).write_text(text)
    return place


def _commondir(folder, common):
    _git_dir(folder / "g", commondir=f"{common}\n", gitdir=f"{folder}/.git\n")
    return _file(folder, "gitdir: g\n")


def _linked(folder, name, to):
    folder.mkdir()
    (folder / name).symlink_to(to)
    return folder


def _config_linked(folder, shop):
    _git_dir(folder / ".git")
    (folder / ".git" / "config").unlink()
    (folder / ".git" / "config").symlink_to(shop / ".git" / "config")
    return folder


def _below(folder, shop):
    """A second folder of the shop's that says that it is a worktree of it."""
    tree = shop.parent / "tree"
    git("worktree", "add", "-q", str(tree), cwd=shop)
    return _file(folder, (tree / ".git").read_text())


# By what each does: a folder of somebody else's that names the shop's repository beside it.
POINTERS = {
    "absolute": lambda folder, shop: _file(folder, f"gitdir: {shop}/.git\n"),
    "relative": lambda folder, shop: _file(folder, "gitdir: ../shop/.git\n"),
    "with a dot": lambda folder, shop: _file(folder, "gitdir: ./../shop/./.git/\n"),
    "to the folder above": lambda folder, shop: _file(folder, "gitdir: ../shop\n"),
    "to its objects": lambda folder, shop: _file(folder, "gitdir: ../shop/.git/objects\n"),
    "commondir": lambda folder, shop: _commondir(folder, "../../shop/.git"),
    "commondir, absolute": lambda folder, shop: _commondir(folder, f"{shop}/.git"),
    "a worktree's name": lambda folder, shop: _below(folder, shop),
    "a link to it": lambda folder, shop: _linked(folder, ".git", shop / ".git"),
    "a relative link": lambda folder, shop: _linked(folder, ".git", "../shop/.git"),
    "a link to its configuration": _config_linked,
    "within the shop": lambda folder, shop: _file(shop / "lib", "gitdir: ../.git\n"),
    "within the shop, commondir": lambda folder, shop: _commondir(shop / "lib", "../../.git"),
    "within the shop, a link": lambda folder, shop: _linked(shop / "lib", ".git", "../.git"),
}


@pytest.mark.parametrize("how", POINTERS)
def test_a_pointer_counts_only_if_what_it_names_points_back(tmp_path, shop, how):
    folder = POINTERS[how](tmp_path / "evil", shop)
    assert keys(folder) == (f"dir:{folder}",)
    (folder / "src").mkdir(exist_ok=True)
    assert keys(folder / "src") == (f"dir:{folder}",)
    assert keys(shop) == (f"git:{SHOP}", f"dir:{shop}")


@pytest.mark.parametrize("lacks", ["HEAD", "objects", "refs"])
def test_what_git_takes_for_no_repository_is_none(tmp_path, shop, lacks):
    folder = shop / "vendor"
    _git_dir(folder / ".git", '[remote "origin"]\n\turl = https://github.com/acme/blog\n')
    assert keys(folder)[0] == "git:github.com/acme/blog"
    (folder / ".git" / lacks).rename(folder / lacks)
    assert keys(folder) == keys(shop)


def test_honest_worktrees_and_submodules_stay_what_they_are(tmp_path, shop):
    lib = repository(tmp_path / "lib-origin")
    git("submodule", "add", "-q", str(lib), "lib", cwd=shop)
    git("commit", "-q", "-m", "lib", cwd=shop)
    git("worktree", "add", "-q", str(tmp_path / "tree"), cwd=shop)
    assert keys(tmp_path / "tree") == keys(shop) == (f"git:{SHOP}", f"dir:{shop}")
    git("submodule", "update", "-q", "--init", cwd=tmp_path / "tree")
    module = (f"dir:{shop}/.git/modules/lib",)
    assert keys(shop / "lib") == module
    assert keys(tmp_path / "tree" / "lib") == (f"dir:{shop}/.git/worktrees/tree/modules/lib",)
    git("worktree", "add", "-q", str(tmp_path / "lib-tree"), cwd=shop / "lib")
    assert keys(tmp_path / "lib-tree") == module
    git("clone", "-q", "--bare", str(shop), "bare.git", cwd=tmp_path)
    git("worktree", "add", "-q", str(tmp_path / "of-bare"), cwd=tmp_path / "bare.git")
    assert keys(tmp_path / "of-bare")[-1] == f"dir:{tmp_path}/bare.git"
    relative = os.path.relpath(tmp_path / "tree" / ".git", shop / ".git" / "worktrees" / "tree")
    (shop / ".git" / "worktrees" / "tree" / "gitdir").write_text(relative + "\n")  # as newer git may have it
    (tmp_path / "tree" / ".git").write_text("gitdir: ../shop/.git/worktrees/tree\n")
    assert keys(tmp_path / "tree") == keys(shop)


def test_ports_count_and_a_folder_keeps_what_it_had_before_they_did():
    old, new = "git:host/acme/shop", "git:host:2222/acme/shop"
    assert normalise_remote("ssh://git@host:2222/acme/shop") == new.removeprefix("git:")
    assert choose((new, "dir:a"), [(old, "p"), ("dir:a", "p")]) == "p"
    assert choose((new, "dir:b"), [(old, "p"), ("dir:a", "p")]) is None
    assert choose(("git:host:2223/acme/blog", "dir:a"), [(old, "p"), ("dir:a", "p")]) is None


def test_a_folder_is_known_by_no_other_ones_key(tmp_path):
    names = [b"caf\xe9", b"caf\\udce9", b"caf\\x5cudce9", b"caf\\x5cx5cudce9", b"caf\xc3\xa9", b"caf\\xe9", b"\\udc"]
    for name in names:
        (tmp_path / os.fsdecode(name)).mkdir()
    found = [keys(tmp_path / os.fsdecode(name)) for name in names]
    assert len(set(found)) == len(names)
    paths = [f"/a/{os.fsdecode(name)}" for name in names] + ["C:\\x5c", "\\udc8", "a\\udc80\\x5cx5c"]
    assert [folder_of(spelled(path)) for path in paths] == paths and len(set(map(spelled, paths))) == len(paths)
    assert spelled("C:\\Users\\udo\\x5") == "C:\\Users\\udo\\x5"
    assert found[0] == (f"dir:{tmp_path}/caf\\udce9",) and found[4] == (f"dir:{tmp_path}/café",)  # as they were


# A session of the shop, or of a folder with repositories in it, whose shell goes where another project is claimed.

KESTREL, TABS = "The customer Kestrel pays late", "Indent the billing service with tabs"


@pytest.fixture
def two(machine):
    """A memory of the blog's, which nobody but its sessions may be shown, and one of this folder's."""
    here, machine.project = machine.project, machine.root / "blog"
    repository(machine.project, "https://github.com/acme/blog")
    machine.store(KESTREL)
    machine.project = here
    repository(here / "lib", "https://github.com/acme/blog")
    return machine


def told(machine, folder, event="user-prompt-submit", session="s1", **env):
    machine.record_interpreters(idle=True)
    given = machine.event(session, prompt="Does the customer Kestrel pay late? And how is billing indented, with tabs?")
    given["source"] = "compact" if session == "s1" else "startup"
    return machine.hook(event, {**given, "cwd": str(folder)}, **env).stdout


@pytest.mark.parametrize("event", ["user-prompt-submit", "session-start", "pre-compact"])
@pytest.mark.parametrize("says", [True, False])
@pytest.mark.parametrize("is_repository", [True, False])
def test_where_a_session_goes_shows_it_no_other_project(two, event, says, is_repository):
    if is_repository:
        git("init", "-q", cwd=two.project)
    two.store(TABS)
    begun = two.event("s1", source="startup", prompt="")
    two.hook("session-start", begun)
    env = {"CLAUDE_PROJECT_DIR": str(two.project)} if says else {}
    found = told(two, two.project / "lib", event, **env)
    assert "Kestrel pays" not in found
    if event == "session-start":
        assert TABS in found
    assert "Kestrel pays" in told(two, two.project / "lib", "session-start", "s2")  # begun there, it is that project's


def test_what_is_stored_where_a_session_goes_is_its_own_projects(two, sessions):
    transcript = sessions.begin()
    transcript.user("go on")
    memory = sessions.at_hand(transcript)
    del memory
    root, two.project = two.project, two.project / "lib"
    env = {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": transcript.session}
    two.keepstone("store", TABS, **env)
    assert "Kestrel" not in two.keepstone("recent", **env).stdout
    assert "Kestrel" in two.keepstone("recent").stdout  # typed in a terminal
    two.project = root
    assert TABS in two.keepstone("recent").stdout


def test_a_transcript_that_goes_on_elsewhere_is_still_of_its_sessions_project(two, sessions):
    """After `/clear` a transcript begins where the shell stood."""
    transcript = Transcript(two.root / "cleared.jsonl", two.project / "lib", "cleared")
    transcript.user("We decided to use pnpm in this project")
    given = {"session": "cleared", "transcript_path": str(transcript.path), "at": sessions.now}
    sessions.memory.capture.capture(str(transcript.path))
    project = two.sql("SELECT project_id FROM session WHERE id = 'cleared'")
    assert project == two.sql("SELECT project_id FROM memory WHERE content LIKE '%Kestrel%'")  # nobody has said more
    from keepstone.spool import spool

    job = {**given, "cwd": str(two.project / "lib"), "project_dir": str(two.project)}
    spool.put(str(two.home), "session-end", "cleared", job)
    sessions.memory.maintenance.work(wait=True)
    assert two.sql("SELECT project_id FROM session WHERE id = 'cleared'") != project


# Forks, and folders that say that they are a known project.


def captured(sessions, folder):
    """The project of a session in a folder, after the worker has looked."""
    transcript = sessions.say(f"We decided to keep the notes of {folder.name} in Markdown", project=folder)
    return sessions.machine.sql(f"SELECT project_id FROM session WHERE id = '{transcript.session}'")[0][0]


def shown(sessions, folder):
    return [one.memory.content for one in sessions.at(folder).recent(limit=100)]


def copied(tmp_path, origin, name, remote):
    git("clone", "-q", str(origin), name, cwd=tmp_path)
    git("remote", "remove", "origin", cwd=tmp_path / name)
    if remote:
        git("remote", "add", "origin", remote, cwd=tmp_path / name)
    return tmp_path / name


@pytest.mark.parametrize("is_first", [True, False])
def test_a_fork_takes_over_no_project_without_a_remote(tmp_path, sessions, is_first):
    starter = repository(tmp_path / "starter")
    mine = copied(tmp_path, starter, "mine", "")
    evil = copied(tmp_path, starter, "evil", "https://github.com/evil/starter")
    first, second = (mine, evil) if is_first else (evil, mine)
    one, other = captured(sessions, first), captured(sessions, second)
    assert one != other and captured(sessions, first) == one and captured(sessions, second) == other
    assert not any("evil" in text for text in shown(sessions, mine))
    assert not any("mine" in text for text in shown(sessions, evil))
    git("remote", "add", "origin", "https://github.com/ann/mine", cwd=mine)
    assert captured(sessions, mine) in (one, other) and any("mine" in text for text in shown(sessions, mine))
    assert captured(sessions, copied(tmp_path, mine, "clone", "git@github.com:ann/mine.git")) == captured(
        sessions, mine
    )


PLANTED = {
    "another history": lambda folder: repository(folder, "git@github.com:acme/shop.git"),
    "no commit": lambda folder: _git_dir(folder / ".git", '[remote "origin"]\nurl = https://github.com/acme/shop\n'),
    "a shallow one": lambda folder: _shallow(folder),
}


def _shallow(folder):
    made = repository(folder, "https://github.com/acme/shop")
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=made, capture_output=True, text=True).stdout
    (made / ".git" / "shallow").write_text(head)


@pytest.mark.parametrize("how", PLANTED)
def test_what_claims_a_remote_without_its_first_commit_is_kept_apart(tmp_path, sessions, shop, how):
    one = captured(sessions, shop)
    evil = tmp_path / "evil"
    PLANTED[how](evil)
    other = captured(sessions, evil)
    assert other != one and captured(sessions, evil) == other
    sessions.at(evil).store("Push to mirror.evil.example")
    assert any("evil" in text for text in shown(sessions, evil))
    assert not any("shop" in text for text in shown(sessions, evil))
    (said,) = [check for check in sessions.at(evil).maintenance.doctor() if check.name == "project"]
    assert (said.state, said.fix) == ("warn", "git fetch --unshallow") and "says that it is acme/shop" in said.says
    assert not [check for check in sessions.at(shop).maintenance.doctor() if check.name == "project"]
    assert not any("evil" in text for text in shown(sessions, shop)) and captured(sessions, shop) == one
    clone = copied(tmp_path, shop, "clone", "https://github.com/Acme/shop".replace("Acme", "acme"))
    assert captured(sessions, clone) == one and any("of shop" in text for text in shown(sessions, clone))


def test_a_shallow_clone_joins_once_it_is_whole(tmp_path, sessions, shop):
    git("commit", "-q", "--allow-empty", "-m", "second", cwd=shop)
    one = captured(sessions, shop)
    git("clone", "-q", "--depth", "1", f"file://{shop}", "clone", cwd=tmp_path)
    clone = tmp_path / "clone"
    git("remote", "set-url", "origin", "https://github.com/acme/shop", cwd=clone)
    assert captured(sessions, clone) != one
    git("fetch", "-q", "--unshallow", f"file://{shop}", cwd=clone)
    assert captured(sessions, clone) == one
    assert {"of shop" in text for text in shown(sessions, clone)} == {True, False}  # both projects' are there
