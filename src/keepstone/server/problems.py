"""What went wrong, as RFC 9457 has it."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from ..lib.errors import KIND, BadInput, KeepstoneError, NotFound, StoreError, kind_of

MEDIA = "application/problem+json"
ProblemParts = tuple[HTTPStatus | int, str, str, dict[str, str] | None]  # status, detail, hint, headers


class Problem(BaseModel):
    """A problem: what happened in `detail`, and in `hint` what to do, in the words of the command line."""

    type: str = "about:blank"
    title: str = Field(examples=["Not Found"])
    status: int = Field(examples=[404])
    detail: str = Field(examples=["no memory has an id that begins with 3fa2c1"])
    hint: str = Field("", examples=["keepstone recent --all shows ids"])


def problem(status: HTTPStatus | int, detail: str, hint: str = "") -> str:
    known = HTTPStatus(status)
    return Problem(title=known.phrase, status=int(known), detail=detail, hint=hint).model_dump_json()


def answer(status: HTTPStatus | int, detail: str, hint: str = "", headers: dict[str, str] | None = None) -> Response:
    return Response(problem(status, detail, hint), int(status), headers, MEDIA)


def status_of(error: KeepstoneError) -> HTTPStatus:
    """The status that says whose fault an expected error is."""
    if isinstance(error, NotFound):
        return HTTPStatus.NOT_FOUND
    if isinstance(error, BadInput):
        return HTTPStatus.BAD_REQUEST
    return HTTPStatus.SERVICE_UNAVAILABLE if isinstance(error, StoreError) else HTTPStatus.CONFLICT


def _expected(error: Exception) -> ProblemParts:
    assert isinstance(error, KeepstoneError)
    status = status_of(error)
    headers = {KIND: kind_of(error)}
    if status is HTTPStatus.SERVICE_UNAVAILABLE:
        headers["retry-after"] = "1"
    return status, error.message, error.hint, headers


def _invalid(error: Exception) -> ProblemParts:
    assert isinstance(error, RequestValidationError)
    said = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()[:5]]
    return HTTPStatus.BAD_REQUEST, "; ".join(said), "GET /openapi.json says what is taken", None


def _http(error: Exception) -> ProblemParts:
    assert isinstance(error, HTTPException)
    return error.status_code, str(error.detail), "", dict(error.headers or {})


def install(app: FastAPI, page: Callable[[Request, ProblemParts], Response | None]) -> None:
    """Lets an application answer so, but for those who are to see a `page` of it."""
    kinds: dict[type[Exception], Callable[[Exception], ProblemParts]] = {
        KeepstoneError: _expected,
        RequestValidationError: _invalid,
        HTTPException: _http,
    }

    def added(kind: type[Exception], tell: Callable[[Exception], ProblemParts]) -> None:
        def handle(request: Request, error: Exception) -> Response:
            said = tell(error)
            return page(request, said) or answer(*said)

        app.add_exception_handler(kind, handle)

    for kind, tell in kinds.items():
        added(kind, tell)


def documented(*statuses: HTTPStatus) -> dict[int | str, dict[str, object]]:
    """Returns the description of an operation's problems: those that every operation has, and `statuses`."""
    taken = (HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    every = {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.SERVICE_UNAVAILABLE, *taken, *statuses}
    schema = {"schema": {"$ref": "#/components/schemas/Problem"}}
    return {int(one): {"description": one.phrase, "content": {MEDIA: schema}} for one in sorted(every)}


MISSING = documented(HTTPStatus.NOT_FOUND)
CONFLICT = documented(HTTPStatus.CONFLICT)
MISSING_OR_CONFLICT = documented(HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT)
