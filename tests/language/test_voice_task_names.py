"""A session is called after its task, wherever that stands in an issue: never after a mention, code or a stamp."""

from __future__ import annotations

import pytest

from keepstone.language.task_name import task_of

ISSUES = [
    ("Crash when saving an empty invoice\n\nSteps:\n1. open\n\ncc @mira-example", "Crash when saving an empty invoice"),
    (
        "look at this\n\nbug: CSV import drops umlauts\nreported by @jens on 3 May\n(last modified by tim)",
        "CSV import drops umlauts",
    ),
    (
        "@mira-example can you look?\n\nSession cookie is not refreshed after login\n\nWhen ...",
        "Session cookie is not refreshed after login",
    ),
    (
        "import numpy as np\nx = np.zeros(3)\n#test database new\n\nnp.zeros fails with a tuple shape",
        "np.zeros fails with a tuple shape",
    ),
    (
        "PROJ-412: Export of orders times out\n\nAssignee: Mira\nPriority: High\n\nLarge exports fail.",
        "PROJ-412: Export of orders times out",
    ),
    (
        "Fix #88\n\n> **Date picker shows the wrong week**\n> opened by mira-example 3 days ago",
        "Date picker shows the wrong week",
    ),
    (
        "mira-example commented 2 days ago\n\nThe date picker shows the wrong week\n\n@bob please check",
        "The date picker shows the wrong week",
    ),
    ("(last modified by Jens)\n\nMigrations run twice on a fresh database", "Migrations run twice on a fresh database"),
    (
        "Labels: bug, p1\nMilestone: 4.2\n\nTooltip stays open after the chart is closed",
        "Tooltip stays open after the chart is closed",
    ),
    (
        "Here's the issue:\n\n### Describe the bug\n\nThe sidebar overlaps the map\n\n```js\nconst a = 1\n```",
        "The sidebar overlaps the map",
    ),
    (
        "Traceback (most recent call last):\n  File \"a.py\", line 3\nKeyError: 'x'\n\nThe importer fails on rows",
        "The importer fails on rows",
    ),
    (
        "**Describe the bug**\nPDF export cuts the last column\n\n**Environment**\nmacOS 14\n\nping @mira-example",
        "PDF export cuts the last column",
    ),
    ("$ npm test\nFAIL src/a.test.js\n\nfix the failing cart test", "fix the failing cart test"),
    ("Title: Dark mode flickers on reload\nBody: When reloading...\n@mira-example fyi", "Dark mode flickers on reload"),
    ("def total(x):\n    return x\n\nRound totals to two decimals", "Round totals to two decimals"),
    ("#database #urgent\nIndex on orders is missing", "Index on orders is missing"),
    ("cc: @a, @b\n\nPassword reset mail is sent twice\n\nThanks\nMira", "Password reset mail is sent twice"),
    (
        "Issue #12 opened by bob on Jan 3 2026\nSearch ignores accents\nLast edited by mira 2 days ago",
        "Search ignores accents",
    ),
    ("SELECT * FROM orders;\n-- slow\n\nSpeed up the orders list", "Speed up the orders list"),
    ("Please fix SHOP-7: Cart loses items after login", "Please fix SHOP-7: Cart loses items after login"),
    ("PASS src/b.test.js\nFAIL src/a.test.js\n\nThe cart test fails on Windows", "The cart test fails on Windows"),
]


@pytest.mark.parametrize(("prompt", "name"), ISSUES)
def test_an_issue_is_called_after_its_heading(prompt, name):
    task = task_of([prompt])
    assert (task.heading or task.request).startswith(name)
    shown = task.heading + task.request
    assert not any(mark in shown for mark in ("@mira", "ping @", "import numpy", "last modified", "SELECT"))
