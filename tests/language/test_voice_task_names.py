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


HEADING = "Tooltip stays open after the chart is closed"
BESIDE = """
In GitLab by @mira on Mar 3, 2024, 10:02
_Originally posted by @mira in #12_
_Originally posted by @mira in https://github.com/acme/shop/issues/12#issuecomment-1_
last updated 3 days ago by Tim
Owner changed from nobody to Tim
Owner set to Tim
Keywords: chart tooltip
Triage Stage: Accepted
Attachments: chart.png (12 KB)
Tim Example added the label p1
Tim Example changed the title Tooltip to Tooltips
mira-example added the bug label Nov 3
Tim added this to the 4.2 milestone
Tim assigned mira-example
Tim closed this as completed in #14
Tim reopened this on Nov 3
Tim mentioned this issue on Nov 3
Tim linked a pull request that will close this issue
Tim pinned this issue 3 days ago
Tim removed their assignment
Tim moved this from Todo to Done in Roadmap
Resolution set to fixed
Status changed from new to closed
Component: Charts -> Tooltips
Cc: mira-example added
Has patch: set
Needs tests: unset
Version: 4.2
Severity: Normal
Easy pickings: no
UI/UX: no
Changed 3 years ago by mira-example
comment:3 by Tim Example, 2 years ago
Reported by Tim Example 3 days ago
Tim Example opened this issue 3 days ago · 4 comments
Opened 3 years ago
Posted on behalf of a customer
Imported from Bugzilla #4411
Migrated from Trac ticket 331
Follow-up to #12
Duplicate of #31
Related: #44, #45
Fix Version/s: 4.2
Affects Version/s: 4.1
Story Points: 5
Sprint: Charts 12
Watchers: 4
Due date: Nov 30
Estimate: 2h
Time spent: 30m
Linked issues: SHOP-3
Reactions: 3
4 participants
Edited by Mira Example
Author: Mira Example
On Tue, Nov 3, 2026 at 10:02 AM Tim Example wrote:
Posted by Mira Example on 3 May
Created: 12/Nov/26 10:02 AM
Updated: 12/Nov/26 10:02 AM
Votes: 12
""".strip().split("\n")
HEADINGS = """
Owner is not changed when a project moves
Status changed to closed too early
Label is added twice
Keywords of a page are lost
Attachments: upload fails over 2 MB
Attachments are dropped from replies
GitLab import skips labels
Last updated date is wrong in the list
Tim zone is off by one hour
Version check fails on Windows
Component tree renders twice
Comment count is wrong after a delete
Changed files are not listed in the report
Assigned tickets vanish from the board
Closed tabs stay in the history
Resolution of images is halved
Sprint board loses its filter
Imported contacts have no phone number
Duplicate of an order is created on retry
Milestone due date shifts by a day
Stage builds run without cache
Reported totals differ from the invoice
Priority queue starves small jobs
Estimate field accepts negative numbers
Follow-up mail is sent twice
Opened files are locked forever
Severity icons are missing in dark mode
Posted comments show no avatar
Edited messages lose their thread
Linked accounts cannot be removed
Related products load slowly
Author names are cut at 20 letters
""".strip().split("\n")


def test_what_a_tracker_writes_beside_an_issue_is_no_name():
    assert len(BESIDE) >= 30
    for line in BESIDE:
        for prompt in (f"Fix this issue:\n\n{line}\n\n{HEADING}\n\nWhen ...", f"Fix this issue:\n{line}\n{HEADING}"):
            task = task_of([prompt])
            assert (task.heading or task.request).startswith(HEADING), line


def test_a_heading_that_begins_alike_names_the_task():
    assert len(HEADINGS) >= 30
    for heading in HEADINGS:
        for prompt in (f"Fix this issue:\n\n{heading}\n\nWhen ...", f"Fix this:\nTim added the label p1\n{heading}"):
            task = task_of([prompt])
            assert (task.heading or task.request).startswith(heading)


NAMES = ["Exporter drops the last row", "Cart loses its items on back", "Login page flickers in dark mode"]
ABOVE = [
    "@rosa-dev reported:\n\n{}",
    "@rosa-dev says: {}",
    "@rosa-dev: {}",
    "From @kim-example:\n> {}\n\nplease fix",
    "From @kim-example: {}",
    "@kim-example wrote 3 days ago:\n> {}",
    "**@kim-example** reported yesterday:\n\n{}",
    "#include <stdio.h>\n\n{}",
    "#include <stdio.h>\nint main() {}\n\n{}".replace("{}", "{{}}", 1),
    "#define MAX 3\nint a[MAX];\n\n{}",
    "#ifdef DEBUG\nlog(x);\n#endif\n\n{}",
    "# load all rows\ndf = load()\n\n{}",
    "# the limit\nlimit = rows[0]\n\n{}",
    "total += row.price\n\n{}",
    "$ npm test\n> acme@1.0.0 test\n\n{}",
    "$ yarn build\n> @acme/shop@2.1.0-beta build\n\n{}",
    "## Steps to reproduce\n1. open cart\n2. press back\n\n{}",
    "Steps:\n- open the cart\n- press back\n\n{}",
    "**To reproduce**\n\n1. open the cart\n2. press back\n\n{}",
    "How to reproduce:\n1) open the cart\n\n{}",
]


@pytest.mark.parametrize("above", ABOVE)
def test_neither_mention_code_nor_steps_name_a_task(above):
    for name in NAMES:
        task = task_of([above.format(name)])
        assert (task.heading or task.request).startswith(name)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("form", ["#4312: {}", "#7 {}", "Please look into this:\n\n#4312: {}\n\nWhen ...", "> #12: {}"])
def test_an_issues_number_keeps_its_sign(form, name):
    task = task_of([form.format(name)])
    assert (task.heading or task.request) == form.partition("#")[1] + form.partition("#")[2].split("\n")[0].format(name)


ALIKE = [
    "Reported totals differ from the invoice",
    "From address is wrong in mails",
    "Steps of the wizard lose their order",
    "timeout = 30 is too short for large exports",
    "Steps to reproduce a build are missing in the docs",
    "Includes of a header are sorted wrongly",
    "Mentions of @kim-example are not linked in comments",
    "Define a limit for uploads",
]


@pytest.mark.parametrize("name", ALIKE)
def test_a_name_that_looks_like_one_of_these_names_the_task(name):
    task = task_of([name])
    assert (task.heading or task.request) == " ".join(name.replace("@kim-example", "").split())
