"""Restatements: the totals of an organization before and after its rules changed.

Keep out: reading totals from builds (orchestration), closed months of CapEx (capex/restatements.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Self

from sqlalchemy import delete

from api.control.ids import new_id
from api.control.list_pages import Key, ListPage, ListQuery, list_page
from api.control.models import Restatement
from api.control.records import copied, owned
from api.control.store import ControlStore

WHOLE_HISTORY, LAST_12_MONTHS = "whole_history", "last_12_months"
KEYS = {"at": Key(Restatement.at), "id": Key(Restatement.id)}


@dataclass(frozen=True, slots=True)
class Totals:
    """An organization's work in a period, by people and without sandboxes, as one build has it."""

    etv_micro: int
    effort_micro: int
    # Commits that count.
    commits: int
    developers: int
    # The number of developers in the month that had the fewest, among months with work.
    fewest_developers: int
    category_etv_micro: dict[str, int]
    # By zero reason: delivered commits that earn nothing, and their added lines.
    zero_commits: dict[str, int]
    zero_lines_added: dict[str, int]

    def written(self) -> dict[str, Any]:
        """The totals as JSON."""
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def read(cls, written: dict[str, Any]) -> Self:
        """The totals from JSON."""
        return cls(**written)


@dataclass(frozen=True, slots=True)
class RestatedPeriod:
    """The totals of one period before and after. Before is None when this release cannot read the older build."""

    period: str
    start_on: date | None
    end_on: date
    before: Totals | None
    after: Totals


@dataclass(frozen=True, slots=True)
class RestatementRecord:
    """A change of rules between two builds."""

    id: str
    at: datetime
    replaced_build_id: str
    build_id: str
    version_before: str
    version_after: str
    causes: tuple[str, ...]
    periods: tuple[RestatedPeriod, ...]


def restate(
    store: ControlStore,
    organization_id: str,
    builds: tuple[str, str],
    versions: tuple[str, str],
    causes: Sequence[str],
    periods: Sequence[RestatedPeriod],
) -> None:
    """Record the changes from one build to the next.

    Deletes records of a build that never replaced this one.
    """
    with store.write_transaction(organization_id) as session:
        session.execute(
            delete(Restatement).where(
                Restatement.organization_id == organization_id, Restatement.replaced_build_id == builds[0]
            )
        )
        session.add(
            Restatement(
                id=new_id(),
                organization_id=organization_id,
                at=store.now(),
                replaced_build_id=builds[0],
                build_id=builds[1],
                version_before=versions[0],
                version_after=versions[1],
                causes=list(causes),
                periods=[_written(period) for period in periods],
            )
        )


def list_restatements(
    store: ControlStore, organization_id: str, asked: ListQuery
) -> ListPage[RestatementRecord]:
    """A page of the restatements, newest first."""
    statement = owned(Restatement, organization_id)
    with store.session() as session:
        return list_page(session, statement, KEYS, asked, _record, default="at desc", unique="id")


def of_build(store: ControlStore, organization_id: str, build_id: str) -> RestatementRecord | None:
    """The restatement of this build; None when its rules equal those of the build before."""
    statement = owned(Restatement, organization_id, Restatement.build_id == build_id)
    with store.session() as session:
        found = session.scalar(statement)
        return _record(found) if found is not None else None


def _written(period: RestatedPeriod) -> dict[str, Any]:
    return {
        "period": period.period,
        "start_on": period.start_on.isoformat() if period.start_on is not None else None,
        "end_on": period.end_on.isoformat(),
        "before": period.before.written() if period.before is not None else None,
        "after": period.after.written(),
    }


def _record(row: Restatement) -> RestatementRecord:
    return copied(RestatementRecord, row, periods=tuple(_period(written) for written in row.periods))


def _period(written: dict[str, Any]) -> RestatedPeriod:
    start, before = written["start_on"], written["before"]
    return RestatedPeriod(
        written["period"],
        date.fromisoformat(start) if start is not None else None,
        date.fromisoformat(written["end_on"]),
        Totals.read(before) if before is not None else None,
        Totals.read(written["after"]),
    )
