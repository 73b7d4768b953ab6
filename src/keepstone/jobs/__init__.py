"""The one run of the worker."""
