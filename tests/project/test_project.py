"""Project identity, read from `.git` files: one resolver for hooks, command line and worker."""

from __future__ import annotations

import os
import subprocess

import pytest

from keepstone.project.git import default_branch, first_commit, texts_at
from keepstone.project.identity import branch_of, choose, identify, normalise_remote
from support import git


@pytest.fixture
def repository(tmp_path):
    made = tmp_path / "shop"
    made.mkdir()
    git("init", "-q", cwd=made)
    git("commit", "-q", "--allow-empty", "-m", "first", cwd=made)
    return made


def answer(folder, *words):
    return subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True).stdout.strip()


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("git@github.com:acme/shop.git", "github.com/acme/shop"),
        ("https://github.com/acme/shop", "github.com/acme/shop"),
        ("https://user:token@GitHub.com/acme/shop.git/", "github.com/acme/shop"),
        ("ssh://git@github.com:22/acme/shop.git", "github.com/acme/shop"),
        ("ssh://git@[::1]:22/acme/shop.git", "[::1]:22/acme/shop"),
        ("git://host/shop", "host/shop"),
        ("host:shop.git", "host/shop"),
        ("/srv/git/shop.git", ""),
        ("../shop.git", ""),
        ("file:///srv/git/shop.git", ""),
        ("C:\\git\\shop", ""),
        ("https://host/acme/shop?private_token=A1b2C3d4E5", "host/acme/shop"),
        ("ann:Gr9Pear!41@host:acme/shop", ""),  # git connects to `ann`
        ("git@host:@acme/shop", "host/@acme/shop"),
        ("", ""),
    ],
)
def test_a_remote_is_its_host_and_path(url, key):
    assert normalise_remote(url) == key


def test_a_repository_is_known_by_its_remote_and_its_folder(repository):
    git("remote", "add", "origin", "git@github.com:acme/shop.git", cwd=repository)
    deep = repository / "src" / "deep"
    deep.mkdir(parents=True)
    found = identify(str(deep))
    assert found.keys == ("git:github.com/acme/shop", f"dir:{repository}") and found.name == "acme/shop"


def test_another_remote_is_not_origin(repository):
    git("remote", "add", "upstream", "git@github.com:acme/shop.git", cwd=repository)
    assert identify(str(repository)).keys == (f"dir:{repository}",)


def test_a_worktree_is_the_project_it_belongs_to(repository, tmp_path):
    git("worktree", "add", "-q", str(tmp_path / "tree"), cwd=repository)
    assert identify(str(tmp_path / "tree")).keys == identify(str(repository)).keys


def test_two_submodules_are_two_projects(repository, tmp_path):
    for name in ("one", "two"):
        git("clone", "-q", str(repository), str(tmp_path / f"{name}-origin"), cwd=tmp_path)
        git("submodule", "add", "-q", str(tmp_path / f"{name}-origin"), name, cwd=repository)
    one, two = (identify(str(repository / name)) for name in ("one", "two"))
    assert len({one.keys, two.keys, identify(str(repository)).keys}) == 3


def test_a_link_to_a_folder_is_that_folder(repository, tmp_path):
    (tmp_path / "link").symlink_to(repository)
    assert identify(str(tmp_path / "link")).keys == identify(str(repository)).keys


def test_without_a_repository_it_is_the_folder_the_client_was_started_in(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    assert identify(str(tmp_path / "a"), str(tmp_path / "b")).keys == (f"dir:{tmp_path}/b",)
    assert identify(str(tmp_path / "a")).keys == (f"dir:{tmp_path}/a",)


def test_home_and_root_are_no_project_even_as_repositories(repository):
    assert identify(str(repository), user_home=str(repository)) is None
    assert identify("/", user_home="/home/x") is None
    inside = repository / "notes"
    inside.mkdir()
    assert identify(str(inside), user_home=str(repository)).keys == (f"dir:{inside}",)


@pytest.mark.parametrize(
    "text", ["gitdir: /nowhere", "gitdir:", "garbage\0", "gitdir: /x\0y", "gitdir: " + "x" * 10_000, ""]
)
def test_hostile_git_files_are_survived(tmp_path, text):
    (tmp_path / ".git").write_text(text)
    assert identify(str(tmp_path)) is not None


def test_pipes_in_the_place_of_git_files_keep_nobody_waiting(repository, tmp_path):
    os.mkfifo(tmp_path / ".git")
    assert identify(str(tmp_path)).keys == (f"dir:{tmp_path}",)
    (repository / ".git" / "config").unlink()
    os.mkfifo(repository / ".git" / "config")
    assert identify(str(repository)).keys == (f"dir:{repository}",)


def test_a_hostile_repository_runs_nothing_and_fetches_nothing(repository, tmp_path):
    """A partial clone fetches what it lacks by the program that its own configuration names."""
    (repository / "a.py").write_text("def held(): ...")
    git("add", "a.py", cwd=repository)
    git("commit", "-q", "-m", "second", cwd=repository)
    lacking = [answer(repository, "rev-list", "--max-parents=0", "HEAD"), answer(repository, "rev-parse", "HEAD:a.py")]
    for key, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.url": "ssh://host.invalid/x",
        "remote.origin.promisor": "true",
        "core.sshCommand": f"touch '{tmp_path}/ran';",
        "core.fsmonitor": f"touch '{tmp_path}/ran'",
    }.items():
        git("config", key, value, cwd=repository)
    for name in lacking:
        (repository / ".git" / "objects" / name[:2] / name[2:]).unlink()
    first_commit(str(repository))
    assert texts_at(str(repository), default_branch(str(repository)), ["a.py"], 1_000) == {}
    assert not (tmp_path / "ran").exists()
    environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0"}
    subprocess.run(["git", "rev-list", "HEAD"], cwd=repository, capture_output=True, env=environment)
    assert (tmp_path / "ran").exists()  # so that the assertion before could have failed


def test_odd_config_files_are_survived(repository):
    (repository / ".git" / "config").write_bytes(b'[remote "origin"\nurl\n\xff\xfe[remote "origin"]\n\turl = \n')
    assert identify(str(repository)).keys == (f"dir:{repository}",)


def test_the_strongest_known_key_names_the_project():
    assert choose(("git:a", "dir:x"), [("git:a", "p"), ("dir:x", "q")]) == "p"
    assert choose(("git:a", "dir:x"), [("dir:x", "q")]) == "q"
    assert choose(("git:a", "dir:x"), [("dir:x", "q"), ("git:b", "q")]) is None
    assert choose(("dir:x",), [("dir:x", "q"), ("git:b", "q")]) == "q"
    assert choose(("dir:x",), []) is None
    shop = [("git:a", "p"), ("root:r", "p"), ("dir:x", "p")]
    assert choose(("git:b", "root:r", "dir:y"), shop) is None  # another copy of the same template
    assert choose(("git:b", "root:r", "dir:x"), shop) == "p"  # the remote was renamed
    assert choose(("root:r", "dir:y"), shop) is None
    assert choose(("git:b", "root:r", "dir:y"), [("root:r", "p"), ("dir:x", "p")]) is None  # a fork takes nothing over
    assert choose(("root:r", "dir:y"), [("root:r", "p"), ("dir:x", "p")]) == "p"


def test_the_first_commit_is_the_same_in_every_clone(repository, tmp_path):
    git("clone", "-q", str(repository), str(tmp_path / "clone"), cwd=tmp_path)
    assert len(first_commit(str(repository))) == 40
    assert first_commit(str(repository)) == first_commit(str(tmp_path / "clone"))


def test_there_is_no_first_commit_outside_in_an_empty_or_in_a_shallow_repository(repository, tmp_path):
    git("commit", "-q", "--allow-empty", "-m", "second", cwd=repository)
    git("clone", "-q", "--depth", "1", f"file://{repository}", str(tmp_path / "shallow"), cwd=tmp_path)
    git("init", "-q", str(tmp_path / "empty"), cwd=tmp_path)
    for folder in (tmp_path, tmp_path / "gone", tmp_path / "shallow", tmp_path / "empty"):
        assert first_commit(str(folder)) == ""


def test_the_branch_is_the_one_that_is_checked_out_here_or_in_the_worktree(repository, tmp_path):
    git("checkout", "-q", "-b", "feature/x", cwd=repository)
    git("worktree", "add", "-q", "-b", "other", str(tmp_path / "tree"), cwd=repository)
    assert (branch_of(str(repository)), branch_of(str(tmp_path / "tree"))) == ("feature/x", "other")
    git("checkout", "-q", "--detach", cwd=repository)
    assert branch_of(str(repository)) == branch_of(str(tmp_path)) == ""
    (repository / ".git" / "HEAD").write_text("ref: refs/heads/.invalid\n")
    assert branch_of(str(repository)) == ""


def test_the_default_branch_is_the_remote_s_else_a_usual_name_else_the_only_one(tmp_path):
    made = tmp_path / "made"
    made.mkdir()
    git("init", "-q", "-b", "release", cwd=made)
    assert default_branch(str(made)) == ""
    git("commit", "-q", "--allow-empty", "-m", "first", cwd=made)
    assert default_branch(str(made)) == "release"
    git("branch", "trunk", cwd=made)
    assert default_branch(str(made)) == ""
    git("branch", "master", cwd=made)
    assert default_branch(str(made)) == "master"
    git("clone", "-q", str(made), str(tmp_path / "clone"), cwd=tmp_path)
    assert default_branch(str(tmp_path / "clone")) == "release"
    assert default_branch(str(tmp_path)) == default_branch(str(tmp_path / "nowhere")) == ""


def test_the_texts_of_a_branch_are_those_of_its_files_only(repository):
    (repository / "sub").mkdir()
    for name, text in {
        "a b.py": b"one\n",
        "c.py": b"\xff two",
        "long.py": b"x" * 101,
        "x blob 3": b"",
        "d.py": b"",
    }.items():
        (repository / "sub" / name).write_bytes(text)
    git("add", "-A", cwd=repository)
    git("commit", "-q", "-m", "files", cwd=repository)
    branch = branch_of(str(repository))
    names = [
        "sub/a b.py",
        "sub",
        "sub/c.py",
        "sub/long.py",
        "sub/d.py",
        "sub/gone.py",
        "sub/x blob",
        "new\nline",
        "../c",
    ]
    found = {"sub/a b.py": "one\n", "sub/c.py": "\ufffd two", "sub/d.py": ""}
    assert texts_at(str(repository), branch, names, 100) == found
    assert texts_at(str(repository), "nowhere", names, 100) == {} == texts_at(str(repository), branch, [], 100)
    git("branch", "feature/more", cwd=repository)
    assert texts_at(str(repository), "feature/more", names, 100) == found
    assert texts_at(str(repository), "feature", names, 100) == {}
