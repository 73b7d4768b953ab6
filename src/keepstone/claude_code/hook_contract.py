"""The payloads that the client sends to our hooks, as recorded with clients 2.1.197 and 2.1.332, and the fields that
Keepstone needs. If a client sends other payloads, the missing fields are named.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

COMMON = ("session_id", "transcript_path", "cwd", "hook_event_name")


@dataclass(frozen=True, slots=True)
class Hook:
    """One of our hooks: its launcher, the client's name of the event, the payload besides COMMON, and the fields of it
    that must be present.
    """

    name: str
    event: str
    says: Mapping[str, Any]
    needs: tuple[str, ...] = ()

    def payload(self, session: str, transcript: str, cwd: str) -> dict[str, Any]:
        """Returns a complete payload as the client would send it."""
        common = (session, transcript, cwd, self.event)
        return {**dict(zip(COMMON, common, strict=True)), **self.says}

    def lacks(self, said: Mapping[str, Any]) -> list[str]:
        """Returns the needed fields that are missing from a payload, empty, or neither strings nor objects."""
        return [
            name for name in (*COMMON, *self.needs) if not isinstance(said.get(name), (str, dict)) or not said[name]
        ]


_CALL = {"tool_name": "Bash", "tool_use_id": "toolu_keepstone_proof", "permission_mode": "default"}
_COMMAND = {"tool_input": {"command": "keepstone recent", "description": "the newest"}}
_OTHER = {"tool_input": {"command": "make test", "description": "test"}}
_NEEDS_CALL = ("tool_name", "tool_input", "tool_use_id")
_OUTPUT = {"stdout": "ok", "stderr": "", "interrupted": False, "isImage": False}
_TYPED = {"command_name": "keepstone:memory", "command_args": "recent", "command_source": "plugin"}

HOOKS = (
    Hook("session-start", "SessionStart", {"source": "startup"}, ("source",)),
    Hook(
        "user-prompt-expansion",
        "UserPromptExpansion",
        {"expansion_type": "slash_command", **_TYPED, "prompt": "/keepstone:memory recent"},
        tuple(_TYPED),
    ),
    Hook("user-prompt-submit", "UserPromptSubmit", {"prompt": "Hello."}, ("prompt",)),
    Hook("pre-tool-use", "PreToolUse", {**_CALL, **_COMMAND}, _NEEDS_CALL),
    Hook("post-tool-use", "PostToolUse", {**_CALL, **_OTHER, "tool_response": _OUTPUT, "duration_ms": 5}, _NEEDS_CALL),
    Hook(
        "post-tool-use-failure",
        "PostToolUseFailure",
        {**_CALL, **_OTHER, "error": "Exit code 2\nfailed", "is_interrupt": False, "duration_ms": 5},
        _NEEDS_CALL,
    ),
    Hook("stop-extract", "Stop", {"stop_hook_active": False, "last_assistant_message": "Done."}),
    Hook("pre-compact", "PreCompact", {"trigger": "manual", "custom_instructions": ""}, ("trigger",)),
    Hook("session-end", "SessionEnd", {"reason": "other"}, ("reason",)),
)
