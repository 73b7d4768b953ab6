"""The life of memories after they are stored: rated, pinned, promoted, merged, pruned, forgotten, erased, and accounted
for. What `Memory` adds to `Relations`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from . import spool
from .core import defaults, lifecycle
from .core.errors import BadInput, NotFound
from .core.model import TIERS, StoredMemory
from .core.text import session_key
from .core.trust import is_accepted
from .core.view import Hit
from .ops import search as search_op
from .ops.search import Scope
from .relations import Relations
from .store import edges, tiers, working
from .store import edit as edit_sql
from .store import merge as merge_sql
from .store import review as review_sql
from .store.filter_sql import ALIVE, RECALLABLE, SUSPECT
from .store.narrow import WHOLE, Narrow

if TYPE_CHECKING:
    from .ops.account import Diff, Worth
    from .ops.consolidate import Step
    from .ops.erase import Erasure
    from .ops.review import Proposal
    from .store.trail import Entry, Version
    from .store.undo import Undone
    from .store.writer import Writer


class Life(Relations):
    """What becomes of memories."""

    # One memory

    def get(self, ids: Iterable[str]) -> list[Hit]:
        """Memories by their ids, uncounted."""
        with self._reader() as reader:
            return self._weighed([search_op.shown(reader, memory_id) for memory_id in ids])

    def still_there(self, ids: Iterable[str]) -> list[Hit]:
        """The same without those that are gone, and what is no id."""
        found = []
        for memory_id in ids:
            try:
                found += self.get([memory_id])
            except (BadInput, NotFound):
                continue
        return found

    def rate(self, memory_id: str, vote: str, note: str = "") -> Hit:
        """Votes on a memory: up, down or outdated; `note` says why. Of one session the last vote counts."""
        from .ops import edit
        from .redact import redact

        if vote not in edit.VOTES:
            raise BadInput(f"a memory is rated {', '.join(edit.VOTES)}; not {vote[:20]!r}", "keepstone rate ID up")
        session = session_key(self._session) if self._session else ""
        return self._edit(
            memory_id, lambda to, whole, now: edit.rate(to, whole, vote, note, session, redact=redact, now=now)
        )

    def pin(self, memory_id: str, pinned: bool = True) -> Hit:
        """Puts a memory first in every brief, or takes that back."""
        from .ops import edit

        return self._edit(memory_id, lambda to, whole, now: edit.pin(to, whole, pinned, now))

    def trust(self, memory_id: str) -> Hit:
        """Accepts a memory that waited for a person's word. Raises BadInput as `confirm` does."""
        from .ops import edit

        self._need_word([memory_id])
        return self._edit(memory_id, edit.trust)

    def _need_word(self, ids: Iterable[str]) -> None:
        """Raises BadInput where a session's model accepts what the user has not said, last, to accept."""
        if not self._by_model:
            return
        said = self.caller.said(self.clock())
        for hit in self.get(ids):
            if not is_accepted((hit.memory.id, hit.short_id), said):
                says = f"only a person accepts what waits, and the user has not said to accept {hit.short_id}"
                raise BadInput(says, f"let the user say: accept {hit.short_id}; or run keepstone review in a terminal")

    def need_person(self, does: str, typed: str) -> None:
        """Raises BadInput where a session's model does what only a person may."""
        if self._by_model:
            raise BadInput(f"only a person {does}", f"let the user type in a terminal: {typed}")

    def forget(self, memory_id: str) -> Hit:
        from .ops import edit

        return self._edit(memory_id, edit.forget)

    def taken_back_by(self, memory_id: str) -> list[Hit]:
        """The memories that one took back."""
        with self._reader() as reader:
            related = edges.related(reader, memory_id)
        hits = self.get([other for type, other, received in related if type == "supersedes" and not received])
        return [hit for hit in hits if hit.memory.status == "archived"]

    def restore(self, memory_id: str) -> Hit:
        from .ops import edit

        return self._edit(memory_id, edit.restore)

    def _edit(self, memory_id: str, change: Callable[[Writer, str, float], None]) -> Hit:
        with self._reader() as reader:
            whole = reader.get(memory_id).id
        with self._writer() as to:
            change(to, whole, self.clock())
        return self.get([whole])[0]

    def promote(self, memory_id: str, tier: str = "") -> Hit:
        """Lifts a memory to a higher tier, by itself the next one. Raises BadInput for one that is not higher."""
        return self._move(memory_id, tier, 1)

    def demote(self, memory_id: str, tier: str = "") -> Hit:
        """Lowers a memory to a tier, by itself the one below. Raises BadInput for one that is not lower."""
        return self._move(memory_id, tier, -1)

    def _move(self, memory_id: str, tier: str, by: int) -> Hit:
        with self._reader() as reader:
            memory = reader.get(memory_id)
        place = TIERS.index(memory.tier) + by
        target = tier or (TIERS[place] if 0 < place < len(TIERS) else "")
        ends = (memory.tier, target) if by > 0 else (target, memory.tier)
        if not lifecycle.may_promote(*ends) or "working" in ends[1:] or target == "working":
            word = "higher" if by > 0 else "lower"
            says = f"{memory.tier} memories have no {word} tier {target}".rstrip()
            other = "demote" if by > 0 else "promote"
            raise BadInput(says, f"keepstone why ID shows its tier; keepstone {other} ID moves it the other way")

        def move(to: Writer, whole: str, now: float) -> None:
            with to.transaction() as tx:
                tiers.lift(tx, [whole], target, {whole: "by hand"}, now, "person")

        return self._edit(memory_id, move)

    def working(self) -> list[Hit]:
        """The memories of the working tier: what lives for its session, and is found by no search."""
        from .store.trail import selected

        with self._reader() as reader:
            project = reader.project_of(self.identity)
            found = selected(reader, project, "project", Narrow(tier="working"), ALIVE, self.clock())
        return self.get([memory.id for memory in found])

    def end_session(self, session: str) -> int:
        """Ends a session: a person's notes of it become episodic, guesses die with it; how many live on (Z3-16)."""
        with self._writer() as to:
            with to.transaction() as tx:
                return len(working.finish(tx, session_key(session), self.clock()))

    # Forgetting

    def selected(
        self, *, everything: bool = False, user: bool = False, narrow: Narrow = WHOLE, deleted: bool = False
    ) -> list[StoredMemory]:
        """What a forgetting in bulk would be about: the memories of this project alone (with `user` of user scope, with
        `everything` of all) that a filter leaves. With `deleted` also what is hidden already: only erasing can.
        """
        from .store.trail import selected

        with self._reader() as reader:
            project = reader.project_of(self.identity)
            scope = "" if everything else "user" if user else "project"
            return selected(reader, project, scope, narrow, "TRUE" if deleted else RECALLABLE, self.clock())

    def forget_all(self, ids: Sequence[str]) -> int:
        """Forgets memories by their whole ids; how many there were to forget."""
        from .ops import edit

        with self._writer() as to:
            for memory_id in ids:
                edit.forget(to, memory_id, self.clock())
        return len(ids)

    def quoting(self, ids: Sequence[str]) -> list[Hit]:
        """Other memories that quote these: erasing one leaves its words in them."""
        from .similar import ratio
        from .store import erase
        from .store.writer import Writer

        with self._reader() as reader:
            whole = [reader.get(memory_id).id for memory_id in ids]
        with closing(Writer(self.database, ratio)) as to, to.transaction() as tx:
            found = erase.quoting(tx, erase.quotes(tx, whole), whole)
        return self.get(found)

    def erase(
        self, ids: Sequence[str], *, cascade: bool = False, watch: Callable[[str], None] = lambda what: None
    ) -> Erasure:
        """Removes memories from every file of the data home for good; with `cascade` also the memories that quote them.
        What stands in the way of that is in `problems`: it has succeeded where there is none. An id that was erased
        before only has its leftovers looked after.
        """
        from .ops.erase import erase

        self.work(wait=True)  # what waits in the spool may be of the same turn
        whole = []
        for memory_id in ids:
            try:
                with self._reader() as reader:
                    whole.append(reader.get(memory_id).id)
            except NotFound:
                self.audited(memory_id)  # raises where it was not erased either
        with spool.Alone(self.home, "worker"):
            done = erase(self.home, self.database, whole, cascade, self.clock(), watch)
            return done if self._is_file else self._erased_here(done)

    # Review

    def quarantined(self, *, limit: int = defaults.LISTING_LIMIT_MAX, everything: bool = False) -> list[Hit]:
        """The memories that are not recalled before a person has accepted them."""
        with self._reader() as reader:
            scope = Scope(reader.project_of(self.identity), everything)
            return search_op.recent(reader, scope, limit, self.clock(), SUSPECT)

    def contradicted(self, *, limit: int = defaults.LISTING_LIMIT_MAX, everything: bool = False) -> list[Hit]:
        """The memories of which two may not both hold, the newest first."""
        with self._reader() as reader:
            scope = Scope(reader.project_of(self.identity), everything)
            ids = edges.contradicted(reader, scope.project, everything, limit, self.clock())
            return self._weighed([search_op.show(reader, one, scope, self.clock(), count=False)[0] for one in ids])

    def review(
        self, kinds: Sequence[str] = (), *, everything: bool = False, limit: int = defaults.LISTING_LIMIT_MAX
    ) -> list[Proposal]:
        """What waits for a person's word here: quarantined memories; what is proposed to merge, promote and prune."""
        from .ops import review as op

        waiting = [hit.memory for hit in self.quarantined(everything=everything)]
        model = self.embedder.model if self.embedder else ""
        with self._writer() as to:
            found = op.proposals(to, waiting, model, self._retention, self.clock(), kinds or op.KINDS)
            with to.transaction() as tx:
                held = review_sql.held(tx, [member for one in found for member in one.members])
        with self._reader() as reader:
            here = (reader.project_of(self.identity), None)
        held_here = {memory_id for memory_id, memory in held.items() if everything or memory.project_id in here}
        return [one for one in found if held_here.issuperset(one.members)][:limit]

    def confirm(self, proposals: Sequence[Proposal]) -> list[Hit]:
        """Does what is proposed; the memories that this is about, as they are then. Raises BadInput for what waits for
        a person's word where a session's model accepts it, and the user has not named it there.
        """
        from .ops import review as op
        from .redact import redact

        self._need_word(one.members[0] for one in proposals if one.kind == op.QUARANTINE)
        with self._writer() as to:
            done = [op.confirm(to, one, self.policies, redact, self.clock()) for one in proposals]
        return self.get(done)

    def reject(self, proposals: Sequence[Proposal]) -> None:
        """Leaves things as they are and proposes them no more; what was quarantined is forgotten."""
        from .ops import review as op

        with self._writer() as to:
            for one in proposals:
                op.reject(to, one, self.clock())

    def united(self, ids: Sequence[str]) -> str:
        """What a merging of these would say. Raises BadInput where they can't be merged."""
        from .ops import review as op

        with self._reader() as reader:
            whole = [reader.get(memory_id).id for memory_id in ids]
        with self._writer() as to:
            return op.preview_merge(to, whole, self.clock())[1]

    def merge(self, ids: Sequence[str], text: str = "") -> Hit:
        """Makes one memory of several of one type and project, with the sentences of all or with `text`. Raises
        BadInput for a text that would have to wait.
        """
        from .ops import review as op
        from .ops.edit import why_suspect
        from .redact import redact

        if text and (why := why_suspect([text], self._outside_here(text))):
            raise BadInput(f"this text would wait for a person's word: {why}", "keepstone merge ID ID, without --text")

        with self._reader() as reader:
            whole = [reader.get(memory_id).id for memory_id in ids]
        with self._writer() as to:
            made = op.merge(to, whole, self.policies, redact, text, self.clock())
        return self.get([made])[0]

    def unmerge(self, memory_id: str) -> list[Hit]:
        """Takes a merging back; the memories that it was made of."""
        with self._reader() as reader:
            whole = reader.get(memory_id).id
        with self._writer() as to:
            with to.transaction() as tx:
                made = merge_sql.unmerge(tx, whole, self.clock())
            return self.get(made)

    # Accounts

    def worth(self, memory_id: str) -> Worth:
        """What a memory is worth now and why, factor by factor; counts nothing."""
        from .ops.account import worth

        with self._reader() as reader:
            told = worth(reader, memory_id, self.policies, self._retention, self.clock())
            self._weighed([told.hit])
            return told

    def ending(self, *, everything: bool = False, limit: int = defaults.PAGE_LIMIT) -> list[Hit]:
        """The memories that have an end, those that end first before the others."""
        from .store.trail import ending

        with self._reader() as reader:
            found = ending(reader, reader.project_of(self.identity), everything, limit, self.clock())
            return self._weighed([search_op.shown(reader, memory_id) for memory_id in found])

    @property
    def _retention(self) -> float:
        return float(self.settings["retention_days"])

    def audit(self, **asked: Any) -> list[Entry]:
        """What was done to memories, by whom and when, the newest first; `asked` as `store.trail.Asked` has it. No
        content is ever in it.
        """
        from .store.trail import Asked, audit

        with self._reader() as reader:
            return audit(reader, Asked(**asked))

    def audited(self, given: str) -> str:
        """The whole id of a memory that the audit knows, erased or not, by its beginning. Raises BadInput, NotFound."""
        from .store.trail import audited

        with self._reader() as reader:
            try:
                return reader.get(given).id
            except NotFound:
                found = audited(reader, given)
                if len(found) != 1:
                    raise
                return found[0]

    def history(self, memory_id: str) -> tuple[Hit, list[Version], list[Entry]]:
        """A memory, every earlier state of it, and what was done to it, oldest first. Counts nothing."""
        from .store.trail import Asked, audit, history

        with self._reader() as reader:
            whole = reader.get(memory_id).id
            done = audit(reader, Asked(memory=whole, limit=defaults.LISTING_LIMIT_MAX))
            return self._weighed([search_op.shown(reader, whole)])[0], history(reader, whole), done[::-1]

    def as_of(
        self, query: str, then: float, *, everything: bool = False, limit: int = defaults.SEARCH_LIMIT
    ) -> list[Hit]:
        """What a search would have found at a moment, by the words that memories had then. Counts nothing."""
        from .ops.account import as_of

        with self._reader() as reader:
            return as_of(reader, query, Scope(reader.project_of(self.identity), everything), then, limit)

    def diff(self, session: str) -> Diff:
        """What a session changed. Raises NotFound for one that is not known."""
        from .ops.account import diff

        with self._reader() as reader:
            return diff(reader, session)

    @property
    def session_here(self) -> str:
        """The session whose shell this is. Raises BadInput outside of any."""
        if not self._session:
            raise BadInput("it is not said which session", "keepstone audit shows sessions")
        return session_key(self._session)

    def undo(self, session: str) -> Undone:
        """Takes back what a session changed. Raises NotFound for one that is not known."""
        from .ops.account import need_session

        with self._reader() as reader:
            whole = need_session(reader, session)
        with self._writer() as to:
            with to.transaction() as tx:
                return edit_sql.undo(tx, whole, self.clock())

    def consolidate(self) -> list[Step]:
        """Runs one consolidation cycle now, and says what it lifted and why not the rest (NC-4)."""
        from .ops.consolidate import consolidate

        with self._writer() as to:
            return consolidate(to, self.settings["confirm_habits"], self.clock())
