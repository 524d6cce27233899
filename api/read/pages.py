"""One page of any list, by keyset, in SQL."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from api.paging import Position
from api.read.columns import Column, select_list, to_token
from api.read.ordering import TRUE, Condition, Term, after, both, key_list, order_sql
from api.warehouse import Build, Row


@dataclass(frozen=True, slots=True)
class Page:
    """Rows of a page, where the next one starts (None on the last), and the rows of all pages."""

    rows: list[Row]
    next_values: list[Any] | None
    total: int


def page(
    build: Build,
    *,
    source: Condition,
    shown: Iterable[Column],
    condition: Condition,
    terms: Sequence[Term],
    limit: int,
    position: Position | None,
) -> Page:
    """The rows of `source` (a table or a query) under `condition`, ordered by `terms`, from `position` on."""
    wanted = condition if position is None else both(condition, after(terms, position.values))
    if condition is TRUE and len(terms) == 1 and terms[0].is_place:
        # Nothing is left out, so the places of the page are known and the rest is never looked at.
        wanted = both(wanted, _places(terms[0], limit, position))
    rows = build.rows(
        f"select {select_list(shown)}, {key_list(terms)} from {_from(source)} where {wanted.sql} "
        f"order by {order_sql(terms)} limit {limit + 1}",
        [*source.parameters, *wanted.parameters],
    )
    next_values = None
    if len(rows) > limit:
        next_values = [to_token(rows[limit - 1][f"key_{number}"]) for number in range(len(terms))]
        del rows[limit:]
    for row in rows:
        for number in range(len(terms)):
            del row[f"key_{number}"]
    return Page(rows, next_values, _total(build, source, condition))


def _places(term: Term, limit: int, position: Position | None) -> Condition:
    if term.descending:
        return TRUE
    start = 0 if position is None else int(position.values[0]) + 1
    return Condition(f"{term.column.sql} <= {start + limit}")


def _total(build: Build, source: Condition, condition: Condition) -> int:
    return build.count(
        f"select count(*) from {_from(source)} where {condition.sql}",
        (*source.parameters, *condition.parameters),
    )


def _from(source: Condition) -> str:
    return source.sql if source.sql.isidentifier() else f"({source.sql}) as listed"
