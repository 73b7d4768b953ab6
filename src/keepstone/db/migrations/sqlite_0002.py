"""Schema 2, SQLite: the ledger of paid extractors. Frozen."""

STATEMENTS = (
    """CREATE TABLE usage (
        day TEXT NOT NULL,
        extractor TEXT NOT NULL,
        model TEXT NOT NULL,
        calls INTEGER NOT NULL DEFAULT 0,
        input_tokens INTEGER NOT NULL DEFAULT 0,
        output_tokens INTEGER NOT NULL DEFAULT 0,
        cost_usd REAL NOT NULL DEFAULT 0,
        uncosted INTEGER NOT NULL DEFAULT 0,
        failures INTEGER NOT NULL DEFAULT 0,
        problem TEXT,
        problem_at REAL,
        PRIMARY KEY (day, extractor, model)
    )""",
)
