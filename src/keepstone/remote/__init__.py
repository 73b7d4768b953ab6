"""The protocol between this machine and another machine's server."""
