"""What becomes of memories: stored, corrected, forgotten."""
