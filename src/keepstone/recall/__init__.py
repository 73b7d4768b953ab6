"""Finds memories for a session, a command or a program."""
