"""What the tests of the real client share: each client, and the plugin's repository to install from."""

from __future__ import annotations

import os
from contextlib import closing

import pytest

from client.fake_anthropic import FakeApi
from client.session import ClientMachine, clients, commit_checkout, made_once, version
from support import require


def pytest_collection_modifyitems(config, items):
    """Of several clients only the newest runs what all of them do alike (`newest_client`), unless
    KEEPSTONE_TEST_EVERY_CLIENT is set.
    """
    newest = [] if os.environ.get("KEEPSTONE_TEST_EVERY_CLIENT") else clients()[-1:]
    left_out = [
        item
        for item in items
        if item.get_closest_marker("newest_client") and newest and item.callspec.params["client"] not in newest
    ]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


@pytest.fixture(scope="module", params=clients() or [None], ids=lambda client: version(client) if client else "none")
def client(request):
    require("client", request.param, "make clients")
    return request.param


@pytest.fixture(scope="session")
def source(tmp_path_factory):
    """A repository of this checkout, for all the processes of a run."""
    base = tmp_path_factory.getbasetemp()
    return made_once((base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "source", commit_checkout)


@pytest.fixture
def installed(client, source, tmp_path):
    """A machine of a user who has the plugin installed, with a scripted API."""
    with closing(FakeApi()) as api:
        made = ClientMachine(tmp_path, client, source, api)
        made.install()
        yield made
