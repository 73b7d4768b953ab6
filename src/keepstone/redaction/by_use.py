"""Shapes of secrets that are named by what they are for: a wireless network's key, what one types at a prompt, an old
and a new password, what opens a door; and of names for passwords that are spelt oddly.

Standard library only, for Python 3.9 and later. Every pattern runs in linear time: the text it scans before it fails is
bounded.
"""

from __future__ import annotations

import re

from ..lib.pattern import Pattern
from . import entropy
from .codes import is_card
from .languages import (
    ACCESS,
    ACCESS_HINTS,
    IS,
    KEY,
    LATIN,
    LATIN_HINTS,
    OTHER,
    OTHER_HINTS,
    PASSWORD,
    SAFE,
    SAFE_HINTS,
    is_word,
)
from .provider_keys import shape
from .worded import is_chosen, is_sure

_I = re.IGNORECASE
_QUOTE = r"[\"'`]"
_VALUE = rf"{_QUOTE}?(?P<s>[^\s\"'`,;()]{{4,59}}[^\s\"'`,;.:!?()]!?)"
_ENDS = r"(?=[\"'`]?(?:[.,;:!?)\]]?(?:\s|\Z)))"
_SPELT = rf"{_QUOTE}?(?P<s>[^\W\d_]{{4,24}}\d{{1,6}}[!?.#$%&*]{{0,3}})"
_NAME = rf"(?:(?<![^\W_])(?:{PASSWORD}|{LATIN})(?![^\W\d_])|{OTHER})"
_HINTS = ("pass", "pw", *LATIN_HINTS, *OTHER_HINTS)
_USER = r"[\w.@+-]{2,60}"
_KNOWN = r"(?:admin|administrator|root|superuser|guest|postgres|sa|elastic|pi|ubuntu|viewer|editor|operator|deploy)"

_WIFI = r"(?:wpa[23]?|wep|wi-?fi|wlan|wireless|hotspot|(?:guest |home |office )?network)"
_WIFI_HINTS = ("wpa", "wep", "wifi", "wi-fi", "wlan", "wireless", "hotspot", "network", "ssid", "psk")
_OF = r"(?:for|of|to|on|d[eiou]l?|du|für|fürs|vom|van|till|til|do|от|для)(?: (?:the|our|my|your|le|la|el|das|det))?"
_SET = r"(?:\s?(?:[:=>|]|[–—-]\s)\s{0,2}| (?:is|est|es|è|é|ist|lautet|er|är|jest|это)(?: now)?:? | )"

_TYPE = (
    r"(?:type|enter|use|give(?: it)?|input|put in|answer|say|gib|tippe|eingeben|tape[rz]?|saisis|escribe|introduce|"
    r"digita|введи\w{0,2}|набери\w{0,2})(?: in)?"
)
_ASKER = (
    r"(?:it|sudo|su|ssh|doas|they|he|she|you|the [\w-]{1,20}|es|er|sie|il|elle|on te|te lo|он\w?|система)"
    r"(?: (?:are|is|get|gets|te|you))?"
)
# What asks for something else than a password is left alone.
_ASKS = (
    r"(?:asks?|asked|prompts?|prompted|fragt|gefragt|demande|pide|спро\w{2,5})(?: (?:you|me|us|danach|nach))?"
    r"\b(?! for (?!(?:it|one)\b|(?:a |the |your |its )?(?:[\w-]{1,12} )?pass))"
)
_FOR_PASS = r"(?: for (?:it|one|(?:a |the |your |its )?(?:[\w-]{1,12} )?pass\w{0,8}))?"
_PROMPT = (
    r"(?:sudo|su|ssh|login|log-in|password|passphrase|pass|unlock|doas|keychain|keyring|pin|root|luks|boot|bios|grub|"
    r"vault|gpg|pinentry|kinit)"
)

# what belongs to a password: what it was is no password
_NO_PART = (
    r"(?! (?:columns?|fields?|hash\w{0,4}|lengths?|forms?|types?|polic(?:y|ies)|managers?|checks?|tables?|stores?|"
    r"pages?|inputs?|resets?|rates?|files?|prompts?|counts?|limits?|sizes?|algorithms?|encoding|box|boxes|rotation)\b)"
)
_WAS = r"(?:used to be|was|were|had been|war|hieß|[ée]tait|era|был\w?|było|var)"
_NOW = (
    r"(?:(?:it|that|the new(?: one)?|new(?: one)?)(?:'s| is|:)|is|becomes|ist|lautet|c'est|est|es|è|это|the new one|"
    r"new one)(?: now| jetzt| maintenant| ahora)?"
)

_ODD = (
    r"(?:p[a@4][s$5]{2}[ _.-]?w[o0]r[dt]|p/w|p\.w\.|p[ _-]?word|pass-word|passwrd|psswd|pasword|passowrd|passwrod|"
    r"pasw(?:or)?d|pswd|pswrd|psw|p(?:@ss|4ss|a\$\$|@\$\$|a55))"
)
_MANAGER = (
    r"(?:1password|bitwarden|keepass\w{0,3}|lastpass|dashlane|enpass|proton pass|keychain|keyring|keeper|"
    r"password (?:manager|safe|store))"
)
_CODE = r"(?:pass ?code|code|pin|combination|combo)"
_DIGITS = r"(?P<s>\d{1,2}(?:[-/]\d{1,2}){2,5}|\d{4,10}[A-Z#*]{0,2}|\d{3}[A-Z#*]{1,2})(?![\w-]|\.\d)"
# What stands before a code that opens nothing: it says what went wrong, or where something is.
_KINDS = (
    "error exit status return response result reason failure stop country zip postal post area dial region language "
    "currency product item source machine byte"
)
_NO_KIND = "".join(rf"(?<!\b{kind}[ _-])" for kind in _KINDS.split())
_WIRED = r"(?:gpio|board|chip|header|relay|led|connector|output|input|sensor|motor|button|bus|socket|pump|valve)"

_JOINS = frozenset("a an and in my no of on or over the to two under with".split())
_REMARKS = frozenset(
    "all ask check find look read see siehe voir already also always any anything are as at be been before blank by "
    "can cannot do does doesn't don't each  enter  every for from give had has have here hidden how if is it its just "
    "left like may min more must never not  old once  only other our please required same set should shown still that "
    "their then there these they this too  two type  unknown until was we were what when where which will wrong you "
    "your".split()
)


# things that are counted, and algorithms
_NUMBERED = (
    *(
        "feld",
        "länge",
        "version",
        "schritt",
        "stufe",
        "niveau",
        "nivel",
        "campo",
        "veld",
        "pole",
        "seite",
        "page",
        "étape",
    ),
    *(
        "paso",
        "passo",
        "stap",
        "krok",
        "уровень",
        "версия",
        "версии",
        "шаг",
        "поле",
        "test",
        "form",
        "typ",
        "type",
        "teil",
    ),
    *("step", "level", "argon", "sha", "crypt", "slot", "index", "zeile", "ligne", "user", "host", "zeichen", "option"),
    *("part", "modul", "module", "utf", "base"),
)


def _is_spelt(value: str) -> bool:
    """Tells whether a value is a word with a number, as people choose them, and neither a version nor a part."""
    plain = value.rstrip("!?.#$%&*")
    stem = plain.rstrip("0123456789")
    digits = len(plain) - len(stem)
    if stem.lower().endswith(_NUMBERED):
        return False
    is_capital = stem[:1].isupper() and not stem.isupper()
    return len(stem) >= 4 and (digits >= 2 or digits == 1 and is_capital) and is_word(stem.ljust(5, "x"), foreign=True)


def _is_named(value: str) -> bool:
    """Tells whether a value is a word that begins with a capital and ends in two digits or more."""
    return value[0].isupper() and _is_spelt(value) and value.rstrip("!?.#$%&*")[-2:].isdigit()


def _is_beside(value: str) -> bool:
    """Tells whether a value beside a user is a password: nothing that a name or a version can be."""
    return is_sure(value) or is_chosen(value) and entropy.alternates(value) or _is_named(value)


def _is_network_key(value: str) -> bool:
    return is_chosen(value) or value.isdigit() and len(value) >= 8


def _is_known_key(value: str) -> bool:
    """Tells whether the value of a key whose name is a common word is one: no column, no path."""
    return is_sure(value) or is_chosen(value) and (_is_named(value) or entropy.alternates(value))


def _is_typed(value: str) -> bool:
    return is_chosen(value) and not _KEYS.match(value) and not _TOOL.match(value)


# a tool with its version: node18, python3.12
_TOOL = Pattern(r"[a-z]{2,6}\d{1,3}(?:\.\d+)*\Z")
_KEYS = Pattern(r"(?:ctrl|alt|shift|cmd|f\d)|[\w.-]+:\d+\Z", re.IGNORECASE)


def _is_phrase(value: str) -> bool:
    """Tells whether quoted words are a phrase to log in with: no remark about a password, and no label of a field."""
    parts = value.lower().split()
    telling = [part for part in parts if part not in _JOINS]
    said = any(part in _REMARKS or part.startswith(("pass", "char", "user", "secret", "chang")) for part in parts)
    return not said and len(telling) >= 2 and all(is_word(part.ljust(5, "x")) for part in telling)


def _is_long_word(value: str) -> bool:
    return len(value) >= 12 and is_word(value) and not any(part in value for part in _PARTS)


# in a word that says where a secret is, or which
_PARTS = (
    *(
        "store",
        "config",
        "param",
        "environ",
        "vault",
        "manager",
        "kube",
        "extern",
        "database",
        "default",
        "later",
        "value",
    ),
    *("holder", "string", "generat", "sealed", "service", "example", "account"),
)


BY_USE = (
    # a wireless network's key
    shape(
        rf"(?<![^\W_])(?:{_WIFI}(?:'s)?[ -](?:security |access |pre-?shared )?(?:{KEY}|psk|code)|"
        rf"(?<!cache )(?<!primary )(?<!foreign )(?<!object )(?<!sort )"
        rf"(?:{KEY}|psk|code)(?: {_OF})? (?:guest |Gäste-?|home |office )?{_WIFI})(?![^\W\d_])"
        rf"(?: {_OF} [\w.'-]{{1,30}})?{_SET}{_VALUE}",
        *_WIFI_HINTS,
        judge=_is_network_key,
        flags=_I,
    ),
    shape(rf"(?<![^\W_])psk(?![^\W\d_]){_SET}{_VALUE}", "psk", judge=_is_network_key, flags=_I),
    shape(
        rf"(?<![^\W_])(?:{_WIFI}|ssid)(?![^\W\d_])[^\n:=]{{0,20}}?(?::|=| is| named| called| heißt)? "
        rf"[\w.-]{{2,32}}(?:\s?[/|,;–—-]| and| with| und| mit| et| avec| y| con){{1,2}} "
        rf"(?:the |der |la |le )?(?:{KEY}|psk|code|{PASSWORD}|{LATIN}){_SET}{_VALUE}",
        *_WIFI_HINTS,
        judge=_is_network_key,
        flags=_I,
    ),
    shape(
        rf"(?<![^\W_])(?:wi-?fi|wlan|hotspot|ssid)(?![^\W\d_])[^\n:=]{{0,12}}?[:=] [\w.-]{{2,32}} [/|] {_VALUE}",
        *_WIFI_HINTS,
        judge=_is_network_key,
        flags=_I,
    ),
    shape(
        rf"(?<![^\W_]){_NO_KIND}(?:clave|code)"
        r"(?! de (?:retour|sortie|statut|pays|salida|estado)\b)"
        rf"(?: d[eu]l? [\w-]{{2,20}}){{0,2}}(?: es|\s?[:=]) {_VALUE}",
        *("clave", "code"),
        judge=_is_known_key,
        flags=_I,
    ),
    # what one types where a password is asked for
    shape(
        rf"\b{_TYPE} {_VALUE}{_QUOTE}? (?:at|into|in|on|to|bei|am|an der|au|en|в) "
        rf"(?:the |its |that |a |der |den )?(?:[\w-]{{1,20}} ){{0,2}}?{_PROMPT}(?:[ -]\w{{1,12}})?[ -]?"
        r"(?:prompt|dialog|box|screen)",
        *("prompt", "dialog", "box", "screen"),
        judge=_is_typed,
        flags=_I,
    ),
    shape(
        rf"\b{_TYPE} {_VALUE}{_QUOTE}? (?:when|whenever|if|once|as soon as|wenn|sobald|quand|si|cuando|когда|если) "
        rf"(?:{_ASKER} )?{_ASKS}",
        *("ask", "prompt", "fragt", "demand", "pide", "спро"),
        judge=_is_typed,
        flags=_I,
    ),
    shape(
        rf"\b(?:at|in|on|bei|an|à) (?:the |its |that )?(?:[\w-]{{1,20}} ){{0,2}}?{_PROMPT}(?:[ -]\w{{1,12}})?[ -]?"
        rf"(?:prompt|dialog|box|screen),? (?:then |just |please )?{_TYPE} {_VALUE}",
        *("prompt", "dialog", "box", "screen"),
        judge=_is_typed,
        flags=_I,
    ),
    shape(
        rf"\b(?:asks?|asked|prompts?|prompted) (?:(?:you|me|us) )?for (?:a |the |your |its )?(?:[\w-]{{1,12}} )?"
        rf"(?:{PASSWORD})\b(?:,|:|;| -)? (?:(?:it'?s|it is|that is|that'?s|(?:then |just |and )?{_TYPE}) )?"
        rf"{_VALUE}",
        *("ask", "prompt"),
        judge=_is_typed,
        flags=_I,
    ),
    shape(
        r"\b(?:sudo|ssh|su|doas) (?:will |may )?(?:asks?|accepts|wants|takes)(?:,| and you| for it,?)? "
        rf"(?:(?:then |just )?{_TYPE} )?{_VALUE}",
        *("sudo ", "ssh ", "su ", "doas "),
        judge=_is_typed,
        flags=_I,
    ),
    shape(
        rf"\b(?:unlock|decrypt)(?:s|ed|ing)? (?:[\w-]{{1,20}} ){{0,3}}?(?:it|keyring|keychain|disk|drive|volume|"
        rf"archive|backup|file|zip|wallet|container|partition|laptop|phone)s? with {_VALUE}",
        *("unlock", "decrypt"),
        judge=lambda v: is_sure(v) or _is_spelt(v) and v.rstrip("!?")[-2:].isdigit(),
        flags=_I,
    ),
    shape(
        rf"\b(?:when|whenever|if|once|wenn|sobald|quand|cuando|когда) (?:{_ASKER} )?{_ASKS}{_FOR_PASS}"
        rf"(?: (?:for|nach) [\w-]{{1,20}})?,? (?:then |just |please )?{_TYPE} {_VALUE}",
        *("ask", "prompt", "fragt", "demand", "pide", "спро"),
        judge=_is_typed,
        flags=_I,
    ),
    shape(
        rf"(?<!\S){_VALUE}{_QUOTE}? is what (?:you|we|I|they|one) (?:have to |must |should )?"
        rf"(?:type|enter|use|give|answer|say)s?\b[^\n.;]{{0,40}}?\b(?:pass\w{{0,8}}|prompt\w{{0,2}}|asks?|asked|sudo|login|"
        rf"log in|unlock)",
        "is what",
        judge=_is_typed,
        flags=_I,
    ),
    # an old and a new password
    shape(rf"{_NAME}{_NO_PART}[^\n.;:=]{{0,40}}? {_WAS} {_VALUE}", *_HINTS, judge=is_chosen, flags=_I),
    shape(
        rf"{_NAME}{_NO_PART}[^\n.;]{{0,30}}? {_WAS} [^\n.;]{{4,70}}?\b{_NOW} {_VALUE}",
        *_HINTS,
        judge=is_chosen,
        flags=_I,
    ),
    shape(
        rf"{_NAME}{_NO_PART}[^\n.;]{{0,90}}?\b(?:the )?"
        rf"(?:new|old|previous|former|neue|alte|nouveau|ancien|nuevo|antiguo)(?: one)?"
        rf"(?:'s| is| was| ist| war|:) {_VALUE}",
        *_HINTS,
        judge=is_chosen,
        flags=_I,
    ),
    shape(
        rf"{_NAME}[^\n.;:=]{{0,40}}?{_SET}[^\s\"'`,;()]{{5,60}} \((?:old|new|before|now|alt|neu)\)[,;/]? "
        rf"(?:and |then |und )?{_VALUE}",
        *_HINTS,
        judge=is_chosen,
        flags=_I,
    ),
    shape(
        rf"\b(?:replaced?|swapped|ersetz\w{{1,2}}|remplac\w{{1,3}})[^\n.;:=]{{0,30}}? {_NAME} {_VALUE}",
        *_HINTS,
        judge=is_chosen,
        flags=_I,
    ),
    shape(
        rf"\b(?:replaced?|swapped|ersetz\w{{1,2}}|remplac\w{{1,3}})[^\n.;:=]{{0,30}}? {_NAME} \S{{5,60}} "
        rf"(?:by|with|for|durch|par|por) {_VALUE}",
        *_HINTS,
        judge=is_chosen,
        flags=_I,
    ),
    # in other languages, a word with a number beside the word for a password
    shape(
        rf"(?:(?<![^\W_]){LATIN}(?![^\W\d_])|{OTHER})(?: {_OF} [\w-]{{2,20}}| wi-?fi| wlan| admin| root)?"
        rf" {_SPELT}{_ENDS}",
        *LATIN_HINTS,
        *OTHER_HINTS,
        judge=_is_spelt,
        flags=_I,
    ),
    shape(
        rf"(?<![^\W_]){LATIN}(?![^\W\d_])[^\n:=]{{0,30}}? {IS} {_SPELT}{_ENDS}",
        *LATIN_HINTS,
        judge=_is_spelt,
        flags=_I,
    ),
    # a user and a password
    shape(
        rf"(?<![\w./@:-]){_KNOWN}:(?P<s>[^\W\d_]{{5,20}}\d{{2,6}}[!?#$]{{0,2}}){_ENDS}",
        ":",
        judge=_is_named,
        flags=_I,
    ),
    shape(
        r"(?<![\w./@:-])(?:admin|administrator|root|superuser|postgres)(?:\s?[/|]\s?|\s[–—-]\s|,\s)"
        r"(?P<s>[^\W\d_]{5,20}\d{2,6}[!?#$]{0,2})(?=[\"'`)\]]{0,2}[ \t]{0,4}(?:\n|\Z))",
        *("admin", "root", "superuser", "postgres"),
        judge=_is_named,
        flags=_I,
    ),
    shape(
        rf"(?<![^\W_])(?:log ?in|sign in|ssh|einloggen|anmelden|connexion|logowanie|вход|логин)"
        rf"(?: as| als| with| mit| avec)?:? {_KNOWN},? {_VALUE}",
        *("log", "sign in", "ssh", "anmelden", "connexion", "вход", "логин"),
        judge=_is_beside,
        flags=_I,
    ),
    shape(
        rf"\b(?:use|using|connect|log ?in|sign in|authenticate)(?: as| with)? {_USER} (?:with|and|using|/) {_VALUE}"
        r"[\"'`]? (?:to|for) (?:connect|log|sign|access|get|reach|open|ssh|psql|the (?:db|database|login))",
        *("use ", "using", "connect", "log", "sign in", "authenticate"),
        judge=lambda v: is_sure(v) or is_chosen(v) and entropy.alternates(v),
        flags=_I,
    ),
    shape(
        rf"(?<![^\W_]){ACCESS}(?![a-zà-ÿ])[^\n:=]{{0,30}}[:=]\s?{_USER}\s{{1,2}}[–—-]\s{{1,2}}{_VALUE}",
        *ACCESS_HINTS,
        judge=_is_beside,
        flags=_I,
    ),
    shape(
        rf"\buser(?:name)?:? {_USER},? (?:/ |and )?(?:the )?(?:secret|key|token|code) {_VALUE}",
        "user",
        judge=lambda v: _is_beside(v) or is_chosen(v) and not set(v).isdisjoint("!#$%&*?"),
        flags=_I,
    ),
    # a card with the day on which it expires, or with the digits on its back
    shape(
        r"(?<![\w-])(?P<s>\d(?:[ -]?\d){12,18})(?![\w-])(?=[^\n]{0,30}\b(?:exp\w{0,7}\.?:? ?\d\d?\s?[/-]\s?\d\d|"
        r"cvv2?\b|cvc2?\b|valid (?:thru|until)\b|gültig bis\b))",
        *("exp", "cvv", "cvc", "valid", "gültig"),
        judge=is_card,
        flags=_I,
    ),
    # what opens a door, a safe, a token, a disk
    shape(
        rf"\b(?:un)?(?:lock|open)(?:s|ed|ing)? [^\n.:=\d]{{0,30}}?\b{SAFE}\b[^\n.:=\d]{{0,20}}? (?:with|using|by|via)"
        rf"(?: the)?(?: {_CODE})? {_DIGITS}",
        *SAFE_HINTS,
        flags=_I,
    ),
    shape(
        rf"(?<![\w-]){SAFE}[^\n.:=\d]{{0,20}}? (?:opens?|unlocks?) (?:with|on|to|by)(?: the)? (?:{_CODE} )?{_DIGITS}",
        *SAFE_HINTS,
        flags=_I,
    ),
    shape(
        rf"(?<![\w-]){_CODE} (?:for|of|to|on) (?:the |our |my |your )?(?:[\w-]{{1,20}} ){{0,2}}?{SAFE}(?:,|:| is| =)? "
        rf"{_DIGITS}",
        *SAFE_HINTS,
        flags=_I,
    ),
    shape(
        rf"\b(?:(?:PIN|PUK|(?i:passcode)) (?:for|of|to) (?:the |my |our |your |his |her )?"
        rf"(?!(?:[\w-]{{1,20}} ){{0,2}}{_WIRED}\b)(?:[\w'-]{{1,20}} ){{0,2}}?[\w'-]{{1,20}}|"
        r"(?i:pin) for (?:the |my |our |your )?"
        r"(?i:phone|tablet|i?pad|sim|(?:smart ?|bank ?|credit ?)?card|badge|token|laptop|account)) (?:is |= ?)?"
        r"(?P<s>\d{4,8}[#*]?)(?![\w-]|\.\d| (?:digits?|signs?|times?))",
        *("pin", "passcode", "puk"),
    ),
    shape(r"(?<![\d-])(?:\d{6}-){7}\d{6}(?![\d-])", "-"),
    # spelt oddly
    shape(
        rf"(?<![\w@$]){_ODD}(?:'s)?(?: (?:for|of|to) [^\n,.:;=?]{{1,30}}?)?(?:\s?(?:[:=]|->|=>)\s{{0,2}}| (?:is|was)"
        rf"(?: now)?:? ){_VALUE}",
        *("p/w", "p.w.", "word", "w0rd", "wort", "w0rt", "wd", "psw", "wrd", "wrod", "p@", "p4ss", "a$$", "pa55"),
        judge=is_chosen,
        flags=_I,
    ),
    shape(
        rf"(?<![^\W_])(?:src|dest|trust)?(?:store|key)pass(?:word)?(?:\s?[:=]\s?| is | ){_VALUE}",
        *("storepass", "keypass"),
        judge=is_chosen,
        flags=_I,
    ),
    shape(
        r"(?<![\w.])[A-Z][A-Z0-9]{0,20}(?:_[A-Z0-9]{1,20}){0,4}_(?:SECRET(?:_KEY)?|KEY_BASE)\s?[:=]\s?[\"']?(?P<s>[a-z]{12,24})"
        r"(?=[\"']?[ \t]{0,4}(?:\n|\Z|#))",
        *("_secret", "_key_base"),
        judge=_is_long_word,
    ),
    shape(
        rf"(?<![^\W_])(?:{PASSWORD}|{LATIN})(?: is|\s?[:=]| ist| lautet| est| es){{1,2}}\s{{0,2}}(?P<q>[\"'])"
        rf"(?P<s>[^\W\d_]{{1,20}}(?: [^\W\d_]{{1,20}}){{1,7}})(?P=q){_ENDS}",
        *("pass", "pw", *LATIN_HINTS),
        judge=_is_phrase,
        flags=_I,
    ),
    shape(
        rf"(?<![^\W_]){_MANAGER}[^\n.:=]{{0,20}}?(?:'s)? master(?: \w{{1,12}})?(?: is|\s?[:=]| was) {_VALUE}",
        "master",
        judge=lambda v: is_chosen(v) or v.count("-") >= 2,
        flags=_I,
    ),
)
