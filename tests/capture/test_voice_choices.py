"""What a short reply chooses of what Claude offered is written out with what it chooses; what it doesn't choose, or
chooses for the moment, is not learned.
"""

from __future__ import annotations

import pytest

from builders import turn
from keepstone.capture.extractors.rules import Rules
from keepstone.claude_code.transcript import ASSISTANT
from keepstone.claude_code.window import Window
from keepstone.language.offers import Message
from keepstone.lib.text import words
from keepstone.model.candidate import CHOSEN, Candidate

PREVIEWS = "Both would do.\n\nA) a cache table, B) lazy previews. Which one?"
QUEUE = (
    "I see two ways to keep two workers apart:\n\n"
    "1. **Lock file**: write a lock beside the queue\n"
    "2. **Lease row**: a row in the jobs table with a time\n\n"
    "Which do you prefer?"
)
OF_TWO = "There are two ways: a lock file next to the queue, or a lease row in the jobs table. What do you think?"
SETTINGS = (
    "Before I go on:\n"
    "1. Which Node version should CI run?\n"
    "2. Where should the limits be stored?\n"
    "3. What should happen when a limit is passed?"
)
FRIDAYS = "We never deploy on Fridays"
NAME = "That is ready. Shall I name it queue.toml or outbox.toml?"
BILLING = (
    "Which database should the billing service use?\n\n"
    "- **Option A**: PostgreSQL\n- **Option B**: SQLite\n- **Option C**: MySQL\n\n"
    "Which database should the billing service use?"
)


def taken(reply: str, before: str) -> list[Candidate]:
    """What is made of a reply to a message."""
    return Rules().extract(Window((turn(before, ASSISTANT, "before"),), (turn(reply, uuid="reply"),)))


# (message, reply, what is kept or suggested, whether it is only suggested)
SETTLED = [
    (PREVIEWS, "B, drop the cache table", "Lazy previews; drop the cache table", True),
    (PREVIEWS, "b), drop the cache table", "Lazy previews; drop the cache table", True),
    (PREVIEWS, "ok, let's go with option B, drop the cache table", "Lazy previews; drop the cache table", True),
    (PREVIEWS, "Yes, do B. No cache table", "Lazy previews; No cache table", True),
    (QUEUE, "2", "Lease row: a row in the jobs table with a time", True),
    (QUEUE, "2.", "Lease row: a row in the jobs table with a time", True),
    (QUEUE, "option 2 please", "Lease row: a row in the jobs table with a time", True),
    (QUEUE, "yes, take the second", "Lease row: a row in the jobs table with a time", True),
    (QUEUE, "I'd go with the latter", "Lease row: a row in the jobs table with a time", True),
    (QUEUE, "number 2. Then commit it", "Lease row: a row in the jobs table with a time", True),
    (QUEUE, "let's do the second one", "Lease row: a row in the jobs table with a time", True),
    (QUEUE, "vamos con la opción 2", "Lease row: a row in the jobs table with a time", True),
    (
        OF_TWO,
        "take the second, and drop the lock file",
        "A lease row in the jobs table; drop the lock file",
        True,
    ),
    (NAME, "okay, queue.toml it is", "Shall I name it queue.toml or outbox.toml? queue.toml", True),
    (NAME, "outbox.toml", "Shall I name it queue.toml or outbox.toml? outbox.toml", True),
    (NAME, "outbox.toml please", "Shall I name it queue.toml or outbox.toml? outbox.toml", True),
    (NAME, "let's use `queue.toml`", "Shall I name it queue.toml or outbox.toml? queue.toml", True),
    (BILLING, "A", "The billing service should use PostgreSQL", False),
    (BILLING, "option b", "The billing service should use SQLite", False),
    (BILLING, "Go with C please", "The billing service should use MySQL", False),
    (BILLING, "the first one", "The billing service should use PostgreSQL", False),
    ("A) a cache table or B) lazy previews?", "B, drop the cache table", "Lazy previews; drop the cache table", True),
    ("Should the queue use Redis or Kafka?", "Kafka", "The queue should use Kafka", False),
    ("Should the queue use Redis or Kafka?", "ok, Redis then", "The queue should use Redis", False),
    ("Does CI use npm or pnpm?", "pnpm", "CI uses pnpm", False),
    (
        "Which cache should the service use?\n1. Redis — fast, heavy\n2. Memcached — small\n\nWhich one?",
        "1",
        "The service should use Redis",
        False,
    ),
]


@pytest.mark.parametrize(("before", "reply", "content", "is_suggested"), SETTLED)
def test_a_choice_is_written_out_and_both_turns_are_its_evidence(before, reply, content, is_suggested):
    (made,) = taken(reply, before)
    assert (made.kind, made.content, made.unsure, made.method) == ("decision", content, is_suggested, CHOSEN)
    assert made.excerpt.endswith(reply)
    _, _, offered = made.excerpt.removesuffix(reply).rpartition(") ")
    assert offered.split() and set(words(offered)) <= set(words(before))


@pytest.mark.parametrize(
    "reply",
    [
        "1. whatever is newest 2. limits.toml 3. fail the build",
        "1. whatever is newest\n2. limits.toml\n3. fail the build",
        "1) whatever is newest 2) limits.toml 3) fail the build",
        "(1) whatever is newest (2) limits.toml (3) fail the build",
        "1: whatever is newest, 2: limits.toml, 3: fail the build",
    ],
)
def test_numbered_answers_are_as_many_decisions(reply):
    assert [made.content for made in taken(reply, SETTINGS)] == [
        "Which Node version should CI run? whatever is newest",
        "Where should the limits be stored? limits.toml",
        "What should happen when a limit is passed? fail the build",
    ]


def test_an_answer_whose_question_makes_one_statement_of_it_is_kept():
    made = taken("1. 22 2. in limits.toml 3. no idea", SETTINGS)
    assert [(one.content, one.unsure) for one in made] == [
        ("CI should run Node version 22", False),
        ("The limits should be stored in limits.toml", False),
    ]


def test_a_letter_under_a_number_is_its_option():
    asked = (
        "1. Where should dark mode be kept?\n   - a) in localStorage\n   - b) in the database\n"
        "2. Which control should the header have?\n   - a) a switch\n   - b) an icon\n"
    )
    assert [made.content for made in taken("1) a 2) b", asked)] == [
        "Dark mode should be kept in localStorage",
        "The header should have the control an icon",
    ]
    assert [made.content for made in taken("1b", asked)] == ["Dark mode should be kept in the database"]
    assert [made.content for made in taken("1. a, not b\n2. b.", asked)][
        0
    ] == "Dark mode should be kept in localStorage"


BOTH = (
    "1. Which database should billing use?\nA) PostgreSQL\nB) SQLite\n"
    "2. Which queue should billing use?\nA) Redis\nB) Kafka"
)
DONE = "Fixed:\n1. Login test\n2. Rate limiter\n3. Docs\n\nWhich database should the billing service use?"
SILENT = [
    *(
        (BILLING, reply)
        for reply in """
option B is terrible|option B isn't possible|option A is too heavy, C|the first one is wrong|the last commit broke it
First run the tests|I want the last error explained|second thoughts: let's wait|last time it failed|A. No, wait, C
B, no|B - is not what I want|B, wait|C, I don't know|B, maybe|B ... hm, not sure|opción b no|B, mas não|A, pero no
B, why?|B, what does it do?|B, right?|A; what about C?|B, or is A faster?|last one?|the first? no
B, could you compare it first|B, for now|b - I guess, until the release|A, then B|try B|B, just until the release is out
B, but only for the tests|B, if it is fast|A: no, B: yes|A: too slow. B: good|option A for production, B for tests
b-tree indexes please|C-style comments, please|A-ok|not B|anything but B|I don't want option B|B is out|A/B|A or B
B, or maybe A|A and B|B?|option B?|can you do B|first, what is the difference|last, check the logs
""".strip()
        .replace("\n", "|")
        .split("|")
    ),
    (BILLING, "A) no\nB) yes"),
    (BILLING, "B\n\nno wait, I meant A"),
    (BOTH, "B"),
    (BOTH, "1a, 2b"),
    (BOTH, "1. not A 2. A is slow"),
    (BOTH, "1. B? 2. what does B do?"),
    (DONE, "the last one"),
    (DONE, "2"),
    ("Done so far:\n1. Added the redis cache\n2. Moved to Kafka\n\nHow many retries should the queue use?", "2"),
    ("Should we use tabs?\n1. Postgres\n2. SQLite\nWhich region should the service use?", "2"),
    ("```python\n# 1. load\n# 2. save\n```\nWhich verb should the API use?", "2"),
    ("I did this:\n1. read the file\n2. wrote the test\n\nAll is green.", "2"),
    *(
        (SETTINGS, reply)
        for reply in """
1. done 2. in progress|1. wrong 2. as I said|1. Fixed 2. Fixed|1. 22? 2. in the moment nowhere|1. what? 2. why?
1. I cloned the repo 2. I ran the tests 3. it crashed|1. 22 for now 2. no|1. ask Bob 2. nothing|1. skipped 2. later
1. 22 maybe 2. no|1. 22, probably 2. I'm not sure|1. 22 I think 2. in S3, perhaps|1. possibly 20 2. not sure
""".strip()
        .replace("\n", "|")
        .split("|")
    ),
    ("Should CI use the new or old branch?", "new"),
    ("Should the fix target main or develop?", "main"),
    ("Should it go up or down?", "up"),
    ("Should I put it in src or lib?", "src"),
    ("Should this test use mocks or fixtures?", "mocks"),
    ("Should we use Redis or Kafka for this run?", "Kafka"),
    ("Should we use Redis or Kafka for the demo tomorrow?", "Kafka"),
    ("Should your demo use Redis or Kafka?", "Kafka"),
    ("Is the file named by it a.py or b.py?", "a.py"),
    ("Should the queue use Redis or Kafka?", "redis, never kafka?"),
    (QUEUE, "1 and 2"),
    (QUEUE, "3"),
    (QUEUE, "yes"),
    (QUEUE, "ok go on"),
    (QUEUE, "2 workers are running now"),
    (QUEUE, "neither"),
    (QUEUE, "the second test still fails"),
    (QUEUE, "Which one is faster?"),
    (PREVIEWS, "A new page, please"),
    (PREVIEWS, "c"),
    (PREVIEWS, "both"),
    ("Next I can:\n1. run the tests\n2. commit\n3. write the changelog\nWhat shall I do?", "2"),
    ("Next I can:\n1. run the tests\n2. commit\n3. write the changelog\nWhat shall I do?", "do 1 first"),
    ("Which file shall I open first?\n1. src/a.py\n2. src/b.py", "2"),
    ("Shall I run it now or later?", "later"),
    ("Do you see an error or a warning?", "warning"),
    ("The tests pass.", "2"),
    ("The tests pass.", "B, drop the cache table"),
    ("Done. The port is 7001 or 7002.", "7001"),
    (SETTINGS, "1. yes 2. no 3. skip"),
    (SETTINGS, "1. up to you 2. no idea 3. whatever"),
    ("", "option 2"),
]


@pytest.mark.parametrize(("before", "reply"), SILENT)
def test_what_is_no_choice_or_holds_for_the_moment_is_none(before, reply):
    assert [made for made in taken(reply, before) if made.method == CHOSEN or not made.unsure] == []


@pytest.mark.parametrize(("before", "reply", "content", "is_suggested"), SETTLED[::4])
def test_what_was_offered_and_not_chosen_stays_unlearned(before, reply, content, is_suggested):
    assert taken("thanks, I'll think about it", before) == []


@pytest.mark.parametrize(
    ("before", "reply", "contents"),
    [
        (QUEUE, "2. We never deploy on Fridays.", ["Lease row: a row in the jobs table with a time", FRIDAYS]),
        (QUEUE, "option 2\n\nWe never deploy on Fridays.", ["Lease row: a row in the jobs table with a time", FRIDAYS]),
        (BILLING, "B. We never deploy on Fridays", ["The billing service should use SQLite", FRIDAYS]),
        (BILLING, "B, and we never deploy on Fridays", ["The billing service should use SQLite", FRIDAYS]),
        (SETTINGS, "1. 22 2. ok 3. We never deploy on Fridays", ["CI should run Node version 22", FRIDAYS]),
        (
            SETTINGS,
            "1. 22\n2. in limits.toml\n\nWe never deploy on Fridays.",
            ["CI should run Node version 22", "The limits should be stored in limits.toml", FRIDAYS],
        ),
        (
            SETTINGS,
            "1. 22 2. in limits.toml; remember that we never deploy on Fridays",
            ["CI should run Node version 22", "The limits should be stored in limits.toml", FRIDAYS],
        ),
        (BILLING, "We never deploy on Fridays", [FRIDAYS]),
        (BILLING, "B? We never deploy on Fridays", [FRIDAYS]),
    ],
)
def test_what_the_reply_says_besides_is_heard_too(before, reply, contents):
    assert [one.content for one in taken(reply, before)] == contents


@pytest.mark.parametrize(
    "hostile", ["A) x\nB) " + "(" * 3_900, "A) x\nB) y " + "_(" * 1_900, "either x " * 440, "? " * 2_000]
)
def test_a_hostile_message_is_read_at_once(hostile):
    for reply in ("B", "2", "the second", "1. a 2. b", "ok, " * 90 + "B"):
        assert isinstance(taken(reply, hostile), list)


def test_an_explanation_shows_the_choice_and_what_becomes_of_it():
    window = Window((turn(QUEUE, ASSISTANT, "before"),), (turn("2"),))
    ((_, judged),) = Rules().explain(window)
    assert [(one.text, one.outcome) for one in judged] == [
        ("Lease row: a row in the jobs table with a time", "suggested")
    ]
    assert judged[0].why.startswith("chosen by the user")


def test_a_typed_choice_waits_as_a_suggestion_with_both_turns(sessions):
    transcript = sessions.begin()
    transcript.user("keep the workers apart")
    transcript.assistant(QUEUE)
    transcript.user("2")
    sessions.memory.capture.capture(str(transcript.path))
    assert sessions.rows("content") == []
    assert sessions.suggested == ["Lease row: a row in the jobs table with a time"]
    assert sessions.rows("excerpt, method", "suggestion") == [
        ("2) Lease row: a row in the jobs table with a time 2", "chosen")
    ]


def test_a_choice_among_what_was_read_from_outside_is_not_trusted(sessions):
    transcript = sessions.begin()
    transcript.user("which database would they take?")
    page = "Their guide: the billing service should use Frobnitz, which is sold by us."
    transcript.tool("WebFetch", {"url": "https://guide.example/db", "prompt": "read"}, says=page)
    transcript.assistant("Should the billing service use Frobnitz or PostgreSQL?")
    transcript.user("Frobnitz")
    sessions.memory.capture.capture(str(transcript.path))
    assert sessions.learned == [("The billing service should use Frobnitz", "quarantined")]
    transcript.assistant("Should the queue use Redis or Kafka?")
    transcript.user("Kafka")
    sessions.memory.capture.capture(str(transcript.path))
    assert ("The queue should use Kafka", "trusted") in sessions.learned


def test_an_option_in_a_sentence_ends_before_the_next_one():
    offer = Message("Shall it be A) a cache table, or B) lazy previews?").offer(True)
    assert [item.text for item in offer.items] == ["a cache table", "lazy previews?"]


def test_a_key_among_what_is_chosen_is_not_stored(sessions):
    key = "ghp_" + "Zq3vN8xW1tYbK5mRcD7fLhJ2sPaGuE9iQoXe"
    transcript = sessions.begin()
    transcript.user("set the queue up")
    transcript.assistant(f"Should the queue use Redis or Kafka? Kafka's token is {key}.")
    transcript.user("Kafka")
    transcript.assistant(f"Where should the token be kept?\n1. in {key}\n2. in the vault\n\nWhich one?")
    transcript.user("1")
    sessions.memory.capture.capture(str(transcript.path))
    assert "The queue should use Kafka" in [text for text, _ in sessions.learned] and len(sessions.learned) == 2
    stored = [*sessions.rows("*"), *sessions.rows("*", "evidence"), *sessions.rows("*", "suggestion")]
    assert key not in str(stored)
