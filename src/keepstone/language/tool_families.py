"""Families of names: tools, services and formats of which a project mostly uses one at a time. Hot module."""

from __future__ import annotations

# One family per line.
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
SORTS_OF: dict[str, frozenset[int]] = {}
for _number, _line in enumerate(_LINES.strip().split("\n")):
    for _name in _line.split():
        SORTS_OF[_name] = SORTS_OF.get(_name, frozenset()) | {_number}


def named(word: str) -> str:
    """Returns the name of which a word may be the plural: "Mondays"."""
    return word if word in SORTS_OF else word.removesuffix("s")


def are_rivals(one: str, other: str) -> bool:
    """Tells whether two different names, or their plurals, belong to one family."""
    one, other = named(one), named(other)
    return one != other and bool(SORTS_OF.get(one, frozenset()) & SORTS_OF.get(other, frozenset()))


def rivals_of(name: str) -> list[str]:
    """Returns the other names in the families of a name."""
    sorts = SORTS_OF.get(name, frozenset())
    return [other for other in SORTS_OF if other != name and sorts & SORTS_OF[other]]
