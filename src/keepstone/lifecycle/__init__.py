"""Stores, changes, promotes, merges and ends memories."""
