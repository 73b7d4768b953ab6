"""What leaves a data home and what arrives in it: exports, imports, and all of it to a server."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING, BinaryIO

from . import native
from .home import Home

if TYPE_CHECKING:
    from .ops.export import Exported
    from .ops.import_foreign import Imported


class Leaving(Home):
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
            export.need_place(to, pages, force)
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
        """Imports an export of Cairn's or another tool's memories; with `dry_run` it only says what would come of it.

        `only` names a project of that tool's, whose memories then all go to this folder's; with `user` they hold in
        every project. With `mine` what was accepted in an export of Cairn's stays so, whatever it reads like.
        """
        from .ops.import_foreign import Place
        from .ops.imports import take_in
        from .ops.sources import recognise
        from .redact import redact

        source = recognise(path, format)
        place = Place(self.identity, self.folder, only, user)
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
