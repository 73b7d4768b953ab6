"""Finds the files, symbols and concepts that a memory's text names, to search by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..lib.limits import FACETS_MAX
from ..lib.pattern import Pattern
from ..lib.text import words

_SYMBOL = Pattern(r"`([^`\s]{2,60})`|\b([A-Za-z_]\w*(?:\.\w+){0,8}\(\))|\b([a-z]+(?:_[a-z0-9]+)+|[a-z]+[A-Z]\w+)\b")
# A concept, and the words that belong to it.
CONCEPTS = {
    "testing": "test tests testing pytest jest vitest mocha rspec unittest e2e playwright cypress fixture "
    "fixtures mock",
    "deployment": "deploy deploys deployed deployment deployments release releases rollout ship ships rollback helm",
    "ci": "ci pipeline pipelines runner runners actions workflow jenkins gitlab atlantis",
    "database": "database databases db postgres postgresql mysql sqlite mongo mongodb redis clickhouse "
    "schema migration migrations sql query queries index orm",
    "dependencies": "dependency dependencies package packages npm pnpm yarn pip uv poetry cargo lockfile version "
    "versions",
    "security": "security secret secrets token tokens password passwords auth oauth tls mtls vault "
    "permission encryption",
    "infrastructure": "server servers cluster kubernetes k8s docker container containers terraform vpn host hosts "
    "vm cloud aws gcp azure nginx proxy dns",
    "api": "api apis endpoint endpoints rest graphql grpc webhook webhooks request requests",
    "frontend": "frontend css html react vue svelte angular component components ui ux design tailwind browser",
    "git": "git commit commits branch branches merge rebase squash pr prs tag tags changelog",
    "style": "naming format formatting indent tabs spaces quotes lint linter prettier ruff eslint "
    "docstring docstrings comments typing types",
    "performance": "performance latency slow fast memory cache caching timeout throughput quota limit",
    "data": "dataset datasets data csv parquet model models training features label labels",
    "people": "owner owns review reviews reviewer approval approve team responsible contact",
    "logging": "log logs logging metrics monitoring grafana sentry alert alerts tracing",
    "documentation": "docs documentation readme wiki runbook",
}
OF_TEXT = ("symbol", "concept")  # the facets that come from the text alone
_CONCEPT_OF = {word: concept for concept, members in CONCEPTS.items() for word in members.split()}


def facets(text: str, files: Iterable[str] = ()) -> tuple[tuple[str, str], ...]:
    """Returns (facet, value) of a text, at most FACETS_MAX. Of the session's `files`, those that the text names by path
    or by name.
    """
    found = [("file", file) for file in files if file in text or file.rsplit("/", 1)[-1] in text.split()]
    found += [("symbol", symbol) for symbol in _symbols(text)]
    found += [("concept", concept) for concept in dict.fromkeys(_concepts(text))]
    return tuple(dict.fromkeys(found))[:FACETS_MAX]


def _symbols(text: str) -> Iterator[str]:
    return (next(filter(None, match.groups())) for match in _SYMBOL.finditer(text))


def _concepts(text: str) -> Iterator[str]:
    return (_CONCEPT_OF[word] for word in words(text) if word in _CONCEPT_OF)
