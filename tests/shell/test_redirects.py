"""Redirections of a shell command are told apart from its words, with or without blanks around their signs."""

from __future__ import annotations

import pytest

from keepstone.shell.parse import commands

LINES = {
    "make > a.log": (["make"], [(">", "a.log")]),
    "make>a.log 2>&1": (["make"], [(">", "a.log"), ("2>&", "1")]),
    "make >> a.log b": (["make", "b"], [(">>", "a.log")]),
    "make >| a.log": (["make"], [(">|", "a.log")]),
    "make &> a.log": (["make"], [(">", "a.log")]),
    "make >& a.log": (["make"], [(">&", "a.log")]),
    "make > 'the log'": (["make"], [(">", "the log")]),
    "sort < a > b": (["sort"], [("<", "a"), (">", "b")]),
    "sort<a": (["sort"], [("<", "a")]),
    "echo 'a > b' \"c<d\" \\> e": (["echo", "a > b", "c<d", "\\>", "e"], []),
    "(cd a; make) > b": (["make"], [(">", "b")]),
}


@pytest.mark.parametrize("line", list(LINES))
def test_redirections_are_no_words(line):
    last = commands(line)[-1]
    assert (last.words, last.redirects) == LINES[line]
