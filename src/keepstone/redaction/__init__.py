"""Finds and masks secrets. Pure, except redact.py, which is the only module that reads detect-secrets."""
