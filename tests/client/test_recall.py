"""In the real client: what is recalled at each moment reaches the model, once, and what was said before stays."""

from __future__ import annotations

import json

import pytest

from client.session import Talk

pytestmark = pytest.mark.system

PNPM = "pnpm only, never npm or yarn: CI caches its store"
ROUNDING = "Money in services/billing/rounding.py is rounded half-even, as the bank's statements are"
CURE = "EADDRINUSE on port 5005 in the fixture server: an old watcher holds it, `pkill -f watcher` frees it"
WEBHOOK = (
    "Stripe webhook signature verification fails when the body was parsed: keep the raw body for the webhook route"
)
FAILING = "echo 'Error: listen EADDRINUSE: address already in use 5005 fixture server' >&2; exit 3"


@pytest.fixture
def talk(installed):
    """A session that has begun before there was anything to know."""
    settings = installed.project / ".claude" / "settings.local.json"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text(json.dumps({"permissions": {"allow": ["Bash", "Read"]}}))
    with Talk(installed) as talk:
        talk.say("Hello.")
        yield talk


@pytest.mark.newest_client
def test_a_prompt_brings_what_helps_with_it_and_never_again(installed, talk):
    installed.keepstone("store", WEBHOOK)
    first = talk.say("The Stripe webhook signature verification fails, can you look?")
    assert "keep the raw body for the webhook route (" in first.turns[-1].text
    again = talk.say("The Stripe webhook signature verification fails, can you look?")
    assert again.turns[-1].text.count("keep the raw body") == first.turns[-1].text.count("keep the raw body") == 1
    silent = talk.say("Thanks, looks good.")
    assert silent.turns[-1].text.count("keepstone-notes") == again.turns[-1].text.count("keepstone-notes")


@pytest.mark.newest_client
def test_what_was_said_before_stays_as_it_was(installed, talk):
    installed.keepstone("store", WEBHOOK)
    requests = []
    for prompt in ("The Stripe webhook signature verification fails.", "Go on.", "And now?"):
        requests += talk.say(prompt).turns
    for before, after in zip(requests, requests[1:], strict=False):
        known = [_plain(message) for message in before.body["messages"]]
        assert [_plain(message) for message in after.body["messages"]][: len(known)] == known
    assert all(request.body["system"] == requests[0].body["system"] for request in requests)


@pytest.mark.newest_client
def test_a_file_brings_what_is_known_of_it_once(installed, talk):
    file = installed.project / "services" / "billing" / "rounding.py"
    file.parent.mkdir(parents=True)
    file.write_text("def rounded(): ...\n")
    installed.keepstone("store", ROUNDING)
    installed.api.tools["Look at"] = ("Read", {"file_path": str(file)})
    text = talk.say("Look at the rounding.").turns[-1].text
    assert text.count("[Keepstone — retrieved for services/billing/rounding.py]") == text.count("[/Keepstone]") == 1
    assert "rounded half-even" in text.split("[Keepstone —")[1].split("[/Keepstone]")[0]
    assert talk.say("Look at it again.").turns[-1].text.count("[/Keepstone]") == 1


@pytest.mark.newest_client
def test_a_command_that_is_about_to_break_a_preference_is_told_before_it_runs_and_runs(installed, talk):
    installed.keepstone("store", "--type", "preference", PNPM)
    installed.api.bash["Add lodash"] = "npm install --dry-run && echo it-ran || echo it-ran"
    turn = talk.say("Add lodash.").turns[-1]
    assert PNPM in turn.text and 'for="before this command runs"' in turn.text
    assert "it-ran" in json.dumps(turn.tool_results)


@pytest.mark.newest_client
def test_a_failure_brings_what_cured_it_before(installed, talk):
    installed.keepstone("store", "--type", "solution", CURE)
    installed.api.bash["Start it"] = FAILING
    turn = talk.say("Start it.").turns[-1]
    assert "`pkill -f watcher` frees it (" in turn.text


@pytest.mark.newest_client
def test_what_is_said_to_an_agent_and_stored_by_it_is_the_agents(installed):
    agents = {"shop-reviewer": {"description": "Reviews.", "prompt": "You review."}}
    installed.api.bash["Keep it"] = "keepstone store 'Deploys need the VPN'"
    said = "I prefer pnpm over npm: CI caches its store. Keep it."
    installed.run(
        said, "--agents", json.dumps(agents), "--agent", "shop-reviewer", "--allowedTools", "Bash(keepstone:*)"
    )
    kept = installed.sql("SELECT agent_id, kind FROM memory WHERE kind IN ('preference', 'fact') ORDER BY kind")
    assert kept == [("shop-reviewer", "fact"), ("shop-reviewer", "preference")]


def _plain(message):
    """A message without the marks of the cache, which move on with each request."""
    content = message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return message["role"], [{key: value for key, value in block.items() if key != "cache_control"} for block in blocks]
