"""What is said about passwords, in any language, stays; so do lines of English and code that look like a secret."""

from __future__ import annotations

import pytest

from keepstone.redaction.mask import mask
from keepstone.redaction.redact import redact
from passwords_spoken_of import HARMLESS, SAID, SPOKEN, spoken_of

MADE = spoken_of()


@pytest.mark.parametrize("language", SPOKEN)
def test_what_is_said_about_a_password_stays(language):
    texts = [text for one, text in MADE if one == language]
    wrong = [f"{text} -> {take(text)}" for text in texts for take in (redact, mask) if take(text) != text]
    assert len(SPOKEN[language][1].splitlines()) == len(SAID) >= 15 and not wrong, "\n".join(wrong)


def test_of_a_hundred_lines_of_english_and_code_at_most_one_is_redacted():
    wrong = [f"{text} -> {redact(text)}" for text in HARMLESS if redact(text) != text]
    assert len(HARMLESS) >= 150 and len(wrong) <= len(HARMLESS) / 100, "\n".join(wrong)
