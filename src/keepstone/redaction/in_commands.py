"""Shapes of secrets in command lines, connection strings and settings.

Standard library only, for Python 3.9 and later. Every pattern runs in linear time: the text it scans before it fails is
bounded.
"""

from __future__ import annotations

import re

from ..lib.pattern import Pattern
from . import entropy
from .entropy import is_given, is_made, is_named, is_strong, letters_and_digits
from .provider_keys import is_bare_token, shape

_I = re.IGNORECASE
_WORD = r"[\"']?(?P<s>[^\s\"'-][^\s\"']{3,200})"


def _is_password(value: str) -> bool:
    return is_named(value) or letters_and_digits(value) and entropy.is_password(value, False, False, words=False)


def _is_chosen(value: str) -> bool:
    """Tells whether a string looks like a chosen password. Formats, templates and expressions in code do not."""
    if not is_strong(value) or _TEMPLATE.match(value):
        return False
    letters, digits = sum(c.isalpha() for c in value), sum(c.isdigit() for c in value)
    signs = sum(not c.isalnum() and c not in "_.-" for c in value)
    return (
        letters >= 4
        and digits >= 2
        and signs <= 3
        and (set(value) & set("!#$%^&*?") != set() or value != value.lower())
    )


# formats, groups of a pattern, names with a version or an address
_TEMPLATE = Pattern(r".*%[\d.dsfxr]|.*\$\d|[a-z@/_.-]+@|.*@.*\.|.*[_.].*@|\w+@\d{1,3}\Z|#|.*#x\d|\d+#|\w+=")
COMMANDS = (
    # command lines
    shape(
        r"\b(?:curl|wget|https?|xh)\s[^\n]{0,200}?(?<=\s)(?:-u|--user|--proxy-user|-a|--auth)[ =]{0,2}[\"']?"
        r"[^\s:\"']{1,80}:(?P<s>[^\s\"']{3,200})",
        *("curl", "wget", "http", "xh"),
        judge=is_given,
    ),
    shape(
        r"\b(?:mysql\w{0,10}|mariadb\w{0,10}|sshpass|(?:docker|podman|az|helm|oras)\s[^\n]{0,30}?login|redis-cli|"
        r"mongo\w{0,10}|sqlcmd|bcp|cqlsh)\s[^\n]{0,120}?(?<=\s)(?:-p|-a|-P|-p=)[ ]?" + _WORD,
        *("mysql", "mariadb", "sshpass", "login", "redis-cli", "mongo", "sqlcmd", "bcp", "cqlsh"),
        judge=letters_and_digits,
    ),
    shape(r"\bldap\w{2,8}\s[^\n]{0,200}?\s-w\s{0,2}" + _WORD, "ldap", judge=is_given),
    shape(r"\b(?:smbclient|rpcclient|net)\s[^\n]{0,120}?-U\s{0,2}[\"']?[\w\\/.-]{1,60}%(?P<s>[^\s\"']{3,200})", "-u"),
    shape(r"\bnet\s{1,4}use\s[^\n]{0,120}?/user:\S{1,60}\s{1,4}" + _WORD, "/user:", judge=letters_and_digits, flags=_I),
    shape(r"\bnet\s{1,4}use\s[^\n]{0,120}?\s" + _WORD + r"(?=\s{1,4}/user:)", "/user:", judge=_is_password, flags=_I),
    shape(r"\b(?:zip|unzip)\s[^\n]{0,120}?-P\s{0,2}" + _WORD, "zip", judge=letters_and_digits),
    shape(r"\b(?:7z\w?|u?n?rar)\s[^\n]{0,120}?\s-p" + _WORD, "7z", "rar", judge=letters_and_digits),
    shape(
        r"\bopenssl\s[^\n]{0,200}?\s-(?:k|K|pass|passin|passout)\s{1,4}(?:pass:)?" + _WORD,
        "openssl",
        judge=letters_and_digits,
    ),
    shape(r"\bpass:(?P<s>[^\s\"']{4,200})", "pass:", judge=letters_and_digits),
    shape(r"\s-{1,2}(?:store|key|src\w{0,5}|dest\w{0,5})pass\s{1,4}" + _WORD, "pass ", judge=is_given),
    shape(
        r"\b(?:rabbitmqctl\s{1,4}(?:add_user|change_password)|htpasswd\s[^\n]{0,60}?)\s\S{1,60}\s{1,4}" + _WORD,
        "rabbitmqctl",
        "htpasswd",
        judge=letters_and_digits,
    ),
    shape(
        r"\b(?:echo|printf)\s{1,4}(?:-\w\s{1,4})?[\"']?(?:[\w.-]{1,60}:)?(?P<s>[^\s\"'$|:][^\s\"'|]{3,200})[\"']?\s{0,4}\|"
        r"[^\n]{0,120}?(?:--password-stdin|\bsudo\s{1,4}-\w{0,4}S|--passphrase-fd|--with-token|\b(?:ch)?passwd\b|cryptsetup|"
        r"\blogin\b)",
        *("echo", "printf"),
        judge=is_given,
    ),
    shape(
        r"\bexpect\s{1,4}[\"'{][^\n]{0,30}(?:assword|assphrase)[^\n]{0,20}\s{0,40}\{?\s{0,40}send\s{1,4}(?:--\s{1,4})?[\"']"
        r"(?P<s>[^\"'\\\n]{3,200})",
        "expect",
    ),
    shape(r"ConvertTo-SecureString\s{1,4}(?:-String\s{1,4})?[\"'](?P<s>[^\"'\n$]{3,300})", "securestring", flags=_I),
    shape(
        r"\s-(?:u|U|-user|-username)[ =]\s{0,2}\S{1,80}\s[^\n]{0,80}?-(?:p|P|w)\s{0,2}" + _WORD,
        *(" -u ", " --user"),
        judge=_is_password,
    ),
    shape(r"\b(?:signtool|\w?freerdp|mstsc)\s[^\n]{0,120}?/p(?:\s{1,2}|:)" + _WORD, "signtool", "freerdp", "mstsc"),
    shape(r"\bsnmp-server\s{1,4}community\s{1,4}" + _WORD, "snmp-server"),
    shape(
        r"\b(?:echo|printf)\s{1,4}(?:-\w\s{1,4})?[\"'](?P<s>[^\s\"']{7,200})[\"']\s{0,4}\|",
        "echo",
        "printf",
        judge=is_strong,
    ),
    shape(
        r"\b(?:login|auth|authtoken|authenticate|-k|-t|--key)\s{1,4}(?P<s>[\w.+/=-]{20,200})",
        *("login", "auth", "-k", "-t", "--key"),
        judge=is_made,
    ),
    shape(r"\s-setcookie\s{1,4}" + _WORD, "-setcookie"),
    shape(r"\b(?:masterauth|requirepass)\s{1,4}" + _WORD, "masterauth", "requirepass", judge=is_given),
    shape(r"\b(?:secret|password)\s{1,4}[05-9]\s{1,4}" + _WORD, "secret", "password", judge=is_given),
    shape(
        r"(?:secrets?|passwd|htpasswd|credentials|pgpass)\b[^\n]{0,40}\n[\"']?[\w.@-]{1,60}[\"']?"
        r"(?::|[ \t]{1,8}(?:\*[ \t]{1,8})?)" + _WORD,
        *("secret", "passwd", "credentials", "pgpass"),
        judge=_is_password,
    ),
    # calls that take a user and a password, or a text and a key
    shape(
        r"\b(?:getConnection|mysqli\w{0,12}|PDO|\w{0,12}connect|\w{0,6}basic_?auth|HTTPBasicAuth|NetworkCredential|"
        r"UsernamePassword\w{0,20}|auth|login|withCredentials|setAuth)\s{0,2}[=:]?\s{0,2}\(\s{0,4}"
        r"(?:[^()\n,]{1,120},\s{0,4}){1,3}?(?:Some\()?[\"'](?=[^\"'\n]{0,99}\d)(?P<s>[^\"'\n]{4,100})[\"']",
        *("connect", "auth", "mysqli", "pdo", "credential", "usernamepassword", "login"),
        judge=_is_password,
        flags=_I,
    ),
    shape(
        r"\b(?:jwt\.(?:sign|verify|encode|decode)|pgp_sym_\w{2,20}|aes_\w{2,3}crypt|create(?:Hmac|Cipher\w{0,4}))\([^\n]{0,200}?,\s{0,4}[\"'](?P<s>[^\"'\n]{4,200})[\"']",
        *("jwt.", "pgp_sym_", "aes_", "createhmac", "createcipher"),
        judge=lambda v: is_bare_token(v) or is_named(v),
    ),
    shape(r"[:.]auth\(\s{0,4}" + _WORD, "auth(", judge=_is_password),
    shape(
        r"pass[^\n]{0,60}\.(?:type|fill|send_?keys|set_?value|press_sequentially)\([\"'](?P<s>[^\"'\n]{4,100})",
        "pass",
        judge=_is_password,
        flags=_I,
    ),
    shape(
        r"(?:\A|\n)[^\n]{0,60}[-_]password[ \t]{1,8}(?P<s>[^\s\"'<>{}]{6,100})[ \t]{0,8}(?=\n|\Z)",
        "password",
        judge=_is_password,
    ),
    shape(r"SecretKeySpec\(\s{0,4}(?:new String\()?[\"'](?P<s>[^\"'\n]{4,200})", "secretkeyspec"),
    shape(
        r"\bcurl\s[^\n]{0,200}?(?<=\s)(?:-u|--user)[ =]{0,2}[\"']?(?P<s>[\w.-]{16,200}):?(?=[\s\"']|\Z)",
        "curl",
        judge=lambda v: is_made(v.rpartition("_")[2]),
    ),
    # in quotes: letters, digits and a sign that no name has
    shape(r"(?<=[\"'`])(?=[^\"'`\s]{0,40}\d)(?P<s>[\w@+][\w!@#$%^&*?.+-]{7,40})(?=[\"'`])", judge=_is_chosen),
    shape(r"(?<=[\"'])(?P<s>(?:[a-z]{4} ){3}[a-z]{4})(?=[\"'])", " ", judge=lambda v: not entropy.is_worded(v)),
    shape(r"--type\s{1,4}SecureString\b[^\n]{0,80}--value[ =]{1,4}" + _WORD, "securestring"),
    shape(r"\blogin[\"']?\s{0,2}[:=]\s{0,2}[\"']?(?P<s>[0-9a-f]{32,64})\b", "login"),
    shape(
        r"(?:accounts?|private_?keys?|signers?)[\"']?\s{0,2}[:=]\s{0,2}\[\s{0,20}[\"'](?P<s>(?:0x)?[0-9a-f]{64})[\"']",
        *("account", "private", "signer"),
        flags=_I,
    ),
    shape(r"\bauth\s{1,2}(?:sha|md5)\d{0,3}\s{1,2}" + _WORD, "auth ", judge=letters_and_digits),
    shape(r"\bpriv\s{1,2}(?:aes|des|3des)\s{0,2}\d{0,3}\s{1,2}" + _WORD, "priv ", judge=letters_and_digits),
    # connection strings without a scheme
    shape(
        r"[\w.+-]{1,60}@[\w-]{1,60}(?:\.[\w-]{1,60}){1,4}:(?: ?[`\"'])?(?P<s>[^\s\"'`@<>(){}/:,;]{6,60})",
        "@",
        judge=_is_password,
    ),
    shape(
        r"(?<![\w./@-])(?:admin|administrator|root|superuser|user|guest|elastic|postgres|sa|test|demo)\s{0,2}[/:|]\s{0,2}"
        r"(?P<s>[^\s\"'`,;/<>(){}?=]{7,60})",
        *("admin", "root", "user", "guest", "elastic", "postgres", "sa", "test", "demo"),
        judge=lambda v: is_strong(v) or is_named(v) or "-" in v and _is_password(v) and not v.islower(),
    ),
    shape(r"\b(?:thin|oci8?):[\w.-]{1,60}/(?P<s>[^\s\"'`]{3,200})(?=@[/\w])", "thin:", "oci"),
    shape(
        r"(?<![\w./@:-])(?!jdbc:|npm:)[\w.-]{1,60}[:/](?P<s>(?!//)[^\s\"'`@<>(){}]{4,200})"
        r"@(?:(?:tcp|unix)\(|//|\(description|[\w.-]{1,100}:\d{2,5}(?![\w.:]))",
        "@",
        judge=letters_and_digits,
        flags=_I,
    ),
    shape(
        r"(?<![\w./@:-])(?!jdbc:|npm:)[\w.-]{1,60}[:/](?P<s>[^\s\"'`@<>(){}]{6,200})@[\w-]{1,60}(?:\.[\w-]{1,60})+",
        "@",
        judge=lambda v: is_strong(v) or is_made(v),
    ),
    shape(
        r"\b(?:sqlplus|sqlldr|expdp|impdp|rman)\s[^\n]{0,60}?[\w.-]{1,60}/(?P<s>[^\s\"'@/]{3,200})@",
        *("sqlplus", "sqlldr", "expdp", "impdp", "rman"),
    ),
    shape(
        r"(?<![\w.:*-])(?:[\w.-]{1,100}|\*):(?:\d{2,5}|\*):(?:[\w-]{1,60}|\*):[\w.-]{1,60}:(?P<s>[^\s:\"'`]{4,200})",
        ":",
        judge=letters_and_digits,
    ),
    # files
    shape(r"\blogin\s{1,20}\S{1,200}\s{1,20}password\s{1,20}(?P<s>\S{3,300})", "password", judge=is_given, flags=_I),
    shape(
        r"\"(?:auth|identitytoken|registrytoken)\\?\"\s{0,4}:\s{0,4}\\?\"(?P<s>[A-Za-z0-9+/_.-]{8,}={0,2})",
        *("auth", "token"),
        judge=lambda v: entropy.mixed(v, True),
    ),
    shape(
        r"_(?:auth|authToken|password)[\"']?\s{0,4}=\s{0,4}[\"']?(?P<s>[^\s\"'`]{6,})",
        *("_auth", "_password"),
        judge=is_bare_token,
    ),
    shape(
        r"(?:\b[dD]ata|Data):[ \t]{0,4}\n"
        r"(?P<s>(?:[ \t]{1,12}[\w.-]{1,80}:[ \t]{1,4}[^\s<${][^\n]{3,4000}(?:\n|\Z)){1,40})",
        "kind: secret",
    ),
    shape(r"LS0tLS1CRUdJTi(?!BDRVJU|BQVUJM)[A-Za-z0-9+/=]{16,}", "ls0tls1crudjti"),
    shape(r"\bWIFI:(?:[TSH]:[^;\n]{0,64};){0,3}P:(?P<s>[^;\n]{4,80})", "wifi:"),
    shape(r"\$(?:apr1|[156y]|2[abxy]|argon2\w{0,2})\$[^\s:\"'`]{10,300}", "$"),
    shape(
        r"(?:\A|\n)(?=[^\n]{0,200}\b(?:password|passwd|secret|token)s?\b)[\w-]{1,30}(?:[,;\t][\w-]{1,30}){1,12}\r?\n"
        r"(?P<s>(?:[^\s,;]{1,100}[,;\t][^\n]{1,400}(?:\n|\Z)){1,200})",
        *("password", "passwd", "secret", "token"),
        judge=lambda v: any(c.isdigit() for c in v),
        flags=_I,
    ),
    shape(
        r"\|[^\n|]{0,40}(?:\|[^\n|]{0,40}){0,8}\b(?:password|passwd|secret|token|pw)\b[^\n]{0,100}\n[|:\s-]{3,200}\n"
        r"(?P<s>(?:\|[^\n]{1,300}(?:\n|\Z)){1,60})",
        "|",
        judge=lambda v: any(c.isdigit() for c in v),
        flags=_I,
    ),
    # databases
    shape(
        r"\bidentified\s{1,4}(?:with\s{1,4}\w{1,40}\s{1,4})?(?:by|as)\s{1,4}(?:password\s{1,4})?[\"'](?P<s>[^\"'\n]{3,300})",
        "identified",
        flags=_I,
    ),
    shape(
        r"\binsert\s{1,4}into\s[^()\n]{1,100}\([^()]{0,300}(?:pass|secret|token)[^()]{0,300}\)\s{0,4}values\s{0,4}"
        r"\((?P<s>[^()]{3,600})",
        "insert",
        judge=lambda v: "'" in v or '"' in v,
        flags=_I,
    ),
    # codes given to people
    shape(
        r"(?<![\w-])(?:[A-Z0-9]{4,6}-){3,7}[A-Z0-9]{4,6}(?![\w-])",
        "-",
        judge=lambda v: sum(c.isdigit() for c in v) >= 3 and sum(c.isalpha() for c in v) >= 3,
    ),
)
