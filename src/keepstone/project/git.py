"""Asks git what its files don't say in plain words. Never on the hot path: it starts a process."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from posixpath import normpath

GIT_SECONDS = 10  # a history of a million commits takes about 2 s
DEFAULTS = ("main", "master")  # what a default branch is called where the remote has not said it
_SILENT: set[str] = set()  # folders in which git has not answered in time: each further question would cost as long
_HEADS, _REMOTE = "refs/heads/", "refs/remotes/origin/"


def first_commit(folder: str) -> str:
    """The first commit of the history in a folder; "" outside a repository, in a shallow or empty one, or without git.

    Of several roots the smallest id, so that every clone answers the same.
    """
    if _git(folder, "rev-parse", "--is-shallow-repository").strip() != b"false":
        return ""
    return min(_git(folder, "rev-list", "--max-parents=0", "HEAD").decode().split(), default="")


def default_branch(folder: str) -> str:
    """The repository's default branch: as its remote says, else by its name, else the only one there is; "" where that
    can't be told.
    """
    named = [start + name for name in DEFAULTS for start in (_REMOTE, _HEADS)]
    told = _git(folder, "for-each-ref", "--format=%(refname) %(symref)", _REMOTE + "HEAD", *named)
    found = dict(line.partition(" ")[::2] for line in _text(told).splitlines())
    head = found.pop(_REMOTE + "HEAD", "")
    if head.startswith(_REMOTE):
        return head[len(_REMOTE) :]
    known = [name for name in DEFAULTS if _REMOTE + name in found or _HEADS + name in found]
    if known:
        return known[0]
    only = _text(_git(folder, "for-each-ref", "--count=2", "--format=%(refname)", _HEADS)).splitlines()
    return only[0][len(_HEADS) :] if len(only) == 1 else ""


def texts_at(folder: str, branch: str, files: Sequence[str], most: int) -> dict[str, str]:
    """The texts that files of at most `most` bytes have on a branch, without those that it has not: here, or as its
    remote was last seen where it is not here.
    """
    named = [start + branch for start in (_HEADS, _REMOTE)]
    told = _text(_git(folder, "for-each-ref", "--format=%(refname)", *named)).splitlines()
    found = [name for name in named if name in told]  # git also tells of `feature/x` when asked for `feature`
    return _texts(folder, found[0], files, most) if found else {}


def _texts(folder: str, ref: str, files: Sequence[str], most: int) -> dict[str, str]:
    asked = [file for file in files if "\n" not in file and not file.startswith("..") and normpath(file) == file]
    names = "".join(f"{ref}:{file}\n" for file in asked).encode("utf-8", "backslashreplace")
    heads = [line.split() for line in _git(folder, "cat-file", "--batch-check", given=names).splitlines()]
    if len(heads) != len(asked):
        return {}
    of = {file: head[0] for file, head in zip(asked, heads, strict=True) if _is_text(head, most)}
    told = _git(folder, "cat-file", "--batch", given=b"".join(blob + b"\n" for blob in of.values()))
    texts = {}
    for file in of:
        head, _, told = told.partition(b"\n")
        size = int(head.split()[-1]) if head else 0
        texts[file], told = _text(told[:size]), told[size + 1 :]
    return texts


def _is_text(head: list[bytes], most: int) -> bool:
    """Whether git speaks of a file, and of one that is not too long; of what is missing it repeats the name."""
    return len(head) == 3 and head[1] == b"blob" and head[2].isdigit() and int(head[2]) <= most


def _text(told: bytes) -> str:
    return told.decode("utf-8", "replace")


def _git(folder: str, *words: str, given: bytes = b"") -> bytes:
    """What git prints; nothing where it fails, is not there, or has once not answered in time."""
    if not os.path.isdir(folder) or folder in _SILENT:
        return b""
    command = ["git", "-C", folder, "-c", "core.fsmonitor=false", "-c", "core.hooksPath=", *words]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    # A repository's own configuration may name programs to fetch with: nothing is fetched, nobody is asked.
    environment |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none"}
    environment |= {"GIT_SSH_COMMAND": "false", "GIT_ASKPASS": "false", "GIT_TERMINAL_PROMPT": "0"}
    try:
        done = subprocess.run(command, env=environment, input=given, capture_output=True, timeout=GIT_SECONDS)
    except subprocess.TimeoutExpired:
        _SILENT.add(folder)
        return b""
    except OSError:
        return b""
    return done.stdout if done.returncode == 0 else b""
