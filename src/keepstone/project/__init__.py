"""Which project a folder belongs to; git; areas of a monorepo."""
