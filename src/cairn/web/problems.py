"""What went wrong, as RFC 9457 has it."""

from __future__ import annotations

from http import HTTPStatus

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from ..core.errors import BadInput, CairnError, NotFound, StoreError

MEDIA = "application/problem+json"


class Problem(BaseModel):
    """A problem: what happened in `detail`, and in `hint` what to do, in the words of the command line."""

    type: str = "about:blank"
    title: str = Field(examples=["Not Found"])
    status: int = Field(examples=[404])
    detail: str = Field(examples=["no memory has an id that begins with 3fa2c1"])
    hint: str = Field("", examples=["cairn recent --all shows ids"])


def problem(status: HTTPStatus | int, detail: str, hint: str = "") -> str:
    known = HTTPStatus(status)
    return Problem(title=known.phrase, status=int(known), detail=detail, hint=hint).model_dump_json()


def answer(status: HTTPStatus | int, detail: str, hint: str = "", headers: dict[str, str] | None = None) -> Response:
    return Response(problem(status, detail, hint), int(status), headers, MEDIA)


def status_of(error: CairnError) -> HTTPStatus:
    """The status that says whose fault an expected error is."""
    if isinstance(error, NotFound):
        return HTTPStatus.NOT_FOUND
    if isinstance(error, BadInput):
        return HTTPStatus.BAD_REQUEST
    return HTTPStatus.SERVICE_UNAVAILABLE if isinstance(error, StoreError) else HTTPStatus.CONFLICT


def _expected(request: Request, error: Exception) -> Response:
    assert isinstance(error, CairnError)
    status = status_of(error)
    headers = {"retry-after": "1"} if status is HTTPStatus.SERVICE_UNAVAILABLE else None
    return answer(status, error.message, error.hint, headers)


def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    said = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors()[:5]]
    return answer(HTTPStatus.BAD_REQUEST, "; ".join(said), "GET /openapi.json says what is taken")


def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return answer(error.status_code, str(error.detail), headers=dict(error.headers or {}))


def install(app: FastAPI) -> None:
    """Lets an application answer so."""
    app.add_exception_handler(CairnError, _expected)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)


def told(*statuses: HTTPStatus) -> dict[int | str, dict[str, object]]:
    """Of an operation's documentation what every one may answer, and these."""
    taken = (HTTPStatus.BAD_REQUEST, HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    every = {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.SERVICE_UNAVAILABLE, *taken, *statuses}
    schema = {"schema": {"$ref": "#/components/schemas/Problem"}}
    return {int(one): {"description": one.phrase, "content": {MEDIA: schema}} for one in sorted(every)}
