"""One page of any list, by keyset, in SQL."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from api.paging import Position
from api.read.columns import Column, select_list, to_token
from api.read.ordering import Condition, Term, after, both, key_list, order_sql
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
    source: str,
    shown: Iterable[Column],
    condition: Condition,
    terms: Sequence[Term],
    limit: int,
    position: Position | None,
    source_parameters: Sequence[Any] = (),
) -> Page:
    """The rows of `source` under `condition`, in the order of `terms`, from `position` on."""
    wanted = condition if position is None else both(condition, after(terms, position.values))
    rows = build.rows(
        f"select {select_list(shown)}, {key_list(terms)} from {source} where {wanted.sql} "
        f"order by {order_sql(terms)} limit {limit + 1}",
        [*source_parameters, *wanted.parameters],
    )
    next_values = (
        [to_token(rows[limit - 1][f"key_{n}"]) for n in range(len(terms))] if len(rows) > limit else None
    )
    del rows[limit:]
    for row in rows:
        for number in range(len(terms)):
            del row[f"key_{number}"]
    total = build.value(
        f"select count(*) from {source} where {condition.sql}", [*source_parameters, *condition.parameters]
    )
    return Page(rows, next_values, total)
