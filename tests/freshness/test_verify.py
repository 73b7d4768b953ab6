"""Freshness: a memory is labelled when a file loses what the memory quotes of it, and by nothing else."""

from __future__ import annotations

import pytest

from keepstone import Memory
from keepstone.model.hit import markdown_line

ROUND = "Money is rounded half-even by `round_money` in billing/rounding.py"
LIMIT = "The upload limit is `MAX_UPLOAD` in billing/rounding.py: 20 MB"
PLAIN = "Deploys need the VPN"


@pytest.fixture
def file(machine):
    path = machine.project / "billing" / "rounding.py"
    path.parent.mkdir()
    path.write_text("MAX_UPLOAD = 20\n\n\ndef round_money(amount):\n    ...\n")
    return path


@pytest.fixture
def memory(machine, file):
    made = Memory(str(machine.home), str(machine.project), machine.env)
    for text in (ROUND, LIMIT, PLAIN):
        made.store(text)
    return made


def confidence(memory, text):
    return next(hit.memory.confidence for hit in memory.recent() if hit.memory.content == text)


def test_fifty_unrelated_changes_label_nothing(memory, file):
    for number in range(50):
        file.write_text(file.read_text() + f"# change {number}\n")
    assert "changed since" not in memory.brief().text
    assert memory.maintenance.verify().lost == () and confidence(memory, ROUND) == confidence(memory, PLAIN)


def test_removing_what_is_quoted_labels_exactly_those_and_lowers_confidence_once(memory, file):
    before = confidence(memory, LIMIT)
    file.write_text(file.read_text().replace("MAX_UPLOAD", "UPLOAD_LIMIT"))
    labelled = [line for line in memory.brief().text.split("\n") if "changed since: verify]" in line]
    assert len(labelled) == 1 and LIMIT in labelled[0] and "[billing/rounding.py changed since" in labelled[0]
    assert [file for _, file in memory.maintenance.verify().lost] == [
        "billing/rounding.py"
    ] and memory.maintenance.verify().lost == ()
    assert confidence(memory, LIMIT) == pytest.approx(before - 0.1)
    assert confidence(memory, ROUND) == before
    (found,) = memory.search("upload limit").found  # labelled, not withheld
    assert markdown_line(found).endswith(", billing/rounding.py changed since: verify)")
    assert memory.show(found.memory.id)[0].doubt.file == "billing/rounding.py"
    assert [hit.memory.content for hit in memory.recent() if hit.doubt.file] == [LIMIT]


def test_what_is_back_counts_again(memory, file):
    text, before = file.read_text(), confidence(memory, LIMIT)
    file.write_text("")
    assert len(memory.maintenance.verify().lost) == 2
    file.write_text(text)
    assert len(memory.maintenance.verify().back) == 2 and confidence(memory, LIMIT) == pytest.approx(before)
    assert "changed since" not in memory.brief().text


def test_a_persons_word_takes_the_label_off_and_reading_does_not(machine, memory, file):
    file.write_text("")
    memory.maintenance.verify()
    memory.search("upload limit")
    memory.show(memory.search("upload limit").found[0].memory.id)
    assert machine.sql("SELECT count(verified_at) FROM memory") == [(0,)]
    memory.maintenance.verify([memory.search("upload limit").found[0].memory.id])
    assert machine.sql("SELECT count(verified_at) FROM memory") == [(1,)]
    assert [line for line in memory.brief().text.split("\n") if "changed since" in line and LIMIT in line] == []


def test_a_persons_word_takes_off_that_it_was_rated_outdated(memory):
    memory_id = memory.search("upload limit").found[0].memory.id
    memory.rate(memory_id, "outdated")
    assert memory.show(memory_id)[0].memory.outdated
    memory.maintenance.verify([memory_id])
    assert not memory.show(memory_id)[0].memory.outdated


def test_a_revised_memory_is_tied_to_what_it_says_now(memory, file):
    found = memory.search("upload limit").found[0]
    memory.revise(found.memory.id, "The upload limit is `round_money` in billing/rounding.py")
    file.write_text("def round_money(amount): ...\n")
    assert memory.maintenance.verify().lost == ()


def test_a_file_outside_of_the_project_is_never_read(machine, memory, file):
    secret = machine.root / "secret.py"
    secret.write_text("TOKEN_NAME = 1\n")
    (machine.project / "billing" / "link.py").symlink_to(secret)
    memory.store("The token is `TOKEN_NAME` in billing/link.py")
    assert machine.sql("SELECT count(*) FROM memory_facet WHERE facet = 'anchor' AND value LIKE '%link%'") == [(0,)]
