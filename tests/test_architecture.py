"""DESIGN's layout, checked: imports point downwards, one owner a dependency, a standard-library hot path."""

from __future__ import annotations

import ast
import json
import subprocess
import sys

import pytest

from support import ROOT

SOURCE = ROOT / "src" / "keepstone"
MODULES = {path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text()) for path in SOURCE.rglob("*.py")}

# from the top of the page down; a module imports from its own layer's package or from further down
LAYERS = (
    ("__main__.py", "worker.py", "hooks.py", "plain.py", "statusline.py", "cli/", "facades/"),
    ("mcp_server.py", "web/"),  # faces that the command line starts
    ("door.py",),
    ("remote.py",),
    ("courier.py",),
    ("moments.py", "memory.py"),
    ("life.py",),
    ("relations.py",),
    ("upkeep.py", "kept.py"),
    ("leaving.py",),
    ("serving.py",),
    ("home.py", "event.py"),
    ("stores.py",),
    ("calls.py", "caller.py"),
    ("ops/",),
    (
        "store/",
        "embed/",
        "extract/",
        "install/",
        "bootstrap.py",
        "git.py",
        "neighbours.py",
        "rehearsal.py",
        "page.py",
        "redact.py",
        "similar.py",
        "transcripts.py",
    ),
    ("loopback.py", "native.py", "onboarding.py", "peer.py", "runtime.py", "settings.py", "spool.py"),
    ("whose.py",),
    ("files.py", "project.py", "wordtable.py"),
    ("core/",),
    ("__init__.py",),
)
FACES = LAYERS[0]
OWNERS = {
    "click": ("cli/",),
    "rich": ("cli/output.py",),
    "sqlmodel": ("store/",),
    "sqlalchemy": ("store/",),
    "sqlite3": ("store/",),
    "psycopg": ("store/",),
    "_sqlite3": ("store/reader.py",),
    "rapidfuzz": ("similar.py",),
    "detect_secrets": ("redact.py",),
    "anthropic": ("extract/sdk.py",),
    "numpy": ("embed/",),
    "tokenizers": ("embed/minilm.py",),
    "httpx2": ("embed/endpoint.py", "peer.py"),
    "mcp": ("mcp_server.py",),
    "fastapi": ("web/",),
    "starlette": ("web/",),
    "uvicorn": ("web/serve.py",),
    "jinja2": ("web/dashboard/",),
    "python_multipart": ("web/dashboard/entry.py",),
    "markupsafe": ("web/dashboard/",),
}
HOT = (
    *(
        "hooks.py",
        "ops/__init__.py",
        "ops/brief.py",
        "store/__init__.py",
        "store/reader.py",
        "store/matches.py",
        "store/narrow.py",
        "store/filter_sql.py",
        "store/sql.py",
        *("ops/find.py", "ops/fresh.py", "ops/nearby.py", "ops/moment.py", "ops/at_prompt.py", "ops/at_file.py"),
        *("ops/at_command.py", "ops/at_failure.py", "ops/at_compaction.py", "event.py", "moments.py"),
        *("core/anchors.py", "core/area.py", "core/breaks.py", "core/commandline.py", "core/doing.py"),
        *("core/failure.py", "core/lifecycle.py", "core/policies.py", "core/score.py"),
        *("core/judge.py", "core/judge_weights.py", "core/mentions.py", "core/sorts.py", "core/typos.py"),
        "core/rank.py",
        "core/vector.py",
        "wordtable.py",
        "spool.py",
        "project.py",
    ),
    *("settings.py", "runtime.py", "files.py", "__init__.py", "core/__init__.py", "core/defaults.py", "core/errors.py"),
    *("core/fastjson.py", "core/index.py", "core/model.py", "core/own.py", "core/render.py", "core/text.py"),
    *("native.py", "onboarding.py", "whose.py", "core/permit.py", "core/profile.py", "core/address.py"),
)
# may import late, and why: faces load what one command needs; `Memory` loads SQLModel with the first write; hot modules
# load what only an unusual machine, a single event or a session in a subfolder needs; the SDK takes 0.9 s, and most
# captures call nobody; numpy takes 0.1 s, and most stores are small; the shapes of secrets take 70 ms, and a command
# masks only what went wrong; few settings name a tier; most memories are this machine's, and what asks another's, or a
# database server, is loaded where that is set; what three of those calls answer comes with SQLModel
LATE = {
    "hooks.py",
    "moments.py",
    "event.py",
    "cli/__init__.py",
    "cli/mcp.py",
    "cli/serve.py",
    "cli/output.py",
    "bootstrap.py",
    "worker.py",
    "memory.py",
    "life.py",
    "relations.py",
    "upkeep.py",
    "leaving.py",
    "serving.py",
    "home.py",
    "stores.py",
    "store/engines.py",
    "caller.py",
    "calls.py",
    "door.py",
    "remote.py",
    "runtime.py",
    "files.py",
    "spool.py",
    "extract/__init__.py",
    "embed/__init__.py",
    "embed/minilm.py",
    "ops/nearby.py",
    "redact.py",
    "settings.py",
}
# who may start processes: git, a person's checks and proofs, the worker and what builds its venv, the client
STARTERS = {"git.py", "bootstrap.py", "runtime.py", "rehearsal.py", "ops/doctor.py", "extract/claude_cli.py"}
# what a bare interpreter does not have and a hook may load: DESIGN 3
HOT_IMPORTS = {"os", "math", "hashlib", "mmap", "struct", "_struct", "_json", "_sqlite3", "_blake2", "__future__"}
HOT_IMPORTS |= {"fcntl"}
# what the C half of sqlite3 loads by itself
PULLED = {"collections", "functools", "itertools", "keyword", "operator", "reprlib", "types"}


def layer(name):
    return next(
        number
        for number, members in enumerate(LAYERS)
        if any(name.startswith(member) if member.endswith("/") else name == member for member in members)
    )


def imports(name):
    """(imported module, whether inside a function) of every import, relative ones as paths of this package."""
    tree = MODULES[name]
    inside = {id(sub) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) for sub in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, id(node) in inside
        elif isinstance(node, ast.ImportFrom):
            if not node.level:
                yield node.module, id(node) in inside
                continue
            folder = (SOURCE / name).parents[node.level - 1].relative_to(SOURCE)
            for target in [node.module.replace(".", "/")] if node.module else [alias.name for alias in node.names]:
                path = (folder / target).as_posix()
                files = (f"{path}.py", f"{path}/__init__.py", (folder / "__init__.py").as_posix())
                yield "./" + next(file for file in files if file in MODULES), id(node) in inside


def package(name):
    return name.split("/")[0] if "/" in name else name


def test_imports_point_only_downwards():
    for name in MODULES:
        for target, _ in imports(name):
            if target.startswith("./") and package(target[2:]) != package(name):
                assert layer(target[2:]) > layer(name), f"{name} imports {target}"


def test_the_command_line_reaches_memories_through_memory_alone():
    for name in MODULES:
        if name.startswith("cli/"):
            low = [target for target, _ in imports(name) if target.startswith(("./ops/", "./store/", "./extract/"))]
            assert not low, name


def test_hooks_reach_ops_without_memory():
    assert "./memory.py" not in {target for target, _ in imports("hooks.py")}


def test_every_dependency_has_its_owner():
    for name in MODULES:
        for target, _ in imports(name):
            owners = OWNERS.get(target.split(".")[0])
            assert not owners or any(name.startswith(owner) for owner in owners), f"{name} imports {target}"


def test_core_is_pure():
    for name in MODULES:
        if name.startswith("core/"):
            assert_pure(name)


def assert_pure(name):
    allowed = sys.stdlib_module_names - {"os", "pathlib", "random", "socket", "subprocess", "secrets", "sqlite3"}
    for target, _ in imports(name):
        assert target.startswith("./core/") or target.split(".")[0] in allowed, f"{name} imports {target}"
    for node in ast.walk(MODULES[name]):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in ("open", "print", "input"), f"{name}:{node.lineno}"
        if isinstance(node, ast.ImportFrom) and node.module == "time":
            assert {alias.name for alias in node.names} <= {"gmtime", "strftime"}, name


def test_imports_hide_in_functions_only_where_the_page_says():
    for name in MODULES:
        assert name in LATE or not [target for target, late in imports(name) if late], name


def test_only_settings_and_faces_read_the_environment():
    readers = {
        name
        for name, tree in MODULES.items()
        if "environ" in {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
    }
    faces = {name for name in MODULES if layer(name) <= 1}  # those that the command line starts too
    known = {"settings.py", "memory.py", "upkeep.py", "home.py", "event.py", "moments.py", "runtime.py", "git.py"}
    known |= {"stores.py"}
    known |= {"caller.py", "door.py", "remote.py"}
    assert readers - faces <= known


def test_only_those_who_say_so_start_processes():
    starters = {name for name in MODULES if "subprocess" in {target for target, _ in imports(name)}}
    assert starters <= STARTERS


def test_sql_lives_in_the_store():
    for name, tree in MODULES.items():
        words = [
            node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        found = [
            word for word in words if word.lstrip().startswith(("SELECT ", "INSERT ", "UPDATE ", "DELETE ", "PRAGMA "))
        ]
        assert not found or name.startswith("store/"), (name, found)


def test_hot_modules_parse_as_python_3_9():
    for name in HOT:
        ast.parse((SOURCE / name).read_text(), name, feature_version=(3, 9))


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
    machine.keepstone("store", "Deploys need the VPN")
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
    loaded = {name for name in done.stderr.split() if not name.startswith("keepstone")}
    unwanted = {name for name in loaded if name.split(".")[0].lstrip("_") not in PULLED} - HOT_IMPORTS
    assert unwanted == set()
    assert "_json" in loaded
    own = {name for name in done.stderr.split() if name.startswith("keepstone.")}
    files = {name.replace("keepstone.", "").replace(".", "/") for name in own}
    assert files <= {module.removesuffix(".py").removesuffix("/__init__") for module in HOT}


def test_modules_and_functions_are_small():
    for name, tree in MODULES.items():
        assert len((SOURCE / name).read_text().splitlines()) <= 400, name
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                assert node.end_lineno - node.lineno < 45, f"{name}:{node.name}"
