"""Shares of a table that add up as they are shown, and the sentence that says what rounded figures are together.

A figure reads the same on every page, so that no ETV is moved to make a sum.

Keep out: how parts are rounded (presentation/rounding.py), how a figure is written (figures.py).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from api.presentation.rounding import rounding_note, shown_shares
from api.web.drawing.figures import share


def parts_note(rows: Iterable[Mapping[str, Any]], categories: Sequence[str]) -> str:
    """That categories are rounded each by itself, where those of a row do not add up to its ETV as they are shown."""
    for row in rows:
        parts = [row[f"{one}Etv"] for one in categories]
        if None not in (*parts, row["etv"]) and rounding_note(parts, row["etv"]):
            return "Each figure is rounded by itself, and reads the same on every page."
    return ""


def etv_shares(row: Mapping[str, Any], categories: Sequence[str]) -> dict[str, float | None]:
    """The share of each category, so that those shown add up to 100 %; None without any ETV."""
    parts, whole = [row[f"{one}Etv"] for one in categories], row["etv"]
    if not whole or None in parts:
        return {one: share(part, whole) for one, part in zip(categories, parts, strict=True)}
    return dict(zip(categories, shown_shares([part / whole for part in parts]), strict=True))


def shares_of(page: Mapping[str, Any], rows: str) -> dict[str, float | None]:
    """The share of each row of a list in its total by id, so that those of a whole list add up to 100 % as shown."""
    found = {row["id"]: share(row["etv"], page["totals"]["etv"]) for row in page[rows]}
    if None in found.values():
        return found
    return dict(zip(found, shown_shares([one or 0.0 for one in found.values()]), strict=True))


def etv_note(rows: Iterable[Mapping[str, Any]], total: float | None) -> str:
    """That the ETV of rows adds up to the total before it is rounded; empty where this needs no word."""
    values = [row["etv"] for row in rows]
    return "" if total is None or None in values else rounding_note(values, total)


FILTERS: dict[str, Any] = {
    "parts_note": parts_note,
    "etv_shares": etv_shares,
    "shares_of": shares_of,
    "etv_note": etv_note,
}
