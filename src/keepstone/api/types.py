"""The types of what `Memory` takes and answers, for the faces that call it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ops.search import Results as Results
from ..store.narrow import Narrow as Narrow

if TYPE_CHECKING:
    from ..core.health import Check as Check
    from ..core.observation import Observation as Observation
    from ..ops.account import Worth as Worth
    from ..ops.anchor import Verified as Verified
    from ..ops.explain import Explained as Explained
    from ..ops.explore import Subgraph as Subgraph
    from ..ops.export import Exported as Exported
    from ..ops.import_foreign import Imported as Imported
    from ..ops.ingest import Ingested as Ingested
    from ..ops.ingest import Sources as Sources
    from ..ops.maintain import JobResult as JobResult
    from ..ops.move import Moved as Moved
    from ..ops.move import Plan as Plan
    from ..ops.prove import Proof as Proof
    from ..ops.review import Proposal as Proposal
    from ..ops.scrub import Scrubbed as Scrubbed
    from ..ops.status import Spending as Spending
    from ..ops.status import Status as Status
    from ..ops.week import Named as Named
    from ..ops.week import Week as Week
    from ..ops.why import Why as Why
    from ..store.repair import Repaired as Repaired
    from ..store.seen import Seen as Seen
    from ..store.trail import Entry as Entry
