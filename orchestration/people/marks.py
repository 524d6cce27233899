"""The expressions that find a person in texts. They are read alike by Python and by DuckDB (RE2): no look-around.

Keep out: tables (rows.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from ingest.erasure.texts import COLUMNS_OF_PEOPLE, KEYS
from orchestration.people.person import Person

NONE = r"[^\s\S]"
"""Matches nothing."""


@dataclass(frozen=True)
class Marks:
    """What marks a text in lower case as one about a person."""

    person: Person

    @cached_property
    def anywhere(self) -> str:
        """An id or address as a whole, or a login under a key that says so. `ada@x.io` is not in `canada@x.io`."""
        addresses, ids, logins = (
            _any(one) for one in (self.person.addresses, self.person.ids, self.person.logins)
        )
        return (
            rf"(?:^|[^a-z0-9._%+-])(?:{addresses})(?:$|[^a-z0-9.-]|\.(?:$|[^a-z0-9]))"
            rf"|(?:^|[^a-z0-9])(?:{ids})(?:$|[^a-z0-9])"
            rf'|"(?:{KEYS})" ?: ?"(?:{logins})"'
        )

    @cached_property
    def in_columns_of_people(self) -> str:
        """The same, or a login that is the whole text or one of a list."""
        logins = _any(self.person.logins)
        return rf'{self.anywhere}|^(?:{logins})$|"(?:{logins})"'

    def of_column(self, name: str) -> str:
        """The expression for the texts of a column."""
        is_of_people = any(one in name for one in COLUMNS_OF_PEOPLE)
        return self.in_columns_of_people if is_of_people else self.anywhere

    def are_in(self, text: str, column: str = "") -> bool:
        """Whether a text is about the person."""
        return re.search(self.of_column(column), text.lower()) is not None


def _any(texts: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(texts))) or NONE
