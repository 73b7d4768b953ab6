"""The same error in two runs reads alike; different ones, and what says nothing, do not."""

from __future__ import annotations

import pytest

from keepstone.shell.failure import signatures

ALIKE = [
    (
        'File "/srv/a.py", line 22\nOperationalError: connection to server at "127.0.0.1", port 5432 failed: refused',
        'File "/home/b/a.py", line 7\nOperationalError: connection to server at "10.0.0.9", port 6432 failed: refused',
    ),
    (
        "Error: listen EADDRINUSE: address already in use :::3000",
        "Error: listen EADDRINUSE: address already in use :::8080",
    ),
    ("fatal: bad object 3fa2c1d9 in some branch", "fatal: bad object 99ab77e0 in some branch"),
    ("OSError: NetCDF: HDF error: '/mnt/daily/t2m_2022.nc'", "OSError: NetCDF: HDF error: '/mnt/other/tp_2024.nc'"),
    ("error[E0308]: mismatched types\n --> src/main.rs:22:5", "error[E0308]: mismatched types\n --> src/lib.rs:9:1"),
]
APART = [
    ("error[E0308]: mismatched types here", "error[E0277]: mismatched types here"),
    ("ModuleNotFoundError: No module named 'numpy'", "ModuleNotFoundError: No module named 'pandas'"),
]
SAY_NOTHING = ["", "AssertionError", "Exit code 1", "Error:", "1 failed, 3 passed in 0.2s", "make: *** [all] Error 2"]


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_what_differs_from_run_to_run_is_left_out(one, other):
    assert signatures(one) == signatures(other) != []


@pytest.mark.parametrize(("one", "other"), APART)
def test_what_tells_errors_apart_stays(one, other):
    assert signatures(one) != signatures(other)


@pytest.mark.parametrize("output", SAY_NOTHING)
def test_what_only_says_that_something_failed_is_no_error(output):
    assert signatures(output) == []


def test_an_endless_output_gives_a_few_short_lines():
    found = signatures("Error: cannot find the module x in y\n" * 100_000 + "Error: the disk is full, cannot write")
    assert len(found) == 2 and all(len(line) <= 200 for line in found)
