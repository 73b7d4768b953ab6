"""Secrets next to the words for them of several languages, and public keys, which are none: each text is made from a
template and a value, and says what is good in it and has to stay.
"""

from __future__ import annotations

import base64
import string
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle
from random import Random

SIGNED = ("Mai2031!", "Gr9Pear!41", "falcon7!x", "Tulpe41", "Kirsche-77", "S0nne#2029", "velvet-horse-9", "wIntEr%88x")
PLAIN = ("brightanvil", "summertime", "copperkettle", "moonharbor", "swordfish", "greenlantern", "silverpine")

# § is the password; everything else is good and stays
PROSE = (
    "Note for all deploys: пароль от админки: §",
    "пароль от базы — §, никому не говори",
    "Наш пароль для стенда: § (до мая)",
    "Пароль: §",
    "Das Kennwort fürs Gästenetz lautet §, bitte nicht weitergeben",
    "Das Passwort für den Server ist §. Danach neu starten",
    "Unser neues Passwort → §",
    "Le mot de passe du serveur est §, ne le partage pas",
    "mdp : §",
    "La contraseña del panel es §, cámbiala luego",
    "contraseña: §",
    "La password del router è §, poi riavvia",
    "A senha do banco é §, não publique",
    "senha = §",
    "Het wachtwoord voor de server is §, niet delen",
    "Lösenordet till servern är §, dela inte",
    "Hasło do serwera to §, nie udostępniaj",
    "Heslo k serveru je §, nesdílet",
    "Yönetim şifresi: §",
    "管理后台的密码是§，不要外传",
    "数据库密码：§",
    "密码（测试环境）为 §",
    "管理画面のパスワードは「§」です",
    "パスワード：§",
    "관리자 비밀번호는 §",
    "비밀번호: §",
    "Ο κωδικός είναι §",
    "הסיסמה: §",
    "كلمة المرور: §",
    "पासवर्ड: §",
    "Das Passwort wurde auf § geändert",
    "La contraseña ha cambiado a §",
    "Kennwort „§“ gilt überall",
    "密码 § 别忘了",
    "pw→§",
    "pw ⇒ §",
    "WLAN-Schlüssel: §",
    "password ➜ §",
    "the wifi password => §",
    "“the vpn password is §” said Ann",
    "The admin password for the NAS is ‘§’.",
)
# a plain word is a password where the text says so
WORDS = (
    "the admin password is §",
    "The admin password is §, don't tell anyone",
    "The vault's password is § (ask Tom)",
    "the password has been § since May",
    "the pw is § so write it down",
    "our wifi password is still § and the guests know it",
    "FYI: the password for the NAS is §.",
    "Their password was §",
    "the staging password: §",
    "remember that the root passphrase is §",
    "Change the admin password to §, please",
    "FYI: § is the password for the NAS",
    "Das Passwort lautet §",
    "Unser Kennwort für das Labor ist §.",
    "Le mot de passe du wifi est §",
    "La contraseña del router es §.",
    "A senha do wifi é §",
    "пароль от вайфая: §",
    "密码是 §",
)
PAIRS = (
    "log in to the router with admin and §",
    "Log in with deploy and §, then restart",
    "ssh root@10.0.0.4 with §",
    "sign in as root / §",
    "log in to the switch as ops using §",
    "log in to the switch with ops:§",
    "credentials: admin / §",
    "creds for staging: ops:§",
    "Zugangsdaten: admin / §",
    "Zugangsdaten: admin §",
    "Anmeldedaten für Grafana: admin / §",
    "Melde dich mit admin und § an",
    "identifiants : admin / §",
    "connecte-toi avec admin et §",
    "credenciales: admin / §",
    "entra con admin y §",
    "credenziali: admin / §",
    "accedi con admin e §",
    "acesso: admin / §",
    "доступ: admin / §",
    "логин admin, пароль §",
    "зайди с admin и §",
    "账号 admin 密码 §",
    "登录：admin / §",
    "ログイン: admin / §",
    "로그인: admin / §",
    "Benutzer: admin, Passwort: §",
    "Benutzer admin Kennwort §",
    "usuario admin y contraseña §",
    "utilisateur admin, mot de passe §",
)
STRONG = ("Gr9Pear!41", "falcon7!x", "S0nne#2029", "wIntEr%88x")
COUNTRIES = {"DE": 18, "FR": 23, "GB": 18, "ES": 20, "NL": 14, "IT": 23, "CH": 17, "PL": 24, "NO": 11, "BE": 12}
BEFORE, AFTER = "Keep the port at 5433", "and use tabs in every Makefile."


@dataclass(frozen=True)
class Worded:
    """`text` has `secret`; without it, `good` is what stays of it."""

    text: str
    secret: str
    good: tuple[str, ...]


def _filled(templates: tuple[str, ...], values: tuple[str, ...], times: int) -> Iterator[Worded]:
    value = cycle(values)
    for template in templates:
        for _ in range(times):
            secret, around = next(value), template.split("§")
            text = f"{BEFORE}\n{template.replace('§', secret)}\n{AFTER}"
            yield Worded(text, secret, (BEFORE, AFTER, *(part.strip(" \"'“”‘’「」.,→") for part in around)))


def in_prose() -> list[Worded]:
    return list(_filled(PROSE, SIGNED, 3))


def as_words() -> list[Worded]:
    return list(_filled(WORDS, PLAIN, 3))


def with_users() -> list[Worded]:
    return list(_filled(PAIRS, STRONG, 2)) + list(_filled(PAIRS[2:20:3], SIGNED, 1))


def iban(rng: Random, country: str) -> str:
    body = "".join(rng.choices(string.digits, k=COUNTRIES[country]))
    number = int("".join(str(int(char, 36)) for char in f"{body}{country}00"))
    return f"{country}{98 - number % 97:02}{body}"


def grouped(rng: Random) -> list[Worded]:
    """Account numbers with and without groups, and cards."""
    made = []
    for number, country in enumerate([*COUNTRIES] * 4):
        plain = iban(rng, country)
        sign = ("", " ", "-")[number % 3]
        secret = sign.join(plain[at : at + 4] for at in range(0, len(plain), 4)) if sign else plain
        lead = ("Refunds go to", "IBAN:", "überweise an", "payer sur le compte")[number % 4]
        made.append(Worded(f"{BEFORE}, {lead} {secret} {AFTER}", secret, (BEFORE, lead, AFTER)))
    for number in range(20):
        digits = "4" + "".join(rng.choices(string.digits, k=14))
        digits += next(last for last in string.digits if _is_sound(digits + last))
        secret = " -"[number % 2].join(digits[at : at + 4] for at in range(0, 16, 4))
        made.append(Worded(f"{BEFORE}; charge {secret} {AFTER}", secret, (BEFORE, "charge", AFTER)))
    return made


def _is_sound(digits: str) -> bool:
    doubled = (int(char) * (1 + at % 2) for at, char in enumerate(reversed(digits)))
    return sum(each - 9 if each > 9 else each for each in doubled) % 10 == 0


def _blob(rng: Random, *parts: bytes) -> str:
    return base64.b64encode(b"".join(len(part).to_bytes(4, "big") + part for part in parts)).decode()


def public_keys(rng: Random) -> Iterator[str]:
    ed = b"ssh-ed25519"
    yield f"{ed.decode()} {_blob(rng, ed, rng.randbytes(32))}"
    yield f"ssh-rsa {_blob(rng, b'ssh-rsa', bytes((1, 0, 1)), bytes(1) + rng.randbytes(256))}"
    yield f"ecdsa-sha2-nistp256 {_blob(rng, b'ecdsa-sha2-nistp256', b'nistp256', bytes((4,)) + rng.randbytes(64))}"
    sk = b"sk-ssh-ed25519@openssh.com"
    yield f"{sk.decode()} {_blob(rng, sk, rng.randbytes(32), b'ssh:')}"
    cert = b"ssh-ed25519-cert-v01@openssh.com"
    yield f"{cert.decode()} {_blob(rng, cert, rng.randbytes(32), rng.randbytes(32))}"


def fingerprints(rng: Random) -> Iterator[str]:
    yield "SHA256:" + base64.b64encode(rng.randbytes(32)).decode().rstrip("=")
    yield "MD5:" + rng.randbytes(16).hex(":")
    yield rng.randbytes(32).hex(":").upper()


HOLDERS = (
    "{}",
    "{} ann@laptop",
    "{} deploy key, no password",
    "our deploy key: {}",
    "the deployer's public key is {}",
    "my key {}",
    "echo '{}' >> ~/.ssh/authorized_keys",
    'from="10.0.0.0/8",no-pty {} backup@nas',
    "github.com {}",
    "[ssh.example.org]:2222,203.0.113.7 {}",
    "cat ~/.ssh/id_ed25519.pub\n{} me@host",
    "auth secret rotation: add {} to the tokens page",
    '{{"key": "{}", "read_only": true}}',
    "ssh_authorized_keys:\n  - {}",
)


def published(seed: int = 41) -> list[str]:
    """Lines with public keys, certificates and fingerprints: nothing in them is a secret."""
    rng = Random(seed)
    made = [holder.format(key) for holder in HOLDERS for key in public_keys(rng)]
    for mark in fingerprints(rng):
        made += [
            f"key fingerprint is {mark}",
            f"the token server's certificate: {mark}",
            f"256 {mark} ann@pc (ED25519)",
        ]
    hosts = "|1|{}|{}".format(*(base64.b64encode(rng.randbytes(20)).decode() for _ in range(2)))
    made += [f"{hosts} {key}" for key in public_keys(rng)]
    for kind, start in (("PUBLIC KEY", "MCowBQYDK2VwAyEA"), ("CERTIFICATE", "MIIDdzCCAl+gAwIBAgIEbwMqCTAN")):
        body = start + base64.b64encode(rng.randbytes(300)).decode()
        lines = "\n".join(body[at : at + 64] for at in range(0, len(body), 64))
        made += [
            f"the auth server's secret-free part:\n-----BEGIN {kind}-----\n{lines}\n-----END {kind}-----",
            body[:64],
        ]
    return made
