"""Figures of a table that add up as they are shown, or the sentence that says what they are together.

Keep out: how parts are rounded (presentation/rounding.py), how a figure is written (figures.py).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from api.presentation.rounding import rounding_note, shown_parts, shown_shares
from api.web.drawing.figures import share


def etv_parts(row: Mapping[str, Any], categories: Sequence[str]) -> dict[str, float | None]:
    """The ETV of each category, so that those shown add up to the shown ETV of the row."""
    parts: list[float | None] = [row[f"{one}Etv"] for one in categories]
    known = [part for part in parts if part is not None]
    if len(known) == len(parts) and row["etv"] is not None:
        parts = list(shown_parts(known, row["etv"]))
    return dict(zip(categories, parts, strict=True))


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
    "etv_parts": etv_parts,
    "etv_shares": etv_shares,
    "shares_of": shares_of,
    "etv_note": etv_note,
}
