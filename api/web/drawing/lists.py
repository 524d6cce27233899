"""The state of a list in the address of its page: words to search for, order and page.

Keep out: the columns of a list (the module of its page).
"""

from dataclasses import dataclass
from typing import Any

from starlette.datastructures import QueryParams

PAGE_SIZE = 25
OPPOSITE = {"ascending": "descending", "descending": "ascending"}


@dataclass(frozen=True, slots=True)
class Ordered:
    """A list as its address asks for it. `order` is `etv desc` or so, and `kept` what else the address has."""

    search: str
    order: str
    token: str
    kept: dict[str, Any]

    @property
    def asked(self) -> dict[str, Any]:
        """The parameters of the interface."""
        return {"search": self.search, "orderBy": self.order, "pageToken": self.token, "pageSize": PAGE_SIZE}

    @property
    def query(self) -> dict[str, Any]:
        """The parameters of an address that shows the same list from its beginning."""
        return self.kept | {"search": self.search, "orderBy": self.order}

    def direction(self, column: str) -> str | None:
        """How the list is sorted by a column: as `aria-sort` says it, or None."""
        name, _, way = self.order.partition(" ")
        if name != column:
            return None
        return "descending" if way == "desc" else "ascending"

    def shown_direction(self, column: str, *, falls: bool = False) -> str | None:
        """How the values that a column shows are sorted. They fall where the column rises, if `falls`."""
        way = self.direction(column)
        return OPPOSITE[way] if falls and way else way

    def turned(self, column: str, *, falls: bool = False) -> str:
        """The order of the list after a click on the head of a column: the largest shown values first."""
        is_largest_first = self.shown_direction(column, falls=falls) == "descending"
        return column if is_largest_first != falls else f"{column} desc"


def ordered(query: QueryParams, usual: str, *kept: str) -> Ordered:
    """The list that an address asks for, in the order `usual` if it names none, with its parameters `kept`."""
    return Ordered(
        query.get("search", ""),
        query.get("orderBy") or usual,
        query.get("pageToken", ""),
        {name: query[name] for name in kept if query.get(name)},
    )
