"""Checks whether the files that a memory quotes still contain the quote."""
