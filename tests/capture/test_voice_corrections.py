"""A correction is stored as a stranger has to read it: whole, without the words that judge what the assistant said."""

from __future__ import annotations

import pytest

from builders import turn
from keepstone.capture.extractors.rules import Rules
from keepstone.capture.extractors.score import UNSURE_SCORE, agreed, scored
from keepstone.claude_code.transcript import ASSISTANT
from keepstone.claude_code.window import Window
from keepstone.language.openers import without_agreement, without_opener
from keepstone.language.passages import passages, text_of
from keepstone.language.prompt_parts import parts
from keepstone.lib.limits import KEEP_SCORE

BEFORE = turn("Prices are stored as floats in dollars, so I'll multiply by 100.", ASSISTANT, "before")
NPM = "We never use npm here, always use pnpm"
MAIN = "Never push to main from a laptop"
PORT = "The prod db is on port 6432"
HOST = "Production runs on Ubuntu 24.04 at Hetzner"
TERRAFORM = "We deploy with Terraform only, never by hand"
SQUASH = "We always squash before merging"
CORRECTED = [
    (
        "No, that's wrong: prices are stored in cents as integers, never as floats.",
        "Prices are stored in cents as integers, never as floats",
    ),
    (
        "That's not right: the signing key lives in the vault, not in .env.",
        "The signing key lives in the vault, not in .env",
    ),
    ("I told you already, we always run migrations in the release job.", "We always run migrations in the release job"),
    ("Wait no, you've got it backwards: we never use npm here, always use pnpm.", NPM),
    ("You got that wrong. We use Postgres for the ledger, not MySQL.", "We use Postgres for the ledger, not MySQL"),
    ("nope, you misread it, the retention is 30 days, not 90", "The retention is 30 days, not 90"),
    ("That isn't correct, we always squash before merging.", SQUASH),
    ("Not correct!! Never push to main from a laptop.", MAIN),
    ("hm that doesn't sound right, the prod db is on port 6432", PORT),
    ("That's exactly backwards - we never use npm here, always use pnpm.", NPM),
    ("Like I said before, we always squash before merging.", SQUASH),
    ("I've said this three times now: we deploy with Terraform only, never by hand.", TERRAFORM),
    ("Again: never push to main from a laptop.", MAIN),
    ("You forgot again: always run the linter before you commit.", "Always run the linter before you commit"),
    ("You misunderstood me. We never use npm here, always use pnpm.", NPM),
    ("you're not listening. never push to main from a laptop", MAIN),
    ("This is not what we do here; we always squash before merging.", SQUASH),
    ("That was a wrong assumption. Production runs on Ubuntu 24.04 at Hetzner.", HOST),
    ("What you wrote is wrong, we use Caddy instead of Nginx.", "We use Caddy instead of Nginx"),
    ("Your answer is incorrect: we never use npm here, always use pnpm.", NPM),
    ("WRONG AGAIN. WE NEVER USE NPM HERE, ALWAYS USE PNPM.", NPM.upper()),
    ("Incorrect — we use 4 spaces in Python, never tabs.", "We use 4 spaces in Python, never tabs"),
    ("How many more times? Never push to main from a laptop.", MAIN),
    ("Didn't I tell you? We always squash before merging.", SQUASH),
    ("I don't know where you got that from, we never use npm here, always use pnpm.", NPM),
    ("no no no, we use pnpm here, not npm", "We use pnpm here, not npm"),
    ("That's a misunderstanding: production runs on Ubuntu 24.04 at Hetzner.", HOST),
    ("Negative, production runs on Ubuntu 24.04 at Hetzner.", HOST),
    ("that's wrong, I said we deploy with Terraform only, never by hand", TERRAFORM),
    ("Not quite. We use tabs in this repo, never spaces.", "We use tabs in this repo, never spaces"),
    ("no, that is the old way. We never use npm here, always use pnpm.", NPM),
    ("Come on, you know this: never push to main from a laptop.", MAIN),
    ("This is the third time I'm telling you: we deploy with Terraform only, never by hand.", TERRAFORM),
    ("Your summary has it wrong: we always squash before merging.", SQUASH),
    ("Stop ignoring me, we always squash before merging.", SQUASH),
    ("It was explained to you before: we never use npm here, always use pnpm.", NPM),
    ("As mentioned, we always squash before merging.", SQUASH),
    ("you are hallucinating, the prod db is on port 6432", PORT),
    ("That's wrong because we deploy with Terraform only, never by hand.", TERRAFORM),
    ("No. Wrong. The opposite is true: we never use npm here, always use pnpm.", NPM),
]


def extracted(text: str) -> list[str]:
    return [one.content for one in Rules().extract(Window((BEFORE,), (turn(text),)))]


def kept(text: str, *scores: float) -> list[str]:
    """Returns the passages of a text whose first parts have these scores, and the others none."""
    said = parts(text)
    padded = [*scores, *[0.0] * len(said)][: len(said)]
    return [text_of(said, low, high) for low, high, _ in passages(said, padded, KEEP_SCORE)]


def judged(text: str) -> list[str]:
    ((_, found),) = Rules().explain(Window((BEFORE,), (turn(text),)))
    return [one.text for one in found]


@pytest.mark.parametrize(("text", "content"), CORRECTED)
def test_what_judges_the_assistant_is_no_part_of_a_correction(text, content):
    assert extracted(text) == [content]


OPENERS = """
I think that's wrong:
I disagree:
Let me correct you:
You swapped them:
The docs are wrong:
That's off:
I believe that is incorrect:
I'm pretty sure that's wrong,
Pretty sure that's not right:
I don't think that's right:
I don't think so:
I don't agree:
I beg to differ:
I strongly disagree with that:
Let me correct that:
I have to correct you:
To correct you:
Allow me to correct you:
You mixed them up:
You have switched them:
You inverted it:
You made that up:
You invented that:
You made a mistake:
You're thinking of the old schema:
Your memory is wrong:
The README is outdated:
Our wiki is wrong,
The comment is stale:
CLAUDE.md is out of date:
That's way off:
That is off:
It's a bit off:
This is slightly off:
Way off:
That's off the mark:
That's obsolete:
You're off:
That's nonsense:
That's bullshit:
That's misleading:
That's only half true:
Close, but no:
Almost:
Not quite:
Nice try, but
Absolutely not:
Definitely not:
Hell no:
No way:
Of course not:
Far from it:
There's a mistake in your answer:
There is a misunderstanding:
That's an error:
It seems that's wrong:
It looks like you got that wrong:
I never said that:
That's not what I said:
Check your facts:
Correct yourself:
Wrong answer:
You swapped source and target:
No, you misread that:
Sorry, but that's false:
You are wrong about that:
You're wrong here:
That can't be right:
This is inaccurate:
That's the wrong way round:
To be clear:
That's a false claim:
Your summary isn't right:
That was a mistake:
The docs got it wrong:
Sorry, I was wrong:
I was mistaken:
I am wrong,
We were wrong about that:
My mistake:
That's my mistake:
My bad,
Your summary is off:
Your conclusion is way off:
That assumption doesn't hold:
That theory doesn't hold up:
This reading does not apply:
It doesn't hold:
That's the opposite of what I said:
This is the contrary of what we agreed:
Actually no:
Well no:
Please remember what I told you:
Don't forget what I said:
Remember what we discussed:
What I told you yesterday:
I already said that
I told you that
I've told you twice that
You forgot that
You keep forgetting that
You missed that
You ignored that
No, you overlooked that
You've got it the wrong way round:
It's the other way around:
You are wrong,
""".strip().split("\n")
WHOLE = """
This is the old API: never call it from the app.
This is wrong data, it must never reach production.
These are false positives: never report them.
The docs are out of date: always update them with the code.
That's off limits: never touch the vendor folder.
This is a stale cache: we flush it nightly.
I disagree with semicolons: never use them.
This is an old library: don't upgrade it.
Those are obsolete endpoints, they must never be called.
Wrong passwords must never be logged.
Almost all endpoints need a token.
Close: always close the files.
No way to disable it: always ask first.
Errors: always log them with the request id.
I think we should always use tabs.
I want that the log stays short.
It's wrong to push to main, always open a pull request.
This is a misleading name: call it ledger.
The wiki is the wrong place for secrets: never put them there.
These are bogus rows, we always skip them.
Close to a release we never merge.
Nearly all of our services run on ARM, never on x86.
Sorry pages must always be static.
The guide must always be in English: we never translate it.
The plan is wrong when it names no owner, always name one.
Our docs are in English, never in German.
The notes are kept in docs/, never in the wiki.
Please fix lint errors before you commit.
I meant business rules must never live in views.
This is outdated code, please do not touch it.
Those are old migrations: never edit them.
Off by default: telemetry is never on.
That's the old server, its keys must never be reused.
These were wrong totals, we never fix them by hand.
This is the old API.
Please fix that.
No, the invoices are in euros.
That lock doesn't hold: we always use the advisory one.
It doesn't hold more than ten rows, we never raise it.
Your flag is off: we turn it on by hand.
My mistakes file is private, never commit it.
I said goodbye to npm, we always use pnpm.
What the wiki says: never deploy on Fridays.
You've swapped lat and lon in the converter by the way.
Please fix the login form: we always show the error above it.
Sorry, long one.
This feature is off: we turn it on by hand after the launch.
Those checks are off because they slow the CI down.
That flag is off, the staging cluster needs it on.
Those tests are a bit off because we use fake clocks.
The cache is off: we never cache prices.
These alerts are slightly off because the clocks drift.
The wiki is obsolete, we use Notion.
This wiki is obsolete, we use Notion.
That script is obsolete: we use make.
Our docs are obsolete, we use the wiki.
This switch is far off, we always walk there.
""".strip().split("\n")


def test_every_opener_is_cut_off_and_the_statement_stays():
    assert len(OPENERS) >= 30
    for opener in OPENERS:
        assert extracted(f"{opener} {TERRAFORM.lower()}.".replace("terraform", "Terraform")) == [TERRAFORM], opener
        assert extracted(f"No. {opener} {NPM.lower()}.") == [NPM], opener


def test_a_statement_about_what_it_calls_wrong_or_old_stays_whole():
    assert len(WHOLE) >= 30
    for sentence in WHOLE:
        assert without_opener(sentence) == sentence


AGREEING = """
You are right,
You're right:
you're right.
You are correct:
Yes, that's right:
That's right,
That's right.
That's correct:
Yes. You're absolutely right,
Exactly, that is right:
this is correct,
It's right:
Ok, that's quite right -
That was right:
You are right about that,
You're right there:
You're totally right —
Right, you are right.
yep that's right,
Correct, you are right:
""".strip().split("\n")
NOT_AGREEING = """
The right pane is always shown first
It's right to left in Arabic: we mirror the icons
You are right-handed: we show the bar on the left
That's right-aligned, never centred
It is correct to answer with 404, never with 403
That's right for staging, production uses port 6432
The answer is right: we always squash
""".strip().split("\n")


def test_what_calls_the_assistant_right_is_no_part_of_a_statement_and_corrects_nothing():
    for opener in AGREEING:
        for said in (TERRAFORM, NPM, SQUASH):
            text = f"{opener} {said[0].lower()}{said[1:]}."
            assert extracted(text) == [said], opener
            assert not any(part.corrects for part in parts(text)), opener
    for sentence in NOT_AGREEING:
        assert without_agreement(sentence) == sentence


FRAGMENTS = """
Never as floats
never by hand
Not in staging
not for guests
Never without a ticket
never to the main branch
Not from the hostname
not on Fridays
never via the proxy
not tabs
never floats
Never Docker
not npm
podman
no, podman
Podman!
pnpm
Not PostgreSQL
never under load
not with sudo
""".strip().split("\n")
RULES = [
    "Never commit",
    "Never rebase",
    "Never bypass hooks",
    "Never by hand, always with Terraform",
    "Not npm, pnpm",
    "Never under any circumstances push to main",
]


def test_a_fragment_or_a_single_word_is_no_memory():
    for text in FRAGMENTS:
        assert not kept(f"{text}.", 0.9), text
        assert kept(f"{SQUASH}.\n{text}.\n{TERRAFORM}.", 0.9, 0.0, 0.9) == [SQUASH, TERRAFORM], text
    for text in RULES:
        assert kept(f"{text}.", 0.9) == [text]


INSTEAD = """
Our API never returns null, it omits the field
Our workers never retry, they park the job instead
Our parser never guesses, it raises a ValueError
We never delete invoices, they stay in the archive
Our CI doesn't cache node_modules, it restores the pnpm store
The gateway never buffers responses, it always streams them
Our mails are never sent directly, they go through the outbox
The scheduler does not use cron, it reads jobs.toml
""".strip().split("\n")
FOR_NOW = [
    ("We never use Mongo", "it failed the build again"),
    ("We never push to main", "it is broken right now"),
    ("We don't use Jenkins", "they are down since noon"),
    ("We use Redis for sessions", "it restarts all day now"),
]


def test_what_holds_instead_stays_with_what_does_not():
    for text in INSTEAD:
        assert kept(f"{text}.", 0.9) == kept(f"I disagree: {text[0].lower()}{text[1:]}.", 0.9) == [text]
    for statement, state in FOR_NOW:
        assert kept(f"{statement}, {state}.", 0.9) == [statement]
        assert kept(f"{statement}, it fixes the whole build?", 0.9) == [statement]


REPEATED = """
retry logic lives in the client
tests touch no network
run the linter before you commit
the importer skips empty rows
names in the UI are in English
the worker can reach the internet
put the changelog entry first
the id in the URL is the slug
the tests need a running redis
the invoice list starts with the unpaid ones
commit messages name the ticket
errors go to stderr
branches are named after the ticket
the parser returns a list
migrations need two reviews
the docs are built with Sphinx
every endpoint is paginated
log in JSON
config comes from the environment
the app has two tenants
ids are ULIDs
secrets come from Vault
""".strip().split("\n")
COMPLAINTS = ["How often do I have to say it,", "How many times must I tell you:", "I told you three times,"]


@pytest.mark.parametrize("complaint", COMPLAINTS)
def test_what_is_complained_to_be_said_again_is_suggested_whatever_the_judge_holds_of_it(complaint):
    raised = 0
    for statement in REPEATED:
        scores = scored(parts(f"{complaint} {statement}."), "Done so far.")
        assert scores.said[0].corrects and scores.said[0].retold
        assert scores.values[0] >= UNSURE_SCORE, statement
        raised += agreed(scores.wordings[0], scores.opinions[0].score) < UNSURE_SCORE
    assert raised


@pytest.mark.parametrize(
    "text",
    [
        "I told you already: the button is still red",
        "For the third time, it crashes on start",
        "As I said before, please continue",
        "You keep forgetting the import in this file, add it",
        "I told you, look at the screenshot",
        "How often do I have to say it, stop",
        "like I said, try the other branch now",
        "How often does the job run?",
    ],
)
def test_what_is_complained_of_is_no_rule(text):
    assert max(scored(parts(text), "Done so far.").values) < UNSURE_SCORE


# What begins alike and is the statement itself, or a part of it.
OWN = [
    "Wrong passwords must never be logged",
    "False positives must always be reported to the security team",
    "Errors: always log them with the request id",
    "Invalid input: always answer with 422, never 400",
    "It's wrong to push to main, always open a pull request",
    "It is never correct to call a tenant a customer in our docs",
    "How often we deploy: every Tuesday, never on Fridays",
    "I told the auditors: we never store card numbers",
    "Again and again tests fail on Windows because we use tabs in Makefiles",
    "You must be on the VPN, staging runs on 10.0.0.5:8080",
    'We want the "compact view" to hide zero rows',
    'The "legacy importer" must never run in production',
    '"Save and close" must always be the default button',
    "'Compact view' always hides zero rows in our app",
    "“Legacy importer” must never run in production",
    'In this repo "done" means merged and deployed',
    'We always call it "workspace", never "tenant"',
    'We always write "rows, columns and cells", never "records", in docs',
    'Our "how to get started in five minutes" page must always list pnpm, never npm',
    'We always answer "Not found. Ask the team." to such tickets, never a stack trace',
    "Charts should be readable, and be drawn with large fonts, always",
    "The reports are hard to read, they should always be drawn with large fonts",
]


@pytest.mark.parametrize("text", OWN)
def test_a_statement_is_judged_whole(text):
    assert judged(text + ".") == [text]


NONE = [
    'Bob wrote "we should never ever use npm in this repository again" and we use pnpm here.',
    '"I prefer light mode in all screenshots," she said.',
    '"We always use tabs in this repo" was on the whiteboard, according to Ann.',
    "Be drawn with large fonts.",
    "Charts must always:\n- be drawn with large fonts",
    "must never be committed to main, always use a branch",
    "always be shown with two decimals",
]


@pytest.mark.parametrize("text", NONE)
def test_what_lacks_its_head_or_a_quotation_is_no_memory(text):
    assert extracted(text) == []


HEADLESS = """
must never be committed to main, always use a branch
always be shown with two decimals
be drawn with large fonts, always
should always be rounded to cents
never be logged in plain text
must be reviewed by two people first, always
is always written in British English
are never retried more than three times
has to run before each deploy, always
and must never be stored as floats
which must always be encrypted at rest
needs to be signed by two people, always
not be edited by hand, ever
to be kept for ten years, never less
can never be null in our tables
will always be sorted by date
was always meant to be read-only
instead of being hard-coded, always
cannot be changed after release, ever
shall always be sent in the evening
not to be cached, ever
not be shown to guests, ever
to be written in English, always
without being signed, ever
""".strip().split("\n")
WITH_HEAD = [
    "To be merged into main, a change must always have two approvals",
    "To be shown in search, every page must always have a title",
    "Instead of being clever, always write plain code",
]


def test_a_statement_whose_head_stands_behind_is_whole():
    for statement in WITH_HEAD:
        assert judged(f"{statement}.") == [statement]


def test_a_clause_that_lost_its_head_is_no_memory_and_its_neighbour_is():
    assert len(HEADLESS) >= 20
    for clause in HEADLESS:
        assert extracted(f"{clause}.") == [], clause
        assert extracted(f"{TERRAFORM}.\n\n{clause}.")[:1] == [TERRAFORM], clause
        found = extracted(f"- {clause}\n- {NPM}\n- {SQUASH}")
        assert found == [NPM, SQUASH], clause


REDIS = "We use Redis for sessions"
TAKEN_BACK = [
    ("Never store sessions in Redis. Just kidding, Redis is great.", []),
    ("We always merge on Fridays. Disregard that.", []),
    ("Never touch the legacy folder. I'm joking!", []),
    ("We use Jenkins only, never Travis. At least we did until May.", []),
    ("We always deploy by hand. Well, we used to.", []),
    ("Our gateway listens on port 9000. That's not correct, it's 9443.", []),
    ("We use Vue in the dashboard. Wait, that's wrong, it's React.", []),
    (f"We use Memcached for sessions. No, that's not true. {REDIS}.", [REDIS]),
    (f"We use Memcached for sessions. No wait. {REDIS}.", [REDIS]),
    (f"We use Memcached for sessions. That is false. {REDIS}.", [REDIS]),
    (f"We use yarn here. Forget that, {NPM.lower()}.", [NPM]),
    (f"We use yarn here. My mistake: {NPM.lower()}.", [NPM]),
    ("I prefer long answers over short ones. Oops, I meant short ones over long.", []),
    ("We always rebase before merging. I take that back.", []),
    ("We always rebase before merging, never mind.", []),
    ("Never write tests for views, just joking.", []),
    ("Production runs on Debian 12. Not anymore.", []),
    ("Production runs on Debian 12. That was last year.", []),
    ("Production runs on Debian 12. On second thought, ignore everything I said.", []),
    ("We use Kafka for events. It's fast. Scratch that.", []),
    (f"{TERRAFORM}. We always use yarn. Ignore that.", [TERRAFORM]),
    (f"{TERRAFORM}, you did it by hand. That's wrong.", [TERRAFORM]),
    (f"{REDIS}. It's fast.", [REDIS]),
    (
        "Ignore that file pattern: we never lint generated code.",
        ["Ignore that file pattern: we never lint generated code"],
    ),
    (f"{TERRAFORM}. Ignore that warning in the log.", [TERRAFORM]),
    (f"{SQUASH}. No kidding.", [SQUASH]),
    (f"{SQUASH}. I meant it.", [SQUASH]),
    (f"{SQUASH}. You got that wrong.", [SQUASH]),
    (f"{NPM}. We used to use yarn.", [NPM, "We used to use yarn"]),
]


@pytest.mark.parametrize(("text", "contents"), TAKEN_BACK)
def test_what_the_same_prompt_takes_back_is_no_memory(text, contents):
    assert extracted(text) == contents


def test_why_a_statement_of_the_same_prompt_is_dropped():
    ((_, (said, *_)),) = Rules().explain(Window((), (turn(f"{SQUASH}. Ignore that."),)))
    assert (said.kind, said.why) == ("", "taken back in the same prompt")


SPACES = "I prefer tabs over spaces in Makefiles"
SLIPS = [
    ("Production runs on Debian 12. Scratch that, Ubuntu 24.04.", True),
    ("Our staging box is at Hetzner. Scratch that, at OVH.", True),
    ("We always squash before merging. Ignore that.", True),
    ("The prod db is on port 6432. Forget that, it's 5432.", True),
    ("Fix the login bug. Scratch that, fix the logout first.", True),
    ("Please add a test for it. Never mind that, I'll do it.", True),
    ("Can you rename the module? Forget it.", True),
    ("We use Kafka for events. I take that back.", True),
    ("We use Kafka for events. Undo that, we use NATS for events.", True),
    ("Never deploy on Mondays. Cancel that.", True),
    ("Our API listens on port 8080. Strike that, 8443.", True),
    ("We decided to use Caddy. Hm, scratch that, we decided to use Nginx.", True),
    ("Scratch that.", False),
    ("Hm, wait. Scratch that.", False),
    ("I slept on it. Scratch that.", False),
    ("ok thanks. Forget that.", False),
    ("Ignore that, we use whatever the editor does.", False),
]


@pytest.mark.parametrize(("text", "stays"), SLIPS)
def test_a_slip_takes_back_the_sentence_before_it(text, stays):
    before, after = turn(f"{SPACES}.", uuid="one"), turn(text, uuid="two")
    assert (SPACES in [one.content for one in Rules().extract(Window((), (before, after)))]) == stays
    (_, (said,)), _ = Rules().explain(Window((), (before, after)))
    assert bool(said.kind) == stays


DENIED = [
    ("Nobody said we never merge on Mondays.", []),
    ("No one ever claimed that we use Oracle for billing.", []),
    ("I never said we use MongoDB for billing.", []),
    ("We never agreed that we always rebase.", []),
    (f"It's not true that we use yarn here. {NPM}.", [NPM]),
    (f"It's false that we use yarn here. {NPM}.", [NPM]),
    (f"It is a myth that we deploy by hand. {TERRAFORM}.", [TERRAFORM]),
    (f"Stop telling me that we use yarn. {NPM}.", [NPM]),
    (f"Please stop claiming we deploy by hand. {TERRAFORM}.", [TERRAFORM]),
    (f"You said we use yarn here. That's wrong, {NPM.lower()}.", [NPM]),
    (f"You said we deploy by hand, but {NPM.lower()}.", [NPM]),
    (f"You keep saying that our prod db is on port 5432. {PORT}.", [PORT]),
    ("I didn't say that we always use spaces.", []),
    ("There's no rule that we always squash.", []),
    ("Stop repeating my question, always answer at once", ["Stop repeating my question, always answer at once"]),
    ("We never put names of customers in our logs", ["We never put names of customers in our logs"]),
    ("Nobody may push to main, always open a pull request", ["Nobody may push to main, always open a pull request"]),
    ("We never write our tests in JavaScript", ["We never write our tests in JavaScript"]),
    ("I said we always squash before merging", [SQUASH]),
]


@pytest.mark.parametrize(("text", "contents"), DENIED)
def test_a_denied_claim_is_no_memory(text, contents):
    assert extracted(text) == contents


YARN, REBASE = "we use yarn in this repo", "we always rebase before merging"
OPPOSED = [
    (f"Wrong: {YARN}. Right: {NPM}.", [NPM]),
    (f"wrong: {YARN}\nright: {NPM}", [NPM]),
    (f"Right: {SQUASH}. Wrong: {REBASE}.", [SQUASH]),
    (f"- Bad: {REBASE}\n- Good: {SQUASH}", [SQUASH]),
    (f"Is yarn fine? No: {NPM}. Is a merge? Yes: {SQUASH}.", [NPM, SQUASH]),
    ("In prettier we always set semi: false.", ["In prettier we always set semi: false"]),
    (f"Don't:\n- never push to main\n\nDo:\n- {SQUASH}", ["Never push to main", SQUASH]),
    (f"Never:\n- push to main from a laptop\n\nAnd remember these as well.\n- {SQUASH}\n- {NPM}", [SQUASH, NPM]),
    ("Expired: tokens are always rejected with 401.", ["Expired: tokens are always rejected with 401"]),
    (f"Old: {REBASE}. New: {SQUASH}.", [SQUASH]),
    (f"Wrong - {REBASE}. Right - {SQUASH}.", [SQUASH]),
    (f"Wrong: {YARN}; right: {NPM}.", [NPM]),
    (f"wrong → {YARN}\nright → {NPM}", [NPM]),
    (f"1. Wrong way: {REBASE}\n2. Right way: {SQUASH}", [SQUASH]),
    (f"Wrong: {YARN}. It was never decided. Right: {NPM}.", [NPM]),
    (f"Don't: {REBASE}. Do: {SQUASH}.", [SQUASH]),
    (f"Don't write: {REBASE}. Write: {SQUASH}.", [SQUASH]),
    (f"This is wrong: {REBASE}. This is right: {SQUASH}.", [SQUASH]),
    (f"Wrong:\n- {YARN}\n- {REBASE}\n\nRight:\n- {NPM}\n- {SQUASH}", [NPM, SQUASH]),
    (f"Wrong:\n{REBASE}.\n\nRight:\n{SQUASH}.", [SQUASH]),
    (f"Don't:\n- push to main on Fridays\n\nWhat we do:\n- {SQUASH}", [SQUASH]),
    (f"Things to avoid:\n- {REBASE}\n\nDecided:\n- {SQUASH}", [SQUASH]),
    (f"{TERRAFORM}. Outdated: our staging host is stage7.example.com.", [TERRAFORM]),
    (f"No longer true: {YARN}. {NPM}.", [NPM]),
    (f"Obsolete:\n- {REBASE}\n\nCurrent:\n- {SQUASH}", [SQUASH]),
    (f"{REBASE} (wrong). {SQUASH}.", [SQUASH]),
    (f"{REBASE} ❌\n{SQUASH} ✅", [f"{SQUASH} ✅"]),
    (f"Wrong: {NPM}.", [NPM]),
    (f"Wrong:\n{NPM}.", [NPM]),
    (f"No: {NPM}.", [NPM]),
    (f"Not any more: {NPM} now.", [f"Not any more: {NPM} now"]),
    ("Obsolete endpoints must always answer with 410.", ["Obsolete endpoints must always answer with 410"]),
    ("Frontend: we use pnpm. Backend: we use Gradle.", ["Frontend: we use pnpm", "Backend: we use Gradle"]),
    ("Wrong passwords: never log them.", ["Wrong passwords: never log them"]),
    (f"no: {YARN}. yes: {NPM}.", [NPM]),
    (f"No: {NPM}.\nYes: {SQUASH}.", [NPM, SQUASH]),
    (f"Wrong: {YARN}.\nWe use pnpm in this repo.", ["We use pnpm in this repo"]),
    (f"This is outdated: {REBASE}.", []),
    (f"Outdated - {REBASE}. {SQUASH}.", [SQUASH]),
    (f"*Outdated:* {REBASE}", []),
    (f"(outdated) {REBASE}. {SQUASH}.", [SQUASH]),
    (f"Wrong: {YARN}. {SQUASH}. Right: {NPM}.", [SQUASH, NPM]),
    (
        "For dev, formerly: we always use sqlite. For dev, now: we always use postgres.",
        ["For dev, now: we always use postgres"],
    ),
    # Not looked at while the rules were made.
    (f"_Obsolete:_ {REBASE}", []),
    (f"(no longer true) {YARN}. {NPM}.", [NPM]),
    (f"Obsolete — {REBASE}", []),
    (f"{SQUASH}. Out of date: {YARN}.", [SQUASH]),
    (f"This is no longer true: {REBASE}", []),
    (f"Wrong: {YARN}. {TERRAFORM}. Right: {NPM}. {SQUASH}.", [TERRAFORM, NPM, SQUASH]),
]


@pytest.mark.parametrize(("text", "contents"), OPPOSED)
def test_what_a_label_denies_is_no_memory_and_what_another_affirms_is(text, contents):
    assert extracted(text) == contents


SAYS_AGAIN = [
    ("CLAUDE.md says never push to main, but I did.", "That's wrong: never push to main.", ["Never push to main"]),
    (
        "We use pnpm here. Prices are stored as floats.",
        f"That's wrong. {NPM}, and prices are stored in cents.",
        [NPM, "Prices are stored in cents"],
    ),
    ("We never log emails.", "Not true: we never log emails.", []),
    ("We never log emails.", "No, that's not true. We never log emails.", []),
    ("In this repo we always mock the database.", "That's wrong: we always mock the database.", []),
    ("We never log emails, so I left it out.", f"That's false: we never log emails. {SQUASH}.", [SQUASH]),
    (
        "The key lives in .env.",
        "Wrong: the key lives in .env. Right: the key always lives in Vault.",
        ["The key always lives in Vault"],
    ),
    ("Branches are named after sprints.", f"Old: branches are named after sprints. New: {SQUASH}.", [SQUASH]),
    ("We never use npm here.", "That's wrong: we always use npm here.", ["We always use npm here"]),
    (
        "Prices are stored in cents as floats.",
        "That's wrong: prices are stored in cents.",
        ["Prices are stored in cents"],
    ),
    ("Do we never log emails?", "Wrong, we never log emails.", ["We never log emails"]),
    ("You said we always squash.", "Wrong: we always squash.", ["We always squash"]),
    ("We never log emails.", "As I said, we never log emails.", ["We never log emails"]),
    ("We never log emails.", "No, that's right, we never log emails.", ["We never log emails"]),
]


@pytest.mark.parametrize(("before", "text", "contents"), SAYS_AGAIN)
def test_what_a_denial_repeats_of_the_assistant_is_denied_however_short(before, text, contents):
    window = Window((turn(before, ASSISTANT, "before"),), (turn(text),))
    assert [one.content for one in Rules().extract(window)] == contents


MOCKED = [
    ("As if we'd ever deploy on Friday, we always deploy on Tuesdays.", ["We always deploy on Tuesdays"]),
    (f"We always use npm... not. {SQUASH}.", [SQUASH]),
    (f'You keep writing "We use npm here". It\'s pnpm. {SQUASH}.', [SQUASH]),
    (f'You always write "we run Jenkins". It\'s GitHub Actions. {SQUASH}.', [SQUASH]),
    ("It's forbidden to push to main, always open a pull request.", None),
    (f"Sorry but no, {SQUASH}.", [SQUASH]),
]


@pytest.mark.parametrize(("text", "contents"), MOCKED)
def test_what_is_mocked_or_has_no_subject_is_no_memory(text, contents):
    assert extracted(text) == ([text[:-1]] if contents is None else contents)
