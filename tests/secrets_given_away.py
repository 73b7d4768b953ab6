"""Sentences that give a secret away in another order or by another name, and sentences that look like them and give
nothing away. Each is made from templates: § is the secret, ¤ another word that stays.
"""

from __future__ import annotations

import random
import string
from collections.abc import Iterator
from itertools import cycle

WORDS = ("brightanvil", "summertime", "copperkettle", "moonharbor", "swordfish", "tulip", "silverpine", "raspberry")
SIGNED = (
    "Winter!2026",
    "K4rtoffel",
    "Moon-77-River",
    "raspberry99",
    "lemonade9",
    "t0mat0soup",
    "Blue_Kiwi_12",
    "Gr9Pear!41",
)
STRONG = ("Winter!2026", "Moon-77-River", "Gr9Pear!41", "Blue-Kiwi-12!")
SHORT = ("hF3kQ9zT", "9xKq2LmP", "Zt7bR4wY8", "q8ZpL3vN2k")
COUNT = 36  # sentences of each shape

TEMPLATES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "before its name": (
        (
            "use `§` as the admin password",
            "use § as the admin password",
            "please use § as the password for staging",
            "I set § as the root password",
            "let's take § as our wifi password, ok?",
            "they kept § as their default password",
            "enter § as the password and press return",
            'we chose "§" as the vault\'s passphrase',
            "`§` is the admin password",
            "'§' as the database password works",
            "type § as the sudo password.",
            "try § as the password",
            "nimm § als Passwort",
            "verwende § als Admin-Passwort",
            "utilise § comme mot de passe",
            "usa § como contraseña",
            "usa § come password",
            "use § como senha",
            "gebruik § als wachtwoord",
            "используй § как пароль",
            "用§作为密码",
            "make § the new admin password",
        ),
        WORDS + SIGNED,
    ),
    "user and then": (
        (
            "the login for grafana is ops and then §",
            "the login for the router is admin then §",
            "login for jenkins: deploy, then §",
            "credentials for the NAS are backup followed by §",
            "the creds are ops and §",
            "logins: ops / §",
            "the login is ops, after that §",
            "Zugang: ops, dann §",
            "identifiants : ops puis §",
            "credenciales: ops y luego §",
        ),
        SIGNED,
    ),
    "user and pass": (
        (
            "user deploy pass §",
            "user deploy, pass §",
            "username deploy pw §",
            "user: deploy pass: §",
            "login deploy pass §",
            "account deploy / password §",
            "user=deploy pass=§",
            "u: deploy p: §",
            "user deploy with the password §",
            "ssh user pi pass §",
            "Benutzer deploy Passwort §",
            "usuario deploy contraseña §",
        ),
        SIGNED,
    ),
    "name for what": (
        (
            "PW for staging = §",
            "pw for the NAS: §",
            "password for the staging box = §",
            "Password for grafana: §",
            "password (prod) → §",
            "password (staging): §",
            "Password [lab] = §",
            "pw (vpn) is §",
            "passphrase for the backup disk: §",
            "passcode of the tablet = §",
            "pwd for jenkins -> §",
            "Passwort für Staging = §",
            "Passwort (Prod): §",
            "mot de passe (prod) : §",
            "contraseña (pruebas) = §",
            "senha (produção): §",
            "пароль (прод) → §",
            "密码（生产）：§",
            "pw = §",
            "PW: §",
        ),
        WORDS + SIGNED,
    ),
    "answer": (
        (
            "the sudo password on the pi? §",
            "What's the wifi password? §",
            "what is the admin password for the NAS? It's §",
            "and the password? §",
            "The root password? `§`",
            "remember the db password? it is §.",
            "Wie lautet das Passwort? §",
            "das Passwort für den Pi? §",
            "quel est le mot de passe ? §",
            "¿cuál es la contraseña? §",
            "qual è la password? §",
            "какой пароль? §",
        ),
        SIGNED,
    ),
    "answer that is a word": (
        (
            "what's the wifi password? §",
            "What is the admin password? It's §",
            "which password does the NAS have? §",
            "what was the passphrase of the disk? §.",
            "Wie lautet das Passwort? §",
            "qual è la password del router? §",
        ),
        WORDS,
    ),
    "key of few characters": (
        (
            "the vault unseal key is §",
            "unseal key: §",
            "the master key for the vault is §",
            "our license key = §",
            "the api key is §",
            "the encryption key (prod) is §",
            "the activation code is §",
            "the deploy token is §",
            "the recovery key of the laptop is §",
            "the signing secret is §",
            "der Schlüssel für den Tresor ist §",
            "la clé du coffre est §",
            "la clave del servidor es §",
            "ключ от хранилища: §",
            "密钥是 §",
        ),
        SHORT,
    ),
    "word with four letters": (
        (
            '"db_pass": "§"',
            "'password': '§'",
            '{"user": "ops", "pwd": "§"}',
            "DB_PASS=§",
            "smtp_password = '§'",
            "db_password: §",
            '"admin_password" : "§",',
            "'redis_pw' => '§'",
            "MYSQL_ROOT_PASSWORD=§",
        ),
        ("kiwi", "plum", "tulip", "lemon", "moon", "tiger"),
    ),
    "secret word": (
        (
            "admin login: root, secret word §",
            "the secret word is §",
            "secret word: §",
            "the magic word for the build box is §",
            "the code word is §",
            "account ops, secret phrase §",
            "login root and secret word §",
            "das Geheimwort ist §",
            "le mot secret est §",
            "la palabra secreta es §",
            "кодовое слово: §",
        ),
        SIGNED,
    ),
    "pair that works": (
        (
            "root:§ works on the lab box",
            "ops:§ still works",
            "deploy:§ gets you in",
            "admin:§ lets you in on staging",
            "use root:§, it works",
            "for the lab box ops:§ is valid",
            "admin:§ funktioniert",
            "admin:§ marche",
            "admin:§ работает",
        ),
        SIGNED,
    ),
    "known pair that works": (
        (
            "root:§ works on the lab box",
            "root:§ still works",
            "root:§ gets you in everywhere",
            "log in as root:§",
            "log in to the switch with root:§",
            "the creds are root:§",
        ),
        ("toor", "tulip", "summertime", "swordfish"),
    ),
    "told later": (
        (
            "my password hasn't changed, still §",
            "the password, it's §",
            "about the db password: it is §",
            "the wifi password is the old one, it's still §",
            "admin password - that's §, nothing else",
            "we never rotated the vpn password; it remains §",
            "the ftp passwd, namely §",
            "that password stays as it was – always §",
        ),
        SIGNED,
    ),
    "word and number": (
        (
            "keystore password §",
            "the truststore uses password §",
            "it starts with the default passwd §.",
            "the demo tenant has the password §, as ever",
            "open it with pw §",
            "the pdf opens with passphrase §",
        ),
        ("changeit2", "hibernate21", "kartoffel7", "rosebud1999", "marigold42"),
    ),
    "words between quotes": (
        (
            'password: "§"',
            "the vault password is '§'",
            'secret = "§"',
            "our wifi password is `§`",
            'passphrase: "§"',
        ),
        ("copper kettle", "seven green lanterns", "marble otter canyon", "purple walrus", "tin soldier march home"),
    ),
    "secret that is a word": (
        (
            'jwt secret is "§"',
            'signing_key = "§"',
            'the webhook secret is "§"',
            "session secret: '§'",
            "client token is `§`",
            'the admin key was "§"',
        ),
        ("supersecretvalue", "brightanvilmoon", "copperkettlejar", "moonharborlight"),
    ),
    "shared secret": (
        (
            "the shared secret between api and worker is §",
            "pre-shared key for the tunnel is §",
            "psk: §",
            "our shared secret with the bank is §.",
            "ANSIBLE_VAULT_PASS is §",
            "the preshared key was §",
        ),
        ("oak-river-stone", "tortoise-and-hare", "marble-otter-canyon-seven", "tulip-barn-kettle"),
    ),
    "unlocks": (
        (
            "unlock the laptop with §",
            "you unlock my phone with §",
            "unlock the test tablet using §, then open the app",
            "unlocking the server room door: §",
            "unlock our alarm with the code §",
            "unlock the old ipad by §",
        ),
        ("290471", "8841", "0007712", "55120#"),
    ),
    "what only its owner knows": (
        (
            "the answer to my security question is §",
            "security answer: §",
            "my mother's maiden name is §",
            "mothers maiden name: §",
            "the recovery question answer is §.",
            "answer to the secret question = §",
        ),
        ("Rosebud", "Kowalski", "Butterkeks", "Szczecin", "Old Trafford"),
    ),
    "card's code": (
        (
            "cvv §",
            "CVC: §",
            "exp 04/29 cvv §",
            "the cvv is §",
            "card security code §, valid till 2029",
            "cvv2=§ ".rstrip(),
        ),
        ("847", "123", "0912", "551"),
    ),
    "another script": (
        ("лозинката е §", "лозинката за базата е §", "лозинка: §", "лозинка је §", "Лозинката на рутерот: §"),
        ("Jabolko77", "Калинка7!", "S0nce#2029", "Moon-77-River"),
    ),
}

# Further ones as people write them, each with the secret in brackets.
AS_WRITTEN = """\
⟨sunflower7⟩ is what we use as the db password
go with `⟨marigold⟩` as the grafana password
I'd put ⟨marigold⟩ there as the root password
"⟨marigold⟩" should be the admin password
let the password be ⟨marigold⟩
set `⟨marigold⟩` as password
with ⟨Fri3dEgg⟩ as password for ops
⟨hunter22⟩ <- root password
⟨marigold⟩ = admin password
login to grafana: ops then ⟨hunter22⟩
the login on the NAS is backup, followed by ⟨Sommer24!⟩
log in to grafana as ops and then type ⟨hunter22⟩
user is ops and pass is ⟨hunter22⟩
sign in with ops, then enter ⟨Winter!2026⟩
user backup, pw ⟨Sommer24⟩
uid deploy pwd ⟨Kart0ffel⟩
user deploy passwd ⟨K4rtoffel⟩
login deploy password ⟨K4rtoffel⟩
as user deploy pass ⟨K4rtoffel⟩
PW for prod is ⟨tulip⟩
PW (staging) = ⟨tulip⟩
staging PW = ⟨tulip⟩
staging pw: ⟨tulip⟩
pw staging = ⟨tulip⟩
password staging → ⟨Moon-77-River⟩
password [prod] - ⟨Moon-77-River⟩
password (for prod) — ⟨Moon-77-River⟩
Passwort (Produktion) → ⟨Moon-77-River⟩
db password (dev): ⟨kiwi⟩
the root password on the NAS? ⟨Blue-Kiwi-12⟩
sudo pw on the pi? ⟨raspberry99⟩
password of the router? ⟨raspberry99⟩
Do you know the wifi password? Yes, it's ⟨raspberry99⟩
Q: sudo password? A: ⟨raspberry99⟩
the vault root token is ⟨hF3kQ9zT⟩
vault unseal key 1: ⟨hF3kQ9zT⟩
unseal key ⟨hF3kQ9zT⟩
the unseal key for vault = ⟨hF3kQ9zT⟩
the master key is ⟨hF3kQ9zT⟩
unseal with ⟨hF3kQ9zT⟩
totp seed: ⟨JBSWY3DPEHPK3PXP⟩
the seed for the otp is ⟨JBSWY3DPEHPK3PXP⟩
2fa secret ⟨JBSWY3DPEHPK3PXP⟩
Google Authenticator: ⟨JBSWY3DPEHPK3PXP⟩
mfa key = ⟨jbsw y3dp ehpk 3pxp⟩
"db_password": "⟨plum⟩"
"pass": "⟨kiwi⟩"
'db_pwd': '⟨kiwi⟩'
{"smtp":{"pass":"⟨kiwi⟩"}}
db_pass: ⟨kiwi⟩
db_pass = "⟨kiwi⟩"
dbPass: "⟨kiwi⟩"
"dbPassword": "⟨kiwi⟩"
bot ⟨110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw⟩
TELEGRAM_BOT=⟨110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw⟩
⟨110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw⟩
eth key ⟨0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318⟩
my wallet's private key: ⟨4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318⟩
hardhat account private key ⟨0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318⟩
the key for the license server: ⟨ABCD-EFGH-IJKL-MNOP⟩
license server key ⟨ABCD-EFGH-IJKL-MNOP⟩
the license is ⟨ABCD-EFGH-IJKL-MNOP⟩
our JetBrains key is ⟨QWER-TYUI-OPAS-DFGH⟩
unlock it with ⟨ABCD-EFGH-IJKL-MNOP⟩
admin login: root, secret word is ⟨lemonade9⟩
admin login: root, magic word ⟨lemonade9⟩
admin: root, password ⟨lemonade9⟩
login root, secret ⟨lemonade9⟩
admin:⟨admin⟩ works on the lab box
toor:⟨root⟩ works on the lab box
root:⟨calvin⟩ works for the idrac
root/⟨toor⟩ works on the lab box
root:⟨toor⟩ gets you into the lab box
root:⟨toor⟩ on the lab box
the lab box takes root:⟨toor⟩
pi:⟨raspberry⟩ works on the pi
ubnt:⟨ubnt⟩ works on the access points
the safe's combination is ⟨12-34-56⟩
combination for the safe: ⟨12-34-56⟩
the safe opens with ⟨12-34-56⟩
safe: ⟨12-34-56⟩
combination of the office safe: ⟨12 34 56⟩
combo ⟨12-34-56⟩ opens the safe
the padlock combination is ⟨1234⟩
ssn is ⟨078-05-1120⟩
my SSN: ⟨078051120⟩
social security: ⟨078-05-1120⟩
social security number ⟨078 05 1120⟩
SSN of the test patient ⟨078-05-1120⟩
please set "⟨cobaltfish⟩" as root password on the pi
we picked ⟨cobaltfish⟩ as the vpn password
use ⟨cobaltfish⟩ as password for the test user
our admin password shall be ⟨cobaltfish⟩
remember ⟨cobaltfish⟩ as the sudo password
⟨cobaltfish⟩ should work as the admin password
the login for jira: anna and then ⟨Herbst#24⟩
to log in use ops and ⟨Winter!2026⟩
jenkins login is ci and then ⟨Winter!2026⟩
grafana: ops then ⟨Winter!2026⟩
user ci pass ⟨Ci2026pw⟩
user postgres pass ⟨p0stgr3s⟩
user root pass ⟨t00r99⟩
PW for the nas: ⟨cobaltfish⟩
PW on staging: ⟨cobaltfish⟩
pw of staging -> ⟨cobaltfish⟩
password (old) => ⟨Moon-77-River⟩
password (guest wifi): ⟨cobaltfish⟩
mdp (prod) → ⟨Moon-77-River⟩
Kennwort (WLAN): ⟨Moon-77-River⟩
wachtwoord (test) = ⟨Moon-77-River⟩
hasło (prod) → ⟨Moon-77-River⟩
the postgres password on staging? ⟨pgStaging42⟩
wifi password at the office? ⟨Office-Net-9⟩
password for the pi again? ⟨raspberry99⟩
the consul gossip key is ⟨hF3kQ9zT⟩
the backup key is ⟨Qm4Tz8Wp⟩
vault unseal key #2 = ⟨hF3kQ9zT⟩
the grafana admin token is ⟨hF3kQ9zT⟩
der Unseal-Key ist ⟨hF3kQ9zT⟩
la clave maestra es ⟨hF3kQ9zT⟩
OTP secret: ⟨JBSWY3DPEHPK3PXP⟩
totp for github ⟨JBSWY3DPEHPK3PXP⟩
semilla otp ⟨JBSWY3DPEHPK3PXP⟩
"redis_pass": "⟨plum⟩"
"admin_pw": "⟨kiwi⟩",
"pgpassword": "⟨plum⟩"
PGPASSWORD=⟨kiwi⟩ psql
export DB_PASS=⟨kiwi⟩
telegram token is ⟨110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw⟩
tg bot ⟨110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw⟩
private key (Sepolia): ⟨0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318⟩
the deployer key is ⟨0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318⟩
my burner wallet: ⟨0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318⟩
the key of the license server is ⟨ABCD-EFGH-IJKL-MNOP⟩
key for the plotter software: ⟨ABCD-EFGH-IJKL-MNOP⟩
the licence code is ⟨QWXZ-PLMK-NBVC⟩
der Schlüssel für den Lizenzserver ist ⟨ABCD-EFGH-IJKL-MNOP⟩
la clé du serveur de licences est ⟨ABCD-EFGH-IJKL-MNOP⟩
router login: admin, secret word ⟨banana77⟩
grafana login: admin, passphrase ⟨banana77⟩
the safe word is ⟨banana77⟩
admin:⟨hunter⟩ works on the old switch
root:⟨toor⟩ funktioniert auf der Testkiste
admin:⟨kiwi⟩ works on the camera
guest:⟨guest⟩ works on rabbitmq
root:⟨alpine⟩ works on jailbroken phones
the combination of the bike lock is ⟨4-8-15⟩
basic auth: deploy:⟨Kx82jdQ⟩
Basic auth is ops:⟨Tv91mrZ4⟩
http basic auth credentials ci:⟨w7Rm2xKq⟩
basic auth deploy / ⟨Kx82jdQ⟩
basic-auth=ci:⟨kx82jd9q⟩
auth: deploy:⟨Kx82jdQ⟩
htpasswd deploy:⟨Kx82jdQ⟩
passphrase = ⟨correct horse battery staple⟩
ssh passphrase - ⟨purple monkey dishwasher lamp⟩
backup recovery phrase: ⟨apple river stone candle⟩
Die Passphrase lautet ⟨korrekt pferd batterie heftklammer⟩
passphrase = "⟨winter dragon copper seven⟩"
the code of the safe is ⟨4815⟩
safe code ⟨4815⟩
gun safe combination is ⟨12-34-56⟩
the combination to the server cage is ⟨12-34-56⟩
die Kombination des Safes ist ⟨12-34-56⟩
la combinación del candado es ⟨12-34-56⟩
ssn: ⟨078-05-1120⟩
his ssn ⟨078-05-1120⟩
US social ⟨078-05-1120⟩
taxpayer ssn/ein ⟨078-05-1120⟩
Steuer-ID ⟨12 345 678 901⟩
DNI ⟨12345678Z⟩
NIR ⟨1 85 05 78 006 084 36⟩
"""


def as_written() -> list[tuple[str, str]]:
    """(text, secret)"""
    made = []
    for line in AS_WRITTEN.splitlines():
        before, _, rest = line.partition("⟨")
        secret, _, after = rest.partition("⟩")
        made.append((before + secret + after, secret))
    return made


def filled(templates: tuple[str, ...], values: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Pairs every template with several values, and every value with several templates."""
    value = cycle(values)
    for number in range(max(COUNT, 2 * len(templates))):
        secret = next(value)
        if number % len(templates) == 0 and number:
            secret = next(value)
        yield templates[number % len(templates)].replace("§", secret), secret


def _of(rng: random.Random, letters: str, *groups: int) -> str:
    return "-".join("".join(rng.choices(letters, k=size)) for size in groups)


def _made(rng: random.Random) -> Iterator[tuple[str, tuple[str, ...], list[str]]]:
    """Shapes whose secrets are drawn: (shape, templates, secrets)."""
    b32 = string.ascii_uppercase + "234567"
    base = [_of(rng, b32, size) for size in (16, 16, 26, 32)]
    yield (
        "seed",
        (
            "otp seed §",
            "the TOTP secret is §",
            "2FA seed: §",
            "mfa setup for ops: §",
            "authenticator key §",
            "add §§ to the authenticator: §".replace("§§", "this"),
            "HOTP seed for the VPN = §",
            "two-factor seed of the admin: §",
            "otp (github) → §",
            "Zwei-Faktor-Schlüssel: §",
            "mon authentificateur : §",
        ),
        [*base, "JBSWY3DPEHPK3PXP", base[0].lower()],
    )
    letters = string.ascii_letters + string.digits + "_-"
    yield (
        "bot",
        (
            "telegram bot §",
            "the bot is §",
            "bot token: §",
            "TELEGRAM=§",
            "our alert bot on telegram uses §",
            "BotFather gave us §",
            "curl https://api.telegram.org/bot§/getMe",
            "telegram_bot = '§'",
        ),
        [f"{rng.randint(10**8, 10**10 - 1)}:AA{_of(rng, letters, size)}x" for size in (31, 32, 33, 32)],
    )
    yield (
        "private key in hex",
        (
            "the wallet's private key is §",
            "private key: §",
            "metamask export: §",
            "my wallet § holds the test funds, keep it",
            "deployer wallet key §",
            "mnemonic lost, but the private key is §",
            "PRIVATE_KEY=§",
            "import § into the wallet",
            "eth private key (mainnet) → §",
            "der private Schlüssel der Wallet: §",
            "приватный ключ: §",
            "私钥：§",
        ),
        ["0x" + _of(rng, "0123456789abcdef", 64) for _ in range(4)],
    )
    yield (
        "key in groups",
        (
            "the key to the license server is §",
            "license key: §",
            "the serial number is §",
            "activation key for the IDE is §",
            "product key = §",
            "the key for the profiler was §",
            "Lizenzschlüssel: §",
            "clé de licence : §",
            "clave de licencia: §",
            "лицензионный ключ: §",
            "our licence is §",
            "the volume key is §, for ten seats",
        ),
        [
            "ABCD-EFGH-IJKL-MNOP",
            _of(rng, string.ascii_uppercase + string.digits, 5, 5, 5, 5, 5),
            _of(rng, string.ascii_uppercase + "23456789", 4, 4, 4),
            _of(rng, string.ascii_uppercase + "23456789", 6, 6, 6, 6),
        ],
    )
    yield (
        "combination",
        (
            "the combination of the safe is §",
            "the combination to the locker is §",
            "safe combination: §",
            "the combo for the bike lock is §",
            "locker code = §",
            "the vault's combination is now §",
            "code of the server room door: §",
            "the alarm code is §",
            "Die Kombination vom Tresor ist §",
            "Zahlenkombination für das Schloss: §",
            "la combinaison du coffre est §",
            "la combinación de la caja fuerte es §",
            "combinazione della cassaforte: §",
            "combinação do cofre: §",
            "код от сейфа: §",
            "保险柜密码是 §",
        ),
        ["12-34-56", "7-21-33", "4821", "10 20 30", "998877"],
    )
    yield (
        "number of a person",
        (
            "ssn §",
            "SSN: §",
            "my social security number is §",
            "the test user's ssn is §",
            "social security no. §",
            "Ann's SSN (§) is in the form",
            "ssn=§",
        ),
        [f"{rng.randint(1, 665):03}-{rng.randint(1, 99):02}-{rng.randint(1, 9999):04}" for _ in range(6)],
    )


def given_away(seed: int = 61) -> list[tuple[str, str, str]]:
    """(shape, text, secret); at least 30 of each shape."""
    made = [(shape, *one) for shape, (templates, values) in TEMPLATES.items() for one in filled(templates, values)]
    for shape, templates, values in _made(random.Random(seed)):
        made += [(shape, *one) for one in filled(templates, tuple(values))]
    return made


# Templates of what gives nothing away, and what ¤ stands for in them.
_HARMLESS = (
    (
        ("before its name", "use ¤ as the password manager"),
        ("before its name", "we use ¤ as the password store"),
        ("before its name", "use ¤ for the password hashing"),
        ("before its name", "we chose ¤ for password hashes"),
        ("before its name", "use ¤ as the password hasher"),
    ),
    ("bcrypt", "argon2", "Bitwarden", "KeePass", "Vault", "scrypt", "sha256", "1Password", "PBKDF2"),
), (
    (
        ("before its name", "use the ¤ as the password"),
        ("before its name", "use ¤ as username and password"),
        ("before its name", "`¤` is the password field"),
        ("before its name", "`¤` as the password column"),
        ("before its name", "use `¤` as the password parameter"),
        ("name for what", "password for ¤ = required"),
        ("name for what", "password (¤): optional"),
        ("name for what", "password (¤) is hashed"),
        ("answer", "is the password hashed? ¤ says so"),
        ("answer", "forgot the password? click ¤"),
    ),
    ("email", "hostname", "token", "username", "phone"),
), (
    (
        ("user and then", "the login is ¤ and then slow"),
        ("user and then", "the login for grafana is via ¤ and OAuth2"),
        ("user and then", "logins are ¤ and then redirected to /home"),
        ("user and then", "access is ¤ and then audited"),
        ("user and pass", "user ¤ pass through the gateway"),
        ("user and pass", "users must pass ¤ first"),
        ("user and pass", "the ¤ user can pass arguments"),
        ("answer", "what's the password policy? ¤ has it"),
        ("answer", "should we rotate the password? yes, ¤ says so"),
        ("answer", "did the password test pass? ¤ did"),
    ),
    ("SSO", "LDAP", "Okta", "Keycloak", "SAML"),
), (
    (
        ("pair that works", "¤ works on the lab box"),
        ("pair that works", "¤ still works"),
        ("pair that works", "with ¤ works too"),
        ("pair that works", "running ¤ works"),
    ),
    (
        "npm:react redis:7-alpine node:20-slim test:unit docs:build localhost:8080 db:migrate root:wheel python:3.12 "
        "user:create admin:reset std::vector http://localhost:3000 lint:fix"
    ).split(),
), (
    (
        ("key", "the primary key is ¤"),
        ("key", "the key is ¤"),
        ("key", "the sort key of the table is ¤"),
        ("key", "the cache key for users is ¤"),
        ("key", "press the ¤ key"),
    ),
    ("user_id", "createdAt", "tenant-id", "orderId", "Escape", "sessionId2"),
), (
    (
        ("secret word", "the ¤ word is fine"),
        ("secret word", "count each ¤ word"),
        ("secret word", "the secret word game needs ¤"),
        ("word with four letters", '"password": "¤"'),
        ("word with four letters", "password = get_¤()"),
        ("word with four letters", "db_password: ${¤}"),
    ),
    ("text", "hash", "none", "null", "true"),
), (
    (
        ("hex", "the transaction hash is 0x¤"),
        ("hex", "tx 0x¤ failed"),
        ("hex", "the wallet sent tx 0x¤"),
        ("hex", "block hash 0x¤"),
        ("hex", "sha256 digest ¤"),
        ("hex", "the contract's bytecode hash is 0x¤"),
        ("hex", "wallet transaction: 0x¤"),
    ),
    tuple(_of(random.Random(number), "0123456789abcdef", 64) for number in range(5)),
), (
    (
        ("groups", "the key is in ¤"),
        ("groups", "the release ¤ is out"),
        ("groups", "see ticket ¤"),
        ("combination", "the combination of ¤ and caching is fast"),
        ("combination", "a combination of the flags ¤"),
        ("combination", "the code for ¤ is in src"),
        ("number", "ssn column ¤ is nullable"),
        ("number", "never log the ssn, see ¤"),
        ("seed", "the OTP expires after 30 seconds, see ¤"),
        ("seed", "2FA for ¤ is mandatory"),
        ("bot", "the bot at ¤ answers"),
    ),
    ("PROJ-1234", "RFC-6238", "2026-11-20", "10.0.0.4:8080", "v2.1.0"),
)  # fmt: skip

# Rules and questions about passwords, codes and keys.
SPOKEN_OF = """\
git config user.signingkey 3AA5C34371567BD2
gpg --recv-keys 3AA5C34371567BD2
use the test card 4242 4242 4242 4242
card 5555555555554444 is declined in the sandbox
password: "must be changed"
password: 'your password here'
password: "enter your new password"
"password": "invalid password"
secret: "required value"
the password is "not required"
jwt secret is "required"
session token: "authorization"
client secret is "undefined"
signing key = "certificate"
the password screen2 is done
reset password step2
password hash2 is unused
see password field12
the password policy, it's strict
the password is long, still weak
about passwords: it's fine
the password, it's stored as pbkdf2
the shared secret between two services is rotated monthly
the pre-shared key is read from vault
unlock the table with 290471 rows
unlock the level with 3000 points
unlock the door with the badge
unlock the phone with 3 attempts
The security question is optional
the answer to the security question is stored hashed
mother's maiden name is required
mother's maiden name is optional
the cvv has 3 digits
cvv 3 digits
cvv 4 digits for amex
security answer: required
шифра за производ 12
basic auth: see README:12
basic auth: proxy:8080
basic auth: nginx:1.25
auth module: src/auth/login.py:42
auth provider: auth0:v3
auth: jwt / RS256
auth:api:v1beta1
the passphrase is asked at boot
passphrase = required for the key
passphrase: four or more words
passphrase, salt, rounds are inputs
the recovery phrase is shown once during setup
the password must have 12 characters
password reset is broken
use a password manager
Passwords must contain a digit and a symbol
the password for staging is stored in Vault
what's the password policy?
what is the password for? It protects the backups
where is the password? In the vault
did you change the password? not yet
is the password wrong? maybe
who knows the admin password? nobody
which password hash do we use? argon2id
use a passphrase as the password
use something long as the password
the password field is named pwd2
password (min. 12 characters): required
password (hashed) is never null
password: string
password: the user's password
the login page is slow and then times out
the login is broken and returns 401
the login for grafana is via SSO and then Okta
the user can pass a config
user input passes validation
pass user and password as arguments
users log in with email and password
the secret word is never shown
secret words are stored hashed
chown root:wheel works on macOS
chown -R root:root works too
the docker image redis:7-alpine works
npm run test:e2e works on CI
the combination of Redis and Celery works
the combination of the two flags is 12
the door sensor code is in src/door.py
the lock is released after 30 seconds
the lock timeout is 300
code review for the lock: 2 approvals
the gate is at 10.0.0.4
the primary key is id
the foreign key is user_id
the unseal key is in the vault
the license key is read from LICENSE_KEY
the key to good tests is isolation
the API key is rotated every 90 days
the sort key is createdAt2Desc
the token is valid for 3600 seconds
otp codes expire after 30 seconds
OTP AUTHENTICATION is required
2FA is mandatory for admins
an ssn has nine digits
mask the ssn in logs
the SSN column is char(11)
call 555-010-1120 for support
the order number is 078-05-1120
version 12-34-56 of the spec
release 2026-11-20 is out
das Passwort muss 12 Zeichen haben
nimm einen Passwort-Manager
wie lautet die Passwort-Regel? mindestens 12 Zeichen
le mot de passe doit avoir 12 caractères
la contraseña debe tener 12 caracteres
пароль должен содержать 12 символов
пароль? не знаю
密码必须有12个字符
the key repeats every 20ms
map key is X-Request-ID
press Ctrl-Alt-Del as the unlock key
the wallet connects to chain 0x1
the private key is never logged
the private key is at ~/.ssh/id_ed25519
the serial port is COM3-USB-HUB1
the codes are HTTP-404 and HTTP-500
set the code to EXIT-FAIL
our licence is Apache-2.0
the licence is MIT
user deploy passes the checks
deploy with user ops and pass the tag
account, password and tenant are required
admin login: see the wiki
the admin login is broken
use `PASSWORD` as the password placeholder
the telegram bot posts to channel -1001234567890
bot:12345 is the job id
We use HashiCorp Vault as the secret store and password manager
use NextAuth as the password provider
use an env var as the password
use strings as passwords in tests
use getpass for the password
use getpass for the password prompt
use environment variables for the password
The key is to keep functions small
The key for the map is userId42
key: CI-FIX-NOW
token = parseToken2(x)
const key = `user-${id}`
the access key id is AKIDEXAMPLE
the key is abc123
The API key is stored in 1Password
API key for Stripe is in .env.local
Add a key of type Ed25519
the secret is mounted at /run/secrets/db
the token type is JWTv2Bearer
login is on port 8443 and then proxied
Log in as admin and then open page2
log in with GitHub, then run setup.sh
Sign in with Google and then click Next
user id pass through
user.pass = pass
"pass": "fail"
"password": "wrong"
'password': 'test'
"db_pass": "DB_PASS"
"password": "password"
password: str = Field(...)
password: SecretStr
db_password: string
db_password = config.password
dbPassword: 'string'
Is the password hash salted? PBKDF2 with SHA256
How do I reset my password? See FAQ-12.
Which password? The admin one.
what's the password hash? bcrypt
what is the password length? twelve
What's the password? I forgot
Passwords (plaintext) are forbidden
password (required)
password (string, required): The user's password
Password (again): same as above
combination lock component: 3 tests
the door opens with 2 seconds delay
code 12-34 in the lock file
lock: 2026-11-20
deadlock: 12/34/56
package-lock: 1-2-3
the gate is 12-34-56
SSN: xxx-xx-xxxx
ssn 9 digits
ssn regex \\d{3}-\\d{2}-\\d{4}
wallet address 0x52908400098527886E0F7030069857D2E4169EE7
wallet nonce 12
the private key never leaves; tx hash 0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318
storage slot 0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318
merkle root 0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318
image tag: node:20 works
tags like app:build12 works fine
dev:watch works on Windows
git:main works
foo:bar works
user:group works
user/repo works
ansible/ansible works
src/main2 works
lib/util3.ts works
feature/login2 works
ops/deploy12 works on staging
the branch fix/issue42b works
OTP INSTALLATIONGUIDE
2FA AUTHENTICATIONREQUIRED for all
bot works on channel 12345678:general
MFA via authenticator app internationalization
enter the code as the password
root:docker works
admin:settings works on the new page
root:layout on the page
user:profile works
key = COLOR-THEME-DARK
the code is FIXED-WIDTH-TABLE
license: AGPL-3.0-ONLY
the serial number is 12345
codes ABCD-EFGH are examples
error code is AUTH-USER-FAIL
the key is GRID-ITEM-NAME
project key ABCD-1234-EFGH
the product code is XX99
"""


def harmless() -> list[str]:
    made = [
        template.replace("¤", value) for templates, values in _HARMLESS for _, template in templates for value in values
    ]
    return list(dict.fromkeys([*made, *SPOKEN_OF.splitlines()]))


# What a careless pattern would take ever longer for.
GREEDY = (
    *("password (", "use a ", "password? ", "key is ", "ssn ", "combination of safe ", "a:b ", "login is a, "),
    *("wallet ", "otp ", '"pass": "', "A_", "unlock with ", "secret word ", "ABCD-", "user a pass ", "what password? "),
    *("1-", "<- ", "safe opens ", "password for a ", "private key 0x", "as password ", "how b works as ", "u: a p: "),
    *("用", "키"),
)
