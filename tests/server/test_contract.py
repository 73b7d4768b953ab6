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
EXAMPLES = 15  # of each operation; each more takes the whole two seconds


def test_no_request_that_the_description_allows_or_forbids_breaks_it(served, tmp_path):
    served.store("Something that there is to find, about billing")
    command = [str(Path(sys.executable).with_name("schemathesis")), "run", served.url + "/openapi.json"]
    command += ["--header", f"Authorization: Token {TOKEN}", "--checks", ",".join(CHECKS)]
    command += ["--phases", "examples,coverage,fuzzing", "--max-examples", str(EXAMPLES), "--seed", "1"]
    done = subprocess.run([*command, "--continue-on-failure"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert "37 selected" in done.stdout
