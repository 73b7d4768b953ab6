"""Face: MCP."""
