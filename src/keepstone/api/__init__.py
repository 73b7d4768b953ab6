"""`Memory`, composed of namespaces: the public Python API."""
