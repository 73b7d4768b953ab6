"""Who asks, and of which project: as the folder, the environment and the transcripts of this machine say, or as another
machine says of itself.
"""

from __future__ import annotations

import os

from .claude_code import memory_state
from .config import runtime, settings
from .lib.errors import BadInput
from .lib.text import agent_key, session_key
from .project.identity import Identity, identify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Caller:
    """Somebody at this machine, in a folder (default: the one that this process is in). Raises BadInput for one that
    does not exist.
    """

    def __init__(self, folder: str | None, environ: Mapping[str, str]) -> None:
        if folder is not None and not os.path.isdir(folder):
            raise BadInput(f"there is no folder {folder}", "--project takes the path of a project's folder")
        self.environ = environ
        self.folder = os.path.abspath(folder) if folder else _here()
        self.project_dir = "" if folder else environ.get("CLAUDE_PROJECT_DIR", "")
        self.identity = self.project_of(self.folder, self.project_dir)

    def project_of(self, folder: str, project_dir: str) -> Identity | None:
        """The project of a folder of the caller's."""
        return identify(folder, project_dir, self.environ.get("HOME", ""))

    @property
    def below(self) -> str:
        """The folder from the project's on, "" for that itself and outside of it."""
        root = self.identity.root if self.identity else ""
        inside = os.path.relpath(os.path.realpath(self.folder), root) if root else ""
        return "" if inside.startswith((".", "..")) else inside.replace(os.sep, "/")

    @property
    def notes(self) -> str:
        """The folder of the client's own memory of this one, "" for nowhere."""
        return memory_state.folder_of(settings.client_home(self.environ), self.folder)

    @property
    def session(self) -> str:
        """The session whose shell this is, "" outside of any."""
        return self.environ.get(runtime.SESSION) or self.environ.get("CLAUDE_CODE_SESSION_ID", "")

    @property
    def by_model(self) -> bool:
        """Whether this may be the doing of a session's model: in its shell, and not what the user has typed."""
        return bool(self.session) and not self.environ.get(runtime.TYPED)

    @property
    def agent(self) -> str:
        return agent_key(self.environ.get(runtime.AGENT))

    def untrusted_reason(self, text: str, session: str, at: float) -> str:
        """Why what a session's model says may be the words of others, "" for the user's order and its own."""
        from .claude_code.transcript_files import untrusted_reason

        return untrusted_reason(self.transcript(session), text, at)

    def said(self, now: float) -> str:
        """What the user has said last in the session that this is, in words of the user's own."""
        from .claude_code.transcript_files import asked

        try:
            return asked(self.transcript(session_key(self.session)), now)
        except OSError:
            return ""

    def transcript(self, session: str) -> str:
        """Where a session's transcript lies, "" for nowhere."""
        from .claude_code.transcript_files import path_of

        return path_of(os.path.join(settings.client_home(self.environ), "projects"), session)


class RemoteCaller(Caller):
    """Somebody at another machine, as that says: none of its folders and transcripts is here."""

    folder, project_dir, notes = "", "", ""
    below, session, by_model, agent = "", "", False, ""

    def __init__(
        self,
        identity: Identity | None,
        below: str = "",
        session: str = "",
        by_model: bool = False,
        agent: str = "",
        order: str | None = None,
        said: str = "",
    ) -> None:
        """`order` is why the text that comes along may be the words of others, None where that machine does not know;
        `said` what the user has said there last.
        """
        self.identity = identity
        self.below, self.session, self.by_model, self.agent = below, session, by_model, agent
        self._order, self._said = order, said

    def project_of(self, folder: str, project_dir: str) -> Identity | None:
        return self.identity

    def untrusted_reason(self, text: str, session: str, at: float) -> str:
        from .claude_code.untrusted import UNSEEN

        return UNSEEN if self._order is None else self._order

    def said(self, now: float) -> str:
        return self._said

    def transcript(self, session: str) -> str:
        return ""


def _here() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        raise BadInput("the folder you are in no longer exists", "cd to a project's folder") from None
