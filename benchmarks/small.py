"""How much a benchmark does: all of it, or with `--small` just enough to show that it still works.

A small run measures nothing. It leaves the results of the last whole run, and the plots in docs/, as they are.
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OPTION = "--small"
IS_SMALL = OPTION in sys.argv[1:]
if IS_SMALL:
    sys.argv.remove(OPTION)  # what is left are a program's own arguments
SMALL = (OPTION,) if IS_SMALL else ()  # for the processes that a program starts of itself
RESULTS = ROOT / "build" / "small" if IS_SMALL else ROOT / "build"
PLOTS = RESULTS if IS_SMALL else ROOT / "docs"


def sized(whole: int, small: int) -> int:
    """Returns how many of something this run does."""
    return small if IS_SMALL else whole
