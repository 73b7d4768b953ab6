"""A real browser without a window: Debian's Chromium, driven by Selenium."""

from __future__ import annotations

import importlib.util
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from support import require

ALONE = (  # as root, in an empty profile, asking nobody anything
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars --window-size=1400,900"
)


@contextmanager
def chromium() -> Iterator[webdriver.Chrome]:
    """A browser that keeps what its console says and what it asks for."""
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    require("chromium", browser and driver, "apt install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    for word in ALONE.split():
        options.add_argument(word)
    made = webdriver.Chrome(options=options, service=Service(driver))
    try:
        yield made
    finally:
        made.quit()


def look(browser: webdriver.Chrome, width: int, height: int = 900, theme: str = "light") -> None:
    """Has pages shown in a window of that size, to who prefers a theme."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    preferred = [
        {"name": "prefers-color-scheme", "value": theme},
        {"name": "prefers-reduced-motion", "value": "reduce"},
    ]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": preferred})


def asked(browser: webdriver.Chrome) -> set[str]:
    """The hosts of everything that was asked for since the last time, "" for what is of no host."""
    events = (json.loads(entry["message"])["message"] for entry in browser.get_log("performance"))
    urls = [one["params"]["request"]["url"] for one in events if one["method"] == "Network.requestWillBeSent"]
    return {urlsplit(url).netloc for url in urls}


def barriers(browser: webdriver.Chrome) -> list[str]:
    """What keeps people out of a page, as axe-core finds it: rule, and where."""
    package = importlib.util.find_spec("axe_playwright_python")
    assert package and package.origin
    browser.execute_script((Path(package.origin).parent / "axe.min.js").read_text(encoding="utf-8"))
    found = browser.execute_async_script("axe.run().then(arguments[0])")
    assert found["passes"]
    nodes = [(one["id"], node) for one in found["violations"] for node in one["nodes"]]
    return [f"{rule}: {node['target']} {node['failureSummary']}" for rule, node in nodes]
