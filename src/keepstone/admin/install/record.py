"""Reads and writes `installed.json` in the data home: every change that setup made, so that uninstall undoes exactly
these. An entry is written before its change is made, so that a half-done change can still be undone after a kill.
"""

from __future__ import annotations

import json
import os
from typing import Any

from ...config.runtime import INSTALLED
from ...lib import files
from ...lib.errors import KeepstoneError


class InstallRecord:
    """The changes made so far, in order."""

    def __init__(self, home: str) -> None:
        """Raises KeepstoneError if the file is damaged."""
        self.path = os.path.join(home, INSTALLED)
        self.entries: list[dict[str, Any]] = []
        # Folders that were created for the data home itself, and whether setup first recorded the plugin's place.
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

    def entry_of(self, flag: str, path: str) -> dict[str, Any]:
        """Returns the entry of a change, {} if it was not made."""
        return next((entry for entry in self.entries if entry["flag"] == flag and entry["path"] == path), {})

    def keep(self, entry: dict[str, Any]) -> None:
        """Stores a change, in place of an earlier one of the same file and flag. Raises OSError."""
        before = self.entry_of(entry["flag"], entry["path"])
        self.entries = [entry if known is before else known for known in self.entries]
        if not before:
            self.entries.append(entry)
        self.save()

    def drop(self, entry: dict[str, Any]) -> None:
        self.entries.remove(entry)
        self.save()

    def save(self) -> None:
        """Writes the file, or removes it if nothing is recorded. Raises OSError."""
        if not self.entries and not self.made and not self.told_plugin:
            files.remove(self.path)
            return
        found = {"version": 1, "made": self.made, "told_plugin": self.told_plugin, "changes": self.entries}
        files.write(self.path, json.dumps(found, indent=1) + "\n")
