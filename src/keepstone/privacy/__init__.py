"""Erases memories and redacts secrets in every file of the data home."""
