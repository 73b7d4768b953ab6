"""Plays a recorded session through the very hooks that the client runs, then shows what the next session receives.

Everything happens in a HOME of its own that is gone afterwards. The last thing printed is the brief, as the hook
wrote it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STORY = Path(__file__).with_name("session-one.jsonl")
ONE, TWO = "11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"


class Stage:
    """A user's machine for the length of the play."""

    def __init__(self, root: Path) -> None:
        self.project = root / "shop"
        self.env = {"HOME": str(root), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        self.project.mkdir()
        for folder in ("objects", "refs"):
            (self.project / ".git" / folder).mkdir(parents=True)
        (self.project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        (self.project / ".git" / "config").write_text('[remote "origin"]\n\turl = git@example.com:acme/shop.git\n')
        self.transcript = root / "session-one.jsonl"
        self.transcript.touch()

    def hook(self, event: str, session: str, **more: str) -> str:
        said = {"session_id": session, "transcript_path": str(self.transcript), "cwd": str(self.project), **more}
        return self.run([str(ROOT / "hooks" / event)], json.dumps(said))

    def keepstone(self, *words: str) -> str:
        return self.run([sys.executable, "-m", "keepstone", *words])

    def run(self, command: list[str], stdin: str = "") -> str:
        done = subprocess.run(
            command, input=stdin, env=self.env, cwd=self.project, stdout=subprocess.PIPE, text=True, check=True
        )
        return done.stdout


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="keepstone-demo-") as root:
        stage = Stage(Path(root))
        stage.keepstone("status")  # notes which Python runs Keepstone, as the README's install does
        print("Session one begins; nothing is known yet. The user says, among other things:\n")
        stage.hook("session-start", ONE, source="startup")
        for line in STORY.read_text(encoding="utf-8").splitlines():
            with stage.transcript.open("a", encoding="utf-8") as file:
                file.write(line.replace("@PROJECT@", str(stage.project)) + "\n")
            tell(stage, json.loads(line))
        stage.hook("session-end", ONE, reason="prompt_input_exit")
        print("\nSession one ends. The worker reads what was said and exits:\n")
        stage.keepstone("worker", "run", "--wait")
        print(stage.keepstone("recent"))
        said = json.loads(stage.hook("session-start", TWO, source="startup"))
        print(f"Session two begins in the same project. The user is told, once:\n\n  {said['systemMessage']}\n")
        print("This is what Claude receives, before the first prompt:\n")
        sys.stdout.write(said["hookSpecificOutput"]["additionalContext"])


def tell(stage: Stage, record: dict[str, object]) -> None:
    """Prints what the user types, and fires Stop where Claude's turn ends, as the client does."""
    message = record.get("message")
    content = message["content"] if isinstance(message, dict) else None
    if record["type"] == "user" and isinstance(content, str):
        print(f"  > {content}")
    elif record["type"] == "assistant" and isinstance(content, list) and content[0]["type"] == "text":
        stage.hook("stop-extract", ONE)


if __name__ == "__main__":
    main()
