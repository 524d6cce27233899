"""A style of paging: pages with numbers, and an answer that says whether another one follows.

Keep out: other styles, and the loop (`pages`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from ingest.http.answers import Answer
from ingest.http.pages import Query
from ingest.json_paths import JsonPath, at


@dataclass(frozen=True)
class Numbered:
    """Pages have numbers from 1, and the body says at `more` whether another one follows (Cursor).

    The number is a parameter; for queries by POST, a field of the body. `last` is the number of the last page instead,
    or `total` that of all rows, in pages of `size`.
    """

    rows: JsonPath
    parameter: str
    more: JsonPath = ()
    last: JsonPath = ()
    total: JsonPath = ()
    size: JsonPath = ()

    def after(self, query: Query, answer: Answer, count: int) -> Query | None:
        given = query.params if query.body is None else query.body
        number = int(given.get(self.parameter, 1))
        last = at(answer.body, self.last) if self.last else self._last_of_total(answer)
        # A total may be missing in one answer: then an empty page is the last.
        is_last = (
            number >= last
            if isinstance(last, int)
            else not self.total and at(answer.body, self.more) is not True
        )
        if count == 0 or is_last:
            return None
        following = {**given, self.parameter: number + 1}
        return replace(query, params=following) if query.body is None else replace(query, body=following)

    def _last_of_total(self, answer: Answer) -> int | None:
        total, size = (at(answer.body, path) if path else None for path in (self.total, self.size))
        return -(-total // size) if isinstance(total, int) and isinstance(size, int) and size > 0 else None
