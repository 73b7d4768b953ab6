"""Opens the capture of transcripts, as the settings say."""

from __future__ import annotations

from .. import files
from ..context import Context
from ..extract import choose
from ..ops.capture import Capture, CaptureSink
from ..redact import redact
from ..store.usage import BudgetLedger
from ..store.writer import Writer


def open_capture(context: Context, to: Writer, sink: CaptureSink | None = None) -> Capture:
    """Returns what captures transcripts. Memories go to `sink`, by default to the same database as everything else."""
    extractor = choose(
        context.settings.values,
        environ=context.environ,
        home=context.home,
        budget=BudgetLedger(to),
        redact=redact,
        clock=context.clock,
    )
    return Capture(
        to,
        extractor,
        sink=sink,
        redact=redact,
        clock=context.clock,
        user_home=context.environ.get("HOME", ""),
        is_off=context.settings.is_off,
        alone=lambda: files.FileLock(context.home, "extractor"),
    )
