"""The real client with `keepstone mcp` declared as a server, as docs/mcp.md says to; the plugin is not installed."""

from __future__ import annotations

import json
from contextlib import closing

import pytest

from client.fake_anthropic import FakeApi
from client.session import ClientMachine

pytestmark = pytest.mark.system

PREFIX = "mcp__keepstone__"
VPN = "Deploys need the VPN: the registry is internal"
SCRIPT = {
    "Keep it": (PREFIX + "memory_store", {"text": VPN}),
    "Find it": (PREFIX + "memory_search", {"query": "vpn deploys"}),
}


@pytest.fixture
def declared(client, source, tmp_path):
    """A machine on which a file declares the server, and the words that name the file to the client."""
    with closing(FakeApi()) as api:
        api.tools.update(SCRIPT)
        machine = ClientMachine(tmp_path, client, source, api)
        machine.take_for_person()
        machine.record_interpreters()
        machine.env["MCP_CONNECTION_NONBLOCKING"] = "0"  # else the client of a busy machine begins without the server
        server = {"command": str(machine.plugin / "bin" / "keepstone"), "args": ["mcp"]}
        path = tmp_path / "servers.json"
        path.write_text(json.dumps({"mcpServers": {"keepstone": server}}))
        yield machine, ("--mcp-config", str(path), "--strict-mcp-config", "--allowedTools", PREFIX.rstrip("_"))


@pytest.mark.newest_client
def test_the_client_lists_the_tools_calls_them_and_leaves_no_server_behind(declared):
    machine, words = declared
    kept = machine.run("Keep it", *words)
    (begun,) = kept.of("init")
    assert [(one["name"], one["status"]) for one in begun["mcp_servers"]] == [("keepstone", "connected")]
    assert len([name for name in begun["tools"] if name.startswith(PREFIX)]) == 10
    found = machine.run("Find it", *words)
    (result,) = found.turns[-1].tool_results
    assert not result.get("is_error") and VPN in json.dumps(result["content"])
    (row,) = machine.memories()
    assert (row["content"], row["origin"], row["session_id"]) == (VPN, "api", None)
    assert machine.processes() == []
