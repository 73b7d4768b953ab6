"""`keepstone week` as a person sees it."""

from __future__ import annotations

import json

from support import Transcript


def test_a_week_in_which_nothing_was_is_said_to_be_one(machine):
    said = machine.keepstone("week").stdout
    assert said.startswith("The last 7 days in acme shop, since ") and "Nothing yet: " in said
    assert "keepstone week --all" in said and "keepstone ingest" in said
    assert "--all" not in machine.keepstone("week", "--all").stdout


def test_a_real_session_shows_in_the_week(machine):
    (row,) = json.loads(
        machine.keepstone("store", "images are pushed with `./dev push-image SERVICE`", "--json").stdout
    )
    machine.hook("session-start", machine.event(source="startup"))
    transcript = Transcript(machine.root / "transcripts" / "session-1.jsonl", machine.project)
    transcript.user("push the worker", timestamp="2999-01-01T00:00:00.000Z")
    unjudged = machine.keepstone("week").stdout
    assert "Not judged yet: 1 of 1" in unjudged
    call = {"type": "tool_use", "id": "call-1", "name": "Bash", "input": {"command": "./dev push-image worker"}}
    transcript.line(
        {
            "type": "assistant",
            "timestamp": "2999-01-01T00:01:00.000Z",
            "message": {"role": "assistant", "content": [call]},
        }
    )
    machine.keepstone("capture", str(transcript.path))
    said = machine.keepstone("week").stdout.splitlines()
    assert said[1] == "Shown         1 memory, 1 time in 1 session"
    assert said[2] == "Used          1 memory, 1 time"
    assert said[3] == f"  - images are pushed with `./dev push-image SERVICE` ({row['id'][4:10]})"
    assert said[4:7] == ["Contradicted  0 memories", "Corrected     0 memories", "Learned       1 memory: Key Facts 1"]
    assert "Not judged" not in "\n".join(said)


def test_the_week_as_json(machine):
    found = json.loads(machine.keepstone("store", "deploys need the VPN", "--json").stdout)
    machine.keepstone("rate", found[0]["id"], "outdated")
    week = json.loads(machine.keepstone("week", "--json").stdout)
    assert (week["project"], week["days"], week["corrected"], week["outdated"]) == ("acme shop", 7, 1, 1)
    assert week["learned"]["fact"] == 1 and week["most_used"] == []
    elsewhere = json.loads(machine.keepstone("week", "--json", "--project", str(machine.root)).stdout)
    assert elsewhere["corrected"] == 0
