"""Changes of ETV from one period to the next, per organization, repository or developer."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from pydantic import Field

from api.access.group_privacy.groups import months_without_split
from api.access.row_access import NO_INDIVIDUALS, RowAccess
from api.control.visibility import OTHER_TEAMS
from api.errors import PermissionDenied
from api.query.conditions import TRUE, Condition, both, days, one_of
from api.query.fields import Id, Micro, columns_of
from api.query.ordering import Term
from api.query.periods import Interval, Range, last_of, start_of
from api.read.entities import ORGANIZATIONS
from api.read.figures.points import ENTITIES as GROUPED
from api.shapes import Shape
from api.snapshot.build import Build


class Movement(Shape):
    """ETV of a period compared with the period before. `etv - previousEtv` is exactly the sum of the five parts:
    `changes`, `mix`, `size`, `rework` and `value`.

    With a minimum group size, the five parts are null when they would reveal the work of fewer people in one
    category.
    """

    entity_kind: Literal["ORGANIZATION", "REPOSITORY", "DEVELOPER", "TEAM"] = Field(
        description="The kind of the compared entity."
    )
    entity_id: Id
    name: str
    period_start: date
    period_end: date
    is_draft: bool = Field(description="true: the period has not ended.")
    etv: Micro = Field(description="ETV of the period.")
    previous_etv: Micro = Field(description="ETV of the period before.")
    changes: Micro | None = Field(description="The part from more or fewer counted file changes. ETV.")
    mix: Micro | None = Field(
        description="The part from other shares of the categories, including categories with work in only one "
        "of the periods. ETV."
    )
    size: Micro | None = Field(
        description="The part from larger or smaller file changes: points per change before rework. ETV."
    )
    rework: Micro | None = Field(
        description="The part from a smaller or larger share of points lost to rework within two weeks. ETV."
    )
    value: Micro | None = Field(
        description="The part from more or less ETV per point: the factor for fixes of costly bugs. ETV."
    )
    calculation_version: str


COLUMNS = columns_of(Movement)
EFFECTS = ("changes_micro", "mix_micro", "size_micro", "rework_micro", "value_micro")
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


def refuse_closed(access: RowAccess, kind: str) -> None:
    """Raises PermissionDenied where movements of entities of a kind are closed to the access."""
    if kind in ("ORGANIZATION", "REPOSITORY"):
        if access.teams is not None:
            raise PermissionDenied(
                f"you may not see movements of a whole {kind.lower()}: {OTHER_TEAMS}, or use entity=TEAM or "
                "entity=DEVELOPER"
            )
    elif kind == "DEVELOPER" and not access.has_individuals:
        raise PermissionDenied(NO_INDIVIDUALS)


def source(build: Build, access: RowAccess, kind: str, range_: Range, interval: Interval) -> Condition:
    """The movements of entities of a kind, with their names, without those that too few people made.

    The effects are null when they would reveal the work of few people in one category: each effect is a sum over
    categories.
    """
    entity = ENTITIES[kind]
    shown, split = _shown(build, access, kind, range_, interval)
    effects = ", ".join(f"case when is_split then {effect} end as {effect}" for effect in EFFECTS)
    return Condition(
        f"select * exclude (is_split) replace ({effects}) from ("
        f"select movements.*, entities.name, {split.sql} as is_split "
        f"from {access.table(build, 'movements')} as movements "
        f"join {access.table(build, entity.table)} as entities on entities.{entity.key} = movements.entity_id "
        f"where movements.entity_kind = '{kind.lower()}' and {shown.sql})",
        (*split.parameters, *shown.parameters),
    )


def _shown(
    build: Build, access: RowAccess, kind: str, range_: Range, interval: Interval
) -> tuple[Condition, Condition]:
    """The conditions for shown sums, and for shown effects."""
    if access.has_individuals:
        return TRUE, TRUE
    # Each period is compared with the one before, so both must be shown.
    before = start_of(interval, start_of(interval, range_.first) - timedelta(days=1))
    days = Range(before, last_of(interval, start_of(interval, range_.last)))
    found = months_without_split(build, access, kind.lower(), days)
    few = [(key, month) for key, month, is_hidden in found if is_hidden]
    unsplit = [(key, month) for key, month, _ in found]
    return both(Condition("not is_draft"), _in_none(few, interval)), _in_none(unsplit, interval)


def _in_none(months: Sequence[tuple[str, date]], interval: Interval) -> Condition:
    """The condition for movements with both periods outside the given months of the given entities."""
    if not months:
        return TRUE
    length = {Interval.QUARTER: 3, Interval.YEAR: 12}.get(interval, 1)
    # One parameter: thousands of literals would take longer to parse than to look up.
    return Condition(
        "not exists (select 1 from (select split_part(one, ' ', 1) as id, split_part(one, ' ', 2)::date as month "
        "from (select unnest(string_split(?, ',')) as one)) as few "
        f"where few.id = movements.entity_id and few.month <= movements.period_end "
        f"and few.month >= movements.period_start - interval {length} months)",
        (",".join(f"{key} {month}" for key, month in months),),
    )


def condition(selection: MovementSelection) -> Condition:
    """The condition for the selected rows."""
    conditions = [
        Condition("period = ?", (selection.interval.sql,)),
        days("period_start", start_of(selection.interval, selection.range.first), selection.range.last),
    ]
    if selection.ids:
        conditions.append(one_of("entity_id", selection.ids))
    if not selection.with_drafts:
        conditions.append(Condition("not is_draft"))
    return both(*conditions)
