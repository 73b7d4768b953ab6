"""Turns facts about an installation into doctor's report: one check a line, with the command to type next
if it fails.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..lib.errors import access_hint, away
from ..lib.text import counted

NO_BRIEF = "sessions start without their brief"
ROOM_BYTES = 1_000_000  # a write of the database needs some pages and its journal
NAMES_MAX, NAME_CHARS = 5, 40  # of unknown types that are named
REWRITE = "keepstone show ID, then keepstone revise ID 'what it should say', or keepstone erase ID"


@dataclass(frozen=True, slots=True)
class Check:
    """The result of a check. `state` is ok, warn or fail. `fix` is what to type next, "" for nothing."""

    name: str
    state: str
    says: str
    fix: str = ""


@dataclass(slots=True)
class Facts:
    """The facts that doctor gathered. Empty strings are unknown or absent. `agents` holds (name, number of active
    memories), largest first. `room` is the sum of one agent's caps for all tiers.
    """

    home: str = ""
    home_mode: int | None = None
    unwritable: str = ""
    free_bytes: int | None = None
    unreadable: str = ""
    in_the_way: str = ""
    opened_in_sessions: bool | None = None  # of a home that a variable names; None if there is nothing to tell
    setting_problems: list[str] = field(default_factory=list)
    settings_hint: str = "keepstone config"
    off: bool = False
    hook_python: str = ""
    worker_python: str = ""
    build_problem: str = ""
    broken_python: list[str] = field(default_factory=list)
    gone_python: list[str] = field(default_factory=list)
    database: str = ""
    database_problem: str = ""
    database_fix: str = ""
    database_size: int = 0
    integrity: str = ""
    index_problem: str = ""
    journal: str = ""
    damaged: list[str] = field(default_factory=list)
    memories: int = 0
    kept_apart: str = ""  # the known project that this folder claims to be, and does not hold the first commit of
    copies: int = 0
    agents: tuple[tuple[str, int], ...] = ()
    room: int = 0
    sessions: int = 0
    last_captured: str = ""
    deliveries: int = 0
    last_delivered: str = ""
    last_hook: str = ""
    turned_off: str = ""
    own_memory: bool = False
    unknown_records: dict[str, int] = field(default_factory=dict)
    other_memories: list[str] = field(default_factory=list)
    waiting: int = 0
    aside: list[str] = field(default_factory=list)
    missed: int = 0
    hook_errors: list[str] = field(default_factory=list)
    extractor: str = ""
    extractor_failures: int = 0
    extractor_problem: str = ""
    extractor_lacks: str = ""
    embedder: str = ""
    embedder_lacks: str = ""
    embedder_fix: str = ""
    model: str = ""
    server: str = ""
    unsent: int = 0
    refused: list[str] = field(default_factory=list)
    copy: str = ""
    copy_problem: str = ""
    copy_renewed: str = ""


def report(facts: Facts) -> list[Check]:
    return [
        _home(facts),
        *([_opened(facts)] if facts.opened_in_sessions is not None else []),
        _settings(facts),
        *([_claim(facts)] if facts.kept_apart else []),
        _interpreters(facts),
        _database(facts),
        _rows(facts),
        _sessions(facts),
        *([_records(facts)] if facts.unknown_records else []),
        _delivery(facts),
        _spool(facts),
        *([_server(facts)] if facts.server or facts.unsent else []),
        *([_copy(facts)] if facts.copy else []),
        _extractor(facts),
        _search(facts),
        _hooks(facts),
        _own_memory(facts),
        _others(facts),
    ]


def _home(facts: Facts) -> Check:
    if facts.in_the_way:
        says = f"{facts.in_the_way} is no folder: nothing is learned"
        return Check("data home", "fail", says, away(facts.in_the_way))
    if facts.home_mode is None:
        return Check(
            "data home", "warn", f"{facts.home} does not exist yet", "keepstone store, or a session with the plugin"
        )
    if facts.unwritable and not facts.unreadable:
        says = f"{facts.unwritable} can't be written: nothing is learned or counted"
        return Check("data home", "fail", says, access_hint(facts.home))
    if facts.unreadable:
        lost = "what is said waits or is lost" if facts.unreadable.startswith(f"{facts.home}/spool") else NO_BRIEF
        return Check("data home", "fail", f"{facts.unreadable} can't be read: {lost}", access_hint(facts.home))
    if facts.free_bytes is not None and facts.free_bytes < ROOM_BYTES:
        says = f"the disk of {facts.home} is full: nothing is learned or counted until there is room"
        return Check("data home", "fail", says, f"df -h '{facts.home}'")
    if facts.home_mode & 0o077:
        return Check("data home", "warn", f"{facts.home} is open to other users", f"chmod 700 '{facts.home}'")
    return Check("data home", "ok", facts.home)


def _opened(facts: Facts) -> Check:
    if facts.opened_in_sessions:
        return Check("home in sessions", "ok", "a variable names the data home, and sessions open it")
    says = "a variable names the data home, and sessions do not open it: it holds no note that you have"
    if facts.home_mode is None:
        return Check("home in sessions", "warn", says, "keepstone store, or set it in ~/.claude/settings.json (env)")
    return Check("home in sessions", "warn", says, "set KEEPSTONE_HOME in ~/.claude/settings.json (env) too")


def _settings(facts: Facts) -> Check:
    if facts.setting_problems:
        return Check("settings", "fail", "; ".join(facts.setting_problems), facts.settings_hint)
    if facts.off:
        return Check(
            "settings",
            "warn",
            "Keepstone is turned off here",
            "unset KEEPSTONE_OFF; keepstone config off --unset; keepstone config off --unset --project .",
        )
    return Check("settings", "ok", "valid")


def _claim(facts: Facts) -> Check:
    says = f"this folder says that it is {facts.kept_apart}, and does not hold the first commit of that project"
    return Check("project", "warn", f"{says}: their memories are kept apart until it does", "git fetch --unshallow")


def _interpreters(facts: Facts) -> Check:
    if facts.build_problem:
        return Check("interpreter", "fail", facts.build_problem, f"see {facts.home}/logs/build.log")
    if facts.gone_python:
        says = f"{', '.join(facts.gone_python)} is recorded and no longer there"
        return Check("interpreter", "fail", says, "keepstone bootstrap")
    if not facts.worker_python:
        says = "Keepstone's packages are not installed yet: what is said is kept, and learned once they are"
        return Check("interpreter", "fail", says, "keepstone bootstrap")
    if facts.broken_python:
        return Check(
            "interpreter", "fail", f"{', '.join(facts.broken_python)} can't run Keepstone", "keepstone bootstrap"
        )
    return Check(
        "interpreter", "ok", f"hooks: {facts.hook_python or 'the system python3'}; worker: {facts.worker_python}"
    )


def _database(facts: Facts) -> Check:
    if facts.database_problem:
        return Check("database", "fail", facts.database_problem, facts.database_fix or "keepstone doctor --repair")
    if facts.integrity not in ("", "ok"):
        return Check("database", "fail", f"damaged: {facts.integrity}", "keepstone doctor --repair")
    if facts.index_problem:
        says = f"the search index does not match: {facts.index_problem}"
        return Check("database", "fail", says, "keepstone doctor --repair")
    held = sum(count for _, count in facts.agents)
    if held > facts.room > 0:  # caps count for each agent, but a search reads all agents' memories
        agent, count = facts.agents[0]
        says = f"{held:,} memories of {len(facts.agents)} agents, {count:,} {agent}'s; one may have {facts.room:,}"
        return Check(
            "database",
            "warn",
            says,
            f"keepstone forget --agent {agent} --everywhere, or keepstone config tier.semantic.cap",
        )
    if facts.copies and not facts.memories:
        fix = "keepstone backup --list, then keepstone restore-backup NAME"
        return Check("database", "warn", "no memories are in it, while there are copies of earlier days", fix)
    note = "" if facts.journal in ("wal", "") else f", journal {facts.journal}"
    return Check(
        "database", "ok", f"{counted(facts.memories, 'memory', 'memories')} in {facts.database_size / 1e6:.1f} MB{note}"
    )


def _rows(facts: Facts) -> Check:
    if facts.damaged:
        some = ", ".join(facts.damaged[:5])
        rows = counted(len(facts.damaged), "row is", "rows are")
        return Check("digests", "fail", f"{rows} not what was written: {some}", REWRITE)
    if facts.database_problem or facts.integrity not in ("", "ok"):
        return Check("digests", "warn", "not every row could be looked at")
    return Check("digests", "ok", "every memory and evidence is what was written")


def _sessions(facts: Facts) -> Check:
    if facts.turned_off:
        says = f"Claude Code's settings turn the plugin off: {facts.turned_off}"
        return Check("sessions", "warn", says, f"claude plugin enable {facts.turned_off}")
    if not facts.sessions:
        fix = "claude plugin install keepstone@keepstone (see the README), then start a session"
        return Check("sessions", "warn", "no session has reported to Keepstone yet", fix)
    learned = f"last learned at {facts.last_captured}" if facts.last_captured else "nothing learned yet"
    return Check("sessions", "ok", f"{facts.sessions:,} seen, {learned}")


def _records(facts: Facts) -> Check:
    kinds = sorted(facts.unknown_records.items(), key=lambda kind: (-kind[1], kind[0]))
    told = ", ".join(f"{name[:NAME_CHARS]} ({count:,})" for name, count in kinds[:NAMES_MAX])
    more = f" and {len(kinds) - NAMES_MAX} more" if len(kinds) > NAMES_MAX else ""
    says = f"of types that this Keepstone does not know, and does not read: {told}{more}"
    return Check(
        "records", "warn", f"the newest transcripts hold records {says}", "claude plugin update keepstone@keepstone"
    )


def _delivery(facts: Facts) -> Check:
    if facts.deliveries:
        times = "once" if facts.deliveries == 1 else f"{facts.deliveries:,} times"
        return Check("delivery", "ok", f"a memory was given to a session {times}, last at {facts.last_delivered}")
    if facts.memories and facts.sessions:
        return Check("delivery", "warn", "no memory was given to a session yet", "keepstone doctor --prove")
    return Check("delivery", "ok", "nothing to deliver yet")


def _spool(facts: Facts) -> Check:
    if facts.aside:
        jobs = counted(len(facts.aside), "job", "jobs")
        return Check("spool", "fail", f"{jobs} failed too often", "keepstone worker run --retry")
    if facts.missed:
        says = f"what was said in {counted(facts.missed, 'session', 'sessions')} could not be kept"
        says += ": there was no room, or the data home could not be used"
        return Check("spool", "fail", says, f"see that {facts.home} has room, then: keepstone worker run --wait")
    if facts.waiting:
        return Check("spool", "warn", f"{counted(facts.waiting, 'job', 'jobs')} pending", "keepstone worker run --wait")
    return Check("spool", "ok", "empty")


def _server(facts: Facts) -> Check:
    if facts.refused:
        memories = counted(len(facts.refused), "memory", "memories")
        says = f"the server refused {memories} queued here, the last: {facts.refused[-1]}"
        return Check("server", "fail", says, "keepstone worker run --retry")
    if facts.unsent:
        memories = counted(facts.unsent, "memory is", "memories are")
        says = f"{memories} kept here for {facts.server or 'a server that is not set any more'}"
        return Check("server", "warn", says, "keepstone worker run, or keepstone config server_url")
    return Check("server", "ok", f"the command line is about the memories of {facts.server}")


def _copy(facts: Facts) -> Check:
    if facts.copy_problem:
        says = f"hooks read nothing, and what they saw waits: {facts.copy_problem}"
        return Check("read copy", "fail", says, f"rm '{facts.copy}'*: it is made anew")
    if not facts.copy_renewed:
        return Check(
            "read copy", "warn", "there is none yet: hooks have nothing to show", "keepstone worker run --wait"
        )
    return Check("read copy", "ok", f"hooks read {facts.copy}, brought up to date at {facts.copy_renewed}")


def _extractor(facts: Facts) -> Check:
    if facts.extractor_failures:
        says = f"{facts.extractor} failed {facts.extractor_failures}x today, last: {facts.extractor_problem}"
        return Check("extractor", "warn", f"{says}; rules did that work", "keepstone config extractor")
    if facts.extractor_lacks:
        return Check("extractor", "warn", f"{facts.extractor}: {facts.extractor_lacks}", "keepstone config extractor")
    return Check("extractor", "ok", facts.extractor)


def _search(facts: Facts) -> Check:
    if facts.embedder_lacks:
        says = f"by words alone; {facts.embedder}: {facts.embedder_lacks}"
        return Check("search", "warn", says, facts.embedder_fix)
    return Check("search", "ok", f"by words and meaning ({facts.model})" if facts.model else "by words")


def _hooks(facts: Facts) -> Check:
    if facts.hook_errors:
        return Check("hooks", "warn", f"last error: {facts.hook_errors[-1]}", f"see {facts.home}/logs/hooks.log")
    ran = f"; last run: {facts.last_hook}" if facts.last_hook else ""
    return Check("hooks", "ok", f"no errors logged{ran}")


def _own_memory(facts: Facts) -> Check:
    says = "on; what it tells a session is left out of the brief" if facts.own_memory else "off"
    return Check("Claude's own memory", "ok", says)


def _others(facts: Facts) -> Check:
    if facts.other_memories:
        names = ", ".join(facts.other_memories)
        says = f"{names} gives memories to sessions too: you pay for both, and they may disagree"
        return Check("other memory plugins", "warn", says, f"claude plugin disable {facts.other_memories[0]}")
    return Check("other memory plugins", "ok", "none that is known")
