"""Money and keys of rows of usage."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from ingest.connections.values import MAX_NUMBER, number

NANO_PER_UNIT = 10**9
NANO_PER_CENT = 10**7


def nano(amount: Any, nano_per_unit: int) -> int | None:
    """Money as billionths, to the nearest one. An amount is a number or its decimal text; None for any other.

    A float counts as the shortest decimal that it stands for, which is what the vendor wrote.
    """
    if isinstance(amount, bool) or not isinstance(amount, int | float | str | Decimal):
        return None
    try:
        found = int((Decimal(str(amount)) * nano_per_unit).to_integral_value())
    except (InvalidOperation, ValueError, OverflowError):
        return None
    return found if abs(found) <= MAX_NUMBER else None


def sum_of(row: Mapping[str, Any], *names: str) -> int | None:
    """The sum of the numbers that a row tells; None if it tells none of them."""
    told = [found for name in names if (found := number(row.get(name))) is not None]
    return sum(told) if told else None


def key_of(*parts: Any) -> str:
    """The id of a row that its dimensions name. A missing one differs from an empty text."""
    return "/".join(
        "-" if part is None else str(part).replace("%", "%25").replace("/", "%2F") for part in parts
    )
