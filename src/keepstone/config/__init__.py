"""Settings, data home, interpreters, whether a setting is the user's or a repository's."""
