"""What Keepstone showed is no news when a session says it again."""

from __future__ import annotations

import pytest

from builders import candidate
from keepstone.capture.echo import is_echo
from keepstone.language.duplicates import normalise

SHOWN = {normalise("Deploys need the VPN")}


def is_memory(beginning):
    return "3fa2c1d4e5f6".startswith(beginning)


@pytest.mark.parametrize("text", ["Deploys need the VPN", "deploys need the vpn!", "Deploys  need the “VPN”."])
def test_a_shown_text_is_an_echo_whatever_its_signs(text):
    assert is_echo(candidate(text), SHOWN, is_memory)


@pytest.mark.parametrize(
    "text", ["Deploys don't need the VPN", "Deploys need the VPN and a ticket", "Need the VPN", ""]
)
def test_another_text_is_news(text):
    assert not is_echo(candidate(text), SHOWN, is_memory) and not is_echo(candidate(text), set(), is_memory)


@pytest.mark.parametrize(
    "line",
    [
        "- Deploys need the VPN (3fa2c1, 2026-11-02)",
        "- Deploys need the VPN (3fa2c1d4e5f6, user said, fact, 2026-11-02)",
        "ID: 3fa2c1d4 | fact | Deploys need the VPN",
    ],
)
def test_a_quoted_line_of_a_listing_is_an_echo(line):
    assert is_echo(candidate("Deploys need it", excerpt=line), set(), is_memory)


@pytest.mark.parametrize("line", ["released (2026-11-02)", "commit abc1234 of 2026-11-02", "ID: 5", "(beef, 2026)"])
def test_a_date_or_a_commit_is_none(line):
    assert not is_echo(candidate("Deploys need it", excerpt=line), set(), is_memory)


def test_a_commit_with_its_date_is_no_line_of_keepstones():
    line = "Our release branch is always cut from main (a1b2c3d4, 2026-11-02) and never from develop."
    assert not is_echo(candidate(line, excerpt=line), SHOWN, is_memory)
    assert is_echo(candidate(line, excerpt=line.replace("a1b2c3d4", "3fa2c1d4")), SHOWN, is_memory)
