"""Manual decisions about commits that no published build includes yet.

Keep out: the decisions themselves (categories.py, exclusions.py), changes of other kinds (operations/).
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import and_, select

from api.control.models import CommitCategory, Operation
from api.control.store import ControlStore

KINDS = {
    "commits.categorize": "CATEGORY",
    "commits.exclude": "EXCLUSION",
    "commits.include": "INCLUSION",
}
"""The kind of a decision by its action in the audit log."""


@dataclass(frozen=True, slots=True)
class PendingDecision:
    """A decision about a commit. `category` is the new one in lower case; None: the rules decide, or another kind."""

    operation_id: str
    commit_id: str
    kind: str
    category: str | None
    at: datetime


def pending_decisions(store: ControlStore, organization_id: str) -> list[PendingDecision]:
    """The pending decisions about commits of an organization, oldest first: the newest one of each commit and kind."""
    statement = (
        select(Operation, CommitCategory.category)
        .outerjoin(
            CommitCategory,
            and_(
                CommitCategory.organization_id == Operation.organization_id,
                CommitCategory.commit_id == Operation.target_id,
            ),
        )
        .where(
            Operation.organization_id == organization_id,
            Operation.build_id.is_(None),
            Operation.target_kind == "commit",
            Operation.action.in_(KINDS),
        )
        .order_by(Operation.position)
    )
    newest: dict[tuple[str, bool], PendingDecision] = {}
    with store.session() as session:
        for row, category in session.execute(statement):
            kind = KINDS[row.action]
            key = row.target_id, kind == "CATEGORY"
            # An exclusion and its end follow each other; the last one holds.
            newest.pop(key, None)
            newest[key] = PendingDecision(
                row.id, row.target_id, kind, category if kind == "CATEGORY" else None, row.at
            )
    return list(newest.values())
