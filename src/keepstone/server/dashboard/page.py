"""What all pages share: whose memories they are about, how templates are filled, and how problems look."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Depends, Form, Query, Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ...api.memory import Memory
from ...config import runtime
from ...lib.errors import KeepstoneError
from ...lib.text import day, digest
from ...model.hit import Hit, moment, source_lines, states
from ...model.memory import GROUPS, KINDS, group_of
from ...model.render import headline
from ..guard import ASSETS, LOGIN, PAGE
from ..problems import ProblemParts, status_of
from ..reply import whole_text

HEADERS = {name.decode(): value.decode() for name, value in PAGE}
PLACES = (
    ("/", "Memories"),
    ("/sessions", "Sessions"),
    ("/review", "Review"),
    ("/graph", "Graph"),
    ("/ending", "Ending"),
    ("/delivery", "Delivery"),
    ("/health", "Health"),
)
# What is told after something was done: by these words alone, so that no link can put others into a page.
DONE = {
    "stored": "Stored.",
    "known": "That was known already: it is confirmed by this.",
    "revised": "Corrected. What it said before is kept under “Earlier”.",
    "same": "Nothing was changed.",
    "pinned": "Pinned: it comes first in every brief.",
    "unpinned": "No longer pinned.",
    "up": "Rated up.",
    "down": "Rated down.",
    "outdated": "Marked outdated: it is labelled so, and comes after everything else.",
    "forgotten": "Forgotten: no session is shown it any more. Restore brings it back.",
    "restored": "Restored.",
    "erased": "Erased from every file of the data home.",
    "trusted": "Accepted.",
    "promoted": "Promoted.",
    "demoted": "Demoted.",
    "merged": "Merged: this is the one memory that was made of them.",
    "unmerged": "Taken apart again: the memories that it was made of hold as before.",
    "related": "Relationship added.",
    "unrelated": "Relationship removed.",
    "verified": "Noted that it still holds.",
    "settled": "Settled: this one holds, and the other is archived.",
    "undone": "Taken back.",
    "accepted": "Accepted.",
    "rejected": "Turned down.",
}
templates = Environment(
    loader=FileSystemLoader(Path(__file__).with_name("templates")),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=StrictUndefined,
)
templates.filters |= {"day": day, "moment": moment}
templates.globals |= {
    "headline": headline,
    "source_lines": source_lines,
    "states": states,
    "groups": GROUPS,
    "kinds": KINDS,
    "places": PLACES,
}


def _html(filled: str, status: int = HTTPStatus.OK, headers: Mapping[str, str] = HEADERS) -> Response:
    """A page; what somebody has sent may hold half a character, and is shown all the same."""
    return HTMLResponse(filled.encode("utf-8", "replace"), status, headers)


class View:
    """A page's request: of one project, or of all where none is chosen. What it changes, a person changes."""

    def __init__(
        self,
        request: Request,
        chosen: Annotated[str, Query(alias="in", max_length=4096)] = "",
        done: Annotated[str, Query(max_length=20)] = "",
    ) -> None:
        self.request = request
        self.chosen = chosen
        self.everything = not chosen
        self.done = DONE.get(done, "")
        self.memory = self.memory_of(chosen)

    def memory_of(self, folder: str) -> Memory:
        """The memories as seen from a folder, the server's own for ""."""
        memory: Memory = self.request.app.state.memories.of_folder(folder, by_person=True)
        return memory

    @property
    def is_part(self) -> bool:
        """Whether a part of the page is asked for; going back in a browser asks for a whole one."""
        headers = self.request.headers
        return "hx-request" in headers and "hx-history-restore-request" not in headers

    def url(self, path: str, **values: object) -> str:
        """A link within what is looked at."""
        given = {name: value for name, value in {**values, "in": self.chosen}.items() if value not in ("", None)}
        return path + ("?" + urlencode(given) if given else "")

    def page(self, template: str, problem: KeepstoneError | None = None, **values: Any) -> Response:
        """A whole page, with the `problem` of what was asked for where there is one."""
        status = HTTPStatus.OK if problem is None else status_of(problem)
        known: dict[str, Any] = {"problem": problem, "view": self, "url": self.url, "path": self.request.url.path}
        known["projects"] = self.memory.sessions.projects()
        return _html(templates.get_template(template).render(known | values), int(status), HEADERS)

    def wrote(self) -> None:
        """Something is new: what it hangs together with the worker finds, and leaves again."""
        runtime.start_worker(self.memory.context.home)

    def part(self, template: str, **values: Any) -> Response:
        """A part of a page."""
        filled = templates.get_template(template).render({"view": self, "url": self.url, **values})
        return _html(filled)

    def go(self, path: str, done: str = "") -> Response:
        """Leads on to a page, which tells what was done, and still knows what was searched for."""
        query = self.request.query_params.get("q", "")
        return RedirectResponse(self.url(path, q=query, done=done), HTTPStatus.SEE_OTHER)


PageView = Annotated[View, Depends(View)]
Words = Annotated[str, Query(max_length=500)]
Text = Annotated[str, Form(max_length=100_000)]  # a longer one than a memory holds is told so, and comes back
Line = Annotated[str, Form(max_length=4_096)]


def stamp(hits: Iterable[Hit]) -> str:
    """What changes with what memories say and are: a form brings it back, and is taken only for what it was about."""
    return digest(*(f"{hit.memory.id} {hit.memory.version} {hit.memory.status}" for hit in hits))[:16]


def text_of(given: str) -> str:
    """A text of a form, with line ends as everywhere else. Raises BadInput for one that can't be stored."""
    return whole_text(given.replace("\r\n", "\n")).strip()


def as_page(request: Request, said: ProblemParts) -> Response | None:
    """A problem as a page, or a part of one, for who looks at pages; None for programs."""
    status, detail, hint, headers = said
    of_form = status == HTTPStatus.BAD_REQUEST and "openapi" in hint  # pages are described by themselves
    route = request.scope.get("route")
    of_page = route is not None and not getattr(route, "include_in_schema", True)
    if not of_page and "text/html" not in request.headers.get("accept", ""):
        return None
    title = HTTPStatus(status).phrase
    problem = KeepstoneError("there is no such page" if detail == title else detail, "" if of_form else hint)
    known: dict[str, Any] = {"title": title, "problem": problem}
    name = "problem_part.html"
    if "hx-request" not in request.headers:
        name, framed = _framed(request)
        known |= framed
    return _html(templates.get_template(name).render(known), int(status), {**(headers or {}), **HEADERS})


def refusal(status: HTTPStatus, says: str) -> str:
    """The page of a request that comes no further than the guard."""
    return templates.get_template("alone.html").render(title=status.phrase, problem=KeepstoneError(says))


def _framed(request: Request) -> tuple[str, dict[str, Any]]:
    """The template of a problem's page, and what its frame tells: nothing to who may be anybody, nor where nothing can
    be read.
    """
    if request.url.path.startswith((LOGIN, ASSETS)):
        return "alone.html", {}
    try:
        view = View(request)
        return "problem.html", {"view": view, "url": view.url, "path": "", "projects": view.memory.sessions.projects()}
    except KeepstoneError:
        return "alone.html", {}


def sums(values: Mapping[str, int]) -> dict[str, int]:
    """Counts of kinds as counts of their groups, in the groups' order."""
    found = dict.fromkeys(GROUPS, 0)
    for kind, count in values.items():
        found[group_of(kind)] += count
    return found
