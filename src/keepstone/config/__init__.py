"""Settings, data home, interpreters, and whether a setting comes from the user or from a repository."""
