"""Finding by words and by meaning, in one scope, on a real store; and why something is found or not."""

from __future__ import annotations

from pathlib import Path

import pytest

import engines
from keepstone import Memory
from keepstone.config import runtime
from keepstone.db.writer import Writer
from keepstone.lib.errors import BadInput, KeepstoneError
from keepstone.lib.fuzzy import ratio
from keepstone.lib.vector import packed
from keepstone.recall.embeddings.fill_vectors import fill

pytestmark = pytest.mark.engine

SAID = (
    "PostgreSQL for billing: row-level security",
    "Deploys need the VPN: the registry is internal",
    "pnpm only, never npm: CI caches its store",
    "Retry failed jobs with exponential backoff",
    "The mail templates live in services/mail",
)


@pytest.fixture
def memory(machine):
    made = Memory(str(machine.home), str(machine.project), machine.env)
    for text in SAID:
        made.store(text)
    return made


def texts(found):
    return [hit.memory.content for hit in found.found]


def test_a_vector_is_there_when_store_returns_and_follows_the_text(machine, memory):
    (row, _) = memory.store("Logs go to Loki")
    assert machine.sql(f"SELECT model, dims, length(data) FROM vector WHERE memory_id = '{row.memory.id}'") == [
        ("wordllama-256", 256, 260)
    ]
    before = machine.sql(f"SELECT data FROM vector WHERE memory_id = '{row.memory.id}'")
    memory.revise(row.memory.id, "Metrics go to Prometheus")
    after = machine.sql(f"SELECT data FROM vector WHERE memory_id = '{row.memory.id}'")
    assert len(after) == 1 and after != before
    memory.pin(row.memory.id)
    assert machine.sql(f"SELECT data FROM vector WHERE memory_id = '{row.memory.id}'") == after


def test_a_paraphrase_is_found_by_its_meaning_and_nothing_where_nothing_fits(memory):
    assert texts(memory.search("which SQL server"))[:1] == [SAID[0]]
    assert texts(memory.search("lunch menu")) == []


def test_words_come_before_meaning_where_they_say_it(memory):
    assert texts(memory.search("backoff of jobs that fail"))[0] == SAID[3]
    assert texts(memory.search("vpn"))[0] == SAID[1]


def test_without_vectors_words_find_as_before(machine):
    plain = Memory(str(machine.home), str(machine.project), machine.env | {"KEEPSTONE_EMBEDDER": "off"})
    for text in SAID:
        plain.store(text)
    assert machine.sql("SELECT count(*) FROM vector") == [(0,)]
    assert texts(plain.search("vpn registry")) == [SAID[1]] and texts(plain.search("which SQL server")) == []


def test_meaning_crosses_no_border_either(machine, memory):
    elsewhere = machine.root / "elsewhere"
    elsewhere.mkdir()
    other = Memory(str(machine.home), str(elsewhere), machine.env)
    other.store("MySQL for the shop: it was there")
    assert texts(other.search("which SQL server")) == ["MySQL for the shop: it was there"]
    assert "MySQL for the shop: it was there" not in texts(memory.search("which SQL server"))
    kept = memory.search("which SQL server").found[0].memory.id
    memory.forget(kept)
    assert texts(memory.search("which SQL server")) == []
    memory.restore(kept)
    assert texts(memory.search("which SQL server"))[:1] == [SAID[0]]


def test_what_stands_beside_it_in_its_session_helps_to_find_it(sessions):
    sessions.say(
        "We decided to use Terraform for the cluster",
        "We decided to keep the state file in the eu-west bucket",
    )
    sessions.say("We decided to keep the avatars in the public bucket")
    found = texts(sessions.memory.search("bucket of terraform"))
    assert "eu-west" in next(text for text in found if "bucket" in text)


def test_a_day_in_words_finds_what_was_said_then(sessions):
    sessions.say("We decided to use Terraform for the cluster", day="2026-11-08")
    sessions.say("We decided to use Helm for the charts", day="2026-10-03")
    assert "Helm" in texts(sessions.memory.search("what did we decide on October 3"))[0]


def test_a_tag_that_is_named_comes_first(memory):
    memory.store("Releases happen on Tuesdays", tags=["mobile"])
    memory.store("Releases happen on Thursdays", tags=["desktop"])
    assert texts(memory.search("releases mobile"))[0] == "Releases happen on Tuesdays"


def test_vectors_of_another_model_are_never_compared(machine, memory):
    engines.rows(machine.database, "UPDATE vector SET model = 'another', data = ?", (packed([1.0] * 256),))
    assert texts(memory.search("which SQL server")) == []
    engines.rows(machine.database, "UPDATE vector SET model = 'wordllama-256', data = ?", (packed([1.0] * 96),))
    assert texts(memory.search("which SQL server")) == []
    assert memory.maintenance.reindex()[0] == len(SAID)
    assert texts(memory.search("which SQL server"))[:1] == [SAID[0]]
    assert machine.sql("SELECT DISTINCT model, length(data) FROM vector") == [("wordllama-256", 260)]


def test_why_says_what_a_search_saw(machine, memory):
    ids = {hit.memory.content: hit.memory.id for hit in memory.recent()}
    told = memory.lifecycle.why(ids[SAID[1]], "the registry behind a vpn")
    assert (told.place, told.words, told.state) == (1, ("registry", "vpn"), "") and told.own > 0
    assert told.cosine > 0.3
    far = memory.lifecycle.why(ids[SAID[1]], "lunch menu")
    assert (far.place, far.words) == (0, ()) and far.cosine < 0.3
    memory.forget(ids[SAID[1]])
    assert memory.lifecycle.why(ids[SAID[1]], "vpn").state == "forgotten"
    with pytest.raises(BadInput):
        memory.lifecycle.why("not an id", "vpn")
    assert "meaning: " in machine.keepstone("why", ids[SAID[0]], "--query", "which SQL server").stdout
    assert "Never found: it is forgotten." in machine.keepstone("why", ids[SAID[1]], "--query", "vpn").stdout


def test_words_are_counted_anew_when_the_store_has_doubled(machine, memory):
    counted = Path(runtime.weights_file(str(machine.home), machine.env))
    assert not counted.exists()
    memory.maintenance.work(wait=True)
    first = counted.read_bytes()
    assert int.from_bytes(first[:4], "little") == len(SAID)
    memory.store("One more")
    memory.maintenance.work(wait=True)
    assert counted.read_bytes() == first
    for number in range(len(SAID)):
        memory.store(f"Another fact, of the {number}th chapter of the manual about {SAID[number]}")
    memory.maintenance.work(wait=True)
    assert int.from_bytes(counted.read_bytes()[:4], "little") == 2 * len(SAID) + 1
    assert machine.sql("SELECT count(*) FROM vector") == [(2 * len(SAID) + 1,)]


class Broken:
    """An embedder of our own Protocol whose server is down after the first call."""

    model, dims = "broken", 2

    def __init__(self):
        self.calls = 0

    def vectors(self, texts):
        self.calls += 1
        if self.calls > 1:
            raise KeepstoneError("it is down")
        return [[0.6, 0.8] if number else None for number in range(len(texts))]


def test_what_an_embedder_gave_before_it_failed_is_kept(machine, memory):
    writer, broken = Writer(machine.database, ratio), Broken()
    assert fill(writer, broken) == len(SAID)
    memory.store("Logs go to Loki")
    with pytest.raises(KeepstoneError):
        fill(writer, broken)
    rows = machine.sql("SELECT data FROM vector WHERE model = 'broken' ORDER BY length(data)")
    assert rows == [(b"",), *[(packed([0.6, 0.8]),)] * (len(SAID) - 1)]
    writer.close()


def test_an_embedder_that_is_down_stops_neither_storing_nor_searching(machine, memory):
    down = machine.env | {
        "KEEPSTONE_EMBEDDER": "endpoint",
        "KEEPSTONE_EMBEDDER_URL": "http://127.0.0.1:9/v1",
        "KEEPSTONE_EMBEDDER_MODEL": "small",
    }
    there = Memory(str(machine.home), str(machine.project), down)
    there.store("Logs go to Loki")
    assert texts(there.search("loki")) == ["Logs go to Loki"]
    assert "vectors wait" in (machine.home / "logs" / "worker.log").read_text()


def test_doctor_says_what_searches_go_by(machine, memory):
    def search(**env):
        checks = Memory(str(machine.home), str(machine.project), machine.env | env).maintenance.doctor()
        return next((check.state, check.says) for check in checks if check.name == "search")

    assert search() == ("ok", "by words and meaning (wordllama-256)")
    assert search(KEEPSTONE_EMBEDDER="off") == ("ok", "by words")
    state, says = search(KEEPSTONE_EMBEDDER="endpoint")
    assert state == "warn" and says.startswith("by words alone; endpoint: ")
    there = Memory(str(machine.home), str(machine.project), machine.env | {"KEEPSTONE_EMBEDDER": "endpoint"})
    assert texts(there.search("vpn")) == [SAID[1]]
    with pytest.raises(KeepstoneError, match="no vectors"):
        there.maintenance.reindex()


@pytest.mark.of_files
def test_in_a_store_of_many_vectors_only_what_words_find_is_compared(machine, memory):
    machine.sql(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= 20000) "
        "INSERT INTO vector SELECT 'mem-' || i, 'another', 1, x'00' FROM n"
    )
    assert texts(memory.search("which SQL server")) == []
    ids = {hit.memory.content: hit.memory.id for hit in memory.recent()}
    assert memory.lifecycle.why(ids[SAID[1]], "vpn for deploys").cosine > 0.3
    assert memory.lifecycle.why(ids[SAID[0]], "vpn for deploys").cosine is None
