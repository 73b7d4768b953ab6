"""What a session says is redacted before anything is quoted, cut or normalised of it, and again as it stands then."""

from __future__ import annotations

import json
from contextlib import closing
from random import Random

import pytest

from builders import at
from keepstone.capture import observations_sql
from keepstone.capture.observe import Digest
from keepstone.claude_code.observation import FAILED, Observation, outcome_of
from keepstone.db.writer import Writer
from keepstone.lib.fuzzy import ratio
from keepstone.redaction.redact import redact
from worded_secrets import PLAIN, SIGNED, STRONG, in_prose, with_users

SEED_WORDS = (
    "abandon ability absent absorb abstract account acid acoustic across actor adapt advice afford airport album "
    "amateur anchor ankle antenna apology arctic armor artist atom aunt autumn avocado bamboo banner basket"
).split()


def held(sessions):
    """Whatever the data home and an export hold, as text."""
    copy = sessions.machine.root / "copy.jsonl"
    sessions.memory.transfer.export(str(copy))
    files = [*sessions.machine.home.rglob("*"), copy]
    return "\n".join(path.read_bytes().decode("utf-8", "replace") for path in files if path.is_file())


def work_on_two_files(transcript):
    for name in ("src/a.py", "src/b.py"):
        transcript.tool("Edit", {"file_path": f"{transcript.cwd}/{name}", "old_string": "a", "new_string": "b"})


def test_the_summary_quotes_no_secret_in_any_language(sessions):
    asked = [one for one in [*in_prose()[::3], *with_users()[::4]]]
    for one in asked:
        transcript = sessions.begin()
        transcript.user(one.text.replace("\n", "; "))
        work_on_two_files(transcript)
        sessions.memory.capture.capture(str(transcript.path))
    kept = held(sessions)
    said = [content for content, kind in sessions.rows("content, kind") if kind == "summary"]
    assert len(asked) >= 30 and len(said) == len(asked)
    assert not [one.text for one in asked if one.secret in kept or json.dumps(one.secret)[1:-1] in kept]
    assert all("Keep the port at 5433" in text and "Changed: src/a.py, src/b.py" in text for text in said)


def test_a_long_prompt_is_redacted_before_it_is_cut(sessions):
    for number in range(100, 150):  # the cut comes before, in and after the words by which the secret is known
        transcript = sessions.begin()
        transcript.user("x" * 40 + " note" * ((number - 60) // 5) + f"{'y' * (number % 5)} pw: correct41horse7battery")
        work_on_two_files(transcript)
        sessions.memory.capture.capture(str(transcript.path))
    assert "correct41" not in held(sessions)


COMMITS = ("git commit -m 'пароль от базы: §'", 'git commit -m "Zugangsdaten: admin / §"', "git commit -m 'pw→§'")


def test_a_commit_s_subject_is_quoted_without_a_secret(sessions):
    made = [(commit, secret) for commit in COMMITS for secret in (*SIGNED, *STRONG)]
    for commit, secret in made:
        transcript = sessions.begin()
        transcript.user("Commit the settings")
        work_on_two_files(transcript)
        transcript.tool("Bash", {"command": commit.replace("§", secret)})
        sessions.memory.capture.capture(str(transcript.path))
    kept = held(sessions)
    assert len(made) >= 30 and not [secret for _, secret in made if secret in kept]
    assert kept.count("Commit the settings") >= len(made)


def failures(seed=7):
    """(output of a failed command, secret, what of the signature has to stay)."""
    rng = Random(seed)
    for number in range(36):
        words = " ".join(rng.sample(SEED_WORDS, 12))
        secret = (words, rng.choice(SIGNED), rng.choice(PLAIN), f"ghp_{rng.randbytes(18).hex()}")[number % 4]
        lines = (
            f"error: cannot restore the wallet, seed phrase: {words}",
            f"fatal: login refused, password: {secret}",
            f"ERROR cannot connect to postgres://app:{secret}@db:5432/app",
            f"Error: request denied for token={secret} at startup",
        )
        kinds = ((0, words), (1, secret), (1, secret), (3, secret))
        at_line, hidden = kinds[number % 4]
        text = lines[at_line] if secret not in PLAIN else f"fatal: login refused, the password is {secret}"
        yield f"building\n{text}\nmake: *** [all] Error 2\n", hidden, ("error", "fatal", "fatal", "request")[number % 4]


def test_a_failure_s_signature_is_made_of_redacted_output():
    made, digest = list(failures()), Digest(redact, "/")
    assert len(made) >= 30
    for output, secret, stays in made:
        end = outcome_of({"tool_use_id": "t", "content": output, "is_error": True}, None)
        raw = Observation("t", "Bash", "make", (), FAILED, "", "r", 0, at("2026-11-18"), end.error)
        error = digest.redact_and_shorten(raw).error
        assert secret.lower() not in error.lower() and stays in error, error
        assert not any(f"{one} {two}" in error for one, two in zip(SEED_WORDS, SEED_WORDS[1:], strict=False)), error


@pytest.mark.engine
def test_no_row_of_a_session_holds_what_a_command_printed_secretly(machine, transcript):
    made = list(failures(8))
    for output, _, _ in made:
        transcript.tool("Bash", {"command": "make wallet"}, failed=True, says=output)
    machine.keepstone("capture", str(transcript.path))
    with closing(Writer(machine.database, ratio)) as writer, writer.transaction() as tx:
        rows = observations_sql.observations(tx, "session-1")
    told = "\n".join(row.error for row in rows).lower()
    assert len(rows) == len(made) and "cannot restore the wallet" in told
    assert not [secret for _, secret, _ in made if secret.lower() in told]
