"""All SQL. Nothing is imported here: hooks use `store.reader` alone, without SQLModel."""
