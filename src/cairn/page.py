"""Edge: the graph as one page that needs nothing else, drawn by vis-network."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

from .core.errors import CairnError

PACKAGE, LIBRARY = "pyvis", "lib/vis-9.1.2/vis-network.min.js"  # of that package only this file is read


def page(graph: dict[str, Any]) -> str:
    """The page of a graph: `nodes`, `edges` and what each type of relationship `relations` is called. Raises CairnError
    where the drawing library is not installed.
    """
    found = importlib.util.find_spec(PACKAGE)
    library = Path(found.origin or "").parent / LIBRARY if found else Path(LIBRARY)
    if not library.is_file():
        raise CairnError("the library that draws graphs is not here", "cairn bootstrap, or pip install pyvis --no-deps")
    template = Path(__file__).with_name("graph.html").read_text(encoding="utf-8")
    data = json.dumps(graph, ensure_ascii=False).replace("<", "\\u003c").replace("\u2028", "\\u2028")
    script = library.read_text(encoding="utf-8").replace("</script", "<\\/script")
    first, rest = template.split("/*LIBRARY*/")
    middle, last = rest.split("/*DATA*/")
    return first + script + middle + data + last
