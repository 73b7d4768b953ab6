"""What the tests of the real client share: each client, and the plugin's repository to install from."""

from __future__ import annotations

import pytest

from client.session import clients, commit_checkout, version
from support import require


@pytest.fixture(scope="module", params=clients() or [None], ids=lambda client: version(client) if client else "none")
def client(request):
    require("client", request.param, "make clients")
    return request.param


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    folder = tmp_path_factory.mktemp("source")
    commit_checkout(folder)
    return folder
