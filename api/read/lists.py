"""Lists of a build with `filter` and `orderBy`: what every one of them does with its query.

Add: what the pages of several lists share. Keep out: the rows of one list, names in answers and page tokens (v1/).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from api.query.columns import Column, select_list
from api.query.conditions import Condition, both
from api.query.filtering import parse_filter
from api.query.ordering import Term, order_sql, parse_order
from api.query.pages import Page, Position, page, rows_of
from api.read.ids import with_current_ids
from api.snapshot.build import Build


class FilteredQuery(Protocol):
    """A query with a filter, an order and a page size."""

    @property
    def filter(self) -> str:
        """The text of the filter."""

    @property
    def order_by(self) -> str:
        """The requested order; empty: that of the list."""

    @property
    def limit(self) -> int:
        """Items on the page."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The columns of a list, its default order as an `orderBy`, and the columns that together are unique."""

    columns: Mapping[str, Column]
    default: str
    unique: tuple[Column, ...]

    def terms(self, query: FilteredQuery) -> list[Term]:
        """The order of a query. Raises InvalidArgument."""
        return parse_order(query.order_by.strip() or self.default, self.columns, (), *self.unique)

    def condition(self, build: Build, query: FilteredQuery) -> Condition:
        """The condition of the filter of a query, with current ids. Raises InvalidArgument."""
        return with_current_ids(build, parse_filter(query.filter, self.columns))

    def page(
        self,
        build: Build,
        query: FilteredQuery,
        position: Position | None,
        source: Condition | str,
        *conditions: Condition,
        terms: Sequence[Term] | None = None,
    ) -> Page:
        """The page of a query: the rows of a table or query that meet the conditions and the filter, in the order of
        the query or of `terms`. Raises InvalidArgument.
        """
        return page(
            build,
            source=source if isinstance(source, Condition) else Condition(source),
            shown=self.columns.values(),
            condition=both(*conditions, self.condition(build, query)),
            terms=self.terms(query) if terms is None else terms,
            limit=query.limit,
            position=position,
        )

    def batches(
        self, build: Build, query: FilteredQuery, source: Condition | str, *conditions: Condition
    ) -> Iterator[list[tuple[Any, ...]]]:
        """All rows of a query in batches, for exports. Raises InvalidArgument with the first one."""
        terms, condition = self.terms(query), both(*conditions, self.condition(build, query))
        rows = source if isinstance(source, Condition) else Condition(source)
        yield from build.batches(
            f"select {select_list(self.columns.values())} from {rows_of(rows)} where {condition.sql} "
            f"order by {order_sql(terms)}",
            (*rows.parameters, *condition.parameters),
        )
