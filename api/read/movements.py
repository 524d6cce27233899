"""What moved ETV from one period to the next, per organization, repository or developer."""

from collections.abc import Sequence
from dataclasses import dataclass

from api.read.columns import Column, Kind, columns
from api.read.ordering import Condition, Term, both, days, one_of
from api.read.periods import Interval, Range, start_of
from api.read.scope import Scope

COLUMNS = columns(
    Column("entity_kind", Kind.ENUM, "entity_kind"),
    Column("entity_id", Kind.TEXT, "entity_id"),
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
# Kind of entity → table with the names of its rows, and their key.
_NAMES = {
    "ORGANIZATION": ("organizations", "organization_id"),
    "REPOSITORY": ("repositories", "repository_id"),
    "DEVELOPER": ("developers", "developer_id"),
}
KINDS = tuple(_NAMES)


@dataclass(frozen=True, slots=True)
class MovementSelection:
    """Periods of one length that begin in the range; of entities of one kind, all where no id is given."""

    kind: str
    ids: Sequence[str]
    interval: Interval
    range: Range
    with_drafts: bool


def source(scope: Scope, kind: str) -> Condition:
    """The movements of entities of a kind, with their names."""
    table, key = _NAMES[kind]
    return Condition(
        f"select movements.*, entities.name from {scope.table('movements')} as movements "
        f"join {scope.table(table)} as entities on entities.{key} = movements.entity_id "
        f"where movements.entity_kind = '{kind.lower()}'"
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
