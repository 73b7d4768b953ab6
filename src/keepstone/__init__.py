"""Keepstone: a memory across Claude Code sessions. Nothing is imported here: hooks pay for every import."""

__version__ = "0.1.0"
