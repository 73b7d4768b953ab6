"""Runs git for facts that its files do not hold in plain text. Never used by hooks: it starts a process."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from posixpath import normpath

GIT_SECONDS = 10  # seconds; a history of a million commits takes about 2 s
DEFAULTS = ("main", "master")  # names of default branches, if the remote names none
_SILENT: set[str] = set()  # folders in which git timed out once: each further call would take as long
_HEADS, _REMOTE = "refs/heads/", "refs/remotes/origin/"


def first_commit(folder: str) -> str:
    """Returns the first commit of a folder's history, or "" outside a repository, in a shallow or empty one, or without
    git.

    If there are several roots, the smallest id is returned, so that every clone gives the same.
    """
    if _git(folder, "rev-parse", "--is-shallow-repository").strip() != b"false":
        return ""
    return min(_git(folder, "rev-list", "--max-parents=0", "HEAD").decode().split(), default="")


def default_branch(folder: str) -> str:
    """Returns the repository's default branch: as its remote says, otherwise main or master, otherwise the only branch;
    "" if there are several others.
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
    """Returns the texts of the files that exist on a branch and have at most `most` bytes. Reads the local branch, or
    the remote-tracking one if there is no local branch.
    """
    named = [start + branch for start in (_HEADS, _REMOTE)]
    told = _text(_git(folder, "for-each-ref", "--format=%(refname)", *named)).splitlines()
    found = [name for name in named if name in told]  # for-each-ref also lists `feature/x` for `feature`
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
    """Tells whether git's answer describes a file of at most `most` bytes. For a missing one, git repeats the name
    instead.
    """
    return len(head) == 3 and head[1] == b"blob" and head[2].isdigit() and int(head[2]) <= most


def _text(told: bytes) -> str:
    return told.decode("utf-8", "replace")


def _git(folder: str, *words: str, given: bytes = b"") -> bytes:
    """Returns git's output, or b"" if git fails, is missing, or has timed out in this folder before."""
    if not os.path.isdir(folder) or folder in _SILENT:
        return b""
    command = ["git", "-C", folder, "-c", "core.fsmonitor=false", "-c", "core.hooksPath=", *words]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    # A repository's own configuration may name programs to fetch with. These settings prevent fetching and prompts.
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
