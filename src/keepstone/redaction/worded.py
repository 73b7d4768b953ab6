"""Shapes of secrets next to the words for them of several languages: a password that may be a plain word, a user with a
password, a PIN, the words of a wallet.

Standard library only, for Python 3.9 and later. Every pattern runs in linear time: the text it scans before it fails is
bounded.
"""

from __future__ import annotations

import re
from functools import partial

from ..lib.pattern import Pattern
from . import entropy
from .entropy import is_given, is_jumbled, is_named, is_strong
from .languages import (
    ACCESS,
    ACCESS_HINTS,
    AND,
    CHANGED,
    IS,
    IS_WORD,
    LATIN,
    LATIN_HINTS,
    LOGIN,
    LOGIN_HINTS,
    OTHER,
    OTHER_HINTS,
    PASSWORD,
    TO,
    is_word,
)
from .provider_keys import shape

_I = re.IGNORECASE
_ENDS = ".,;:!?)]}"
_VALUE = r"[\"'`(]?(?P<s>[^\s\"'`,;]{5,60})"
# After a word that is a password: the clause ends.
_CLAUSE = (
    r"(?=[\"'`]?(?:[.,;!?)\]](?:[\s\"'`)]|\Z)|[ \t]{0,4}(?:\n|\Z)|"
    r" (?:[-—–]|and|but|or|so|for|on|from|since|because|btw|please|und|aber|für|auf|et|pour|sur|y|para|e|per|i|и|"
    r"для|на) |"
    r" \())"
)
_WORD = r"[\"'`]?(?P<s>[^\W\d_]{5,24}(?:[-_][^\W\d_]{3,24}){0,3})" + _CLAUSE
# "is" where words stand next to each other, and of Cyrillic letters where they do not
_BE = r"(?:это|(?<= )(?:е|је)(?= )|είναι)"
# a letter of a script with an alphabet and blanks between words
_SPELT = r"[\u0370-\u06ff\u0900-\u0dff]"
# no word for a place, and none for what a password is for
_NOWHERE = (
    r"(?!(?:im|in|am|auf|bei|aus|für|dans|en|sur|au|aux|pour|para|per|nel|na|no|em|op|på|för|til|voor|we|ve|do|da)\b)"
)
_OWNED = r"\b(?:the|our|my|your|his|her|their|its|whose|new|old|admin|root|current|temporary|default|master|wi-?fi)\b"
_NOW = r"(?: (?:jetzt|nun|seit heute|maintenant|ahora|ora|agora|nu|teraz))?"
_ENTER = rf"(?<![^\W_])(?:{ACCESS}|{LOGIN})(?![a-zà-ÿ])[^\n]{{0,60}}?[:=\s]"  # up to a user's name
_ENTER_HINTS = (*ACCESS_HINTS, *LOGIN_HINTS)
_USER = r"[\w.@+-]{2,60}"
_JOINED = rf"(?:,? {AND} |\s?[和与と및]\s?)"
_LABELLED = rf"(?<![^\W_]){LOGIN} ?[:=]? ?{_USER},? {{1,2}}(?:{AND} )?(?:{PASSWORD}|{LATIN}|{OTHER})(?![^\W\d_])"
_PASSWORD_HINTS = ("pass", "pw", *LATIN_HINTS, *OTHER_HINTS)
_KNOWN_USERS = tuple(
    "admin administrator administrador root superuser superadmin guest sa postgres elastic test demo".split()
)
_KNOWN = rf"(?:{'|'.join(_KNOWN_USERS)})"
_OF_ONE = rf"(?:{_KNOWN}|wi-?fi|wlan|wireless|router|vpn|nas|master|default|database|db|grafana|jenkins|mysql|ldap)"
_SHOULD = r"(?:should|shall|must|has to|needs to|ought to|can|could|may|might|would)"
_MUST = r"(?:doit|devra|devrait|debe|deber[aáií]\w?|tiene que|deve|deveria|dovrebbe|dovr[aà]|moet|ska|skal)"
_CREDENTIALS = (
    r"(?:credentials?|creds|access (?:data|details)|login (?:data|details)|zugangsdaten|anmeldedaten|logindaten|"
    r"identifiants?|credenciales|credenziali|credenciais|inloggegevens|доступы?|ログイン情報)"
)
_HOST = r"[\w.-]{1,40}@[\w.-]{2,80}(?::[\w/~.-]{0,60})?[\"'`]?"
_TO_IT = r"(?:[-–—→/|]|[-=]>)"
_SEED = (
    r"(?:mnemonic|(?:seed|recovery|backup|wallet|secret)[ -]?(?:phrase|words|passphrase)|seed|wiederherstellungsphrase|"
    r"phrase (?:de r[eé]cup[eé]ration|secr[eè]te|mn[eé]monique)|frase (?:semilla|de recuperaci[oó]n|di recupero|"
    r"de recupera[cç][aã]o|secreta)|(?:сид|seed|мнемоническ\w{2})[- ]?фраз\w{1,3}|мнемоник\w{1,3}|助[记記][词詞]|"
    r"ニーモニック|シードフレーズ|니모닉)"
)
_AIMS = frozenset(
    "access allow authenticate avoid clients connect confirm continue enable encrypt ensure expire login match others "
    "people prevent proceed protect register restore reset someone stdin stdout strangers support unlock update users "
    "verify whoever".split()
)
# How nouns and adjectives end that stand beside "password", and how words begin or end there that are none.
_NOUN = Pattern(
    r".*(?:[ts]ions?|ments?|ness|it(?:y|ies)|ors?|[ae]nces?|ures?|ages?|isms?|ships?|ic|als?|ary|cy|ist|able|ity|"
    r"ware|thing|word|words|case|less|like|self|where|time|wise)\Z"
)
_INFLECTED = ("s", "ed", "en", "ing", "ly")  # "disappears", "forbidden"
_PARTS = frozenset(
    """
    access account algorithm api auth backend bcrypt box boxes button check code component config confirm constant
    cookie control count crypt data database default dialog digest disk display docs email endpoint entry entries
    env error event expir export feature field file flag flow form frontend function generat group handl hash hint
    history import input issue item key label layout length level link list lock login logic look mail manage mask
    match meter method mode model modal name note number option page panel parameter pars part phrase place policy
    policies popup process prompt property protect quer question read recover regex register remember request
    requirement reset response rest rotat route rule safe salt schema screen script secret secur security service
    session set setup sheet side sign size sms spec stand start state step storage store str strength submit support
    switch system tab table test text theme through ticket time token tool type up update url use user utils valid
    value variable vault verif view warn web window wizard work workflow write
    """.split()
)
_PROSE = frozenset("the and that with from must never this for not are was when then but you can will has have".split())


def is_chosen(value: str) -> bool:
    """Tells whether a value with a digit or a sign can be a password: no path, name or version."""
    value = value.rstrip(_ENDS) if not is_strong(value) else value
    if not is_given(value) or not any(c.isalpha() for c in value):
        return False
    if not value.isascii():
        return value[0].isalpha() and any(c.isdigit() for c in value)
    return entropy.is_password(value, quoted=False, adjoining=False, words=False) and not value.isalpha()


def _is_coined(value: str, foreign: bool = False) -> bool:
    """Tells whether a word that stands beside the word for a password can be one: no part of a program that deals with
    passwords, and nothing that is said of one.
    """
    plain = value.lower()
    if len(plain) < 8 or not is_word(value, foreign) or _NOUN.match(plain) or plain.endswith(_INFLECTED):
        return False
    return not any(plain.startswith(part) or plain.endswith(part) for part in _PARTS)


def _is_meant(value: str) -> bool:
    """Tells whether what a password should be is a password."""
    plain = value.lower()
    compares = plain.endswith("er") and len(plain) < 10
    return len(plain) > 5 and is_word(plain) and not (compares or _NOUN.match(plain) or plain in _AIMS)


def is_sure(value: str) -> bool:
    plain = value.rstrip(_ENDS)
    return is_strong(value) or is_jumbled(value) or is_named(plain) and sum(char in "-_." for char in plain) >= 2


def _is_pair(value: str) -> bool:
    if entropy.is_hex(value.rstrip(_ENDS)) or not set(value).isdisjoint("|(){}<>"):
        return False
    return is_chosen(value) or value.count("-") >= 2 and value[0].isalnum()


WORDED = (
    # a password that may be a word: "the admin password is brightanvil"
    shape(
        rf"(?<![\w-]){PASSWORD}(?: (?:for|to|of|on|at|in) [^\n,.:;=?]{{1,40}}?)? "
        rf"(?:is|was|remains|equals|became|will be|has been):?(?: (?:now|still|just|simply|currently))?:? {_WORD}",
        *("pass", "pw"),
        judge=is_word,
        flags=_I,
    ),
    shape(
        rf"(?<![\w-]){PASSWORD}(?: (?:for|to|of|on|at|in) [^\n,.:;=?]{{1,40}}?)? "
        rf"(?:{_SHOULD} (?:be|remain|stay|become)|stays|becomes):? {_WORD}",
        *("pass", "pw"),
        judge=_is_meant,
        flags=_I,
    ),
    shape(rf"(?<![^\W_]){_OF_ONE}(?:'s)?[ -]{PASSWORD} {_WORD}", "pass", "pw", judge=_is_coined, flags=_I),
    shape(
        rf"(?<![^\W_])(?:{_OF_ONE}[ -]{LATIN}|{LATIN} (?:d[eoai]l? |d')?{_OF_ONE}) {_WORD}",
        *LATIN_HINTS,
        judge=partial(_is_coined, foreign=True),
        flags=_I,
    ),
    *(
        shape(
            rf"(?<![^\W_])(?:{LATIN}|{PASSWORD})(?![^\W\d_])[^\n:=]{{0,40}}? {meant}",
            *("pass", *LATIN_HINTS),
            judge=partial(_is_coined, foreign=foreign),
            flags=_I,
        )
        for meant, foreign in (
            (r"(?:soll|sollte|muss|kann) [\"'`]?(?P<s>[^\W\d_]{8,24})[\"'`]?(?= sein\b)", True),
            (r"(?:soll|sollte|muss|kann) [\"'`]?(?P<s>[^\W\d_]{8,24})[\"'`]?(?= (?:lauten|hei(?:ss|ß)en)\b)", False),
            (rf"{_MUST} (?:[eê]tre|ser|essere|zijn|vara|v[æa]re) {_WORD}", True),
        )
    ),
    shape(
        rf"(?<![^\W_]){PASSWORD}\s{{0,2}}[~|>=:—–\"*-]{{1,3}}\s{{0,2}}(?P<s>[^\s\"'`,;]{{5,60}})",
        *("pass", "pw"),
        judge=is_strong,
        flags=_I,
    ),
    shape(
        rf"{_OWNED}(?: [\w.'-]{{1,30}}){{0,4}}? {PASSWORD}(?: (?:for|to|of|on|at|in) [^\n,.:;=?]{{1,40}}?)?"
        rf"(?:'s |\s?[:=] ){_WORD}",
        *("pass", "pw"),
        judge=is_word,
        flags=_I,
    ),
    shape(
        rf"\b(?:set|change[sd]?|reset|updated?) (?:[\w'-]{{1,30}} ){{0,5}}?{PASSWORD}"
        rf"(?: (?:for|of|on) [^\n,.:;=?]{{1,40}}?)? to {_WORD}",
        *("pass", "pw"),
        judge=lambda v: is_word(v) and v not in _AIMS,
        flags=_I,
    ),
    shape(
        r"(?:\A|\n|[.,:;!] )[\"'`]?(?P<s>[a-z]{6,24})[\"'`]? is (?:the|our|my|your) "
        rf"(?:[\w-]{{1,30}} ){{0,3}}{PASSWORD}"
        r"(?= (?:for|of|on|at|to)\b|[.,;!]|[ \t]*(?:\n|\Z))",
        *("pass", "pw"),
        judge=is_word,
    ),
    *(
        shape(
            rf"(?:(?<![^\W_]){LATIN}|{OTHER})[^\n]{{0,40}}?{changed}",
            *LATIN_HINTS,
            *OTHER_HINTS,
            judge=is_chosen,
            flags=_I,
        )
        for changed in (rf" {TO} {_VALUE} {CHANGED}", rf"{CHANGED}(?: {TO})?\s?{_VALUE}")
    ),
    shape(
        rf"(?<![^\W_]){LATIN}(?![^\W\d_])(?:[^\n:=]{{0,40}}? {IS_WORD}{_NOW}"
        rf"[ :]{{1,2}}|[^\n:=]{{0,40}}?\s?[:=]\s{{0,2}}){_WORD}",
        *LATIN_HINTS,
        judge=lambda v: is_word(v, foreign=True),
        flags=_I,
    ),
    shape(
        rf"(?<![^\W_]){LATIN}(?![^\W\d_])(?:[^\n:=]{{0,40}}? {IS}(?: {_NOWHERE}[^\W\d_]{{2,10}})?[ :]{{1,2}}|"
        rf"[^\n:=]{{0,40}}?\s?[:=]\s{{0,2}}){_VALUE}",
        *LATIN_HINTS,
        judge=is_chosen,
        flags=_I,
    ),
    shape(
        rf"(?<![^\W_]){PASSWORD} [^\n:=.,]{{0,40}}?(?:ist|lautet|est|es|è|é|jest|är|это|es ahora) {_VALUE}",
        *("pass", "pw"),
        judge=is_chosen,
        flags=_I,
    ),
    shape(rf"(?<![^\W_]){LATIN} {_VALUE}", *LATIN_HINTS, judge=is_sure, flags=_I),
    shape(
        rf"{OTHER}[^\n:=]{{0,40}}?\s{{0,2}}(?:[:=—–-]|{_BE}|是|为|為|[はをがの]|[은는이가]|है)\s{{0,2}}"
        rf"[\"'`(]?(?P<s>[!#-&(-+.-:<-_a-~-]{{5,60}}|{_SPELT}{{2,40}}[!-+./0-9:-~]{{1,20}})",
        *OTHER_HINTS,
        judge=is_chosen,
        flags=_I,
    ),
    # a plain word: of Latin letters, between quotes, or in Cyrillic after a colon
    shape(
        rf"{OTHER}[^\n:=]{{0,40}}?\s{{0,2}}(?:[:=—–-]|{_BE}|是|为|為|[はを]|[은는])\s{{0,2}}{_WORD}",
        *OTHER_HINTS,
        judge=lambda v: v.isascii() and is_word(v, foreign=True),
        flags=_I,
    ),
    shape(
        rf"{OTHER}[^\n:=]{{0,40}}?\s{{0,2}}(?:[:=—–-]|{_BE}|是|为|為|[はを]|[은는])\s{{0,2}}"
        r"[\"'`](?P<s>[^\W\d_]{5,24})[\"'`]",
        *OTHER_HINTS,
        judge=lambda v: is_word(v, foreign=True),
        flags=_I,
    ),
    shape(
        rf"(?:парол|лозинк)\w{{1,3}}[^\n:=]{{0,40}}?\s{{0,2}}[:=—–-]\s{{0,2}}{_WORD}",
        *("парол", "лозинк"),
        judge=lambda v: is_word(v, foreign=True),
        flags=_I,
    ),
    shape(
        rf"(?:(?<![^\W_]){LATIN} ?[\"'`]|{OTHER}\s{{1,2}}[\"'`]?)(?P<s>[A-Za-z0-9][^\s\"'`,;]{{5,59}})",
        *LATIN_HINTS,
        *OTHER_HINTS,
        judge=is_chosen,
        flags=_I,
    ),
    shape(
        rf"{OTHER}[^!-~\n]{{0,20}}(?P<s>(?![:=(-])[!#-&(-+.-:<-_a-~-]{{7,60}})", *OTHER_HINTS, judge=is_sure, flags=_I
    ),
    # a user and a password: "Zugangsdaten: admin / Tulpe41", "log in with admin and Gr9Pear!41"
    shape(
        rf"{_ENTER}{_USER}(?:\s{{1,2}}[/|]\s{{1,2}}|\s?\|\s?){_VALUE}",
        *_ENTER_HINTS,
        needs=("/", "|"),
        judge=_is_pair,
        flags=_I,
    ),
    shape(
        rf"(?<![^\W_]){ACCESS}(?![a-zà-ÿ])[^\n]{{0,60}}?[:=\s]{_USER}[/:]{_VALUE}",
        *ACCESS_HINTS,
        judge=lambda v: _is_pair(v) and v[0] not in "/\\" or is_sure(v),
        flags=_I,
    ),
    shape(
        rf"{_ENTER}{_USER}:{_VALUE}",
        *_ENTER_HINTS,
        needs=(":",),
        judge=lambda v: is_strong(v) and _is_pair(v) and set(v).isdisjoint("/@"),  # the rest of an address
        flags=_I,
    ),
    shape(
        rf"{_ENTER}{_USER}(?:{_JOINED}|,\s{{1,2}}|\s?:\s)(?![^\s:/]{{1,40}}[:/]){_VALUE}",
        *_ENTER_HINTS,
        judge=is_sure,
        flags=_I,
    ),
    shape(
        rf"{_ENTER}{_KNOWN}(?:{_JOINED}|\s?[:/]\s?){_VALUE}",
        *_ENTER_HINTS,
        needs=_KNOWN_USERS,
        judge=_is_pair,
        flags=_I,
    ),
    shape(
        rf"(?<![^\W_]){ACCESS}(?![a-zà-ÿ])[^\n:=]{{0,30}}[:=]\s?{_KNOWN}(?:\s{{1,2}}-)?\s{{1,2}}{_VALUE}",
        *ACCESS_HINTS,
        needs=_KNOWN_USERS,
        judge=is_chosen,
        flags=_I,
    ),
    shape(
        rf"(?<![\w./@-]){_KNOWN}(?:{_JOINED}|\s{{1,2}}-\s{{1,2}}){_VALUE}",
        *_KNOWN_USERS,
        judge=is_strong,
        flags=_I,
    ),
    shape(
        rf"{_LABELLED}\s?[:=]?\s?{_VALUE}",
        *LOGIN_HINTS,
        needs=_PASSWORD_HINTS,
        judge=is_chosen,
        flags=_I,
    ),
    shape(
        rf"{_LABELLED}\s?:\s{_WORD}",
        *LOGIN_HINTS,
        needs=_PASSWORD_HINTS,
        judge=lambda v: is_word(v, foreign=True),
        flags=_I,
    ),
    # a user at a machine, and what lets it in
    shape(
        rf"(?<![\w./@-])(?:\w{{2,6}}://)?{_HOST}\s{{0,2}}[(\[](?P<s>[^\s()\[\]\"'`,;]{{5,60}})[)\]]", "@", judge=is_sure
    ),
    shape(rf"(?<![\w./@-]){_HOST}\s{{1,2}}{_TO_IT}\s{{1,2}}{_VALUE}", "@", judge=is_strong),
    *(
        shape(
            rf"(?<![^\W_]){word}(?![a-zà-ÿ])[^\n:=]{{0,30}}?[:=\s]\s?{user}\s{{1,2}}{_TO_IT}\s{{1,2}}{_VALUE}",
            *ACCESS_HINTS,
            judge=is_chosen,
            flags=_I,
        )
        for word, user in ((ACCESS, _KNOWN), (_CREDENTIALS, _USER))
    ),
    # a PIN, and the words of a wallet
    shape(
        rf"(?<![^\W_])(?:pin|пин|puk|geheimzahl)[ -]?(?:code|kod|код\w{{0,2}}|nummer|码|碼|コード)?"
        rf"(?:[^\n:=\d]{{0,30}}? {IS}|\s?[:=是は为])\s{{0,2}}"
        r"(?P<s>\d[\d -]{2,8}\d)(?!\w|\.\d)",
        *("pin", "пин", "puk", "geheimzahl"),
        flags=_I,
    ),
    shape(
        r"(?<![^\W_])(?:(?:PIN|Pin|PUK|ПИН)(?:[ -]?(?:[Cc]ode|[Кк]од))?|[Пп]ин-код)(?: \(| )"
        r"(?P<s>\d\d ?\d\d(?:\d\d){0,2})"
        r"(?!\w|\.\d|-\d)(?! (?:digits?|signs?|bytes?|times?|(?:is |goes |stays )?(?:set|high|low)|"
        r"(?:to|on|of|as|is) (?:an? |the )?(?:ground|gnd|vcc|board|chip|header|input|output|connector|relay))\b)",
        *("pin", "пин", "puk"),
    ),
    shape(
        r"(?:暗証番号|暗证码|パスコード|ピン(?:コード|番号)?|[密][码碼]|口令|パスワード|비밀번호|핀(?:번호|코드)?|암호)"
        r"\s?(?:[:：=はをが是为為는은이가]|라고)\s{0,2}(?P<s>\d[\d-]{2,8}\d)"
        r"(?=です|だ|で[すし]|입니다|이에요|예요|이야|[。、，！]|[,.!](?!\d)|\s|\Z)",
        *"暗 パス ピン 密 口令 비밀 핀 암호".split(),
    ),
    shape(
        rf"(?<![^\W_]){_SEED}[^\n:=]{{0,30}}?(?: {IS}|[:=\n>])\s{{0,2}}[\"'`]?"
        r"(?P<s>(?:\d{0,2}[.)]? ?[a-z]{3,8}[ ,;\n]{1,2}){11,23}\d{0,2}[.)]? ?[a-z]{3,8})\b",
        flags=_I,
    ),
    shape(
        rf"(?<![^\W_]){_SEED}\W{{1,3}}(?P<s>(?:[a-z]{{3,8}}[ ,]{{1,2}}){{11,23}}[a-z]{{3,8}})\b",
        judge=lambda v: _PROSE.isdisjoint(v.replace(",", " ").split()),
        flags=_I,
    ),
)
