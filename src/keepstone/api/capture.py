"""Captures memories from transcripts and texts, including past sessions."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING

from ..capture import ingest
from ..capture.by_program import Programs
from ..capture.explain import explain
from ..capture.extractors.choose_extractor import lacks
from ..capture.from_text import records
from ..capture.model_estimate import ModelEstimate, estimate
from ..capture.open_capture import open_capture
from ..config.provenance import client_home
from ..context import Context
from ..db.reader import has_id
from ..jobs.run import catch_up
from ..lib.errors import BadInput
from ..lib.text import digest, session_key
from ..project.identity import text_of
from ..redaction.redact import redact
from ..remote.protocol import local
from ..spool import spool
from .common import writing

if TYPE_CHECKING:
    from ..capture.explain import Explained
    from ..capture.ingest import Ingested, Sources
    from ..capture.pipeline import CaptureReport


ESTIMATED_SESSIONS = 10  # of the past, by which a person may judge what a model would cost


class Capture:
    """The capture of transcripts and texts."""

    def __init__(self, context: Context) -> None:
        self.context = context

    @property
    @local(about_client=True)
    def is_off(self) -> bool:
        """Returns whether Keepstone is turned off here."""
        return self.context.settings.is_off(self.context.caller.identity)

    @property
    @local(about_client=True)
    def extractor_lacks(self) -> str:
        """Returns why the extractor of the settings cannot work here, "" if it can."""
        return lacks(self.context.settings.values, self.context.environ)

    @property
    @local(about_client=True)
    def past_sessions(self) -> str:
        """Returns the folder of the client's transcripts. Raises BadInput if the environment names none."""
        if not (self.context.environ.get("CLAUDE_CONFIG_DIR") or self.context.environ.get("HOME")):
            raise BadInput("HOME is not set: it is not known where past sessions are", "keepstone ingest FOLDER")
        return os.path.join(client_home(self.context.environ), "projects")

    @local("capture")
    def capture(self, path: str) -> CaptureReport:
        """Captures a transcript in the foreground: its memories exist when it returns. Raises BadInput as `ingest`."""
        self._require_client_file([path])
        with writing(self.context) as to:
            return open_capture(self.context, to)(path)

    @local("capture")
    def capture_text(self, text: str, session: str = "") -> CaptureReport:
        """Captures a transcript that a program sends, or a conversation as text. If no session is named, the text
        identifies it. Of the text, only the memories are kept.
        """
        key = session_key(session) if session else "told-" + digest(text)[:16]
        spool.make_folders(self.context.home)
        scratch = os.path.join(self.context.home, "spool", "tmp")  # the worker removes what a killed process leaves
        with writing(self.context) as to, NamedTemporaryFile(prefix="told-", suffix=".jsonl", dir=scratch) as file:
            file.write(records(redact(text), key, text_of(self.context.caller.folder), self.context.clock()).encode())
            file.flush()
            return open_capture(self.context, to)(file.name, key, self.context.caller.folder)

    @local("capture", about_client=True)
    def explain(self, path: str) -> Explained:
        """Returns what the rules would keep of a transcript, turn by turn, and why. Writes nothing."""
        return explain(path, redact, Programs(self.context.settings["programs"]), self._is_memory)

    def _is_memory(self, beginning: str) -> bool:
        """Tells whether an id begins that of a memory here. On a server nobody is asked."""
        if self.context.server is not None:
            return False
        with self.context.reader() as reader:
            return has_id(reader, beginning)

    @local("ingest")
    def past(self) -> Sources:
        """Returns what `ingest` without paths would read."""
        with writing(self.context) as to:
            return ingest.find(to, self._past_paths())

    @local(about_client=True)
    def estimate_for_model(self) -> ModelEstimate:
        """Returns what a model would have been asked about the newest past sessions, ten at most."""
        with writing(self.context) as to:
            newest = ingest.find(to, self._past_paths()).files[:ESTIMATED_SESSIONS]
        return estimate(source.path for source in newest)

    @local("ingest")
    def ingest(
        self,
        paths: Sequence[str] = (),
        *,
        begin: Callable[[Sources], None] = lambda sources: None,
        watch: Callable[[int], None] = lambda done: None,
    ) -> Ingested:
        """Captures transcripts, or all in folders; by default, the client's past sessions. An interrupted run keeps its
        results.

        `begin` is called with the sources before they are read, `watch` with the number of bytes read. Raises BadInput
        if a path does not exist, and within a session if a file is not the client's own.
        """
        self._require_client_file(paths)
        with writing(self.context) as to:
            sources = ingest.find(to, paths or self._past_paths())
            begin(sources)
            done = ingest.ingest(to, open_capture(self.context, to), sources, now=self.context.clock(), watch=watch)
            catch_up(self.context, to)
        with self.context.reader() as reader:
            done.suggested = reader.count_suggested(None, self.context.clock(), everything=True)
        return done

    def _past_paths(self) -> list[str]:
        return [path for path in [self.past_sessions] if os.path.exists(path)]

    def _require_client_file(self, paths: Sequence[str]) -> None:
        """Raises BadInput if a session's model wants to capture a file that is not the client's own transcript."""
        own = os.path.realpath(os.path.join(client_home(self.context.environ), "projects")) + os.sep
        for path in paths if self.context.caller.by_model else ():
            if not (os.path.realpath(path) + os.sep).startswith(own):
                says = f"{path} is no transcript of Claude Code's own, and only a person has others learned from"
                raise BadInput(says, f"let the user type: keepstone ingest {path}")
