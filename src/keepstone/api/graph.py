"""Explores and edits the graph: the relationships that the worker found or a person drew."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..context import Context
from ..graph import write_sql as graph_sql
from ..graph.candidates_sql import unrelated
from ..graph.draw import draw
from ..graph.explore import Along, Community, Subgraph, edges_in, explore, overview, page, seen, shortest_path
from ..graph.html import page as page_of
from ..lib import files, limits
from ..lib.errors import NotFound
from ..lib.limits import EXPLORE_DEPTH
from ..lifecycle.store_request import untrusted_reason_now
from ..model import relationship
from ..model.hit import as_object, edge_object
from ..model.memory import StoredMemory
from ..model.relationship import RELATIONS
from ..model.scope import Scope
from ..recall import search as search_op
from ..recall.open_embedder import lens_of
from ..redaction.redact import redact
from ..remote.codec import IntRange
from ..remote.protocol import local, remote
from ..transfer.export import require_place
from .common import require_not_waiting, scope_of, weighed, writing

if TYPE_CHECKING:
    from ..db.reader import Reader

DRAWN_MEMORIES = 2_000  # on one page: more are unreadable


class Graph:
    """The relationships between memories."""

    def __init__(self, context: Context) -> None:
        self.context = context

    @remote(answers=bool, text="notes")
    def relate(self, source: str, target: str, type: str = relationship.RELATED_TO, notes: str = "") -> bool:
        """Draws a relationship by hand. Returns whether it is new. Raises BadInput for an unknown type, for a memory
        with itself, for notes that need review, and if a session's model names one that waits for review; NotFound for
        a memory that is unknown or not recalled.
        """
        require_not_waiting(self.context, (source, target))
        outside = untrusted_reason_now(self.context, notes)
        ends = self._ends(source, target)
        with writing(self.context) as to:
            return draw(to, ends[0], ends[1], type, notes, outside, redact=redact, now=self.context.clock())

    @remote(answers=list[str])
    def unrelate(self, one: str, other: str, type: str = "") -> list[str]:
        """Removes the relationships of two memories, of a type or all. Returns their types. Raises NotFound if there
        are none.
        """
        require_not_waiting(self.context, (one, other))
        kind = relationship.require_type(type) if type else ""
        ends = [end.id for end in self._ends(one, other)]
        with writing(self.context) as to, to.transaction() as tx:
            gone = graph_sql.unrelate(tx, ends[0], ends[1], kind, self.context.clock())
        if not gone:
            raise NotFound("these two have no such relationship", f"keepstone graph related {ends[0][4:10]}")
        return gone

    def _ends(self, one: str, other: str) -> list[StoredMemory]:
        with self.context.reader() as reader:
            return [reader.get(memory_id) for memory_id in (one, other)]

    @contextmanager
    def _graph(self, everything: bool) -> Iterator[tuple[Reader, Scope]]:
        """Opens the graph, linking new memories first for at most LOOK_SECONDS. If another process is writing, or a
        page is shown, the worker links them later.
        """
        context = self.context
        with context.reader() as reader:
            pending = context.link_before_read and bool(unrelated(reader, 1, context.clock())) and reader.count([])
        if pending:
            from ..jobs.run import link  # slow to import, and not needed for reading

            with writing(context) as to:
                link(context, to, context.clock() + limits.LOOK_SECONDS)
        with context.reader() as reader:
            yield reader, scope_of(context, reader, None, everything)

    @remote(answers=Subgraph, takes={"depth": IntRange(1, EXPLORE_DEPTH)})
    def explore(
        self,
        topic: str,
        *,
        depth: int = 1,
        limit: int = limits.EXPLORE_LIMIT,
        types: Sequence[str] = (),
        min_weight: float = 0.0,
        everything: bool = False,
    ) -> Subgraph:
        """Returns what is known around a topic: what a search finds and what is related to it, by relationships of at
        least the weight `min_weight` (0..1).
        """
        along = Along([relationship.require_type(one) for one in types], min_weight)
        with self._graph(everything) as (reader, scope):
            most = min(limit, limits.EXPLORE_SEEDS)
            found = search_op.search(reader, topic, scope, most, self.context.clock(), lens_of(self.context))
            seeds = [hit.memory.id for hit in found.found]
            return self._weighed(explore(reader, seeds, scope, depth, limit, along, self.context.clock()))

    @remote(answers=Subgraph, takes={"depth": IntRange(1, EXPLORE_DEPTH)})
    def related(
        self,
        memory_id: str,
        *,
        depth: int = 1,
        limit: int = limits.EXPLORE_LIMIT,
        types: Sequence[str] = (),
        min_weight: float = 0.0,
        everything: bool = False,
    ) -> Subgraph:
        """Returns what is related to a memory, by relationships of at least the weight `min_weight` (0..1). Raises
        NotFound for a memory of another project, and for one that is forgotten or waits for review.
        """
        along = Along([relationship.require_type(one) for one in types], min_weight)
        with self._graph(everything) as (reader, scope):
            whole = seen(reader, edges_in(reader, scope, self.context.clock()), memory_id)
            return self._weighed(explore(reader, [whole], scope, depth, limit, along, self.context.clock()))

    @remote(answers=Subgraph)
    def path(self, source: str, target: str, *, min_weight: float = 0.0, everything: bool = False) -> Subgraph:
        """Returns a shortest path between two memories, by relationships of at least the weight `min_weight` (0..1); it
        is empty if there is none. Raises NotFound for a memory of another project, and for one that is forgotten or
        waits for review.
        """
        with self._graph(everything) as (reader, scope):
            return self._weighed(shortest_path(reader, source, target, scope, min_weight, self.context.clock()))

    @remote(answers=list[Community])
    def overview(self, *, everything: bool = False) -> list[Community]:
        """Returns the communities of memories, largest first, as the worker last computed them."""
        with self._graph(everything) as (reader, scope):
            return overview(reader, scope, self.context.clock())

    @remote(answers=tuple[dict[str, Any], int])
    def drawing(self, *, everything: bool = False) -> tuple[dict[str, Any], int]:
        """Returns the data for drawing the graph, and the number of memories. If there are too many, only the newest
        are included.
        """
        with self._graph(everything) as (reader, scope):
            total = page(reader, scope, 1, 0, self.context.clock()).total
            most = DRAWN_MEMORIES
            shown = page(reader, scope, most, max(0, total - most), self.context.clock())
        ids = {hit.memory.id for hit in shown.nodes}
        edges = [edge_object(edge) for edge in shown.edges if edge.target in ids]
        graph = {
            "nodes": [as_object(hit) for hit in shown.nodes],
            "edges": edges,
            "relations": RELATIONS,
            "least": limits.LINK_SHOWN,
        }
        return graph, total

    @local(about_client=True)
    def draw(self, path: str, *, everything: bool = False, force: bool = False) -> tuple[int, int]:
        """Writes the graph as a page for a browser. Returns the number of memories that it shows, and of all. Raises
        BadInput if the path exists and `force` is false.
        """
        require_place(path, False, force)
        graph, total = self.drawing(everything=everything)
        files.write(os.path.abspath(path), page_of(graph))
        return len(graph["nodes"]), total

    @remote(answers=Subgraph)
    def graph(self, *, limit: int = limits.LISTING_LIMIT_MAX, offset: int = 0, everything: bool = False) -> Subgraph:
        """Returns a page of the whole graph: up to `limit` memories after the first `offset`."""
        with self._graph(everything) as (reader, scope):
            return self._weighed(page(reader, scope, limit, offset, self.context.clock()))

    def _weighed(self, found: Subgraph) -> Subgraph:
        weighed(self.context, found.nodes)
        return found
