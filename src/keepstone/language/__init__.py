"""What sentences say: statements, denials, reversals, duplicates, quotations, deadlines, facets. Pure."""
