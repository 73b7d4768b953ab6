"""Every number that a person could ask about, in one table with its origin. Hot module."""

# The brief
BRIEF_LIMIT = 5  # memories; CG-14
BRIEF_LIMIT_MAX = 20  # memories; CG-14
BRIEF_TOKENS = 2_000  # tokens of ceil(chars / 4); DESIGN 5, requirements 2.5
BRIEF_ROWS = 5  # times the brief's limit, rows a scope; proposed: 100 rows cost 1.5 ms more than 25
LINE_CHARS = 240  # one memory in the brief; proposed: two terminal lines
RIVALS_NAMED = 2  # of what a memory may contradict, beside its line; proposed
COMPANIONS = 2  # of what it may contradict and came of, that a prompt brings along with it; proposed
PROJECT_CHARS = 60  # a project's name in the brief; proposed
SHORT_ID_DIGITS = 6  # hex digits; DESIGN 5's example

# Ranking. Chosen where the benchmarks of retrieval were explored, none by the questions of one set (docs/benchmarks.md)
RANK_DEPTH = 100  # candidates by words, and as many by meaning
MATCH_ROWS = 300  # of an index, before scores of several are added
# a word in more texts than that counts only where no rarer one is asked for, and of such only the newest texts: BM25
# takes 5 us a row
FREQUENT_ROWS = 2_000
QUERY_ROWS = 5_000  # that the words of a query match together, the rarest first; proposed: 25 ms on a slow machine
RARE_ROWS = 1_000  # as QUERY_ROWS, for their evidence and their sessions' windows, which take longer; proposed
NAMED_ROWS = 500  # a tag, symbol or file of more memories names none; proposed
WINDOW_WEIGHT = 1.5  # of BM25 of a memory with its neighbours, beside its own
DENSE_SHARE = 0.5  # of the fused score is meaning, the rest words
SESSION_WEIGHT = 0.1  # of all that matches in the same session
NEAR_WEIGHT = 0.1  # of the cosine of either direct neighbour
NAMED_WEIGHT = 0.6  # standard deviations, for a facet that the query names
DENSE_LOW = 0.3  # of the cosine: what is less alike is no answer by its meaning alone
DENSE_PLACES = 2  # of ten, for the nearest in meaning that would be left out
TIE_WORTH, TIE_CONFIDENCE = 0.1, 0.05  # for a whole point: they decide where matches are close; NL-20

# Vectors
STATIC = "wordllama-256"  # the static embedder's model, after the package whose files its table is made of
MINILM_PIECES, MINILM_BATCH = 256, 16  # of a text, as the model was trained on; texts at a time; model card, proposed
ENDPOINT_BATCH = 100  # texts in a call; proposed
ENDPOINT_SECONDS = 30.0  # for a call; proposed
EXPLAINED_CHARS = 200  # of what a server answers; proposed
VECTOR_DIMS_MAX = 8_192  # proposed: twice the largest that is sold
VECTORS_COMPARED = 20_000  # all of a scope; in a larger store only of the best by words: reading 100,000 takes 0.8 s
NEAR_SHARE = 250  # to 100 of a scope of n among N an index leads by 100 N / n, each at 2.5 comparisons; measured
VECTOR_ROWS = 500  # that get theirs at a time; proposed
SCAN_ROWS = 2_000  # more vectors are compared by numpy, where it is: to import it takes as long; proposed
COMMON_PIECES = 150  # the first of the table's are in nearly every text; chosen by eye: `of`, `in`, `to`
RARE_LETTERS = 8  # a word that long is rare, where no table says so; proposed
PIECE_CHARS = 64  # a longer word is cut before its pieces are looked for; proposed: no word is that long

# At a moment
# that the words of a text match together, the rarest first: so many, or this part of a larger store, up to
# FREQUENT_ROWS; proposed: 500 take 5 ms on a slow machine
MOMENT_ROWS, MOMENT_PART = 500, 40
MOMENT_DEPTH = 30  # as RANK_DEPTH, in a hook; proposed
PROMPT_LIMIT = 3  # memories at a prompt; issue "Recall"
PROMPT_CHARS = 400  # at a prompt, with their fence; issue "Recall"
PROMPT_SESSION_CHARS = 2_000  # at all of a session's prompts; issue "Recall"
PROMPT_LOOK_CHARS = 1_500  # of a prompt are looked at, from both ends; proposed: a longer one shows what it is about
PROMPT_TERMS = 16  # of its words, the rarest; proposed
PROMPT_CONSIDERED = 12  # of what is found, the best; proposed
PROMPT_SURE = 0.45  # likely to help, 0..1: of development prompts that nothing fits one in a hundred has as much
FOCUS_LOW = 0.05  # likely to help, 0..1: from here on it is what the session is about; proposed
AREA_PENALTY = 0.5  # of the likelihood of a memory of another area of a monorepo; proposed
TYPO_LETTERS = 4  # a shorter word is not taken for a misspelt one; proposed
VOCABULARY_ROWS = 3_000  # stems that begin with the same two letters; proposed
TYPO_WORDS = 3  # misspelt words of a prompt that are looked for; proposed: each costs a fraction of a millisecond
FILE_LIMIT = 3  # memories at a file; proposed
FILE_CHARS = 300  # of each; proposed
FILE_FOUND = 60  # that name it in some way, the best by words; proposed
FILE_SESSION_CHARS = 8_000  # at all of a session's files; NL-6 says 30,000, a page and a half is enough
COMMAND_LIMIT = 2  # memories at a command; proposed
COMMAND_CHARS = 300  # of each; proposed
COMMAND_FOUND = 40  # that speak of it, the best by words; proposed
COMMAND_WORDS = 12  # of a command by which memories are looked for; proposed
COMMAND_SESSION_CHARS = 2_000  # at all of a session's commands; proposed: as prompts
FAILURE_LIMIT = 1  # solutions at a failure; proposed
FAILURE_CHARS = 500  # of each: what cured it is worth its place; proposed
FAILURE_SESSION_CHARS = 4_000  # at all of a session's failures; proposed
FAILURE_LINES = 3  # of an output by which a solution is looked for; proposed
FAILURE_SURE = 0.5  # likely to help, as at a prompt; chosen on the development situations
KEEP_CHARS = 600  # of the decisions that a summary is told to keep; issue "Recall"
KEEP_ROWS = 12  # of them; proposed
KEPT_CHARS = 160  # of each; proposed

# Working memory
FOCUS_ROWS = 20  # of a session's buffer; NC-5's search limit
FOCUS_FED = 5  # memories that one prompt feeds; proposed
CONTEXT_MEMORIES = 5  # NC-6
CONTEXT_TOKENS = 150  # of each; NC-6

AROUND_TURNS = 2  # before and after a piece of evidence; proposed
AROUND_CHARS = 300  # of each; proposed

# Life cycle. Days where nothing else is said; requirements 2.2 and 2.5, seeds Z3, NL, NC
WORKING_CAP, EPISODIC_CAP, SEMANTIC_CAP, PROCEDURAL_CAP = 100, 10_000, 50_000, 5_000  # for each agent; Z3-15
EPISODIC_DAYS = 30.0  # to live; Z3-11
EPISODIC_HALF_LIFE = 30.0  # requirements 2.2: half is left when its time is over
SEMANTIC_SPAN = 365.0  # requirements 2.2: nothing is left of what was unused for a year
LOG_BEND = 0.9  # of 1 / span, downwards: slow at first, fast later; Z3-7
PROMOTED_IMPORTANCE = 0.5  # at the end of its time; requirements 2.2
DECISION_SECONDS = 86_400.0  # so long before the end it is decided whether it stays; proposed: a worker a day is likely
WORKING_USES, WORKING_WORTH = 10, 0.6  # NC-4
EPISODIC_USES, EPISODIC_AGE, EPISODIC_WORTH = 20, 30.0, 0.7  # NC-4
REPEATED_SESSIONS = 3  # distinct ones; Z3-17, W-Z9
HABIT_CONFIDENCE = 0.7  # Z3-18
PRUNE_IMPORTANCE, PRUNE_IDLE_DAYS = 0.3, 90.0  # NL-25
RETENTION_DAYS = 365  # NL-27: a year; 30 for the seed's free plan
NEWBORN_SECONDS = 86_400.0  # in which a memory is evicted last; W-Z7
EVICTED_PART = 100  # of a full tier goes at a time: one in so many; W-Z7
RELEVANCE_SHARE = 0.5  # of importance; the rest is usage
IMPORTANCE_WEIGHTS = (
    ("recency", 0.15),
    ("uses", 0.15),
    ("searches", 0.05),
    ("confidence", 0.20),
    ("last use", 0.15),
    ("ratings", 0.20),
    ("links", 0.10),  # PageRank
)
# a text's relevance where none was given: at the least, and for being specific, settling, long, strong; proposed
WORTH_LEAST, WORTH_PARTS = 0.05, (0.35, 0.25, 0.2, 0.05)
COUNT_FULL = 20  # from so many on a count says no more
USE_DAYS = 30.0  # in which the boost of a use falls to 1/e; W-Z15
CONFIDENCE_HALF_LIFE, CONFIDENCE_FLOOR = 365.0, 0.1
RESTATED_CONFIDENCE = 0.05  # more for each session that states it again; proposed: as a helpful rating
HELPFUL_CONFIDENCE, OUTDATED_CONFIDENCE = 0.05, 0.15  # more, and less
IMPORTANCE_STEP = 0.05  # DESIGN 4
CLUSTER_EPISODES = 3  # that belong together before they are summed up; Z3-17 says three for a fact
CLUSTER_MANY, CLUSTER_COMMON = 20, 4  # what more than so many, and one in four, are about says nothing; proposed
CLUSTER_NAMED = 3  # subjects in a summary's title; proposed
REPORTED_REASONS = 20  # why memories stayed where they are, of the first; proposed
MERGE_COSINE, MERGE_RATIO = 0.92, 92.0  # from here on two memories are nearly the same; requirements 2.5
MERGE_HUB = 100  # a file of more memories ties none together; proposed
MERGE_PAIRS = 5_000  # that one review looks at; proposed
QUOTED_RUN, QUOTED_SAYING = 5, 3  # words in a row that make a quotation, and how many say something; proposed
# a word is as much as that many signs of Chinese, or letters of a script that puts no space between words; proposed
WORD_WEIGHT, SIGN_WEIGHT, LETTER_WEIGHT = 5, 2, 1
BACKUPS = 7  # daily copies; proposed: a week
BACKUPS_BYTES = 2_000_000_000  # of all of them together, the newest aside; proposed
SALVAGE_ROWS = 1_000  # read at a time; proposed
SALVAGE_GAP = 100  # times that none is found, where the next one can't be asked for, before it is the end; proposed
SWEEP_SECONDS = 300.0  # Z3-13
HOUR_SECONDS, DAY_SECONDS = 3_600.0, 86_400.0  # between runs of other jobs; NC-4, NL-33
JOB_READS, JOB_WRITES = 1_000, 100  # memories that a job looks at, and changes, at a time (docs/benchmarks.md)
CLAIM_SECONDS = 900.0  # after which a job that somebody has claimed may be taken again; proposed: far above any run

# Freshness
ANCHOR_CHARS = 60  # of an identifier or span that ties a memory to a file; proposed: longer ones are rewrapped
ANCHORS_MAX = 8  # of a memory; proposed
ANCHOR_FILE_BYTES = 1_000_000  # of a file are looked at; proposed: longer ones are made, not written
VERIFY_SECONDS = 3_600.0  # since a project's last session, in which its files are looked at; proposed
LOST_CONFIDENCE = 0.1  # less for each anchor that is gone; proposed

# The graph; requirements 2.5
SYMBOL_WEIGHT, FILE_WEIGHT = 0.8, 0.6  # of a relationship, for one that nobody else names
SESSION_LINK, TIME_LINK = 0.2, 0.15
MODEL_WEIGHT = 0.9  # of the confidence in what a model says
SIMILAR_COSINE = 0.8  # of two texts; 2.5, for neural vectors: the static table gives that only to near repeats
CONCEPTS_SHARED = 2  # that link two memories, or one that is rare
RARE_CONCEPT = 0.6  # of rarity: at most one memory in a hundred of ten thousand names it; proposed
NEAR_SECONDS = 900.0  # between two memories that are near in time
LINKS_MAX = 8  # relationships that are found for a memory
LINKS_WEAK = 2  # of those by session or time; proposed: else thirty memories of a session are all linked
LINK_LOW = 0.1  # a weaker one is none; proposed
LINK_HOLDERS = 200  # of a file or concept, more find nobody: a hub links all with all; proposed
LINK_COUNTED = 400  # of its holders, more are not told apart by state: each costs 5 µs; proposed
LINK_COMPARED = 30  # memories found by words, by facets, by meaning, that are compared with a new one; proposed
LINK_BESIDE = 4  # the nearest of a session, and in time; proposed
LINK_TEXT_CHARS, LINK_TERMS = 400, 24  # of a memory, and of its words, by which others are found; proposed
LINK_SECONDS = 20.0  # of one run of the worker, for memories that nobody has looked at; proposed
GRAPH_WRITES = 1_000  # memories in a transaction; proposed
STRONG_LINK = 0.5  # brings a memory along with the other one; proposed
LOOK_SECONDS = 2.0  # the same while a person waits; proposed
LINK_SHOWN = 0.2  # weaker ones are looked at only when asked for: what merely came at one time; proposed
EXPLORE_SEEDS, EXPLORE_LIMIT, EXPLORE_MOST = 5, 20, 200  # memories; GR-6
EXPLORE_DEPTH = 6  # steps at the most; proposed: farther everything hangs together
DRAWN_MEMORIES = 2_000  # on one page; proposed: more are no picture
OVERVIEW_NAMED = 3  # memories of a community by name; proposed
DAMPING, RANK_ROUNDS, RANK_TOLERANCE = 0.85, 50, 1e-6  # of PageRank
NEW_RANK = 0.7  # of a rank is the new one, the rest the one before; NL-16
COMMUNITY_ROUNDS = 20  # of label propagation
COMMUNITY_LEAST = 2  # memories that are a community; proposed
COMMUNITY_NAMED = 2  # concepts in its name; requirements 2.5: "database-migrations"

# In the client
LEARNED_ROWS = 100  # the newest memories, among which the last session's are counted; proposed
PERMITTED_CHARS = 4_000  # of a `keepstone` command that runs unasked; proposed: half a memory at its longest
RESULT_CHARS = 9_000  # of what a typed command printed; FACTS b: the client cuts at 10,000
TYPED_SECONDS = 25.0  # for a typed command; proposed: below the 30 that hooks.json gives its hook

# The client's own memory (FACTS i): what it shows of its index
INDEX_LINES = 200
INDEX_BYTES = 25_000
INDEX_CONTEXT = 4  # words on either side of a text that may deny it; proposed
CLIENT_SETTINGS_BYTES = 1_000_000  # proposed: far above any settings.json

# Listings (fill values of CG-22 to CG-26)
SEARCH_LIMIT = 10
ABOUT_LIMIT = 15
DECISIONS_LIMIT = 20
RECENT_LIMIT = 10
EDIT_LIMIT = 50  # memories on a page to edit; proposed: what a person reads through
LISTING_LIMIT_MAX = 1_000  # proposed: a page that a person or a model can still use
QUERY_TERMS = 12  # rarest terms of a query that reach MATCH; perf.md 2 (the OR of all terms costs 70 ms at 100,000)

# The week
WEEK_DAYS = 7  # the command's name
WEEK_NAMED = 3  # memories of a sort by name, the others are counted; proposed: one screen

# A memory
TITLE_CHARS = 100  # CG-7, requirements K15
CONTENT_CHARS = 8_000  # proposed: a memory longer than a whole extraction window is a document
EXCERPT_CHARS = 500  # proposed: a few sentences of the turn, verbatim
TELLING_WORDS = 3  # fewer around a secret say nothing without it; proposed
TAG_CHARS = 64  # proposed
TAGS_MAX = 20  # proposed
MANUAL_RELEVANCE = 0.9  # CG-11
RULES_CONFIDENCE = 0.8  # requirements 2.5
MODEL_CONFIDENCE = 0.8  # what a model finds in the user's own words; proposed: as the rules
HEARSAY_CONFIDENCE = 0.6  # what it finds in the assistant's; proposed: below LASTING_CONFIDENCE, so episodic at most
LASTING_CONFIDENCE = 0.7  # requirements 2.2: an automatic memory below it is episodic
AUTO_MEMORY_CONFIDENCE = 0.6  # proposed: Claude wrote it down, the user did not say it; below LASTING_CONFIDENCE
AUTO_MEMORY_RELEVANCE = 0.6  # proposed: below what the user states

# What the rules keep of a prompt (benchmarks/capture)
EXPLICIT_BONUS = 0.2  # for the plain phrasings ("we decided to"): what a newcomer tries must work; proposed
# precision before recall: by cross-validation on the development half, and with the held-out totals in sight
KEEP_SCORE = 0.69  # of a statement, 0..1
CORRECTION_RELEVANCE = 0.95  # "critical" (CG-16): nothing else is worth as much as what the user had to say twice
PASTE_LINES = 2  # of a prompt that are not the user's: what is left of it may be of the same kind; proposed
PASTE_PENALTY = 0.15  # so much more must a statement score beside them; proposed
PASSAGE_LOW = 0.05  # a neighbour below that is a task or a question; chosen on the development half
PASSAGE_NEAR = 0.1  # a sentence from that on goes along with the one it stands beside; chosen on the development half
PASSAGE_CHARS = 300  # proposed: a memory is a sentence or two
DOCUMENT_CHARS = 4_000  # a longer prompt is a document: what it decides was decided elsewhere; proposed
DOCUMENT_PARTS = 60  # the same in statements; proposed

FACETS_MAX = 12  # of a memory, given by the machine; proposed
UNSURE_SCORE = 0.4  # from here on a statement lives for its session, and longer if it is said again; proposed
SOLUTION_RELEVANCE = 0.75  # "important" (CG-16): the cure of a failure
SOLUTION_CONFIDENCE = 0.75  # the assistant's words, borne out by a check; proposed: below what the user says
SUMMARY_RELEVANCE = 0.5  # "moderate" (CG-16)
SUMMARY_ASKED_CHARS = 140  # of the first prompt; proposed
SUMMARY_FILES = 6  # by name; proposed
SUMMARY_CHECKS = 3  # proposed
SUMMARY_COMMITS = 3  # the last ones; proposed
SUMMARY_COMMIT_CHARS = 72  # git's own width of a subject
SOLUTION_ROWS = 4  # observations behind a passing check in which it is said why; proposed

# Windows of extraction
WINDOW_MESSAGES = 20  # CG-8
WINDOW_CHARS = 8_000  # CG-8
WINDOW_OVERLAP = 4  # messages; DESIGN 4, W-CG1
LINE_BYTES_MAX = 16 * 1024 * 1024  # a longer transcript line is passed over; proposed: no human sentence is that long

# Observations
OBSERVED_CHARS = 500  # of a command, of the words next to it; W-NL2
OBSERVED_FILES = 10  # of a tool call; proposed: the client's tools name one
OBSERVED_FILE_CHARS = 300  # of a file's name; proposed
OBSERVED_NAME_CHARS = 128  # of a tool's name, of a call's id; proposed: an MCP tool's is at most 64 long
OBSERVED_LOOK_CHARS = 2_000  # of a command or text are looked at; proposed: four times what is kept
OBSERVED_MAX = 10_000  # rows, then only the newest OBSERVED_KEPT are left; NL-3
OBSERVED_KEPT = 8_000  # NL-3
OBSERVED_SECONDS = 7 * 86_400.0  # W-NL2
OBSERVED_BYTES = 2_000_000  # of a session's file in the spool; proposed: NL-3's 10,000 lines of 200 bytes
OUTCOME_CHARS = 4_000  # of a command's output, from its end, in which its failure shows; proposed: 50 lines
OWN_COMMAND_CHARS = 500  # of a command are looked at: what runs `keepstone` says so early; proposed

# Errors of failed commands
ERROR_CHARS = 200  # of a line as it is compared; proposed: two terminal lines
ERROR_LOOK_CHARS = 8_000  # of an output, from both ends; proposed: a hundred lines
ERROR_LINES = 3  # of an output that are remembered; proposed: the error, what it came of, a summary
ERROR_WORDS = 3  # that a line must have to be told from others; proposed
ALIKE_WORDS, ALIKE_SHARE = 6, 0.76  # that two errors share to be one, and of the shorter; by the development situations
QUOTED_WORDS = 3  # of an output that a memory quotes, so that it is about it; proposed

# Extraction by a model
EXTRACTOR_MODELS = {
    "anthropic": "claude-haiku-4-5",
    "claude-cli": "haiku",
}  # proposed: small ones; both names stay valid
EXTRACTOR_CALLS = 100  # a UTC day; proposed: a long day's full windows
EXTRACTOR_TOKENS = 500_000  # a UTC day; proposed: 100 calls of 5,000, which a full window of prose takes
REQUEST_TOKENS = 9_000  # what a full window with all that goes along is thought to take; a test holds it
PROCESSED_CHARS = 1_000  # of a turn that was read before; proposed: enough to know what "that" refers to
REQUEST_CHARS_PER_TOKEN = 3  # UTF-8 bytes; proposed: JSON and code take more tokens than prose's 4
ANSWER_TOKENS = 2_000  # the longest answer; proposed: some thirty memories
ASK_CHARS = 50  # a window whose turns say less is not worth a call; CG-7
NEIGHBOURS = 8  # memories that go along with a window; proposed: one line each
NEIGHBOUR_TERMS = 60  # words of a window that look for them; proposed: off the hot path, 70 ms are no matter
COUNT_MAX = 10_000_000  # tokens that a server may say one call took; more is no count; proposed
REQUESTS_MAX = 3  # for one window, the first included; proposed
REQUEST_SECONDS = 60.0  # then a request has failed; proposed
CLIENT_SECONDS = 15.0  # more, until a client that does not come back is killed; proposed: it starts in one
BACKOFF_SECONDS = 2.0  # before the second request, then doubled; proposed
RETRY_AFTER_SECONDS = 60.0  # a server that asks for a longer wait is not asked again in this run; proposed
PROBLEM_CHARS = 200  # of a failed call's message that the ledger keeps; proposed
# US dollars for a million tokens (input, output): platform.claude.com/docs, models overview, as of November 2026
PRICES = {"claude-haiku-4-5": (1.0, 5.0), "claude-haiku-5-5": (0.1, 0.5)}

# What became of a delivered memory
SAID_CHARS = 4_000  # of a prompt, and of what came before it, are looked at; proposed: half a window
SENTENCE_CHARS = 400  # a longer sentence is no plain statement; proposed: four lines
DENIAL_ENOUGH = 3.0  # weight of the words that a denial and a memory must share; proposed: two telling words
DENIAL_SOME = 1.5  # the same, where they name different values; proposed: one telling word
CORRECTION_ENOUGH = 2.0  # weight that a correction and the memory that it reminds of must share; proposed
CORRECTION_SHARE = 0.5  # of that memory; proposed

COMPARED_PAIRS = 60_000  # of words of two texts, to tell what differs; measured: the worst such take 0.1 s

# Sharing
SHARED_BYTES = 1_000_000  # of the page in a repository; proposed: some 5,000 memories
SHARED_SECONDS = 86_400.0  # since a session was seen in a folder, of which that is read; proposed: a day

# Near-duplicates
DUPLICATE_RATIO = 90.0  # token_sort_ratio, 0..100; DESIGN 4
WORD_RATIO = 80.0  # the same for two words of one meaning; proposed: "deploy" / "deploys" 92, "Mondays" / "Fridays" 71
# Probabilities of the reversal model from which a statement takes another back, by itself and where a rule says so too,
# and from which it contradicts the other: chosen on the development pairs (benchmarks/capture)
REVERSAL_SURE, REVERSAL_RULED, REVERSAL_SOME = 0.8, 0.4, 0.6
SETTLED_WITH = 100  # statements that a new one is compared with, the likest in words; proposed: a tenth of a second
SETTLED_ROWS = 1_000  # memories that share a word with it, the best of any project, of which they are taken; proposed
REVERSAL_SHARED = 1.5  # weight of the words that two statements share before they are weighed; proposed: a telling one
COMMON_START = 3  # letters that two such words begin with alike; proposed: "ascending" / "descending" don't

# Spool and worker
PATH_CHARS = 4_096  # Linux takes no longer path: to resolve one of a megabyte would take minutes
STDIN_BYTES_MAX = 32 * 1024 * 1024  # proposed: far above any hook payload (last_assistant_message, tool results)
STOP_BYTES = 8_000  # transcript growth that starts the worker at Stop; proposed: about one window
ABANDONED_SECONDS = 3_600.0  # a file of the spool that a hook began so long ago is nobody's; proposed
LOG_BYTES = 1_000_000  # then a log begins anew, with one earlier kept; proposed
JOB_ATTEMPTS = 5  # then the job stands aside; proposed
JOB_BACKOFF = 60.0  # seconds, doubled each time; proposed
STALE_SESSION = 60.0  # seconds of silence before another session's start flushes it; proposed (a flush is harmless)
IDLE_SESSION = 86_400.0  # seconds; Z3-25: an open session idle for a day has ended

# The build of the venv (perf.md 6: 8 to 14 s, here and there a minute)
BUILD_SECONDS = 900.0  # for a build in all; perf.md 6 (its prototype's lock is stale after 15 minutes)
BUILD_STEP_SECONDS = 600.0  # for one of its commands; proposed
PROBE_SECONDS = 20.0  # for asking a Python what it is; proposed
BUILD_BACKOFF = 60.0  # seconds after a failed build, doubled each time; proposed
BUILD_BACKOFF_MAX = 86_400.0  # proposed: once a day, whatever is missing may have been installed
NOTICE_CHARS = 600  # of a line that the user is told; proposed
RETIRED_SECONDS = 3_600.0  # an earlier venv is kept so long for what began with it; proposed

# `keepstone doctor --prove`
PROVE_SECONDS = 60.0  # for any step; proposed: the real client takes five
PROVE_RUNS = 10  # of a hook, for its p50 and p95; proposed
PROVE_RUNS_TYPED = 3  # of the hook that runs a command: it takes half a second; proposed

# Ingest
INGEST_RATE = 10_000_000.0  # bytes a second, for an estimate; in MB/s: talk 1, mixed 23, tool output 100

LEARN_NOW_BYTES = 20_000_000  # so much is read while a newcomer waits, more in the background; proposed: 20 s at most

# Export and import
ARCHIVE_TEXT_CHARS = 2 * CONTENT_CHARS  # of a text in an export; proposed: what redaction leaves may be a little longer
ARCHIVE_LINE_BYTES = 1_000_000  # of a line; proposed: far above any row
AT_MIN = -62_135_596_800.0  # unix seconds: the year 1, the first that a date can name
AT_MAX = 253_402_300_799.0  # and the end of the year 9999, the last one
IMPORT_CONFIDENCE = 0.6  # proposed: as what Claude wrote down; below LASTING_CONFIDENCE, so episodic at most
IMPORT_RELEVANCE = 0.6  # proposed: below what the user states
# of a markdown file that are looked at, files of a folder, and rows of a move that others wait for (proposed)
FOREIGN_BYTES, FOREIGN_FILES, MOVE_ROWS = 1_000_000, 20_000, 1_000

# A server (proposed), its read copy: renewed after seconds, made anew from changes on, memories in it and asked for at
# once, bytes of an answer, days that a project counts; of texts: counted, for all, and from how many on not any more
DATABASE_SECONDS, POSTGRES_CONNECTIONS, BM25_COUNTED, BM25_LENGTHS, EXPECTED_ROWS = 2, 4, 20_000, 1_000, 4_000
COPY_SECONDS, COPY_CHANGES, COPY_MEMORIES, COPY_ROWS, COPY_BYTES, COPY_DAYS = 300.0, 2_000, 50_000, 500, 1_000_000, 30

# SQLite (perf.md 4)
BUSY_SECONDS = 30.0  # writers: 30 s gave no error and the shortest tail under 20 processes
LOG_PAUSE_SECONDS = 0.01  # between two tries to turn the write-ahead log on; proposed
SCRUB_BUSY_SECONDS = 30.0  # for readers to leave the write-ahead log; proposed: as writers
COUNTER_BUSY_SECONDS = 0.05  # a hook's counter; DESIGN 2

# The server (`keepstone serve`)
SERVE_HOST, SERVE_PORT = "127.0.0.1", 7878  # proposed: free in IANA's list of services
TOKEN_CHARS_MIN = 16  # proposed: of 64 letters more than anybody can try
BODY_BYTES = 1_000_000  # of a request; proposed: the longest memory takes a hundredth of it
BODY_SECONDS = 20.0  # until it has come; proposed
SERVE_THREADS = 2  # that answer; measured: with 8 a third fewer are answered, as they wait for each other
SWITCH_SECONDS = 0.0005  # a thread runs on at the most; measured: with Python's 0.005 a quarter fewer are answered
KEPT_KILOBYTES = 32_000  # of pages that each thread keeps; measured: with SQLite's 2,000 a search takes a third longer
SHELF_SECONDS = 60.0  # that a server's vectors stay in memory until all are read anew; proposed: some 50 ms of 10,000
TURN_SECONDS = 5.0  # that a write waits for those before it; proposed: as long as a person waits for the database
REQUESTS_AT_ONCE = 64  # further ones wait; proposed: a second's work of one core
QUEUE_SECONDS = 1.0  # that they wait, until they are turned away with 503; measured: at once they come again in a storm
PAGE_LIMIT, PAGE_MOST = 50, 100  # rows of a page; Z3-22
BATCH_MOST = 100  # observations of one request; proposed
SHUTDOWN_SECONDS = 5  # for what is still being answered; proposed
PROJECTS_HELD = 64  # projects whose settings are kept between requests; proposed
DASHBOARD_ROWS = 25  # memories, sessions, proposals, lines of the audit of a page; proposed: three screens
DASHBOARD_RELATED = 30  # of what hangs together with a memory, and of whom it was shown; proposed
COOKIE_SECONDS = 30 * 86_400  # that a browser stays let in; proposed: a month

# Another machine's server (`KEEPSTONE_SERVER_URL`)
CONNECT_SECONDS, ASK_SECONDS = 2.0, 5.0  # to reach it, and in all; issue "One memory for a team"
ANSWER_BYTES = 32_000_000  # of an answer; proposed: a thousand of the longest memories with what was said for them
PEER_FAILURES = 3  # in a row, then it is not asked for a while; proposed: a person has waited 15 seconds by then
PEER_PAUSE_SECONDS = 30.0  # that while; proposed: a restart takes less
WORKER_SEND_SECONDS = 60.0  # of the worker for the same; proposed
SEND_SECONDS = 2.0  # of a command for what was kept while the server was away; proposed: some fifty memories
