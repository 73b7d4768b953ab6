"""What the tests of the real client share: each client, and the plugin's repository to install from."""

from __future__ import annotations

from contextlib import closing

import pytest

from client.fake_anthropic import FakeApi
from client.session import ClientMachine, clients, commit_checkout, version
from support import require


def pytest_collection_modifyitems(config, items):
    """Of several clients only the newest runs what all of them do alike (`newest_client`)."""
    newest = clients()[-1:]
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


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    folder = tmp_path_factory.mktemp("source")
    commit_checkout(folder)
    return folder


@pytest.fixture
def installed(client, source, tmp_path):
    """A machine of a user who has the plugin installed, with a scripted API."""
    with closing(FakeApi()) as api:
        made = ClientMachine(tmp_path, client, source, api)
        made.install()
        yield made
