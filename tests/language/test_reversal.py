"""When a statement takes an earlier one back, and when it is merely about the same."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepstone.language.duplicates import same_words
from keepstone.language.reversal import MAY_TAKE_BACK, TAKES_BACK, reverses, verdict
from keepstone.lib.fuzzy import ratio

ALIKE = same_words(ratio)
TAKEN_BACK = [
    ("We no longer use Jenkins", "We use Jenkins for CI"),
    ("We don't use Redis anymore", "Let's go with Redis for the session cache"),
    ("Stop using lodash", "Use lodash for deep clones"),
    ("We moved away from Heroku to Fly", "We deploy to Heroku"),
    ("We switched from npm to pnpm", "I prefer npm"),
    ("We migrated from MySQL to PostgreSQL", "We decided to use MySQL for billing"),
    ("Drop Prisma, we use Drizzle now", "We use Prisma as the ORM"),
    ("We dropped Moment", "Use Moment for dates"),
    ("Scrap GraphQL, REST it is", "Let's go with GraphQL for the public API"),
    ("Jenkins is gone", "CI runs on Jenkins"),
    ("Terraform is out, we use Pulumi", "We chose Terraform over Pulumi"),
    ("Kafka was retired", "Events go through Kafka"),
    ("MongoDB is off the table", "We use MongoDB for the catalogue"),
    ("Styled-components is deprecated.", "Use styled-components for styling"),
    ("No more Docker", "Tests run in Docker"),
    ("Fly took over from Heroku", "We host on Heroku"),
    ("We use Redis for sessions, not memcached", "We use memcached for sessions"),
    ("Use pnpm, not npm", "Use npm"),
    ("Use tabs instead of spaces", "I prefer spaces"),
    ("I prefer spaces over tabs", "I prefer tabs"),
    ("I prefer pnpm over npm", "I prefer npm over pnpm"),
    ("Write tests with vitest rather than jest", "Write tests with jest"),
    ("Let's go with MySQL, not PostgreSQL, for billing", "Let's go with PostgreSQL, not MySQL, for billing"),
    ("Let's go with MySQL for billing after all", "Let's go with PostgreSQL for billing"),
    ("Use PostgreSQL for billing", "Use MySQL for billing"),
    ("Use kebab-case for file names", "Use snake_case for file names"),
    ("We use Cypress for e2e tests", "We use Playwright for e2e tests"),
    ("We settled on Caddy for the reverse proxy", "We settled on Nginx for the reverse proxy"),
    ("The prod db is on port 5432", "The prod db is on port 6432"),
    ("Staging listens on port 9090", "Staging listens on port 8080"),
    ("We use Python 3.12 for the workers", "We use Python 3.11 for the workers"),
    ("The rate limit is 200 requests per minute", "The rate limit is 100 requests per minute"),
    ("Backups are kept for 60 days", "Backups are kept for 30 days"),
    ("Lines are at most 100 characters", "Lines are at most 80 characters"),
    ("Don't commit directly to main", "Commit directly to main"),
    ("Do not squash before merging", "Squash before merging"),
    ("Never squash before merging to main", "Always squash before merging to main"),
    ("Always deploy on Fridays", "Never deploy on Fridays"),
    ("Run the tests with coverage", "Run the tests without coverage"),
    ("Deploys don't need the VPN", "Deploys need the VPN"),
    ("We don’t support Windows", "We support Windows"),
    ("Forget Webpack, Vite it is", "Let's use Webpack for the bundle"),
    ("No emojis in commit messages", "Emojis in commit messages"),
    ("Redis is no longer used", "We use Redis for the cache"),
    ("We are no longer on AWS, everything moved to Hetzner", "Production runs on AWS"),
    ("we're dropping Sentry", "We use Sentry for error tracking"),
    ("not Postgres anymore, MySQL", "Use Postgres"),
    ("We replaced Webpack with Vite", "The bundle is built with Webpack"),
    ("Bye Jira, we use Linear now", "Tickets live in Jira"),
    ("Retention is 14 days", "Retention is 30 days"),
    ("The VPN is at 10.0.0.9", "The VPN is at 10.0.0.4"),
    ("I don't want docstrings on private functions", "I want docstrings on private functions"),
    ("Tests must not hit the network", "Tests must hit the network"),
    ("We never use ORMs", "We use ORMs"),
    ("No more Husky", "Git hooks run via Husky"),
    ("We don't use Yarn here", "Use Yarn in this repo"),
    ("Deploys go out on Tuesday, not Thursday", "Deploys go out on Thursday"),
]
LEFT_ALONE = [
    ("Never use lodash in the browser bundle", "Use lodash on the server"),
    ("Don't run migrations on Fridays", "Run migrations with make migrate"),
    ("Never run tests against prod", "Run tests with make test"),
    ("Stop using mocks in integration tests", "Use mocks for the payment gateway"),
    ("Bob is out until Friday", "Ask Bob before a release"),
    ("Bob is out until Friday", "Bob owns the deploy scripts"),
    ("The release is out on Mondays", "The release is cut on Fridays"),
    ("Rows are removed after 30 days", "Rows are keyed by tenant"),
    ("The cache is dropped on restart", "The cache lives in Redis"),
    ("Use tabs, not spaces, in Makefiles", "I prefer spaces"),
    ("Use Redis for sessions, not memcached", "Use memcached for the page fragments"),
    ("We no longer use Redis for sessions", "We use Redis for rate limits"),
    ("We no longer use Jenkins", "The Jenkins box is at 10.0.0.4"),
    ("Use pnpm, not npm", "npm audit runs in CI"),
    ("Use pnpm with our registry, not npm", "The npm registry is at npm.acme.com"),
    ("Server 2 runs Redis", "Server 1 runs Redis"),
    ("Node 4 has a GPU", "Node 3 has a GPU"),
    ("Sprint 13 ends on a Friday", "Sprint 12 ends on a Friday"),
    ("v2 of the API is REST", "v1 of the API is REST"),
    ("Release 2.2 ships in December", "Release 2.1 ships in December"),
    ("Keep logs for 30 days", "Keep backups for 30 days"),
    ("Use factories for tests", "Use pytest for tests"),
    ("Use mypy for Python", "Use ruff for Python"),
    ("Use a temp dir for tests of the cache", "Use the clock fixture for tests of the cache"),
    ("Never use tabs, not even in Makefiles", "Never use tabs even in Makefiles"),
    ("Don't deploy without the VPN", "Deploy with the VPN"),
    ("Avoid Redis", "No more Redis"),
    ("We no longer use Redis", "Redis is banned"),
    ("Stop using npm", "Never use npm"),
    ("Use Redis for the session cache", "Use Redis for the queue"),
    ("Use PostgreSQL for billing", "Use Redis for sessions"),
    ("We use tabs", "We use PostgreSQL"),
    ("Billing uses PostgreSQL 16", "Search uses PostgreSQL 15"),
    ("The prod db is on port 5432", "The staging db is on port 6432"),
    ("Staging runs on Hetzner", "Production runs on Hetzner"),
    ("I prefer short answers over long ones", "I prefer tabs over spaces"),
    ("Prefer composition over inheritance", "Inheritance is used in the plugin models"),
    ("Not all tests need Docker", "Integration tests need Docker"),
    ("Deploys need the VPN", "Deploys need the VPN."),
    ("Deploys need the VPN", "deploys need the vpn!"),
    ("We are not using feature flags in billing", "Feature flags live in LaunchDarkly"),
    ("The docs are not in this repo", "The docs are built with mkdocs"),
    ("No deploys on Fridays", "Deploys go through ArgoCD"),
    ("Don't use print, use the logger", "print the summary at the end of the run"),
    ("Don't use any in TypeScript", "We use TypeScript for the frontend"),
    ("We moved from Monday standups to Tuesday standups", "The report is sent on Monday"),
    ("Run the linter before you commit, not after", "Run the tests after each change"),
    ("Removed users keep their invoices", "Users are stored in the accounts table"),
    ("Kill switches live in LaunchDarkly", "Use switches for the settings page"),
    ("Use httpx, not requests, for async code", "Requests are limited to 100 per minute"),
    ("The API is not versioned", "The API is at api.acme.com"),
    ("Never log tokens", "Tokens are stored in Vault"),
    ("Use Postgres over the Unix socket", "The Unix user of the service is keepstone"),
    ("Retry over HTTPS", "HTTPS ends at the load balancer"),
    ("Replace tabs with spaces in Makefiles on import", "Use tabs in Go"),
    ("Never use the prod database for tests", "The prod database is on port 6432"),
    ("Use Docker, not Podman, on the build box", "Podman is installed on the laptops"),
    ("We dropped support for Python 3.8", "Python 3.11 is required"),
    ("The old server was removed from the rack", "The server is at 10.0.0.4"),
    ("Stop the server before a backup", "The server is at 10.0.0.4"),
    ("Forget the cache for now", "The cache lives in Redis"),
    ("Don't use global state in handlers", "Handlers use dependency injection"),
    ("Never use git push --force on main", "Use git rebase for feature branches"),
    ("Don't run prettier on generated files", "Run prettier on staged files"),
    ("Do not use the admin account in scripts", "The admin account is on Vault"),
    ("Use UTC, not local time", "Reports show local time for the user"),
    ("I prefer functions over classes", "Classes are named in CamelCase"),
    ("We use classes for models, not dicts", "Dicts are fine in tests"),
    ("Migration 12 is reversible", "Migration 11 is reversible"),
    ("Use 4 spaces in Python", "Use 2 spaces in YAML"),
    ("Port 9090 is Prometheus", "Port 8080 is Prometheus"),
    ("The worker queue is limited to 10 jobs", "The mail queue is limited to 20 jobs"),
    ("Tests should not sleep", "Tests should use the fake clock"),
    ("Never commit secrets", "Secrets are in Vault"),
    ("Kill the dev server after tests", "The dev server is on port 3000"),
]


# no rule finds these: the model does
WEIGHED = [
    ("CI runs on GitHub Actions now", "CI runs on Jenkins"),
    ("Staging runs on port 9090 now", "Staging runs on port 8080"),
    ("We decided to move billing from PostgreSQL to MySQL", "We decided to use PostgreSQL for billing"),
    ("We go with React for the frontend after all", "The frontend is built with Vue"),
    ("Production runs in us-east-1", "Production runs in eu-west-1"),
    ("The payments service belongs to the platform team now", "The payments service belongs to team Falcon"),
    ("We moved alerts from Slack to PagerDuty", "Alerts go to Slack"),
    ("Prettier is gone, we use Biome now", "Format with Prettier"),
]
LIGHT = [
    ("Use pnpm, not npm", "pnpm workspaces break with npm"),
    ("Deploy with Helm, not kubectl", "Debug the Helm release with kubectl"),
    ("We support Python 3.12", "We support Python 3.11"),
    ("We use PostgreSQL, not MySQL", "The importer reads dumps from MySQL"),
    ("Before you commit, run make lint, always", "Always run make lint before committing"),
    ("Never commit without running make lint", "Run make lint before each commit"),
    ("Fact number 2 of the manual says 14", "Fact number 1 of the manual says 7"),
]


@pytest.mark.parametrize(("new", "old"), [*TAKEN_BACK, *WEIGHED])
def test_what_takes_back_supersedes(new, old):
    assert verdict(new, old, ALIKE) == TAKES_BACK


@pytest.mark.parametrize(("new", "old"), [*LEFT_ALONE, *LIGHT])
def test_what_is_about_the_same_or_says_it_again_supersedes_nothing(new, old):
    assert verdict(new, old, ALIKE) != TAKES_BACK


# One of many things, and the value that it has: (the thing, the value, its first number).
NUMBERED = [
    ("tenant number {}", "queue {}", 41),
    ("service {}", "port {}", 7001),
    ("customer {}", "host {}", 3),
    ("region {}", "shard key {}", 7),
    ("experiment {}", "seed {}", 100),
    ("environment {}", "bucket logs-{}", 11),
    ("node {}", "10.0.0.{}", 21),
    ("order type {}", "workflow v{}", 4),
    ("door #{}", "badge {}", 1001),
    ("table {}", "a retention of {} days", 30),
]
FRAMES = [
    "{value} for {thing}",
    "Use {value} for {thing}",
    "We decided to use {value} for {thing}, because the others are taken",
    "From now on {thing} uses {value}",
    "Always take {value} for {thing}, please",
]


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize(("thing", "value", "first"), NUMBERED)
def test_another_value_of_another_thing_takes_nothing_back(thing, value, first, frame):
    one, other = (frame.format(thing=thing.format(number), value=value.format(first + number)) for number in (1, 2))
    assert verdict(other, one, ALIKE) != TAKES_BACK and verdict(one, other, ALIKE) != TAKES_BACK


@pytest.mark.parametrize(("thing", "value", "first"), NUMBERED[:4])
def test_another_value_of_the_same_thing_takes_back(thing, value, first):
    one, other = (f"Use {value.format(number)} for {thing.format(1)}" for number in (first, first + 9))
    assert verdict(other, one, ALIKE) == TAKES_BACK


# The frame of a statement, and what stands in its two places: one of many things, and its value.
NAMED = {
    "We decided to run app {} on host {}": [("one", "alpha7"), ("two", "alpha8"), ("three", "bravo1")],
    "We decided to host the {} shop in {}, because it is near": [("alpha", "Frankfurt"), ("beta", "New York")],
    "The {} team deploys on {}": [("payments", "Tuesdays"), ("search", "Fridays")],
    "We keep customer {} on plan {}": [("Aster", "gold"), ("Birch", "silver"), ("Cedar", "bronze")],
    "Tenant {} uses the {} database": [("Acme", "Oslo"), ("Globex", "Lisbon")],
    "{} signs off the {} releases": [("Anna", "iOS"), ("Boris", "Android")],
    "We decided to bill {} customers in {}": [("Swiss", "francs"), ("Danish", "crowns"), ("Polish", "zloty")],
    "Store the {} logs in bucket {}": [("audit", "cold-a"), ("access", "warm-b")],
    "The {} printer is on floor {}": [("red", "four"), ("blue", "five")],
    "We chose the colour {} for the {} theme": [("teal", "winter"), ("coral", "summer")],
    "Route {} traffic through {}": [("German", "Frankfurt"), ("Irish", "Dublin")],
    "Service {} listens on port {}": [("one", "7001"), ("two", "7002"), ("ten", "7010")],
    "The {} cluster has {} nodes": [("green", "three"), ("amber", "nine")],
    "We decided to name the {} server after the planet {}": [("mail", "Venus"), ("build", "Saturn")],
    "We decided to give the {} service {} workers": [("image", "three"), ("mail", "eight")],
    "Machine {} runs the {} builds": [("Hera", "Windows"), ("Zeus", "Linux")],
    "We decided to ship {} orders from the {} warehouse": [("French", "Lyon"), ("Czech", "Brno")],
    "We decided to pay supplier {} by {}, because they asked for it": [("Nord", "cheque"), ("Sud", "wire")],
    "Invoices must be sent to customer {} by {}": [("Globex", "mail"), ("Acme", "fax")],
    "Deliveries must go to warehouse {} via {}": [("Dublin", "DHL"), ("Berlin", "UPS")],
    "Webhooks must be sent to partner {} as {}": [("Globex", "XML"), ("Acme", "JSON")],
    "We write to table {} through service {}": [("alpha", "red"), ("beta", "blue")],
    "We connect to shop {} with key {}": [("alpha", "red"), ("beta", "blue")],
}
NAMED |= {
    "We decided to ship orders from {} with {}, because it is cheap": [("Austria", "DHL"), ("Hungary", "GLS")],
    "We decided to keep logs of region {} for {} days": [("A", "30"), ("B", "90")],
    "We decided to store photos of {} in bucket {}": [("pets", "paws"), ("cars", "wheels")],
    "We decided to host the {} on {}": [("docs", "Netlify"), ("demo", "Fly")],
    "We decided to write {} in {}, because of speed": [("adapters", "Rust"), ("plugins", "Lua")],
    "We decided to pin numpy to {} in {}": [("1.26", "trainer"), ("2.1", "scorer")],
    "We always freeze {} in {}": [("deploys", "December"), ("hiring", "August")],
    "We decided to open port {} on the {}": [("443", "edge"), ("8443", "core")],
    "We decided to retry {} {} times": [("payments", "3"), ("emails", "10")],
    "We switched the {} from {}": [("wiki", "Notion to Confluence"), ("handbook", "Confluence to Notion")],
    "We switched {} from {}": [("service one", "REST to gRPC"), ("service two", "gRPC to REST")],
    "I prefer {} names for {}": [("short", "loop variables"), ("long", "public functions")],
    "We {} merges in the {} repo": [("squash", "app"), ("rebase", "infra")],
    "Never mock the {} in {} tests": [("database", "unit"), ("clock", "browser")],
    "We use {} for {}": [("Kafka", "clicks"), ("SQS", "mails")],
    "{} queue 41 for tenant {}": [("Always use", "1"), ("Never use", "2")],
    "Wir haben beschlossen, die Logs von {} {} Tage aufzuheben": [("Wien", "30"), ("Graz", "90")],
}
STILL_THE_SAME = [  # (new, old) of one thing
    ("We switched the wiki from Confluence to Notion", "We switched the wiki from Notion to Confluence"),
    ("We decided to run app one on host alpha8", "We decided to run app one on host alpha7"),
    (
        "We decided to host the alpha shop in Dublin, because it is cheap",
        "We decided to host the alpha shop in Frankfurt, because it is near",
    ),
    ("We moved the alpha shop from Frankfurt to Dublin", "We decided to host the alpha shop in Frankfurt"),
    ("We keep customer Aster on plan silver", "We keep customer Aster on plan gold"),
    ("Service one listens on port 7005", "Service one listens on port 7001"),
    (
        "Deploys need approval from Boris and take 20 minutes",
        "Deploys need approval from Anna and take 10 minutes",
    ),
    ("The staging database runs on host beta2, port 5433", "The staging database runs on host alpha7, port 5432"),
    ("The API allows 200 requests per minute per user", "The API allows 100 requests per hour per user"),
    ("Logs are kept for 90 days on disk four", "Logs are kept for 30 days on disk two"),
    (
        "We decided to use MySQL for billing, because it is cheap",
        "We decided to use PostgreSQL for billing, because it is fast",
    ),
]


@pytest.mark.parametrize("frame", NAMED)
def test_another_name_with_another_value_is_another_fact(frame):
    for one, other in itertools.permutations(NAMED[frame], 2):
        assert verdict(frame.format(*other), frame.format(*one), ALIKE) == ""


@pytest.mark.parametrize(("new", "old"), STILL_THE_SAME)
def test_another_value_of_what_has_the_same_name_takes_back(new, old):
    assert verdict(new, old, ALIKE) == TAKES_BACK


SEVERAL = [
    ("Team Red", "Team Blue"),
    ("The cart service", "The search service"),
    ("The backend team", "The frontend team"),
    ("Project Eagle", "Project Falcon"),
    ("The web squad", "The mobile squad"),
    ("The Rome office", "The Paris office"),
    ("Repo beta", "Repo alpha"),
    ("The staging cluster", "The live cluster"),
]
ENDED = [
    "{} stopped using {}",
    "{} no longer uses {}",
    "{} dropped {}",
    "{} quit using {}",
    "{} does not use {} any more",
]


@pytest.mark.parametrize("ended", ENDED)
@pytest.mark.parametrize(("one", "other"), SEVERAL)
def test_who_ends_the_use_of_a_thing_ends_nobody_elses(one, other, ended):
    used = f"{one} uses Jira"
    assert verdict(ended.format(other, "Jira"), used, ALIKE) == ""
    assert verdict(ended.format(one, "Jira"), used, ALIKE) == TAKES_BACK


def test_the_end_of_a_rule_elsewhere_may_but_does_not_take_back():
    elsewhere = "In staging we no longer run nightly backups"
    assert verdict(elsewhere, "In production we run nightly backups", ALIKE) == MAY_TAKE_BACK
    assert verdict("We no longer use MySQL for billing", "Use PostgreSQL for billing", ALIKE) == ""


@given(st.text(), st.text())
def test_a_verdict_is_one_of_three(new, old):
    assert verdict(new, old, ALIKE) in ("", MAY_TAKE_BACK, TAKES_BACK) and not verdict(new, new, ALIKE)


@pytest.mark.parametrize(("new", "old"), TAKEN_BACK)
def test_another_value_the_opposite_or_a_rejection_by_name_takes_back(new, old):
    assert reverses(new, old, ALIKE)


@pytest.mark.parametrize(("new", "old"), LEFT_ALONE)
def test_what_is_merely_about_the_same_takes_nothing_back(new, old):
    assert not reverses(new, old, ALIKE)


@pytest.mark.parametrize("text", [text for pair in TAKEN_BACK for text in pair])
def test_nothing_takes_itself_back(text):
    assert not reverses(text, text, ALIKE)
    assert not reverses(text, f"{text.upper()}!", ALIKE)


def test_apostrophes_of_any_form_are_the_same():
    for new in ("We don't use Redis anymore", "We don’t use Redis anymore"):
        assert reverses(new, "We use Redis for sessions", ALIKE)


def test_a_rejection_of_a_rejected_thing_takes_nothing_back():
    for old in ("We dropped Redis", "Never use Redis", "Redis is forbidden", "Use Valkey instead of Redis"):
        assert not reverses("We no longer use Redis", old, ALIKE), old


@given(st.text(), st.text())
def test_any_two_texts_can_be_asked_about(new, old):
    assert not reverses(new, new, ALIKE)
    reverses(new, old, ALIKE)


PARTS = [
    ("We use MySQL in the shop", "MySQL 5.7"),
    ("We use Stripe for payments", "Stripe Radar"),
    ("We use GitHub Actions for CI", "GitHub Packages"),
    ("We use AWS Lambda for jobs", "AWS Batch"),
    ("We support Postgres 16", "Postgres 12"),
    ("We use TLS 1.3", "TLS 1.1"),
    ("We support Firefox", "Firefox 60"),
    ("We use Node 22 for the build", "Node 18"),
    ("We use Python 3.12", "Python 3.9"),
    ("We use Google Maps for addresses", "Google Analytics"),
]


@pytest.mark.parametrize("ended", ["We dropped {}", "We no longer use {}", "Stop using {}", "We don't use {} any more"])
@pytest.mark.parametrize(("used", "part"), PARTS)
def test_the_end_of_a_part_or_of_a_version_ends_nothing_else(used, part, ended):
    new = ended.format(part)
    assert verdict(new, used, ALIKE) != TAKES_BACK and not reverses(new, used, ALIKE)
    assert verdict(new, f"We use {part}", ALIKE) == TAKES_BACK


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [("client", "Otter", "Seal"), ("plan", "Basic", "Pro"), ("brand", "Aurora", "Borea"), ("region", "North", "South")],
)
@pytest.mark.parametrize(
    "frame", ["We decided to use tag v{} for {}", "We use quota {} for the {}", "Use queue {} for {}."]
)
def test_a_value_for_another_of_a_kind_replaces_nothing(frame, kind, one, other):
    new, old = (frame.format(number, f"{kind} {name}") for number, name in ((4, other), (3, one)))
    assert verdict(new, old, ALIKE) != TAKES_BACK and not reverses(new, old, ALIKE)
    assert verdict(frame.format(9, f"{kind} {one}"), old, ALIKE) == TAKES_BACK


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("We no longer use make to deploy", "We use make to run tests"),
        ("We stopped using uv to build", "We use uv to install packages"),
        ("We no longer use Vault to sign", "We use Vault to store secrets"),
    ],
)
def test_the_end_of_one_purpose_leaves_another(new, old):
    assert verdict(new, old, ALIKE) != TAKES_BACK and not reverses(new, old, ALIKE)


CHOICES = [
    ("Let's go with PostgreSQL, not MySQL, for billing: we need row-level security", "PostgreSQL for billing"),
    ("We picked Kafka over RabbitMQ for events because it keeps the log", "Kafka for events"),
    ("We settled on Vite instead of Webpack for the bundle, since it is faster", "Vite for the bundle"),
    ("Let's go with Fastify rather than Express for the gateway — it validates schemas", "Fastify for the gateway"),
    ("We chose Terraform for staging: it's what the platform team knows", "Terraform for staging"),
]


@pytest.mark.parametrize(("choice", "what"), CHOICES)
@pytest.mark.parametrize(
    "end", ["We no longer use {}", "We do not use {} any more", "We don't use {} anymore, it's gone"]
)
def test_a_choice_ends_although_its_rival_and_its_reason_are_not_denied(choice, what, end):
    assert verdict(end.format(what), choice, ALIKE) == TAKES_BACK


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("We don't use MySQL for billing", CHOICES[0][0]),
        ("We never use RabbitMQ for events", CHOICES[1][0]),
        ("We no longer use PostgreSQL for the demo shop", CHOICES[0][0]),
        ("We don't use Terraform for production", CHOICES[4][0]),
        ("Express is not installed on the gateway's host", CHOICES[3][0]),
    ],
)
def test_the_end_of_something_else_ends_no_choice(new, old):
    assert verdict(new, old, ALIKE) != TAKES_BACK


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("We use npm and Jest", "We use pnpm and Vitest"),
        ("We use PostgreSQL and Redis", "We use MySQL and Memcached"),
        ("The app is on Heroku and uses Postgres", "The app is on Fly and uses MySQL"),
        ("For billing we use Stripe and Sendgrid", "For billing we use Adyen and Postmark"),
        ("We decided on Kafka, Redis and Nginx", "We decided on NATS, Valkey and Caddy"),
        ("Tests run with Jest and Cypress", "Tests run with Vitest and Playwright"),
        ("I prefer tabs and camelCase", "I prefer spaces and snakecase"),
    ],
)
def test_several_tools_that_pair_up_contradict_and_with_a_word_of_change_they_take_back(old, new):
    assert verdict(new, old, ALIKE) == MAY_TAKE_BACK
    assert verdict(f"{new} now", old, ALIKE) == TAKES_BACK


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("We use npm and Jest", "We use Docker and Helm"),
        (
            "I prefer tabs over spaces in the search-index service",
            "I prefer tabs over spaces in the index-search service",
        ),
        ("We use npm and Jest", "We also use pnpm and Vitest"),
        ("We use npm and Jest in the frontend", "We use pnpm and Vitest in the backend"),
        ("We deploy on Monday and Tuesday", "We meet on Wednesday and Friday"),
        ("We translate to English and German", "We translate to French and Spanish"),
        ("We support Chrome and Linux", "We support Firefox and Windows"),
        ("Service A uses Postgres and Redis", "Service B uses MySQL and Memcached"),
        ("Acme uses Jira and Slack", "Globex uses Linear and Teams"),
        ("We use Kafka and Redis for events", "We use NATS and Valkey for sessions"),
    ],
)
def test_several_tools_for_something_else_or_beside_others_contradict_nothing(old, new):
    assert verdict(new, old, ALIKE) == verdict(old, new, ALIKE) == ""
