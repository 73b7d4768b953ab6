"""Opens the capture of transcripts, as the settings say."""

from __future__ import annotations

from .. import files
from ..context import Context
from ..extract import choose
from ..ops.capture import Capture
from ..redact import redact
from ..store.store import Store


def open_capture(context: Context, to: Store) -> Capture:
    """Returns what captures transcripts into `to`."""
    extractor = choose(
        context.settings.values,
        environ=context.environ,
        home=context.home,
        ledger=to.ledger,
        redact=redact,
        clock=context.clock,
    )
    return Capture(
        to,
        extractor,
        redact=redact,
        clock=context.clock,
        user_home=context.environ.get("HOME", ""),
        is_off=context.settings.is_off,
        alone=lambda: files.FileLock(context.home, "extractor"),
    )
