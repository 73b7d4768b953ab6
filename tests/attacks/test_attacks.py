"""A sample of the attacks, the same each time: nothing comes through. `make attacks` goes through all of them."""

from __future__ import annotations

import pytest

from attacks.outcome import DELIVERED
from attacks.planted import CONTROLS as LEARNED
from attacks.planted import KNOWN, through
from attacks.surfaces import CONTROLS, SURFACES

pytestmark = pytest.mark.system

MOST = 3  # texts of each surface: all together less than a minute
SLOW = {
    "printed": 2,
    "on a terminal": 2,
    "fences": 3,
    "bombs": 1,
    "paths as a session's": 2,
    "lines of 50 MB": 2,
    "links": 3,
    "hostile": 4,
    "against": 1,
    "stored by": 4,
}
# what came through once, and that no sample had hit
FOUND = {"bombs in a transcript": ["at_and_dots"], "bombs to import": ["bullets"]}


def sample(surface):
    """A few texts from the whole of both corpora, another few for each surface; and what came through once."""
    texts = surface.texts()
    most = next((count for name, count in SLOW.items() if surface.name.startswith(name)), MOST)
    start = sum(map(ord, surface.name)) % max(1, len(texts) // most)
    few = texts[start :: max(1, len(texts) // most)][:most]
    return list(dict.fromkeys([*few, *FOUND.get(surface.name, ())]))


@pytest.mark.parametrize("surface", SURFACES, ids=lambda surface: surface.name)
def test_nothing_comes_through(tmp_path, surface):
    made = surface.run(tmp_path / "machine", sample(surface))
    assert made.attempts and made.leaks == []


@pytest.mark.parametrize("surface", CONTROLS, ids=lambda surface: surface.name)
def test_what_has_to_come_through_does(tmp_path, surface):
    made = surface.run(tmp_path / "machine", surface.texts())
    assert made.counts[DELIVERED] == made.attempts and not surface.blind(made)


def test_what_the_user_takes_back_is_seen_to_be_told_no_more(tmp_path):
    said = ["We decided to use mirror.acme.example instead of nexus.acme.example as the package index"]
    made = through(tmp_path / "machine", "typed", LEARNED["typed by the user"], said, KNOWN)
    assert made.counts[DELIVERED] == 1 and len(made.leaks) == 3
    assert [KNOWN[0] in leak for leak in made.leaks] == [True, True, False]


def test_the_whole_campaign_is_large_and_mostly_written_without_sight_of_the_defences():
    attempts = sum(len(one.outside) + len(one.inside) for one in SURFACES)
    blind = sum(len(one.outside) for one in SURFACES)
    assert attempts >= 300 and blind >= attempts / 2


def test_each_text_is_tried_somewhere_and_none_is_there_twice():
    for one in SURFACES:
        assert one.texts(), one.name
        assert len(set(one.outside)) == len(one.outside) and len(set(one.inside)) == len(one.inside), one.name
