"""Values of one sort: of two statements about the same thing that name different ones, only one can hold."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

KNOWN = 4_096  # texts whose values are kept at hand; proposed

# Of each line a project, a part of it or a person mostly has one at a time.
_LINES = """
npm pnpm yarn bun
jest vitest mocha ava jasmine pytest unittest nose rspec minitest junit testng
webpack vite esbuild rollup parcel turbopack rspack
postgres postgresql mysql mariadb sqlite mongodb mongo cockroachdb oracle mssql dynamodb cassandra duckdb clickhouse
jenkins circleci travis buildkite teamcity drone actions
cypress playwright selenium puppeteer webdriverio
stripe adyen braintree paypal mollie
sendgrid postmark mailgun ses mailchimp resend sparkpost
redux zustand mobx recoil jotai pinia vuex
black ruff yapf autopep8 prettier biome eslint dprint
flake8 pylint mypy pyright
poetry uv pip pipenv conda pdm hatch
rest graphql grpc soap trpc
react vue angular svelte solid preact ember htmx
heroku fly render railway vercel netlify aws gcp azure hetzner digitalocean linode ovh
terraform pulumi cloudformation cdk ansible bicep
docker podman containerd
kubernetes nomad ecs swarm
redis memcached valkey dragonfly keydb
kafka rabbitmq nats sqs pulsar kinesis celery sidekiq
elasticsearch opensearch meilisearch algolia typesense solr
sentry rollbar bugsnag honeybadger
prometheus datadog cloudwatch influxdb newrelic
slack teams discord mattermost email pagerduty opsgenie
jira linear asana trello shortcut youtrack clickup
nginx caddy traefik haproxy apache envoy
cloudfront fastly cloudflare akamai
moment dayjs luxon date-fns temporal
lodash ramda underscore
axios fetch got ky requests httpx aiohttp
tailwind bootstrap styled-components emotion sass scss less css-modules
django flask fastapi rails laravel express nest nestjs koa spring phoenix
prisma drizzle typeorm sequelize sqlalchemy knex kysely
rust go golang python java kotlin scala typescript javascript ruby php elixir swift c c++ c# zig
notion confluence wiki sphinx mkdocs docusaurus starlight gitbook
helm kustomize argocd flux
launchdarkly unleash flagsmith growthbook
okta auth0 keycloak cognito clerk
mit apache gpl bsd lgpl mpl agpl proprietary
json yaml toml xml csv parquet avro protobuf msgpack
github gitlab bitbucket gitea
unity godot unreal
freertos zephyr threadx
pytorch tensorflow jax keras
pandas polars dask spark
airflow dagster prefect luigi
make just task cmake bazel meson ninja gradle maven ant
merge squash rebase
tabs spaces
git-crypt vault sops
linux windows macos
chrome firefox safari
camelcase snakecase kebabcase pascalcase
singular plural
semver calver
english german french spanish portuguese
monday tuesday wednesday thursday friday saturday sunday
january february march april may june july august september october november december
"""
_ONE_OF: dict[str, frozenset[int]] = {}
for _number, _line in enumerate(_LINES.strip().split("\n")):
    for _name in _line.split():
        _ONE_OF[_name] = _ONE_OF.get(_name, frozenset()) | {_number}

_COUNTS = dict(
    zip(
        (
            "one two three four five six seven eight nine ten twelve fifteen twenty thirty forty fifty sixty ninety"
        ).split(),
        (*range(1, 11), 12, 15, 20, 30, 40, 50, 60, 90),
        strict=True,
    )
)
_UNIT = re.compile(
    rf"(?<![\w.-])(\d+(?:[.,]\d+)?|{'|'.join(_COUNTS)})[ -]?(%|[a-zA-Z]{{1,14}})",
    re.IGNORECASE,
)
_SAME_UNIT = {
    **dict.fromkeys(("percent",), "%"),
    **dict.fromkeys(("min", "mins"), "minute"),
    **dict.fromkeys(("h", "hr", "hrs"), "hour"),
    **dict.fromkeys(("s", "sec", "secs"), "second"),
    "d": "day",
}
_SORTS = {
    "port": re.compile(r"(?<![\w.,])\d{4,5}(?![\w.,]*\d)"),
    "version": re.compile(r"(?<![\w.-])v?\d{1,3}(?:\.\d+)+(?!\w)", re.IGNORECASE),
    "region": re.compile(r"\b(?:eu|us|ap|sa|ca)-[a-z]+-?\d\b"),
    "time": re.compile(r"(?<![\w.:-])\d{1,2}(?::\d\d)? ?(?:am|pm|utc|o'clock)\b|\b\d{1,2}:\d\d\b", re.IGNORECASE),
    "date": re.compile(
        r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{1,2}\b|\b\d{1,2}(?:st|nd|rd|th)\b|"
        r"\b\d{4}-\d\d-\d\d\b",
        re.IGNORECASE,
    ),
    "host": re.compile(r"\b[\w-]+(?:\.[\w-]+)+\.[a-z]{2,6}\b|\b(?:\d{1,3}\.){3}\d{1,3}\b", re.IGNORECASE),
    "mail": re.compile(r"[\w.+-]+@[\w-]+\.\w+"),
    "channel": re.compile(r"(?<!\w)#[a-z][\w-]+", re.IGNORECASE),
    "path": re.compile(r"(?<!\w)[\w.-]*/[\w./-]+"),
    "number": re.compile(r"(?<![\w.-])\d{1,3}(?![\w.:%-])"),
}
_NAME = re.compile(r"[a-z][\w.+#-]*")


@lru_cache(KNOWN)
def units(text: str) -> Mapping[str, frozenset[str]]:
    """The amounts of a text by their unit."""
    found: dict[str, frozenset[str]] = {}
    for amount, unit in _UNIT.findall(text.lower()):
        name = _SAME_UNIT.get(unit, unit.rstrip("s") if len(unit) > 2 else unit)
        found[name] = found.get(name, frozenset()) | {str(_COUNTS.get(amount, amount))}
    return found


@lru_cache(KNOWN)
def values(text: str) -> Mapping[str, frozenset[str]]:
    """The values of a text by their sort; a sort without any is left out."""
    found = {
        sort: frozenset(value.lower().removeprefix("v") for value in pattern.findall(text))
        for sort, pattern in _SORTS.items()
    }
    return {sort: some for sort, some in found.items() if some}


@lru_cache(KNOWN)
def choices(text: str) -> Mapping[int, frozenset[str]]:
    """The names of a text that are one of several, by the number of their line."""
    found: dict[int, frozenset[str]] = {}
    for word in _NAME.findall(text.lower()):
        name = word.rstrip(".-")
        for line in _ONE_OF.get(name, ()):
            found[line] = found.get(line, frozenset()) | {name}
    return found


def is_choice(word: str) -> bool:
    """Whether a word names one of several things of a kind."""
    return word.lower() in _ONE_OF
