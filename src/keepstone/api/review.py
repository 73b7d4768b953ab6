"""Lists and decides pending items, and merges memories."""

from __future__ import annotations

from collections.abc import Sequence

from ..context import Context
from ..db.filter_sql import SUSPECT
from ..graph import edges_sql
from ..lib import limits
from ..lib.errors import BadInput
from ..lifecycle import edit, keep_suggestion, suggestions_sql
from ..lifecycle import merge_sql as merge_sql
from ..lifecycle import review as op
from ..lifecycle import review_sql as review_sql
from ..lifecycle.review import Proposal
from ..lifecycle.store_request import untrusted_reason_now
from ..model.hit import Hit
from ..model.scope import Scope
from ..recall import search as search_op
from ..recall.open_embedder import embedder_of
from ..redaction.redact import redact
from ..remote.protocol import local, remote
from .common import decided, hits_of, require_asked, require_word, retention, weighed, whole_ids, writing


class Review:
    """The review of pending items."""

    def __init__(self, context: Context) -> None:
        self.context = context

    @remote(answers=list[Hit])
    def quarantined(self, *, limit: int = limits.LISTING_LIMIT_MAX, everything: bool = False) -> list[Hit]:
        """Returns the quarantined memories, which are not recalled until a person accepts them."""
        with self.context.reader() as reader:
            scope = Scope(reader.project_of(self.context.caller.identity), everything)
            return search_op.recent(reader, scope, limit, self.context.clock(), SUSPECT)

    @remote(answers=list[Hit])
    def contradicted(self, *, limit: int = limits.LISTING_LIMIT_MAX, everything: bool = False) -> list[Hit]:
        """Returns memories that contradict others, newest first."""
        with self.context.reader() as reader:
            scope = Scope(reader.project_of(self.context.caller.identity), everything)
            ids = edges_sql.contradicted(reader, scope.project, everything, limit, self.context.clock())
            hits = [search_op.show(reader, one, scope, self.context.clock(), count=False)[0] for one in ids]
            for hit in hits:
                hit.related = edges_sql.related(reader, hit.memory.id)
            return weighed(self.context, hits)

    @remote(answers=list[Proposal])
    def review(
        self, kinds: Sequence[str] = (), *, everything: bool = False, limit: int = limits.LISTING_LIMIT_MAX
    ) -> list[Proposal]:
        """Returns the pending items: quarantined memories, suggestions, and proposals to merge, promote and prune."""
        waiting = [hit.memory for hit in self.quarantined(everything=everything)]
        embedder = embedder_of(self.context)
        model = embedder.model if embedder else ""
        now, days = self.context.clock(), retention(self.context)
        with self.context.reader() as reader:
            here = (reader.project_of(self.context.caller.identity), None)
        with writing(self.context) as to:
            with to.transaction() as tx:
                suggested = suggestions_sql.living(tx, here[0], everything, now)
            found = op.proposals(to, waiting, suggested, model, days, now, kinds or op.KINDS)
            with to.transaction() as tx:
                held = review_sql.held(tx, [member for one in found for member in one.members])
        held_here = {memory_id for memory_id, memory in held.items() if everything or memory.project_id in here}
        return [one for one in found if held_here.issuperset(one.members)][:limit]

    @remote(answers=tuple[Hit, bool], text="sentence")
    def keep(self, name: str, sentence: str = "") -> tuple[Hit, bool]:
        """Makes a memory of a suggestion of this project, in a self-contained `sentence` or as it was said. Returns it
        and whether it is new. Raises BadInput, NotFound or StateError if no such suggestion waits here.
        """
        with writing(self.context) as to:
            memory_id, new = keep_suggestion.keep(self.context, to, name, sentence, redact)
        return hits_of(self.context, [memory_id])[0], new

    @remote(answers=list[list[Hit]])
    def would_replace(self, ids: Sequence[str]) -> list[list[Hit]]:
        """Returns for each memory which others accepting it would take back. Nothing is done. A memory that does not
        wait for review takes nothing back.
        """
        whole = whole_ids(self.context, ids)
        with writing(self.context) as to:
            found = op.would_replace(to, whole, self.context.clock())
        return [hits_of(self.context, those) for those in found]

    @local(about_client=True)
    def replaced_by(self, proposals: Sequence[Proposal]) -> list[list[Hit]]:
        """Returns for each proposal which memories carrying it out would take back, besides its own."""
        named = iter(self.would_replace([one.members[0] for one in proposals if one.members]))
        return [next(named) if one.members else [] for one in proposals]

    @remote(answers=Hit, accepts=True)
    def trust(self, memory_id: str) -> Hit:
        """Accepts a quarantined memory. Raises BadInput as `confirm` does."""
        require_word(self.context, [memory_id])
        return decided(self.context, memory_id, lambda edit, to, whole, now: edit.trust(to, whole, now))

    @remote(answers=list[Hit], takes={"proposals": list[str]}, accepts=True)
    def confirm(self, proposals: Sequence[Proposal]) -> list[Hit]:
        """Carries out proposals. Returns the resulting memories. Raises BadInput if a session's model accepts a
        quarantined memory or a suggestion that the user's last message did not name.
        """
        require_word(self.context, [one.members[0] for one in proposals if one.kind == op.QUARANTINE])
        for one in proposals:
            if one.kind == op.SUGGESTION:
                require_asked(self.context, "accept", (one.key,))
        with writing(self.context) as to:
            done = [op.confirm(to, one, self.context.policies, redact, self.context.clock()) for one in proposals]
        return hits_of(self.context, done)

    @remote(answers=None, takes={"proposals": list[str]}, accepts=True)
    def reject(self, proposals: Sequence[Proposal]) -> None:
        """Rejects proposals: they are not made again. Forgets quarantined memories. Raises BadInput if a session's
        model rejects a quarantined memory or a suggestion that the user's last message did not name.
        """
        for one in proposals:
            if one.kind == op.SUGGESTION:
                require_asked(self.context, "reject", (one.key,))
            if one.kind == op.QUARANTINE:
                require_asked(self.context, "reject", (one.key, one.members[0], one.members[0][4:10]))
        with writing(self.context) as to:
            for one in proposals:
                op.reject(to, one, self.context.clock())

    @remote(answers=str)
    def preview_merge(self, ids: Sequence[str]) -> str:
        """Returns the text that merging these would give. Raises StateError if they can't be merged."""
        whole = whole_ids(self.context, ids)
        with writing(self.context) as to:
            return op.preview_merge(to, whole, self.context.clock())[1]

    @remote(answers=Hit, text="text")
    def merge(self, ids: Sequence[str], text: str = "") -> Hit:
        """Merges memories of one kind and project into one, with the sentences of all or with `text`. Raises BadInput
        for a text that needs review.
        """
        if text and (why := edit.why_suspect([text], untrusted_reason_now(self.context, text))):
            raise BadInput(f"this text would wait for a person's word: {why}", "keepstone merge ID ID, without --text")

        whole = whole_ids(self.context, ids)
        with writing(self.context) as to:
            made = op.merge(to, whole, self.context.policies, redact, text, self.context.clock())
        return hits_of(self.context, [made])[0]

    @remote(answers=list[Hit])
    def unmerge(self, memory_id: str) -> list[Hit]:
        """Undoes a merge. Returns the memories that had been merged."""
        (whole,) = whole_ids(self.context, [memory_id])
        with writing(self.context) as to:
            with to.transaction() as tx:
                sources = merge_sql.unmerge(tx, whole, self.context.clock())
            return hits_of(self.context, sources)
