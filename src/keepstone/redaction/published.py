"""Finds what is made to be published, although it looks random: public keys, certificates, fingerprints, our own ids.

Standard library only, for Python 3.9 and later. Every pattern runs in linear time: the text it scans before it fails is
bounded.
"""

from __future__ import annotations

from ..lib.pattern import Pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Span = tuple[int, int]

_KINDS = r"(?:(?:sk-)?(?:ssh|ecdsa)-[a-z0-9-]{3,30}(?:@openssh\.com)?)"
# How the bytes of SSH's public keys begin, and those of a public key or a certificate (X.509): with their algorithm.
_STARTS = (
    r"(?:AAAA(?:B3NzaC1|C3NzaC1lZDI1NTE5|E2VjZHNh|GnNrLXNzaC|InNrLWVjZHNh|I[GH]NzaC1|K[DG]VjZHNh)|MIGfMA0GCSqGSIb3DQEBAQ|MII[BC]IjANBgkqhkiG9w0BAQEF|"
    r"MFkwEwYHKoZIzj0CAQ|MHYwEAYHKoZIzj0CAQ|MIGbMBAGByqGSM49AgE|MCowBQYDK2V[uw]AyEA|MII[CDEFGH][A-Za-z0-9+/]{2}CCA[A-Za-z0-9+/]{5}IBAgI)"
)
_HOLDER = r"(?:[ \t]{1,2}[\w.-]{1,60}@[\w.-]{1,80}(?![\w:/]))?"
_BREAK = r"(?:\s|\\[nr]|[\"'+,>|])"
_PUBLISHED = (
    Pattern(rf"(?<![\w-]){_KINDS}[ \t]{{1,4}}AAAA[A-Za-z0-9+/]{{20,3000}}={{0,3}}{_HOLDER}"),
    Pattern(rf"(?<![A-Za-z0-9+/]){_STARTS}[A-Za-z0-9+/]{{10,4000}}={{0,3}}"),
    Pattern(
        r"-----?\s?BEGIN [A-Z0-9 ]{0,30}(?:PUBLIC KEY|CERTIFICATE|CERTIFICATE REQUEST|X509 CRL|SIGNATURE)(?: BLOCK)?"
        rf"\s?-----?(?:{_BREAK}{{1,9}}[A-Za-z0-9+/=]{{16,80}}){{0,400}}"
        rf"(?:{_BREAK}{{1,9}}[A-Za-z0-9+/=]{{1,80}}(?={_BREAK}{{0,9}}--)){{0,2}}"
    ),
    Pattern(
        r"\b(?:SHA(?:1|256|384|512)|MD5):(?:[0-9A-Fa-f]{2}:){15,63}[0-9A-Fa-f]{2}|\bSHA(?:1|256|512):[A-Za-z0-9+/]{27,86}={0,2}"
    ),
    Pattern(r"(?<![\w:])(?:[0-9A-Fa-f]{2}:){15,63}[0-9A-Fa-f]{2}(?![\w:])"),
    Pattern(r"(?<![\w|])\|1\|[A-Za-z0-9+/]{27}=\|[A-Za-z0-9+/]{27}="),
    Pattern(
        r"(?i:fingerprint|thumbprint|fpr|key id|keyid|primary key|pubkey|public[ _-]?key)s?\W{0,4}(?:is|was)?"
        r"[^\w\n]{1,4}(?P<s>(?:[0-9A-Fa-f]{4} {1,2}){9}[0-9A-Fa-f]{4}|(?:0x)?[0-9A-Fa-f]{16,64}|"
        r"[A-Za-z0-9+/_-]{43,88}={0,2})(?![\w+/=-])"
    ),
    Pattern(r"(?<![\w-])(?:mem|prj|sug)-[0-9a-f]{16}(?![\w-])"),  # our own ids
    # an OpenPGP key is named by the last half of its fingerprint
    Pattern(
        r"(?i:\bsigningkey|--(?:local-user|recv-keys?|default-key|recipient)|gpg key)[\s=\"':]{1,4}"
        r"(?P<s>(?:0x)?[0-9A-Fa-f]{16}(?:[0-9A-Fa-f]{24})?)(?![\w-])"
    ),
    # the numbers that Stripe, Adyen and Braintree publish for tests
    Pattern(
        r"(?<!\d)(?:4242[ -]?4242[ -]?4242[ -]?4242|4111[ -]?1111[ -]?1111[ -]?1111|5555[ -]?5555[ -]?5555[ -]?4444|"
        r"4000[ -]?0000[ -]?0000[ -]?\d{4}|4000[ -]?0025[ -]?0000[ -]?3155|3782[ -]?822463[ -]?10005|"
        r"6011[ -]?1111[ -]?1111[ -]?1117|4012[ -]?8888[ -]?8888[ -]?1881|5105[ -]?1051[ -]?0510[ -]?5100)(?!\d)"
    ),
    # what a page shows to everybody: Stripe's publishable keys, reCAPTCHA's site keys
    Pattern(r"\bpk_(?:test|live)_[A-Za-z0-9]{16,120}\b"),
    Pattern(r"(?i:\bsite[ _-]?key)\W{1,4}(?P<s>6L[\w-]{38})(?![\w-])"),
    Pattern(r"\bv=DKIM1;[^\n\"]{0,60}?\bp=[A-Za-z0-9+/]{20,800}={0,2}"),
    Pattern(r"\bage1(?:yubikey1)?[a-z0-9]{50,70}\b|\bRW[A-Za-z0-9+/]{54}(?![A-Za-z0-9+/=])"),
)


def published(text: str) -> Iterator[Span]:
    """Yields the spans of public keys, certificates and fingerprints."""
    for pattern in _PUBLISHED:
        for match in pattern.finditer(text):
            yield match.span("s") if "s" in match.re.groupindex else match.span()
