"""Drafts: the summary of the running period so far, made of the newest build on request."""

from dataclasses import dataclass, replace
from datetime import date

from api.access.row_access import RowAccess
from api.control.summaries.kinds import Period, ScopeKind
from api.control.visibility import OTHER_TEAMS
from api.errors import PermissionDenied
from api.presentation.summaries.composing import compose
from api.presentation.summaries.composing.causes import with_other_cause
from api.presentation.summaries.document import Document
from api.presentation.summaries.facts import COLUMNS, Fact
from api.read.entities import REPOSITORIES, TEAMS
from api.read.ids import visible_ids
from api.snapshot.build import Build

ENTITIES = {ScopeKind.TEAM: TEAMS, ScopeKind.REPOSITORY: REPOSITORIES}


@dataclass(frozen=True, slots=True)
class Draft:
    """The text of a running period."""

    build_id: str
    scope_kind: ScopeKind
    scope_id: str
    scope_name: str
    period: Period
    period_start: date
    period_end: date
    document: Document
    facts: tuple[Fact, ...]


def draft(build: Build, access: RowAccess, kind: ScopeKind, wanted: str | None, period: Period) -> Draft:
    """The draft of a scope. Raises the error of `RowAccess.unknown` for a scope outside of the visible rows, and where
    the build has no facts of its running period.
    """
    scope, name = _scope(build, access, kind, wanted)
    # The whole facts, because a text that knows only some would say wrong things; `visible` leaves sentences out.
    table = replace(access, minimum_group_size=1).table(build, "summary_facts")
    rows = build.rows(
        f"select {', '.join(COLUMNS)} from {table} where is_draft "
        "and scope_kind = ? and scope_id = ? and period = ? order by kind, position, fact_id",
        (kind.name, scope, period.value),
    )
    if not rows:
        raise access.unknown(f"work in the running {period.value} of {kind.value} {name!r}")
    facts = with_other_cause(Fact.from_row(row) for row in rows)
    start, end = facts[0].period_start, facts[0].period_end
    return Draft(build.id, kind, scope, name, period, start, end, compose(facts, name), facts)


def _scope(build: Build, access: RowAccess, kind: ScopeKind, wanted: str | None) -> tuple[str, str]:
    """The id and the name of a scope that the caller sees."""
    if access.is_narrowed and kind is not ScopeKind.TEAM:
        raise PermissionDenied(f"you may not see this summary: {OTHER_TEAMS}")
    if kind is ScopeKind.ORGANIZATION:
        return access.organization_id, str(build.value("select name from organizations"))
    entity = ENTITIES[kind]
    (found,) = visible_ids(build, access, entity, [wanted or ""])
    rows = build.rows(
        f"select name from {access.table(build, entity.table)} where {entity.key} = ?", (found,)
    )
    return found, str(rows[0]["name"]) if rows else found
