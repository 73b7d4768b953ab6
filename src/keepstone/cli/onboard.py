"""The command for a newcomer's first answers."""

from __future__ import annotations

import os
import sys

import click

from ..admin.install.changes import InstallTarget
from ..admin.install.claude_md_profile import write_profile
from ..admin.install.setup import printable
from ..admin.onboarding_text import TOPICS
from ..api.memory import Memory
from ..api.open import opened
from ..capture.budget import account_of, cost
from ..config import runtime, settings
from ..lib.errors import BadInput, KeepstoneError
from . import output
from .capture import estimate, ingest
from .config import what_it_takes

LEARN_NOW_BYTES = 20_000_000  # so much is read while a newcomer waits, more in the background: 20 s at most

QUESTIONS = {
    "role": "What is your role?",
    "stack": "Which languages and tools do you work with?",
    "goals": "What do you want Claude to help with most?",
    "conventions": "Which conventions or preferences should Claude always keep to?",
}


@click.command()
@click.option("--learn", is_flag=True, help="Learn from all past sessions; many of them in the background.")
@click.option("--role", metavar="TEXT", help="Your role.")
@click.option("--stack", metavar="TEXT", help="The languages and tools you work with.")
@click.option("--goals", metavar="TEXT", help="What Claude is to help with most.")
@click.option("--conventions", metavar="TEXT", help="Conventions and preferences that hold everywhere.")
@click.option("--profile", "writes", is_flag=True, help="Put the answers into your own ~/.claude/CLAUDE.md too.")
@click.option("--no", "declined", is_flag=True, help="No, and never ask me.")
def onboard(learn: bool, writes: bool, declined: bool, **given: str | None) -> None:
    """Begin with what your past sessions say, and with who you are.

    Each answer becomes a memory of its own, for every project; a later one revises it. In a terminal, and without an
    option, it asks; it also tells what a model would take for your sessions, and asks what is to read them.
    """
    answers = {topic: answer for topic, answer in given.items() if answer is not None}
    if declined and (learn or writes or answers):
        raise BadInput("--no goes alone", "keepstone onboard --no")
    for topic, answer in answers.items():
        if not answer.strip():
            raise BadInput(f"there is no answer behind --{topic}", f"keepstone onboard --{topic} '...'")
    memory = opened()
    if memory.capture.is_off:
        raise KeepstoneError("Keepstone is turned off here", "keepstone config off")
    if declined:
        memory.admin.decline()
        click.echo("Noted: nobody asks again. `keepstone onboard` is there whenever you like.")
        return
    if learn or writes or answers:
        _keep(memory, learn, writes, answers)
        return
    _keep(memory, *_asked(memory))
    _choose_extractor(memory)


def _keep(memory: Memory, learn: bool, writes: bool, answers: dict[str, str]) -> None:
    if learn:
        _learn(memory)
    if answers:
        output.memories(memory.admin.onboard(answers), False)
    elif learn:
        memory.admin.onboard({})
    if writes:
        _write(memory)


def _write(memory: Memory) -> None:
    lines = memory.admin.profile()
    if not lines:
        raise BadInput("there is no answer yet to put there", "keepstone onboard --role '...' --profile")
    for line in printable(write_profile(InstallTarget(os.environ), lines)):
        click.echo(line)


def _asked(memory: Memory) -> tuple[bool, bool, dict[str, str]]:
    """What a person at a terminal says: whether to learn, whether to write a profile, and the answers. Raises BadInput
    where there is none.
    """
    if not sys.stdin.isatty():
        raise BadInput(
            "there is nobody to ask", "keepstone onboard --learn, or keepstone onboard --role '...'; --help shows all"
        )
    sources = memory.capture.past()
    learn = sources.left > 0 and click.confirm(
        f"{estimate(sources, memory.maintenance.status().spending)} Learn from them?"
    )
    click.echo("Four questions; leave empty what you would rather not say.")
    said = {
        topic: click.prompt(QUESTIONS[topic], default="", show_default=False, prompt_suffix=" ").strip()
        for topic in TOPICS
    }
    answers = {topic: answer for topic, answer in said.items() if answer}
    writes = bool(answers) and click.confirm("Put that into your own ~/.claude/CLAUDE.md too?")
    return learn, writes, answers


def _choose_extractor(memory: Memory) -> None:
    """Asks a person at a terminal what is to read the sessions to come, and tells what a model would take."""
    if memory.context.settings.sources["extractor"] == settings.setting_of("extractor").variable:
        return  # the environment says it, and would win
    now, would = memory.context.settings["extractor"], memory.capture.estimate_for_model()
    click.echo("What is to read your sessions? A model finds more; it is sent parts of them, redacted.")
    for name, says in settings.EXTRACTORS.items():
        click.echo(f"  {name:<11} {says}")
    if would.calls:
        model = account_of("anthropic", memory.context.settings["extractor_model"]).model
        dollars = cost(model, would.input_tokens, would.output_tokens)
        price = "" if dollars is None else f" (${dollars:.2f} by the API with {model})"
        last = output.counted(would.sessions, "session", "sessions")
        took = output.counted(would.calls, "call", "calls")
        most = memory.context.settings["extractor_daily_calls"]
        click.echo(
            f"Your last {last} would have taken about {took} and {would.input_tokens + would.output_tokens:,} tokens"
            f"{price}. No day takes more than {most} calls."
        )
    value = click.prompt("Which?", type=click.Choice(list(settings.EXTRACTORS)), default=now)
    if value != now:
        memory.privacy.require_person("sends what is said to a model", f"keepstone config extractor {value}")
        settings.change(memory.context.home, settings.setting_of("extractor"), value)
        for line in what_it_takes(opened(), value):
            click.echo(line)


def _learn(memory: Memory) -> None:
    """Here and now, or in the background where that takes long."""
    sources = memory.capture.past()
    if sources.left <= LEARN_NOW_BYTES or not runtime.start_ingest(memory.context.home):
        click.get_current_context().invoke(ingest)
        return
    click.echo(estimate(sources, memory.maintenance.status().spending))
    click.echo(
        "This goes on in the background. `keepstone recent --all` shows what comes of it; should this machine be"
    )
    click.echo("turned off meanwhile, `keepstone ingest` does the rest.")


COMMANDS = (onboard,)
