"""The version of Keepstone, apart from the package's root, which also leads to the Python API."""

__version__ = "0.1.0"
