"""Makes and undoes changes of one file each, exact to the byte. Each change is recorded before it is made.

A part of the user's file is found by its content when it is removed, so the user's own later changes stay. Nothing of
the rest of the file is recorded, because it may contain secrets.
"""

from __future__ import annotations

import os
import stat
from abc import ABC, abstractmethod
from typing import Any

from ...config import settings
from ...lib import files
from ...lib.errors import KeepstoneError
from ...lib.fast_json import parse
from ...lib.text import digest
from . import json_edit, marked_block
from .record import InstallRecord


class Left(Exception):
    """Raised with the reason why something stays as it is while the rest is undone."""


class FileChange(ABC):
    """A change of one file. `wanted` returns the text that the file is to have, `noted` the data needed to undo the
    change.
    """

    how = ""
    adopted = False  # whether an existing file with the wanted text must be setup's own

    def __init__(self, path: str) -> None:
        self.path = path

    @property
    def target(self) -> str:
        """Returns the real path if `path` is a link, as for users who keep their settings in a repository."""
        return os.path.realpath(self.path)

    @property
    def mode(self) -> int:
        return 0o600

    @abstractmethod
    def wanted(self, now: str | None, entry: dict[str, Any]) -> str:
        """Returns the text that the file is to have. `now` is its present text, None if it does not exist; `entry` is
        the record of the change, {} if there is none. Raises KeepstoneError to refuse.
        """

    @abstractmethod
    def noted(self, now: str | None, entry: dict[str, Any], text: str) -> dict[str, Any]:
        """Returns what to record before `text` is written, including what `entry` says about earlier writes."""


class File(FileChange):
    """A whole file of Keepstone's. `claims` is the folder that belongs to it: if it already exists, it is not
    Keepstone's.
    """

    how = "file"
    adopted = True

    def __init__(self, path: str, text: str, claims: str = "", mode: int = 0o600) -> None:
        super().__init__(path)
        self.text = text
        self.claims = claims or path
        self._mode = mode

    @property
    def target(self) -> str:
        return self.path

    @property
    def mode(self) -> int:
        return self._mode

    def wanted(self, now: str | None, entry: dict[str, Any]) -> str:
        if now == self.text and not os.path.islink(self.path):
            return self.text
        if not entry and os.path.lexists(self.claims):
            raise KeepstoneError(
                self.claims + " is there already, and not by `keepstone setup`: it stays", "move it away first"
            )
        if now is not None and digest(now) not in entry["wrote"]:
            raise KeepstoneError(self.path + " was changed by hand: it stays as it is", "move it away first")
        return self.text

    def noted(self, now: str | None, entry: dict[str, Any], text: str) -> dict[str, Any]:
        return {"wrote": _grown(entry, digest(text))}


class Block(FileChange):
    """Lines between two markers in a text file of the user's. `vacant` is a text between the markers that may be
    replaced.
    """

    how = "block"

    def __init__(self, path: str, name: str, body: str, vacant: str = "") -> None:
        super().__init__(path)
        self.name = name
        self.body = body
        self.free = (None, body, vacant)

    def wanted(self, now: str | None, entry: dict[str, Any]) -> str:
        try:
            there = marked_block.body(now or "", self.name)
        except ValueError as problem:
            raise KeepstoneError(self.path + ": " + str(problem), "repair or remove them, and try again") from problem
        if there not in self.free and digest(there or "") not in entry.get("wrote", []):
            says = (
                self.path
                + " has lines between the markers of keepstone:"
                + self.name
                + " that are not Keepstone's: they stay"
            )
            raise KeepstoneError(says, "remove these lines and the two markers, and try again")
        return marked_block.put(now or "", self.name, self.body)

    def noted(self, now: str | None, entry: dict[str, Any], text: str) -> dict[str, Any]:
        return {"name": self.name, "wrote": _grown(entry, digest(self.body))}


class Member(FileChange):
    """One member of a JSON object in a file of the user's."""

    how = "member"
    adopted = True

    def __init__(self, path: str, name: str, value: Any, hint: str) -> None:
        super().__init__(path)
        self.name = name
        self.value = value
        self.hint = hint

    def wanted(self, now: str | None, entry: dict[str, Any]) -> str:
        text = now if now and now.strip() else "{}\n"
        try:
            there = json_edit.value(text, self.name)
            if not json_edit.has(text, self.name):
                return json_edit.insert(text, self.name, self.value)[0]
            if there == self.value:
                return text
            if there in entry.get("values", []):
                return json_edit.insert(json_edit.remove(text, self.name), self.name, self.value)[0]
        except ValueError as problem:
            raise KeepstoneError(self.path + " can't be read: " + str(problem), "repair it, and try again") from problem
        raise KeepstoneError(self.path + " has a " + self.name + " of your own: it stays as it is", self.hint)

    def noted(self, now: str | None, entry: dict[str, Any], text: str) -> dict[str, Any]:
        values = entry.get("values", [])
        bare = now is not None and (not now.strip() or json_edit.is_empty(now))
        return {
            "name": self.name,
            "values": values if self.value in values else [*values, self.value],
            "bare": entry["bare"] if entry else now if bare else None,
        }


class SettingChoice(FileChange):
    """One setting in Keepstone's own config.json."""

    how = "setting"

    def __init__(self, path: str, setting: settings.Setting, value: str) -> None:
        super().__init__(path)
        self.setting = setting
        self.value = value

    def wanted(self, now: str | None, entry: dict[str, Any]) -> str:
        if now is not None and _object(now).get(self.setting.name) == self.value:
            return now
        return settings.changed(now or "{}", self.setting, self.value)

    def noted(self, now: str | None, entry: dict[str, Any], text: str) -> dict[str, Any]:
        values = entry.get("values", [])
        before = entry["before"] if entry else now
        wrote = _grown(entry, digest(text))
        return {"name": self.setting.name, "values": [*values, self.value], "before": before, "wrote": wrote}


def make(record: InstallRecord, flag: str, piece: FileChange) -> str:
    """Makes a change. Returns "wrote" or "edited", or "" if nothing had to be done. Raises KeepstoneError to refuse,
    and OSError.
    """
    path = piece.target
    entry, now = record.entry_of(flag, path), read(path)
    text = piece.wanted(now, entry)
    if text == now and (entry or not piece.adopted):
        return ""
    if entry:
        files.remove(entry["fresh"])
    changed = {
        "flag": flag,
        "how": piece.how,
        "path": path,
        "created": entry["created"] if entry else now is None or piece.how == "file",
        "made": entry["made"] if entry else missing(os.path.dirname(path)),
        "fresh": files.temp_path(path),
        **piece.noted(now, entry, text),
    }
    record.keep(changed)
    if text == now:
        return ""
    write(path, text, piece.mode)
    return "edited" if now is not None and not isinstance(piece, File) else "wrote"


def take_back(record: InstallRecord, entry: dict[str, Any]) -> bool:
    """Undoes a change. Returns False if nothing of it was left. Raises Left if the present text is not Keepstone's, and
    OSError.
    """
    path = entry["path"]
    files.remove(entry["fresh"])
    entry["fresh"] = files.temp_path(path)
    record.save()
    now = read(path)
    if now is None or os.path.islink(path):
        text = now
    else:
        text = _UNDO[entry["how"]](now, entry)
    if text is None and now is not None:
        os.unlink(path)
    elif text != now:
        write(path, text or "", 0o600)
    if text is None:
        remove_empty(entry["made"])
    return text != now


def _undo_file(now: str, entry: dict[str, Any]) -> str | None:
    if digest(now) not in entry["wrote"]:
        raise Left("it was changed since")
    return None


def _undo_block(now: str, entry: dict[str, Any]) -> str | None:
    try:
        there = marked_block.body(now, entry["name"])
        text = marked_block.take(now, entry["name"])
    except ValueError as problem:
        raise Left(str(problem)) from problem
    if there is not None and digest(there) not in entry["wrote"]:
        raise Left("the lines between the markers of keepstone:" + entry["name"] + " were changed since")
    return None if entry["created"] and not text.strip() else text


def _undo_member(now: str, entry: dict[str, Any]) -> str | None:
    name, bare = entry["name"], entry["bare"]
    try:
        there = json_edit.value(now, name)
        if json_edit.has(now, name) and there not in entry["values"]:
            raise Left("its " + name + " is another one since")
        text = json_edit.remove(now, name)
        return bare if json_edit.is_empty(text) and (entry["created"] or bare is not None) else text
    except ValueError as problem:
        raise Left("it can't be read: " + str(problem)) from problem


def _undo_setting(now: str, entry: dict[str, Any]) -> str | None:
    before: str | None = entry["before"]
    if digest(now) in entry["wrote"]:
        return before
    try:
        if _object(now).get(entry["name"]) not in entry["values"]:
            raise Left("its " + entry["name"] + " is another one since")
        earlier = _object(before or "{}").get(entry["name"])
        return settings.changed(now, settings.setting_of(entry["name"]), earlier)
    except KeepstoneError as problem:
        raise Left(problem.message) from problem


_UNDO = {"file": _undo_file, "block": _undo_block, "member": _undo_member, "setting": _undo_setting}


def read(path: str) -> str | None:
    """Returns a file's exact text, None if it does not exist, "" for a folder. Raises OSError if it cannot be read, and
    KeepstoneError if it is neither file nor folder: reading a pipe would block for ever.
    """
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        raise KeepstoneError(path + " is no file", "move it away first")
    try:
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "surrogateescape")
    except FileNotFoundError:
        return None
    except IsADirectoryError:
        return ""


def write(path: str, text: str, mode: int) -> None:
    """Replaces a whole file. An existing file keeps its mode. Raises OSError, with nothing changed."""
    try:
        mode = stat.S_IMODE(os.stat(path).st_mode)
    except FileNotFoundError:
        pass
    files.write(path, text, mode)


def missing(folder: str) -> list[str]:
    """Returns the folders that have to be created for this one, the deepest first."""
    found = []
    while not os.path.lexists(folder):
        found.append(folder)
        folder = os.path.dirname(folder)
    return found


def remove_empty(folders: list[str]) -> None:
    for folder in folders:
        try:
            os.rmdir(folder)
        except FileNotFoundError:
            continue
        except OSError:
            return  # another program has put something there since


def _grown(entry: dict[str, Any], new: str) -> list[str]:
    """Returns the digests of everything that setup ever wrote there: after a kill, an earlier text may still be in
    place.
    """
    known: list[str] = entry.get("wrote", [])
    return known if new in known else [*known, new]


def _object(text: str) -> dict[str, Any]:
    try:
        found = parse(text)
    except ValueError as problem:
        raise KeepstoneError("config.json can't be read: " + str(problem), "repair or remove it") from problem
    return found if isinstance(found, dict) else {}
