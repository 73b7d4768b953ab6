"""Identifies a folder's project by keys read from its `.git` files, without a git process. Hot module."""

from __future__ import annotations

import os

from ..lib.files import read_start
from ..lib.text import one_line

NO_COMMIT = "none"  # in place of the hash of a first commit: somebody has looked, and there is none
NO_BRANCH = ".invalid"  # the name in HEAD of a repository that stores its references in tables (git's reftable)
_BLANK = " \t\r\v\f"  # what git skips around a setting's parts
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b", '"': '"', "\\": "\\"}  # in a setting's value
_PORTS = {"https": "443", "http": "80", "ssh": "22", "git+ssh": "22", "ssh+git": "22", "git": "9418"}
_PORTS |= {"ftp": "21", "ftps": "990"}
_ODD = frozenset("/?#\\[]@<> ")  # in a remote's user: where programs differ in what is the host
_ADDRESS = frozenset("[]:.0123456789abcdef")
_HIGH, _HEX = frozenset("89abcdef"), frozenset("0123456789abcdef")  # digits of an escaped byte
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

    def is_among(self, keys: list[str]) -> bool:
        """Tells whether one of the keys is this project's, by now or before ports were kept in it."""
        return any(key in keys or without_port(key) in keys for key in self.keys)


def text_of(path: str) -> str:
    """Returns a path as text that can be stored. Bytes that are not valid UTF-8 become escapes."""
    return path.encode("utf-8", "backslashreplace").decode("utf-8")


def spelled(path: str) -> str:
    """Returns a path as text of which no other path is made: a name that spells what `text_of` makes of a byte has its
    backslash escaped.
    """
    first, *rest = path.split("\\")
    return text_of(
        "\\".join([first, *("x5c" + part if part[:3] == "x5c" or _is_byte(part) else part for part in rest)])
    )


def folder_of(text: str) -> str:
    """Returns the path that `spelled` has made a text of."""
    first, *rest = text.split("\\")
    return first + "".join(_unspelled(part) for part in rest)


def _unspelled(part: str) -> str:
    if _is_byte(part):
        return chr(int(part[1:5], 16)) + part[5:]
    return "\\" + part.removeprefix("x5c")


def _is_byte(part: str) -> bool:
    """Tells whether a name goes on after a backslash as the escape of a byte does."""
    return part[:3] == "udc" and part[3:4] in _HIGH and part[4:5] in _HEX


def identify(cwd: str, project_dir: str = "", user_home: str = "") -> Identity | None:
    """Returns the project of a session that was started in the client's `CLAUDE_PROJECT_DIR`, or in `cwd` if that is
    not known: the repository around it, or the folder itself. None for `$HOME` and `/`.

    Where a session goes later does not count: a repository that it enters may claim to be any project. A session in
    `$HOME` has none wherever it goes.
    """
    real_home = os.path.realpath(user_home) if user_home else ""
    folder = os.path.realpath(project_dir or cwd)
    return _repository(folder, real_home) or _bare(folder, real_home)


def _bare(folder: str, real_home: str) -> Identity | None:
    """Returns the project that a real folder is by itself, None for `$HOME` and `/`."""
    if _is_no_project(folder, real_home):
        return None
    return Identity(("dir:" + spelled(folder),), os.path.basename(folder.replace("\\", "/")), folder)


def vanished(folder: str, user_home: str = "") -> Identity | None:
    """Returns the project of a folder that no longer exists: its own path, even if a repository is around it today. A
    worktree that the client made belongs to the repository that contained it.
    """
    around, inside, _ = folder.partition(CLIENT_WORKTREES)
    if inside and os.path.isdir(around):
        return identify(around, "", user_home)
    real = os.path.realpath(folder) if os.path.isabs(folder) else folder  # a relative path comes from another machine
    return _bare(real, os.path.realpath(user_home) if user_home else "")


def _is_no_project(folder: str, real_home: str) -> bool:
    return folder == real_home or folder == os.path.dirname(folder)


def _repository(folder: str, real_home: str) -> Identity | None:
    while not _is_no_project(folder, real_home):
        dot_git = os.path.join(folder, ".git")
        common = _common_folder(dot_git)
        if common:
            # The folder of a submodule or bare repository is not called `.git`, and its parent contains other
            # repositories too.
            home = os.path.dirname(common) if os.path.basename(common) == ".git" else common
            origin = normalise_remote(_setting(_config_of(common), '[remote "origin"]', "url"))
            keys = (("git:" + origin,) if origin else ()) + ("dir:" + spelled(home),)
            name = name_of(keys[0]) if origin else os.path.basename(folder)
            return Identity(keys, name, folder)
        if os.path.islink(dot_git) or _first_line(dot_git).startswith("gitdir:"):
            return _bare(folder, real_home)  # it names a repository that does not know it
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
    """Returns the common git folder behind `.git`: itself, or the one of a worktree or submodule that names this `.git`
    in turn; "" for none. Anybody can write a file that names a repository, and only git writes into that.
    """
    folder = _git_folder(dot_git)
    if not folder or folder == dot_git:
        return "" if os.path.islink(dot_git) else folder
    common = _first_line(os.path.join(folder, "commondir"))
    target, around = os.path.realpath(folder), os.path.dirname(dot_git)
    if common:
        main = os.path.realpath(os.path.join(target, common))
        back = os.path.join(target, _first_line(os.path.join(target, "gitdir")))
        is_its = os.path.dirname(target) == os.path.join(main, "worktrees") and os.path.basename(back) == ".git"
        return main if is_its and _is_git(main) and _is_same(os.path.dirname(back), around) else ""
    back = _setting(_config_of(target), "[core]", "worktree")
    return target if back and _is_git(target) and _is_same(os.path.join(target, back), around) else ""


def _is_same(one: str, other: str) -> bool:
    """Tells whether two paths lead to one folder, however they are spelled."""
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):
        return False


def _git_folder(dot_git: str) -> str:
    """Returns the git folder behind `.git`, for a worktree its own; "" for none."""
    if os.path.isdir(dot_git):
        return dot_git if _is_git(dot_git) else ""
    pointer = _first_line(dot_git)
    if not pointer.startswith("gitdir:"):
        return ""
    return os.path.join(os.path.dirname(dot_git), pointer[len("gitdir:") :].strip())


def _is_git(folder: str) -> bool:
    """Tells whether git takes a folder for a repository's own, by what git looks for."""
    return os.path.exists(folder + "/HEAD") and os.path.isdir(folder + "/objects") and os.path.isdir(folder + "/refs")


def _first_line(path: str) -> str:
    lines = read_start(path, 4096).splitlines()
    return lines[0].strip() if lines and "\0" not in lines[0] else ""  # no path contains a NUL


def _config_of(common: str) -> str:
    """Returns the text of a repository's configuration, "" if that is a link to another's."""
    path = os.path.join(common, "config")
    return "" if os.path.islink(path) else read_start(path, 1_000_000)


def _setting(config: str, section: str, name: str) -> str:
    """Returns the first value of a name in a section (`[remote "origin"]`), "" for none. Only what git takes for a line
    is one, else a value could hold a section.
    """
    inside = False
    for line in config.split("\n"):
        line = line.strip(_BLANK)
        if line.startswith("["):
            head, _, line = line.partition("]")
            word, space, rest = (head + "]").partition(" ")
            inside = word.lower() + space + rest.lstrip(" ") == section
            line = line.strip(_BLANK)
        if inside:
            key, _, value = line.partition("=")
            if key.strip(_BLANK).lower() == name:
                return _value(value.strip(_BLANK))
    return ""


def _value(text: str) -> str:
    """Returns a value as git reads it, "" if git does not take it, or goes on in the next line."""
    made, is_quoted, rest = "", False, iter(text)
    for char in rest:
        if char == "\\":
            char = _ESCAPES.get(next(rest, ""), "")
            if not char:
                return ""
            made += char
        elif char == '"':
            is_quoted = not is_quoted
        elif char in "#;" and not is_quoted:
            made = made.rstrip(_BLANK)
            break
        else:
            made += char
    return "" if is_quoted else made


def normalise_remote(url: str) -> str:
    """Returns `host/path` of a remote's address, without scheme, user, password, usual port and `.git`; "" for a local
    path, and for what git reads otherwise or hands to a program of its own.
    """
    scheme, mark, rest = url.partition("://")
    if mark:
        port = _PORTS.get(scheme.lower(), "")
        authority, _, path = rest.partition("/")
        path = path.partition("?")[0]  # may hold a token
        host = _host(authority, port, scheme.lower().startswith("http")) if port else ""
    else:
        host, path = _named(url)
    if "@[" in path or not url.isprintable():
        return ""  # git looks for an address in brackets anywhere
    path = path.strip("/")
    if path.endswith(".git"):
        path = path[: -len(".git")].rstrip("/")
    return host + "/" + path if host and path else ""


def _named(address: str) -> tuple[str, str]:
    """Returns host and path of `user@host:path` and `user@[v6]:path`, ("", "") of any other address."""
    user, at, rest = address.partition("[")
    if at and (not user or user.endswith("@")) and "/" not in user and ":" not in user:
        inside, closed, path = rest.partition("]:")
        return (_host("[" + inside + "]", "", False), path) if closed else ("", "")
    named, colon, path = address.partition(":")
    if not colon or "/" in named or len(named) < 2 or path.startswith(":"):
        return "", ""  # a local path, a Windows drive, or `helper::address`
    if "@" in path.partition("/")[0][1:]:
        return "", ""  # git takes what was meant as the user for the host, and a password for a path
    return _host(named.rpartition("@")[2], "", False), path


def _host(authority: str, usual: str, is_web: bool) -> str:
    """Returns the host of `user:password@host:port`, with a port that is not the usual one; "" if programs differ in
    where the host is. git decodes what is escaped before it looks for the host; the programs that fetch from the web
    decode afterwards.
    """
    user, _, host = authority.rpartition("@")
    escapes = user.lower() if is_web else user.lower().replace("%40", "").replace("%5c", "")
    if any(char in _ODD for char in user) or (not is_web and "%" in escapes):
        return ""
    if host.startswith("["):
        is_address = all(char in _ADDRESS for char in host.lower())
        return host.lower() if is_address and host.count("[") == host.count("]") == 1 else ""
    host, colon, port = host.partition(":")
    low = host.lower()
    if not host or any(not char.isalnum() and char not in "-._" for char in host) or low.isascii() != host.isascii():
        return ""
    if port and not (port.isascii() and port.isdigit() and (is_web or ":" not in user)):
        return ""
    port = port.lstrip("0")
    return low + ":" + port if port and port != usual else low


def choose(keys: tuple[str, ...], known: list[tuple[str, str]]) -> str | None:
    """Returns the id of the project that the keys name among the known (key, project id) rows, or None.

    A known remote decides, but for a folder that is `apart`. A folder does not identify a project that has another
    remote: it may hold a different repository by now. A first commit does not identify any for a repository with a
    remote: copies and forks of a template begin with the same commit. Both together do: then the remote was renamed.
    """
    owners = {key.partition(":")[0]: project for key, project in known if key in keys}
    if "git" in owners:
        return owners["dir"] if apart(keys, known) else owners["git"]
    remotes = {project for key, project in known if key.startswith("git:")}
    folder, root = owners.get("dir"), owners.get("root")
    has_remote = keys[0].startswith("git:")
    if folder is not None and (folder == root or folder not in remotes or not has_remote):
        return folder
    if folder is not None and (without_port(keys[0]), folder) in known:
        return folder
    return None if has_remote or root in remotes else root


def apart(keys: tuple[str, ...], known: list[tuple[str, str]]) -> bool:
    """Tells whether a folder's memories were kept apart from the project of its remote: it did not hold that project's
    first commit when the worker looked. Anybody can write a remote into a `.git` folder that they hand out.
    """
    owners = {key.partition(":")[0]: project for key, project in known if key in keys}
    project, folder, root = owners.get("git"), owners.get("dir"), owners.get("root")
    if project is None or folder is None or project in (folder, root):
        return False
    kinds = {(key.partition(":")[0], owner) for key, owner in known}
    return ("root", project) in kinds and ("git", folder) not in kinds


def without_port(key: str) -> str:
    """Returns the key of a remote as it was before ports were kept in it: any other key as it is."""
    host, slash, path = key.partition("/")
    name, colon, port = host.rpartition(":")
    return name + slash + path if colon and port.isdigit() and name.startswith("git:") and name[-1:] != "]" else key
