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
from collections.abc import Iterator
from importlib.metadata import PathDistribution
from pathlib import Path

_PINNED = re.compile(r"^([A-Za-z0-9][\w.-]*)==([^\s;\\]+)(?P<condition> *;)?", re.MULTILINE)
_BESIDES = re.compile(r"^include-system-site-packages\s*=\s*true", re.MULTILINE | re.IGNORECASE)
_OF_UV = ("_virtualenv.py", "_virtualenv.pth")  # written by `uv venv` for old build tools; nothing here needs them


def check(folder: str, lock: str) -> str:
    """Removes what is compiled already, and returns the folder of the packages. Raises ValueError that names the first
    package that the lock file does not name in that version, or that is missing, and the first file that none of its
    packages brought, or that is not as it was brought. (pip and uv have compared the packages themselves with the lock
    file's hashes.)
    """
    with open(lock, encoding="utf-8") as file:
        named = [(_normal(found[1]), found[2], found["condition"]) for found in _PINNED.finditer(file.read())]
    whole = Path(folder)
    packages = _packages(whole)
    for compiled in [*packages.rglob("__pycache__")]:
        if not compiled.is_symlink():
            shutil.rmtree(compiled)
    for name in _OF_UV:
        (packages / name).unlink(missing_ok=True)
    infos = sorted(packages.glob("*.dist-info"))
    pinned = {(name, version) for name, version, _ in named}
    there = [_named(info, pinned) for info in infos]
    brought = {path for info, name in zip(infos, there, strict=True) for path in _files_of(info, name, whole)}
    if twice := [name for name in there if there.count(name) > 1]:
        raise ValueError(f"{twice[0]} is there twice")
    if missing := [name for name, _, condition in named if not condition and name not in there]:
        raise ValueError(f"{missing[0]} is missing")
    if strange := next((path for path in _all(packages) if path not in brought), ""):
        raise ValueError(f"{os.path.relpath(strange, packages)} belongs to none of its packages")
    return str(packages)


def _all(packages: Path) -> Iterator[str]:
    """Yields the paths of all files and links."""
    for place, folders, names in os.walk(packages):
        for name in [*names, *(one for one in folders if os.path.islink(os.path.join(place, one)))]:
            yield os.path.join(place, name)


def _packages(whole: Path) -> Path:
    """Returns the folder of an environment's packages. Raises ValueError if Python would read others besides."""
    found = [*whole.glob("lib*/python3*/site-packages"), *whole.glob("Lib/site-packages")]
    found = [folder for folder in found if not any(one.is_symlink() for one in (folder, *folder.parents[:2]))]
    if len(found) != 1:
        raise ValueError(f"{whole} has {len(found)} folders of packages")
    settings = whole / "pyvenv.cfg"
    if settings.exists() and _BESIDES.search(settings.read_text(encoding="utf-8", errors="replace")):
        raise ValueError("it uses the system's packages, too")
    for link in whole.glob("lib*"):
        if link.is_symlink() and link.resolve().parent != whole.resolve():
            raise ValueError(f"{link.name} leads outside of the environment")
    return found[0]


def _named(info: Path, pinned: set[tuple[str, str]]) -> str:
    """Returns the name of an installed package. Raises ValueError if the lock file does not name it."""
    package = PathDistribution(info)
    name, version = str(package.metadata["Name"]), str(package.metadata["Version"])
    if (_normal(name), version) not in pinned:
        raise ValueError(f"it does not name {name} {version}")
    return _normal(name)


def _files_of(info: Path, name: str, whole: Path) -> set[str]:
    """Returns the paths of an installed package's files. Raises ValueError if one is not as it was brought."""
    inside = os.path.join(whole, "")
    record = info / "RECORD"
    if not record.is_file():
        raise ValueError(f"{name} does not say what it brought")
    paths = set()
    with open(record, encoding="utf-8", newline="") as file:
        for row in csv.reader(file):
            path = os.path.normpath(os.path.join(info.parent, row[0]))
            if not path.startswith(inside) or not os.path.realpath(path).startswith(os.path.realpath(inside)):
                raise ValueError(f"{name} has a file outside of the environment: {row[0]}")
            paths.add(path)
            is_listed_only = path == str(record) or os.path.basename(os.path.dirname(path)) == "__pycache__"
            if not is_listed_only and (not os.path.isfile(path) or _hash(path) != row[1]):
                raise ValueError(f"{row[0]} is not as {name} brought it")
    return paths


def _hash(path: str) -> str:
    with open(path, "rb") as file:
        digest = hashlib.sha256(file.read()).digest()
    return "sha256=" + base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def _normal(name: str) -> str:
    """Returns a package's name in the form of PEP 503, in which names are compared."""
    return re.sub(r"[-_.]+", "-", name).lower()
