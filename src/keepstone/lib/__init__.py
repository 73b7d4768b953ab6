"""General tools that know nothing of memories: JSON, text, files and locks, vectors, diff, spelling, URLs."""
