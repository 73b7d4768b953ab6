"""Manages how memories live: their tiers, their importance, and when they expire."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from types import ModuleType
from typing import TYPE_CHECKING

from ..context import Context
from ..db.filter_sql import ALIVE, RECALLABLE
from ..db.hits import shown
from ..graph import edges_sql
from ..lib import limits
from ..lib.errors import BadInput, NotFound, StateError
from ..lifecycle import edit, suggestions_sql, tiers_sql
from ..lifecycle.consolidate import consolidate
from ..lifecycle.explain_worth import Worth, worth
from ..lifecycle.history_sql import ending, selected
from ..model import tiers
from ..model.filter import NO_FILTER, Filter
from ..model.hit import Hit
from ..model.memory import TIERS, StoredMemory
from ..model.suggestion import is_suggestion
from ..recall.choose_matcher import matches_in
from ..recall.open_embedder import lens_of
from ..recall.why import Why, why
from ..remote.protocol import local, remote
from .common import edited, hits_of, is_over, require_not_waiting, retention, scope_of, weighed, writing

if TYPE_CHECKING:
    from ..db.writer import Writer
    from ..lifecycle.consolidate import MergeStep


class Lifecycle:
    """The life cycle of memories."""

    def __init__(self, context: Context) -> None:
        self.context = context

    @remote(answers=list[Hit])
    def still_there(self, ids: Iterable[str]) -> list[Hit]:
        """Returns memories by their ids. Ids that are invalid or no longer exist are skipped. Counts nothing."""
        found = []
        for memory_id in ids:
            try:
                found += hits_of(self.context, [memory_id])
            except (BadInput, NotFound):
                continue
        return found

    @remote(answers=list[Hit])
    def taken_back_by(self, memory_id: str) -> list[Hit]:
        """Returns the memories that a memory superseded."""
        hits = self._related(memory_id, lambda type, received: type == "supersedes" and not received)
        return [hit for hit in hits if hit.memory.status == "archived"]

    @remote(answers=list[Hit])
    def rivals_of(self, memory_id: str) -> list[Hit]:
        """Returns the active memories that a memory may contradict, or that superseded it."""
        hits = self._related(
            memory_id, lambda type, received: type == "contradicts" or type == "supersedes" and received
        )
        return [hit for hit in hits if hit.memory.status == "active"]

    def _related(self, memory_id: str, counts: Callable[[str, bool], bool]) -> list[Hit]:
        """Returns the memories whose relationship with one counts, by its type and whether it leads to that one."""
        with self.context.reader() as reader:
            related = edges_sql.related(reader, memory_id)
        return hits_of(self.context, [other for type, other, received in related if counts(type, received)])

    @local(about_client=True)
    def is_over(self, memory: StoredMemory) -> bool:
        """Returns whether a memory has expired."""
        return is_over(self.context, memory)

    @remote(answers=Hit)
    def promote(self, memory_id: str, tier: str = "") -> Hit:
        """Moves a memory to a higher tier, by default the next one. Raises BadInput for a `tier` that is not
        higher, and StateError if there is no next one.
        """
        return self._move(memory_id, tier, 1)

    @remote(answers=Hit)
    def demote(self, memory_id: str, tier: str = "") -> Hit:
        """Moves a memory to a lower tier, by default the one below. Raises BadInput for a `tier` that is not
        lower, and StateError if there is none below.
        """
        return self._move(memory_id, tier, -1)

    def _move(self, memory_id: str, tier: str, by: int) -> Hit:
        with self.context.reader() as reader:
            memory = reader.get(memory_id)
        place = TIERS.index(memory.tier) + by
        target = tier or (TIERS[place] if 0 < place < len(TIERS) else "")
        ends = (memory.tier, target) if by > 0 else (target, memory.tier)
        if not tiers.may_promote(*ends) or "working" in ends[1:] or target == "working":
            word = "higher" if by > 0 else "lower"
            says = f"{memory.tier} memories have no {word} tier {target}".rstrip()
            other = "demote" if by > 0 else "promote"
            hint = f"keepstone why ID shows its tier; keepstone {other} ID moves it the other way"
            raise BadInput(says, hint) if tier else StateError(says, hint)

        def move(_: ModuleType, to: Writer, whole: str, now: float) -> None:
            with to.transaction() as tx:
                tiers_sql.lift(tx, [whole], target, {whole: "by hand"}, now, tx.actor)

        return edited(self.context, memory_id, move)

    @remote(answers=list[Hit])
    def working(self) -> list[Hit]:
        """Returns the memories of the working tier: they live for one session, and no search finds them."""

        with self.context.reader() as reader:
            project = reader.project_of(self.context.caller.identity)
            found = selected(reader, project, "project", Filter(tier="working"), ALIVE, self.context.clock())
        return hits_of(self.context, [memory.id for memory in found])

    @remote(answers=list[StoredMemory])
    def selected(
        self, *, everything: bool = False, user: bool = False, narrow: Filter = NO_FILTER, deleted: bool = False
    ) -> list[StoredMemory]:
        """Returns the memories for a bulk operation: those of this project that match a filter, with `user` those of
        user scope, with `everything` those of all projects. With `deleted`, includes hidden ones, which can be erased.
        """

        with self.context.reader() as reader:
            project = reader.project_of(self.context.caller.identity)
            scope = "" if everything else "user" if user else "project"
            return selected(reader, project, scope, narrow, "TRUE" if deleted else RECALLABLE, self.context.clock())

    @remote(answers=list[str])
    def selected_suggestions(
        self, *, everything: bool = False, user: bool = False, narrow: Filter = NO_FILTER
    ) -> list[str]:
        """Returns the ids of the suggestions for a bulk operation, as `selected` does. They have no tags."""
        if narrow.tag:
            return []
        with self.context.reader() as reader:
            project = reader.project_of(self.context.caller.identity)
        scope = "" if everything else "user" if user else "project"
        with writing(self.context) as to, to.transaction() as tx:
            return suggestions_sql.selected(tx, project, scope, narrow.of_session, narrow.agent)

    @remote(answers=int)
    def forget_all(self, ids: Sequence[str]) -> int:
        """Forgets memories by their whole ids, and turns suggestions down. Returns their number. Raises BadInput, with
        nothing forgotten, if a session's model names one that waits for review.
        """
        memories = [one for one in ids if not is_suggestion(one)]
        require_not_waiting(self.context, memories)
        with writing(self.context) as to:
            for memory_id in memories:
                edit.forget(to, memory_id, self.context.clock())
            with to.transaction() as tx:
                suggestions_sql.refuse(tx, [one for one in ids if is_suggestion(one)], self.context.clock())
        return len(ids)

    @remote(answers=Worth)
    def worth(self, memory_id: str) -> Worth:
        """Returns a memory's importance now and why, factor by factor. Counts nothing."""

        with self.context.reader() as reader:
            told = worth(reader, memory_id, self.context.policies, retention(self.context), self.context.clock())
            weighed(self.context, [told.hit])
            return told

    @remote(answers=Why)
    def why(self, memory_id: str, query: str, *, everything: bool = False) -> Why:
        """Returns why a search for the query finds this memory here, or does not. Counts nothing."""

        with self.context.reader() as reader:
            scope = scope_of(self.context, reader, None, everything)
            matches = matches_in(reader, scope.project, scope.everything, scope.kinds, self.context.clock())
            return why(reader, matches, memory_id, query, lens_of(self.context))

    @remote(answers=list[Hit])
    def ending(self, *, everything: bool = False, limit: int = limits.PAGE_LIMIT) -> list[Hit]:
        """Returns the memories that expire, soonest first."""

        with self.context.reader() as reader:
            found = ending(
                reader, reader.project_of(self.context.caller.identity), everything, limit, self.context.clock()
            )
            return weighed(self.context, [shown(reader, memory_id) for memory_id in found])

    @local("worker run-all")
    def consolidate(self) -> list[MergeStep]:
        """Runs one consolidation cycle now. Returns what it promoted, and why it did not promote the rest."""
        with writing(self.context) as to:
            return consolidate(to, self.context.settings["confirm_promotions"], self.context.clock())
