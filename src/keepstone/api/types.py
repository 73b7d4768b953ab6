"""Re-exports the types that `Memory` takes and returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..model.filter import Filter as Filter
from ..recall.search import Results as Results

if TYPE_CHECKING:
    from ..admin.health_report import Check as Check
    from ..admin.prove import Proof as Proof
    from ..admin.status import Spending as Spending
    from ..admin.status import Status as Status
    from ..admin.week import Named as Named
    from ..admin.week import Week as Week
    from ..capture.explain import Explained as Explained
    from ..capture.extractors.rules import Judgement as Judgement
    from ..capture.ingest import Ingested as Ingested
    from ..capture.ingest import Sources as Sources
    from ..claude_code.observation import Observation as Observation
    from ..db.repair import Repaired as Repaired
    from ..db.sessions_read import Seen as Seen
    from ..freshness.verify import Verified as Verified
    from ..graph.explore import Subgraph as Subgraph
    from ..jobs.maintain import JobResult as JobResult
    from ..lifecycle.explain_worth import Worth as Worth
    from ..lifecycle.history_sql import Entry as Entry
    from ..lifecycle.history_sql import Version as Version
    from ..lifecycle.review import Proposal as Proposal
    from ..privacy.scrub import Scrubbed as Scrubbed
    from ..recall.search_archive import Quote as Quote
    from ..recall.search_archive import ToldTurn as ToldTurn
    from ..recall.why import Why as Why
    from ..transfer.export import Exported as Exported
    from ..transfer.import_foreign import Imported as Imported
    from ..transfer.migrate import Moved as Moved
    from ..transfer.migrate import Plan as Plan
