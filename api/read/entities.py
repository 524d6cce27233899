"""Lists of repositories, developers and teams with figures, their totals, and one of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from api.paging import Position
from api.read.columns import Column, select_list
from api.read.figures import Entity, listed_sql
from api.read.groups import REASON, hidden
from api.read.metrics import ADDITIVE, aggregates
from api.read.ordering import TRUE, Condition, Term, both, one_of, order_sql
from api.read.pages import Page, page
from api.read.periods import Range
from api.read.scope import Scope
from api.warehouse import Build, Row


@dataclass(frozen=True, slots=True)
class EntityQuery:
    """What is asked of a list of entities."""

    days: Range
    search: str
    filter: Condition
    terms: Sequence[Term]
    limit: int


def entity_page(
    build: Build,
    scope: Scope,
    entity: Entity,
    columns: Mapping[str, Column],
    searched: Sequence[str],
    query: EntityQuery,
    position: Position | None,
) -> tuple[Page, Row | None]:
    """One page, and the metrics over all rows that the search and filter leave; None where there is no such sum.

    Totals are taken over the daily rows of those entities, so their ratios are ratios of sums.
    """
    condition = both(_matching(query.search, searched), query.filter)
    source = listed_sql(build, scope, entity, query.days, named=condition.sql)
    # In two steps: everybody is looked at for what the list is filtered and sorted by, and those on the page for all.
    found = page(
        build,
        source=listed_sql(
            build, scope, entity, query.days, named=" ".join((condition.sql, order_sql(query.terms)))
        ),
        counted=source,
        shown=(columns["id"],),
        condition=condition,
        terms=query.terms,
        limit=query.limit,
        position=position,
    )
    rows = _rows(build, scope, entity, columns, query.days, [row["id"] for row in found.rows])
    return replace(found, rows=rows), _totals(build, scope, entity, source, condition, query.days)


def _rows(
    build: Build, scope: Scope, entity: Entity, columns: Mapping[str, Column], days: Range, ids: list[str]
) -> list[Row]:
    """The entities of these ids with their figures, in this order."""
    if not ids:
        return []
    source = listed_sql(build, scope, entity, days, ids=ids)
    rows = build.rows(
        f"select {select_list(columns.values())} from ({source.sql}) as listed", source.parameters
    )
    by_id = {row["id"]: row for row in rows}
    return [by_id[one] for one in ids]


def one_entity(
    build: Build, scope: Scope, entity: Entity, columns: Mapping[str, Column], days: Range, wanted: str
) -> Row | None:
    """The entity of this id with its figures, or None."""
    source = listed_sql(build, scope, entity, days, ids=[wanted])
    rows = build.rows(
        f"select {select_list(columns.values())} from ({source.sql}) as listed where {entity.key} = ?",
        [*source.parameters, wanted],
    )
    return rows[0] if rows else None


def refuse_others(build: Build, scope: Scope, entity: Entity | None, ids: Sequence[str]) -> None:
    """Raises PermissionDenied where a team lead names what is not of the led teams: no figures are not zero figures."""
    if scope.teams is None or entity is None or not ids:
        return
    condition = one_of(entity.key, ids)
    rows = build.rows(f"select {entity.key} as id from {scope.table(entity.table)} where {condition.sql}")
    visible = {row["id"] for row in rows}
    for wanted in ids:
        if wanted.lower() not in visible:
            raise scope.unknown(f"{entity.kind} {wanted!r}")


def _matching(search: str, searched: Sequence[str]) -> Condition:
    words = search.split()
    if not words:
        return TRUE
    anywhere = " or ".join(f"contains(lower({column}), lower(?))" for column in searched)
    return Condition(
        " and ".join(f"({anywhere})" for _ in words), tuple(word for word in words for _ in searched)
    )


def _totals(
    build: Build, scope: Scope, entity: Entity, source: Condition, condition: Condition, days: Range
) -> Row | None:
    if entity.outside_totals is None:
        return None
    if not scope.has_individuals and (condition is not TRUE or hidden(build, scope, "organization", days)):
        # A total over some of the rows less one over others is the work of the difference.
        return {column.field: None for column in ADDITIVE} | {"suppressedReason": REASON.upper()}
    piece = entity.slice(days)
    rows = piece.condition
    parameters = list(rows.parameters)
    if condition is TRUE:
        table = piece.table(None)
        chosen = f"not {entity.outside_totals}"
    else:
        table = piece.table(entity.key)
        chosen = (
            f"{entity.key} in (select {entity.key} from ({source.sql}) as listed "
            f"where not {entity.outside_totals} and ({condition.sql}))"
        )
        parameters += [*source.parameters, *condition.parameters]
    summed = build.rows(
        f"select {select_list(ADDITIVE)} from "
        f"(select {aggregates()} from {scope.table(table)} where {rows.sql} and {chosen}) as summed",
        parameters,
    )[0]
    return summed | {"suppressedReason": None}
