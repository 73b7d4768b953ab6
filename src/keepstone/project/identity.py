"""Which project this is: the keys of a folder, read from its `.git` files without a git process. Hot module."""

from __future__ import annotations

import os

from ..lib.files import read_start
from ..lib.text import one_line

NO_BRANCH = ".invalid"  # what HEAD names in a repository that keeps its references in tables (git's reftable)
CLIENT_WORKTREES = "/.claude/worktrees/"  # where the client keeps those that it makes and removes


class Identity:
    """A folder's project: `keys` from the strongest down (`git:host/path`, `dir:/real/path`), `name` for people."""

    __slots__ = ("keys", "name", "root")

    def __init__(self, keys: tuple[str, ...], name: str, root: str) -> None:
        self.keys = tuple(map(text_of, keys))
        self.name = one_line(text_of(name))
        self.root = root


def text_of(path: str) -> str:
    """A path as text that can be stored: bytes of a name that are no UTF-8 as escapes."""
    return path.encode("utf-8", "backslashreplace").decode("utf-8")


def identify(cwd: str, project_dir: str = "", user_home: str = "") -> Identity | None:
    """The project of a session that runs in `cwd`; None for `$HOME` and `/`, which are no project.

    A repository around `cwd` wins; without one, the client's `CLAUDE_PROJECT_DIR`, else `cwd` itself.
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
    """The project of a folder that is gone: its own path, whatever repository lies around it today; but a worktree that
    the client made belongs to the repository it lay in.
    """
    around, inside, _ = folder.partition(CLIENT_WORKTREES)
    if inside and os.path.isdir(around):
        return identify(around, "", user_home)
    real = os.path.realpath(folder) if os.path.isabs(folder) else folder  # else a path of another machine
    if _is_no_project(real, os.path.realpath(user_home) if user_home else ""):
        return None
    return Identity(("dir:" + real,), os.path.basename(real.replace("\\", "/")), real)


def _is_no_project(folder: str, real_home: str) -> bool:
    return folder == real_home or folder == os.path.dirname(folder)


def _repository(folder: str, real_home: str) -> Identity | None:
    while not _is_no_project(folder, real_home):
        common = _common_folder(os.path.join(folder, ".git"))
        if common:
            # A submodule's or bare repository's folder is not called `.git`, and its parent holds others' too.
            home = os.path.dirname(common) if os.path.basename(common) == ".git" else common
            origin = normalise_remote(_origin_url(os.path.join(common, "config")))
            keys = (("git:" + origin,) if origin else ()) + ("dir:" + home,)
            name = name_of(keys[0]) if origin else os.path.basename(folder)
            return Identity(keys, name, folder)
        folder = os.path.dirname(folder)
    return None


def name_of(key: str) -> str:
    """What people call the project that a key names: a remote by its last two parts, a folder by its last one."""
    kind, _, path = key.partition(":")
    return "/".join(path.split("/")[-2 if kind == "git" else -1 :])


def branch_of(root: str) -> str:
    """The branch that is checked out in a repository's folder or a worktree's, "" for none."""
    folder = _git_folder(os.path.join(root, ".git"))
    start, head = "ref: refs/heads/", _first_line(os.path.join(folder, "HEAD")) if folder else ""
    branch = head[len(start) :] if head.startswith(start) else ""
    return branch if branch != NO_BRANCH else ""


def _common_folder(dot_git: str) -> str:
    """The common git folder behind `.git`: itself, or where a worktree's or submodule's file points; "" for none."""
    folder = _git_folder(dot_git)
    if not folder or folder == dot_git:
        return folder
    common = _first_line(os.path.join(folder, "commondir"))
    return os.path.realpath(os.path.join(folder, common) if common else folder)


def _git_folder(dot_git: str) -> str:
    """The git folder behind `.git`, a worktree's own; "" for none."""
    if os.path.isdir(dot_git):
        return dot_git if os.path.exists(os.path.join(dot_git, "HEAD")) else ""
    pointer = _first_line(dot_git)
    if not pointer.startswith("gitdir:"):
        return ""
    return os.path.join(os.path.dirname(dot_git), pointer[len("gitdir:") :].strip())


def _first_line(path: str) -> str:
    lines = read_start(path, 4096).splitlines()
    return lines[0].strip() if lines and "\0" not in lines[0] else ""  # no path holds that


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
    """`host/path` of a remote's address: without scheme, user, password, port and `.git`; "" for a local path."""
    if "://" in url:
        scheme, _, rest = url.partition("://")
        if scheme.lower() == "file":
            return ""
        host, _, path = rest.partition("/")
    else:
        host, colon, path = url.partition(":")
        if not colon or "/" in host or len(host) < 2:  # a path, or a Windows drive
            return ""
    host = host.rpartition("@")[2]
    if not host.startswith("["):
        host = host.partition(":")[0]
    path = path.strip("/")
    if path.endswith(".git"):
        path = path[: -len(".git")].rstrip("/")
    return host.lower() + "/" + path if host and path else ""


def choose(keys: tuple[str, ...], known: list[tuple[str, str]]) -> str | None:
    """The project that the keys name among the known (key, project id) rows, or None: the one resolver's rule.

    A remote that is known decides. A folder or a first commit does not speak for a project that has another remote:
    the folder may hold a different repository by now, and copies of a template begin with the same commit. Only both
    together do: then the remote was renamed.
    """
    owners = {key.partition(":")[0]: project for key, project in known if key in keys}
    if "git" in owners:
        return owners["git"]
    remotes = {project for key, project in known if key.startswith("git:")}
    folder, root = owners.get("dir"), owners.get("root")
    if folder is not None and (folder == root or folder not in remotes or not keys[0].startswith("git:")):
        return folder
    return root if root not in remotes else None
