"""Summaries as callers read them: pages of the list, one of them, and its texts.

Keep out: facts that few people made, which callers may not see (read/summaries/).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from sqlalchemy import ColumnElement, Select, select
from sqlalchemy.orm import defer

from api.control.errors import NotAllowed, NotFound
from api.control.list_pages import Key, ListPage, ListQuery, list_page
from api.control.models import Summary, SummaryRevision
from api.control.records import copied, owned
from api.control.store import ControlStore
from api.control.summaries.kinds import (
    Period,
    RevisionContent,
    RevisionRecord,
    ScopeKind,
    SummaryRecord,
)
from api.control.visibility import OTHER_TEAMS

KEYS = {
    "startDate": Key(Summary.period_start),
    "endDate": Key(Summary.period_end),
    "scopeName": Key(Summary.scope_name),
    "generatedAt": Key(SummaryRevision.generated_at),
    "id": Key(Summary.id),
}
REVISION_KEYS = {"number": Key(SummaryRevision.number)}
_NEWEST = (SummaryRevision.summary_id == Summary.id) & (SummaryRevision.number == Summary.revision_count)
# A page of a hundred summaries has megabytes of facts.
_WITHOUT_CONTENT = (
    defer(SummaryRevision.facts),
    defer(SummaryRevision.document),
    defer(SummaryRevision.answer),
    defer(SummaryRevision.restated_facts),
)


@dataclass(frozen=True, slots=True)
class Selection:
    """Selected summaries; None or empty means any. `teams` restricts them to these teams, for a team lead."""

    teams: Sequence[str] | None = None
    scope_kinds: Sequence[ScopeKind] = ()
    scope_ids: Sequence[str] = ()
    periods: Sequence[Period] = ()
    start_on: date | None = None
    end_on: date | None = None
    is_restated: bool | None = None


def list_summaries(
    store: ControlStore, organization_id: str, asked: ListQuery, selection: Selection
) -> ListPage[SummaryRecord]:
    """A page of the stored summaries, newest period first."""
    with store.session() as session:
        statement = _summaries(organization_id, *_conditions(selection))
        return list_page(session, statement, KEYS, asked, _record, default="startDate desc", unique="id")


def summary(
    store: ControlStore, organization_id: str, summary_id: str, teams: Sequence[str] | None = None
) -> SummaryRecord:
    """A stored summary. Raises NotFound; for a lead, who reads summaries of these `teams`, NotAllowed for any other."""
    chosen = _summaries(
        organization_id, Summary.id == summary_id.lower(), *_conditions(Selection(teams=teams))
    )
    with store.session() as session:
        found = session.execute(chosen).one_or_none()
    if found is not None:
        return _record(*found)
    if teams is not None:
        raise NotAllowed(f"no summary {summary_id!r} of the teams that you lead: {OTHER_TEAMS}")
    raise NotFound(f"no summary {summary_id!r} in this organization; …/summaries lists them")


def list_revisions(
    store: ControlStore, organization_id: str, asked: ListQuery, summary_id: str
) -> ListPage[RevisionRecord]:
    """A page of the texts of a summary, newest first."""
    of_this = SummaryRevision.summary_id == summary_id
    statement = owned(SummaryRevision, organization_id, of_this).options(*_WITHOUT_CONTENT)
    with store.session() as session:
        return list_page(
            session, statement, REVISION_KEYS, asked, _revision, default="number desc", unique="number"
        )


def content(store: ControlStore, organization_id: str, summary_id: str, number: int) -> RevisionContent:
    """A text of a summary with its content. Raises NotFound."""
    with store.session() as session:
        row = session.get(SummaryRevision, (summary_id, number))
        if row is None or row.organization_id != organization_id:
            raise NotFound(f"the summary has no revision {number}; …/revisions lists those that it has")
        return RevisionContent(_revision(row), row.facts, row.document, row.restated_facts)


def _summaries(organization_id: str, *conditions: ColumnElement[bool]) -> Select[Summary, SummaryRevision]:
    statement = select(Summary, SummaryRevision).join(SummaryRevision, _NEWEST).options(*_WITHOUT_CONTENT)
    return statement.where(Summary.organization_id == organization_id, *conditions)


def _conditions(selection: Selection) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if selection.teams is not None:
        conditions += [Summary.scope_kind == ScopeKind.TEAM.value, Summary.scope_id.in_(selection.teams)]
    if selection.scope_kinds:
        conditions.append(Summary.scope_kind.in_([kind.value for kind in selection.scope_kinds]))
    if selection.scope_ids:
        conditions.append(Summary.scope_id.in_([one.lower() for one in selection.scope_ids]))
    if selection.periods:
        conditions.append(Summary.period.in_([one.value for one in selection.periods]))
    if selection.start_on is not None:
        conditions.append(Summary.period_start >= selection.start_on)
    if selection.end_on is not None:
        conditions.append(Summary.period_end <= selection.end_on)
    if selection.is_restated is not None:
        restated = SummaryRevision.restated_at.is_not(None)
        conditions.append(restated if selection.is_restated else ~restated)
    return conditions


def _record(row: Summary, newest: SummaryRevision) -> SummaryRecord:
    return copied(SummaryRecord, row, newest=_revision(newest))


def _revision(row: SummaryRevision) -> RevisionRecord:
    return copied(RevisionRecord, row)
