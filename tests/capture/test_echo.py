"""What Keepstone showed is no news when a session says it again."""

from __future__ import annotations

import pytest

from builders import candidate
from keepstone.capture.echo import is_echo
from keepstone.language.duplicates import normalise

SHOWN = {normalise("Deploys need the VPN")}


@pytest.mark.parametrize("text", ["Deploys need the VPN", "deploys need the vpn!", "Deploys  need the “VPN”."])
def test_a_shown_text_is_an_echo_whatever_its_signs(text):
    assert is_echo(candidate(text), SHOWN)


@pytest.mark.parametrize(
    "text", ["Deploys don't need the VPN", "Deploys need the VPN and a ticket", "Need the VPN", ""]
)
def test_another_text_is_news(text):
    assert not is_echo(candidate(text), SHOWN) and not is_echo(candidate(text), set())


@pytest.mark.parametrize(
    "line",
    [
        "- Deploys need the VPN (3fa2c1, 2026-11-02)",
        "- Deploys need the VPN (3fa2c1d4e5f6, user said, fact, 2026-11-02)",
        "ID: 3fa2c1d4 | fact | Deploys need the VPN",
    ],
)
def test_a_quoted_line_of_a_listing_is_an_echo(line):
    assert is_echo(candidate("Deploys need it", excerpt=line), set())


@pytest.mark.parametrize("line", ["released (2026-11-02)", "commit abc1234 of 2026-11-02", "ID: 5", "(beef, 2026)"])
def test_a_date_or_a_commit_is_none(line):
    assert not is_echo(candidate("Deploys need it", excerpt=line), set())
