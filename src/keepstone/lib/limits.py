"""Limits that several modules use. Hot module."""

# The brief
BRIEF_LIMIT = 5  # memories
BRIEF_LIMIT_MAX = 20  # memories
LINE_CHARS = 240  # one memory in the brief: two terminal lines
SHORT_ID_DIGITS = 6  # hex digits

# Ranking. Chosen where the benchmarks of retrieval were explored, none by the questions of one set (docs/benchmarks.md)
DENSE_LOW = 0.3  # of the cosine: what is less alike is no answer by its meaning alone

# Vectors
STATIC = "wordllama-256"  # the static embedder's model, after the package whose files its table is made of
EXPLAINED_CHARS = 200  # of what a server answers
VECTORS_COMPARED = 20_000  # all of a scope; in a larger store only of the best by words: reading 100,000 takes 0.8 s

# At a moment
VOCABULARY_ROWS = 3_000  # stems that begin with the same two letters

# Working memory
FOCUS_ROWS = 20  # of a session's buffer

# Life cycle, in days unless a name says otherwise
DECISION_SECONDS = 86_400.0  # so long before the end it is decided whether it stays: a worker a day is likely
REPEATED_SESSIONS = 3  # distinct ones
PRUNE_IMPORTANCE, PRUNE_IDLE_DAYS = 0.3, 90.0
NEWBORN_SECONDS = 86_400.0  # in which a memory is evicted last
RESTATED_CONFIDENCE = 0.05  # more for each session that states it again: as a helpful rating
HOUR_SECONDS, DAY_SECONDS = 3_600.0, 86_400.0  # between runs of other jobs
JOB_READS, JOB_WRITES = 1_000, 100  # memories that a job looks at, and changes, at a time (docs/benchmarks.md)

# Freshness
ANCHORS_MAX = 8  # of a memory
ANCHOR_FILE_BYTES = 1_000_000  # of a file are looked at: longer ones are made, not written

# The graph
RARE_CONCEPT = 0.6  # of rarity: at most one memory in a hundred of ten thousand names it
LINKS_MAX = 8  # relationships that are found for a memory
LINK_COMPARED = 30  # memories found by words, by facets, by meaning, that are compared with a new one
LOOK_SECONDS = 2.0  # the same while a person waits
LINK_SHOWN = 0.2  # weaker ones are looked at only when asked for: what merely came at one time
EXPLORE_SEEDS, EXPLORE_LIMIT, EXPLORE_MOST = 5, 20, 200  # memories
EXPLORE_DEPTH = 6  # steps at the most: farther everything hangs together

INDEX_BYTES = 25_000
CLIENT_SETTINGS_BYTES = 1_000_000  # far above any settings.json

# Listings
SEARCH_LIMIT = 10
ABOUT_LIMIT = 15
DECISIONS_LIMIT = 20
RECENT_LIMIT = 10
LISTING_LIMIT_MAX = 1_000  # a page that a person or a model can still use
QUERY_TERMS = 12  # rarest terms of a query that reach MATCH (the OR of all terms costs 70 ms at 100,000)

# The week
WEEK_DAYS = 7  # the command's name

# A memory
TITLE_CHARS = 100
CONTENT_CHARS = 8_000  # a memory longer than a whole extraction window is a document
EXCERPT_CHARS = 500  # a few sentences of the turn, verbatim
TELLING_WORDS = 3  # fewer around a secret say nothing without it
TAG_CHARS = 64
TAGS_MAX = 20
MANUAL_RELEVANCE = 0.9
RULES_CONFIDENCE = 0.8
AUTO_MEMORY_CONFIDENCE = 0.6  # Claude wrote it down, the user did not say it; below LASTING_CONFIDENCE
AUTO_MEMORY_RELEVANCE = 0.6  # below what the user states

# precision before recall: by cross-validation on the development half, and with the held-out totals in sight
KEEP_SCORE = 0.69  # of a statement, 0..1
PASSAGE_CHARS = 300  # a memory is a sentence or two

FACETS_MAX = 12  # of a memory, given by the machine
SUMMARY_RELEVANCE = 0.5  # "moderate"

# Windows of extraction
WINDOW_CHARS = 8_000
WINDOW_OVERLAP = 4  # messages
LINE_BYTES_MAX = 16 * 1024 * 1024  # a longer transcript line is passed over: no human sentence is that long

# Observations
OBSERVED_CHARS = 500  # of a command, of the words next to it
OBSERVED_FILES = 10  # of a tool call: the client's tools name one
OBSERVED_FILE_CHARS = 300  # of a file's name
OBSERVED_NAME_CHARS = 128  # of a tool's name, of a call's id: an MCP tool's is at most 64 long
OBSERVED_LOOK_CHARS = 2_000  # of a command or text are looked at: four times what is kept

# Errors of failed commands
ERROR_LINES = 3  # of an output that are remembered: the error, what it came of, a summary

# Extraction by a model
EXTRACTOR_MODELS = {
    "anthropic": "claude-haiku-4-5",
    "claude-cli": "haiku",
}  # small ones; both names stay valid
REQUEST_TOKENS = 9_000  # what a full window with all that goes along is thought to take; a test holds it
ANSWER_TOKENS = 2_000  # the longest answer: some thirty memories
COUNT_MAX = 10_000_000  # tokens that a server may say one call took; more is no count
REQUEST_SECONDS = 60.0  # then a request has failed

# What became of a delivered memory
SAID_CHARS = 4_000  # of a prompt, and of what came before it, are looked at: half a window

COMPARED_PAIRS = 60_000  # of words of two texts, to tell what differs; measured: the worst such take 0.1 s

# Spool and worker
PATH_CHARS = 4_096  # Linux takes no longer path: to resolve one of a megabyte would take minutes
STDIN_BYTES_MAX = 32 * 1024 * 1024  # far above any hook payload (last_assistant_message, tool results)
JOB_ATTEMPTS = 5  # then the job stands aside
JOB_BACKOFF = 60.0  # seconds, doubled each time
STALE_SESSION = 60.0  # seconds of silence before another session's start flushes it (a flush is harmless)
IDLE_SESSION = 86_400.0  # seconds: an open session idle for a day has ended

BUILD_BACKOFF_MAX = 86_400.0  # once a day, whatever is missing may have been installed

# Export and import
ARCHIVE_TEXT_CHARS = 2 * CONTENT_CHARS  # of a text in an export: what redaction leaves may be a little longer
AT_MAX = 253_402_300_799.0  # and the end of the year 9999, the last one
# of a markdown file that are looked at, files of a folder, and rows of a move that others wait for
FOREIGN_BYTES, FOREIGN_FILES, MOVE_ROWS = 1_000_000, 20_000, 1_000

# A server and its read copy: renewed after seconds, made anew from changes on, memories in it and asked for at
# once, bytes of an answer, days that a project counts; of texts: counted, for all, and from how many on not any more
DATABASE_SECONDS, POSTGRES_CONNECTIONS, BM25_COUNTED, BM25_LENGTHS, EXPECTED_ROWS = 2, 4, 20_000, 1_000, 4_000
COPY_SECONDS, COPY_CHANGES, COPY_MEMORIES, COPY_ROWS, COPY_BYTES, COPY_DAYS = 300.0, 2_000, 50_000, 500, 1_000_000, 30

# SQLite
BUSY_SECONDS = 30.0  # writers: 30 s gave no error and the shortest tail under 20 processes
COUNTER_BUSY_SECONDS = 0.05  # a hook's counter

# The server (`keepstone serve`)
PAGE_LIMIT, PAGE_MOST = 50, 100  # rows of a page
DASHBOARD_ROWS = 25  # memories, sessions, proposals, lines of the audit of a page: three screens
