"""What Keepstone is built on: named with its reason, and listed for those who must know what they run."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib

import pytest

from support import ROOT, require


def test_every_dependency_is_named_with_its_reason():
    told = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [one for many in told["optional-dependencies"].values() for one in many]
    names = {re.split(r"[<>=\[; ]", one)[0] for one in (*told["dependencies"], *extras)}
    page = (ROOT / "SECURITY.md").read_text()
    assert [name for name in sorted(names) if f"`{name}`" not in page] == []


@pytest.mark.system
def test_the_bill_of_materials_holds_every_locked_package_with_its_hashes():
    done = subprocess.run(["make", "-o", ".venv/.ready", "sbom"], cwd=ROOT, capture_output=True, text=True)
    require("network", not done.returncode, f"a connection to the Python package index: {done.stderr[-300:]}")
    listed = {
        (one["name"], one["version"]): {made["content"] for of in one["externalReferences"] for made in of["hashes"]}
        for one in json.loads((ROOT / "build" / "sbom.json").read_text())["components"]
    }
    locked = re.split(r"^(?=\S+==)", (ROOT / "requirements.lock").read_text(), flags=re.MULTILINE)[1:]
    wanted = {
        (made["name"], made["version"]): set(re.findall(r"sha256:(\w+)", text))
        for text in locked
        if (made := re.match(r"(?P<name>[\w.-]+)==(?P<version>[\w.]+)", text))
    }
    assert listed == wanted and len(wanted) == len(locked) > 20
