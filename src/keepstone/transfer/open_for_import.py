"""Opens the database for imports."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from ..context import Context, elsewhere
from ..db.dry_run import MODE, rehearsal
from ..db.writer import Writer
from ..lib.fuzzy import ratio
from ..recall.complete_memories import complete


@contextmanager
def open_loader(context: Context, dry_run: bool) -> Iterator[Writer]:
    """Opens the database for an import. With `dry_run`, opens a copy in memory or a transaction that is rolled back.
    Raises KeepstoneError if the memories are on a server.
    """
    if context.server is not None:
        raise elsewhere(context.server, "import")
    with ExitStack() as stack:
        if dry_run and not context.is_file:
            store = Writer(context.database, ratio)
            store.dry_run()
        elif dry_run:
            store = Writer(stack.enter_context(rehearsal(context.database)), ratio, mode=MODE)
        else:
            context.prepare()
            store = Writer(context.database, ratio)
        stack.callback(store.close)
        store.policies = context.policies
        yield store
        if not dry_run:
            complete(context, store)
