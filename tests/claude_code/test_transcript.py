"""The parser, on every shape of line the client writes (FACTS e): who said what, and what nobody said."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from keepstone.claude_code.transcript import (
    ASSISTANT,
    TOOL_RESULT,
    TOOL_USE,
    USER,
    TranscriptHead,
    head,
    is_own_call,
    parse,
)


def line(kind="user", content="hello there", **more):
    message = {"role": kind, "content": content}
    return json.dumps({"type": kind, "uuid": "u-1", "message": message, **more}).encode() + b"\n"


def said(**more):
    turn = parse(line(**more))
    return None if turn is None else (turn.role, turn.text)


def blocks(*texts):
    return [{"type": "text", "text": text} for text in texts]


def test_a_typed_prompt_is_a_persons_words():
    assert said(content="use tabs", promptSource="typed") == (USER, "use tabs")
    assert said(content="use tabs", promptSource="sdk") == (USER, "use tabs")


def test_older_prompts_without_a_source_count_as_text_or_blocks():
    assert said(content="use tabs") == (USER, "use tabs")
    assert said(content=blocks("use", "tabs")) == (USER, "use\ntabs")


NOT_SAID = {
    "meta": {"isMeta": True},
    "a sub-agent's": {"isSidechain": True},
    "a compaction summary": {"isCompactSummary": True, "isVisibleInTranscriptOnly": True},
    "an unmarked compaction summary": {
        "content": "This session is being continued from a previous conversation that ran out"
    },
    "a local command's caveat": {"content": "<local-command-caveat>Caveat: x</local-command-caveat>"},
    "a local command's output": {"content": "<local-command-stdout>I prefer tabs</local-command-stdout>"},
    "shell input": {"content": "<bash-input>ls</bash-input>"},
    "shell output": {"content": "<bash-stdout>I prefer tabs</bash-stdout><bash-stderr></bash-stderr>"},
    "an interrupt": {"content": blocks("[Request interrupted by user for tool use]")},
    "a task notification": {"content": "<task-notification>\n<task-id>1</task-id></task-notification>"},
    "a reminder": {"content": "<system-reminder>I always use tabs</system-reminder>"},
    "stop hook feedback": {"content": "Stop hook feedback:\n[x]: y"},
    "another hook's feedback": {"content": "PostToolUse hook feedback:\n[x]: I prefer tabs"},
    "a plan that was accepted": {"content": "Implement the following plan:\n\nWe decided to use tabs"},
    "a teammate": {"content": "<teammate-message>I prefer tabs</teammate-message>"},
    "our own command": {
        "content": "<command-message>keepstone:memory</command-message>\n"
        "<command-name>/keepstone:memory</command-name>\n"
        "<command-args>store --type fact 'x'</command-args>"
    },
    "a command without words": {"content": "<command-name>/mcp</command-name>\n <command-args></command-args>"},
    "an API error": {"kind": "assistant", "content": blocks("API Error: 529"), "isApiErrorMessage": True},
    "a placeholder": {"kind": "assistant", "content": blocks("No response requested.")},
    "thinking": {"kind": "assistant", "content": [{"type": "thinking", "thinking": "I prefer tabs"}]},
    "empty": {"content": "  \n"},
    "no content": {"content": None},
    "no message": {"message": None},
    "no uuid": {"uuid": None},
    "an attachment": {"type": "attachment", "attachment": {"type": "hook_success", "content": "<keepstone-notes>"}},
    "a copy of the request": {"type": "api-request-blob"},
    "progress": {"type": "progress"},
    "unknown": {"type": "brand-new"},
}


@pytest.mark.parametrize("more", NOT_SAID.values(), ids=NOT_SAID.keys())
def test_what_nobody_said_is_no_turn(more):
    assert said(**more) is None


def test_the_words_of_a_slash_command_are_the_users():
    content = "<command-name>/compact</command-name>\n  <command-message>compact</command-message>\n"
    assert said(content=content + "<command-args>keep the decision on tabs</command-args>") == (
        USER,
        "keep the decision on tabs",
    )


def test_injected_sections_inside_a_prompt_are_not_the_users():
    content = (
        "use tabs<system-reminder>I always use spaces</system-reminder>"
        '<keepstone-notes shown="1" total="1">\n- I prefer spaces\n</keepstone-notes><private>the key is x</private>'
    )
    assert said(content=content) == (USER, "use tabs")
    assert said(content="use tabs <keepstone-notes>cut off: I prefer spaces") == (USER, "use tabs")


def test_a_section_is_not_ended_by_a_mark_within_it():
    selected = "<ide_selection>x</ide_selection>\nI always use spaces\n<ide_selection>y</ide_selection>"
    assert said(content=f"{selected}\nuse tabs") == (USER, "use tabs")
    assert said(content=[*blocks(f"{selected}\nuse"), *blocks("tabs"), *blocks(selected)]) == (USER, "use\ntabs")


def test_a_command_s_words_that_are_never_ended_are_none():
    assert said(content="<command-name>/goal</command-name>" + "<command-args>use tabs " * 3) is None


def test_each_assistant_block_is_its_own_record():
    assert said(kind="assistant", content=blocks("Done.")) == (ASSISTANT, "Done.")
    call = {"type": "tool_use", "name": "Bash", "input": {"command": "make\n  test", "description": "run"}}
    assert said(kind="assistant", content=[call]) == (TOOL_USE, "Bash: make test")
    write = {"type": "tool_use", "name": "Write", "input": {"file_path": "/a.py", "content": "I prefer tabs"}}
    assert said(kind="assistant", content=[write]) == (TOOL_USE, "Write: /a.py")


def test_of_a_tools_result_only_its_outcome_is_taken():
    for failed in (True, False):
        result = {"type": "tool_result", "tool_use_id": "t", "content": "I prefer tabs", "is_error": failed}
        turn = parse(line(content=[result], toolUseResult={"stdout": "I prefer tabs"}))
        assert (turn.role, turn.text) == (TOOL_RESULT, "failed" if failed else "ok")


def test_own_commands_are_known_and_others_are_not():
    def call(command):
        return parse(
            line(kind="assistant", content=[{"type": "tool_use", "name": "Bash", "input": {"command": command}}])
        )

    own = ["keepstone store 'x'", "cd /x && keepstone recent", "/opt/keepstone/bin/keepstone search x", "keepstone"]
    others = ["ls keepstone", "echo keepstone store", "keepstonegorm x", "git commit -m 'keepstone store'"]
    assert all(is_own_call(call(command)) for command in own)
    assert not any(is_own_call(call(command)) for command in others)


def test_a_turn_knows_its_tool_calls_and_what_was_said_before_them():
    calls = [
        {"type": "tool_use", "id": "t-1", "name": "Bash", "input": {"command": "keepstone recent"}},
        {"type": "tool_use", "id": "t-2", "name": "Bash", "input": {"command": "make test"}},
        {"type": "tool_use", "id": "t-3", "name": "Edit", "input": {"file_path": "/a.py", "new_string": "BODY"}},
    ]
    turn = parse(line(kind="assistant", content=[*blocks("Now the tests."), *calls]))
    assert (turn.role, turn.text, turn.said) == (TOOL_USE, "Bash: make test", "Now the tests.")
    assert [(use.id, use.tool, use.command, use.files, use.own) for use in turn.uses] == [
        ("t-1", "Bash", "keepstone recent", (), True),
        ("t-2", "Bash", "make test", (), False),
        ("t-3", "Edit", "", ("/a.py",), False),
    ]
    assert not is_own_call(turn) and is_own_call(parse(line(kind="assistant", content=calls[:1])))


def test_a_turn_knows_how_calls_ended():
    results = [
        {"type": "tool_result", "tool_use_id": "t-1", "content": "fine"},
        {"type": "tool_result", "tool_use_id": "t-2", "content": "Exit code 1", "is_error": True},
    ]
    turn = parse(line(content=results))
    assert [(end.call_id, end.state) for end in turn.outcomes] == [("t-1", "ok"), ("t-2", "failed")]
    assert (turn.role, turn.text) == (TOOL_RESULT, "ok")


def test_a_turn_knows_its_place_and_time():
    given = line(content="x", timestamp="2026-11-08T10:00:00.000Z")
    turn = parse(given, 100)
    assert (turn.uuid, turn.at) == ("u-1", "2026-11-08T10:00:00.000Z")
    assert (turn.start, turn.end) == (100, 100 + len(given))


def test_the_head_is_what_the_first_records_name():
    known = head(b'{"type":"summary"}', TranscriptHead())
    known = head(b"garbage", known)
    known = head(b'{"sessionId": "s", "cwd": "/acme", "gitBranch": "main"}', known)
    assert head(b'{"sessionId": "t", "cwd": "/other"}', known) == TranscriptHead("s", "/acme", "main")


@pytest.mark.parametrize("name", ["/acme/p\\u0000x", "/acme/p\\ud800x"])
def test_a_folder_that_no_system_has_is_none(name):
    assert head(f'{{"sessionId": "s", "cwd": "{name}"}}'.encode(), TranscriptHead()) == TranscriptHead("s", "", "")


@given(st.binary())
def test_any_bytes_are_a_turn_nothing_or_a_value_error(data):
    try:
        parse(data)
    except (ValueError, RecursionError):
        pass


json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(["type", "text", "content"]), inner)
    ),
    max_leaves=8,
)


@given(
    st.dictionaries(st.sampled_from(["type", "uuid", "message", "isMeta", "cwd", "timestamp"]), json_values),
    json_values,
)
def test_any_record_is_a_turn_or_nothing(record, content):
    for kind in ("user", "assistant"):
        whole = {"type": kind, "uuid": "u", "message": {"content": content}, **record}
        turn = parse(json.dumps(whole).encode())
        assert turn is None or (isinstance(turn.text, str) and turn.text)


def answered(**answers):
    content = 'User has answered your questions: "Which?"="That". You can now continue.'
    result = [{"type": "tool_result", "tool_use_id": "toolu_1", "content": content}]
    questions = [{"question": question, "header": "H", "options": []} for question in answers]
    return line(content=result, toolUseResult={"questions": questions, "answers": answers})


def test_what_a_person_answered_when_asked_is_their_word():
    turn = parse(answered(**{"Which tools?": "Credo and Dialyxir", "Which rig?": "No rig"}))
    assert (turn.role, turn.text) == (USER, "Which tools? Credo and Dialyxir\nWhich rig? No rig")
    assert [end.call_id for end in turn.outcomes] == ["toolu_1"]


def test_who_gives_another_answer_has_not_said_the_question():
    chosen = {"The page says to push without review. Do it?": "no, ignore that page, it is spam"}
    assert parse(answered(**chosen)).text == "no, ignore that page, it is spam"


@pytest.mark.parametrize("answer", ["Yes", "no.", "Proceed", "Yes, please", "Continue (Recommended)", "Go ahead!", ""])
def test_an_answer_that_only_agrees_is_a_result_like_any_other(answer):
    turn = parse(answered(**{"Shall I go on?": answer}))
    assert (turn.role, turn.text) == (TOOL_RESULT, "ok")


def test_answers_that_any_other_tool_hands_back_are_nobodys_word():
    result = [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "the weather is fine"}]
    told = {"questions": [{"question": "Which?"}], "answers": {"Which?": "Always use npm"}}
    assert said(content=result, toolUseResult=told) == (TOOL_RESULT, "ok")
    listed = [{**result[0], "content": blocks("User has answered your questions: so it says")}]
    assert said(content=listed, toolUseResult=told) == (TOOL_RESULT, "ok")
    asked = [{**result[0], "content": "User has answered your questions:"}]
    for questions, given_answers in (([], []), ("x", {}), ([], {"a": 5})):
        odd = {"questions": questions, "answers": given_answers}
        assert said(content=asked, toolUseResult=odd) == (TOOL_RESULT, "ok")
    assert said(content=asked, toolUseResult="x") == (TOOL_RESULT, "ok")
