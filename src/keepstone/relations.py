"""The graph of memories: what hangs together with what, found or drawn by hand. What `Memory` adds to `Upkeep`."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from . import files
from .core import defaults, relate
from .core.errors import NotFound
from .core.model import StoredMemory
from .core.view import RELATIONS, Hit, as_object, edge_object
from .ops import search as search_op
from .ops.explore import Along, edges_in, explore, overview, page, seen, way
from .ops.search import Scope
from .store import graph
from .store.links import unrelated
from .upkeep import Upkeep

if TYPE_CHECKING:
    from .ops.explore import Community, Subgraph
    from .store.reader import Reader


class Relations(Upkeep):
    """What memories are to each other."""

    def _weighed(self, hits: list[Hit]) -> list[Hit]:
        """The same, each with what it is worth now; what has had its time is over, even where no job has seen it."""
        for hit in hits:
            hit.importance = self.policies.importance(hit.memory, self.clock())
            if hit.memory.status == "active" and self.is_over(hit.memory):
                hit.memory.status, hit.memory.status_reason = "deleted", "expired"
        return hits

    def is_over(self, memory: StoredMemory) -> bool:
        """Whether a memory has had its time."""
        return memory.expires_at is not None and memory.expires_at <= self.clock()

    def _weighed_in(self, found: Subgraph) -> Subgraph:
        self._weighed(found.nodes)
        return found

    def relate(self, source: str, target: str, type: str = relate.RELATED_TO, notes: str = "") -> bool:
        """Draws a relationship by hand; whether it is new. Raises BadInput for a type that there is none of, for a
        memory with itself, and for notes that would have to wait for a person's word; NotFound for what is unknown or
        not recalled.
        """
        from .ops.edit import draw
        from .redact import redact

        ends = self._ends(source, target)
        with self._writer() as to:
            return draw(to, ends[0], ends[1], type, notes, self._outside_here(notes), redact=redact, now=self.clock())

    def unrelate(self, one: str, other: str, type: str = "") -> list[str]:
        """Takes the relationships of two memories away, of a type or all; their types. Raises NotFound where there are
        none.
        """
        kind = relate.need_type(type) if type else ""
        ends = [end.id for end in self._ends(one, other)]
        with self._writer() as to:
            with to.transaction() as tx:
                gone = graph.unrelate(tx, ends[0], ends[1], kind, self.clock())
        if not gone:
            raise NotFound("these two have no such relationship", f"keepstone graph related {ends[0][4:10]}")
        return gone

    def _ends(self, one: str, other: str) -> list[StoredMemory]:
        with self._reader() as reader:
            return [reader.get(memory_id) for memory_id in (one, other)]

    @contextmanager
    def _graph(self, everything: bool) -> Iterator[tuple[Reader, Scope]]:
        """The graph with what nobody has looked at yet, as far as that goes at once: else it is the worker's, as it is
        where somebody else writes, and where a page is shown.
        """
        with self._reader() as reader:
            waiting = self.looks and bool(unrelated(reader, 1, self.clock())) and reader.count([])
        if waiting:
            with self._writer() as to:
                self._relate(to, self.clock() + defaults.LOOK_SECONDS)
        with self._reader() as reader:
            root = self.identity.root if self.identity else ""
            yield reader, Scope(reader.project_of(self.identity), everything, root=root)

    def explore(
        self,
        topic: str,
        *,
        depth: int = 1,
        limit: int = defaults.EXPLORE_LIMIT,
        types: Sequence[str] = (),
        least: float = 0.0,
        everything: bool = False,
    ) -> Subgraph:
        """What is known around a topic: what a search finds, and what hangs together with it, by what weighs `least`
        (0..1).
        """
        along = Along([relate.need_type(one) for one in types], least)
        with self._graph(everything) as (reader, scope):
            most = min(limit, defaults.EXPLORE_SEEDS)
            found = search_op.search(reader, topic, scope, most, self.clock(), self._lens)
            seeds = [hit.memory.id for hit in found.found]
            return self._weighed_in(explore(reader, seeds, scope, depth, limit, along, self.clock()))

    def related(
        self,
        memory_id: str,
        *,
        depth: int = 1,
        limit: int = defaults.EXPLORE_LIMIT,
        types: Sequence[str] = (),
        least: float = 0.0,
        everything: bool = False,
    ) -> Subgraph:
        """What hangs together with a memory, by what weighs `least` (0..1). Raises NotFound for one that is of another
        project, is forgotten or waits.
        """
        along = Along([relate.need_type(one) for one in types], least)
        with self._graph(everything) as (reader, scope):
            whole = seen(reader, edges_in(reader, scope, self.clock()), memory_id)
            return self._weighed_in(explore(reader, [whole], scope, depth, limit, along, self.clock()))

    def path(self, source: str, target: str, *, least: float = 0.0, everything: bool = False) -> Subgraph:
        """A shortest way between two memories, by what weighs `least` (0..1); nothing where there is none. Raises
        NotFound for one that is of another project, is forgotten or waits.
        """
        with self._graph(everything) as (reader, scope):
            return self._weighed_in(way(reader, source, target, scope, least, self.clock()))

    def overview(self, *, everything: bool = False) -> list[Community]:
        """The communities of memories, the largest first, as the worker has found them last."""
        with self._graph(everything) as (reader, scope):
            return overview(reader, scope, self.clock())

    def drawing(self, *, everything: bool = False) -> tuple[dict[str, Any], int]:
        """What a page needs to draw the graph, and how many memories there are: it has the newest where those are too
        many.
        """
        with self._graph(everything) as (reader, scope):
            total = page(reader, scope, 1, 0, self.clock()).total
            most = defaults.DRAWN_MEMORIES
            shown = page(reader, scope, most, max(0, total - most), self.clock())
        ids = {hit.memory.id for hit in shown.nodes}
        edges = [edge_object(edge) for edge in shown.edges if edge.target in ids]
        graph = {
            "nodes": [as_object(hit) for hit in shown.nodes],
            "edges": edges,
            "relations": RELATIONS,
            "least": defaults.LINK_SHOWN,
        }
        return graph, total

    def draw(self, path: str, *, everything: bool = False, force: bool = False) -> tuple[int, int]:
        """Writes the graph as a page for a browser; how many memories it shows, and how many there are. Raises BadInput
        for a path that is there already, without `force`.
        """
        from .ops.export import require_place
        from .page import page as drawn

        require_place(path, False, force)
        graph, total = self.drawing(everything=everything)
        files.write(os.path.abspath(path), drawn(graph))
        return len(graph["nodes"]), total

    def graph(self, *, limit: int = defaults.LISTING_LIMIT_MAX, offset: int = 0, everything: bool = False) -> Subgraph:
        """A part of the whole graph."""
        with self._graph(everything) as (reader, scope):
            return self._weighed_in(page(reader, scope, limit, offset, self.clock()))
