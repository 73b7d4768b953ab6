"""Secrets out of text before it is written: the owner of the secret-detection library."""

from __future__ import annotations

import socket
from functools import cache
from typing import Any

from .core.secrets import mask
from .core.shapes import Shape

# Detectors that flag what is no secret in prose or an example, that take more than the secret, or whose time grows with
# the square of the text: core.secrets has shapes of its own for all but the first.
_UNFIT = (
    *("IPPublicDetector", "ArtifactoryDetector", "NpmDetector", "OpenAIDetector", "JwtTokenDetector"),
    *("PrivateKeyDetector", "BasicAuthDetector"),
)
# What a text must hold for a slow pattern to match it.
_HINTS = {
    "AWSKeyDetector": ("akia", "asia", "abia", "acca", "a3t", "aws"),
    "CloudantDetector": ("cloudant", "clou"),
    "IbmCloudIamDetector": ("ibm", "iam"),
    "IbmCosHmacDetector": ("ibm", "cos"),
    "MailchimpDetector": ("-us",),
    "SoftlayerDetector": ("softlayer",),
}


def _detectors() -> list[Any]:
    """The library's detectors of patterns. It brings an HTTP client along, which tries at its import whether a port of
    IPv6 can be bound: it is told that there is none, as nothing here may open one.
    """
    known, socket.has_ipv6 = socket.has_ipv6, False
    try:
        from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
        from detect_secrets.plugins.base import RegexBasedDetector

        found: list[Any] = list(get_mapping_from_secret_type_to_class().values())
    finally:
        socket.has_ipv6 = known
    return [detector for detector in found if issubclass(detector, RegexBasedDetector)]


@cache
def _library() -> tuple[Shape, ...]:
    return tuple(
        Shape(pattern, _HINTS.get(detector.__name__, ()))
        for detector in _detectors()
        if detector.__name__ not in _UNFIT
        for pattern in detector().denylist
    )


def redact(text: str) -> str:
    """The text with every secret that is known by its shape, its name or its looks replaced by `[redacted]`, and
    without its private parts.
    """
    return mask(text, _library())
