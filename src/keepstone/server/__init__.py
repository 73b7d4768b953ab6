"""Face: REST over the same operations as the command line. Needs the `server` extra."""
