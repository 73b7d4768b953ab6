"""Lists sessions and what they were shown, and runs sessions of clients without hooks."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..capture import session_end_sql
from ..capture.hookless_sessions import require_session, start
from ..capture.observe import Digest, observe
from ..claude_code.observation import UNPLACED, Observation
from ..context import Context
from ..db import sessions_read
from ..db.sessions_read import Delivery, Project, Seen
from ..lib.errors import BadInput, KeepstoneError
from ..lib.limits import PAGE_LIMIT
from ..lib.text import session_key
from ..redaction.redact import redact
from ..remote.protocol import local, remote
from .common import writing

if TYPE_CHECKING:
    from ..claude_code.observation import Observation


class Sessions:
    """The sessions of this data home."""

    def __init__(self, context: Context) -> None:
        self.context = context

    @property
    @local(about_client=True)
    def session_here(self) -> str:
        """Returns the session whose shell this is. Raises BadInput outside a session."""
        if not self.context.caller.session:
            raise BadInput("it is not said which session", "keepstone audit shows sessions")
        return session_key(self.context.caller.session)

    @local("observe")
    def start_session(self, session: str, branch: str = "") -> Seen:
        """Begins a session of a client without hooks. Raises KeepstoneError if the id is already known."""
        with writing(self.context) as to, self.context.reader() as reader:
            return start(
                to,
                reader,
                session,
                self.context.caller.identity,
                self.context.caller.folder,
                redact(branch),
                self.context.clock(),
            )

    @remote(answers=int)
    def end_session(self, session: str) -> int:
        """Ends a session: a person's notes become episodic, guesses are deleted. Returns the number that became
        episodic.
        """
        with writing(self.context) as to, to.transaction() as tx:
            return len(session_end_sql.finish(tx, session_key(session), self.context.clock()))

    @remote(answers=Seen)
    def session(self, session: str) -> Seen:
        """Returns a session. Raises NotFound for an unknown one."""
        with self.context.reader() as reader:
            return require_session(reader, session)

    @remote(answers=tuple[list[Seen], int])
    def sessions(self, *, limit: int = PAGE_LIMIT, offset: int = 0, everything: bool = False) -> tuple[list[Seen], int]:
        """Returns sessions from `offset` on, newest first, and the number of all."""
        with self.context.reader() as reader:
            return sessions_read.page(
                reader, reader.project_of(self.context.caller.identity), everything, limit, offset
            )

    @local("status --all")
    def projects(self) -> list[Project]:
        """Returns the projects with a folder that still exists. Those with the most memories come first."""
        with self.context.reader() as reader:
            there = [one for one in sessions_read.projects(reader, self.context.clock()) if os.path.isdir(one.folder)]
        first = {one.id: one for one in reversed(there)}
        return [one for one in there if first[one.id] is one]

    @remote(answers=list[Delivery])
    def deliveries(self, memory_id: str = "", *, limit: int = PAGE_LIMIT, everything: bool = False) -> list[Delivery]:
        """Returns the deliveries to sessions, or those of one memory, latest first."""
        with self.context.reader() as reader:
            whole = reader.get(memory_id).id if memory_id else ""
            return sessions_read.deliveries(
                reader, reader.project_of(self.context.caller.identity), everything, whole, limit
            )

    @local("observe")
    def observe(
        self,
        tool: str = "",
        *,
        command: str = "",
        state: str = "unknown",
        files: Sequence[str] = (),
        reasoning: str = "",
        session: str = "",
    ) -> Observation | None:
        """Records a tool call of a client without hooks, or a statement if no tool is named. Returns None for a call of
        Keepstone itself, which is not recorded. The session defaults to Claude Code's.
        """
        session = session or self.context.caller.session
        if not session:
            raise BadInput("it is not said which session this is of", "keepstone observe --session ID ...")
        if self.context.settings.is_off(self.context.caller.identity):
            raise KeepstoneError("Keepstone is turned off here", "keepstone config off")
        call_id, at = os.urandom(16).hex(), self.context.clock()
        raw = Observation(call_id, tool, command, tuple(files), state, reasoning, call_id, UNPLACED, at)
        digest = Digest(
            redact,
            self.context.caller.folder,
            self.context.caller.identity.root if self.context.caller.identity else "",
        )
        with writing(self.context) as to:
            return observe(to, session_key(session), raw, digest, self.context.caller.identity)
