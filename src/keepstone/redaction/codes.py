"""Shapes of codes in groups: account numbers, cards, keys of authenticators. Check digits tell them from other numbers.

Standard library only, for Python 3.9 and later. Every pattern runs in linear time: the text it scans before it fails is
bounded.
"""

from __future__ import annotations

import re

from . import entropy
from .provider_keys import shape

_I = re.IGNORECASE
# The IBAN registry (ISO 13616): the length of each country's numbers.
_IBANS = {
    15: "NO", 16: "BE", 18: "DK FI FO GL NL SD FK", 19: "MK SI", 20: "AT BA EE KZ LT LU XK MN",
    21: "CH HR LI LV", 22: "BG BH CR DE GB GE IE ME RS VA", 23: "AE GI IL IQ OM SO TL",
    24: "AD CZ ES MD PK RO SA SE SK TN VG", 25: "LY PT ST", 26: "IS TR",
    27: "BI DJ FR GR IT MC MR SM", 28: "AL AZ BY CY DO GT HN HU LB NI PL SV",
    29: "BR EG PS QA UA", 30: "JO KW MU YE", 31: "MT SC", 32: "LC", 33: "RU",
}  # fmt: skip


def _iban(length: int, countries: str) -> str:
    return rf"(?i:{countries.replace(' ', '|')})\d\d(?:[ .-]?[A-Za-z0-9]){{{length - 4}}}"


def is_iban(value: str) -> bool:
    """Checks the check digits (ISO 7064, mod 97)."""
    plain = "".join(char for char in value.upper() if char.isalnum())
    return int("".join(str(int(char, 36)) for char in plain[4:] + plain[:4])) % 97 == 1


def is_card(value: str) -> bool:
    """Applies Luhn's check (ISO/IEC 7812-1)."""
    digits = [int(char) for char in reversed(value) if char.isdigit()]
    return sum(digits[::2]) % 10 == -sum(sum(divmod(2 * digit, 10)) for digit in digits[1::2]) % 10


def _is_own_card(value: str) -> bool:
    """Tells whether a number is a card's and none of the well-known ones for tests, which have two or three digits."""
    return is_card(value) and len(set(value) - set(" -")) > 3


# Codes that let somebody in who has lost the key of an authenticator.
_SPARE = (
    r"(?:\b(?:recovery|backup|scratch|rescue|one-time)[ -]codes?|wiederherstellungs-?codes?|ersatzcodes?|"
    r"codes? de (?:r[eé]cup[eé]ration|secours)|c[oó]digos? de (?:recuperaci[oó]n|respaldo|recupera[cç][aã]o)|"
    r"codici di (?:recupero|backup)|код\w{0,2} восстановления|резервн\w{2,3} код\w{0,2}|恢复[码代]码?|"
    r"リカバリーコード|バックアップコード)"
)
_SPARE_HINTS = ("code", "codigo", "código", "codici", "код", "恢复", "コード")
_CARD = r"(?:4\d{3}|5[1-5]\d\d|2[2-7]\d\d|6[05]\d\d|35\d\d)"
CODES = (
    shape(
        r"(?<![A-Za-z0-9])(?=[A-Za-z]{2}\d\d)(?:"
        + "|".join(_iban(*one) for one in _IBANS.items())
        + r")(?![A-Za-z0-9])",
        judge=is_iban,
    ),
    shape(rf"(?<![\w-]){_CARD}(?:[ -]\d{{4}}){{3}}(?![\w-])", judge=_is_own_card),
    shape(r"(?<![\w-])3[47]\d\d[ -]\d{6}[ -]\d{5}(?![\w-])", judge=_is_own_card),
    shape(
        r"(?:\b(?:card|visa|mastercard|amex|kreditkarte|karte|carte|tarjeta|carta|cart[aã]o|karta|kort|kaart)\b|карт\w{1,3}|"
        r"信用卡|卡号|カード|카드)[^\n\d]{0,40}(?P<s>\d(?:[ -]?\d){12,18})(?!\d)",
        *"card visa amex kart carte tarjeta carta cart kort kaart карт 卡 カード 카드".split(),
        judge=is_card,
        flags=_I,
    ),
    shape(
        r"\b(?i:2fa|totp|otp|mfa|authenticator|setup key|secret)\b[^\n]{0,60}?\s"
        r"(?P<s>(?:[A-Z2-7]{4}[ -]){3,15}[A-Z2-7]{4}|(?:[a-z2-7]{4} ){3,15}[a-z2-7]{4})(?![\w-])",
        *("2fa", "otp", "mfa", "authenticator", "setup key", "secret"),
        judge=lambda v: any(c.isdigit() for c in v) or not entropy.is_worded(v),
    ),
    shape(
        rf"{_SPARE}[^\n]{{0,80}}?(?:\s|:)"
        r"(?P<s>(?=[a-z-]{0,16}\d)[a-z0-9]{4,8}-[a-z0-9]{4,8}(?:[\s,;]{1,4}[a-z0-9]{4,8}-[a-z0-9]{4,8}){0,20})\b",
        *_SPARE_HINTS,
        flags=_I,
    ),
    shape(
        rf"{_SPARE}(?: (?:are|is|sind|sont|son|sono))?\s{{0,2}}[:：=]?\s{{0,3}}"
        r"(?P<s>\d{4,8}(?:[\s,;、]{1,4}(?:(?:and|und|et|y|e|и) )?\d{4,8}){0,40})(?![\w-])",
        *_SPARE_HINTS,
        judge=lambda v: sum(map(str.isdigit, v)) >= 6,
        flags=_I,
    ),
)
