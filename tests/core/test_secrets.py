"""Shapes of secrets that the standard library alone must know: what leaves this machine, or waits in the spool."""

from __future__ import annotations

import pytest

from cairn.core.secrets import mask
from cairn.redact import redact


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
