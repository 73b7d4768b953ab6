"""Opens the capture of transcripts with the extractor of the settings."""

from __future__ import annotations

from ..context import Context
from ..db.writer import Writer
from ..lib import files
from ..redaction.redact import redact
from .budget_sql import BudgetLedger
from .by_program import Programs
from .extractors.choose_extractor import choose
from .pipeline import CaptureSink, TranscriptCapture


def open_capture(context: Context, to: Writer, sink: CaptureSink | None = None) -> TranscriptCapture:
    """Returns the capture of transcripts. Memories go to `sink`, by default to the same database as everything else."""
    extractor = choose(
        context.settings.values,
        environ=context.environ,
        home=context.home,
        budget=BudgetLedger(to),
        redact=redact,
        clock=context.clock,
        log=context.log,
    )
    return TranscriptCapture(
        to,
        extractor,
        sink=sink,
        redact=redact,
        clock=context.clock,
        user_home=context.environ.get("HOME", ""),
        is_off=context.settings.is_off,
        alone=lambda: files.FileLock(context.home, "extractor"),
        programs=Programs(context.settings["programs"]),
        archives=context.settings["archive_days"] > 0,
    )
