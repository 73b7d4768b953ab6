"""What a person is said to have said: not what the assistant, a chat, a review or a list said in their prompt."""

from __future__ import annotations

import pytest

RULE = "We deploy with Terraform only, never by hand."
FIX = "Proper fix: start the broker before the watcher and keep the socket open."


def learned(sessions, *turns):
    """What is stored of a session in which the assistant and the user took turns, the user last."""
    transcript = sessions.begin()
    for at, text in enumerate(turns):
        (transcript.assistant if (len(turns) - at) % 2 == 0 else transcript.user)(text)
    sessions.memory.capture.capture(str(transcript.path))
    return [content for content, _ in sessions.learned]


@pytest.mark.parametrize(
    "turns",
    [
        (FIX, f"{FIX}\ndo this"),
        (FIX, f"do this:\n{FIX}"),
        (f"Two things:\n- {RULE}\n- {FIX}", f"- {RULE}\n- {FIX}\n\nok do these"),
        (RULE, RULE),
        ("bob: We decided to move to Kafka next quarter.\nMe: ok",),
        ("bob: We decided to move to Kafka next quarter.\nalice: ok\nbob: We never use Redis again",),
        ("Line 34: the parser returns two values, we always return one.\nLine 60: never use a global here.",),
        ("- [ ] We always squash before merging\n- [x] Never push to main",),
        ("v2.3.0\n- We now use Redis for sessions\n- We dropped support for Python 3.8",),
    ],
)
def test_what_others_said_in_a_prompt_is_not_learned_as_the_user_s(sessions, turns):
    assert learned(sessions, *turns) == []


@pytest.mark.parametrize(
    "turns",
    [
        (RULE,),
        ("Shall I use Ansible?", RULE),
        (FIX, f"{FIX}\nno. {RULE}"),
        ("I see.", f"Me: {RULE}\nbob: ok"),
        (RULE, f"Noted: {RULE}", RULE),
        (f"v2.3.0\n- We now use Redis for sessions\n\n{RULE}",),
    ],
)
def test_what_the_user_said_beside_it_is_learned(sessions, turns):
    assert [content for content in learned(sessions, *turns) if "Terraform" in content] == [RULE.rstrip(".")]


def test_a_rule_on_prompts_is_not_taken_for_a_text_to_work_on(sessions):
    transcript = sessions.begin()
    transcript.user("We want each **system prompt** kept in the audit log. Disk is cheap.")
    (judged,) = (turn.passages for turn in sessions.memory.capture.explain(str(transcript.path)).turns)
    assert [one.text for one in judged] == ["We want each **system prompt** kept in the audit log. Disk is cheap"]
    assert not any("text to work on" in one.why for one in judged)
