"""Installs, checks and reports on Keepstone: setup, bootstrap, doctor, proof, status, week, onboarding."""
