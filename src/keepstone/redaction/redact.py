"""Redacts secrets from text before it is written. The only module that reads the detect-secrets library."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
from collections.abc import Sequence
from functools import cache, lru_cache
from types import SimpleNamespace
from typing import Any

from ..lib.pattern import Pattern
from .mask import mask
from .provider_keys import Shape

PACKAGE = "detect_secrets"
# Detectors that flag harmless text in prose or examples, that match more than the secret, or whose time grows with the
# square of the text. For all but the first, `redaction/` has shapes of its own.
_UNFIT = (
    *("IPPublicDetector", "ArtifactoryDetector", "NpmDetector", "OpenAIDetector", "JwtTokenDetector"),
    *("PrivateKeyDetector", "BasicAuthDetector"),
)
# Words of which one is in every text that a slow pattern can match.
_HINTS = {
    "AWSKeyDetector": ("akia", "asia", "abia", "acca", "a3t", "aws"),
    "CloudantDetector": ("cloudant", "clou"),
    "IbmCloudIamDetector": ("ibm", "iam"),
    "IbmCosHmacDetector": ("ibm", "cos"),
    "MailchimpDetector": ("-us",),
    "SoftlayerDetector": ("softlayer",),
}


_METHOD = re.compile(r"\n    (?:@|def )")  # where the first method of a class begins


def _detectors() -> dict[str, list[Pattern]]:
    """Returns the patterns of the library's suitable detectors, by class name.

    Runs only the assignments in their classes. Importing the library would also load an HTTP client and a scanner,
    which takes 0.3 s, and that client checks whether a port can be bound.
    """
    found = importlib.util.find_spec(PACKAGE)  # does not import it
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError(f"No module named '{PACKAGE}'", name=PACKAGE)
    folder = os.path.join(found.submodule_search_locations[0], "plugins")
    helpers = _helpers(_text(folder, "base.py"))
    return {
        node.name: made["denylist"]
        for name in sorted(os.listdir(folder))
        if name.endswith(".py")
        for node in ast.parse(_heads(_text(folder, name))).body
        if isinstance(node, ast.ClassDef) and node.name not in _UNFIT
        if "denylist" in (made := _assigned(node, helpers))
    }


def _text(folder: str, name: str) -> str:
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        return file.read()


def _heads(module: str) -> str:
    """Returns the classes of a module up to their first method: parsing the methods would take most of the time."""
    parts = module.split("\nclass ")[1:]
    return "".join(f"class {_METHOD.split(part, 1)[0]}\n    pass\n" for part in parts)


def _helpers(module: str) -> Any:
    """Returns the static methods that detectors use to build their patterns, as attributes of one object."""
    _, _, body = module.partition("\nclass RegexBasedDetector(")
    (base,) = ast.parse("class RegexBasedDetector(" + body.partition("\nclass ")[0]).body
    assert isinstance(base, ast.ClassDef)
    methods: dict[str, Any] = {}
    for node in base.body:
        if isinstance(node, ast.FunctionDef) and [ast.unparse(one) for one in node.decorator_list] == ["staticmethod"]:
            node.decorator_list = []
            _run([ast.ImportFrom("__future__", [ast.alias("annotations")], 0), node], methods)
    return SimpleNamespace(**{name: made for name, made in methods.items() if callable(made)})


def _assigned(detector: ast.ClassDef, helpers: Any) -> dict[str, Any]:
    """Returns the attributes that a detector's class assigns, or {} if it does not use patterns."""
    if not any(ast.unparse(base).endswith("RegexBasedDetector") for base in detector.bases):
        return {}
    made: dict[str, Any] = {"RegexBasedDetector": helpers}
    _run([node for node in detector.body if isinstance(node, ast.Assign)], made)
    return made


def _run(statements: Sequence[ast.stmt], names: dict[str, Any]) -> None:
    names["re"] = SimpleNamespace(**{**vars(re), "compile": Pattern})
    exec(compile(ast.fix_missing_locations(ast.Module(list(statements), [])), PACKAGE, "exec"), names)


@cache
def _library() -> tuple[Shape, ...]:
    return tuple(
        Shape(pattern, _HINTS.get(name, ())) for name, patterns in _detectors().items() for pattern in patterns
    )


# A capture redacts a turn, its parts and what is made of them a dozen times: the last results for short texts are
# remembered, in this process's memory alone, a few megabytes at most.
SHORT = 1_000  # characters
REMEMBERED = 512  # texts


def redact(text: str) -> str:
    """Returns the text with every secret replaced by `[redacted]`, and without its private sections. Secrets are
    recognised by their shape, their name or their randomness.
    """
    return _redacted(text) if len(text) <= SHORT else mask(text, _library())


@lru_cache(REMEMBERED)
def _redacted(text: str) -> str:
    return mask(text, _library())
