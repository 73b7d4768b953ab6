# Two commands do all the set-up: `make demo` shows what Keepstone does, `make test` proves it with Python alone.
PYTHON ?= python3
BIN := .venv/bin

# Python keeps what it has compiled: the tests start it some ten thousand times.
unexport PYTHONDONTWRITEBYTECODE

# The Claude Code clients that the tests of real parts drive.
CLIENTS := 2.1.197 2.1.332

.PHONY: setup demo test system test-postgres team bench bench-first bench-tasks bench-scale bench-year bench-maintain bench-graph bench-serve bench-postgres faults attacks audit sbom train lint docs lock clients
.DELETE_ON_ERROR:

setup: .venv/.ready

.venv/.ready: requirements-dev.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "Keepstone needs Python 3.11 or newer; $(PYTHON) is older. Try: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
	@mkdir -p build && echo "Setting up .venv (once; a minute at most) ..."
	@{ $(PYTHON) -m venv --clear .venv && \
	   $(BIN)/python -m pip install --no-deps --require-hashes -r requirements-dev.lock && \
	   $(BIN)/python -m pip install --no-deps --no-build-isolation -e . && \
	   $(BIN)/python -c 'from keepstone.recall.embeddings.build_table import make; make("build")' ; } > build/setup.log 2>&1 || \
	    { tail -n 30 build/setup.log; echo "The set-up failed; the whole output is in build/setup.log"; exit 1; }
	@echo "The command is there: $(BIN)/keepstone --help"
	@touch $@

demo: setup
	@$(BIN)/python demo/play.py

test: setup
	@$(BIN)/python -m pytest -n auto --dist worksteal -m "not system"

# What needs more than Python: real clients, a browser, PostgreSQL, other shells, the package index; samples of faults and
# attacks; each benchmark in a small size. What is missing is skipped, unless KEEPSTONE_REQUIRE names it. What all clients
# do alike runs with the newest alone, unless KEEPSTONE_TEST_EVERY_CLIENT=1.
system: setup clients
	@$(BIN)/python -m pytest -n auto --dist worksteal -m system
	@$(MAKE) --no-print-directory test-postgres

# What an engine can change once more, on a real PostgreSQL: that of KEEPSTONE_TEST_DATABASE_URL, else one that is started
# here.
test-postgres: setup
	@KEEPSTONE_TEST_ENGINE=postgres $(BIN)/python -m pytest -n auto --dist worksteal -m engine

# Where the registry has no such version any more, the newest stands in.
clients:
	@mkdir -p build
	@for version in $(CLIENTS); do \
	    folder=build/clients/$$version; [ -x $$folder/node_modules/.bin/claude ] && continue; \
	    npm install --no-audit --no-fund --prefix $$folder @anthropic-ai/claude-code@$$version > build/npm.log 2>&1 || \
	    npm install --no-audit --no-fund --prefix $$folder @anthropic-ai/claude-code@latest >> build/npm.log 2>&1 || \
	    { tail -n 30 build/npm.log; exit 1; }; \
	done

# Needs the clients, and reads the package index.
bench-first: setup clients
	@$(BIN)/python benchmarks/first_memory.py

# Needs the clients.
bench-tasks: setup clients
	@$(BIN)/python benchmarks/tasks_bench.py

# Two minutes: eight processes on two data homes against one PostgreSQL, which is killed in the middle.
team: setup
	@$(BIN)/python benchmarks/team_run.py

# Some minutes, and 6 GB of the temporary folder.
bench-scale: setup
	@$(BIN)/python benchmarks/scale_bench.py

# Some minutes; makes the two plots of the year in docs/.
bench-year: setup
	@$(BIN)/python benchmarks/year_bench.py

# Some minutes, and 2 GB of the temporary folder.
bench-maintain: setup
	@$(BIN)/python benchmarks/maintain_bench.py

# Some minutes.
bench-graph: setup
	@$(BIN)/python benchmarks/graph_bench.py

# A minute.
bench-serve: setup
	@$(BIN)/python benchmarks/serve_bench.py

# An hour, and 10 GB of disk.
bench-postgres: setup
	@$(BIN)/python benchmarks/postgres_bench.py

# Every step of capture, migration, merging, erasing, ingesting, importing and maintaining comes to every harm, and a
# thousand bits are flipped: an hour.
faults: setup
	@$(BIN)/python tests/faults/campaign.py
	@$(BIN)/python tests/faults/flips.py

# Hostile texts, names, queries, archives and files at every surface: half an hour.
attacks: setup
	@$(BIN)/python tests/attacks/campaign.py

# Known weaknesses of the locked packages, as the package index tells them; one that does not tell any fails it.
audit: setup
	@$(BIN)/uv -q tool run --from pip-audit pip-audit --strict --disable-pip --require-hashes -r requirements.lock || \
	    { echo "Above: a known weakness, or a package of which this index tells none; then ask one that does."; exit 1; }

# What the worker's packages are, with their hashes, in CycloneDX's form.
sbom: setup
	@mkdir -p build && $(BIN)/uv -q tool run --from cyclonedx-bom \
	    cyclonedx-py requirements --output-reproducible -o build/sbom.json requirements.lock && echo build/sbom.json

# The statement model and the reversal model, from the labelled sessions and pairs in benchmarks/capture.
train: setup
	@$(BIN)/python benchmarks/capture/train.py
	@$(BIN)/python benchmarks/capture/reversals.py --train

bench: setup
	@$(BIN)/python benchmarks/run.py
	@$(BIN)/python benchmarks/recall/situations.py
	@$(BIN)/python benchmarks/recall/session.py
	@$(BIN)/python benchmarks/capture/capture_bench.py $(TRANSCRIPTS)
	@$(BIN)/python benchmarks/capture/utility.py
	@$(BIN)/python benchmarks/capture/reversals.py

lint: setup
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy && $(BIN)/python docs/generate.py --check

docs: setup
	@$(BIN)/python docs/generate.py

# Needs uv. From here, so that no address and no path of this machine gets in.
lock:
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate -q \
	    --no-emit-package jinja2 --no-emit-package markupsafe pyproject.toml --extra embed -o requirements.lock
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate -q \
	    -c requirements.lock pyproject.toml --extra embed --extra mcp --extra postgres --extra server -o requirements-all.lock
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate -q \
	    -c requirements-all.lock pyproject.toml --extra embed --extra mcp --extra postgres --extra server --group dev -o requirements-dev.lock
