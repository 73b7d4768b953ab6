"""Captures memories from transcripts."""
