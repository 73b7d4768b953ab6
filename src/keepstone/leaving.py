"""What leaves a data home and what arrives in it: exports, imports, and all of it to a server."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING, BinaryIO

from . import native, spool
from .core.errors import BadInput, StoreError
from .serving import Serving
from .store.engines import is_address, postgres
from .store.reader import SCHEMA

if TYPE_CHECKING:
    from .ops.export import Exported
    from .ops.import_foreign import Imported
    from .ops.move import Moved as Moved
    from .ops.move import Plan as Plan


class Leaving(Serving):
    """What comes and goes, of a whole data home."""

    def export(
        self,
        to: str | BinaryIO,
        *,
        pages: bool = False,
        force: bool = False,
        begin: Callable[[int], None] = lambda total: None,
        watch: Callable[[int], None] = lambda done: None,
    ) -> Exported:
        """Writes out all that this data home remembers, redacted as of today: as lines of JSON to a file or a stream,
        or as `pages` of markdown into a folder. Raises BadInput for a path that is there already, without `force`.

        `begin` is told how many rows there are, `watch` how many are behind.
        """
        from .ops import export
        from .redact import redact
        from .store.dump import Dump

        if isinstance(to, str):
            export.require_place(to, pages, force)
        with self._reader():
            pass  # creates and migrates what has to be
        with closing(Dump(self.database, redact)) as dump:
            begin(len(dump))
            if not isinstance(to, str):
                return export.to_lines(dump, to, "", self.clock(), watch)
            if pages:
                return export.to_folder(dump, to, watch)
            return export.to_file(dump, to, self.clock(), watch)

    def take_in(
        self,
        path: str,
        *,
        format: str = "",
        only: str = "",
        user: bool = False,
        mine: bool = False,
        dry_run: bool = False,
        begin: Callable[[int], None] = lambda total: None,
        watch: Callable[[int], None] = lambda done: None,
    ) -> Imported:
        """Imports an export of Keepstone's or another tool's memories; with `dry_run` it only says what would come of
        it.

        `only` names a project of that tool's, whose memories then all go to this folder's; with `user` they hold in
        every project. With `mine` what was accepted in an export of Keepstone's stays so, whatever it reads like.
        """
        from .ops.import_foreign import ImportTarget
        from .ops.imports import take_in
        from .ops.sources import recognise
        from .redact import redact

        source = recognise(path, format)
        place = ImportTarget(self.identity, self.folder, only, user)
        with self._loader(dry_run) as store:
            now = self.clock()
            return take_in(
                store,
                source,
                place,
                native.folder_name,
                mine=mine,
                redact=redact,
                now=now,
                begin=begin,
                watch=watch,
            )

    def move(
        self,
        to: str,
        *,
        dry_run: bool = False,
        begin: Callable[[Plan], None] = lambda plan: None,
        watch: Callable[[int], None] = lambda done: None,
    ) -> Moved:
        """Takes all that this file holds to a database of PostgreSQL, beside what is there, and compares it; with
        `dry_run` it only says what would come of it. The file stays as it is. Done again, it goes on where it was
        interrupted, and takes what has come since.

        `begin` is told what goes where before anything does, `watch` how many rows are behind, of twice as many as
        there are. Raises BadInput for an address that can't be taken, and where a session's model asks.
        """
        from .ops import move
        from .redact import redact
        from .similar import ratio
        from .store.dump import Dump
        from .store.move import Mover
        from .store.writer import Writer

        url = self._target(to)
        with self._reader():
            pass  # creates and migrates what has to be
        schema = postgres().schema_of(url)
        if dry_run and 0 < schema < SCHEMA:
            raise StoreError(
                "the tables there are older, and a dry run changes nothing", "keepstone move without --dry-run"
            )
        with spool.Alone(self.home, "mover"), closing(Dump(self.database, redact)) as dump:
            if dry_run and not schema:
                plan = move.planned(dump, url, dump.count("memory"), 0)
                begin(plan)
                return move.Moved(plan, new=plan.memories, rows=plan.rows)
            with closing(Writer(url, ratio)) as to_writer:
                store = Mover(to_writer)
                plan = move.planned(dump, url, *store.look(dump))
                begin(plan)
                act = move.rehearse if dry_run else move.move
                return act(dump, store, plan, self.clock(), watch)

    def _target(self, to: str) -> str:
        if self._by_model:
            hint = "let the user type in a terminal: keepstone move --to ..."
            raise BadInput("only a person moves memories to another database", hint)
        self._need_file(
            "moved", "unset KEEPSTONE_DATABASE_URL to move a file's; from server to server: pg_dump, pg_restore"
        )
        if not is_address(to):
            says = "--to takes an address of PostgreSQL"
            raise BadInput(says, "keepstone move --to postgresql://user@host/name")
        postgres().parsed(to, "--to")
        return self._owned(to)
