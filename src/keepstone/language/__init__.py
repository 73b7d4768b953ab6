"""Analyses sentences: statements, denials, reversals, duplicates, quotations, deadlines, facets. Pure."""
