"""The default policy of each tier: one value for each setting `tier.NAME.FIELD`. Hot module.

A field that is missing cannot be set: a procedural memory has no time to live, it stays.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

EXPONENTIAL, LOGARITHMIC, STEP, CONSTANT = CURVES = ("exponential", "logarithmic", "step", "constant")
NEVER = "never"

# `cap` counts the memories of one agent. In the episodic tier half is left at the end of the time to live, in the
# semantic tier nothing is left after a year without use.
_DECAY = {"half_life": "30d", "span": "365d", "floor": 0.0}
TIER_DEFAULTS: dict[str, dict[str, Any]] = {
    "working": {"cap": 100, "ttl": NEVER, "curve": CONSTANT, **_DECAY},
    "episodic": {"cap": 10_000, "ttl": "30d", "curve": EXPONENTIAL, **_DECAY, "least": 0.5, "summarise": True},
    "semantic": {"cap": 50_000, "ttl": NEVER, "curve": LOGARITHMIC, **_DECAY},
    "procedural": {"cap": 5_000, "curve": CONSTANT, **_DECAY},
}
