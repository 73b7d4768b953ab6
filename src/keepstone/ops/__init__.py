"""Use cases, each named by its verb: they take a store and `now` and return values."""
