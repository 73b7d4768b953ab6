"""Talks to the server on another machine, and serves such requests."""
