"""Repositories, developers and teams with figures: lists with totals, and single ones by id."""

from collections.abc import Mapping, Sequence

from api.access.group_privacy.groups import REASON, hidden, hidden_splits
from api.access.group_privacy.usage import hidden_usage
from api.access.row_access import RowAccess
from api.presentation.metrics import METRICS
from api.query.columns import Column, Kind, select_list
from api.query.conditions import TRUE, Condition, both, one_of
from api.query.ordering import order_sql
from api.query.pages import Page, Position, page
from api.query.parameters import FigureQuery, RangeQuery
from api.query.periods import Range
from api.read.benchmarks.groups import Reference
from api.read.benchmarks.ranges import range_figures
from api.read.entities import Entity
from api.read.figures.ranges import MADE, CachedList, cached_list, listed_sql, range_sql
from api.read.figures.shapes import TOTALS
from api.read.ids import current_id
from api.read.lists import Listing
from api.read.organizations import shown_days
from api.snapshot.build import Build, Row

# Work can be worth nothing: who delivered in the range comes before who did not.
DEFAULT_ORDER = "etv desc, commits desc, name"
ROW_NUMBER = Column("row_number", Kind.INTEGER, "position")


def _shown_columns(access: RowAccess, entity: Entity, columns: Mapping[str, Column]) -> Mapping[str, Column]:
    """The columns of a list that the organization has not switched off. Only these can be sorted and filtered by."""
    if entity.kind not in access.without_ai:
        return columns
    return {
        field: column for field, column in columns.items() if not (field in METRICS and METRICS[field].is_ai)
    }


def entity_page(
    build: Build,
    access: RowAccess,
    entity: Entity,
    columns: Mapping[str, Column],
    searched: Sequence[str],
    query: FigureQuery,
    position: Position | None,
    benchmark: Reference | None = None,
) -> Page:
    """One page by default with most ETV first, its range of days, and the totals over all rows that the search and the
    filter leave, where there is such a sum. Raises InvalidArgument.

    Totals are taken over the sums of those entities, so their ratios are ratios of sums.
    """
    columns = _shown_columns(access, entity, columns)
    listing = Listing(columns, DEFAULT_ORDER, (columns["id"],))
    terms, days = listing.terms(query), shown_days(build, access, query)
    condition = both(_matching(query.search), listing.condition(build, query))
    named = f"{condition.sql} {order_sql(terms)}"
    with cached_list(build, access, entity, columns, searched, days) as cached:
        # In two steps: first the sorted columns of all rows, then all columns of the rows on the page.
        found = page(
            build,
            source=Condition(cached.sql(named)),
            counted=Condition(cached.sql(condition.sql)),
            shown=(ROW_NUMBER,),
            condition=condition,
            terms=terms,
            limit=query.limit,
            position=position,
        )
        rows = _rows(build, cached, columns, [row[ROW_NUMBER.field] for row in found.rows])
        totals = _totals(build, access, entity, cached, columns, condition, days)
    summed = {} if entity.outside_totals is None else {"totals": totals}
    compared = (
        None
        if benchmark is None
        else range_figures(build, access, benchmark, entity, columns, searched, days)
    )
    facts = {**summed, "benchmark": compared, "startDate": days.first, "endDate": days.last}
    return Page(rows, found.next_values, found.total, after_rows=facts)


def _rows(
    build: Build, cached: CachedList, columns: Mapping[str, Column], row_numbers: list[int]
) -> list[Row]:
    """The entities with these row numbers with their figures, in this order."""
    if not row_numbers:
        return []
    own = [column for column in columns.values() if column.sql not in MADE]
    made = [column for column in columns.values() if column.sql in MADE]
    # Queries of one table each: to plan them joined takes twice the time.
    entities = _by_row_number(build, own, cached.entities_of(row_numbers))
    metrics = _by_row_number(build, made, cached.metrics_of(row_numbers))
    none = build.only_row(f"select {select_list(made)} from ({cached.metrics_of_none}) as listed", ())
    return [entities[row_number] | metrics.get(row_number, none) for row_number in row_numbers]


def _by_row_number(build: Build, columns: Sequence[Column], source: str) -> dict[int, Row]:
    rows = build.rows(f"select {select_list([*columns, ROW_NUMBER])} from ({source}) as listed")
    return {row.pop(ROW_NUMBER.field): row for row in rows}


def one_entity(
    build: Build,
    access: RowAccess,
    entity: Entity,
    columns: Mapping[str, Column],
    query: RangeQuery,
    wanted: str,
) -> Row:
    """The entity of this id, also a former one, with its figures. Raises the error of `RowAccess.unknown`."""
    days = shown_days(build, access, query)
    known = current_id(build, entity, wanted)
    if known is None:
        raise access.unknown(f"{entity.kind} {wanted!r}")
    only = one_of(entity.key, [known]).sql
    row_number = build.rows(f"select position from {entity.table} where {only}")[0]["position"]
    figures = range_sql(build, access, entity, days, row_number)
    listed = listed_sql(access, entity, access.table(build, entity.table), f"({figures.sql})")
    rows = build.rows(
        f"select {select_list(columns.values())} from ({listed}) as listed where {only}", figures.parameters
    )
    if not rows:
        raise access.unknown(f"{entity.kind} {wanted!r}")
    return rows[0]


def _matching(search: str) -> Condition:
    words = search.split()
    if not words:
        return TRUE
    return Condition(" and ".join("contains(searched, lower(?))" for _ in words), tuple(words))


def _totals(
    build: Build,
    access: RowAccess,
    entity: Entity,
    cached: CachedList,
    columns: Mapping[str, Column],
    condition: Condition,
    days: Range,
) -> Row | None:
    if entity.outside_totals is None:
        return None
    additive = [column for field, column in TOTALS.items() if field in METRICS and field in columns]
    if not access.has_individuals and (condition is not TRUE or hidden(build, access, "organization", days)):
        # The difference of two totals over different rows can be the work of very few people.
        return {column.field: None for column in additive} | {"suppressedReason": REASON.upper()}
    few = hidden_usage(build, access, "organization", days)
    asked = cached.totals(condition, has_usage=not few)
    summed = build.only_row(f"select {select_list(additive)} from ({asked.sql}) as summed", asked.parameters)
    if hidden_splits(build, access, "organization", days):
        summed |= {
            metric.field: None for metric in METRICS.values() if metric.is_split and metric.field in summed
        }
    return summed | {"suppressedReason": None}
