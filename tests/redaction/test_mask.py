"""Shapes of secrets that the standard library alone must know: what leaves this machine, or waits in the spool."""

from __future__ import annotations

import pytest

from keepstone.redaction.mask import mask
from keepstone.redaction.redact import redact


@pytest.mark.parametrize("take", [mask, redact])
@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("OPENAI_API_KEY=sk-abcdEFGH1234567890abcdEFGH", "abcdEFGH"),
        ("the key is sk-or-v1-0123456789abcdef0123", "0123456789"),
        ("DB_PASSWORD=hunter", "hunter"),
        ("export STRIPE_SECRET='whsec_abc'", "whsec_abc"),
        ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfi", "wJalr"),
        ("Authorization: Basic dXNlcjpwYXNzd29yZA==", "dXNlcj"),
        ("twilio SK0123456789abcdef0123456789abcdef", "0123456789"),
        ("mail SG.abcdefghijklmnop123.qrstuvwxyz0123456789", "qrstuv"),
        ("api key: 9f8e7d6c5b", "9f8e7d"),
    ],
)
def test_a_secret_is_taken_out(take, text, secret):
    assert secret not in take(text)


@pytest.mark.parametrize("take", [mask, redact])
@pytest.mark.parametrize(
    "text",
    [
        "We use basic authentication everywhere",
        "The token count is 2,000 tokens a call",
        "The password is stored in the vault",
        "Use access keys from the vault",
        "PWD=/home/ann/project",
        "Keys begin with sk- and a name",
    ],
)
def test_prose_stays(take, text):
    assert take(text) == text


@pytest.mark.parametrize(
    ("said", "secret"),
    [
        ("My PIN is 4471, I always forget it", "4471"),
        ("The door code at the office is 9910#", "9910"),
        ("The admin login for grafana is admin / Tr0ub4dor&3, we never change it", "Tr0ub4dor&3"),
        ("Log in to the VPN with user priya and password summertime", "summertime"),
        ("Das Passwort für den Server ist Sommer2026!, wir benutzen es immer", "Sommer2026!"),
        ("wifi passphrase: correct horse battery staple", "horse"),
        ("The root pw is tiger77 on every box", "tiger77"),
        ("We use AKIAIOSFODNN7EXAMPLE / wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "wJalr"),
        ("< private >Our client is Hooli</ private > we use Svelte", "Hooli"),
    ],
)
def test_what_people_say_aloud_is_a_secret_too(said, secret):
    assert secret not in mask(said)


@pytest.mark.parametrize(
    "said",
    [
        "the led pin = 13, the button pin is 7",
        "the passphrase is stored in the vault, ask Tom",
        "users/login: 404, the user name / e-mail is shown",
        "log in with SSO / LDAP as before",
        "das Passwort ist falsch",
    ],
)
def test_what_only_speaks_of_a_secret_stays(said):
    assert mask(said) == said
