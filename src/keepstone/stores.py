"""Where the memories of a data home are, and what opens them: a file of SQLite, or a database of PostgreSQL.

What writes needs SQLModel, which costs a third of a second to import, and is imported by the first write.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from . import runtime
from .core.errors import BadInput, StoreError
from .core.text import session_key
from .store.engines import addressed, is_address, open_reader
from .store.reader import SCHEMA, Reader

if TYPE_CHECKING:
    from .core.policies import Policies
    from .ops.work import Worked
    from .store.writer import Writer

READ_BUSY = 5.0  # seconds a person's command waits for the database; perf.md 4


class Backend:
    """What makes the stores that the use cases read from and write to. Another one makes stores with the same methods
    (NC-11).
    """

    def reader(self, where: str) -> Reader:
        return open_reader(where, READ_BUSY)

    def writer(self, where: str) -> Writer:
        from .similar import ratio
        from .store.writer import Writer

        return Writer(where, ratio)


class Stores:
    """What reads and writes the memories of one data home. `backend` may be replaced by another."""

    backend: Backend = Backend()
    home: str
    environ: Mapping[str, str]
    clock: Callable[[], float]
    policies: Policies

    if TYPE_CHECKING:

        @property
        def _session(self) -> str: ...

        def work(self, *, wait: bool = False) -> Worked | None: ...

        def _complete(self, store: Writer) -> None: ...

    @property
    def database(self) -> str:
        """Where the memories are: a file's path, or an address of PostgreSQL."""
        given = runtime.address_of(self.environ)
        if not given:
            return runtime.database_file(self.home, self.environ)
        if given == runtime.REFUSED:
            says = f"{runtime.ADDRESS} is what this repository's settings say, not what you set"
            raise BadInput(says, f"set it in ~/.claude/settings.json, or: env -u {runtime.ADDRESS} keepstone ...")
        if not is_address(given):
            says = f"{runtime.ADDRESS} is no address of PostgreSQL"
            raise BadInput(says, f"export {runtime.ADDRESS}=postgresql://user@host/name")
        return self._owned(given)

    def _owned(self, address: str) -> str:
        """An address of PostgreSQL as that of who uses this data home."""
        return addressed(address, *runtime.owner(self.environ))

    @property
    def _is_file(self) -> bool:
        return not is_address(self.database)

    def _need_file(self, what: str, instead: str) -> None:
        """Raises BadInput for what is done to a file, where the memories are in PostgreSQL."""
        if not self._is_file:
            raise BadInput(f"these memories are in PostgreSQL, which is not {what} by Keepstone", instead)

    @contextmanager
    def _reader(self) -> Iterator[Reader]:
        if self._is_file and not (
            os.path.lexists(self.database) and (not os.path.isfile(self.database) or os.path.getsize(self.database))
        ):
            self._create()
        reader = self.backend.reader(self.database)
        if reader.empty or reader.schema < SCHEMA:
            reader.close()
            self._create()
            try:
                self.work(wait=True)
            except ImportError:
                pass  # without the packages nothing migrates: an older schema is read as it is, as hooks do
            reader = self.backend.reader(self.database)
        reader.policies = self.policies
        try:
            yield reader
        finally:
            reader.close()

    def _create(self) -> None:
        from .store import migrations

        try:
            os.makedirs(self.home, mode=0o700, exist_ok=True)
        except OSError as problem:
            says = f"{self.home} can't be made: {problem.strerror}"
            raise StoreError(says, "export KEEPSTONE_HOME=/a/folder/that/can/be/written") from problem
        migrations.ensure(self.database)

    @contextmanager
    def _writer(self) -> Iterator[Writer]:
        with self._reader():
            pass  # creates and migrates what has to be
        store = self.backend.writer(self.database)
        store.policies = self.policies
        store.session = session_key(self._session) if self._session else None
        try:
            yield store
            self._complete(store)
            if store.written and self._session:
                # the session's next hook starts the worker, who finds what they hang together with
                runtime.wake(self.home, self.clock())
        finally:
            store.close()

    @contextmanager
    def _loader(self, dry_run: bool) -> Iterator[Writer]:
        """What imports are written by; with `dry_run` into a copy in memory."""
        from .similar import ratio
        from .store.rehearsal import MODE, rehearsal
        from .store.writer import Writer

        with ExitStack() as stack:
            if dry_run and not self._is_file:
                store = Writer(self.database, ratio)
                store.dry_run()
            elif dry_run:
                store = Writer(stack.enter_context(rehearsal(self.database)), ratio, mode=MODE)
            else:
                with self._reader():
                    pass  # creates and migrates what has to be
                store = Writer(self.database, ratio)
            stack.callback(store.close)
            store.policies = self.policies
            yield store
            if not dry_run:
                self._complete(store)

    def _migrate(self) -> None:
        from .store import migrations

        if not self._is_file:
            return  # who connects brings it up to date
        self._create()
        try:
            migrations.migrate(self.database, os.path.join(self.home, "backups"))
        except (OSError, migrations.Error) as problem:
            raise StoreError(f"{self.database} can't be migrated: {problem}", "keepstone doctor") from problem
