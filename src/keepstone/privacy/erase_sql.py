"""Erases memories: all of their rows, and quotes of them in rows of other tables. Keeps tombstones."""

from __future__ import annotations

from collections.abc import Iterable

from ..db.records import KEYS, AuditRecord, EvidenceRecord
from ..db.rows import belonging
from ..db.writer import Transaction
from ..language.quotation import Quotes
from ..lib.fast_json import dump
from ..lib.text import digest
from ..lifecycle import tombstones_sql
from ..model.suggestion import is_suggestion
from .scrub_sql import OF_ROWS

ERASE = "erase"  # the audit's name; the Z3rno-compatible API calls it hard_deleted
TEXTS = """
SELECT content, title FROM memory WHERE id IN (SELECT value FROM json_each(:ids))
UNION ALL
SELECT content, title FROM memory_version WHERE memory_id IN (SELECT value FROM json_each(:ids))
UNION ALL
SELECT text, excerpt FROM suggestion WHERE id IN (SELECT value FROM json_each(:ids))
"""
ALL_TEXTS = "SELECT id, title, content FROM memory UNION ALL SELECT memory_id, title, content FROM memory_version"
# Memories that nobody has stated: summaries that were made of others.
DERIVED = """
SELECT id FROM memory WHERE id IN (SELECT value FROM json_each(:ids)) AND kind = 'summary'
AND EXISTS (SELECT 1 FROM evidence WHERE evidence.memory_id = memory.id AND evidence.method = 'summary')
AND NOT EXISTS (SELECT 1 FROM evidence WHERE evidence.memory_id = memory.id AND evidence.method <> 'summary')
"""
STATEMENTS = """
SELECT record_uuid, excerpt FROM evidence WHERE memory_id IN (SELECT value FROM json_each(:ids))
UNION ALL
SELECT record_uuid, excerpt FROM suggestion WHERE id IN (SELECT value FROM json_each(:ids))
"""


def quotes(tx: Transaction, ids: Iterable[str]) -> Quotes:
    """Returns a finder for quotes of these memories' texts, earlier versions included."""
    return Quotes(_texts(tx, list(ids)))


def _texts(tx: Transaction, ids: list[str]) -> list[str]:
    return [text for row in tx.all(TEXTS, {"ids": dump(ids)}) for text in row]


def quoting(tx: Transaction, quotes: Quotes, ids: Iterable[str]) -> list[str]:
    """Returns the ids of other memories with a quote in any of their texts."""
    known = set(ids)
    found = set()
    for memory_id, *texts in tx.all(ALL_TEXTS):
        if memory_id not in known and any(map(quotes.within, texts)):
            found.add(memory_id)
    return sorted(found)


def derived(tx: Transaction, ids: list[str]) -> list[str]:
    """Returns the memories among these that were made of others, and go with what they quote."""
    return [str(memory_id) for (memory_id,) in tx.all(DERIVED, {"ids": dump(ids)})]


def restore_tombstones(tx: Transaction, saved: tombstones_sql.Saved) -> list[str]:
    """Adds the tombstones of another state of this database. Returns the ids of present memories and suggestions that
    were erased there.
    """
    tombstones_sql.put_back(tx, saved)
    return sorted(tombstones_sql.erased(tx, tx.column("SELECT id FROM memory UNION ALL SELECT id FROM suggestion")))


def erase(tx: Transaction, ids: list[str], quotes: Quotes, now: float) -> int:
    """Erases memories, and suggestions, from all tables. Removes sentences that quote them from other memories'
    evidence. Returns the number of quoting notes that were deleted.
    """
    given = {"ids": dump(ids)}
    statements = tx.all(STATEMENTS, given)
    texts = [*_texts(tx, ids), *(excerpt for _, excerpt in statements)]
    tombstones_sql.add_tombstones(tx, [record for record, _ in statements], texts, ids, now)
    belonging(tx, ids)
    for table in ("memory", "suggestion"):
        tx.run(f"DELETE FROM {table} WHERE id IN (SELECT value FROM json_each(:ids))", given)
    _cut_evidence(tx, quotes)
    _delete_quoting(tx, "memory_facet", ("value",), quotes)
    said = Quotes(texts)  # Other memories keep what the same turn says about them; notes need not.
    _cut_turns(tx, said)
    gone = {table: _delete_quoting(tx, table, columns, said) for table, columns in OF_ROWS.items() if table != "turn"}
    gone.pop("suggestion")  # no note, but the same words once more
    for one in ids:
        of_memory = not is_suggestion(one)
        details = "{}" if of_memory else dump({"suggestion": one})
        tx.add(AuditRecord(at=now, actor=tx.actor, op=ERASE, memory_id=one if of_memory else None, details=details))
    return sum(gone.values())


def _cut_evidence(tx: Transaction, quotes: Quotes) -> None:
    seqs = [seq for seq, excerpt in tx.all("SELECT seq, excerpt FROM evidence") if quotes.within(excerpt)]
    rest = "WHERE t.seq IN (SELECT CAST(value AS BIGINT) FROM json_each(:seqs))"
    for evidence in tx.records(EvidenceRecord, rest, {"seqs": dump(seqs)}):
        sound = evidence.row_digest == digest(evidence.excerpt)
        excerpt = quotes.cut(evidence.excerpt)
        tx.change(evidence, excerpt=excerpt, row_digest=digest(excerpt) if sound else evidence.row_digest)


def _cut_turns(tx: Transaction, quotes: Quotes) -> None:
    """Removes sentences with a quote from the archive."""
    for seq, text, answers in tx.all("SELECT seq, text, answers FROM turn"):
        if quotes.within(text) or quotes.within(answers):
            left = {"text": quotes.cut(text), "answers": "" if quotes.within(answers) else answers}
            tx.update("turn", {"seq": seq}, left)


def _delete_quoting(tx: Transaction, table: str, columns: tuple[str, ...], quotes: Quotes) -> int:
    """Deletes rows with a quote from tables without memories: tags, notes on tool calls and votes, failures. Returns
    the number of deleted rows.
    """
    keys = KEYS[table]
    gone = 0
    for row in tx.all(f"SELECT {', '.join((*keys, *columns))} FROM {table}"):
        if any(isinstance(text, str) and quotes.within(text) for text in row[len(keys) :]):
            gone += tx.delete(table, dict(zip(keys, row, strict=False)))
    return gone
