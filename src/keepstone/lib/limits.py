"""Limits and defaults that several modules use. Hot module."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The brief
BRIEF_LIMIT = 5  # memories
BRIEF_LIMIT_MAX = 20  # memories
LINE_CHARS = 240  # one memory in the brief: two terminal lines
SHORT_ID_DIGITS = 6  # hex digits

# Ranking. Tuned on the retrieval benchmarks, never on one set of questions alone (docs/benchmarks.md)
DENSE_LOW = 0.3  # cosine; a match below it by meaning alone is no answer

# Vectors
STATIC = "wordllama-256"  # the static embedder's model, named after the package that provides its table
EXPLAINED_CHARS = 200  # of a server's answer that an error quotes
VECTORS_COMPARED = 20_000  # all of a scope; in a larger store only the best by words: reading 100,000 takes 0.8 s

# Recall during a session
VOCABULARY_ROWS = 3_000  # stems with the same first two letters

# Suggestions
SUGGESTED_ROWS = 3  # that a session is asked about at once

# Working memory
FOCUS_ROWS = 20  # rows of a session's buffer

# When a user asked for what is stored, other than the time of a message
UNASKED = 0.0  # nobody asked the model that stores it
ASKED_NOW = float("inf")  # the user gives it

# Life cycle, in days unless the name says otherwise
DECISION_SECONDS = 86_400.0  # before a memory's end, when promotion is decided: a worker is likely to run daily
REPEATED_SESSIONS = 3  # distinct sessions
PRUNE_IMPORTANCE, PRUNE_IDLE_DAYS = 0.3, 90.0
NEWBORN_SECONDS = 86_400.0  # a memory younger than this is evicted last
RESTATED_CONFIDENCE = 0.05  # added for each session that states a memory again, as for a helpful rating
HOUR_SECONDS, DAY_SECONDS = 3_600.0, 86_400.0  # between runs of jobs
JOB_READS, JOB_WRITES = 1_000, 100  # memories that a job reads and changes at a time (docs/benchmarks.md)

# Tiers: the default of each setting `tier.NAME.FIELD`. A field that is missing cannot be set: a procedural memory has
# no time to live, it stays. `cap` counts the memories of one agent. In the episodic tier half of the relevance is left
# at the end of the time to live, in the semantic tier nothing is left after a year without use.
EXPONENTIAL, LOGARITHMIC, STEP, CONSTANT = CURVES = ("exponential", "logarithmic", "step", "constant")
NEVER = "never"
_DECAY = {"half_life": "30d", "span": "365d", "floor": 0.0}
TIER_DEFAULTS: dict[str, dict[str, Any]] = {
    "working": {"cap": 100, "ttl": NEVER, "curve": CONSTANT, **_DECAY},
    "episodic": {"cap": 10_000, "ttl": "30d", "curve": EXPONENTIAL, **_DECAY, "least": 0.5, "summarise": True},
    "semantic": {"cap": 50_000, "ttl": NEVER, "curve": LOGARITHMIC, **_DECAY},
    "procedural": {"cap": 5_000, "curve": CONSTANT, **_DECAY},
}

# Freshness
ANCHORS_MAX = 8  # per memory
ANCHOR_FILE_BYTES = 1_000_000  # larger files are not checked: they are generated, not written

# The graph
RARE_CONCEPT = 0.6  # rarity: at most one memory in a hundred of ten thousand names the concept
LINKS_MAX = 8  # relationships found per memory
LINK_COMPARED = 30  # memories found by words, facets and meaning that are compared with a new one
LOOK_SECONDS = 2.0  # time to link new memories while a person waits
LINK_SHOWN = 0.2  # weaker relationships are shown only on request: they are mere coincidences in time
EXPLORE_SEEDS, EXPLORE_LIMIT, EXPLORE_MOST = 5, 20, 200  # memories
EXPLORE_DEPTH = 6  # steps at most: farther away, everything is connected

INDEX_BYTES = 25_000
CLIENT_SETTINGS_BYTES = 1_000_000  # far above any settings.json

# Listings
SEARCH_LIMIT = 10
ABOUT_LIMIT = 15
DECISIONS_LIMIT = 20
RECENT_LIMIT = 10
LISTING_LIMIT_MAX = 1_000  # the largest page that a person or a model can use
QUERY_TERMS = 12  # rarest terms of a query that reach MATCH (the OR of all terms takes 70 ms at 100,000)

# The week
WEEK_DAYS = 7  # as in the command's name

# A memory
TITLE_CHARS = 100
CONTENT_CHARS = 8_000  # a longer text than an extraction window is a document
EXCERPT_CHARS = 500  # a few sentences of the turn, verbatim
TELLING_WORDS = 3  # if fewer words remain around a secret, the text says nothing without it
TAG_CHARS = 64
TAGS_MAX = 20
MANUAL_RELEVANCE = 0.9
RULES_CONFIDENCE = 0.8
AUTO_MEMORY_CONFIDENCE = 0.6  # written by Claude, not said by the user; below LASTING_CONFIDENCE
AUTO_MEMORY_RELEVANCE = 0.6  # below the relevance of the user's own statements

# Precision before recall: chosen by cross-validation on the development half, with the held-out totals in sight
KEEP_SCORE = 0.69  # score of a statement, 0..1
PASSAGE_CHARS = 300  # a memory is a sentence or two

# The archive
QUOTES_LIMIT = 5  # turns that a search shows beside its memories
AROUND_TURNS = 2  # shown on each side of a turn

FACETS_MAX = 12  # facets per memory that the machine adds
SUMMARY_RELEVANCE = 0.5  # "moderate"

# Windows of extraction
WINDOW_CHARS = 8_000
LINE_BYTES_MAX = 16 * 1024 * 1024  # longer transcript lines are skipped: no human sentence is that long

# Observations
OBSERVED_CHARS = 500  # of a command and of the words next to it
OBSERVED_FILES = 10  # files per tool call: the client's tools name one
OBSERVED_FILE_CHARS = 300  # of a file's name
OBSERVED_NAME_CHARS = 128  # of a tool's name and a call's id: an MCP tool's name has at most 64
OBSERVED_LOOK_CHARS = 2_000  # of a command or text that are read: four times the stored length

# Errors of failed commands
ERROR_LINES = 3  # lines kept of an output: the error, its cause, a summary

# Extraction by a model
EXTRACTOR_MODELS = {
    "anthropic": "claude-haiku-4-5",
    "claude-cli": "haiku",
    "endpoint": "",
}  # small models, whose names stay valid; a server of the user's own has none that is always there
REQUEST_TOKENS = 9_000  # estimated size of a full window with its prompt; a test checks it
ANSWER_TOKENS = 2_000  # the longest answer: about thirty memories
COUNT_MAX = 10_000_000  # a larger token count in a server's answer is an error
REQUEST_SECONDS = 60.0  # timeout of a request

# Use of shown memories
SAID_CHARS = 4_000  # read of a prompt and of the turns before it: half a window

COMPARED_PAIRS = 60_000  # pairs of words in two texts that are compared; the worst case takes 0.1 s

# Spool and worker
PATH_CHARS = 4_096  # Linux accepts no longer path, and resolving a path of a megabyte would take minutes
STDIN_BYTES_MAX = 32 * 1024 * 1024  # far above any hook payload (last_assistant_message, tool results)
JOB_ATTEMPTS = 5  # then the job becomes a dead letter
JOB_BACKOFF = 60.0  # seconds, doubled at each retry
IDLE_SESSION = 86_400.0  # seconds; an open session idle for a day has ended

BUILD_BACKOFF_MAX = 86_400.0  # a build is retried at least once a day: the missing part may have been installed

# Export and import
ARCHIVE_TEXT_CHARS = 2 * CONTENT_CHARS  # per text in an export: redaction may lengthen a text a little
AT_MAX = 253_402_300_799.0  # the end of the year 9999, the last year that datetime knows
# Bytes read of a markdown file, files per folder, and rows of a move per transaction, while other writers wait
FOREIGN_BYTES, FOREIGN_FILES, MOVE_ROWS = 1_000_000, 20_000, 1_000

# A database server: seconds to connect, idle connections kept, texts counted for a word's rarity in BM25, texts whose
# lengths are averaged, and the expected rows above which PostgreSQL's estimate replaces counting. The read copy:
# seconds between renewals, changes after which it is rebuilt, memories in it, rows per request, bytes of an answer,
# days since a project's last use.
DATABASE_SECONDS, POSTGRES_CONNECTIONS, BM25_COUNTED, BM25_LENGTHS, EXPECTED_ROWS = 2, 4, 20_000, 1_000, 4_000
COPY_SECONDS, COPY_CHANGES, COPY_MEMORIES, COPY_ROWS, COPY_BYTES, COPY_DAYS = 300.0, 2_000, 50_000, 500, 1_000_000, 30

# SQLite
BUSY_SECONDS = 30.0  # for writers: 30 s gave no error and the shortest tail with 20 processes
COUNTER_BUSY_SECONDS = 0.05  # for a hook's counter

# The server (`keepstone serve`)
PAGE_LIMIT, PAGE_MOST = 50, 100  # rows per page
DASHBOARD_ROWS = 25  # memories, sessions, proposals and audit lines per page: three screens
