"""Learning from transcripts."""
