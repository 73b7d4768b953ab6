"""Face: the command line. Its boundary turns errors into exit codes: 0 ok, 1 expected, 2 usage, 3 bug."""

from __future__ import annotations

import os
import sys
import time
from importlib import import_module
from io import StringIO, TextIOWrapper

import click

from ..config import runtime
from ..config.own_environment import ANOTHER_PYTHON, keep_own_environment
from ..config.provenance import LEFT_OUT, data_home
from ..lib import files
from ..lib.errors import BadInput, KeepstoneError
from ..lib.spelling import meant
from ..lib.text import clean
from ..spool import spool
from ..version import __version__

SECTIONS = (
    ("Find", ("search", "about", "decisions", "recent", "show", "context", "focus")),
    (
        "Keep and correct",
        ("store", "keep", "edit", "revise", "rate", "verify", "pin", "unpin", "forget", "restore", "erase"),
    ),
    ("Review", ("review", "promote", "demote", "merge")),
    ("See how it hangs together", ("graph",)),
    ("Account for", ("why", "history", "audit", "diff", "undo")),
    ("Begin", ("setup", "onboard", "completion")),
    (
        "Look after",
        (
            *("status", "week", "doctor", "config", "capture", "observe", "ingest", "worker"),
            *("backup", "restore-backup", "scrub", "reindex", "bootstrap"),
        ),
    ),
    ("For other programs", ("serve", "mcp")),
    ("Take along, and leave", ("import", "export", "migrate", "share", "uninstall")),
)
# The module that a command is in, if it does not have the command's name. A call loads one: all of them take 40 ms.
PARTS = {
    **dict.fromkeys(("search", "about", "decisions", "recent", "show", "context", "focus"), "find"),
    **dict.fromkeys(("keep", "revise", "rate", "verify", "pin", "unpin", "restore"), "store"),
    **dict.fromkeys(("erase",), "forget"),
    **dict.fromkeys(("promote", "demote", "merge"), "review"),
    **dict.fromkeys(("audit", "diff", "undo"), "history"),
    **dict.fromkeys(("setup", "completion", "bootstrap", "uninstall"), "install"),
    **dict.fromkeys(("week",), "status"),
    **dict.fromkeys(("observe", "ingest"), "capture"),
    **dict.fromkeys(("backup", "restore-backup", "scrub", "reindex"), "maintenance"),
    **dict.fromkeys(("import", "export", "migrate", "share"), "transfer"),
}
LEAVES_NO_TRACE = ("setup", "completion", "uninstall")  # what they do to the data home they do themselves


class Sections(click.Group):
    """A group whose help lists its commands by what they are for, and which loads those that are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(name for _, names in SECTIONS for name in names)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        part = import_module(f".{PARTS.get(cmd_name, cmd_name)}", __package__)
        commands: tuple[click.Command, ...] = part.COMMANDS
        return next(command for command in commands if command.name == cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as problem:
            commands = self.list_commands(ctx)
            near = meant(args[0], commands) or next((name for name in commands if name.startswith(args[0])), "")
            if not near:
                raise
            ctx.fail(f"{problem.message} Try: keepstone {near}")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, names in SECTIONS:
            with formatter.section(title):
                commands = [(name, self.get_command(ctx, name)) for name in names]
                formatter.write_dl([(name, one.get_short_help_str(80)) for name, one in commands if one])


@click.group(
    cls=Sections,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "-V", "--version", prog_name="keepstone")
def keepstone() -> None:
    """A memory across Claude Code sessions.

    Listings and searches cover this folder's project and what holds in every project. Ids may be shortened to any
    unique beginning. Without a command, `keepstone` prints the status.
    """
    context = click.get_current_context()
    command = context.invoked_subcommand
    if command not in LEAVES_NO_TRACE and "--dry-run" not in sys.argv:  # which writes nothing at all
        _settle_in(starts_worker=command != "worker")
    if command is None and (overview := keepstone.get_command(context, "status")):
        context.invoke(overview)


def main() -> None:
    """Runs a command and leaves with the documented exit code."""
    os.umask(0o077)  # whatever is made here is the user's alone
    keep_own_environment()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # of numpy, which would take every core
    files.open_streams()
    _write_what_can_be_written()
    try:
        code = keepstone.main(prog_name="keepstone", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as problem:
        told = StringIO()
        problem.show(told)
        click.echo(clean(told.getvalue()), err=True)  # it quotes what was typed, or pasted
        code = problem.exit_code
    except KeepstoneError as problem:
        _say(f"Error: {problem.message}", problem.hint)
        code = 2 if isinstance(problem, BadInput) else 1
    except (click.Abort, KeyboardInterrupt):
        code = 130
    except BrokenPipeError:
        _leave_stdout()
        code = 0
    except OSError as problem:
        _say(
            f"Error: {problem.strerror or problem}{f': {problem.filename}' if problem.filename else ''}",
            "keepstone doctor",
        )
        _leave_stdout()
        code = 1
    except Exception:  # noqa: BLE001  the last line of defence names a log instead of printing a traceback
        _say(f"Error: a bug in Keepstone; what happened is in {_log_bug()}", "please report it with that file")
        code = 3
    sys.exit(code if isinstance(code, int) else 0)


def _write_what_can_be_written() -> None:
    """A terminal that knows no Japanese shows question marks, not an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def _leave_stdout() -> None:
    """Its reader has gone or its disk is full: what is left in the buffer must not fail a second time."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _say(message: str, hint: str) -> None:
    print(clean(message), file=sys.stderr)
    if hint:
        print(f"Try: {clean(hint)}", file=sys.stderr)


def _settle_in(starts_worker: bool) -> None:
    """A capable interpreter records itself where none is valid, and sees that waiting jobs are worked on."""
    home = data_home()
    if home is None:
        return
    hook, worker = runtime.interpreters(home)
    is_another = ANOTHER_PYTHON in os.environ.get(LEFT_OUT, "")
    try:
        if not worker and not is_another and sys.version_info >= runtime.WORKER_PYTHON:
            runtime.record(home, hook or os.path.realpath(sys.executable), os.path.abspath(sys.executable))
        if starts_worker and spool.count(home, "new"):
            runtime.start_worker(home)
    except OSError:
        pass  # an unwritable home: the command itself says so where it matters


def _log_bug() -> str:
    """Writes the traceback and versions to a file; its path, or where else to look."""
    import platform
    import traceback

    from ..redaction.mask import mask

    home = data_home()
    text = "".join(
        [f"keepstone {__version__}, Python {sys.version}, {platform.platform()}\n", mask(traceback.format_exc())]
    )
    try:
        if home is None:
            raise OSError("no data home")
        os.makedirs(os.path.join(home, "logs"), mode=0o700, exist_ok=True)
        path = os.path.join(home, "logs", f"bug-{time.strftime('%Y%m%dT%H%M%SZ', time.gmtime())}.log")
        with open(path, "w", encoding="utf-8", errors="replace") as log:
            log.write(text)
    except OSError:
        print(text, file=sys.stderr)
        return "the lines above"
    return path


__all__ = ["keepstone", "main"]
