"""Erase and scrub, in every file."""
