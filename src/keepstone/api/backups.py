"""Makes, lists and restores backups of the database."""

from __future__ import annotations

import os

from ..context import Context
from ..db import backups
from ..lib import files
from ..lib.errors import BadInput, KeepstoneError
from ..lifecycle import tombstones_sql
from ..privacy.erase import erase_again
from ..remote.protocol import local
from .common import backups_of, require_file


class Backups:
    """The backups of a data home's database."""

    def __init__(self, context: Context) -> None:
        self.context = context

    @property
    @local(about_client=True)
    def backups(self) -> str:
        """Returns the folder of the backups."""
        return backups_of(self.context)

    @local("backup")
    def backup(self, to: str = "") -> str:
        """Makes a backup, by default in the data home, without stopping other processes. Returns its path."""
        require_file(self.context, "copied", "pg_dump, see docs/team.md, or keepstone export")
        self.context.prepare()
        if to and os.path.exists(to):
            raise BadInput(f"{to} is there already", "keepstone backup ANOTHER-PATH")
        if to and not os.path.isdir(os.path.dirname(os.path.abspath(to))):
            raise BadInput(f"there is no folder {os.path.dirname(os.path.abspath(to))}", "mkdir it first")
        if to and os.path.realpath(to).startswith(os.path.realpath(self.context.home) + os.sep):
            raise BadInput(
                "that is in the data home, where erasing would not find it", "keepstone backup, without a path"
            )
        try:
            if not to:
                return backups.by_hand(self.context.database, self.backups, self.context.clock())
            backups.copy(self.context.database, os.path.abspath(to))
        except backups.Error as problem:
            raise KeepstoneError(f"no copy can be made: {problem}", "keepstone doctor") from problem
        return to

    @local("backup --list")
    def backup_list(self) -> list[tuple[str, int]]:
        """Returns (name, bytes) of every backup."""
        return [(name, os.path.getsize(os.path.join(self.backups, name))) for name in backups.names_in(self.backups)]

    @local("restore-backup")
    def restore_backup(self, name: str) -> str:
        """Restores a backup. Returns the name of the backup that was made of the current database. The worker waits.
        Memories that were erased since the backup was made are erased again; if there are any, the backup is deleted.
        """
        require_file(self.context, "put back", "pg_restore, see docs/team.md")
        with files.FileLock(self.context.home, "worker"):
            backups.require_no_lone_log(self.context.database)
            graves = tombstones_sql.saved(self.context.database)
            before = backups.restore(self.context.database, self.backups, name, self.context.clock())
        self.context.prepare()  # migrates an older backup
        with files.FileLock(self.context.home, "worker"):
            erase_again(
                self.context.database, graves, os.path.join(self.backups, os.path.basename(name)), self.context.clock()
            )
        return before
