"""Relationships: find, write, walk, rank, communities, page."""
