"""The version of Keepstone, in a module of its own because importing the package's root also leads
to the Python API.
"""

__version__ = "0.1.0"
