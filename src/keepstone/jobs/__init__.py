"""Runs the worker's work: the spool and the scheduled jobs."""
