"""Sentences as memories say them, full of what looks like a secret and is none."""

from __future__ import annotations

import string
from random import Random

_RNG = Random(20261122)


def _hex(length: int) -> str:
    return "".join(_RNG.choices("0123456789abcdef", k=length))


def _uuid() -> str:
    digits = _hex(32)
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _base64(length: int) -> str:
    return "".join(_RNG.choices(string.ascii_letters + string.digits + "+/", k=length))


def _version() -> str:
    return f"{_RNG.randint(0, 30)}.{_RNG.randint(0, 40)}.{_RNG.randint(0, 99)}"


def _sentences() -> list[str]:
    return [
        f"The fix was commit {_hex(40)}: revert it and the build breaks again",
        f"Since {_hex(7)} the worker drains the queue before it exits",
        f"Deploys are pinned to acme/shop@sha256:{_hex(64)}",
        f"docker pull registry.acme.io:5000/shop/api:{_version()}-rc.{_RNG.randint(1, 9)} works without the VPN",
        f"The session {_uuid()} showed the bug first",
        f"Order {_uuid()} is the one that fails in staging, see ticket SHOP-{_RNG.randint(100, 9999)}",
        f"We pinned pnpm to {_version()} because {_version()} breaks the lockfile",
        f'The lockfile says "integrity": "sha512-{_base64(86)}==" for left-pad',
        f"go.sum has github.com/acme/shop v{_version()} h1:{_base64(43)}=",
        f"The md5 of the fixture is {_hex(32)} and must not change",
        f"sha256 {_hex(64)} is the checksum of the release archive",
        f"Brand colours are #{_hex(6)} and #{_hex(6)}; never #{_hex(3)}",
        f"The API listens on 10.{_RNG.randint(0, 255)}.0.{_RNG.randint(1, 254)}:{_RNG.randint(1024, 65000)}",
        f"Redis runs on redis://cache-{_RNG.randint(1, 9)}.internal:6379/0 without a password",
        f"Staging is at https://staging-{_RNG.randint(1, 99)}.acme.io:8443/health?verbose=1",
        "The token is read from GITHUB_TOKEN in CI and never printed",
        "Set DB_PASSWORD in the vault, not in .env: the container reads it at start",
        "OPENAI_API_KEY must be unset in tests, else they spend money",
        "AWS_SECRET_ACCESS_KEY comes from the instance's role; never put it into compose files",
        "The password policy: at least 12 characters, rotated every 90 days",
        f"Access tokens expire after {_RNG.randint(5, 90)} minutes, refresh tokens after {_RNG.randint(7, 60)} days",
        f"max_tokens: {_RNG.randint(100, 9000)} is enough for a summary",
        "We use basic authentication for the internal registry and OAuth2 everywhere else",
        "Passwords are hashed with argon2id, 64 MiB, 3 iterations; SHA-256 was dropped",
        "The JWT is signed with RS256, the session cookie with HMAC-SHA256",
        "The secret is stored as secret/data/shop/prod in Vault, key name db_main",
        "Keep private keys in ~/.ssh/id_ed25519, public ones in infra/keys/deploy.pub",
        "api_key = os.environ['STRIPE_KEY'] is how services/billing/client.py gets it",
        "const token = await getToken(user.id) must be called before fetchOrders()",
        "password = getpass.getpass() in the setup script, never an argument",
        "The key is the customer's id, the value the order's number",
        f"Primary keys are ULIDs like 01{''.join(_RNG.choices('0123456789ABCDEFGHJKMNPQRSTVWXYZ', k=24))}",
        f"The trace id is {_hex(32)}, the span id {_hex(16)}",
        f"Build {_RNG.randint(1000, 99999)} of 2026-11-{_RNG.randint(10, 28)}T12:15:00Z was the last green one",
        "getUserByEmailAndPasswordHash is deprecated: use AuthenticationServiceImpl.findCredentials",
        "src/main/java/io/acme/shop/security/JwtTokenAuthenticationFilter2.java does the check",
        "The class com.acme.shop.billing.v2.InvoiceRepositoryImpl3Test is flaky on Mondays",
        "The slug of the post is how-we-moved-50000-customers-to-postgres-16-in-3-hours",
        "kubectl -n shop get secret db-creds -o yaml shows that it is there",
        "git config --global credential.helper store is forbidden here",
        "npm run test:e2e -- --token-file ./ci/token.txt --shard 3/8",
        f"The auth service runs v{_version()} on node 22, port {_RNG.randint(3000, 9000)}, behind nginx 1.27",
        "x-api-key is the header's name; Authorization: Bearer <token> works too",
        "Use postgres://user:password@localhost/shop only in examples, with ${DB_PASSWORD} in compose",
        f"The Stripe customer cus_{_base64(14).translate({43: 'x', 47: 'y'})} has the broken invoice",
        f"Request req_{''.join(_RNG.choices(string.ascii_letters + string.digits, k=24))} was answered with 529",
        f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{_base64(43)} deploy@ci is the public key of the runner",
        f"The icon is inlined as data:image/png;base64,{_base64(160)}",
        f"https://docs.google.com/document/d/1{_base64(43).replace('+', '_').replace('/', '-')}/edit is the design",
        "Sign in with user ann and the shared demo account, see 1Password entry Shop / Demo",
        f"iPhone15,3 and SM-G991B need the workaround of PR #{_RNG.randint(10, 9999)}",
        "We decided to use AES-256-GCM with a 96-bit nonce, not CBC: padding oracles",
    ]


SENTENCES = [sentence for _ in range(4) for sentence in _sentences()]
