"""Settings: `CAIRN_*` in the environment, else config.json in the data home, else the default. Hot module."""

from __future__ import annotations

import os

from .core import defaults
from .core.errors import BadInput
from .core.fastjson import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Setting:
    """One setting: its type is its default's; numbers have bounds, words have choices."""

    __slots__ = ("name", "default", "low", "high", "choices", "help")

    def __init__(
        self, name: str, default: Any, help: str, low: int = 0, high: int = 0, choices: tuple[str, ...] = ()
    ) -> None:
        self.name = name
        self.default = default
        self.help = help
        self.low = low
        self.high = high
        self.choices = choices

    @property
    def variable(self) -> str:
        return "CAIRN_" + self.name.upper()

    @property
    def takes(self) -> str:
        """What would do as a value, in words."""
        if isinstance(self.default, bool):
            return "1 or 0"
        if isinstance(self.default, int):
            return "a whole number from " + str(self.low) + " to " + str(self.high)
        return " or ".join(self.choices) or "one word"

    def read(self, given: Any) -> Any:
        """The value of what a file or the environment gives. Raises ValueError for what can't be taken."""
        if isinstance(self.default, bool):
            words = {
                "1": True,
                "true": True,
                "yes": True,
                "on": True,
                "0": False,
                "false": False,
                "no": False,
                "y": True,
                "n": False,
            }
            words.update({"off": False, "": False})
            value = words.get(str(given).lower())
            if value is None:
                raise ValueError(self.takes)
            return value
        if isinstance(self.default, int):
            text = str(given)
            if not text.isascii() or not text.isdigit() or not self.low <= int(text) <= self.high:
                raise ValueError(self.takes)
            return int(text)
        if given not in self.choices if self.choices else not self._is_a_word(given):
            raise ValueError(self.takes)
        return given

    @staticmethod
    def _is_a_word(given: Any) -> bool:
        return isinstance(given, str) and not given.startswith("-") and len(given.split()) <= 1


SETTINGS = (
    Setting("off", False, "Turns everything off: hooks print nothing and capture nothing."),
    Setting(
        "brief_limit",
        defaults.BRIEF_LIMIT,
        "Memories in the brief at a session's start.",
        low=1,
        high=defaults.BRIEF_LIMIT_MAX,
    ),
    Setting(
        "brief_tokens",
        defaults.BRIEF_TOKENS,
        "The brief's size in tokens, estimated as characters / 4.",
        low=200,
        high=defaults.BRIEF_TOKENS,
    ),
    Setting(
        "extractor",
        "rules",
        "What reads the transcript: offline rules at no cost, Anthropic's API (needs ANTHROPIC_API_KEY), or your own "
        "`claude`. The latter two send redacted parts of the conversation to the model.",
        choices=("rules", *defaults.EXTRACTOR_MODELS),
    ),
    Setting(
        "extractor_model",
        "",
        "The model of a paid extractor; empty for its own: "
        + ", ".join(name + " " + model for name, model in defaults.EXTRACTOR_MODELS.items())
        + ".",
    ),
    Setting(
        "extractor_calls",
        defaults.EXTRACTOR_CALLS,
        "The most calls of paid extractors a UTC day; then rules do the work.",
        low=0,
        high=10_000,
    ),
    Setting(
        "extractor_tokens",
        defaults.EXTRACTOR_TOKENS,
        "The most tokens of paid extractors a UTC day, sent and received; then rules do the work.",
        low=10_000,
        high=50_000_000,
    ),
)


def data_home(environ: Any = os.environ) -> str | None:
    """The data home, or None where the environment names none (the password file is never asked)."""
    given: str = environ.get("CAIRN_HOME", "")
    if given:
        return given if os.path.isabs(given) else None
    if environ.get("XDG_DATA_HOME"):
        return os.path.join(os.path.abspath(environ["XDG_DATA_HOME"]), "cairn")
    if os.name == "nt" and environ.get("LOCALAPPDATA"):
        return os.path.join(os.path.abspath(environ["LOCALAPPDATA"]), "cairn")
    if environ.get("HOME"):
        return os.path.join(os.path.abspath(environ["HOME"]), ".local", "share", "cairn")
    return None


def need_home(environ: Any = os.environ) -> str:
    """The data home. Raises BadInput where the environment names none."""
    home = data_home(environ)
    if home is None and environ.get("CAIRN_HOME"):
        raise BadInput("CAIRN_HOME is not an absolute path: " + environ["CAIRN_HOME"][:80], "export CAIRN_HOME=$HOME/…")
    if home is None:
        raise BadInput(
            "there is no place for memories: neither CAIRN_HOME nor HOME is set", "export HOME=… or CAIRN_HOME=…"
        )
    return home


def load(home: str, environ: Any = os.environ) -> tuple[dict[str, Any], list[str]]:
    """Every setting's value, and a line for each given value that can't be taken (its default holds instead)."""
    given, problems = _config(os.path.join(home, "config.json"))
    values = {}
    for setting in SETTINGS:
        source, raw = setting.variable, environ.get(setting.variable)
        if raw is None:
            source, raw = setting.name + " in config.json", given.get(setting.name)
        values[setting.name] = setting.default
        if raw is not None:
            try:
                values[setting.name] = setting.read(raw)
            except ValueError as problem:
                problems.append(source + " is " + repr(raw)[:40] + "; it takes " + str(problem))
    return values, problems


def _config(path: str) -> tuple[dict[str, Any], list[str]]:
    try:
        with open(path, encoding="utf-8") as file:
            given = parse(file.read())
    except FileNotFoundError:
        return {}, []
    except (OSError, ValueError) as problem:
        return {}, [path + " can't be read: " + str(problem)]
    if not isinstance(given, dict):
        return {}, [path + " is not a JSON object"]
    return given, []
