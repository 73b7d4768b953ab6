"""Identifies the project of a folder, and areas of a monorepo. Runs git."""
