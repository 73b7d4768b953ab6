"""Secrets next to the words of several languages go, what stands around them stays, and so does what is published."""

from __future__ import annotations

from random import Random

import pytest

from keepstone.lib.text import MASK
from keepstone.redaction.mask import mask
from keepstone.redaction.redact import redact
from worded_secrets import as_words, grouped, in_prose, published, with_users

CLASSES = {"prose": in_prose(), "words": as_words(), "pairs": with_users(), "groups": grouped(Random(7))}


@pytest.mark.parametrize("take", [redact, mask])
@pytest.mark.parametrize("made", CLASSES.values(), ids=CLASSES.keys())
def test_the_secret_goes_and_the_rest_stays(take, made):
    found = [(one, take(one.text)) for one in made]
    wrong = [text for one, text in found if one.secret in text or MASK not in text]
    wrong += [text for one, text in found if not all(part in text for part in one.good)]
    assert len(made) >= 30 and not wrong, "\n".join(wrong)


@pytest.mark.parametrize("take", [redact, mask])
def test_what_is_redacted_is_settled(take):
    for one in [one for made in CLASSES.values() for one in made]:
        once = take(one.text)
        assert take(once) == once


def test_what_is_made_to_be_published_stays():
    texts = published()
    wrong = [f"{text} -> {redact(text)}" for text in texts if redact(text) != text]
    assert len(texts) >= 80 and not wrong, "\n".join(wrong)


def test_a_secret_beside_a_public_key_still_goes():
    for text in published():
        for said in (f"{text}\nthe admin password is Gr9Pear!41", f"password: Gr9Pear!41 {text}"):
            assert redact(said) == said.replace("Gr9Pear!41", MASK), said


# said of passwords and logins, without one
HARMLESS = """\
the password is required
The password is wrong, try again
the password is hashed with bcrypt
Check that the password is correct and not empty
the user's password is stored in the vault
Our password: see the vault
the password is never logged
The admin password is optional for now
the password was rotated yesterday
the password is case-sensitive
Das Passwort ist falsch
Das Passwort ist zu kurz!
Das Passwort ist abgelaufen, bitte ändern
Passwort: Pflichtfeld
Kennwort vergessen?
Le mot de passe est obligatoire
Le mot de passe est requis
Mot de passe : incorrect
La contraseña es obligatoria
La contraseña es incorrecta.
A senha é obrigatória
La password è errata
Hasło jest wymagane
Het wachtwoord is ongeldig
пароль хранится в базе
Пароль: обязательное поле
пароль неверный
密码错误
密码是必填项
パスワードが違います
비밀번호가 틀렸습니다
log in with SSO and OAuth2
sign in with Google and GitHub
the login page and the logout route
log in to staging and run migrate2.py
connect to redis:6379 and postgres:5432
user and group are created by Terraform
credentials are in config/secrets.example.yaml
account id and region eu-west-1
Login → dashboard → settings
request → handler → db2
the token → user map is a dict
Zugang über VPN oder SSO
accès en lecture / écriture
the users / accounts endpoints return 404
logged in as admin and redirected to /home
version GB2024 and DE12 are tags
order 4111 2222 3333 4444 is no card
ids 1234 5678 9012 3456 and 7
a seed phrase must never leave the device because anyone who reads that owns your coins then
the pin is 7 on the board
url.parse('https://user:pass@sub.example.com:8080/p/a/t/h?query=string#hash');
git+ssh://git@github.com:npm/cli#semver:^5.0
Pass `-Dpamconfdir=no` to meson
it uses username and password authentication
username, password = proxy_auth.split()
user input, passwords, certs
def _copy(source: sqlite3.Connection, target: sqlite3.Connection) -> None
return connection._connection  # type: ignore[no-any-return]
connections (deprecated logging feature, SEP-2577).
the default AWS credential chain → SigV4
trace account not found. Trace ID: 16fcc52e-f72b-4eea-903c-a1574da3fc7c
change the password to continue
set the password to something else
this is the admin password
change password to login.
das Passwort wurde geändert
пароль был изменен вчера
“quoted” text with «guillemets» and ‘single’ ones → stays
"""


@pytest.mark.parametrize("text", HARMLESS.splitlines())
def test_what_only_speaks_of_one_stays(text):
    assert redact(text) == text
