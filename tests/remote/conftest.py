from __future__ import annotations

import pytest

from server.serving import serving


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """One server; each client's folder is a project of its own there."""
    with serving(tmp_path_factory.mktemp("served")) as one:
        yield one
