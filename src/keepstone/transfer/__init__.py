"""Exports, imports, migrates and shares memories."""
