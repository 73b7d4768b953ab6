"""`installed.json` in the data home: every change that setup made, so that uninstall takes back just that.

An entry is written before its change is made: what a kill leaves half done can still be taken back.
"""

from __future__ import annotations

import json
import os
from typing import Any

from ...lib import files
from ...lib.errors import KeepstoneError

NAME = "installed.json"


class Record:
    """The changes made so far, in the order in which they were made."""

    def __init__(self, home: str) -> None:
        """Raises KeepstoneError for a file that can't be read as what it should be."""
        self.path = os.path.join(home, NAME)
        self.entries: list[dict[str, Any]] = []
        # folders that had to be made for the data home itself; whether setup was the first to note the plugin's place
        self.made: list[str] = []
        self.told_plugin = False
        if not os.path.exists(self.path):
            return
        try:
            found = json.loads(files.read(self.path))
            self.entries, self.made = list(found["changes"]), list(found["made"])
            self.told_plugin = bool(found["told_plugin"])
        except (ValueError, KeyError, TypeError) as problem:
            says = self.path + ", which says what setup did, is damaged: " + str(problem)
            raise KeepstoneError(says, "remove it; then what setup did is yours to remove by hand") from problem

    def of(self, flag: str, path: str) -> dict[str, Any]:
        """The entry of a change, {} when it was not made."""
        return next((entry for entry in self.entries if entry["flag"] == flag and entry["path"] == path), {})

    def keep(self, entry: dict[str, Any]) -> None:
        """Notes a change, in place of an earlier one of the same file. Raises OSError."""
        before = self.of(entry["flag"], entry["path"])
        self.entries = [entry if known is before else known for known in self.entries]
        if not before:
            self.entries.append(entry)
        self.save()

    def drop(self, entry: dict[str, Any]) -> None:
        self.entries.remove(entry)
        self.save()

    def save(self) -> None:
        """Raises OSError."""
        if not self.entries and not self.made and not self.told_plugin:
            files.remove(self.path)
            return
        found = {"version": 1, "made": self.made, "told_plugin": self.told_plugin, "changes": self.entries}
        files.write(self.path, json.dumps(found, indent=1) + "\n")
