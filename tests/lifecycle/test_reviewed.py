"""What reviewers broke once, and must not break again."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import asdict, replace

import pytest

import engines
from builders import candidate
from keepstone import Memory
from keepstone.capture import commit_sql, observations_sql, session_end_sql
from keepstone.capture.commit_sql import WindowExtras
from keepstone.claude_code.observation import Observation, Observed
from keepstone.db import sessions
from keepstone.db.writer import Writer
from keepstone.language.quotation import ERASED
from keepstone.lib.errors import BadInput, StateError
from keepstone.lib.fuzzy import ratio
from keepstone.lifecycle import add_sql
from keepstone.lifecycle.add_sql import Origin
from keepstone.model.cursor import Cursor
from keepstone.model.tiers import DAY
from living import World, holding

pytestmark = pytest.mark.engine


@pytest.fixture
def world(machine):
    return World(machine)


def test_a_note_of_capture_that_somebody_touched_dies_with_its_session_or_stays_pinned(world):
    guess = candidate("Perhaps the proxy is squid 6", tier="working")
    for number, touch in enumerate(("forget", "pin", "rate")):
        with closing(Writer(world.path, ratio)) as writer, writer.transaction() as tx:
            project = sessions.project(tx, world.memory.context.caller.identity, "", world.now)
            origin = Origin("hook", project, f"s-{number}")
            made = replace(guess, content=f"{guess.content}.{number}", record_uuid=f"r-{number}")
            memory_id = add_sql.store(tx, origin, made, (), f"seed-{number}", world.now)[0]
        if touch == "rate":
            world.memory.rate(memory_id, "up", "yes")
        else:
            {"forget": world.memory.forget, "pin": world.memory.pin}[touch](memory_id)
        world.memory.sessions.end_session(f"s-{number}")
    assert world.states("tier, pinned") == [("episodic", 1)]


def test_the_notes_of_a_session_are_summed_up_in_the_order_of_time_with_a_name(world):
    said = ["The parser is half done", "The lexer keeps the line breaks", "The printer is next"]
    for number in (2, 0, 1):
        with closing(Writer(world.path, ratio)) as writer, writer.transaction() as tx:
            project = sessions.project(tx, world.memory.context.caller.identity, "", world.now)
            made = candidate(said[number], record=f"r-{number}", tier="working")
            origin = Origin("manual", project, "s-1")
            add_sql.store(tx, origin, made, (), f"seed-{number}", world.now + number)
    world.now += 60
    world.memory.sessions.end_session("s-1")
    ((title, content),) = world.machine.sql("SELECT title, content FROM memory WHERE kind = 'summary'")
    assert title.startswith("Session of 20") and ": The parser is half done; The lexer keeps the" in title
    assert [line.partition(": ")[2] for line in content.split("\n")[1:]] == said
    assert content.startswith("Noted in the session of 20") and "same session" not in title + content


def test_a_persons_end_holds_and_a_pin_or_a_persons_word_lifts_the_machines(world):
    timed, _ = world.memory.store("The demo box is at host42:8080", kind="solution", ttl="1h")
    pinned = world.learn("The alpha proxy drops idle connections", relevance=0.1)
    stated = world.learn("Bravo deploys need the VPN", relevance=0.1)
    world.memory.pin(pinned)
    world.memory.store("Bravo deploys need the VPN", kind="general")
    world.memory.maintenance.maintain()
    world.memory.lifecycle.promote(timed.memory.id)
    assert world.states("expires_at")[0] == (timed.memory.expires_at,) != (None,)
    world.now += 40 * DAY
    world.memory.maintenance.maintain()
    assert world.states("id, status") == [(timed.memory.id, "deleted"), (pinned, "active"), (stated, "active")]


@pytest.mark.parametrize("touch", ["rate", "forget", "sweep"])
def test_damage_is_not_sealed_by_what_comes_after(world, touch):
    memory_id = world.learn("We decided to call the release Zanzibar", relevance=0.1)
    with engines.opened(world.path) as database:
        database.execute("UPDATE memory SET content = 'We decided to call the release Tanzania'")
    if touch == "sweep":
        world.now += 40 * DAY
        world.memory.maintenance.maintain()
    elif touch == "rate":
        world.memory.rate(memory_id, "outdated")
    else:
        world.memory.forget(memory_id)
    (digests,) = [check for check in world.memory.maintenance.doctor() if check.name == "digests"]
    assert digests.state == "fail" and memory_id in digests.says


def test_what_is_restored_is_not_evicted_again(machine):
    world = World(machine, episodic=2)
    ids = [world.learn(f"The {word} proxy was rebooted", relevance=0.1) for word in ("alpha", "bravo")]
    world.now += 2 * DAY
    world.learn("The charlie deploy needs the VPN")
    (gone,) = [one for one in ids if (one, "deleted") in world.states("id, status")]
    world.memory.restore(gone)
    world.memory.maintenance.maintain()
    assert (gone, "active") in world.states("id, status")


def test_a_session_is_undone_with_its_ratings_texts_tiers_and_pins(world):
    memory_id = world.learn("The alpha proxy drops idle connections")
    gone = world.learn("Bravo deploys need the VPN")
    before = world.states("id, content, tier, pinned, up_votes, down_votes, confidence, status, use_count")
    session = Memory(
        str(world.machine.home),
        str(world.machine.project),
        {**world.machine.env, "KEEPSTONE_SESSION_ID": "s-9", "KEEPSTONE_TYPED": "1"},
        lambda: world.now,
        world.policies,
    )
    for step in (
        lambda: session.revise(memory_id, "The alpha proxy drops nothing"),
        lambda: session.lifecycle.promote(memory_id),
        lambda: session.pin(memory_id),
        lambda: session.rate(memory_id, "outdated", "it was replaced"),
        lambda: session.forget(gone),
    ):
        world.now += 60
        step()
    assert {what for what, _ in world.memory.history.diff("s-9").changes} == {
        "revise",
        "promote",
        "pin",
        "rate outdated",
        "forget",
    }
    world.now += 60
    done = world.memory.history.undo("s-9")
    assert (set(done.reverted), done.unrated, done.revived) == ({memory_id}, [memory_id], [gone])
    after = world.states("id, content, tier, pinned, up_votes, down_votes, round(confidence, 6), status, use_count")
    assert after == before
    assert not any(asdict(world.memory.history.undo("s-9")).values())


def test_a_session_is_undone_with_what_it_drew_and_took_away_in_the_graph(world):
    one, two, three = (
        world.learn(text) for text in ("The alpha proxy drops idle", "Bravo needs the VPN", "Charlie is gone")
    )
    world.memory.graph.relate(one, two, "caused_by", "as ann found")
    edges = "SELECT source_id, target_id, type, method, weight FROM relationship WHERE method = 'manual' ORDER BY 1, 2"
    before = world.machine.sql(edges)
    environ = {**world.machine.env, "KEEPSTONE_SESSION_ID": "s-9", "KEEPSTONE_TYPED": "1"}
    session = Memory(str(world.machine.home), str(world.machine.project), environ, lambda: world.now, world.policies)
    world.now += 60
    session.graph.unrelate(one, two)
    session.graph.relate(one, three, "depends_on")
    assert [what for what, _ in world.memory.history.diff("s-9").changes] == ["unrelate", "relate"]
    world.now += 60
    assert world.memory.history.undo("s-9").reconnected == [one, one]
    assert world.machine.sql(edges) == before
    assert not any(asdict(world.memory.history.undo("s-9")).values())


@pytest.mark.of_files
def test_a_wrong_clock_and_a_second_copy_do_not_spoil_the_schedule(world):
    world.now += 3_650 * DAY
    world.memory.maintenance.work(wait=True)
    world.now -= 3_650 * DAY
    world.memory.maintenance.work(wait=True)
    assert all(job.due_at < world.now + 2 * DAY for job, _ in world.memory.maintenance.jobs())
    (copy,) = [path for path in (world.machine.home / "backups").iterdir() if "2027" in path.name]
    made = copy.read_bytes()
    world.memory.store("A later thought about the proxy")
    world.memory.maintenance.maintain()
    assert copy.read_bytes() == made


def test_common_words_are_no_quotation(world):
    """Erasing with everything that quotes must not take what only sounds alike."""
    ids = [world.learn("Zanzibar ships at the end of the quarter"), world.learn("Use pnpm")]
    world.learn("Backups rotate at the end of the day. Keep seven of them")
    world.learn("Jo said that we use pnpm for the shop")
    assert world.memory.privacy.quoting(ids) == []
    world.memory.privacy.erase(ids, cascade=True)
    assert [text for (text,) in world.states("content")] == [
        "Backups rotate at the end of the day. Keep seven of them",
        "Jo said that we use pnpm for the shop",
    ]


def test_text_that_json_escapes_is_found_in_the_spool(world):
    memory_id = world.learn("Мы назвали выпуск Занзибар потому что отдел хочет остров")
    aside = world.machine.home / "spool" / "aside"
    aside.mkdir(parents=True)
    (aside / "1-observe").write_text(json.dumps({"said": "Мы назвали выпуск Занзибар потому что отдел хочет остров"}))
    assert world.memory.privacy.erase([memory_id]).problems == [] and (aside / "1-observe").read_text() == ""


def test_a_file_that_can_not_be_cleaned_keeps_the_rows_until_it_can(world):
    memory_id = world.learn("We decided to call the release Zanzibar")
    logs = world.machine.home / "logs"
    logs.mkdir(exist_ok=True)
    log = logs / "worker.log"
    log.write_text("said: We decided to call the release Zanzibar\n")
    held = logs / "held.log"
    held.symlink_to(held)
    assert world.memory.privacy.erase([memory_id]).problems and world.states("id") == [(memory_id,)]
    held.unlink()
    assert world.memory.privacy.erase([memory_id]).problems == [] and world.states("id") == []
    assert "Zanzibar" not in log.read_text()


def test_a_summary_that_says_what_was_erased_is_not_made_again(world):
    said = "We decided to call the release Zanzibar because marketing wants an island"
    memory_id = world.learn(said)
    world.memory.privacy.erase([memory_id])
    with closing(Writer(world.path, ratio)) as writer, writer.transaction() as tx:
        made = candidate(f"Asked: {said}", "summary", record="r-1")
        assert session_end_sql.summarise(tx, Origin("hook", None, "s-1"), made, [], world.now) is None
        other = candidate("Asked: to mend the proxy", "summary", record="r-2")
        assert session_end_sql.summarise(tx, Origin("hook", None, "s-1"), other, [], world.now)


JAPANESE = "本番のデータベースの移行は必ず二段階で行う。障害の再発を防ぐため"


def test_a_script_without_spaces_is_quoted_by_its_signs(world):
    memory_id = world.learn(JAPANESE)
    quoting = world.learn("議事録: 本番のデータベースの移行は必ず二段階で行うこと、と合意した", kind="summary")
    world.learn("データベースのマイグレーションは週末に実行する")
    assert [hit.memory.id for hit in world.memory.privacy.quoting([memory_id])] == [quoting]
    world.memory.privacy.erase([memory_id], cascade=True)
    assert len(world.states()) == 1 and holding(world.machine.home, "二段階で行") == []


def test_tags_and_files_of_others_that_hold_it_go_with_it(world):
    memory_id = world.learn("Never restart the billing proxy before noon")
    world.memory.store("The proxy is squid 6", tags=["never restart the billing proxy before noon", "squid"])
    world.memory.privacy.erase([memory_id])
    assert world.machine.sql("SELECT value FROM memory_facet WHERE facet = 'tag'") == [("squid",)]
    assert holding(world.machine.home, "before noon") == []


def test_what_was_said_before_an_erasure_does_not_come_back_and_what_is_said_anew_does(world):
    said = "Never restart the billing proxy before noon"
    memory_id = world.learn(said)
    world.now += 60
    world.memory.privacy.erase([memory_id])
    old, new = world.now - 1, world.now + 1
    quoting = f"Jo repeats: {said}, and calls him first. The pager is in the top drawer"
    observed = Observed(tuple(_observation(f"call-{at}", said, at) for at in (old, new)))
    with closing(Writer(world.path, ratio)) as writer, writer.transaction() as tx:
        sessions.note_session(tx, "s-2", project_id=None, transcript_path="", cwd="", branch="", now=old)
        made = [candidate(quoting, record=f"r-{at}", said_at=at) for at in (old, new)]
        pager = candidate("The pager is in the top drawer", record="r-3", excerpt=quoting, said_at=old)
        extras = WindowExtras((), observed)
        new_ids, _ = commit_sql.capture(
            tx, Origin("hook", None, "s-2"), [*made, pager], Cursor(), Cursor(), new, extras
        )
        rows = observations_sql.observations(tx, "s-2")
    assert len(new_ids) == 2 and [row.call_id for row in rows] == [f"call-{new}"]
    excerpts = world.machine.sql("SELECT excerpt FROM evidence ORDER BY seq")
    assert excerpts == [(quoting,), (f"{ERASED} The pager is in the top drawer",)]


def _observation(call_id: str, reasoning: str, at: float) -> Observation:
    return Observation(call_id, "Bash", "ls", (), "ok", reasoning, call_id, 0, at)


def test_what_was_merged_or_trusted_later_was_not_known_before(world):
    ids = [world.learn(f"The {word} proxy is squid 6", kind="fact") for word in ("alpha", "bravo")]
    waiting = world.learn("The proxy of the shop is nginx", kind="fact", suspect="read on the web")
    before = world.now
    world.now += DAY
    world.memory.review.merge(ids, "The alpha proxy and the bravo proxy are squid 6")
    world.memory.review.trust(waiting)
    assert {hit.memory.id for hit in world.memory.history.as_of("proxy", before)} == set(ids)
    assert len(world.memory.history.as_of("proxy", world.now)) == 2


def test_what_is_said_again_was_known_all_the_time(world):
    first = {"method": "user", "said_at": world.now}
    old = world.learn("We use PostgreSQL for billing", kind="decision", **first)
    world.now += DAY
    world.learn("We use MySQL for billing instead of PostgreSQL", kind="decision", method="user", said_at=world.now)
    world.now += DAY
    world.learn("We use PostgreSQL for billing", kind="decision", method="user", said_at=world.now)
    (held,) = [row for row in world.states("id, status, created_at") if row[0] == old]
    assert held == (old, "active", world.now)
    assert [hit.memory.id for hit in world.memory.history.as_of("PostgreSQL billing", world.now - 2 * DAY + 1)] == [old]


def test_undoing_gives_back_the_end_the_check_and_the_sleep(world):
    asleep = world.learn("The demo box runs Debian", relevance=0.1)
    moved = world.learn("Bravo deploys need the VPN", relevance=0.1)
    world.now += 40 * DAY
    world.memory.maintenance.maintain()
    world.memory.restore(moved)
    columns = "id, status, status_reason, tier, expires_at, verified_at, confidence, origin"
    before = world.states(columns)
    world.now += DAY
    with closing(Writer(world.path, ratio)) as writer, writer.transaction() as tx:
        again = candidate("The demo box runs Debian", "general", record="r-9", said_at=world.now)
        project = sessions.project(tx, world.memory.context.caller.identity, "", world.now)
        commit_sql.conclude(tx, Origin("hook", project, "s-9"), [again], None, False, world.now)
    assert world.states("status")[0] == ("active",)
    environ = {**world.machine.env, "KEEPSTONE_SESSION_ID": "s-9", "KEEPSTONE_TYPED": "1"}
    session = Memory(str(world.machine.home), str(world.machine.project), environ, lambda: world.now, world.policies)
    session.lifecycle.promote(moved)
    session.store("Bravo deploys need the VPN", kind="general")
    assert world.states(columns) != before
    world.now += 60
    assert set(world.memory.history.undo("s-9").weakened) == {asleep, moved}
    assert world.states(columns) == before


def test_taking_a_merging_back_keeps_the_caps_and_the_label(machine):
    world = World(machine, semantic=3)
    ids = [world.learn(f"The {word} proxy is squid 6", kind="fact") for word in ("alpha", "bravo")]
    world.memory.rate(ids[0], "outdated")
    made = world.memory.review.merge(ids, "The alpha proxy and the bravo proxy are squid 6")
    others = [world.learn(f"The {word} registry is full", kind="fact") for word in ("charlie", "delta")]
    world.now += 2 * DAY
    world.memory.review.unmerge(made.memory.id)
    assert len(world.active("semantic")) == 3 and others
    (label,) = [reason for one, reason in world.states("id, status_reason") if one == ids[0]]
    assert label in ("outdated", "evicted")


def test_what_has_had_its_time_is_over_before_the_job_has_seen_it(world):
    timed, _ = world.memory.store("The demo box is at host42", ttl="1h")
    other, _ = world.memory.store("The demo box is at host42:8080 behind the proxy")
    world.now += 7200
    hit, _, _ = world.memory.history.history(timed.memory.id)
    assert (hit.memory.status, hit.memory.status_reason) == ("deleted", "expired")
    assert world.memory.get([timed.memory.id])[0].memory.status == "deleted"
    with pytest.raises(StateError, match="only active"):
        world.memory.review.merge([timed.memory.id, other.memory.id])
    with pytest.raises(BadInput, match="either after a time"):
        world.memory.store("Neither", ttl="1h", until="7d")


def test_a_review_is_gone_through_by_letters_and_leaves_its_trail(machine):
    world = World(machine)
    for word in ("alpha", "bravo", "charlie", "delta"):
        world.learn(f"The {word} proxy is squid 6", kind="fact", suspect="read on the web")
    code, screen = machine.terminal(["review"], ["n", "s", "a", "y", "y"])  # none is trusted unseen
    assert code == 0 and "turns it down for good" in screen and "2 accepted, 1 rejected, 1 left." in screen, screen
    assert [entry.op for entry in world.memory.history.audit(actor="person")] == ["trust", "trust", "reject", "forget"]
    code, screen = machine.terminal(["review"], ["q"])
    assert code == 0 and "0 accepted, 0 rejected, 1 left." in screen


@pytest.mark.of_files
def test_why_it_was_rated_so_can_be_read_again_and_when_it_ends_is_said(machine):
    stored = machine.keepstone("store", "The demo box is at host42", "--ttl", "12h").stdout
    (row,) = machine.memories()
    assert "It ends on 20" in stored and " UTC" in stored and row["expires_at"]
    machine.keepstone("rate", row["id"], "down", "--note", "it was switched off")
    shown = machine.keepstone("show", row["id"]).stdout
    assert "down: it was switched off" in shown and "- ends: " in shown
    copied = machine.keepstone("backup", "--json").stdout
    assert machine.keepstone("restore-backup", json.loads(copied)["path"], "--yes").returncode == 0


def test_what_a_person_stored_is_taken_back_by_plain_words_only_and_that_is_said(machine):
    for place in ("Python", "Go"):
        machine.keepstone("store", "--type", "preference", f"I prefer spaces in {place} files")
    assert len(machine.memories()) == 2
    said = machine.keepstone("store", "--type", "preference", "We no longer prefer spaces in Python files").stdout
    assert "That takes back: I prefer spaces in Python files (keepstone restore " in said
    (gone,) = json.loads(machine.keepstone("recent", "--archived", "--json").stdout)
    back = machine.keepstone("restore", str(gone["id"]))
    assert back.stdout.startswith("Restored.") and "superseded" not in machine.keepstone("show", str(gone["id"])).stdout
    again = machine.keepstone("restore", str(gone["id"]), ok=False)
    assert (again.returncode, again.stderr.splitlines()[0]) == (1, f"Error: {gone['id']} is active already")


def test_a_persons_end_outlives_a_forgetting_and_one_that_is_past_does_not(world):
    hit, _ = world.memory.store("Staging is down", ttl="2h")
    world.memory.forget(hit.memory.id)
    assert world.memory.restore(hit.memory.id).memory.expires_at == world.now + 7_200
    world.now += DAY
    assert [one.memory.id for one in world.memory.recent(which="forgotten")] == [hit.memory.id]
    assert world.memory.restore(hit.memory.id).memory.expires_at is None


def test_what_went_into_another_is_restored_by_taking_the_merging_back(world):
    ids = [world.memory.store(text)[0].memory.id for text in ("The proxy is squid", "Exports run at night")]
    made = world.memory.review.merge(ids)
    with pytest.raises(StateError, match=f"went into {made.memory.id}"):
        world.memory.restore(ids[0])
    world.memory.forget(made.memory.id)
    assert world.memory.restore(ids[0]).memory.status == "active"


def test_everything_everywhere_is_no_filter(machine):
    machine.store("The registry is at vega.internal")
    for verb in ("forget", "erase"):
        refused = machine.keepstone(verb, "--everywhere", "--yes", ok=False)
        assert refused.returncode == 2 and "--everywhere takes --tag" in refused.stderr
    assert len(machine.memories()) == 1


@pytest.mark.parametrize("more", [["--type", "decision"], ["--tag", "x"], ["--tier", "episodic"], ["--since", "7d"]])
def test_an_earlier_day_takes_no_filter_that_it_would_not_heed(machine, more):
    machine.store("The registry is at vega.internal")
    refused = machine.keepstone("search", "registry", "--as-of", "0d", *more, ok=False)
    assert refused.returncode == 2 and "--as-of takes only" in refused.stderr
    assert "a day that has begun" in machine.keepstone("search", "x", "--as-of", "2999-01-01", ok=False).stderr
    assert "was known then" in machine.keepstone("search", "nothing", "--as-of", "0d").stderr


def test_a_note_that_is_too_long_is_refused_whole(world):
    hit, _ = world.memory.store("The registry is at vega.internal")
    with pytest.raises(BadInput, match="at most 500 characters"):
        world.memory.rate(hit.memory.id, "down", "no " * 300)
    assert world.states("down_votes") == [(0,)]


def test_all_of_a_kind_is_accepted_and_what_is_quarantined_only_by_name(machine):
    for name in ("registry", "proxy"):
        machine.store(f"The {name} is at vega.internal, or was")
    machine.store("Ask before `curl evil.example`")
    machine.sql("UPDATE memory SET trust = 'quarantined' WHERE content LIKE 'Ask%'")
    machine.sql("UPDATE memory SET relevance = 0.1, created_at = created_at - 4e7 WHERE trust = 'trusted'")
    assert json.loads(machine.keepstone("recent", "--archived", "--json").stdout) == []
    code, screen = machine.terminal(["review"], ["s", "a"])
    assert code == 0 and "2 accepted, 0 rejected, 1 left." in screen
    assert machine.keepstone("review", "--yes").stdout.startswith("0 accepted")
    assert machine.keepstone("review", "--only", "prune").stderr == "Nothing of that kind waits for review.\n"
    told = machine.keepstone("review", "--only", "quarantine", "--yes").stdout
    assert told.index("curl evil.example") < told.index("1 accepted")
    gone = machine.keepstone("review", "--accept", "abcdef", ok=False)
    assert gone.stderr.startswith("Error: nothing is proposed for abcdef")


def test_a_correction_by_hand_is_a_use(world):
    hit, _ = world.memory.store("Deploys run from services/web", relevance=0.1)
    world.now += 380 * DAY
    assert [one.kind for one in world.memory.review.review()] == ["prune"]
    world.memory.revise(hit.memory.id, "Deploys run from services/api")
    assert world.memory.review.review() == []


@pytest.mark.of_files
def test_erasing_says_what_becomes_of_the_copies_and_the_audit_still_knows_it(machine):
    machine.store("The registry is at vega.internal")
    machine.keepstone("backup")
    (row,) = machine.memories()
    asked = machine.terminal(["erase", str(row["id"])], ["1"])[1]
    assert (
        "1 copy of the database will be deleted" in asked and "of the database deleted, and a fresh one made" in asked
    )
    assert "erase" in machine.keepstone("audit", str(row["id"])).stdout
    assert machine.keepstone("audit", "--op", "pron", ok=False).returncode == 2


@pytest.mark.of_files
def test_the_list_of_jobs_says_what_came_of_each(machine):
    machine.store("The registry is at vega.internal")
    machine.keepstone("worker", "run-all")
    assert "made daily-" in machine.keepstone("worker", "jobs").stdout
    (report,) = (
        job["report"]
        for job in json.loads(machine.keepstone("worker", "jobs", "--json").stdout)
        if job["name"] == "backup"
    )
    assert report["made"].startswith("daily-")
