"""The weights of `judge`, as `benchmarks/recall/train.py` has found them on the development situations."""

from __future__ import annotations

# in the order of `Asked.features`
WEIGHTS = (2.583, -2.642, -1.798, 9.644, 0.973, 4.843, 1.385, 0.570, 0.726, -1.120, 1.551)
BIAS = -7.278
