"""Find and mask secrets. Pure except redact.py, which owns detect-secrets."""
