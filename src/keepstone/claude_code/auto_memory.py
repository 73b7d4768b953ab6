"""The client's own memory as a source: files that Claude writes into `projects/<project>/memory/` (FACTS i)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .memory_index import INDEX_FILE

FILE_CHARS = 64_000  # of a file are looked at: far above any memory
EDITS_MAX = 50  # of one call are looked at
TOOLS = ("Write", "Edit", "MultiEdit")

# The client's types as our kinds. `feedback` is how the user wants to be worked for, a preference. `user` (role,
# expertise) and `project` (goals, constraints) state what is so; `reference` points to documents elsewhere. A file
# without a known type may be anything.
KIND_OF_TYPE = {"user": "fact", "feedback": "preference", "project": "fact", "reference": "wiki"}
UNTYPED = "general"


@dataclass(frozen=True, slots=True)
class FileWrite:
    """A tool call that writes a memory file: its whole text, or the edits (old, new, everywhere) to make in it.
    `project` is the client's folder of the project.
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
    """What became of a tool call; `before` is the edited file's earlier text, where the client kept it."""

    id: str
    ok: bool
    before: str = ""


@dataclass(frozen=True, slots=True)
class NoteText:
    """What a memory file says: its kind, its line for the index, its body."""

    kind: str
    title: str
    body: str


def place_of(path: str) -> tuple[str, str]:
    """The client's folder of the project and the name within it of a memory file; ("", "") for every other path and for
    the index.
    """
    folder, inside = _split(path)
    name = "/".join(inside)
    good = name.endswith(".md") and name != INDEX_FILE and not {"", ".", ".."} & set(inside)
    return (folder, name) if good else ("", "")


def in_folder(path: str) -> bool:
    """Whether a file lies in a memory folder of the client's, its index too."""
    return bool(_split(path)[0])


def _split(path: str) -> tuple[str, list[str]]:
    """The client's folder of the project, and the path within its memory folder; ("", []) for every other file."""
    parts = path.replace("\\", "/").split("/")
    for at in range(len(parts) - 3):
        if parts[at] == "projects" and parts[at + 2] == "memory" and _is_project_folder(parts[at + 1]):
            return parts[at + 1], parts[at + 3 :]
    return "", []


def _is_project_folder(name: str) -> bool:
    """The client's name for a project is its path with `-` for all but letters and digits: it begins with a root."""
    rooted = name.startswith("-") or name[1:3] == "--"
    return rooted and all(c.isascii() and (c.isalnum() or c == "-") for c in name)


def call_of(block: Mapping[str, object], record_uuid: str, at: str, start: int) -> FileWrite | None:
    """The memory file that a tool call writes, or None."""
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
    """What a tool result says; `told` is the client's record of it. A staged write is not made yet."""
    told = told if isinstance(told, dict) else {}
    ok = block.get("is_error") is not True and told.get("staged") is not True
    before = _string(told.get("originalFile")) if place_of(_string(told.get("filePath")))[1] else ""
    return Result(_string(block.get("tool_use_id")), ok, before[:FILE_CHARS])


def edited(text: str, edits: tuple[tuple[str, str, bool], ...]) -> str | None:
    """A text after edits, or None when one of them finds nothing to replace or makes it longer than a file may be."""
    for old, new, everywhere in edits:
        if not old or old not in text:
            return None
        if len(text) + text.count(old) * len(new) > FILE_CHARS:
            return None
        text = text.replace(old, new) if everywhere else text.replace(old, new, 1)
    return text


def read(text: str) -> NoteText:
    """What a memory file says: frontmatter `type` (also under `metadata`), `description`, else `name`; and the rest."""
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
