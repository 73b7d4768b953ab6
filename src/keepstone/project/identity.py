"""Identifies a folder's project by keys read from its `.git` files, without a git process. Hot module."""

from __future__ import annotations

import os

from ..lib.files import read_start
from ..lib.text import one_line

NO_BRANCH = ".invalid"  # the name in HEAD of a repository that stores its references in tables (git's reftable)
CLIENT_WORKTREES = "/.claude/worktrees/"  # where the client keeps the worktrees that it makes and removes


class Identity:
    """The project of a folder: `keys` from the strongest down (`git:host/path`, `dir:/real/path`), and a `name` for
    people.
    """

    __slots__ = ("keys", "name", "root")

    def __init__(self, keys: tuple[str, ...], name: str, root: str) -> None:
        self.keys = tuple(map(text_of, keys))
        self.name = one_line(text_of(name))
        self.root = root


def text_of(path: str) -> str:
    """Returns a path as text that can be stored. Bytes that are not valid UTF-8 become escapes."""
    return path.encode("utf-8", "backslashreplace").decode("utf-8")


def identify(cwd: str, project_dir: str = "", user_home: str = "") -> Identity | None:
    """Returns the project of a session that runs in `cwd`, or None for `$HOME` and `/`, which are not projects.

    A repository around `cwd` comes first, then one around the client's `CLAUDE_PROJECT_DIR`. Without a repository, the
    project is the folder `CLAUDE_PROJECT_DIR`, or `cwd` itself.
    """
    real_home = os.path.realpath(user_home) if user_home else ""
    for folder in (cwd, project_dir):
        if folder:
            found = _repository(os.path.realpath(folder), real_home)
            if found:
                return found
    folder = os.path.realpath(project_dir or cwd)
    if _is_no_project(folder, real_home):
        return None
    return Identity(("dir:" + folder,), os.path.basename(folder), folder)


def vanished(folder: str, user_home: str = "") -> Identity | None:
    """Returns the project of a folder that no longer exists: its own path, even if a repository is around it today. A
    worktree that the client made belongs to the repository that contained it.
    """
    around, inside, _ = folder.partition(CLIENT_WORKTREES)
    if inside and os.path.isdir(around):
        return identify(around, "", user_home)
    real = os.path.realpath(folder) if os.path.isabs(folder) else folder  # a relative path comes from another machine
    if _is_no_project(real, os.path.realpath(user_home) if user_home else ""):
        return None
    return Identity(("dir:" + real,), os.path.basename(real.replace("\\", "/")), real)


def _is_no_project(folder: str, real_home: str) -> bool:
    return folder == real_home or folder == os.path.dirname(folder)


def _repository(folder: str, real_home: str) -> Identity | None:
    while not _is_no_project(folder, real_home):
        common = _common_folder(os.path.join(folder, ".git"))
        if common:
            # The folder of a submodule or bare repository is not called `.git`, and its parent contains other
            # repositories too.
            home = os.path.dirname(common) if os.path.basename(common) == ".git" else common
            origin = normalise_remote(_origin_url(os.path.join(common, "config")))
            keys = (("git:" + origin,) if origin else ()) + ("dir:" + home,)
            name = name_of(keys[0]) if origin else os.path.basename(folder)
            return Identity(keys, name, folder)
        folder = os.path.dirname(folder)
    return None


def name_of(key: str) -> str:
    """Returns the name that people use for a project's key: the last two parts of a remote, the
    last part of a folder.
    """
    kind, _, path = key.partition(":")
    return "/".join(path.split("/")[-2 if kind == "git" else -1 :])


def branch_of(root: str) -> str:
    """Returns the branch that is checked out in a repository or worktree, or "" if there is none."""
    folder = _git_folder(os.path.join(root, ".git"))
    start, head = "ref: refs/heads/", _first_line(os.path.join(folder, "HEAD")) if folder else ""
    branch = head[len(start) :] if head.startswith(start) else ""
    return branch if branch != NO_BRANCH else ""


def _common_folder(dot_git: str) -> str:
    """Returns the common git folder behind `.git`: itself, or the target of a worktree's or submodule's file; "" for
    none.
    """
    folder = _git_folder(dot_git)
    if not folder or folder == dot_git:
        return folder
    common = _first_line(os.path.join(folder, "commondir"))
    return os.path.realpath(os.path.join(folder, common) if common else folder)


def _git_folder(dot_git: str) -> str:
    """Returns the git folder behind `.git`, for a worktree its own; "" for none."""
    if os.path.isdir(dot_git):
        return dot_git if os.path.exists(os.path.join(dot_git, "HEAD")) else ""
    pointer = _first_line(dot_git)
    if not pointer.startswith("gitdir:"):
        return ""
    return os.path.join(os.path.dirname(dot_git), pointer[len("gitdir:") :].strip())


def _first_line(path: str) -> str:
    lines = read_start(path, 4096).splitlines()
    return lines[0].strip() if lines and "\0" not in lines[0] else ""  # no path contains a NUL


def _origin_url(config: str) -> str:
    inside = False
    for line in read_start(config, 1_000_000).splitlines():
        line = line.strip()
        if line.startswith("["):
            inside = line.replace("'", '"').replace(" ", "").lower() == '[remote"origin"]'
        elif inside:
            key, _, value = line.partition("=")
            if key.strip().lower() == "url":
                return value.strip().strip('"')
    return ""


def normalise_remote(url: str) -> str:
    """Returns `host/path` of a remote's address, without scheme, user, password, port and `.git`;
    "" for a local path.
    """
    if "://" in url:
        scheme, _, rest = url.partition("://")
        if scheme.lower() == "file":
            return ""
        host, _, path = rest.partition("/")
        path = path.partition("?")[0]  # may hold a token
    else:
        host, colon, path = _without_password(url).partition(":")
        if not colon or "/" in host or len(host) < 2:  # a local path, or a Windows drive
            return ""
    host = host.rpartition("@")[2]
    if not host.startswith("["):
        host = host.partition(":")[0]
    path = path.strip("/")
    if path.endswith(".git"):
        path = path[: -len(".git")].rstrip("/")
    return host.lower() + "/" + path if host and path else ""


def _without_password(address: str) -> str:
    """Returns `host:path` of `user:password@host:path`; any other address as it is."""
    first, slash, rest = address.partition("/")
    user, _, host = first.rpartition("@")
    return host + slash + rest if ":" in user and ":" in host else address


def choose(keys: tuple[str, ...], known: list[tuple[str, str]]) -> str | None:
    """Returns the id of the project that the keys name among the known (key, project id) rows, or None.

    A known remote decides. A folder or a first commit does not identify a project that has another remote: the folder
    may hold a different repository by now, and copies of a template begin with the same commit. Both together do: then
    the remote was renamed.
    """
    owners = {key.partition(":")[0]: project for key, project in known if key in keys}
    if "git" in owners:
        return owners["git"]
    remotes = {project for key, project in known if key.startswith("git:")}
    folder, root = owners.get("dir"), owners.get("root")
    if folder is not None and (folder == root or folder not in remotes or not keys[0].startswith("git:")):
        return folder
    return root if root not in remotes else None
