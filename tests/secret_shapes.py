"""Secrets of many shapes, made at random from a seed, in the texts in which people and tools write them."""

from __future__ import annotations

import base64
import json
import string
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from urllib.parse import quote

ALNUM = string.ascii_letters + string.digits
BASE36 = string.ascii_lowercase + string.digits
UPPER = string.ascii_uppercase + string.digits
HEX = "0123456789abcdef"
URLSAFE = ALNUM + "_-"
BASE64 = ALNUM + "+/"

# label in prose, name of a variable, prefix, alphabet, length
TOKENS = (
    ("OpenAI key", "OPENAI_API_KEY", "sk-proj-", URLSAFE, 64),
    ("old OpenAI key", "OPENAI_KEY", "sk-", ALNUM, 48),
    ("Anthropic key", "ANTHROPIC_API_KEY", "sk-ant-api03-", URLSAFE, 93),
    ("OpenRouter key", "OPENROUTER_API_KEY", "sk-or-v1-", HEX, 64),
    ("Google key", "GOOGLE_API_KEY", "AIza", URLSAFE, 35),
    ("Google client secret", "GOOGLE_CLIENT_SECRET", "GOCSPX-", URLSAFE, 28),
    ("Google token", "GOOGLE_TOKEN", "ya29.", URLSAFE, 80),
    ("AWS id", "AWS_ACCESS_KEY_ID", "AKIA", UPPER, 16),
    ("GitHub token", "GITHUB_TOKEN", "ghp_", ALNUM, 36),
    ("GitHub app token", "GH_TOKEN", "ghs_", ALNUM, 36),
    ("fine-grained GitHub token", "GH_PAT", "github_pat_", ALNUM + "_", 82),
    ("GitLab token", "GITLAB_TOKEN", "glpat-", URLSAFE, 20),
    ("GitLab runner token", "CI_TOKEN", "glrt-", URLSAFE, 20),
    ("Slack token", "SLACK_BOT_TOKEN", "xoxb-", string.digits, 12),
    ("Slack app token", "SLACK_APP_TOKEN", "xapp-1-", UPPER, 30),
    ("Stripe key", "STRIPE_KEY", "sk_live_", ALNUM, 24),
    ("restricted Stripe key", "STRIPE_RESTRICTED_KEY", "rk_live_", ALNUM, 24),
    ("Stripe webhook secret", "STRIPE_WEBHOOK_SECRET", "whsec_", ALNUM, 32),
    ("Twilio key", "TWILIO_API_KEY", "SK", HEX, 32),
    ("SendGrid key", "SENDGRID_API_KEY", "SG.", URLSAFE, 22),
    ("npm token", "NPM_TOKEN", "npm_", ALNUM, 36),
    ("PyPI token", "PYPI_TOKEN", "pypi-AgEIcHlwaS5vcmc", URLSAFE, 90),
    ("Hugging Face token", "HF_TOKEN", "hf_", ALNUM, 34),
    ("Docker token", "DOCKER_TOKEN", "dckr_pat_", URLSAFE, 27),
    ("DigitalOcean token", "DO_TOKEN", "dop_v1_", HEX, 64),
    ("Databricks token", "DATABRICKS_TOKEN", "dapi", HEX, 32),
    ("Shopify token", "SHOPIFY_TOKEN", "shpat_", HEX, 32),
    ("Vault token", "VAULT_TOKEN", "hvs.", URLSAFE, 90),
    ("Groq key", "GROQ_API_KEY", "gsk_", ALNUM, 52),
    ("Linear key", "LINEAR_API_KEY", "lin_api_", ALNUM, 40),
    ("New Relic key", "NEW_RELIC_API_KEY", "NRAK-", UPPER, 27),
    ("Grafana token", "GRAFANA_TOKEN", "glsa_", ALNUM, 32),
    ("Mailgun key", "MAILGUN_API_KEY", "key-", HEX, 32),
)
# what has no shape of its own: it stands beside its name
NAMED = (
    ("AWS secret access key", "AWS_SECRET_ACCESS_KEY", BASE64, 40),
    ("Azure client secret", "AZURE_CLIENT_SECRET", URLSAFE + "~.", 40),
    ("Azure storage account key", "AZURE_STORAGE_ACCOUNT_KEY", BASE64, 86),
    ("Datadog API key", "DD_API_KEY", HEX, 32),
    ("Cloudflare API token", "CLOUDFLARE_API_TOKEN", URLSAFE, 40),
    ("Twilio auth token", "TWILIO_AUTH_TOKEN", HEX, 32),
    ("Heroku API key", "HEROKU_API_KEY", "uuid", 36),
    ("Django secret key", "SECRET_KEY", ALNUM + "!@#%^*-_+", 50),
    ("session secret", "SESSION_SECRET", HEX, 64),
    ("JWT signing key", "JWT_SECRET", BASE64, 44),
    ("client secret", "OAUTH_CLIENT_SECRET", ALNUM, 32),
    ("database password", "DB_PASSWORD", "password", 14),
    ("admin password", "ADMIN_PASSWORD", "words", 0),
    ("encryption key", "ENCRYPTION_KEY", HEX, 64),
)
DATABASES = ("postgres", "postgresql", "mysql", "mongodb+srv", "redis", "amqp", "mssql", "https", "ftp")
WORDS = "horse river tango falcon maple orbit cactus velvet summer winter paris dragon monkey sunset".split()


@dataclass(frozen=True)
class Made:
    """A secret in a text. `secret` is what must not be kept: `pieces` of it neither."""

    shape: str
    place: str
    text: str
    secret: str

    @property
    def pieces(self) -> list[str]:
        half = max(6, -(-len(self.secret) // 2))
        starts = {0, (len(self.secret) - half) // 2, len(self.secret) - half}
        return [self.secret, *(self.secret[at : at + half] for at in sorted(starts) if at >= 0)]


def word(rng: Random, alphabet: str, length: int) -> str:
    if alphabet == "uuid":
        digits = word(rng, HEX, 32)
        return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
    if alphabet == "password":
        made = [rng.choice(string.ascii_lowercase), rng.choice(string.ascii_uppercase), rng.choice(string.digits)]
        made += [rng.choice("!@#$%^*-_+?"), *rng.choices(ALNUM + "!@#$%^*-_+?", k=length - 4)]
        rng.shuffle(made)
        return rng.choice(ALNUM) + "".join(made)[1:-1] + rng.choice(ALNUM)
    if alphabet == "words":
        return rng.choice(WORDS).capitalize() + rng.choice("-_.!") + rng.choice(WORDS) + str(rng.randint(10, 9999))
    return (
        rng.choice(ALNUM if alphabet not in (HEX, UPPER, string.digits) else alphabet)
        + "".join(rng.choices(alphabet, k=length - 2))
        + rng.choice(ALNUM if alphabet not in (HEX, UPPER, string.digits) else alphabet)
    )


def token(rng: Random, prefix: str, alphabet: str, length: int) -> str:
    made = prefix + word(rng, alphabet, length)
    if prefix == "xoxb-":
        return f"{made}-{word(rng, string.digits, 13)}-{word(rng, ALNUM, 24)}"
    if prefix == "SG.":
        return f"{made}.{word(rng, URLSAFE, 43)}"
    return f"{made}_{word(rng, HEX, 8)}" if prefix == "glsa_" else made


# what every token may stand in: its label, the variable's name, the token
PLACES = {
    "prose": lambda label, name, s: f"remember that the {label} is {s}",
    "prose, end of a sentence": lambda label, name, s: f"remember that the {label} for staging is {s}.",
    "prose, in backticks": lambda label, name, s: f"remember that our {label} is `{s}`, rotate it in May",
    "prose, in bold": lambda label, name, s: f"**{label}:** {s}",
    "prose, in quotes": lambda label, name, s: f'we decided to use the {label} "{s}" for all deploys',
    "environment file": lambda label, name, s: f"NODE_ENV=production\n{name}={s}\nPORT=8080",
    "quoted environment": lambda label, name, s: f'export {name}="{s}"',
    "Python": lambda label, name, s: f"client = Client(\n    {name.lower()}='{s}',\n    timeout=30,\n)",
    "JavaScript": lambda label, name, s: f'const {camel(name)} = "{s}";',
    "typed code": lambda label, name, s: f'    {name.lower()}: str = "{s}"',
    "JSON": lambda label, name, s: json.dumps({"host": "db.acme.io", name.lower(): s, "port": 5432}),
    "JSON in JSON": lambda label, name, s: json.dumps({"env": json.dumps({name: s})}),
    "YAML": lambda label, name, s: f"env:\n  - name: x\n  {name.lower()}: {s}\n  region: eu-west-1",
    "TOML": lambda label, name, s: f'[deploy]\n{name.lower()} = "{s}"',
    "shell": lambda label, name, s: f"cd api && {name}={s} make ship",
    "option": lambda label, name, s: f"deploy --region eu --{name.lower().replace('_', '-')} {s} --force",
    "option with =": lambda label, name, s: f"deploy --{name.lower().replace('_', '-')}={s}",
    "docker run": lambda label, name, s: f"docker run -e {name}={s} -p 8080:80 acme/shop:1.4.2",
    "query of a URL": lambda label, name, s: f"https://api.acme.io/v1/items?{name.lower()}={quote(s, safe='')}&limit=5",
    "two lines": lambda label, name, s: f"{name}:\n    {s}\n",
    "XML": lambda label, name, s: f"<property><{name.lower()}>{s}</{name.lower()}></property>",
}
SHAPELESS = {
    "bare in prose": lambda label, name, s: f"use {s} for staging and the other one for production",
    "header": lambda label, name, s: f"curl -H 'Authorization: Bearer {s}' https://api.acme.io/v1",
    "header of its own": lambda label, name, s: f'curl -H "X-Api-Key: {s}" https://api.acme.io/v1/items',
    "user of a URL": lambda label, name, s: f"git clone https://{s}@git.acme.io/shop.git",
    "password of a URL": lambda label, name, s: f"git clone https://oauth2:{s}@git.acme.io/acme/shop.git",
    "bare, in parentheses": lambda label, name, s: f"It works with the new one ({s}), not with the old",
}


def camel(name: str) -> str:
    first, *others = name.lower().split("_")
    return first + "".join(map(str.capitalize, others))


def b64(rng: Random, length: int) -> str:
    return base64.b64encode(rng.randbytes(length)).decode()


def private_key(rng: Random, kind: str) -> str:
    body = "\n".join(b64(rng, 48) for _ in range(rng.randint(6, 12))) + "\n" + b64(rng, rng.randint(9, 30))
    more = "\nVersion: GnuPG v2\n" if "PGP" in kind else ""
    return f"-----BEGIN {kind}-----\n{more}{body}\n-----END {kind}-----"


def private_keys(rng: Random) -> Iterator[Made]:
    """Private keys, whole and cut off."""
    for kind in ("RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "EC PRIVATE KEY", "PGP PRIVATE KEY BLOCK"):
        key = private_key(rng, kind)
        lines = key.split("\n")
        secret = lines[-4]
        yield Made(kind, "prose", f"remember that the deploy key is\n{key}\nand it is for staging", secret)
        yield Made(kind, "JSON", json.dumps({"type": "service_account", "private_key": key + "\n"}), secret)
        yield Made(kind, "cut at its end", "\n".join(lines[:-2]), secret)
        yield Made(kind, "cut at its beginning", "\n".join(lines[3:]) + "\nok?", secret)
        yield Made(kind, "cut in the middle", "\n".join(lines[:4]) + "\n[…]\n" + "\n".join(lines[-5:]), secret)
        yield Made(kind, "indented", "key: |\n" + "\n".join("    " + line for line in lines), secret)


def web_tokens(rng: Random) -> Iterator[Made]:
    for _ in range(10):
        head = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("=")
        body = base64.urlsafe_b64encode(json.dumps({"sub": word(rng, ALNUM, 20)}).encode()).decode().rstrip("=")
        sign = word(rng, URLSAFE, 43)
        jwt = f"{head}.{body}.{sign}"
        place, text = rng.choice(
            (
                ("prose", f"remember that the test token is {jwt}."),
                ("header", f"curl -H 'Authorization: Bearer {jwt}' https://x.io"),
                ("cookie", f"Cookie: theme=dark; session={jwt}"),
                ("code", f'const token = "{jwt}";'),
                ("URL", f"https://x.io/reset?token={jwt}&lang=de"),
            )
        )
        yield Made("JWT", place, text, sign)


def addresses(rng: Random) -> Iterator[Made]:
    for scheme in DATABASES:
        for _ in range(4):
            secret = word(rng, rng.choice(["password", ALNUM, HEX, URLSAFE]), rng.randint(10, 24))
            url = f"{scheme}://shop:{quote(secret, safe='!*-_+')}@db-{rng.randint(1, 9)}.acme.io:5432/shop?ssl=true"
            place, text = rng.choice(
                (
                    ("prose", f"remember that production runs on {url}, ask Ann"),
                    ("environment file", f"DATABASE_URL={url}"),
                    ("code", f'engine = create_engine("{url}")'),
                    ("YAML", f"database:\n  url: {url}"),
                    ("shell", f"psql '{url}' -c 'select 1'"),
                )
            )
            yield Made(f"{scheme} URL", place, text, quote(secret, safe="!*-_+"))
            yield Made(
                f"{scheme} URL",
                "percent-encoded",
                f"https://x.io/?dsn={quote(url, safe='')}",
                quote(quote(secret), safe=""),
            )


def passwords(rng: Random) -> Iterator[Made]:
    for _ in range(6):
        password, user = word(rng, "password", 12), rng.choice(["ann", "deploy", "root"])
        basic = base64.b64encode(f"{user}:{password}".encode()).decode()
        yield Made("basic auth", "header", f"Authorization: Basic {basic}", basic)
        yield Made("basic auth", "curl", f"curl -s -u {user}:{password} https://registry.acme.io/v2/_catalog", password)
        yield Made("basic auth", "docker", json.dumps({"auths": {"registry.acme.io": {"auth": basic}}}), basic)
        yield Made("netrc", "file", f"machine git.acme.io\n  login {user}\n  password {password}", password)
        yield Made("netrc", "line", f"machine git.acme.io login {user} password {password}", password)
        yield Made("password", "prose", f"remember that the password is {password}", password)
        yield Made(
            "password", "prose, with its service", f"Remember: the wifi password for guests is {password}", password
        )
        yield Made("password", "German quotes", f"password: „{password}“", password)
        yield Made("password", "uppercase", f"PASSWORD: {password}", password)
        yield Made("password", "function", f'login("ann", password="{password}")', password)
        yield Made(
            "password", "ADO", f"Server=db.acme.io;Database=shop;User Id=sa;Password={password};Encrypt=true", password
        )
        yield Made("password", "ini", f"[db]\npassword = {password}", password)
        yield Made("password", "mysql", f"mysql -h db.acme.io -u root -p{password} shop", password)
        yield Made("password", "sshpass", f"sshpass -p '{password}' ssh root@db.acme.io", password)


def parts(rng: Random) -> Iterator[Made]:
    """Tokens in parts, webhooks, connection strings, tools' files."""
    for _ in range(6):
        sid = word(rng, ALNUM, 32)
        yield Made("session", "cookie", f"Set-Cookie: sessionid={sid}; HttpOnly; Path=/", sid)
        yield Made("session", "curl", f"curl -b 'JSESSIONID={sid}' https://x.io", sid)
        yield Made(
            "Slack webhook",
            "URL",
            f"post to https://hooks.slack.com/services/T{word(rng, UPPER, 8)}/B1234567/{sid}",
            sid,
        )
        yield Made(
            "Discord webhook", "URL", f"https://discord.com/api/webhooks/{rng.randint(10**17, 10**18)}/{sid}", sid
        )
        bot = f"{rng.randint(10**8, 10**9)}:AA{word(rng, URLSAFE, 33)}"
        yield Made("Telegram", "prose", f"the bot runs with {bot}", bot.split(":")[1])
        yield Made("Telegram", "URL", f"https://api.telegram.org/bot{bot}/getMe", bot.split(":")[1])
        discord = f"M{word(rng, ALNUM, 25)}.{word(rng, URLSAFE, 6)}.{word(rng, URLSAFE, 38)}"
        yield Made("Discord", "code", f"client.login('{discord}')", discord.split(".")[2])
        azure = b64(rng, 64)
        text = f"DefaultEndpointsProtocol=https;AccountName=shop;AccountKey={azure};EndpointSuffix=core.windows.net"
        yield Made("Azure storage", "connection string", text, azure)
        sas = quote(b64(rng, 32), safe="")
        yield Made(
            "Azure SAS", "URL", f"https://shop.blob.core.windows.net/x?sv=2024-05-04&se=2026-12-01&sig={sas}", sas
        )
        npm = word(rng, "uuid", 36)
        yield Made("npmrc", "file", f"//registry.npmjs.org/:_authToken={npm}", npm)


def adversarial(rng: Random) -> list[Made]:
    """Written so that it is easily overlooked."""
    made = []
    for _ in range(4):
        key = "sk-ant-api03-" + word(rng, URLSAFE, 93)
        body = key[len("sk-ant-api03-") :]
        made += [
            Made("wrapped", "over a line break", f"the key is {key[:60]}\n{key[60:]} and no other", body),
            Made("wrapped", "with a backslash", f"export KEY={key[:50]}\\\n{key[50:]}", body),
            Made("wrapped", "quoted mail", f"> the key is {key[:60]}\n> {key[60:]}", body),
            Made("punctuation", "a full stop", f"It is {key}. Then it works.", body),
            Made("punctuation", "comma and quote", f"'{key}', as I said", body),
            Made("punctuation", "brackets", f"[{key}](https://x.io)", body),
            Made("markdown", "a code block", f"```sh\nexport ANTHROPIC_API_KEY={key}\n```", body),
            Made("markdown", "a table", f"| key | {key} |", body),
            Made("markup", "an attribute", f'<input type="hidden" name="api_key" value="{key}">', body),
            Made("no space", "after a word", f"key:{key}", body),
            Made("case", "an uppercase name", f"API KEY = {word(rng, HEX, 40)}", ""),
            Made("invisible", "a zero-width space", f"the key is {key[:20]}\u200b{key[20:]}", body),
        ]
    return [one if one.secret else Made(one.shape, one.place, one.text, one.text.split(" = ")[1]) for one in made]


def everything(seed: int = 20261122) -> list[Made]:
    rng = Random(seed)
    made = []
    for number, (label, name, prefix, alphabet, length) in enumerate(TOKENS):
        places = {**PLACES, **SHAPELESS}
        chosen = list(places)[number % 3 :: 3]
        for place in chosen:
            secret = token(rng, prefix, alphabet, length)
            made.append(Made(label, place, places[place](label, name, secret), secret[len(prefix) :]))
    for label, name, alphabet, length in NAMED:
        for place, text in PLACES.items():
            secret = word(rng, alphabet, length)
            said = text(label, name, secret)
            secret = quote(secret, safe="") if place == "query of a URL" else secret
            made.append(Made(label, place, said, secret))
    for others in (private_keys, web_tokens, addresses, passwords, parts):
        made += others(rng)
    return made + adversarial(rng)
