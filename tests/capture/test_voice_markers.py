"""What the client writes into a line for a picture or a paste hides none of the words beside it."""

from __future__ import annotations

import pytest

from keepstone.claude_code.person import typed

SAID = "We never ship on Fridays."
MARKED = [
    "[Image #1] {}",
    "[Pasted text #1 +20 lines] {}",
    "[Image #1] [Image #2] [Image #3] {}",
    "[Image #1][Image #2]{}",
    "{} [Image #12]",
    "{}\n[Image #3]\n",
    "[Image #1]\n\n{}",
    "[Pasted text #3 +1 lines]{}",
    "[Pasted text #3] {}",
    "[Pasted text #2 +1 line] {}",
    "[Pasted text #1 +1,204 lines] {}",
    "[...Truncated text #1 +30 lines...] {}",
    "{}[...Truncated text #1 +30 lines...]",
    "[image #1] {}",
    "[Image 1] {}",
    "[PDF #1] {}",
    "[File #1] {}",
    "[Screenshot #2 1024x768] {}",
    "[Pasted image #1] {}",
    "[Image #1]: {}",
    "[Image #1], {}",
    "  [Image #1]\t{}",
    "[Pasted text #1 +20 lines]\n[Image #2] {}",
    "[Document #4 (12 pages)] {}",
]


@pytest.mark.parametrize("shape", MARKED)
def test_a_marker_is_taken_out_wherever_it_stands(shape):
    assert typed(shape.format(SAID)).strip() == SAID


@pytest.mark.parametrize("shape", MARKED)
def test_what_stands_beside_a_marker_is_learned_as_the_users(sessions, shape):
    transcript = sessions.begin()
    transcript.user(shape.format("We deploy with Terraform only, never by hand."))
    sessions.memory.capture.capture(str(transcript.path))
    assert sessions.rows("content, trust") == [("We deploy with Terraform only, never by hand", "trusted")]
    assert sessions.rows("method", "evidence") == [("user",)]


@pytest.mark.parametrize(
    "line",
    [
        "[worker #3] we never ship",
        "[ERROR] we never ship",
        "[12:00:01] we never ship",
        "[Image #1]",
        "[build 7] we ship",
    ],
)
def test_a_log_line_is_no_marker(sessions, line):
    transcript = sessions.begin()
    transcript.user(line)
    sessions.memory.capture.capture(str(transcript.path))
    assert sessions.rows("content") == []
