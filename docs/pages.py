"""Makes the pictures of the dashboard: every page in both themes and two widths, of a data home that was lived in.

python docs/pages.py
"""

from __future__ import annotations

import base64
import sys
import tempfile
from pathlib import Path

from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from browser import chromium, look  # noqa: E402  what the tests look at
from server.house import DECISION, House  # noqa: E402
from server.serving import TOKEN, serving  # noqa: E402

FOLDER = Path(__file__).resolve().parent / "pages"
SIZES = {1280: 860, 360: 720}  # pixels
QUALITY = 60  # of WebP
# in the texts of a page: where it was made is nobody's business
RENAME = """
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node; (node = walk.nextNode());)
    for (const [from, to] of arguments[0]) node.data = node.data.replaceAll(from, to);
"""


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        house = House(Path(made))
        env = {"HOME": str(house.machine.user_home), "KEEPSTONE_HOME": str(house.machine.home)}
        memory = f"/memories/{house.id_of(DECISION)}?q=billing+database"
        merge = f"/merge?id={house.id_of('Kafka topics')}&id={house.id_of('Never edit')}"
        pages = {
            **{name: "/" + name for name in ("review", "sessions", "graph", "ending", "delivery", "health", "store")},
            **{"memories": "/", "search": "/?q=billing+database", "memory": memory, "merge": merge},
            **{"session": "/sessions/session-1", "login": "/login", "problem": "/nowhere"},
        }
        with serving(Path(made), **env) as served, chromium() as browser:
            browser.get(f"{served.url}/login?token={TOKEN}")
            for theme in ("light", "dark"):
                for width, height in SIZES.items():
                    look(browser, width, height, theme)
                    for name, path in pages.items():
                        browser.get(served.url + path)
                        WebDriverWait(browser, 20).until(lambda _: is_drawn(browser))
                        browser.execute_script(RENAME, [(made, "/home/ann"), (sys.prefix, "/home/ann/venv")])
                        given = {"format": "webp", "quality": QUALITY}
                        shot = browser.execute_cdp_cmd("Page.captureScreenshot", given)["data"]
                        (FOLDER / f"{name}-{theme}-{width}.webp").write_bytes(base64.b64decode(shot))


def is_drawn(browser) -> bool:  # noqa: ANN001
    """Whether all is there that comes after the page: the checks, the drawn graph."""
    waits = "Looking …" in browser.find_element(By.TAG_NAME, "body").text
    is_graph = bool(browser.find_elements(By.ID, "canvas"))
    return not waits and (not is_graph or browser.execute_script("return document.body.dataset.ready") == "yes")


if __name__ == "__main__":
    main()
