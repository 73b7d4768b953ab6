"""The rules of docs/architecture.md that a test can check: order, effects, owners, a standard-library hot path."""

from __future__ import annotations

import ast
import importlib.util
import json
import re
import subprocess
import sys
from functools import cache

import pytest

from support import ROOT

SOURCE = ROOT / "src" / "keepstone"
MODULES = [path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py")]

# The rooms, lowest first: one imports itself and those before it. Faces stand last, and import no other face but where
# the command line starts one.
ORDER = (
    *(
        "version",
        "lib",
        "language",
        "model",
        "shell",
        "redaction",
        "project",
        "config",
        "claude_code",
        "caller",
        "db",
        "spool",
    ),
    *("context", "lifecycle", "freshness", "recall", "graph", "capture", "privacy", "transfer", "remote", "jobs"),
    *("admin", "api", "mcp", "server", "cli", "hooks", "worker", "__main__"),
)
FACES = ORDER[ORDER.index("mcp") :]
# Faces that reach memories through `api` alone, and the rooms that this keeps them out of. The status line reads the
# database in a millisecond, without the API; the pool is what the server opens it with; the entry sends a script.
MEMORY_FACES = ("cli", "mcp", "server")
MEMORY_ROOMS = ("db", "lifecycle", "freshness", "recall", "graph", "privacy", "transfer", "jobs")
BARE = ("cli/statusline.py", "server/pool.py", "server/dashboard/entry.py")

# Who may touch the world, by what; everything else is given `now`, ids and connections. A name that ends in / is a
# folder's.
EFFECTS: dict[str, tuple[str, ...]] = {
    "files": (
        "admin/",
        "api/",
        "cli/",
        "hooks/",
        "jobs/",
        "server/",
        "db/",
        "caller.py",
        "capture/explain.py",
        "capture/model_estimate.py",
        "capture/extractors/claude_cli.py",
        "capture/extractors/judge.py",
        "capture/extractors/statements.py",
        "capture/ingest.py",
        "capture/observe.py",
        "capture/pipeline.py",
        "capture/session_end.py",
        "claude_code/record_types.py",
        "claude_code/session_names.py",
        "claude_code/transcript_files.py",
        "config/named_by.py",
        "config/own_environment.py",
        "config/provenance.py",
        "config/runtime.py",
        "config/settings.py",
        "freshness/doubts.py",
        "freshness/verify.py",
        "graph/html.py",
        "lib/files.py",
        "privacy/erase.py",
        "privacy/scrub.py",
        "privacy/scrub_sql.py",
        "project/git.py",
        "project/identity.py",
        "recall/context_turns.py",
        "recall/open_embedder.py",
        "recall/embeddings/minilm.py",
        "recall/embeddings/static.py",
        "recall/embeddings/build_table.py",
        "recall/embeddings/table_reader.py",
        "redaction/redact.py",
        "remote/http.py",
        "remote/read_copy_sql.py",
        "spool/",
        "transfer/detect_source.py",
        "transfer/export.py",
        "transfer/import_archive.py",
        "transfer/share.py",
    ),
    "environ": (
        "cli/",
        "hooks/",
        "api/memory.py",
        "api/open.py",
        "config/own_environment.py",
        "config/provenance.py",
        "config/runtime.py",
        "config/settings.py",
        "context.py",
        "project/git.py",
        "worker.py",
    ),
    "clock": (
        "cli/",
        "admin/bootstrap.py",
        "api/memory.py",
        "api/open.py",
        "capture/extractors/model_extractor.py",
        "context.py",
        "db/migrations/run.py",
        "hooks/",
        "lib/http.py",
        "mcp/server.py",
        "privacy/scrub_sql.py",
        "recall/embeddings/vector_cache.py",
        "remote/client.py",
        "remote/sync.py",
        "server/dashboard/entry.py",
        "server/guard.py",
        "spool/",
        "worker.py",
    ),
    "random": (
        "api/",
        "admin/prove.py",
        "config/provenance.py",
        "db/dry_run.py",
        "lifecycle/tombstones_sql.py",
        "mcp/server.py",
        "remote/client.py",
        "server/token.py",
    ),
    "processes": (
        "admin/",
        "capture/extractors/claude_cli.py",
        "config/runtime.py",
        "project/git.py",
    ),
    "network": (
        "admin/fake_api.py",
        "capture/extractors/anthropic_sdk.py",
        "lib/http.py",
        "server/serve.py",
    ),
}
OWNERS = {
    "click": ("cli/",),
    "rich": ("cli/output.py",),
    "sqlmodel": ("db/tables.py",),
    "sqlalchemy": ("db/tables.py",),
    "sqlite3": ("db/", "_sql.py"),
    "_sqlite3": ("db/driver.py",),
    "psycopg": ("db/",),
    "rapidfuzz": ("lib/fuzzy.py",),
    "detect_secrets": ("redaction/redact.py",),
    "anthropic": ("capture/extractors/anthropic_sdk.py",),
    "numpy": ("recall/embeddings/", "lib/bert.py", "capture/extractors/judge.py"),
    "tokenizers": ("recall/embeddings/minilm.py", "capture/extractors/judge.py"),
    "httpx2": ("lib/http.py",),
    "mcp": ("mcp/",),
    "fastapi": ("server/",),
    "starlette": ("server/",),
    "uvicorn": ("server/serve.py",),
    "jinja2": ("server/dashboard/",),
    "markupsafe": ("server/dashboard/",),
    "python_multipart": ("server/dashboard/entry.py",),
}
# Where an import may stand in a function: a face loads what one command needs, a namespace its room at its first use, a
# choice the engine, embedder or extractor that is set. What every hook or command loads imports late what only an
# unusual machine, a failure or a first write needs. Elsewhere only optional packages are imported late.
LATE = ("api/", "cli/", "mcp/", "server/", "hooks/", "worker.py", "db/engines.py", "__init__.py")
LATE += ("choose_embedder.py", "choose_extractor.py", "choose_matcher.py")
LATE += ("caller.py", "config/", "db/open.py", "lib/files.py", "recall/other_area.py", "spool/spool.py")
LATE += (
    "capture/extractors/score.py",
    "admin/bootstrap.py",
    "jobs/run.py",
    "lifecycle/store_request.py",
    "remote/client.py",
)
# What a bare interpreter does not have and a hook may load.
HOT_IMPORTS = {
    "os",
    "errno",
    "math",
    "hashlib",
    "mmap",
    "struct",
    "_struct",
    "_json",
    "_sqlite3",
    "_blake2",
    "__future__",
}
HOT_IMPORTS |= {"fcntl", "pwd", "_functools", "_operator"}

SQL = re.compile(r"\s*(SELECT|INSERT INTO|UPDATE|DELETE FROM|PRAGMA|WITH)\s")
CALLS = {
    "files": {"open", "print", "input", "tempfile", "shutil", "Path", "sqlite3.connect"}
    | {f"os.{name}" for name in ("open", "stat", "lstat", "listdir", "scandir", "walk", "makedirs", "mkdir", "rename")}
    | {f"os.{name}" for name in ("replace", "unlink", "remove", "rmdir", "chmod", "link", "symlink", "readlink")}
    | {f"os.path.{name}" for name in ("exists", "lexists", "isfile", "isdir", "islink", "getsize", "getmtime")}
    | {"os.path.realpath", "os.path.samefile", "os.getcwd", "os.fsync", "os.access", "os.utime"},
    "environ": {"os.environ", "os.getenv"},
    "clock": {"time.time", "time.sleep", "time.monotonic", "datetime.now"},
    "random": {"uuid.uuid4", "uuid.uuid1", "secrets", "random", "os.urandom"},
    "processes": {"subprocess", "os.fork", "os.posix_spawn", "os.kill", "os.execv", "os.execve"},
    "network": {"socket", "httpx2", "urllib.request", "http.server", "uvicorn", "anthropic"},
}


@cache
def tree_of(name):
    """What a module says, parsed; all of them take two seconds, which only the rules below need."""
    return ast.parse((SOURCE / name).read_text())


def room(name):
    return name.split("/")[0].removesuffix(".py")


def imports(name):
    """(imported module, whether inside a function) of every import, those of this package as `./path/in/it.py`."""
    tree = tree_of(name)
    inside = {
        id(sub)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for sub in ast.walk(node)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, id(node) in inside
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module, id(node) in inside
        elif isinstance(node, ast.ImportFrom):
            folder = (SOURCE / name).parents[node.level - 1].relative_to(SOURCE)
            base = folder / node.module.replace(".", "/") if node.module else folder
            for alias in node.names:
                files = (f"{(base / alias.name).as_posix()}.py", f"{base.as_posix()}.py")
                files += (f"{(base / alias.name).as_posix()}/__init__.py", (base / "__init__.py").as_posix())
                yield "./" + next(file for file in files if file in MODULES), id(node) in inside


def within(name, places):
    return any(name.startswith(place) if place.endswith("/") else name.endswith(place) for place in places)


def test_every_room_has_its_place_in_the_order():
    assert {room(name) for name in MODULES} - {"__init__"} == set(ORDER)


def test_imports_point_only_downwards():
    wrong = []
    for name in MODULES:
        for target, late in imports(name):
            if not target.startswith("./") or target == "./__init__.py" or name == "__init__.py":
                continue
            own, other = room(name), room(target[2:])
            starts = own in ("cli", "__main__") and late or own == "__main__"
            below = ORDER.index(other) < ORDER.index(own)
            if own != other and (not below or (other in FACES and own in FACES and not starts)):
                wrong.append(f"{name} imports {target}")
    assert not wrong


def test_there_are_no_cycles():
    edges = {
        name: {target[2:] for target, late in imports(name) if target.startswith("./") and not late} - {name}
        for name in MODULES
    }
    left = dict(edges)
    while done := [name for name, targets in left.items() if not targets & left.keys()]:
        for name in done:
            del left[name]
    assert not left


def test_faces_reach_memories_through_the_api_alone():
    for name in MODULES:
        if room(name) in MEMORY_FACES and name not in BARE:
            low = [
                target for target, _ in imports(name) if target.startswith("./") and room(target[2:]) in MEMORY_ROOMS
            ]
            assert not low, name


def test_rest_vocabularies_reach_memories_through_the_resource_functions_alone():
    """`compat_*` rename and `models` describe; whatever else is in the folder may open a memory."""
    for name in MODULES:
        if re.fullmatch(r"server/api/(compat_\w+|models)\.py", name):
            doors = {"./server/memory_cache.py", "./api/memory.py"} & {target for target, _ in imports(name)}
            used = {node.attr for node in ast.walk(tree_of(name)) if isinstance(node, ast.Attribute)} & {"app", "state"}
            assert not doors | used, name


def test_hooks_do_not_load_the_api():
    for name in MODULES:
        if room(name) == "hooks":
            assert not [target for target, _ in imports(name) if target.startswith("./api/")], name


def test_every_dependency_has_its_owner():
    for name in MODULES:
        for target, _ in imports(name):
            owners = OWNERS.get(target.split(".")[0])
            assert not owners or within(name, owners), f"{name} imports {target}"


@pytest.mark.parametrize("effect", CALLS)
def test_who_touches_the_world_is_named(effect):
    found = {name for name in MODULES if effects(name) & CALLS[effect]}
    assert sorted(name for name in found if not within(name, EFFECTS[effect])) == [], "touches, and is not named"
    assert [place for place in EFFECTS[effect] if not any(within(name, (place,)) for name in found)] == [], (
        "named in vain"
    )


@cache
def effects(name):
    """What a module calls or reads of `CALLS`, by the dotted name and by its first part."""
    found = {target.split(".")[0] for target, _ in imports(name) if not target.startswith("./")}
    found |= {target for target, _ in imports(name)}
    for node in ast.walk(tree_of(name)):
        if isinstance(node, ast.Attribute):
            found.add(ast.unparse(node))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found.add(node.func.id)
    return found


def test_sql_is_in_the_room_of_the_database_and_in_files_that_say_so():
    for name in MODULES:
        texts = [
            node.value
            for node in ast.walk(tree_of(name))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        found = [text for text in texts if SQL.match(text)]
        assert not found or within(name, ("db/", "_sql.py", "_postgres.py")), (name, found)


def test_packages_load_nothing():
    for name in MODULES:
        if name.endswith("/__init__.py"):
            assert all(isinstance(node, ast.Expr) for node in tree_of(name).body), name


def test_imports_hide_in_functions_only_where_the_page_says():
    for name in MODULES:
        late = [target for target, late in imports(name) if late and not is_optional(target)]
        assert within(name, LATE) or not late, (name, late)


def is_optional(target):
    """Whether a module belongs to no package that is always installed with us."""
    return target.split(".")[0] in OWNERS or not (
        target.startswith("./") or target.split(".")[0] in sys.stdlib_module_names
    )


def test_functions_are_small():
    for name in MODULES:
        for node in ast.walk(tree_of(name)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                assert node.end_lineno - node.lineno < 60, f"{name}:{node.name}"


MOMENTS = {
    "session-start": {},
    "session-start with a server": {},
    "user-prompt-submit": {"prompt": "How do deploys reach the VPN from here?"},
    "pre-tool-use": {"tool_name": "Bash", "tool_input": {"command": "npm install"}},
    "pre-tool-use of a file": {"tool_name": "Read", "tool_input": {"file_path": "a.py"}},
    "post-tool-use": {},
    "post-tool-use-failure": {"tool_name": "Bash", "tool_input": {"command": "make"}, "error": "Error: no such file a"},
    "stop-extract": {},
    "pre-compact": {},
    "session-end": {},
}


@pytest.mark.parametrize("event", MOMENTS)
def test_a_hook_loads_nothing_but_the_hot_path(machine, transcript, event):
    machine.store("Deploys need the VPN")
    transcript.user("hello")
    said = {"tool_name": "Read", "tool_use_id": "t-1", **MOMENTS[event]}
    code = (
        "import sys, os; bare = set(sys.modules); sys.path.insert(0, sys.argv[1])\n"
        "leave, os._exit = os._exit, lambda code: None\n"
        "from keepstone.hooks.main import main; main(sys.argv[2])\n"
        "sys.stderr.write('\\n'.join(sorted(set(sys.modules) - bare)))"
    )
    url = {"KEEPSTONE_SERVER_URL": "https://keepstone.example.org"} if event.endswith("server") else {}
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, str(ROOT / "src"), event.split()[0]],
        input=json.dumps(machine.event(transcript_path=str(transcript.path), **said)),
        env={**machine.env, **url},
        capture_output=True,
        text=True,
    )
    loaded = set(done.stderr.split())
    assert "keepstone.hooks.main" in loaded and "_json" in loaded
    assert "keepstone.recall.suggested" not in loaded, "nothing waits"
    assert_hot(loaded)


def assert_hot(loaded):
    """Fails unless every one of these modules is the C half of a library, or ours and parses as Python 3.9."""
    own = {name for name in loaded if name.partition(".")[0] == "keepstone"}
    assert loaded - own <= HOT_IMPORTS
    for name in own:
        path = importlib.util.find_spec(name).origin
        with open(path, encoding="utf-8") as file:
            ast.parse(file.read(), path, feature_version=(3, 9))


def test_no_command_loads_an_orm_or_an_http_client(machine):
    """Each would cost a command 0.3 to 1.5 s. The commands run in one process, one after the other."""
    code = """
import sys, click
from keepstone.cli import main
from keepstone.api.memory import Memory
def run(*words):
    sys.argv = ["keepstone", *words]
    try:
        main.main()
    except SystemExit as end:
        assert not end.code, (words, end.code)
run("store", "Deploys need the VPN")
run("store", "--type", "decision", "PostgreSQL for billing")
memory = Memory()
one, other = (hit.memory.id for hit in memory.recent())
for words in (["revise", one, "PostgreSQL for billing: row-level security"], ["rate", one, "up"], ["pin", one],
              ["forget", other], ["restore", other], ["review"], ["search", "billing"], ["show", one], ["context"],
              ["export", "out.jsonl"], ["import", "out.jsonl"], ["worker", "run", "--wait"], ["status"], ["doctor"]):
    run(*words)
loaded = {"sqlmodel", "sqlalchemy", "requests", "httpx2"} & sys.modules.keys()
sys.exit(f"loaded: {loaded}" if loaded else 0)
"""
    argv = [sys.executable, "-c", code]
    done = subprocess.run(argv, env=machine.env, cwd=machine.project, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
