"""`keepstone doctor --prove` with the real client: the canary in its request, and a field that it renames named."""

from __future__ import annotations

import json
import os

import pytest

from client.session import version

pytestmark = pytest.mark.system


def prove(machine, folder):
    """The proof, with the `claude` in a folder on the PATH."""
    path = f"{folder}{os.pathsep}{machine.env['PATH']}"
    done = machine.keepstone("doctor", "--prove", "--json", ok=False, PATH=path)
    proof = json.loads(done.stdout)["proof"]
    return done.returncode, proof, {(check["name"], check["state"]): check["says"] for check in proof["checks"]}


@pytest.mark.newest_client
def test_the_canary_reaches_the_model(installed):
    installed.keepstone("config", "brief_limit", "1")
    before = len(installed.api.requests)
    code, proof, checks = prove(installed, installed.client.parent)
    assert code == 0 and {state for _, state in checks} == {"ok"}
    assert set(checks) == {(f"proof of {what}", "ok") for what in ("capture", "delivery", "permission")}
    assert {hook["problem"] for hook in proof["hooks"]} == {""}
    assert proof["client"] == version(installed.client)
    assert len(installed.api.requests) == before and installed.transcripts() == []
    assert installed.processes() == [] and installed.memories() == []


@pytest.mark.newest_client
@pytest.mark.parametrize(("event", "hook"), [("PreCompact", "pre-compact")])
def test_a_field_that_the_client_renames_is_named(installed, tmp_path, event, hook):
    """A client of tomorrow: ours, behind a script that renames a field in what it tells one hook."""
    other = tmp_path / "other" / "claude"
    other.parent.mkdir()
    other.write_text(
        "#!/bin/sh\n"
        'for word; do [ "$before" = --plugin-dir ] && plugin=$word; before=$word; done\n'
        f'[ -n "$plugin" ] && sed -i "s/cat >/sed s,transcript_path,transcriptFile, >/" "$plugin/hooks/{hook}"\n'
        f'exec {installed.client} "$@"\n'
    )
    other.chmod(0o755)
    code, _, checks = prove(installed, other.parent)
    assert code == 1
    says = checks["proof of the contract", "fail"]
    assert says.startswith(f"the client's {event} does not say transcript_path: it says ") and "transcriptFile" in says
    assert checks["proof of delivery", "ok"]


@pytest.mark.newest_client
def test_a_client_that_does_not_start_is_named(installed, tmp_path):
    broken = tmp_path / "broken" / "claude"
    broken.parent.mkdir()
    broken.write_text("#!/bin/sh\necho 'no such library: libx' >&2\nexit 127\n")
    broken.chmod(0o755)
    code, _, checks = prove(installed, broken.parent)
    assert code == 1 and "the client asked no model: no such library: libx" in checks["proof of delivery", "fail"]
