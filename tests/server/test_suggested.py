"""Suggestions over REST and on the dashboard's page, for a browser without scripts too."""

from __future__ import annotations

import re
import time

import httpx2
import pytest

from server.serving import TOKEN, serving

GUESS = "Deploys always need the VPN, probably because the <b>registry</b> is internal"
SAID = f"Remember: {GUESS}."


@pytest.fixture
def served(machine, sessions):
    """A server with two suggestions."""
    day = time.strftime("%Y-%m-%d", time.gmtime(time.time() - 86_400))
    sessions.say(SAID, day=day)
    sessions.say("We usually deploy the shop on Tuesdays, I guess.", day=day)
    env = {"HOME": str(machine.user_home), "KEEPSTONE_HOME": str(machine.home)}
    with serving(machine.root, **env) as one:
        yield one


def waiting(served):
    return [one for one in served.get("/api/v1/review", all=True).json()["data"] if one["kind"] == "suggestion"]


def test_rest_lists_keeps_and_drops_them(served, sessions):
    found = {one["text"]: one for one in waiting(served)}
    assert len(found) == 2 and found[GUESS]["members"] == [] and SAID in found[GUESS]["sources"][0]
    for number, (text, one) in enumerate(found.items()):
        verdict = "accept" if text == GUESS else "reject"
        done = served.post(f"/api/v1/review/{one['key']}", verdict=verdict)
        assert done.status_code == 200, (number, done.text)
        memory = done.json()["memory"]
        assert (memory or {}).get("narrative") == (GUESS if verdict == "accept" else None)
    assert waiting(served) == [] and sessions.recalled == [GUESS]


def test_the_page_shows_its_words_and_settles_it(served, sessions, machine):
    headers = {"Accept": "text/html", "Origin": served.url}
    with httpx2.Client(base_url=served.url, headers=headers, timeout=30, follow_redirects=True) as browser:
        browser.post("/login", data={"token": TOKEN, "to": "/health"})
        page = browser.get("/review?all=1").text
        assert page.count("Maybe worth remembering") >= 2 and "2 wait for your word" in page
        assert "&lt;b&gt;registry&lt;/b&gt;" in page and "<b>registry</b>" not in page
        forms = re.findall(r'action="(/review/(s[0-9a-f]{4})[^"]*)".*?name="seen" value="([^"]*)"', page, re.DOTALL)
        assert len(forms) == 2
        for (path, name, seen), verdict in zip(forms, ("accept", "reject"), strict=True):
            done = browser.post(path.replace("&amp;", "&"), data={"seen": seen, "verdict": verdict})
            assert done.status_code == 200, (name, done.text)
        assert "Nothing waits for your word." in browser.get("/review?all=1").text
    assert sorted(row[0] for row in machine.sql("SELECT state FROM suggestion")) == ["kept", "refused"]
    assert len(sessions.recalled) == 1
