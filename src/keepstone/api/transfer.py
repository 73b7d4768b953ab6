"""Taking memories along: exports, imports, migrating to a server, sharing in a repository."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, BinaryIO

from ..claude_code import memory_state
from ..context import Context
from ..db.engines import is_address, postgres
from ..db.open import owned
from ..db.reader import SCHEMA
from ..db.writer import Writer
from ..lib import files
from ..lib.errors import BadInput, StoreError
from ..lib.fuzzy import ratio
from ..lifecycle import edit_sql
from ..redaction.redact import redact
from ..remote.protocol import local
from ..transfer import export, migrate
from ..transfer.detect_source import recognise
from ..transfer.dump_sql import Dump
from ..transfer.import_any import take_in
from ..transfer.import_foreign import ImportTarget
from ..transfer.migrate_sql import Mover
from ..transfer.open_for_import import open_loader
from ..transfer.share import page_of, share
from .common import require_file, writing

if TYPE_CHECKING:
    from ..transfer.export import Exported
    from ..transfer.import_foreign import Imported
    from ..transfer.migrate import Moved, Plan


class Transfer:
    """The transfer of a whole data home."""

    def __init__(self, context: Context) -> None:
        self.context = context

    @local("export")
    def export(
        self,
        to: str | BinaryIO,
        *,
        pages: bool = False,
        force: bool = False,
        begin: Callable[[int], None] = lambda total: None,
        watch: Callable[[int], None] = lambda done: None,
    ) -> Exported:
        """Exports everything, redacted with today's rules: as JSON lines to a file or a stream, or as markdown `pages`
        into a folder. Raises BadInput if the path exists and `force` is false.

        `begin` is called with the number of rows, `watch` with the number written.
        """
        if isinstance(to, str):
            export.require_place(to, pages, force)
        self.context.prepare()
        with closing(Dump(self.context.database, redact)) as dump:
            begin(len(dump))
            if not isinstance(to, str):
                return export.to_lines(dump, to, "", self.context.clock(), watch)
            if pages:
                return export.to_folder(dump, to, watch)
            return export.to_file(dump, to, self.context.clock(), watch)

    @local("import")
    def take_in(
        self,
        path: str,
        *,
        format: str = "",
        only: str = "",
        user: bool = False,
        keep_accepted: bool = False,
        dry_run: bool = False,
        begin: Callable[[int], None] = lambda total: None,
        watch: Callable[[int], None] = lambda done: None,
    ) -> Imported:
        """Imports an export of Keepstone or another tool's memories. With `dry_run`, only reports what would happen.

        `only` names a project of that tool's, whose memories then all go to this folder's project; with `user` they
        hold in every project. With `keep_accepted`, what was accepted in an export of Keepstone's stays accepted.
        """
        source = recognise(path, format)
        place = ImportTarget(self.context.caller.identity, self.context.caller.folder, only, user)
        with open_loader(self.context, dry_run) as store:
            now = self.context.clock()
            return take_in(
                store,
                source,
                place,
                memory_state.folder_name,
                keep_accepted=keep_accepted,
                redact=redact,
                now=now,
                begin=begin,
                watch=watch,
            )

    @local("migrate")
    def migrate(
        self,
        to: str,
        *,
        dry_run: bool = False,
        begin: Callable[[Plan], None] = lambda plan: None,
        watch: Callable[[int], None] = lambda done: None,
    ) -> Moved:
        """Copies everything into a PostgreSQL database, beside its present memories, and compares. With `dry_run`, only
        reports what would happen. The file does not change. A second run continues an interrupted one, and adds new
        rows.

        `begin` is called with the plan first, `watch` with the number of rows done, each row counted twice. Raises
        BadInput if the address cannot be used, or a session's model asks.
        """
        url = self._target(to)
        self.context.prepare()
        schema = postgres().schema_of(url)
        if dry_run and 0 < schema < SCHEMA:
            raise StoreError(
                "the tables there are older, and a dry run changes nothing", "keepstone migrate without --dry-run"
            )
        with files.FileLock(self.context.home, "mover"), closing(Dump(self.context.database, redact)) as dump:
            if dry_run and not schema:
                plan = migrate.planned(dump, url, dump.count("memory"), 0)
                begin(plan)
                return migrate.Moved(plan, new=plan.memories, rows=plan.rows)
            with closing(Writer(url, ratio)) as writer:
                mover = Mover(writer)
                plan = migrate.planned(dump, url, *mover.look(dump))
                begin(plan)
                act = migrate.rehearse if dry_run else migrate.move
                return act(dump, mover, plan, self.context.clock(), watch)

    def _target(self, to: str) -> str:
        if self.context.caller.by_model:
            hint = "let the user type in a terminal: keepstone migrate --to ..."
            raise BadInput("only a person migrates memories to another database", hint)
        require_file(
            self.context,
            "migrated",
            "unset KEEPSTONE_DATABASE_URL to migrate a file's; from server to server: pg_dump, pg_restore",
        )
        if not is_address(to):
            says = "--to takes an address of PostgreSQL"
            raise BadInput(says, "keepstone migrate --to postgresql://user@host/name")
        postgres().parsed(to, "--to")
        return owned(to, self.context.environ)

    @local("share")
    def share(self, ids: Sequence[str]) -> tuple[str, int]:
        """Adds memories to the page that this project's people share in its repository. Returns its path, and the
        number of new ones. Raises StateError for what must not be shared.
        """
        identity = self.context.caller.identity
        if identity is None:
            raise BadInput("there is no project here to share with", "cd to a project's folder")
        with self.context.reader() as reader:
            memories = [reader.get(memory_id) for memory_id in ids]
            count = share(identity.root, memories, reader.project_of(identity), redact)
        with writing(self.context) as to, to.transaction() as tx:
            edit_sql.note_shared(tx, [memory.id for memory in memories], self.context.clock())
        return page_of(identity.root), count
