"""Schemathesis reads the description and tries to break it: no status that it does not name, and none of the 500s."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from server.serving import TOKEN

pytestmark = pytest.mark.system

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
)
# How bad data may be refused. Of a body that breaks the description and is too long, the length is checked first (413).
REFUSED = "[checks.negative_data_rejection]\nexpected-statuses = [400, 401, 403, 404, 405, 408, 409, 413, 503]\n"
EXAMPLES = 6  # of each operation; each more takes the whole two seconds


def test_no_request_that_the_description_allows_or_forbids_breaks_it(served, tmp_path):
    served.store("Something that there is to find, about billing")
    (tmp_path / "schemathesis.toml").write_text(REFUSED)
    command = [str(Path(sys.executable).with_name("schemathesis")), "run", served.url + "/openapi.json"]
    command += ["--header", f"Authorization: Token {TOKEN}", "--checks", ",".join(CHECKS)]
    command += ["--phases", "examples,coverage,fuzzing", "--max-examples", str(EXAMPLES), "--seed", "1"]
    done = subprocess.run([*command, "--continue-on-failure"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert "37 selected" in done.stdout
