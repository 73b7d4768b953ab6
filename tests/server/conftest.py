from __future__ import annotations

import pytest

from server.serving import serving


@pytest.fixture
def served(tmp_path):
    with serving(tmp_path) as one:
        yield one


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """One server for tests that only look, or look at what they have stored themselves."""
    with serving(tmp_path_factory.mktemp("served")) as one:
        yield one
