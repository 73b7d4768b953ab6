"""Secrets that are named by what they are for, or oddly: each is made from templates in which § is the secret. Then
come sentences that look like them and hold none.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from secrets_given_away import filled

SPELT = ("sunnyside99", "Tournesol88", "Kx7-blue-Tango", "kohlrabi77", "Birne42", "Gr9Pear!41", "Mond!schein3")
NAMED = ("Sonnenblume88", "Chouette2024", "Mamaliga9", "Girasol88", "Falke77!", "Tulipan41")
SURE = ("p9Lm-tt2x", "Zt5!kk9", "Mond!schein3", "Gr9Pear!41", "Moon-77-River")

TEMPLATES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "wireless": (
        (
            "WPA2 key: §",
            "the WPA key is §",
            "wifi key §",
            "Wi-Fi key = §",
            "key for the wifi: §",
            "the key to our wifi is §",
            "SSID Guest, PSK §",
            "PSK: §",
            "psk = §",
            "the network key for GuestNet is §",
            "guest network key: §",
            "wifi: GuestNet / §",
            "SSID: GuestNet / §",
            "the guest wifi is GuestNet and the key is §",
            "WLAN GuestNet, Schlüssel: §",
            "wlan Schlüssel: §",
            "clé wifi: §",
            "clé du wifi : §",
            "la clé wifi est §",
            "le code wifi est §",
            "la clave del wifi es §",
            "clave wifi: §",
            "clave: §",
            "chiave wifi: §",
            "wifi-sleutel: §",
            "ключ от wifi: §",
            "klucz wifi: §",
            "hotspot key §",
            "wireless key: §",
        ),
        ("sunnyside99", "Tournesol88", "Gr9Pear!41", "Kx7-blue-Tango", "blumenwiese42"),
    ),
    "typed": (
        (
            "type § at the sudo prompt",
            "enter § at the password prompt",
            "type '§' into the login dialog",
            "enter § when asked",
            "type § when sudo asks",
            "just enter § when it asks for the password",
            "use '§' when prompted for a passphrase",
            "enter § if you are asked for the admin password",
            "ssh root@10.0.0.4, when it asks type §",
            "when prompted, enter §",
            "when sudo asks for it, type §",
            "when it asks for a passphrase just type §",
            "if it prompts for the root password, use §",
            "§ is what you type when sudo asks for the password",
            "§ is what we use at the login",
            "§ is what you enter at the unlock screen",
            "tippe § wenn sudo fragt",
            "wenn er fragt, tippe §",
            "tape § quand il demande",
            "quand il demande, tape §",
            "escribe § cuando pide",
            "введи § когда спросит",
            "at the sudo prompt type §",
            "at the password prompt, enter §",
            "sudo will ask, type §",
            "sudo accepts §",
            "if it asks for a password it's §",
            "it asks for a password: §",
            "unlock the keyring with §",
            "decrypt it with §",
        ),
        SPELT,
    ),
    "new": (
        (
            "the password used to be apfel99 but now it is §",
            "the password was apfel99 and now is §",
            "The old password was apfel99, the new one is §",
            "password: apfel99 (old), § (new)",
            "the admin password was apfel99, now it's §",
            "we replaced the password apfel99 by §",
            "the root password was apfel99 until May, since then it is §",
            "pw was apfel99, it is now §",
            "das Passwort war apfel99, jetzt ist §",
            "le mot de passe était apfel99, maintenant c'est §",
            "la contraseña era apfel99, ahora es §",
            "the passphrase had been apfel99, the new one is §",
        ),
        SPELT,
    ),
    "old": (
        (
            "the password used to be § but now it is birne42",
            "the password was § and now is birne42",
            "The old password was §, the new one is birne42",
            "password: § (old), birne42 (new)",
            "the admin password was §, now it's birne42",
            "we replaced the password § by birne42",
            "pw was §, it is now birne42",
            "das Passwort war §, jetzt ist es birne42",
            "le mot de passe était §, maintenant c'est birne42",
            "la contraseña era §, ahora es birne42",
            "пароль был §, теперь birne42",
            "the passphrase had been §",
        ),
        SPELT,
    ),
    "without a colon": (
        (
            "le mot de passe, c'est §",
            "le mot de passe root c'est §",
            "mot de passe §",
            "mot de passe wifi §",
            "contraseña del wifi §",
            "mdp §",
            "parola de la router este §",
            "parola §",
            "parole ir §",
            "parole: §",
            "contrasenya: §",
            "la contrasenya és §",
            "pasahitza: §",
            "fjalëkalimi: §",
            "fjalëkalimi është §",
            "slaptažodis yra §",
            "пароль §",
            "Passwort §",
            "contraseña §",
            "senha §",
            "hasło §",
            "heslo §",
            "jelszó §",
            "lösenord §",
            "wachtwoord §",
            "salasana §",
            "lozinka §",
            "geslo §",
            "passord §",
            "kodeord §",
            "şifre §",
            "лозинка §",
        ),
        (*NAMED, "Подсолнух88"),
    ),
    "pair": (
        (
            "admin:§",
            "use admin:§ there",
            "root:§",
            "login root §",
            "login: admin §",
            "ssh root §",
            "log in as admin §",
            "einloggen als root §",
            "логин admin §",
            "postgres:§",
            "(admin / §)",
            "admin | §",
            "grafana: admin/§",
            "admin - §",
            "root, §",
        ),
        ("Sonnenblume88", "Chouette2024", "Girasol88", "Falke77", "Tulipan41"),
    ),
    "user": (
        (
            "use shop_rw with § to connect to postgres",
            "connect as shop_rw with § to access the db",
            "log in as mailer and § to reach the relay",
            "Zugang Grafana: viewer - §",
            "Zugangsdaten: mailer – §",
            "credentials: shop_rw - §",
            "creds for staging: ops - §",
            "SMTP user mailer secret §",
            "user mailer, secret §",
            "username ops and the secret §",
        ),
        SURE,
    ),
    "combination": (
        (
            "unlock the safe with 12-34-56".replace("12-34-56", "§"),
            "open the safe with §",
            "the door opens with code §",
            "the gate opens with §",
            "the garage unlocks with the code §",
            "passcode for the door §",
            "code for the alarm: §",
            "the code of the server room door is §",
            "pin for the safe §",
            "we unlock the cage in the lab with §",
            "open the locker using the combination §",
        ),
        ("12-34-56", "4711E", "4471#", "882190", "7/21/33"),
    ),
    "PIN": (
        (
            "PIN for the token §",
            "the PIN for my phone is §",
            "PIN of the smart card §",
            "pin for the tablet §",
            "passcode for the iPad §",
            "PUK for the SIM §",
            "the PIN for Ann's badge is §",
        ),
        ("483920", "4471", "88421190", "9035"),
    ),
    "spelt oddly": (
        (
            "Pa$$word: §",
            "p/w is §",
            "p/w: §",
            "p@ssw0rd = §",
            "passw0rd: §",
            "pass-word: §",
            "the p/w for staging is §",
            "pword: §",
            "passwrd: §",
            "pasword is §",
            "passowrd: §",
            "pswd: §",
            "psw = §",
            "P@$$word -> §",
            "p.w.: §",
            "p@ss: §",
        ),
        ("Tr0ub4dor&3", "Tr0ub4dor", "sunnyside99", "Kx7-blue-Tango"),
    ),
    "keystore": (
        (
            "keystore storepass §",
            "keytool with storepass § and alias app",
            "keypass §",
            "storepass=§",
            "storepass: § in gradle.properties",
            "keyPassword § for the release",
            "truststorepass is §",
            "-storepass §",
            "the storePass is §",
        ),
        ("changeit123", "changeit456", "Hibernate7", "kohlrabi77"),
    ),
    "word of a setting": (
        (
            "JWT_SECRET: §",
            "SESSION_SECRET: §",
            "APP_SECRET = §",
            "NEXTAUTH_SECRET: '§'",
            'COOKIE_SECRET: "§"',
            "  JWT_SECRET: §\n  PORT: 80",
            "AUTH_SECRET_KEY: §",
            "SECRET_KEY_BASE: §",
        ),
        ("thisisnotverysecret", "brightanvilmoon", "copperkettlejar", "sunflowerfield", "moonharborlight"),
    ),
    "quoted phrase": (
        (
            "My password is: '§'",
            'the password is "§"',
            "password: '§'",
            "our wifi password is '§'.",
            'passphrase: "§"',
            'Das Passwort lautet "§"',
            "mot de passe : '§'",
            'contraseña: "§"',
            "pw is '§'",
            'password = "§"',
        ),
        (
            "the quick brown",
            "seven lanterns over the bay",
            "purple walrus in a hat",
            "copper kettle moon",
            "my blue canoe",
        ),
    ),
    "master": (
        (
            "The shared 1Password master is §",
            "1Password master: §",
            "the Bitwarden master is §",
            "our KeePass master = §",
            "LastPass's master is §",
            "the Bitwarden master secret is §",
            "the password manager's master is §",
        ),
        ("Q-rocket-lamp-9921", "Gr9Pear!41", "kohlrabi77", "Moon-77-River"),
    ),
}


def _card(rng: random.Random, start: str, length: int) -> str:
    body = start + "".join(rng.choices("0123456789", k=length - len(start) - 1))
    return next(body + last for last in "0123456789" if _is_sound(body + last))


def _is_sound(digits: str) -> bool:
    doubled = (int(char) * (1 + at % 2) for at, char in enumerate(reversed(digits)))
    return sum(each - 9 if each > 9 else each for each in doubled) % 10 == 0


def _drawn(rng: random.Random) -> Iterator[tuple[str, tuple[str, ...], list[str]]]:
    """(shape, templates, secrets) of what is drawn."""
    cards = [
        _card(rng, start, length) for start, length in (("4", 16), ("53", 16), ("34", 15), ("6011", 16), ("35", 16))
    ]
    grouped = [" ".join(one[at : at + 4] for at in range(0, 16, 4)) for one in cards if len(one) == 16]
    yield (
        "card",
        (
            "Card § exp 09/27 cvv 123",
            "card number §",
            "CVV2: 123, card §",
            "§ exp 11/29",
            "§, valid thru 03/28",
            "pay with § cvc 991",
            "Kreditkarte §, gültig bis 04/29",
            "visa §",
        ),
        [*cards, *grouped],
    )
    groups = ["-".join("".join(rng.choices("0123456789", k=6)) for _ in range(8)) for _ in range(5)]
    yield (
        "BitLocker",
        ("bitlocker §", "recovery key §", "the laptop's key: §", "§", "Wiederherstellungsschlüssel §", "keep § for C:"),
        groups,
    )


def by_use(seed: int = 71) -> list[tuple[str, str, str]]:
    """(shape, text, secret); at least 30 of each shape."""
    made = [(shape, *one) for shape, (templates, values) in TEMPLATES.items() for one in filled(templates, values)]
    for shape, templates, values in _drawn(random.Random(seed)):
        made += [(shape, *one) for one in filled(templates, tuple(values))]
    return made


HARMLESS = r"""
the wifi is slow in room B12
wifi: 2.4 GHz / 5 GHz
WPA2 key exchange is done by wpa_supplicant2
the network key of the map is user_id2
the cache key for the network is net:v2
type v2.3.1 at the prompt
type y when asked
enter ./setup2.sh at the shell prompt
enter the code when prompted
type localhost:8080 when it asks for the host
when it asks for the port, type 8080
when asked for the name, enter build2
press F10 when prompted
when the dialog asks, answer yes
use option2 when asked for the layout
use node18 when asked
if asked, use python3.12
when asked for the region, type eu-central-1
when the wizard asks for the port, enter 8443
answer n0 when it asks
it is what you type when you log in
v2 is what we use
the timeout was 30s and is 60s now
the password was optional but now it is required
the password length was 8 and is 12 now
the old password is checked first, the new one second
the new password is hashed with argon2id
we replaced the password hasher by argon2id
we replaced bcrypt by argon2id for passwords
the password check was slow, it is 20 ms now
the password column was varchar50 and is varchar255 now
the password hash was argon2i, now it is argon2id
the password field was renamed to pass2
the pass rate was 98.7% and is 99.1% now
Passwort Feld2
Passwort Länge12
Kennwort Version2
mot de passe niveau2
contraseña nivel2
пароль уровень2
пароль sha256
das Passwort ist im Schritt2 optional
Passwort vergessen
Passwort zurücksetzen in Schritt 2
mot de passe oublié
contraseña olvidada
пароль пользователя user1 хранится в Vault
hasło wygasa po 90 dniach
parole de scout
admin:users is the scope
admin:v2 is the tag
root:root owns the files
postgres:16 is the image
ssh root 10.0.0.4
login root is disabled
login admin works again
use psycopg2 with Python311 to connect to postgres
use ssh with ed25519 to connect
use boto3 with role2 to access S3
connect as shop_ro and port 5433 to reach the replica
Zugang: Mitarbeiter - ab Mai 2026
credentials: vault - see docs2
access: admin - read, write
user mailer has secret2 mounted
user input and secret2 are mounted
order 4929 1188 0031 7746 failed
4929118800317746 rows expire on Monday
the job expires at 1732809600000
the door opens at 8:30
the gate opens with 2 keys
unlock the mutex with 1 guard
the alarm has code 12
open the vault page with ctrl-k
passcode for the door is on the wiki
code for the door model lives in src/door.py
code for the alarm in 2 files
PIN for the relay 2024
PIN for the board header 1234
pin for the led 1302
the pin for numpy is 1.26
123456-654321 is the range
part 123456-654321-112233 is out of stock
p/w reset is slow
the user/pw pair is in the vault
password-word count is 2
psw.py has the parser
storepass and keypass are read from the vault
storepass is required
keypass: required
JWT_SECRET: required
JWT_SECRET: string
JWT_SECRET: see .env
JWT_SECRET: generated
APP_SECRET: placeholder
APP_SECRET: ${APP_SECRET}
SESSION_SECRET: undocumented
password: 'must be changed'
password: "the same as before"
password: 'your password here'
"password is wrong"
password: "at least twelve characters"
password = "not needed here"
label for password: "Enter your password"
error password: "Password is too short"
the shared master is db1-primary-eu
the shared Redis master is redis-1.internal
the master branch is main-2
1Password is the master of all vaults
rows 1111222233334444 expire
invoice 4556737586899855
codes for the alarm 1000 and 1001
the pin for node 2022
pin for the release 2026
pin to the commit 20241105
PIN for the card reader is needed
password: 'see the wiki'
password is "too weak"
password: "eight characters or more"
MY_SECRET: externalsecret
DB_SECRET: shopdatabasesecret
AWS_SECRET: parameterstore
STRIPE_SECRET: configuredlater
clave del mapa: region2
code: E1234
the Bitwarden master password is on paper
""".strip().splitlines()

# What a careless pattern would take ever longer for.
GREEDY = (
    *(
        "wifi key for a ",
        "wifi a and key ",
        "type a at the ",
        "when it asks ",
        "a1b2c is what you type ",
        "password was a ",
    ),
    *(
        "password was a1b2c and is ",
        "use a with b to ",
        "unlock the safe ",
        "code for the a ",
        "pin for a b ",
        "123456-",
    ),
    *("p/w for a ", "storepass ", "A_SECRET: ", "password: 'a b ", "1password master ", "0 1 ", "password a (old) "),
    *(
        "clave del a ",
        "sudo asks ",
        "at the a prompt ",
        "asks for a password ",
        "decrypt a ",
        "admin / ",
        "login root ",
        "mot de passe ",
        "пароль ",
        "the new ",
    ),
)
