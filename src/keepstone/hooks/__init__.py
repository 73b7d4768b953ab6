"""Face: client events. Hot."""
