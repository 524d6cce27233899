"""Addresses of pages with the parameters of queries. Keep out: which pages there are (navigation.py)."""

from functools import lru_cache
from typing import Any, Final
from urllib.parse import quote_plus, urlencode

MOST_QUOTED: Final = 4096
_quoted = lru_cache(MOST_QUOTED)(quote_plus)
"""Rows of a page differ in one parameter: to quote the others once halves the time of their addresses."""


def address(path: str, *queries: dict[str, Any], **more: Any) -> str:
    """An address with the parameters of `queries` and `more`, of which the last counts; unset ones are left out."""
    asked = {name: value for name, value in merged(*queries, more).items() if value not in (None, "")}
    return f"{path}?{urlencode(asked, quote_via=_quoted)}" if asked else path


def merged(*queries: dict[str, Any]) -> dict[str, Any]:
    """The parameters of several queries, of which the last counts."""
    found: dict[str, Any] = {}
    for query in queries:
        found |= query
    return found
