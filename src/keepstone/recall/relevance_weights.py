"""The weights of `PromptFeatures.likely`, found by `benchmarks/recall/train.py`."""

from __future__ import annotations

# In the order of `PromptFeatures.features`.
WEIGHTS = (2.211, -2.497, -1.299, 7.888, 0.838, 4.904, 1.183, 0.546, 0.664, -1.089, 1.565)
BIAS = -7.055
