"""Schema 7, SQLite: the graph. The weight and the notes of relationships; the rank and the community of a memory, and
the version of its text that was last linked. Frozen.
"""

STATEMENTS = (
    "ALTER TABLE relationship ADD COLUMN weight REAL NOT NULL DEFAULT 1.0",
    "ALTER TABLE relationship ADD COLUMN notes TEXT",
    "UPDATE relationship SET method = 'llm_extraction', weight = 0.72 WHERE method = 'model'",
    "ALTER TABLE memory ADD COLUMN pagerank REAL",
    "ALTER TABLE memory ADD COLUMN community TEXT",
    "ALTER TABLE memory ADD COLUMN related_at REAL",
    "CREATE INDEX memory_unrelated ON memory (seq) WHERE related_at IS NULL OR related_at <> updated_at",
)
