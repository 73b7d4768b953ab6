"""Keepstone's operations in the words of the tools that its model came from: names and parameters, nothing else."""
