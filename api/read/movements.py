"""What moved ETV from one period to the next, per organization, repository or developer."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from api.control.visibility import OTHER_TEAMS
from api.errors import PermissionDenied
from api.read.columns import Column, Kind, columns
from api.read.figures import ORGANIZATIONS
from api.read.groups import hidden_months
from api.read.ordering import Condition, Term, both, days, one_of
from api.read.periods import Interval, Range, last_of, start_of
from api.read.scope import NO_INDIVIDUALS, Scope
from api.read.series import ENTITIES as GROUPED
from api.warehouse import Build

COLUMNS = columns(
    Column("entity_kind", Kind.ENUM, "entity_kind"),
    Column("entity_id", Kind.ID, "entity_id"),
    Column("name", Kind.TEXT, "name"),
    Column("period_start", Kind.DATE, "period_start"),
    Column("period_end", Kind.DATE, "period_end"),
    Column("is_draft", Kind.FLAG, "is_draft"),
    Column("etv", Kind.MICRO, "etv_micro"),
    Column("previous_etv", Kind.MICRO, "previous_etv_micro"),
    Column("changes", Kind.MICRO, "changes_micro"),
    Column("mix", Kind.MICRO, "mix_micro"),
    Column("size", Kind.MICRO, "size_micro"),
    Column("rework", Kind.MICRO, "rework_micro"),
    Column("value", Kind.MICRO, "value_micro"),
    Column("calculation_version", Kind.TEXT, "calculation_version"),
)
NEWEST_FIRST = (
    Term(COLUMNS["periodStart"], True),
    Term(COLUMNS["name"], False),
    Term(COLUMNS["entityId"], False),
)
UNIQUE = (COLUMNS["periodStart"], COLUMNS["entityId"])
ENTITIES = {"ORGANIZATION": ORGANIZATIONS} | GROUPED


@dataclass(frozen=True, slots=True)
class MovementSelection:
    """Periods of one length that begin in the range; of entities of one kind, all where no id is given."""

    kind: str
    ids: Sequence[str]
    interval: Interval
    range: Range
    with_drafts: bool


def refuse_closed(scope: Scope, kind: str) -> None:
    """Raises PermissionDenied where movements of entities of a kind are closed to the scope."""
    if kind in ("ORGANIZATION", "REPOSITORY"):
        if scope.teams is not None:
            raise PermissionDenied(
                f"you may not see what moved a whole {kind.lower()}: {OTHER_TEAMS}; entity=TEAM and entity=DEVELOPER "
                "are open"
            )
    elif kind == "DEVELOPER" and not scope.has_individuals:
        raise PermissionDenied(NO_INDIVIDUALS)


def source(build: Build, scope: Scope, kind: str, range_: Range, interval: Interval) -> Condition:
    """The movements of entities of a kind, with their names, without those that too few people made."""
    entity = ENTITIES[kind]
    return Condition(
        f"select movements.*, entities.name from {scope.table(build, 'movements')} as movements "
        f"join {scope.table(build, entity.table)} as entities on entities.{entity.key} = movements.entity_id "
        f"where movements.entity_kind = '{kind.lower()}' and {_shown(build, scope, kind, range_, interval)}"
    )


def _shown(build: Build, scope: Scope, kind: str, range_: Range, interval: Interval) -> str:
    if scope.has_individuals:
        return "true"
    # Each period is compared with the one before, so both must be shown.
    before = start_of(interval, start_of(interval, range_.first) - timedelta(days=1))
    few = hidden_months(
        build, scope, kind.lower(), Range(before, last_of(interval, start_of(interval, range_.last)))
    )
    if not few:
        return "not is_draft"
    values = ", ".join(f"('{key}', date '{month}')" for key, month in few)
    months = {Interval.QUARTER: 3, Interval.YEAR: 12}.get(interval, 1)
    return (
        f"not is_draft and not exists (select 1 from (values {values}) as few (id, month) "
        f"where few.id = movements.entity_id and few.month <= movements.period_end "
        f"and few.month >= movements.period_start - interval {months} months)"
    )


def condition(selection: MovementSelection) -> Condition:
    """Which rows are selected."""
    conditions = [
        Condition("period = ?", (selection.interval.sql,)),
        days("period_start", start_of(selection.interval, selection.range.first), selection.range.last),
    ]
    if selection.ids:
        conditions.append(one_of("entity_id", selection.ids))
    if not selection.with_drafts:
        conditions.append(Condition("not is_draft"))
    return both(*conditions)
