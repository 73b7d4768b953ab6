"""Tells which words of the assistant may come from untrusted content: text that anyone may have written and the
assistant has read.
"""

from __future__ import annotations

import re
from base64 import b32decode, b64decode
from codecs import encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from html import unescape
from itertools import islice
from zlib import decompressobj
from zlib import error as zlib_error

from ..language.which_language import language_of
from ..lib.limits import COMPARED_PAIRS
from ..lib.pattern import Pattern
from ..lib.text import STOP_WORDS, clean, words
from ..model.trust import as_it_looks
from ..shell.own_calls import SERVERS
from .observation import SHELLS
from .others_files import FILE_READERS, SessionFiles, shown_files, written_by
from .programs import brings_outside, fetches, shows_commits

FROM_OUTSIDE = "said after reading from outside"
READ_OUT = "stands like this in what was read"
TRANSLATED = "may be a translation of what was read"
UNSEEN = "what its session had read can't be seen"

# The client's own tools that tell of this machine and of the session alone. What any other tool returns is untrusted.
_OWN_TOOLS = frozenset(
    """
    Write Edit MultiEdit NotebookEdit NotebookRead Glob Grep LS LSP TodoWrite TodoRead TaskCreate TaskUpdate TaskList
    TaskGet TaskStop AskUserQuestion EnterPlanMode ExitPlanMode EnterWorktree ExitWorktree Skill SlashCommand ToolSearch
    KillShell KillBash CronCreate CronDelete CronList ScheduleWakeup StructuredOutput ReportFindings
    """.split()
)
# A sub-agent's conversation is in another file, and a command in the background was named in an earlier turn: what they
# have read is unknown.
AGENTS = (
    "Task",
    "Agent",
    "TaskOutput",
    "AgentOutput",
    "AgentOutputTool",
    "BashOutput",
)
_EDITORS = ("Edit", "MultiEdit", "NotebookEdit")  # of what is there already
_WRITERS = ("Write", *_EDITORS)
EDITOR = "mcp__ide__"  # the client's own server, which reports on the user's files
# Colours and line numbers that tools add to a text they show.
_FRAME = Pattern(r"\x1b\[[0-9;?]*[A-Za-z]|^[ \t]*\d+(?:→|\t|[:|-] ?)", re.MULTILINE)
# Words of a message that only approves, thanks, chooses, points, or asks to note what is pointed at.
_APPROVES = frozenset(
    """
    yes yeah yep yup y ya no nope ok okay okey k kk sure fine good great perfect nice cool right correct exactly
    agreed approved confirmed absolutely definitely certainly indeed alright awesome excellent lgtm sgtm please pls plz
    thanks thank thx ty cheers go ahead proceed continue carry next do it make run apply accept approve confirm note
    store save remember keep record add write down memory looks sounds works lets let's that's i'm option number choice
    choose pick take one first second third last former latter both all same either above next recommended suggested
    proposal suggestion suggest like love want thing course agree noted objections ship may time future
    ja jo jap jep klar gerne bitte danke gut passt genau richtig stimmt einverstanden mach mache machs das es so weiter
    los merk merke merken dir notier notiere notieren speicher speichere speichern mal nimm ersten erste zweite dritte
    option beide alle tu super prima
    oui d'accord daccord bien parfait merci vas vas-y allez fais fais-le le la les s'il te vous plait plaît note-le
    sí si vale claro bueno perfecto gracias adelante hazlo dale anota va bene certo grazie procedi fallo sim claro
    obrigado pode isso faz graag prima doe dat maar tak dobrze да хорошо ок давай はい お願いします
    好 好的 可以 行 네 예
    jawohl jawoll mhm mm hmm hm aha ah oh uh huh oki okie dokie okey dokey alrighty righto aye roger affirmative gotcha
    got understood makes sense reasonable plausible sensible fair enough lot lots much many very planned discussed
    agreed said outlined described mentioned whatever think best seems seem feel free ready done finished fantastic
    wonderful brilliant lovely neat sweet amazing awesome happy going move on forward onward onwards your call decide
    problem problems worries anyway still again now too well sir mate try start begin everything resume fab solid
    einwand ich du ihr sie wir mir mich uns ist sind und oder auch dann jetzt noch wie von aus sehr alles verstanden
    vielen herzlichen dank schön wunderbar perfekt sicher natürlich selbstverständlich bestens fortfahren fahre fort
    weitermachen fortsetzen klingt vernünftig sinnvoll macht sinn leg lege los meinetwegen geplant besprochen
    vorgeschlagen gesagt einfach tue fertig auf jeden fall kein keine einwände nichts dagegen doch für
    ouais entendu continuez continuer poursuis poursuivez exactement absolument parfaitement génial excellent c'est ça
    marche va me convient noté compris beaucoup comme prévu proposé suggéré dit je suis pas de problème sûr tu veux
    penses lance tout idée bonne bon moi pour
    continúa continua sigue siga genial excelente exacto correcto acuerdo parece bien tiene sentido suena como quieras
    digas hecho listo entendido anotado muchas por supuesto está esta estupendo procede haz házlo dijiste según lo
    planeado okey mi razonable
    perfetto come esatto d'accordo ha senso sembra giusto ragionevole previsto vuoi hai detto ottimo benissimo mille fai
    capito fatto certamente assolutamente buona idea bene proseguì prosegui
    obrigada beleza prossiga perfeito ótimo sentido bom planejado disseste tudo bem ser seguir acordo combinado entendi
    feito exato faça muito é está parece
    akkoord goed klopt helemaal zoals gepland lijkt mooi dank je wel bedankt zeker natuurlijk ga door
    так конечно давайте продолжай согласен спасибо понятно jasne zgoda kontynuuj 了解 続けて 分かりました 继续 谢谢 同意
    对 계속 좋아요
    """.split()
)
# What a message only points at: what was read, or what the assistant has said.
_THEY = r"(?:it|he|she|they|you|that|this|(?:the|that|this|your)(?: \w+){1,3}?)"
_POINTS = Pattern(
    rf"\b(?:what|whatever|as|like|everything|anything) {_THEY} (?:\w+ly |just )?(?:says?|said|tells?|told|suggest\w*|"
    r"recommend\w*|asks?|wants?|wrote|writes|describe\w*|propos\w*|thinks?|prefers?|likes?|planned|mention\w*|"
    r"explain\w*|requires?|instructs?)\b(?: you| us| me)?(?: to)?(?: do)?|"
    r"\b(?:was|wie)(?: \w+){1,3}? (?:steht|sagt|sagst|vorschlägt|vorschlägst|empfiehlt|empfiehlst|meinst|willst)\b|"
    r"\b(?:ce qu(?:e |')|comme )(?:\w+ ){0,3}?(?:dit|dis|disent|proposes?|suggères?|recommandes?|indique|demande)\b"
    r"(?: (?:le|la|les|ce|cette|ton|ta|votre) \w+)?|"
    r"\b(?:lo que|como) (?:\w+ ){0,3}?(?:dice|dicen|digas?|propone|sugiere|recomienda|pide|indica)\b"
    r"(?: (?:el|la|los|las|ese|esa|este|esta) \w+)?|"
    r"\b(?:quello che|ciò che|come) (?:\w+ ){0,3}?(?:dice|dici|dicono|propone|suggerisce|consiglia|chiede)\b"
    r"(?: (?:il|la|quella|questa) \w+)?|"
    r"\b(?:o que|como) (?:\w+ ){0,3}?(?:diz|dizem|propõe|sugere|recomenda|pede)\b(?: (?:o|a|esse|essa) \w+)?"
)
_FOLLOWS = frozenset("follow obey execute befolge folge tu tue suis fais haz sigue segui fai faça siga exactly".split())
_BETWEEN_WORDS = str.maketrans(dict.fromkeys("-、。，！？…—–/", " ") | {"\u2019": "'"})
# Files of which the model sees a text that is not in the tool result.
_UNREAD = (
    *(".pdf", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff", ".ico", ".avif", ".heic", ".jxl"),
    *(".doc", ".docx", ".xls", ".xlsx", ".ppt", ".pptx", ".odt", ".ods", ".odp", ".rtf", ".epub", ".pages", ".key"),
    *(".zip", ".gz", ".tgz", ".bz2", ".xz", ".zst", ".7z", ".rar", ".tar", ".jar", ".mp3", ".wav", ".mp4", ".webm"),
)
_DECODED_AGAIN = 40  # decoded texts that are decoded once more
_STARTS = 40  # places in a text from which a sentence is followed word by word
_WORDS_DECODED = 20_000  # words of a text that may be encoded one by one
_FEWEST_PARTS = 3  # fewer words look encoded by chance
_PIECES = 400  # encoded pieces of a text that are decoded
_ROUNDS = 3  # encodings within each other
_DECODED_CHARS = 400_000  # of a text that are decoded
_STREWN, _FILLERS = 0.9, 3  # share of the words that stand in order, and words between two of them
_PRINTABLE = 0.9  # of what an encoded text says
_LETTERS, _STEP = 24, 6  # letters in a row that count as a run of words, and from where to where they are taken
_FEWEST_LETTERS = 10  # fewer stand in a row by chance
_FEWEST_TURNED = 6  # words: fewer stand in a row backwards by chance
_ASKED = 2_000  # words of a prompt in which an order to store something is searched
QUOTED_RUN = 5  # words in a row that two texts share if one quotes the other
_SHORTEST = 3  # a quotation has at least this many words
_PIECE = 3  # words in a row of which a text consists that was read in pieces
_PIECED = 0.65  # a text was read in pieces if this share of them is in the texts that were read
_TAG = Pattern(r"<!--.{0,500}?-->|<[^<>]{0,200}>", re.DOTALL)
_NO_LETTER = Pattern(r"[\W\d_]+")
_BETWEEN = Pattern(r"[\s>#*|\"',:\\]+|(?<=\s)[+/]")
_ALONE = Pattern(r"^\W*(\w[\w.'-]*)\W*$", re.MULTILINE)
_SEAM = 200  # letters of each end of two texts that are read together
# Words that an option and what was read may share by chance.
_TELLS_NOTHING = STOP_WORDS | _APPROVES | frozenset("always never must ever only instead immer nie muss nur".split())
_PASSAGE = 60  # words: three or four sentences
_START = 5  # letters of a word
_QUOTED = 0.6  # a text is a quotation if this share of its runs is in the text that was read


def reads_outside(tool: str, command: str = "", files: Iterable[str] = ()) -> bool:
    """Tells whether a tool call brings untrusted content, or content that cannot be compared."""
    if tool in SHELLS:
        return brings_outside(command)
    if tool == "Read":
        return any(file.lower().endswith(_UNREAD) for file in files)
    return bool(tool) and tool not in _OWN_TOOLS and not tool.startswith((*SERVERS, EDITOR))


class Reads:
    """Tells, one after the other, which calls of a session bring untrusted content. What git has fetched once in it, it
    shows later, and so does a program that reads what was fetched.
    """

    def __init__(self, files: SessionFiles | None = None) -> None:
        self.fetched = False
        self.files = files or SessionFiles()

    def call(self, tool: str, command: str = "", files: Sequence[str] = ()) -> bool:
        """Tells whether a tool call brings untrusted content."""
        if tool in SHELLS:
            return self.command(command)
        if tool in _WRITERS:
            self.files.note(files, is_fetched=False)
        if tool in _EDITORS:
            self.files.edit(files)
        self.files.has_brought = self.files.has_brought or tool in AGENTS
        return reads_outside(tool, command, files) or (tool in FILE_READERS and self.files.are_others(files))

    def command(self, script: str) -> bool:
        """Tells whether a shell line brings untrusted content."""
        brings = brings_outside(script) or (self.fetched and shows_commits(script))
        written = written_by(script)
        self.files.note_all(written, brings)
        outside = brings or self.files.are_others(shown_files(script))
        if outside and not brings:  # what the line shows of others' files may stand in those that it writes
            self.files.note(written.files, is_fetched=True)
        self.files.has_brought = self.files.has_brought or outside
        self.fetched = self.fetched or (outside and fetches(script))
        return outside


def brings_unseen(tool: str, files: Iterable[str] = ()) -> bool:
    """Tells whether a tool call brings content that cannot be compared: its text is not in the transcript."""
    return tool in AGENTS or (tool == "Read" and any(file.lower().endswith(_UNREAD) for file in files))


def is_new(texts: Sequence[str], said: Iterable[str]) -> bool:
    """Tells whether most of the telling words of one of the texts are none that the user had `said`."""
    known = {start for text in said for start in _starts(words(text))}
    return any(2 * len(found - known) > len(found) for text in texts if (found := _starts(words(text))))


def is_told(text: str, asked: str) -> bool:
    """Tells whether most words of a text are in the user's request, in the same order."""
    said, order = words(text), words(asked)[:_ASKED]
    # in long texts, frequent words are ignored: otherwise the time grows with the cube of the length
    many = len(said) * len(order) > COMPARED_PAIRS
    blocks = SequenceMatcher(None, order, said, autojunk=many).get_matching_blocks()
    return bool(said) and sum(block.size for block in blocks) >= _QUOTED * len(said)


def is_approval(text: str) -> bool:
    """Tells whether a message only approves or chooses what the assistant has proposed: nothing in it is the user's own
    statement.
    """
    said = text.lower().translate(_BETWEEN_WORDS)
    pointed = _POINTS.sub(" ", said)
    known = _APPROVES | STOP_WORDS | (_FOLLOWS if pointed != said else frozenset())
    plain = (word.strip(".,;:!?()[]{}\"'*_`#/\\&+~") for word in pointed.split())
    return all(len(word) < 2 or word.isdigit() or word in known or not any(map(str.isalnum, word)) for word in plain)


def is_quoted(texts: Sequence[str], read: Iterable[str]) -> bool:
    """Tells whether most of one of the texts is, word for word, in one of those that were read, or in all of them
    together. A short text counts as a whole; one of two words never counts.
    """
    shown = [as_it_looks(unescape(unescape(text))).lower() for text in texts]  # as `_readings` takes what was read
    said = [_Said(found) for text in shown for found in _spellings(text)]
    return bool(said) and any(one.is_in(text, letters) for text, letters in _joined(read) for one in said)


def _spellings(text: str) -> Iterator[Sequence[str]]:
    """Yields the words of a text, and how they look in a text that holds them backwards or in rot13."""
    plain = words(text)
    if len(plain) >= _SHORTEST:
        yield plain
    if len(plain) >= _FEWEST_TURNED:
        yield words(" ".join(text.split()[::-1]))
        yield words(text[::-1])
        yield words(encode(text, "rot13"))


def _joined(read: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yields the readings of each text, with what its ends say together with those of the one before: a sentence may
    begin in one and end in another.
    """
    before = ""
    for text in read:
        looks, letters = _readings(text)
        own = letters.partition("|")[0]
        seams = before[-_SEAM:] + own[:_SEAM], own[-_SEAM:] + before[:_SEAM]
        yield looks, "|".join((letters, *seams)) if before else letters
        before = own


class _Said:
    """The words of a text, and which of them were read so far."""

    def __init__(self, said: Sequence[str]) -> None:
        self.said = said
        self.runs = _runs(said, min(QUOTED_RUN, len(said)))
        self.size = 2 if len(said) <= 2 * _PIECE else _PIECE
        self.pieces = _runs(said, self.size)
        self.met: set[tuple[str, ...]] = set()
        letters = _letters(" ".join(said))
        last = max(1, len(letters) - _LETTERS + 1)
        self.spelled = [letters[at : at + _LETTERS] for at in range(0, last, _STEP)]

    def is_in(self, read: str, letters: str) -> bool:
        """Tells whether the text is a quotation, with one more text that was read, as words and as bare letters."""
        if sum(piece in letters for piece in self.spelled) >= _QUOTED * len(self.spelled) and self._is_long():
            return True
        here = {word for word in self.said if word in read}  # this spares splitting most results
        if len(here) < 2:
            return False
        found = words(read)
        if len(here) >= _QUOTED * len(set(self.said)):
            runs = _runs(found, min(QUOTED_RUN, len(self.said)))
            if len(self.runs & runs) >= _QUOTED * len(self.runs):
                return True
            if len(self.said) > QUOTED_RUN and self._is_strewn(found):
                return True
        self.met |= self.pieces & _runs(found, self.size)
        return len(self.met) >= _PIECED * len(self.pieces)

    def _is_strewn(self, found: Sequence[str]) -> bool:
        """Tells whether nearly all words stand there in their order, each a few others after the one before."""
        starts = [at for at, word in enumerate(found) if word == self.said[0]][:_STARTS]
        return any(self._follow(found, at) >= _STREWN * len(self.said) for at in starts)

    def _follow(self, found: Sequence[str], at: int) -> int:
        met = 0
        for word in self.said:
            near = found[at : at + 1 + _FILLERS]
            if word in near:
                at += near.index(word) + 1
                met += 1
        return met

    def _is_long(self) -> bool:
        return len(self.spelled[0]) >= _FEWEST_LETTERS


def _readings(text: str) -> tuple[str, str]:
    """Returns a text as it looks once it is shown, in lower case, with what is written in it in another way; and its
    letters alone, without tags and whatever else stands between them.
    """
    plain = unescape(unescape(clean(_FRAME.sub("", text))))  # what is escaped twice is shown once escaped
    hidden = _hidden(unescape(unescape(text)))
    told = [plain, *_decoded(plain), *hidden, *(one for some in hidden for one in _decoded(some))]
    looks = [as_it_looks(one) for one in told]
    bare = [as_it_looks(_TAG.sub("", one)) if "<" in one else look for one, look in zip(told, looks, strict=True)]
    lines = [as_it_looks(" ".join(_ALONE.findall(one))) for one in told]  # one word a line, with others between
    return "\n".join(looks).lower(), "|".join(map(_letters, bare + lines))


def _hidden(text: str) -> list[str]:
    """Returns what signs say that nobody sees and a model reads: tags, each of a letter, and variation selectors, each
    of a byte.
    """
    if not _INVISIBLE.search(text):
        return []
    tags = "".join(chr(ord(sign) - _TAGS) for sign in _TAGGED.findall(text))
    selected = [ord(sign) for sign in _SELECTORS.findall(text)]
    data = bytes(code - 0xFE00 if code < _TAGS else code - 0xE0100 + 16 for code in selected)
    return [told for told in (clean(tags), _said_by(lambda _: data, "")) if told.strip()]


def _cleaned(text: str) -> str:
    """Returns what a text shows, with what its hidden signs say."""
    return "\n".join((clean(text), *_hidden(text)))


def _letters(text: str) -> str:
    return _NO_LETTER.sub("", text.lower())


def _decoded(text: str) -> list[str]:
    """Returns what is written in a text in other ways: escaped, or encoded, also one in another."""
    found: list[str] = []
    left = [text]
    for _ in range(_ROUNDS):
        left = [one for told in left for one in _once_decoded(told[:_DECODED_CHARS])][:_DECODED_AGAIN]
        found += left
    return found


def _once_decoded(text: str) -> Iterator[str]:
    plain = text
    for mark, pattern, meaning in _ESCAPES:
        if mark in plain:
            plain = pattern.sub(meaning, plain)
    if plain != text:
        before = set(text.split("\n"))
        yield _cleaned("\n".join(line for line in plain.split("\n") if line not in before))
    yield from _in_parts(text)
    unlisted = _LISTED.sub("", text)
    for pattern, decode in _ENCODINGS:
        for piece in islice(pattern.finditer(unlisted), _PIECES):
            if told := _said_by(decode, _BETWEEN.sub("", piece[0])):
                yield told


def _in_parts(text: str) -> Iterator[str]:
    """Yields what words say that are encoded one by one, what the lines of a hex dump say together, and what is said
    where a backslash begins the number of a letter.
    """
    for pattern, meaning in _OTHER_ESCAPES:
        if "\\" in text and (told := pattern.sub(meaning, text)) != text:
            yield _cleaned(told)
    parts = [_said_by(_base64, found[0]) for found in islice(_ENCODED_WORD.finditer(text), _WORDS_DECODED)]
    said = [part for part in parts if any(map(str.isalnum, part))]
    if len(said) >= _FEWEST_PARTS:
        yield " ".join(said)
    yield from _by_number(text)
    dumped = _DUMPED.findall(text)
    if len(dumped) > 1 and (shown := _said_by(_hex, "".join("".join(dumped).split()))):
        yield shown


def _by_number(text: str) -> Iterator[str]:
    """Yields what rows of decimal numbers say, each of a letter: bare, in a list, or as a program's calls."""
    row: list[int] = []
    end = 0
    for found in islice(_NUMBER.finditer(text), _WORDS_DECODED):
        if row and not _AMONG_NUMBERS.fullmatch(text, end, found.start()):
            yield from _from_codes(row)
            row = []
        row.append(int(found[0]))
        end = found.end()
    yield from _from_codes(row)


def _from_codes(row: Sequence[int]) -> Iterator[str]:
    if len(row) >= _FEWEST_LETTERS and max(row) < 256 and (told := _said_by(lambda _: bytes(row), "")):
        yield told


def _said_by(decode: Callable[[str], bytes], piece: str) -> str:
    """Returns what a piece of encoded text says, "" if it says nothing."""
    try:
        found = decode(piece)
        if found[:1] in (b"\x1f", b"\x78"):
            found = decompressobj(47).decompress(found, _DECODED_CHARS)
        wide = found.count(0) > len(found) // 4
        told = found.decode("utf-16-be" if wide and not found[0] else "utf-16-le" if wide else "utf-8")
    except (ValueError, zlib_error, IndexError):
        return ""
    shown = _cleaned(told)
    return shown if sum(char.isprintable() or char.isspace() for char in shown) >= _PRINTABLE * len(shown) else ""


def _hex(piece: str) -> bytes:
    return bytes.fromhex(piece.replace("0x", "").replace(",", ""))


def _bits(piece: str) -> bytes:
    return bytes(int(piece[at : at + 8], 2) for at in range(0, len(piece) - 7, 8))


def _base64(piece: str) -> bytes:
    piece = piece.rstrip("=").replace("-", "+").replace("_", "/")
    return b64decode(piece[: len(piece) - (len(piece) % 4 == 1)] + "=" * (-len(piece) % 4))


def _base64_pieces(pieces: str) -> bytes:
    return _base64(pieces.replace(";", ""))


def _base32(piece: str) -> bytes:
    piece = piece.rstrip("=").upper()
    return b32decode(piece + "=" * (-len(piece) % 8))


def _character(found: re.Match[str]) -> str:
    code = int(found[found.lastindex or 0], 16)
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else ""


def _octal(found: re.Match[str]) -> str:
    codes = (int(code, 8) for code in found[0].split("\\") if code)
    return bytes(code for code in codes if code < 256).decode(errors="replace")


def _octets(found: re.Match[str]) -> str:
    return bytes.fromhex(re.sub("[^0-9a-fA-F]", "", found[0].replace("\\x", ""))).decode(errors="replace")


# How characters are escaped, with a mark without which a text has none.
_ESCAPES: tuple[tuple[str, Pattern, str | Callable[[re.Match[str]], str]], ...] = (
    ("=\n", Pattern(r"=\n"), ""),  # quoted-printable wraps a line so
    ("=", Pattern(r"(?:=[0-9A-F]{2})+"), _octets),
    ("%", Pattern(r"(?:%[0-9a-fA-F]{2})+"), _octets),
    ("\\x", Pattern(r"(?:\\x[0-9a-fA-F]{2})+"), _octets),
    ("\\", Pattern(r"\\u\{([0-9a-fA-F]{1,6})\}|\\U([0-9a-fA-F]{8})|\\u([0-9a-fA-F]{4})"), _character),
    ("%u", Pattern(r"%u([0-9a-fA-F]{4})"), _character),
    ("U+", Pattern(r"U\+([0-9a-fA-F]{4,6})\s?"), _character),
)
# Escapes that read the same signs in different ways: octal numbers, and those of style sheets.
_OTHER_ESCAPES: tuple[tuple[Pattern, Callable[[re.Match[str]], str]], ...] = (
    (Pattern(r"(?:\\0?[0-3]?[0-7]{2})+"), _octal),
    (Pattern(r"\\([0-9a-fA-F]{2,6})\s?"), _character),
)
# Signs that are not shown, and of them those that stand for a letter or a byte.
_TAGS = 0xE0000
_INVISIBLE = Pattern("[\ufe00-\ufe0f\U000e0020-\U000e007e\U000e0100-\U000e01ef]")
_TAGGED = Pattern("[\U000e0020-\U000e007e]")
_SELECTORS = Pattern("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_NUMBER = Pattern(r"(?<![\w.])\d{1,3}(?![\w.])")
_AMONG_NUMBERS = Pattern(r"[\s,;.+&|:/)\]-]{0,6}(?:[A-Za-z][A-Za-z.]{0,24}[(\[]\s?)?")  # also `chr(`
_LISTED = Pattern(r"^[ \t]*(?:[-+*•][ \t]+|\d+[.)][ \t]+)", re.MULTILINE)
_ENCODED_WORD = Pattern(r"(?<![\w+/=-])(?=[a-z+/_-]{0,99}[A-Z0-9=])[A-Za-z0-9+/_-]{2,200}={0,2}(?![\w+/=-])")
_DUMPED = Pattern(
    r"^(?:[0-9a-fA-F]{6,8}:?)?[ \t]*((?:[0-9a-fA-F]{2}(?:[0-9a-fA-F]{2})?[ ]{1,2}){1,16})[ ]*(?:[ |].*)?$", re.MULTILINE
)
# Encodings: lines of a comment or a list may part them.
_ENCODINGS: tuple[tuple[Pattern, Callable[[str], bytes]], ...] = (
    (Pattern(r"(?<![0-9a-zA-Z])(?:[01]{8}[\s,:-]{0,3}){6,}"), _bits),
    (Pattern(r"(?<![0-9a-zA-Z])(?:(?:0x)?[0-9a-fA-F]{2}[\s,:-]{0,3}){12,}"), _hex),
    (
        Pattern(
            r"(?<!\w)(?:[A-Z2-7]{4,}(?:[ \t\\\"'+,]*\n[\s>#*|\"']*|[ ](?=[A-Z2-7]{4,})))*"
            r"\b[A-Z2-7]{2,}={0,6}"
        ),
        _base32,
    ),
    (
        Pattern(
            r"(?:^[ \t>#*|\"'/]*[A-Za-z0-9+/_-]{4,}={0,2}[ \t\\\"'+,]*\n){2,}"
            r"(?:[ \t>#*|\"'/]*[A-Za-z0-9+/_-]{1,}={0,2}$)?",
            re.MULTILINE,
        ),
        _base64,
    ),
    (
        Pattern(r"(?<![A-Za-z0-9+/_-])(?:[A-Za-z0-9+/_-]{8,200}={0,2}[\s\"',|;]{1,8}){2,}[A-Za-z0-9+/_-]{1,}={0,2}"),
        _base64_pieces,
    ),
    (Pattern(r"(?<!\S)(?:[A-Za-z0-9+/_-]{4}[ ]){6,}[A-Za-z0-9+/_-]{2,4}={0,2}"), _base64),
    (Pattern(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}={0,2}"), _base64),
    (Pattern(r"(?<![A-Za-z0-9])[a-z2-7]{32,}={0,6}"), _base32),
)


def is_translated(texts: Sequence[str], read: Iterable[str]) -> bool:
    """Tells whether one of the texts may be a translation of what was read: of prose in another language."""
    said = {language for text in texts if (language := language_of(text))}
    return bool(said) and any(_is_foreign(part, said) for text in read for part in (text, *_SENTENCE.findall(text)))


def is_reworded(texts: Sequence[str], read: Iterable[str], said: Iterable[str]) -> bool:
    """Tells whether one of the texts may say in other words what was read: most of its telling words, but for those
    that the user had `said`, stand close together there.
    """
    known = {start for text in said for start in _starts(words(text))}
    left = [new for text in texts if (new := _starts(words(text)) - known)]
    return bool(left) and any(
        2 * len(new & near) > len(new) for text in read for near in _passages(_readings(text)[0]) for new in left
    )


def _passages(text: str) -> Iterator[set[str]]:
    """Yields the telling words of each passage of a text, which overlap."""
    found = words(text)
    for at in range(0, max(1, len(found) - _PASSAGE // 2), _PASSAGE // 2):
        yield _starts(found[at : at + _PASSAGE])


def _starts(found: Iterable[str]) -> set[str]:
    """Returns the beginnings of the words that tell something, which inflection does not change."""
    return {word[:_START] for word in found if len(word) > 1 and word not in _TELLS_NOTHING}


def _is_foreign(text: str, said: set[str]) -> bool:
    """Tells whether a text is in a language that is none of these. A sentence with hardly a frequent word of English,
    and few that end like English ones, is in another one, whichever.
    """
    if other := language_of(text):
        return other not in said
    if "en" not in said or not _PROSE.fullmatch(text.strip()):
        return False
    found = [word for word in words(_NAMES.sub(" ", text.lower())) if word.isalpha()]
    english = sum(word in _ENGLISH for word in found) + len(_CONTRACTED.findall(text))
    if len(found) < _SENTENCE_WORDS or english >= _ENGLISH_SHARE * len(found):
        return False
    alike = english + sum(word not in _ENGLISH and bool(_ENDS_ENGLISH.fullmatch(word)) for word in found)
    return alike < _ALIKE_SHARE * len(found)


_ENGLISH_SHARE = 0.1  # of a sentence's words: 97 of 100 English sentences have as many
_ALIKE_SHARE = 0.32  # that are English by their ending too: of 42 sentences in other languages, 37 have fewer
# Words that are frequent in other languages too: "on" is Finnish, "is" and "go" Irish, "for" and "men" Danish.
_SHARED = frozenset(
    "all also am an as at be by den do for go hat he her in is it man me men no not note of on or sat set so to up us "
    "was we will".split()
)
_CONTRACTED = Pattern(r"\w(?:n't|'(?:s|ll|re|ve|d|m))\b", re.IGNORECASE)
_ENDS_ENGLISH = Pattern(
    r"[a-z]{2,}(?:ing|ed|[st]ions?|ments?|ly|able|ible|ness|ity|ies|i[sz]e|ers?|ates?|als?|ure|ive|ous|[ae]nce|th|ck|"
    r"sh|ght|ow|[b-df-hj-np-tv-z]y|ss|ll|[klprtdn]s|ics?|ct|or|ge|ces?|est|ful|les?)"
)
_ENGLISH = {
    *(word for word in STOP_WORDS if len(word) > 1),
    *"""
    all always never must before after again also another any because best both code command default each error even
    every example file files first found get give go here hers its keep last left like line list made make many may
    memory more most name need new next now number off old one only other out over page print project reads real return
    run runs same says see set shows since some still such take test tests text than those time too two under until up
    user value very want way well where while whose within without word words work works write year yes
    """.split(),
} - _SHARED
_NAMES = Pattern(r"\S*\w[./@:]\w\S*")  # of hosts and files
_SENTENCE_WORDS = 6  # fewer words may be a heading, or a list
_SENTENCE = Pattern(r"[^\n.!?]{12,400}(?:\.(?=\w)[^\n.!?]{1,200}){0,5}[.!?\n。]?")
# A sentence, also one without its full stop: that makes 1 in 700 results of tools in English one of another language.
_PROSE = Pattern(r"[-*>#\s\d]{0,6}[^\W\d_a-z][^{}()\[\]<>=|;`$\\]{20,}[.!?]?")


def _runs(found: Sequence[str], size: int) -> set[tuple[str, ...]]:
    return {tuple(found[at : at + size]) for at in range(len(found) - size + 1)}
