"""Renders the graph as one self-contained page, drawn by vis-network."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

from ..lib.errors import KeepstoneError

PACKAGE, LIBRARY = "pyvis", "lib/vis-9.1.2/vis-network.min.js"  # only this file of the package is used


def library() -> Path:
    """Returns the path of the drawing library. Raises KeepstoneError if it is not installed."""
    found = importlib.util.find_spec(PACKAGE)
    path = Path(found.origin or "").parent / LIBRARY if found else Path(LIBRARY)
    if not path.is_file():
        raise KeepstoneError(
            "the library that draws graphs is not here", "keepstone bootstrap, or pip install pyvis --no-deps"
        )
    return path


def script() -> Path:
    """Returns the path of the script that draws a graph with it in a page's elements."""
    return Path(__file__).with_name("graph.js")


def page(graph: dict[str, Any]) -> str:
    """Returns the page for a graph: `nodes`, `edges`, and `relations`, the names of the relationship types. Raises
    KeepstoneError if the drawing library is not installed.
    """
    template = Path(__file__).with_name("graph.html").read_text(encoding="utf-8")
    data = json.dumps(graph, ensure_ascii=False).replace("<", "\\u003c").replace("\u2028", "\\u2028")
    drawn = library().read_text(encoding="utf-8").replace("</script", "<\\/script")
    first, rest = template.split("/*LIBRARY*/")
    middle, rest = rest.split("/*DATA*/")
    between, last = rest.split("/*SCRIPT*/")
    return first + drawn + middle + data + between + script().read_text(encoding="utf-8") + last
