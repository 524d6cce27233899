"""Changes of ETV from one period to the next, per organization, repository or developer."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Annotated, Literal

from pydantic import Field

from api.access.group_privacy.groups import months_without_split, shown_interval
from api.access.row_access import NO_INDIVIDUALS, RowAccess
from api.control.visibility import OTHER_TEAMS
from api.errors import PermissionDenied
from api.query.conditions import TRUE, Condition, both, days, selected, without
from api.query.fields import Id, Micro, columns_of
from api.query.pages import Page, Position
from api.query.parameters import Filter, FirstDayByInterval, LastDay, OneOf, OrderBy, PageQuery, several
from api.query.parameters import Id as GivenId
from api.query.periods import Interval, Range, last_of, start_of
from api.read.entities import ORGANIZATIONS
from api.read.figures.points import ENTITIES as GROUPED
from api.read.ids import visible_ids
from api.read.lists import Listing
from api.read.organizations import local_date, shown_days
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
    difference: Micro = Field(description="`etv - previousEtv`.")
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
# Columns that the query of the list adds to those of the mart.
COMPUTED = ("difference_micro",)
EFFECTS = ("changes_micro", "mix_micro", "size_micro", "rework_micro", "value_micro")
MOVEMENTS = Listing(
    COLUMNS, "periodStart desc, name, entityId", (COLUMNS["periodStart"], COLUMNS["entityId"])
)
ENTITIES = {"ORGANIZATION": ORGANIZATIONS} | GROUPED


class MovementQuery(PageQuery):
    """Parameters of a list of movements."""

    entity: Annotated[
        str,
        OneOf(*ENTITIES),
        Field(
            description="The kind of the compared entities: the organization, repositories, developers or teams."
        ),
    ] = "ORGANIZATION"
    id: list[GivenId] = several("Ids of entities.")
    interval: Annotated[
        str,
        OneOf("WEEK", "MONTH", "QUARTER", "YEAR"),
        Field(description="The length of the compared periods."),
    ] = "MONTH"
    start_date: FirstDayByInterval = None
    end_date: LastDay = None
    include_drafts: bool = Field(
        False, description="Include the current period. Without `endDate`, the range then ends today."
    )
    filter: Filter = ""
    order_by: OrderBy = ""


def list_movements(build: Build, access: RowAccess, query: MovementQuery, position: Position | None) -> Page:
    """A page of the selected movements. Default order: newest period first.

    Raises InvalidArgument, PermissionDenied, and the error of `RowAccess.unknown` for an unknown id.
    """
    requested = Interval(query.interval)
    interval = shown_interval(access, requested)
    _refuse_closed(access, query.entity)
    shown = shown_days(build, access, query, requested)
    if query.include_drafts and query.end_date is None and access.has_individuals:
        shown = Range(shown.first, max(shown.last, local_date(build, access)))
    return MOVEMENTS.page(
        build,
        query,
        position,
        _source(build, access, query.entity, shown, interval),
        Condition("period = ?", (interval.sql,)),
        days("period_start", start_of(interval, shown.first), shown.last),
        selected("entity_id", visible_ids(build, access, ENTITIES[query.entity], query.id)),
        without("is_draft", unless=query.include_drafts),
    )


def _refuse_closed(access: RowAccess, kind: str) -> None:
    """Raises PermissionDenied where movements of entities of a kind are closed to the access."""
    if kind in ("ORGANIZATION", "REPOSITORY"):
        if access.teams is not None:
            raise PermissionDenied(
                f"you may not see movements of a whole {kind.lower()}: {OTHER_TEAMS}, or use entity=TEAM or "
                "entity=DEVELOPER"
            )
    elif kind == "DEVELOPER" and not access.has_individuals:
        raise PermissionDenied(NO_INDIVIDUALS)


def _source(build: Build, access: RowAccess, kind: str, range_: Range, interval: Interval) -> Condition:
    """The movements of entities of a kind, with their names, without those that too few people made.

    The effects are null when they would reveal the work of few people in one category: each effect is a sum over
    categories.
    """
    entity = ENTITIES[kind]
    shown, split = _shown(build, access, kind, range_, interval)
    effects = ", ".join(f"case when is_split then {effect} end as {effect}" for effect in EFFECTS)
    return Condition(
        f"select * exclude (is_split) replace ({effects}) from ("
        "select movements.*, movements.etv_micro - movements.previous_etv_micro as difference_micro, "
        f"entities.name, {split.sql} as is_split "
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
