"""Shapes of secrets in sentences that give them away in another order or by another name: the value before the word for
it, the answer to a question, a pair that "works", a key of few characters, a combination, a person's number.

Standard library only, for Python 3.9 and later. Every pattern runs in linear time: the text it scans before it fails is
bounded.
"""

from __future__ import annotations

import re

from ..lib.pattern import Pattern
from . import entropy
from .languages import (
    ACCESS,
    ACCESS_HINTS,
    AND,
    ASKS,
    COMBINATION,
    IS,
    IS_WORD,
    KEY,
    KEY_HINTS,
    LATIN,
    LATIN_HINTS,
    LOGIN,
    LOGIN_HINTS,
    MADE_ONE,
    OTHER,
    OTHER_HINTS,
    PASSWORD,
    SAFE,
    SAFE_HINTS,
    SECRET_WORD,
    SECRET_WORD_HINTS,
    WORKS,
    is_word,
)
from .provider_keys import shape
from .worded import is_chosen, is_sure

_I = re.IGNORECASE
_HINTS = ("pass", "pw", *LATIN_HINTS, *OTHER_HINTS, *SECRET_WORD_HINTS)
_NAME = rf"(?:(?<![^\W_])(?:{PASSWORD}|{LATIN}|{SECRET_WORD})(?![^\W\d_])|{OTHER})"
_NOUN = r"(?:password|passwd|passphrase|passcode|pwd|pw|pass(?! (?:in|on|to|by|at|through|and|it)\b))"
_QUOTE = r"[\"'`]"
_VALUE = rf"{_QUOTE}?(?P<s>[^\s\"'`,;]{{4,59}}[^\s\"'`,;.:)])"
_LETTERS = r"[^\W\d_]{4,24}(?:[-_][^\W\d_]{3,24}){0,3}"
_ASCII = rf"{_QUOTE}?(?P<s>[!#-&(-+.-:<-_a-~-]{{5,60}}){_QUOTE}?"  # between letters of another script
_USER = r"[\w.@+-]{2,60}"
# What a password is for, and what stands in brackets after the word: "password (prod)".
_FOR = (
    r"(?: (?:for|to|of|on|at|in|für|fürs|von|vom|zu|zum|de|del|della|du|da|do|para|pour|per|voor|od|till|для|от|к) "
    r"[^\n,.:;=?()]{1,40}?)"
)
_ASIDE = r"(?: ?[(\[][^()\[\]\n]{1,40}[)\]])"
_OWNERS = (
    r"(?:(?:the|our|my|your|his|her|their|this|an?|das|dem|unser|mein|le|la|mon|notre|el|il|o|a|het|наш\w?|"
    r"[\w-]{1,20}'s) )?"
)
# The clause ends, or goes on with something else than what a password has: a field, a manager, a policy.
_OVER = (
    r"(?=[\"'`)]?[ \t]{0,4}(?:[.,;:!?)\]\n]|\Z)| (?:for|on|of|in|at|to|and|or|until|till|from|when|if|but|so|"
    r"everywhere|"
    r"there|here|now|then|too|again|by|because|since|with|please|is|works?|für|auf|am|im|und|pour|sur|du|de|et|para|"
    r"del|en|y|per|"
    r"del|e|no|na|voor|op|do|till|для|на|в|от|и)\b)"
)
_YES = r"(?:(?:yes|yep|yeah|sure|ok|a|answer|ja|oui|s[ií]|да)[,.:!] )?"
_ENDS = r"(?=[\"'`]?[ \t]{0,4}(?:[.,;!)\]](?:\s|\Z)|\n|\Z)| (?:and|but|so|since|because|btw|please|[-—–(]))"
# What may stand before "as the password" and is none: what gives one.
_GIVERS = frozenset(
    "address agent bitwarden book cert certificate cookie dashlane date digest domain email file filename "
    "fingerprint hostname identifier keepass keyring lastpass login mail method name nickname nothing number oauth "
    "onepassword openid passkey passkeys phone placeholder prefix saml serial session something sops standard state "
    "stdin storage store string suffix surname totp uuid value variable vault webauthn".split()
)
_ANSWERS = frozenset(
    "absolutely anybody anyone anything cheers click colleagues correct eight eleven everyone exactly fifteen folks "
    "fourteen hello hmmm idea never nine none nope please remember right seems seven sixteen sorry still sure ten "
    "thank thanks thirteen this try twelve twenty well yeah yes".split()
)
_TICKET = Pattern(r"[A-Z]{2,10}-\d+[.!]?\Z|[A-Za-z]{0,3}#?\d+[.!]?\Z|v?\d+(?:\.\d+)+")
# Short words that a quoted field named for a password holds without being one.
_SHORT = frozenset(
    "auth bool char fail file from hash hide html json link main mode next none null pass path read same show skip "
    "some stub temp test text that this true type user uuid view void when word with your enum atom data "
    "fake bytes".split()
)


def _is_picked(value: str) -> bool:
    """Tells whether a value that is made a password is one, plain words too."""
    return is_chosen(value) or is_word(value) and value.lower() not in _GIVERS


def _is_answer(value: str) -> bool:
    """Tells whether what follows a question is a password, and no ticket, version or algorithm."""
    return is_chosen(value) and not _TICKET.match(value)


def _is_short(value: str) -> bool:
    """Tells whether a value is a word, of four letters too, that can be a password."""
    plain = value.lower()
    return value.isalpha() and plain not in _SHORT and plain not in _GIVERS and is_word(value.ljust(5, "x"))


def _is_plain(value: str) -> bool:
    return is_word(value, foreign=True) or len(value) == 4 and _is_short(value)


def is_key(value: str) -> bool:
    """Tells whether letters and digits of a short value alternate as in no name: `hF3kQ9zT`."""
    if not entropy.is_given(value) or not value.isascii() or not any(c.isdigit() for c in value):
        return False
    plain = value.rstrip("=")
    if len(plain) >= 16 and entropy.mixed(plain, hex_too=True):
        return True
    return plain.isalnum() and any(c.isalpha() for c in plain) and entropy.alternates(plain)


def _is_grouped(value: str) -> bool:
    """Tells whether groups of a key are equally long and spell nothing."""
    groups = value.split("-")
    return len({len(group) for group in groups}) == 1 and (
        any(c.isdigit() for c in value) or not entropy.is_worded(value)
    )


def _is_seed(value: str) -> bool:
    return sum(c in "234567" for c in value) >= 1 and not value.isdigit() or not entropy.is_worded(value)


# Owners and groups of files are written like a user and a password.
_NO_OWNER = r"(?<![\w./@:-])(?<!chown )(?<! -R )(?<! as )(?<!owner )(?<!group )(?<!owned by )"
_GROUP = (
    r"(?:(?<!toor:)root|reset|create|build|test|seed|migrate|start|deploy|watch|wheel|docker|staff|adm|admin|users?|"
    r"daemon|nogroup|system|shadow|www|disk|sudo|video|audio|tty)"
)
_KNOWN = r"(?:root|admin|administrator|guest|toor|superuser|pi|sa|ubuntu)"
_DEVICE = (
    r"(?:box|boxes|server|switch|switches|router|machine|host|vm|nas|pi|camera|cameras|board|device|printer|bmc|idrac|"
    r"ilo|lab|"
    r"node|laptop|desktop|phone|phones|appliance|firewall|ap|access points?|modem|plc|scope|rig)\b"
)
_GROUPS = r"(?P<s>[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){2,7})(?![\w-])"
_NUMBER_OF = r"(?: (?:number|no\.?|nr\.?|#|id))?[^\n\w]{0,3}(?:(?:is|was|ist|est|es|è|é|jest|är|:|=)[^\n\w]{1,3})?"

GIVEN_AWAY = (
    # the value before the word for it: "use brightanvil as the admin password"
    shape(
        rf"\b(?:us(?:e[sd]?|ing)|enter(?:ed)?|type|takes?|set|try|ch[oo]{{1,2}}se|chosen|pick(?:ed)?|ke(?:ep|pt)|put|"
        rf"ha(?:ve|s|d)|"
        rf"remember|note|configured?|register|add|assign|"
        rf"ma[kd]e|got|gave|gives?|with|want|is) (?:just |simply |only |the (?:word|string|value) )?"
        rf"{_VALUE}{_QUOTE}? (?:(?:there|here|now|again|everywhere) )?(?:as|to be)"
        rf" {_OWNERS}(?:[\w.'-]{{1,30}} ){{0,4}}?(?:{_NOUN}|{SECRET_WORD}|pin){_OVER}",
        *("pass", "pw", "word", "phrase", "pin"),
        judge=_is_picked,
        flags=_I,
    ),
    shape(
        rf"\b(?:use|using|enter|type|try|take|set) (?:just |simply )?(?:(?=[\"'`])|(?=\S{{0,40}}\d)){_VALUE}{_QUOTE}? "
        rf"for {_OWNERS}(?:[\w.'-]{{1,30}} ){{0,4}}?(?:{_NOUN}|{SECRET_WORD}){_OVER}",
        *("pass", "pw", "word", "phrase"),
        judge=_is_picked,
        flags=_I,
    ),
    shape(
        rf"{_QUOTE}(?P<s>[^\s\"'`,;]{{5,60}}){_QUOTE},? (?:as|to be|becomes|is|was|remains|(?:should|will|can|may|"
        rf"must) be) {_OWNERS}(?:[\w.'-]{{1,30}} ){{0,4}}?"
        rf"(?:{_NOUN}|{SECRET_WORD}){_OVER}",
        *("pass", "pw", "word", "phrase"),
        judge=_is_picked,
        flags=_I,
    ),
    shape(
        rf"\b(?:make|made) {_VALUE}{_QUOTE}? (?:the|our|my|your) (?:[\w.'-]{{1,30}} ){{0,3}}?{_NOUN}{_OVER}",
        *("pass", "pw"),
        judge=_is_picked,
        flags=_I,
    ),
    shape(
        rf"(?<!\S){_VALUE}{_QUOTE}? (?:is|was|should be|will be|is what|becomes?|<-+|<=+|←|=)(?: (?:we|I|they|you)"
        rf" \w{{2,8}})? "
        rf"(?:as )?{_OWNERS}(?:[\w.'-]{{1,30}} ){{0,4}}?(?:{_NOUN}|{SECRET_WORD}){_OVER}",
        *("pass", "pw", "word", "phrase"),
        judge=_is_answer,
        flags=_I,
    ),
    shape(
        rf"(?:\A|\n)[ \t]{{0,8}}(?P<s>[a-z]{{5,24}}) (?:<-+|<=+|←|=) {_OWNERS}(?:[\w.'-]{{1,30}} ){{1,3}}?{_NOUN}"
        r"(?=[.!]?[ \t]{0,4}(?:\n|\Z))",
        *("pass", "pw"),
        judge=lambda v: is_word(v) and v not in _GIVERS,
    ),
    shape(
        rf"(?:\A|\n|[.,:;!] ){_VALUE}{_QUOTE}? (?:(?:should|will|also|still|might) )?works? as {_OWNERS}"
        rf"(?:[\w.'-]{{1,30}} ){{0,3}}?(?:{_NOUN}|{SECRET_WORD}){_OVER}",
        *("pass", "pw", "word", "phrase"),
        judge=_is_picked,
        flags=_I,
    ),
    shape(
        rf"(?<![^\W_]){_NOUN}{_FOR}? (?:shall be|is going to be|is set to|got set to)"
        rf" {_QUOTE}?(?P<s>{_LETTERS}){_ENDS}",
        *("pass", "pw"),
        judge=is_word,
        flags=_I,
    ),
    shape(
        rf"\blet {_OWNERS}(?:[\w.'-]{{1,30}} ){{0,3}}?{_NOUN}{_FOR}? be {_VALUE}",
        *("pass", "pw"),
        judge=_is_picked,
        flags=_I,
    ),
    *(
        shape(
            rf"(?<![^\W_]){first} {_VALUE}{_QUOTE}? (?:{between}) {_OWNERS}(?:[\w.'-]{{1,30}}[ -]){{0,3}}?"
            rf"(?:{PASSWORD}|{LATIN}|{OTHER}|{SECRET_WORD}){_OVER}",
            *(f" {word} " for word in between.split("|")),
            judge=_is_picked,
            flags=_I,
        )
        for first, between in MADE_ONE
    ),
    *(
        shape(pattern, *OTHER_HINTS, judge=_is_picked)
        for pattern in (
            rf"(?:用|把|将|以)\s?{_ASCII}\s?(?:作为|当作?|做|设为|设成|为)[^\n!-~]{{0,12}}?{OTHER}",
            rf"(?:パスワード|密码|비밀번호)(?:として|には?|를|로)\s?{_ASCII}",
            rf"(?<![\w.-]){_ASCII}\s?(?:をパスワードに|を[^\n!-~]{{0,12}}パスワードとして|"
            rf"[을를] (?:[^\n!-~]{{0,12}} )?비밀번호로)",
        )
    ),
    # a name with what it is for: "PW for staging = tulip", "password (prod): Moon-77-River"
    shape(
        rf"{_NAME}(?:{_FOR}{_ASIDE}?|{_ASIDE})\s{{0,2}}(?:[:=>|~–—-]{{1,3}}| {IS}\b)\s{{0,2}}{_VALUE}",
        *_HINTS,
        judge=is_chosen,
        flags=_I,
    ),
    shape(
        rf"{_NAME}(?:{_FOR}{_ASIDE}?|{_ASIDE})\s{{0,2}}(?:[:=>|~–—-]{{1,3}}| {IS_WORD}\b)\s{{0,2}}"
        rf"{_QUOTE}?(?P<s>{_LETTERS}){_ENDS}",
        *_HINTS,
        judge=_is_plain,
        flags=_I,
    ),
    shape(
        rf"(?<![^\W_])(?:{PASSWORD}|{LATIN})(?: [\w.-]{{1,20}}){{1,2}} ?[:=] {_VALUE}",
        *_HINTS,
        judge=is_chosen,
        flags=_I,
    ),
    shape(
        rf"(?<![^\W_])(?:pw|pwd|passwd)(?: [\w.-]{{1,20}}){{1,2}} ?[:=] {_QUOTE}?(?P<s>{_LETTERS}){_ENDS}",
        *("pw", "passwd"),
        judge=_is_plain,
        flags=_I,
    ),
    shape(
        rf"(?<![^\W_])(?:pw|pwd|passwd|passphrase|passcode|{SECRET_WORD}) ?(?:=|:| is\b)\s{{0,2}}"
        rf"{_QUOTE}?(?P<s>{_LETTERS}){_ENDS}",
        *("pw", "passwd", "passphrase", "passcode", *SECRET_WORD_HINTS),
        judge=is_word,
        flags=_I,
    ),
    shape(
        rf"(?:\A|\n|[.!?;] |[-*] )(?i:password|kennwort|passwort) ?[:=] ?{_QUOTE}?(?P<s>[a-z]{{5,24}})"
        r"(?=[ \t]{0,4}[.!]?(?:\n|\Z))",
        *("password", "kennwort", "passwort"),
        judge=lambda v: is_word(v, foreign=True) and v not in _GIVERS,
    ),
    # in a field with quotes even a short word
    shape(
        r"[\"'](?:[a-z]\w{0,30}[_-]|pg|db|my|ssh|smtp|redis|mysql)?(?:pass|pwd|pw|passwd|password|passphrase)"
        r"[\"']\s{0,4}(?::|=>?)\s{0,4}"
        r"[\"'](?P<s>[^\W\d_]{4,24})[\"']",
        *("pass", "pw"),
        judge=_is_short,
        flags=_I,
    ),
    shape(
        r"(?<![\w.])[a-z]\w{0,30}[_-](?:pass|pwd|pw|passwd|password|passphrase)(?: = | ?: |=)"
        r"[\"'](?P<s>[^\W\d_]{4,24})[\"']",
        *("pass", "pw"),
        judge=_is_short,
        flags=_I,
    ),
    shape(
        r"(?<![\w.])[a-z]{1,20}(?:Pass|Pwd|Pw|Passwd|Password|Passphrase)[\"']?(?: ?: ?| ?= ?)"
        r"[\"'](?P<s>[^\W\d_]{4,24})[\"']",
        *("pass", "pw"),
        judge=_is_short,
    ),
    shape(
        r"(?<![\w.])(?:(?:[A-Z][A-Z0-9]{0,20}_){1,5}|PG|DB|SSH|SUDO|SMTP|MYSQL_|REDISCLI_)(?:PASS|PWD|PW|PASSWD|"
        r"PASSWORD|PASSPHRASE)=(?P<s>[^\W\d_]{4,24})(?=\s|\Z)",
        *("pass", "pw"),
        judge=_is_short,
    ),
    shape(
        r"(?:\A|\n)[ \t]{0,20}(?:[a-z]\w{0,30}[_-])(?:pass|pwd|pw|passwd|password)(?: ?: | ?= ?)(?P<s>[a-z]{4,24})"
        r"(?=[ \t]{0,4}(?:\n|\Z))",
        *("pass", "pw"),
        judge=lambda v: _is_short(v) and is_word(v.ljust(5, "x"), foreign=True),
    ),
    # the answer to a question: "the sudo password on the pi? raspberry99"
    shape(
        rf"{_NAME}[^\n?]{{0,60}}\?[\"')]{{0,2}}\s{{1,3}}{_YES}(?:(?:it'?s|it is|that'?s|that is|try|use|das ist|"
        rf"es ist|c'est|es|è|é|"
        rf"это|[-—–>]) )?{_VALUE}{_ENDS}",
        *_HINTS,
        judge=_is_answer,
        flags=_I,
    ),
    shape(
        rf"\b{ASKS}[^\n?]{{0,60}}{_NAME}(?:{_FOR}| (?:does|do|did|is|was|again|there|then)"
        rf"\b[^\n?]{{0,40}})? ?\?[\"')]{{0,2}}\s{{1,3}}{_YES}(?:(?:it'?s|it is|that'?s|that is) )?"
        rf"{_QUOTE}?(?P<s>{_LETTERS})(?=[\"'`]?[.!]?[ \t]{{0,4}}(?:\n|\Z))",
        *_HINTS,
        judge=lambda v: is_word(v, foreign=True) and v.lower() not in _ANSWERS,
        flags=_I,
    ),
    shape(
        rf"[:=] {_USER},? (?:and )?then {_VALUE}",
        "then",
        judge=is_sure,
        flags=_I,
    ),
    # a user and a password: "the login is ops and then Winter!2026", "login: root, secret word lemonade9"
    shape(
        rf"(?<![^\W_])(?:{ACCESS}(?![a-zà-ÿ])[^\n:=]{{0,40}}?(?:[:=]| {IS})|{LOGIN}(?![a-zà-ÿ])"
        rf"[^\n:=]{{0,40}}? (?:with|as|mit|"
        rf"als|avec|con|com|met|jako|как))\s{{1,2}}{_USER}"
        rf"(?:,? (?:{AND} )?(?:then|after that|followed by|next|dann|danach|puis|ensuite|luego|después|poi|depois|dan|"
        rf"потом|затем)|,? {AND}| /|,)\s{{1,2}}(?:(?:type|enter|use|gib) )?(?:the )?(?:{_NAME}\s?:?\s)?(?!\*){_VALUE}",
        *ACCESS_HINTS,
        *LOGIN_HINTS,
        judge=is_chosen,
        flags=_I,
    ),
    shape(
        rf"(?<![^\W_])(?:user|username|uname|uid|login|account|acct|admin|root|id|u)[ :=]{{1,2}}{_USER}(?:,| /| \||;)? "
        rf"(?:{AND} )?(?:the )?(?:{PASSWORD}|(?<=, )secret|p)[ :=]{{1,2}}{_VALUE}",
        *("user", "uname", "id", "login", "acc", "admin", "root", "u:", "u="),
        judge=is_chosen,
        flags=_I,
    ),
    shape(
        rf"(?<![^\W_])(?:user|username|login) (?!and |or |input |must |can |with )(?P<u>[\w.@+-]{{2,30}})(?:,| /|:|;)? "
        rf"(?:pw|pwd|passwd) {_QUOTE}?(?P<s>{_LETTERS}){_ENDS}",
        *("user", "login"),
        judge=is_word,
        flags=_I,
    ),
    shape(
        rf"{SECRET_WORD}(?: ?[:=]| {IS}|,)?\s{{1,2}}{_VALUE}",
        *SECRET_WORD_HINTS,
        judge=is_chosen,
        flags=_I,
    ),
    # a pair that works: "root:toor works on the lab box"
    shape(
        rf"(?<![\w./@:-])(?<!tag )(?<!like )(?<!image )(?<!script )(?<!run )(?<!task )(?<!target )"
        rf"(?!(?:chown|chgrp|npm|yarn|pnpm|make|rake|redis|node|python|postgres|localhost)\b)(?:[a-z][\w.-]{{1,30}}:|"
        rf"{_KNOWN}/)"
        rf"(?P<s>(?!\d+(?:[.-]|\b))[^\s:/,;\"'`(){{}}]{{5,40}}?)[\"'`]?(?:,? (?:it|that|this))? {WORKS}",
        *(":", "/"),
        judge=_is_answer,
        flags=_I,
    ),
    shape(
        rf"{_NO_OWNER}(?:root|administrator|toor|superuser):(?P<s>(?!{_GROUP}\b)[a-z]{{4,24}})"
        rf"[\"'`]?(?: \w{{1,12}})? {WORKS}",
        *("root:", "administrator:", "toor:", "superuser:"),
        flags=_I,
    ),
    shape(
        rf"{_NO_OWNER}{_KNOWN}:(?P<s>(?!{_GROUP}\b)[a-z]{{4,24}})[\"'`]?(?: {WORKS})?"
        rf" (?:on|for|in) (?:the|our|my|all|every|any|each) (?:[\w-]{{1,20}} ){{0,3}}?{_DEVICE}",
        *("root:", "admin", "guest:", "pi:", "sa:", "toor:", "superuser:", "ubuntu:"),
        flags=_I,
    ),
    shape(
        rf"{_NO_OWNER}(?P<u>[a-z][a-z0-9]{{1,20}}):(?P<s>(?!root)(?P=u)|password|passwd|secret|toor|changeme|letmein|"
        rf"qwerty|raspberry)[\"'`]? {WORKS}",
        ":",
        flags=_I,
    ),
    shape(
        rf"{_NO_OWNER}{_KNOWN}/(?P<s>toor|changeme|letmein|qwerty|raspberry)[\"'`]? {WORKS}",
        *("toor", "changeme", "letmein", "qwerty", "raspberry"),
        flags=_I,
    ),
    shape(
        rf"\b(?:log ?in|sign in|ssh in|logged in|get in|log on|creds?|credentials|login|box|server|switch|router|"
        rf"machine|host|nas|pi|"
        rf"it|host|vm|device|board)(?: \w{{1,20}}){{0,4}}? "
        rf"(?:with|as|using|are|is|takes|accepts|wants|expects|try|use) {_QUOTE}?(?:root|admin|administrator|guest|pi|"
        rf"sa|toor|ops|deploy):(?P<s>[a-z]{{4,24}}){_ENDS}",
        *("root:", "admin:", "guest:", "pi:", "sa:", "toor:", "ops:", "deploy:", "administrator:"),
        judge=lambda v: v not in ("wheel", "docker", "staff", "users", "group"),
        flags=_I,
    ),
    # keys: of few characters, in groups, seeds of authenticators
    shape(
        rf"(?<![^\W_])(?<!public )(?<!primary )(?<!foreign )(?<!object )(?<!cache )(?:{KEY}|tokens?|secrets?|"
        rf"(?:access|unseal|"
        rf"unlock|activation|recovery|invite|licen[cs]e|product|pairing) codes?)(?![a-zà-ÿа-я])"
        rf"(?: #?\d{{1,2}})?(?: [a-zà-ÿа-я]{{3,14}})?(?:{_FOR}|{_ASIDE}){{0,2}}\s?"
        rf"(?:[:=>–—-]{{1,2}}| {IS}\b|[是为はが])\s{{0,2}}(?:now )?{_QUOTE}?"
        r"(?P<s>[A-Za-z0-9+/_=-]{7,60})(?=[\"'`]?(?:[\s.,;!?)]|\Z))",
        *KEY_HINTS,
        *("token", "secret", "code"),
        judge=is_key,
        flags=_I,
    ),
    shape(
        r"\b(?:unseal|unlock|master|recovery|activation|licen[cs]e|product|signing|encryption|access|secret|root|api|"
        r"seal)"
        r"(?:ed|ing|s)?(?: it)?(?: (?:keys?|codes?|tokens?)(?: #?\d{1,2})?| with)(?: the key)? [\"'`]?"
        r"(?P<s>[A-Za-z0-9+/_=-]{7,60})(?=[\"'`]?(?:[\s.,;!?)]|\Z))",
        *("seal", "lock", "key", "code", "token"),
        judge=is_key,
        flags=_I,
    ),
    shape(
        rf"(?i:\b(?:unlock|activate|register|redeem|unseal)(?:ed|d|s|ing)?\b[^\n]{{0,40}}? with ){_QUOTE}?{_GROUPS}",
        "-",
        judge=_is_grouped,
    ),
    shape(
        rf"(?i:(?<![^\W_])(?:{KEY}|licen[cs]e|lizenz|licencia|licenza|licença|serial|activation|product|unlock|"
        rf"recovery|"
        rf"registration|volume|лиценз\w{{1,3}}|许可证|ライセンス|password|passwort|codes?)(?![^\W\d_])"
        rf"[^\n]{{0,80}}?(?:[:=>]| {IS}|[是为はが]| number| no\.?| key| code)\s{{0,2}}){_QUOTE}?{_GROUPS}",
        "-",
        judge=_is_grouped,
    ),
    shape(
        r"(?i:(?<![^\W_])(?:h?otp|totp|2fa|mfa|authenticator|two[- ]factor|second factor|zwei-?faktor|authentificateur|"
        r"autenticador|autenticatore|uwierzytelni\w{1,5}|аутентификатор\w{0,2}|二次验证|验证器|認証アプリ)(?![^\W\d_])"
        r"[^\n]{0,60}?(?:[\s:=]))[\"'`]?(?P<s>[A-Z2-7]{16,64}={0,6}|[a-z2-7]{16,64})(?![\w-])",
        *("otp", "2fa", "mfa", "authenti", "factor", "faktor", "autenti", "uwierzyt", "аутент", "验证", "認証"),
        judge=_is_seed,
    ),
    shape(
        r"(?i:(?<![^\W_])(?:private key|privkey|priv key|wallet|mnemonic|metamask|ledger|seed|privater? schl[üu]ssel|"
        r"cl[ée] priv[ée]e|clave privada|chiave privata|chave privada|приватн\w{2} ключ\w?|закрыт\w{2} ключ\w?|"
        r"(?:eth\w{0,6}|evm|hardhat|ganache|anvil|foundry|signer|signing|deployer|validator)(?: \w{1,12}){0,2}[ _-]key)"
        r"|私钥|秘密鍵|개인 ?키)"
        r"(?:(?!(?<![^\W_])(?i:txn?|txid|transaction|hash|block|receipt|digest|bytecode|topic|commit|sha256)(?![^\W_]))"
        r"[^\n]){0,80}?(?<![\w/])(?P<s>0x[0-9a-fA-F]{64})(?![0-9a-fA-F])",
        "0x",
    ),
    # a combination: "the combination of the safe is 12-34-56"
    shape(
        rf"(?<![^\W_])(?:{COMBINATION}[^\n:=\d]{{0,40}}?{SAFE}|{SAFE}(?:'s)? ?{COMBINATION})(?![a-zà-ÿа-я])"
        rf"[^\n:=\d]{{0,20}}?"
        rf"(?:[:=>–—-]| {IS}\b|[是为は])\s{{0,2}}(?:now )?(?P<s>\d{{1,2}}(?:\s?[-/,. ]\s?\d{{1,2}}){{2,5}}|\d{{3,10}})"
        rf"(?![\w-])",
        *SAFE_HINTS,
        flags=_I,
    ),
    shape(
        rf"(?<![\w-])(?:{SAFE} (?:opens?|unlocks?) with|(?:safe|vault|locker|padlock|tresor)(?::| is)|combinations?|"
        rf"combos?) "
        r"(?P<s>\d{1,2}(?:[-/]\d{1,2}){2,5})(?![\w-])",
        *SAFE_HINTS,
        flags=_I,
    ),
    shape(
        rf"(?<![\w-]){SAFE} (?:code|combination|combo|pin) (?P<s>\d{{4,8}})(?![\w.-])",
        *("code", "combination", "combo", "pin"),
        flags=_I,
    ),
    # a person's number
    shape(
        rf"\b(?:ssns?|social security)(?: number| no\.?| #)?{_NUMBER_OF}(?P<s>\d{{3}}[- ]?\d{{2}}[- ]?\d{{4}})"
        rf"(?![\w-])",
        *("ssn", "social"),
        flags=_I,
    ),
    shape(
        r"\b(?:ssns?|social)\b[^\n]{0,40}?(?<![\w-])(?P<s>\d{3}-\d{2}-\d{4})(?![\w-])",
        *("ssn", "social"),
        flags=_I,
    ),
    shape(
        r"(?<![^\W_])(?:sozialversicherungsnummer|sv-nummer|steuer-?id|steuernummer|"
        r"num[ée]ro de s[ée]curit[ée] sociale|"
        r"n[°º] ?s[ée]cu|nir|dni|nie|nif|codice fiscale|cpf|rg|bsn|burgerservicenummer|pesel|personnummer|cpr|"
        r"f[øo]dselsnummer|tc kimlik(?: no)?|снилс|инн|паспорт|身份证号?码?|マイナンバー|주민등록번호|aadhaar|"
        r"national insurance(?: number)?|passport(?: number| no\.?)|driver'?s licen[cs]e(?: number| no\.?))"
        rf"{_NUMBER_OF}[:：]?\s?(?P<s>(?=[A-Z\d .-]{{0,20}}\d[A-Z\d .-]{{0,4}}\d)[A-Z\d](?:[ .-]?[A-Z\d]){{7,19}})"
        rf"(?![\w-])",
        *(
            "nummer",
            "steuer",
            "curit",
            "sécu",
            "secu",
            "nir",
            "dni",
            "nie",
            "nif",
            "fiscale",
            "cpf",
            "rg",
            "bsn",
            "pesel",
        ),
        *(
            "cpr",
            "kimlik",
            "снилс",
            "инн",
            "паспорт",
            "身份证",
            "マイナ",
            "주민",
            "aadhaar",
            "insurance",
            "passport",
            "driver",
        ),
        judge=lambda v: sum(c.isdigit() for c in v) >= 6,
        flags=_I,
    ),
)
