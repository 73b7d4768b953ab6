"""Reads and changes the focus of a session, its working memory."""

from __future__ import annotations

from collections.abc import Sequence

from ..context import Context
from ..db.reader import TRIM_FOCUS
from ..lib.errors import BadInput
from ..lib.text import session_key
from ..model.hit import Hit
from ..recall import focus as op
from ..recall.open_embedder import lens_of
from ..remote.codec import IntRange
from ..remote.protocol import MANY, remote
from .common import hits_of, scope_of

CONTEXT_MEMORIES = 5
CONTEXT_TOKENS = 150  # of each memory


class Focus:
    """The focus of a session."""

    def __init__(self, context: Context) -> None:
        self.context = context

    @remote(answers=list[tuple[Hit, float]])
    def focus(self, ids: Sequence[str] = (), *, words: str = "", session: str = "") -> list[tuple[Hit, float]]:
        """Returns the session's focus: memories with their relevance, 0..1, most relevant first. First adds `ids`, and
        the memories that `words` find. The session defaults to Claude Code's.
        """
        session = session or self.context.caller.session
        if not session:
            raise BadInput("it is not said which session this is of", "keepstone focus --session ID")
        with self.context.reader() as reader:
            scope = scope_of(self.context, reader)
            held = op.focus(
                reader, session_key(session), scope, ids, words, self.context.clock(), lens_of(self.context)
            )
        return [(hits_of(self.context, [memory_id])[0], relevance) for memory_id, relevance in held]

    @remote(answers=None)
    def unfocus(self, session: str) -> None:
        """Empties the focus of a session."""
        with self.context.reader() as reader:
            reader.count([(TRIM_FOCUS, {"session": session_key(session), "most": 0})])

    @remote(answers=list[str], takes={"max_memories": MANY, "max_tokens": IntRange(1, CONTEXT_TOKENS)})
    def prompt_context(
        self,
        *,
        session: str = "",
        max_memories: int = CONTEXT_MEMORIES,
        max_tokens: int = CONTEXT_TOKENS,
        min_relevance: float = 0.0,
    ) -> list[str]:
        """Returns the session's focus as texts of at most `max_tokens` each, cut at a sentence's end."""
        held = self.focus(session=session)
        found = [(hit.memory, relevance) for hit, relevance in held if relevance >= min_relevance]
        return op.context(found[:max_memories], max_tokens)
