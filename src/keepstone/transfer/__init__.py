"""Exports, imports and shared memories."""
