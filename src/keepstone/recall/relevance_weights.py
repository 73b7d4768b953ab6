"""The weights of `judge`, as `benchmarks/recall/train.py` has found them on the development situations."""

from __future__ import annotations

# in the order of `Asked.features`
WEIGHTS = (2.211, -2.497, -1.299, 7.888, 0.838, 4.904, 1.183, 0.546, 0.664, -1.089, 1.565)
BIAS = -7.055
