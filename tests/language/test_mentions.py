"""Whether a text speaks of a file; what it quotes of it; which area it belongs to; what a misspelt word means."""

from __future__ import annotations

import pytest

from keepstone.language.mentions import BY_FOLDER, BY_NAME, BY_PATH, BY_PATTERN, mentions
from keepstone.lib.spelling import meant, slips
from keepstone.model.anchor import holds, quoted
from keepstone.project.area import area_of, is_near, paths_in

SPOKEN = [
    ("money in services/billing/rounding.py is half-even", "services/billing/rounding.py", BY_PATH),
    ("`rounding.py:22` rounds", "services/billing/rounding.py", BY_NAME),
    ("src/legacy/ is frozen", "src/legacy/a/b.ts", BY_FOLDER),
    ("All *.sql files are generated", "db/x.sql", BY_PATTERN),
    ("`src/**/*.test.ts` use msw", "src/a/b.test.ts", BY_PATTERN),
    ("There are no .env files", "apps/web/.env.local", BY_PATTERN),
    ("Makefile has tabs", "Makefile", BY_NAME),
    ("services/api/index.ts exports it", "services/web/index.ts", 0),
    ("apps/web/messages/de.json is the source; en.json is pulled", "apps/admin/messages/en.json", 0),
    ("styling in apps/web is Tailwind", "apps/web/app/page.tsx", 0),
    ("see https://example.com/a.py", "a.py", 0),
    ("", "a.py", 0),
]


@pytest.mark.parametrize(("text", "path", "how"), SPOKEN)
def test_a_text_speaks_of_a_file_by_path_name_pattern_or_folder(text, path, how):
    assert mentions(text, path) == how


def test_identifiers_and_spans_are_quoted():
    text = "`round_money` in billing calls toCents() and `retries = 3`; HTTP_TIMEOUT is plain, so is GitHub"
    assert quoted(text)[:3] == ["round_money", "retries = 3", "toCents"] and "HTTP_TIMEOUT" in quoted(text)


def test_a_file_holds_an_identifier_only_as_a_whole():
    assert holds("x = round_money(1)", "round_money") and holds("def toCents(a):", "toCents()")
    assert not holds("x = round_money_up(1)", "round_money") and not holds("", "round_money")


def test_areas_are_the_common_folder_of_files():
    assert area_of(["services/api/a.py", "services/api/b/c.py"]) == "services/api" and area_of([]) == ""
    assert is_near("services/api", "services/api/src") and is_near("services/api", "services") and is_near("", "x")
    assert not is_near("services/api", "services/apis")
    assert paths_in("see services/api/a.py, @scope/x and /etc/hosts") == ["services/api/a.py"]


KNOWN = ["chang", "changeset", "doppler", "do", "launch", "anomali", "receiv"]


@pytest.mark.parametrize(
    ("word", "stem"),
    [("chnageset", "changeset"), ("dopler", "doppler"), ("anomolies", "anomali"), ("recieve", "receiv"), ("zebra", "")],
)
def test_a_misspelt_word_is_the_nearest_that_is_known(word, stem):
    assert meant(word, KNOWN) == stem


def test_letters_in_the_wrong_order_are_one_slip():
    assert [slips("ab", "ba"), slips("abc", "ac"), slips("", "abc"), slips("abc", "abc")] == [1, 1, 3, 0]
