"""The client: transcripts, hook payloads, its own memory files, other plugins, untrusted content."""
