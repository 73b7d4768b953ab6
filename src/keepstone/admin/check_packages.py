"""Compares the packages of a virtual environment with its lock file. Nothing of the environment runs for that: a file
that Python reads at its start would run before anyone had looked at it.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import os
import re
import shutil
from importlib.metadata import PathDistribution
from pathlib import Path

_PINNED = re.compile(r"^([A-Za-z0-9][\w.-]*)==([^\s;\\]+)", re.MULTILINE)
_OF_UV = ("_virtualenv.py", "_virtualenv.pth")  # written by `uv venv` for old build tools; nothing here needs them


def check(folder: str, lock: str) -> str:
    """Removes what is compiled already, and returns the folder of the packages. Raises ValueError that names the first
    package that the lock file does not name in that version, and the first file that none of its packages brought, or
    that is not as it was brought. (pip and uv have compared the packages themselves with the lock file's hashes.)
    """
    with open(lock, encoding="utf-8") as file:
        pinned = {(_normal(name), version) for name, version in _PINNED.findall(file.read())}
    whole = Path(folder)
    found = [*whole.glob("lib/python3*/site-packages"), *whole.glob("Lib/site-packages")]
    if len(found) != 1:
        raise ValueError(f"{folder} has {len(found)} folders of packages")
    packages = found[0]
    for compiled in [*packages.rglob("__pycache__")]:
        shutil.rmtree(compiled)
    for name in _OF_UV:
        (packages / name).unlink(missing_ok=True)
    brought: set[str] = set()
    for info in sorted(packages.glob("*.dist-info")):
        brought |= _files_of(info, whole, pinned)
    for place, folders, names in os.walk(packages):
        for name in [*names, *(one for one in folders if os.path.islink(os.path.join(place, one)))]:
            path = os.path.join(place, name)
            if path not in brought:
                raise ValueError(f"{os.path.relpath(path, packages)} belongs to none of its packages")
    return str(packages)


def _files_of(info: Path, whole: Path, pinned: set[tuple[str, str]]) -> set[str]:
    """Returns the paths of an installed package's files. Raises ValueError if the lock file does not name it, or if a
    file is not as it was brought.
    """
    package = PathDistribution(info)
    name, version = str(package.metadata["Name"]), str(package.metadata["Version"])
    if (_normal(name), version) not in pinned:
        raise ValueError(f"it does not name {name} {version}")
    inside = os.path.join(whole, "")
    record = info / "RECORD"
    paths = set()
    with open(record, encoding="utf-8", newline="") as file:
        for row in csv.reader(file):
            path = os.path.normpath(os.path.join(info.parent, row[0]))
            if not path.startswith(inside) or not os.path.realpath(path).startswith(os.path.realpath(inside)):
                raise ValueError(f"{name} has a file outside of the environment: {row[0]}")
            paths.add(path)
            is_listed_only = path == str(record) or os.path.basename(os.path.dirname(path)) == "__pycache__"
            if not is_listed_only and (not os.path.isfile(path) or _hash(path) != row[1]):
                raise ValueError(f"{row[0]} is not as {name} {version} brought it")
    return paths


def _hash(path: str) -> str:
    with open(path, "rb") as file:
        digest = hashlib.sha256(file.read()).digest()
    return "sha256=" + base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def _normal(name: str) -> str:
    """Returns a package's name in the form of PEP 503, in which names are compared."""
    return re.sub(r"[-_.]+", "-", name).lower()
