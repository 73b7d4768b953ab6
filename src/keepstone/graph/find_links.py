"""Finds related memories by what they share. The worker runs it after memories were stored or changed."""

from __future__ import annotations

from collections.abc import Callable
from heapq import nlargest

from ..db.reader import Reader
from ..db.writer import Writer
from ..lib import vector
from ..lib.limits import LINK_COMPARED, RARE_CONCEPT
from ..lib.text import clip, query_terms, title_and_content
from ..model.memory import StoredMemory
from ..model.relationship import Link, link, rarity
from ..recall.choose_matcher import matches_in
from ..recall.embeddings.choose_embedder import QueryVectors
from ..recall.find import find, forms
from ..recall.match_sql import Matches
from . import write_sql
from .candidates_sql import Links, Rarities, unrelated, vectors

# Characters of a memory, and words in these, by which others are found.
LINK_TEXT_CHARS = 400
LINK_TERMS = 24

BATCH = 100  # memories before rarities are counted anew


def relate(
    writer: Writer, reader: Reader, lens: QueryVectors | None, now: Callable[[], float], until: float = float("inf")
) -> int:
    """Links memories that are new or have changed, newest first, until the time is up. Returns the number linked."""
    done = 0
    while now() < until and (waiting := unrelated(reader, BATCH, now())):
        rare, near = Rarities(reader), Nearest(lens)
        kept = 0
        for memory in waiting:
            found = links_of(reader, memory, rare, near, now())
            with writer.transaction() as tx:
                kept += write_sql.keep_links(tx, memory.id, memory.updated_at, found, now())
        done += kept
        if not kept:
            break  # other processes have changed them all meanwhile, and will link them
    return done


def links_of(reader: Reader, memory: StoredMemory, rare: Rarities, near: Nearest, now: float) -> dict[str, Link]:
    """Returns the links of a memory with others in its scope, by their ids, the nearest in time first."""
    links = Links(reader, memory, rare, now)
    matches = matches_in(reader, memory.project_id, False, "", now, hot=True)
    text = clip(title_and_content(memory.title, memory.content), LINK_TEXT_CHARS)
    alike = [other.seq for other, _ in find(matches, text, LINK_COMPARED)]
    cosines = near.compare(matches, links, [*alike, *links.by_facets(), *links.neighbours()])
    cosines.pop(memory.seq, None)
    shared = links.shared(cosines, _telling(matches, text, rare.total))
    nearest = sorted(shared.items(), key=lambda item: item[1].seconds)
    return {other: made for other, one in nearest if (made := link(one))}


def _telling(matches: Matches, text: str, total: int) -> dict[str, float]:
    """Returns the rarity of each word of a text that is rare enough."""
    rarities = {term: rarity(matches.frequency(forms(term)), total) for term in query_terms(text)[:LINK_TERMS]}
    return {term: rare for term, rare in rarities.items() if rare >= RARE_CONCEPT / 2}


class Nearest:
    """Finds memories that are close in meaning. Caches a project's vectors, because reading them takes most of the
    time.
    """

    def __init__(self, lens: QueryVectors | None) -> None:
        self.lens = lens
        self._read: dict[str | None, dict[int, bytes] | None] = {}

    def compare(self, matches: Matches, links: Links, found: list[int]) -> dict[int, float]:
        """Returns the cosines of the memories in `found` (0 if unknown) and of the nearest others, by `seq`."""
        cosines = dict.fromkeys(found, 0.0)
        own = links.vector(self.lens.model) if self.lens else b""
        if self.lens is None or not own:
            return cosines
        asked = vector.unpacked(own)
        known = self._vectors(self.lens, links, len(asked))
        if known is None:
            known = matches.vectors(self.lens.model, len(asked), cosines, self.lens.most)
        alike = dict(zip(known, vector.cosines(asked, known.values()), strict=True))
        nearest = nlargest(LINK_COMPARED, alike, key=lambda seq: (alike[seq], seq))
        return {seq: alike.get(seq, 0.0) for seq in {*cosines, *nearest}}

    def _vectors(self, lens: QueryVectors, links: Links, dims: int) -> dict[int, bytes] | None:
        """Returns the vectors of a project and of user scope, or None if there are too many."""
        project = links.memory.project_id
        if project not in self._read:
            self._read[project] = vectors(links.store, project, lens.model, dims, lens.most, links.now)
        return self._read[project]
