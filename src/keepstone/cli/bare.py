"""Face: the command line before Keepstone's packages are installed. Standard library only.

It reads as the full one does and prints plain markdown; what it is told to store is kept in the spool for the worker.
"""

from __future__ import annotations

import argparse
import os
import sys
import time

from ..admin import bootstrap
from ..admin.install import changes
from ..admin.install import setup as setting_up
from ..admin.install import uninstall as removal
from ..api.memory import Memory
from ..api.types import Results
from ..config import runtime
from ..config.own_environment import keep_own_environment
from ..config.provenance import data_home, note_home, require_home
from ..lib import files, limits
from ..lib.errors import BadInput, KeepstoneError, access_hint
from ..lib.text import MASK, clean
from ..model.hit import Hit, markdown_line
from ..model.memory import kinds_of, require_kinds
from ..version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PLUGIN = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
STATUS = "`keepstone status` shows what there is, here and elsewhere."


def search(given: argparse.Namespace) -> None:
    words = " ".join(given.words)
    _results(_memory(given).search(words, kind=given.kind, limit=given.limit, everything=given.all), words)


def about(given: argparse.Namespace) -> None:
    words = " ".join(given.words)
    _results(_memory(given).about(words, kind=given.kind, limit=given.limit, everything=given.all), words)


def decisions(given: argparse.Namespace) -> None:
    if given.kind and not set(require_kinds(given.kind)) <= set(kinds_of("decision")):
        raise BadInput(given.kind + " is no type of decision", "keepstone recent --type " + given.kind)
    found = _memory(given).recent(kind=given.kind or "decision", limit=given.limit, everything=given.all)
    _listing(found, "No decisions yet. " + STATUS)


def recent(given: argparse.Namespace) -> None:
    found = _memory(given).recent(kind=given.kind, limit=given.count or given.limit, everything=given.all)
    _listing(found, "No memories yet. " + STATUS)


def context(given: argparse.Namespace) -> None:
    limit = min(given.limit, limits.BRIEF_LIMIT_MAX) if given.limit else None
    sys.stdout.write(_memory(given).brief(limit, given.kind).text)


def store(given: argparse.Namespace) -> None:
    memory = _memory(given)
    said = " ".join(given.words)
    kept = memory.spool_store(
        said,
        kind=given.kind or "fact",
        relevance=given.relevance,
        tags=given.tags,
        user=given.user,
        ttl=given.ttl,
        until=given.until,
    )
    waits = _what_it_waits_for(memory)
    print("Saved. Searchable " + ("once Keepstone's packages are there: " + waits if waits else "in a few seconds."))
    if MASK in kept and MASK not in said:
        print("What looked like a secret was left out.", file=sys.stderr)


def status(given: argparse.Namespace) -> None:
    memory = _memory(given)
    now = memory.maintenance.status(everything=given.all)
    print(_counted(now.memories, "memory", "memories") + " in " + (now.project or "sessions outside any project"))
    if now.for_review:
        print(str(now.for_review) + (" waits" if now.for_review == 1 else " wait") + " for your word: keepstone review")
    print("Waiting in the spool: " + str(now.waiting))
    print("Keepstone's packages: " + (_what_it_waits_for(memory) or "being installed; this takes about half a minute"))
    print("Data: " + clean(now.home))


def onboard(given: argparse.Namespace) -> None:
    """A newcomer's "no" is heard already; what a "yes" brings needs the packages."""
    if not given.no or given.more:
        raise _needs_packages("onboard")
    Memory().admin.decline()
    print("Noted: nobody asks again. `keepstone onboard` is there whenever you like.")


def setup(given: argparse.Namespace) -> None:
    flags = {changes.SKILL: given.slash_memory, changes.LINE: given.statusline, changes.RULES: given.claude_md}
    chosen = {flag: "" for flag, wanted in flags.items() if wanted}
    chosen.update({} if given.shell is None else {changes.SHELL: given.shell})
    chosen.update({} if given.extractor is None else {changes.EXTRACTOR: given.extractor})
    _print(setting_up.setup(changes.InstallTarget(os.environ), chosen, setting_up.asker(), given.dry_run))


def uninstall(given: argparse.Namespace) -> None:
    count = Memory().maintenance.total()
    _print(removal.uninstall(changes.InstallTarget(os.environ), count, setting_up.asker(), given.yes, given.purge))


def build(given: argparse.Namespace) -> None:
    """In the foreground, and whatever a back-off says: a person asks for it."""
    try:
        print("Installing Keepstone's packages; this takes 10 to 30 seconds ...", flush=True)
        home = require_home()
        print(bootstrap.build(home, os.environ, time.time(), wait=True, everything=given.everything))
        note_home(home)
    except bootstrap.Failure as problem:
        raise KeepstoneError("Keepstone's packages can't be installed: " + problem.what, problem.typed) from problem


def _memory(given: argparse.Namespace) -> Memory:
    memory = Memory(folder=given.project)
    if memory.context.settings["server_url"] or "server_url" in memory.context.settings.refused:
        raise KeepstoneError(
            "the memories are those of a server, and asking it needs Keepstone's packages", "keepstone bootstrap"
        )
    return memory


def _print(lines: Iterator[str]) -> None:
    for line in setting_up.printable(lines):
        print(line, flush=True)


def _results(results: Results, words: str) -> None:
    searched = _counted(results.searched, "memory", "memories")
    _listing(results.found, "Nothing about " + repr(words) + " in " + searched + " searched here.")
    if not results.found and results.elsewhere:
        print("Other projects hold " + str(results.elsewhere) + " more: add --all to search them too.", file=sys.stderr)


def _listing(found: list[Hit], empty: str) -> None:
    for shown in found:
        print(markdown_line(shown))
    if not found:
        print(empty, file=sys.stderr)


def _counted(count: int, one: str, many: str) -> str:
    return str(count) + " " + (one if count == 1 else many)


def _what_it_waits_for(memory: Memory) -> str:
    """Why the packages are not being installed, "" when they are."""
    if memory.context.environ.get(runtime.NO_BOOTSTRAP):
        return runtime.NO_BOOTSTRAP + " forbids installing them; `keepstone bootstrap` does it all the same"
    return str(runtime.build_state(memory.context.home).get("line") or "")


COMMANDS: dict[str, tuple[Callable[[argparse.Namespace], None], str, int | None]] = {
    "search": (search, "Find memories by words.", limits.SEARCH_LIMIT),
    "about": (about, "Everything known on a topic.", limits.ABOUT_LIMIT),
    "decisions": (decisions, "What was decided, newest first.", limits.DECISIONS_LIMIT),
    "recent": (recent, "The newest memories.", limits.RECENT_LIMIT),
    "context": (context, "What the next session here receives at its start.", None),
    "store": (store, "Keep one sentence with its why.", None),
    "status": (status, "What Keepstone knows here, and what it waits for.", None),
    "bootstrap": (build, "Install Keepstone's packages now.", None),
    "onboard": (onboard, "Say no to what a newcomer is offered; a yes needs the packages.", None),
    "setup": (setup, "Show what Keepstone can add to your own files, and add what you choose.", None),
    "uninstall": (uninstall, "Take back what setup did; your own changes stay.", None),
}


def parser() -> argparse.ArgumentParser:
    whole = argparse.ArgumentParser(
        prog="keepstone",
        description="A memory across Claude Code sessions. Keepstone's packages are not installed yet: these commands "
        "work without them; the others follow (doctor, show, edit, forget, export and more: docs/cli.md).",
    )
    whole.add_argument("-V", "--version", action="version", version="keepstone, version " + __version__)
    commands = whole.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, (run, help, limit) in COMMANDS.items():
        one = commands.add_parser(name, help=help, description=help)
        one.set_defaults(run=run, project=None)
        _ARGUMENTS.get(name, _reading)(one, name, limit)
    return whole


def _reading(one: argparse.ArgumentParser, name: str, limit: int | None) -> None:
    if name in ("search", "about"):
        one.add_argument("words", nargs="+", metavar="WORD")
    if name == "recent":
        one.add_argument("count", nargs="?", type=_count, metavar="N")
    one.add_argument("--limit", type=_count, default=limit)
    one.add_argument("--all", action="store_true", help="Every project, not only this one.")
    _placing(one)


def _storing(one: argparse.ArgumentParser, name: str, limit: int | None) -> None:
    one.add_argument("words", nargs="+", metavar="TEXT")
    one.add_argument("--relevance", type=float, default=limits.MANUAL_RELEVANCE)
    one.add_argument("--tag", dest="tags", action="append", default=[], metavar="WORD")
    one.add_argument("--user", action="store_true", help="Holds in every project.")
    one.add_argument("--ttl", default="", metavar="SPAN", help="It ends after so long: 30d, 12h.")
    one.add_argument("--until", default="", metavar="DAY", help="It holds to the end of a day: 2026-12-24, or 7d.")
    _placing(one)


def _placing(one: argparse.ArgumentParser) -> None:
    one.add_argument("--type", dest="kind", metavar="TYPE")
    one.add_argument("--project", metavar="PATH", help="Another project's folder.")


def _onboarding(one: argparse.ArgumentParser, name: str, limit: int | None) -> None:
    one.add_argument("--no", action="store_true", help="Never ask again.")


def _setting_up(one: argparse.ArgumentParser, name: str, limit: int | None) -> None:
    one.add_argument(changes.SHELL, nargs="?", const="", metavar="FOLDER", help=changes.says(changes.SHELL))
    for flag in (changes.SKILL, changes.LINE, changes.RULES):
        one.add_argument(flag, action="store_true", help=changes.says(flag))
    one.add_argument(changes.EXTRACTOR, metavar="NAME", help=changes.says(changes.EXTRACTOR))
    one.add_argument("--dry-run", action="store_true", help="Only show what would be written.")


def _removing(one: argparse.ArgumentParser, name: str, limit: int | None) -> None:
    one.add_argument("--purge", action="store_true", help="Delete the memories too.")
    one.add_argument("--yes", action="store_true", help="Do not ask.")


def _building(one: argparse.ArgumentParser, name: str, limit: int | None) -> None:
    says = "Also those of `keepstone serve` and `keepstone mcp`, from now on."
    one.add_argument("--all", dest="everything", action="store_true", help=says)


_ARGUMENTS = {
    "store": _storing,
    "onboard": _onboarding,
    "setup": _setting_up,
    "uninstall": _removing,
    "bootstrap": _building,
}


def _count(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= limits.LISTING_LIMIT_MAX:
        raise argparse.ArgumentTypeError("a whole number from 1 to " + str(limits.LISTING_LIMIT_MAX))
    return int(text)


def _needs_packages(command: str) -> KeepstoneError:
    gone = runtime.gone(require_home())
    why = "not there yet" if not gone else "gone with their Python: " + ", ".join(gone)
    return KeepstoneError(
        "`keepstone " + clean(command)[:40] + "` needs Keepstone's packages, which are " + why,
        "keepstone bootstrap (it installs them, or waits until that is done)",
    )


def _help_of(command: str) -> str:
    """What the full command line says of a command that needs the packages, "" where it knows none of that name."""
    _, _, rest = files.read(os.path.join(PLUGIN, "docs", "cli.md")).partition(
        "\n### keepstone " + command + "\n\n```\n"
    )
    return rest.partition("\n```")[0]


def _require_readable_home() -> None:
    """A home that can't be entered looks like one without packages: it is named before anybody waits for them."""
    home = data_home()
    if home and os.path.isdir(home) and not os.access(home, os.R_OK | os.X_OK):
        raise KeepstoneError(home + " can't be read", access_hint(home))


def _is_a_shells_question() -> bool:
    """Whether a shell asks, at its start or at the Tab key: it has no use for advice."""
    starts = sys.argv[1:2] == ["completion"] and not sys.stdout.isatty()
    return starts or "_KEEPSTONE_COMPLETE" in os.environ


def _start_build() -> None:
    home = data_home()
    if home and runtime.build_is_due(home, time.time()) and not os.environ.get(runtime.NO_BOOTSTRAP):
        if files.create_exclusive(runtime.build_file(home), "{}"):
            print("Keepstone installs its packages in the background, once, into " + home + "/venv.", file=sys.stderr)
        runtime.start_build(home)


def _given(words: list[str]) -> argparse.Namespace | None:
    """The command that was typed; None for one that needs the packages, whose help is there without them."""
    if help := _help_of(words[0]) if words[0] not in COMMANDS else "":
        if words[-1] not in ("-h", "--help"):
            return None
        print(help)
        sys.exit(0)
    if not words[0].startswith("-") and words[0] not in COMMANDS:
        raise BadInput("there is no command " + clean(words[0])[:40], "keepstone --help")
    whole = parser()
    given, more = whole.parse_known_args(words)
    if more and given.command != "onboard":
        whole.error("unrecognized arguments: " + clean(" ".join(more)))
    given.more = more
    return given


def main() -> None:
    """Runs a command and leaves with the documented exit code: 0 ok, 1 expected, 2 usage, 3 bug."""
    os.umask(0o077)
    keep_own_environment()
    files.open_streams()
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    if _is_a_shells_question():
        return
    try:
        given = _given(sys.argv[1:] or ["status"])
        _require_readable_home()
        if given is None:
            raise _needs_packages(sys.argv[1])
        if given.command not in ("bootstrap", "setup", "uninstall"):
            _start_build()
        given.run(given)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    except KeyboardInterrupt:
        print("Stopped. Type it again to go on.", file=sys.stderr)
        sys.exit(130)
    except (KeepstoneError, ImportError, OSError) as problem:
        sys.exit(_fail(problem))


def _fail(problem: Exception) -> int:
    """Says what happened and what to type next; the exit code."""
    print("Error: " + clean(str(problem)), file=sys.stderr)
    hint = problem.hint if isinstance(problem, KeepstoneError) else "keepstone status"
    if hint:
        print("Try: " + clean(hint), file=sys.stderr)
    if isinstance(problem, OSError):  # perhaps of stdout: what is left in its buffer must not fail a second time
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 2 if isinstance(problem, BadInput) else 1
