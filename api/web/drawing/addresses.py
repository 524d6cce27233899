"""Addresses of pages with the parameters of queries. Keep out: which pages there are (navigation.py)."""

from typing import Any
from urllib.parse import urlencode


def address(path: str, *queries: dict[str, Any], **more: Any) -> str:
    """An address with the parameters of `queries` and `more`, of which the last counts; unset ones are left out."""
    asked = {name: value for name, value in merged(*queries, more).items() if value not in (None, "")}
    return f"{path}?{urlencode(asked)}" if asked else path


def merged(*queries: dict[str, Any]) -> dict[str, Any]:
    """The parameters of several queries, of which the last counts."""
    found: dict[str, Any] = {}
    for query in queries:
        found |= query
    return found
