"""Collects every method that another machine may call, by loading the modules with marks of `remote.protocol`."""

from __future__ import annotations

from ..remote import protocol
from ..remote.served_methods import changes, count_shown, learn, rows_of, settled
from . import (
    admin,
    archive,
    backups,
    capture,
    focus,
    graph,
    history,
    lifecycle,
    maintenance,
    memory,
    privacy,
    review,
    sessions,
    transfer,
)

NAMESPACES = (
    memory.Memory,
    graph.Graph,
    review.Review,
    lifecycle.Lifecycle,
    history.History,
    sessions.Sessions,
    focus.Focus,
    capture.Capture,
    maintenance.Maintenance,
    backups.Backups,
    transfer.Transfer,
    privacy.Privacy,
    archive.Archive,
    admin.Admin,
)
SERVED = (settled, changes, rows_of, count_shown, learn)
CALLS = dict(sorted(protocol.CALLS.items()))  # the same order, however the modules were loaded
LOCAL = dict(sorted(protocol.LOCAL.items()))
