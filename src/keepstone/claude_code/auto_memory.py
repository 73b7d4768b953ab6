"""Reads the client's own memory: files that Claude writes to `projects/<project>/memory/`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .memory_index import INDEX_FILE

FILE_CHARS = 64_000  # read of a file: far above any memory
EDITS_MAX = 50  # read of one call
TOOLS = ("Write", "Edit", "MultiEdit")

# The client's types as our kinds. `feedback` is how the user wants Claude to work: a preference. `user` (role,
# expertise) and `project` (goals, constraints) state facts; `reference` points to documents elsewhere. A file without a
# known type may be anything.
KIND_OF_TYPE = {"user": "fact", "feedback": "preference", "project": "fact", "reference": "wiki"}
UNTYPED = "general"


@dataclass(frozen=True, slots=True)
class FileWrite:
    """A tool call that writes a memory file: its whole text, or the edits (old, new, replace all) to make. `project` is
    the client's folder of the project.
    """

    id: str
    project: str
    name: str
    record_uuid: str
    at: str
    start: int
    whole: str | None = None
    edits: tuple[tuple[str, str, bool], ...] = ()


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a tool call. `before` is the edited file's earlier text, if the client recorded it."""

    id: str
    ok: bool
    before: str = ""


@dataclass(frozen=True, slots=True)
class NoteText:
    """The content of a memory file: its kind, its line for the index, its body."""

    kind: str
    title: str
    body: str


def place_of(path: str) -> tuple[str, str]:
    """Returns a memory file's project folder and its name there, or ("", "") for any other path and for the index."""
    folder, inside = _split(path)
    name = "/".join(inside)
    good = name.endswith(".md") and name != INDEX_FILE and not {"", ".", ".."} & set(inside)
    return (folder, name) if good else ("", "")


def in_folder(path: str) -> bool:
    """Tells whether a file is in a memory folder of the client. The index counts too."""
    return bool(_split(path)[0])


def _split(path: str) -> tuple[str, list[str]]:
    """Returns a file's project folder and its path within the memory folder, or ("", []) for any other file."""
    parts = path.replace("\\", "/").split("/")
    for at in range(len(parts) - 3):
        if parts[at] == "projects" and parts[at + 2] == "memory" and _is_project_folder(parts[at + 1]):
            return parts[at + 1], parts[at + 3 :]
    return "", []


def _is_project_folder(name: str) -> bool:
    """Tells whether a folder's name is the client's name for a project: an absolute path with `-` for all characters
    except letters and digits.
    """
    rooted = name.startswith("-") or name[1:3] == "--"
    return rooted and all(c.isascii() and (c.isalnum() or c == "-") for c in name)


def call_of(block: Mapping[str, object], record_uuid: str, at: str, start: int) -> FileWrite | None:
    """Returns the write of a memory file that a tool call makes, or None for any other call."""
    given = block.get("input")
    if block.get("name") not in TOOLS or not isinstance(given, dict):
        return None
    project, name = place_of(_string(given.get("file_path")))
    if not name:
        return None
    whole = given.get("content")
    if block.get("name") == "Write":
        text = whole[:FILE_CHARS] if isinstance(whole, str) else None
        return FileWrite(_string(block.get("id")), project, name, record_uuid, at, start, text)
    several = given.get("edits")
    steps = [step for step in several if isinstance(step, dict)] if isinstance(several, list) else [given]
    edits = tuple(
        (_string(step.get("old_string")), _string(step.get("new_string")), step.get("replace_all") is True)
        for step in steps[:EDITS_MAX]
    )
    if len(steps) > EDITS_MAX or sum(len(old) + len(new) for old, new, _ in edits) > FILE_CHARS:
        return None
    return FileWrite(_string(block.get("id")), project, name, record_uuid, at, start, None, edits)


def result_of(block: Mapping[str, object], told: object) -> Result:
    """Returns the result in a tool result block. `told` is the client's record of it. A staged write counts as not made
    yet.
    """
    told = told if isinstance(told, dict) else {}
    ok = block.get("is_error") is not True and told.get("staged") is not True
    before = _string(told.get("originalFile")) if place_of(_string(told.get("filePath")))[1] else ""
    return Result(_string(block.get("tool_use_id")), ok, before[:FILE_CHARS])


def edited(text: str, edits: tuple[tuple[str, str, bool], ...]) -> str | None:
    """Returns the text after the edits, or None if one finds nothing to replace or the text becomes longer than
    FILE_CHARS.
    """
    for old, new, everywhere in edits:
        if not old or old not in text:
            return None
        if len(text) + text.count(old) * len(new) > FILE_CHARS:
            return None
        text = text.replace(old, new) if everywhere else text.replace(old, new, 1)
    return text


def read(text: str) -> NoteText:
    """Parses a memory file: `type` from the frontmatter (also under `metadata`), `description` or `name` as the title,
    the rest as the body.
    """
    lines = text.replace("\r\n", "\n").strip().split("\n")
    fields: dict[str, str] = {}
    if lines[0].strip() == "---" and "---" in (line.strip() for line in lines[1:]):
        end = next(number for number, line in enumerate(lines[1:], start=1) if line.strip() == "---")
        for line in lines[1:end]:
            key, colon, value = line.partition(":")
            if colon:
                fields.setdefault(key.strip().lower(), value.strip().strip("\"'"))
        lines = lines[end + 1 :]
    title = fields.get("description") or fields.get("name", "")
    body = "\n".join(lines).strip() or title
    return NoteText(KIND_OF_TYPE.get(fields.get("type", "").lower(), UNTYPED), title, body)


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""
