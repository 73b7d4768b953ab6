"""A few steps of every scenario come to every harm, and nothing is lost; `make faults` goes through all of them."""

from __future__ import annotations

import pytest

from faults import disk
from faults.campaign import Trial, harmed
from faults.harm import HARMS, KILL, NO_SPACE, TORN
from faults.scenarios import SCENARIOS
from support import require

pytestmark = pytest.mark.system


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.name)
def test_what_comes_to_harm_is_finished_by_the_next_run(scenario, tmp_path):
    require("libsqlite3", disk.library(), "a Python that is linked with libsqlite3")
    one = Trial(scenario, tmp_path)
    results = [harmed(one, harm, 0) for harm in HARMS if harm in (KILL, TORN, NO_SPACE) or scenario.name == "store"]
    assert not [problem for result in results for problem in result.problems]
    assert all(result.done >= 2 for result in results)
