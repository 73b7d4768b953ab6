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
default password forbidden.
The admin password disappears.
the master password encrypts and decrypts
the db password overrides and wins
The VPN password vanishes on reboot
PIN 2024 is set
Set PIN 1883 low on the board
connect PIN 2048 to ground
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


# The password stands right after its name, without a verb, or after what it is to be: (text, secret).
STATED = [
    (frame.format(word), word)
    for frame, word in zip(
        (
            "admin password {}",
            "the admin password should be {}",
            "root password {}",
            "Router login: admin password {}, never on wifi",
            "wifi password {}",
            "the wifi password must be {}",
            "the admin password will be {} from tomorrow on",
            "admin pw {}",
            "The master password shall be {}.",
            "new root passphrase {}",
            "the database password has to be {}",
            "grafana admin password {}",
            "make the admin password {}",
            "for the demo box the root password stays {}",
            "our vpn password needs to be {}",
            "admin passwd {} and root passwd silverhinge",
            "the guest password ought to be {}",
            "Admin password {} (staging)",
            "Jenkins admin password {}\nport 8080",
            "default password {}",
            "The root password should remain {}.",
            "my password should be {}, ok?",
            "the postgres password can be {}",
            "the admin password might be {}",
            "the admin password could be {}",
            "admin password = {}",
            "admin Passwort {}",
            "Admin-Passwort {}",
            "das Admin-Passwort soll {} sein",
            "das Root-Passwort muss {} sein",
            "das WLAN-Passwort sollte {} lauten",
            "le mot de passe admin doit être {}",
            "la contraseña del admin debe ser {}",
            "a senha do admin deve ser {}",
            "la password di admin deve essere {}",
        ),
        (
            "brightanvil silverhinge copperlantern tulipfalcon greenbarrel oakwhistle plumrocket harborfox "
            "redmapletoad winterbadger mintkettle steelpigeon"
        ).split()
        * 3,
        strict=False,
    )
]
# Numbers that open something.
NUMBERS = [
    ("暗証番号は4471です", "4471"),
    ("暗証番号は 4471 です", "4471"),
    ("金庫の暗証番号は882190です。", "882190"),
    ("カードの暗証番号：4471", "4471"),
    ("パスコードは4471だ", "4471"),
    ("ピンは4471です", "4471"),
    ("密码是4471", "4471"),
    ("门禁密码为882190。", "882190"),
    ("解锁密码：4471", "4471"),
    ("取款密码是447188，别忘了", "447188"),
    ("비밀번호는 4471입니다", "4471"),
    ("현관 비밀번호는 4471이에요", "4471"),
    ("핀번호는 4471", "4471"),
    ("PIN 4471", "4471"),
    ("My PIN 4471, please", "4471"),
    ("Sim PIN 8820", "8820"),
    ("Karten-PIN 4471", "4471"),
    ("door PIN 447188", "447188"),
    ("PIN: 4471", "4471"),
    ("the card's PIN (4471)", "4471"),
    ("PIN 44 71", "44 71"),
    ("PIN - 4471", "4471"),
    ("PUK 88421190", "88421190"),
    ("the PUK is 88421190", "88421190"),
    ("Die Geheimzahl ist 4471", "4471"),
    ("Geheimzahl: 4471", "4471"),
    ("пин-код 4471", "4471"),
    ("ПИН 4471", "4471"),
    ("code PIN 4471", "4471"),
    ("el PIN es 4471", "4471"),
    ("2FA backup codes: 8842 1190, 5521 0098, 7710 4432", "8842 1190"),
    ("2FA backup codes: 8842 1190, 5521 0098, 7710 4432", "7710 4432"),
    ("recovery codes: 88421190 55210098 77104432", "55210098"),
    ("backup codes:\n8842 1190\n5521 0098", "5521 0098"),
    ("Google backup codes are 8842 1190 and 5521 0098", "5521 0098"),
    ("one backup code: 88421190", "88421190"),
    ("Wiederherstellungscodes: 8842 1190, 5521 0098", "8842 1190"),
    ("Backup-Codes: 884211, 552100, 771044", "552100"),
    ("codes de secours : 8842 1190, 5521 0098", "5521 0098"),
    ("códigos de respaldo: 8842 1190, 5521 0098", "8842 1190"),
    ("リカバリーコード：8842 1190、5521 0098", "5521 0098"),
    ("резервные коды: 8842 1190, 5521 0098", "8842 1190"),
]
# A user, or a user at a host, and what lets it in.
BESIDE = [
    (frame.format(secret), secret)
    for frame, secret in zip(
        (
            "ssh root@10.0.0.1 ({})",
            "ssh deploy@staging.example.com ({})",
            "ssh root@10.0.0.1 - {}",
            "ssh root@10.0.0.1, {}",
            "ssh root@10.0.0.1 / {}",
            "ssh -p 2222 root@10.0.0.1 ({})",
            "sftp up@files.example.com ({})",
            "ftp://up@files.example.com ({})",
            "root@10.0.0.1 ({})",
            "root@10.0.0.1 [{}]",
            "ssh root@10.0.0.1 pw {}",
            "ssh root@10.0.0.1 → {}",
            "ssh root@10.0.0.1 -> {}",
            "ssh root@10.0.0.1 with {}",
            "scp a root@10.0.0.1:/tmp ({})",
            "`ssh root@10.0.0.1` ({})",
            "rdp admin@win1.example.com ({})",
            "psql as app@db1 ({})",
            "Logindaten admin – {}",
            "Logindaten admin - {}",
            "Logindaten: admin – {}",
            "Zugangsdaten root — {}",
            "Zugang admin → {}",
            "login admin – {}",
            "credentials admin – {}",
            "creds: admin -> {}",
            "identifiants admin – {}",
            "credenciales admin – {}",
            "credenziali admin – {}",
            "доступ admin – {}",
            "ログイン情報 admin – {}",
            "access data admin – {}",
            "Login data for the router: admin – {}",
            "credentials user7 – {}",
            "Anmeldedaten admin / {}",
        ),
        ["Gr9Pear!41"] * 18 + ["Tulpe41", "Gr9Pear!41", "Falke77"] * 6,
        strict=False,
    )
]
SPEAKS = """\
admin password reset
the admin password should be optional
the admin password should be hashed
root password prompt
fix the admin password field
the wifi password must be at least eight characters
the password must be alphanumeric
wifi password form
admin password migration
the admin password will be rotated
Admin password policy
the user password should be encrypted
the database password has to be configured
make the admin password configurable
default password policy
The root password should remain unchanged.
my password should be hidden, ok?
the postgres password can be empty
admin password hash
admin password generator
add an admin password endpoint
the admin password might be missing
the admin password could be anything
password should be string
the password must be unique
the password should be numeric
das Admin-Passwort soll optional sein
das Passwort muss lang sein
le mot de passe doit être obligatoire
la contraseña debe ser obligatoria
a senha deve ser forte
user password validation
admin password check
admin password rotation
root password dialog
the admin password page
admin password button
admin password component
admin password workflow
admin password placeholder
default password handling
GPIO pin 4
connect pin 13 to ground
pin 2024.1 in requirements
the PIN must have 4 digits
PIN 4 is the ground
pin numpy 1.26
パスワードは8文字以上です
パスワードは1234文字まで
密码至少8位
密码长度为1024位
비밀번호는 8자 이상입니다
暗証番号は4桁です
the backup codes are stored in the vault
2FA backup codes: 10 of them
backup codes: see the vault
recovery codes expire after 2026
generate 10 backup codes of 8 digits
ssh root@10.0.0.1 (port 2222)
ssh root@10.0.0.1 (staging)
ssh root@10.0.0.1 - works again
ssh deploy@staging.example.com, then make deploy
root@10.0.0.1 (Debian)
ssh root@10.0.0.1 (staging-2)
scp a.txt root@10.0.0.1:/tmp
login admin – see the wiki
credentials admin – none
Zugang admin – gesperrt
git@github.com (deploy key)
psql as app@db1 (read only)
login page - done
login form – fixed in v2
credentials check – passed
access log - 404
access to admin - denied
""".splitlines()


@pytest.mark.parametrize("made", [STATED, NUMBERS, BESIDE], ids=["stated", "numbers", "beside"])
def test_what_stands_beside_its_name_goes(made):
    wrong = [f"{text} -> {take(text)}" for text, secret in made for take in (redact, mask) if secret in take(text)]
    assert len(made) >= 30 and not wrong, "\n".join(wrong)


def test_what_stands_beside_a_name_and_is_no_secret_stays():
    wrong = [f"{text} -> {redact(text)}" for text in SPEAKS if redact(text) != text]
    assert len(SPEAKS) >= 70 and not wrong, "\n".join(wrong)
