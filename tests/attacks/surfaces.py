"""All surfaces, each with what would count as through and the texts that try it; and the controls beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from attacks import inside, outside
from attacks.asked import WAYS as ASKED
from attacks.asked import asked
from attacks.bombed import WAYS as BOMBED
from attacks.bombed import bombed
from attacks.claimed import CLONES, NESTED, REMOTES, TWINS, claimed, twins
from attacks.claimed import HONEST as ADDRESSES
from attacks.configured import CONTROL as OWN_SETTINGS
from attacks.configured import configured
from attacks.fenced import PLACES, fenced, project_named
from attacks.huge import HUGE, huge
from attacks.imported import WAYS as IMPORTED
from attacks.imported import honest, imported
from attacks.linked import LINKS, REPOSITORIES, linked
from attacks.outcome import Outcome, Surface
from attacks.outside_settings import SETTINGS
from attacks.placed import WAYS as PLACED
from attacks.placed import placed
from attacks.planted import AGAINST, CHANNELS, TRANSLATIONS, control, fetched, named_tool, planted, reviewed
from attacks.planted import CONTROLS as LEARNED
from attacks.printed import WAYS as PRINTED
from attacks.printed import drawn, printed
from attacks.requested import requested
from builders import lasting

RECALLED = "told to the next session, or recalled"
FENCE = "a second fence, a line of its own, a look-alike of a mark"
SCREEN = "a control, a mark of direction or without width"
ENGINE = "an error of the engine's, other content"
ELSEWHERE = "a file changed elsewhere, a word of one"
HANG = "40 s of processor time, a Python error"

# What a person and Claude really say: each of them has to be learned.
CAUSES = (
    "The cache key lacked the branch",
    "The staging port was set to 8443 in the wrong file",
    "The VPN profile had no route to the registry",
    "The retries were still counted twice by the queue",
    "The worker was started before the migration had run",
)
# What the user's own settings say counts.
CHOSEN = ("KEEPSTONE_BACKUPS=2", "KEEPSTONE_EMBEDDER_URL={url}", "KEEPSTONE_TIER_SEMANTIC_CAP=7", "KEEPSTONE_OFF=1")

Run = Callable[[Path, str, Sequence[str]], Outcome]


def _surfaces(names: Sequence[str], run: Run, delivered: str, corpus: str) -> list[Surface]:
    texts = (tuple(getattr(outside, corpus, ())), tuple(getattr(inside, corpus, ())))
    return [Surface(name, delivered, partial(_run, run, name), *texts) for name in names]


def _run(run: Run, name: str, root: Path, texts: Sequence[str]) -> Outcome:
    return run(root, name, texts)


SURFACES = (
    *_surfaces(tuple(CHANNELS), planted, RECALLED, "INSTRUCTIONS"),
    *_surfaces(tuple(AGAINST), planted, f"{RECALLED}, or what is known is told no more", "REVERSALS"),
    *_surfaces(tuple(TRANSLATIONS), planted, RECALLED, "TRANSLATED"),
    *_surfaces(
        ("what waits is shown to a person",), reviewed, "a person is asked to trust what is not shown", "INSTRUCTIONS"
    ),
    *_surfaces(("a cure that a command has fetched",), fetched, RECALLED, "FETCHES"),
    *_surfaces(("a memory that another tool has told",), named_tool, RECALLED, "TOOLS"),
    *_surfaces(tuple(PLACES), fenced, FENCE, "FENCES"),
    *_surfaces(("fences in a project's folder", "fences in a project's remote"), project_named, FENCE, "FENCES"),
    *_surfaces(("a graph's page",), drawn, "a mark of its own", "FENCES"),
    *_surfaces(tuple(PRINTED), printed, SCREEN, "TERMINAL"),
    *_surfaces(tuple(ASKED), asked, ENGINE, "QUERIES"),
    *_surfaces(("requests to the server, of paths",), requested, f"{ENGINE}, a word of a file", "PATHS"),
    *_surfaces(("requests to the server, of queries",), requested, f"{ENGINE}, a word of a file", "QUERIES"),
    *_surfaces(("headers without the server's token",), requested, "an answer", "QUERIES"),
    *_surfaces(("pages of the server",), requested, "a mark of its own", "FENCES"),
    *_surfaces(tuple(PLACED), placed, ELSEWHERE, "PATHS"),
    *[
        Surface(name, ELSEWHERE, partial(_run, linked, name), (), cases)
        for name, cases in (
            ("links in the data home and at targets", tuple(LINKS)),
            ("hostile .git", tuple(REPOSITORIES)),
        )
    ],
    *[
        Surface(name, "another project's memory, or one made there", partial(_run, claimed, name), (), texts)
        for name, texts in ((CLONES, REMOTES), (NESTED, (*REMOTES, *ADDRESSES)))
    ],
    Surface(
        "settings of a repository",
        "another brief, home or setting; what is lost or sent",
        partial(_run, configured, "settings of a repository"),
        SETTINGS,
    ),
    *_surfaces(tuple(IMPORTED), imported, "a damaged or half-read database, an order recalled", "ARCHIVES"),
    *_surfaces(tuple(BOMBED), bombed, HANG, "BOMBS"),
    Surface("lines of 50 MB", f"{HANG}, 600 MB of memory", partial(_run, huge, "lines of 50 MB"), (), tuple(HUGE)),
)
CONTROLS = (
    *[Surface(name, "", partial(_run, control, name), CAUSES, control=True) for name in LEARNED if "typed" not in name],
    Surface(
        "typed by the user",
        "",
        partial(_run, control, "typed by the user"),
        tuple(map(lasting, range(12))),
        control=True,
    ),
    Surface(TWINS, "", partial(_run, twins, TWINS), ADDRESSES, control=True),
    Surface(OWN_SETTINGS, "", partial(_run, configured, OWN_SETTINGS), CHOSEN, control=True),
    Surface("honest files are imported", "", partial(_run, honest, "honest files are imported"), CAUSES, control=True),
)
