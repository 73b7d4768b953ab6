"""Answers as JSON, and the types of what is asked that several routes share."""

from __future__ import annotations

from http import HTTPStatus
from typing import Annotated, Any

from fastapi import Path, Query, Response
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from ..lib.errors import BadInput
from ..lib.fast_json import dump
from ..lib.limits import PAGE_LIMIT, PAGE_MOST
from ..redaction.redact import redact

JSON = "application/json"
# Half a character comes out of JSON escapes only, and no memory holds one.
Text = Annotated[str, StringConstraints(max_length=100_000)]
Word = Annotated[str, StringConstraints(max_length=500)]
MemoryId = Annotated[str, Path(description="A memory's id, or a unique beginning of its digits.", max_length=64)]
Limit = Annotated[int, Query(ge=1, le=PAGE_MOST, description="At most so many.")]
Page = Annotated[int, Query(ge=1, le=1_000_000, description="Which page of `limit` rows.")]
PAGE = PAGE_LIMIT
Score = Annotated[float, Field(ge=0, le=1)]
ProjectOption = Annotated[
    str,
    Query(
        max_length=4096,
        description="The path of a project's folder; the one that the server was started in where none is given.",
        examples=["/home/ann/shop"],
    ),
]
AllOption = Annotated[bool, Query(alias="all", description="Every project, not only this one.")]


class RequestModel(BaseModel):
    """What a request brings, taken by its word: no text passes for a number, and what is not known is refused."""

    model_config = ConfigDict(strict=True, extra="forbid")


def example(**fields: Any) -> ConfigDict:
    """Returns the configuration that gives a request an example in the description."""
    return ConfigDict(json_schema_extra={"examples": [fields]})


def reply(value: Any, status: HTTPStatus = HTTPStatus.OK) -> Response:
    return Response(dump(value), int(status), media_type=JSON)


def whole_text(text: str) -> str:
    """A text that can be stored. Raises BadInput for one with half a character in it."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise BadInput("a text holds half of a character (a lone surrogate)", "send whole characters") from None
    return text


def require_name(name: str) -> str:
    """A name that is kept as it is. Raises BadInput for one with half a character, or that looks like a secret."""
    if redact(whole_text(name)) != name:
        raise BadInput("a name looks like a secret, and names are kept as they are", "give it another")
    return name
