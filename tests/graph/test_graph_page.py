"""The graph's page as a person uses it: a file in a real browser that reaches nothing else."""

from __future__ import annotations

import json
import random

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select, WebDriverWait

from browser import chromium
from support import Machine

pytestmark = pytest.mark.system

PARTS = {"database": "replica schema index", "frontend": "component button theme", "ci": "pipeline runner workflow"}
MEMORIES = 500
ODD = ("Cats sleep all afternoon", "Tomorrow brings heavy rain")  # they have nothing in common but when they came
HOSTILE = "The</script><img src=x onerror=alert(1)> widget is \u2028 broken"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A page of 500 memories, one of which would like to be a part of it."""
    machine = Machine(tmp_path_factory.mktemp("page") / "machine")
    chance = random.Random(1)
    said = [HOSTILE]
    for number in range(MEMORIES - 1 - len(ODD)):
        part = chance.choice(list(PARTS))
        word = chance.choice(PARTS[part].split())
        said.append(f"The {word} {number} of the {part} is set up by `{part}_{word}_{number // 25}`")
    known = {"type": "entity", "name": "shop", "entityType": "service", "observations": said}
    (machine.root / "known.json").write_text(json.dumps(known) + "\n")
    machine.keepstone("import", str(machine.root / "known.json"), "--format", "mcp")
    for text in ODD:
        machine.keepstone("store", text)
    path = machine.root / "graph.html"
    done = machine.keepstone("graph", "export", "--html", str(path))
    assert done.stdout == f"Drew {MEMORIES} memories: {path}\n" and path.stat().st_mode & 0o077 == 0
    again = machine.keepstone("graph", "export", "--html", str(path), ok=False)
    assert again.returncode == 2 and "--force" in again.stderr
    return path


@pytest.fixture
def browser(page):
    with chromium() as made:
        made.get(page.as_uri())
        WebDriverWait(made, 60).until(lambda _: made.execute_script("return document.body.dataset.ready"))
        yield made


def counted(browser):
    return browser.find_element(By.ID, "count").text


def relationships(browser):
    return int(counted(browser).split(", ")[1].split()[0])


def listed(browser):
    return [button.text for button in browser.find_elements(By.CSS_SELECTOR, "aside li button")]


def test_it_shows_finds_filters_and_tells(browser, page):
    assert counted(browser).startswith(f"{MEMORIES} of {MEMORIES} memories, ")
    search = browser.find_element(By.ID, "search")
    search.send_keys("replica 7")
    assert listed(browser) and all("replica" in text for text in listed(browser))
    browser.find_element(By.CSS_SELECTOR, "aside li button").click()
    shown = browser.find_element(By.ID, "aside").text
    assert "Hangs together with" in shown and "mem-" in shown and "database_replica_" in shown
    search.clear()
    search.send_keys("x")
    search.clear()
    strong = relationships(browser)
    browser.find_element(By.ID, "weak").click()
    whole = relationships(browser)
    Select(browser.find_element(By.ID, "type")).select_by_visible_text("similar_to")
    few = relationships(browser)
    Select(browser.find_element(By.ID, "type")).select_by_visible_text("all")
    assert 0 < few < whole == relationships(browser) and 0 < strong < whole
    Select(browser.find_element(By.ID, "kind")).select_by_visible_text("fact")
    assert len(listed(browser)) == 100  # the most central ones


def test_a_text_is_a_text_and_nothing_is_asked_of_anybody(browser, page):
    browser.find_element(By.ID, "search").send_keys("onerror")
    (found,) = listed(browser)
    assert found.startswith("shop: The</script><img src=x onerror=alert(1)> widget")
    assert not browser.find_elements(By.CSS_SELECTOR, "img") and browser.get_log("browser") == []
    asked = {entry for entry in map(str, browser.get_log("performance")) if "Network.requestWillBeSent" in entry}
    assert all(page.name in entry or "data:" in entry for entry in asked)
