"""Finds, writes, walks and ranks the relationships between memories, and draws them as a page."""
