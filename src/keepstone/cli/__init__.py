"""Face: command line, the bare one (standard library only), the status line."""
