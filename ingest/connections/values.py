"""Values of providers as Python values. A missing or malformed optional value is None; nothing here raises for one.

Add: formats that several providers share.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable
from datetime import UTC, date, datetime
from typing import Annotated, Any

_ZONE_WITHOUT_COLON = re.compile(r"([+-]\d{2})(\d{2})$")
MAX_NUMBER = 2**63 - 1
WideNumber = Annotated[int, 64]
"""A whole number whose column has 64 bits; others have 32."""
MAX_COLUMN = 2**31 - 1
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def instant(value: Any) -> datetime | None:
    """An ISO 8601 time (`Z`, `+02:00`, `+0200`, ` UTC`; without zone: UTC) as UTC."""
    if not isinstance(value, str) or not value:
        return None
    try:
        found = datetime.fromisoformat(_ZONE_WITHOUT_COLON.sub(r"\1:\2", value.strip().removesuffix(" UTC")))
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def instant_ms(value: Any) -> datetime | None:
    """Milliseconds since 1970 as UTC."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return datetime.fromtimestamp(value / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def day(value: Any) -> date | None:
    """The day of `2026-11-23` or of a time that starts so. A day has no zone and never shifts."""
    if not isinstance(value, str):
        return None
    try:
        return date.fromisoformat(value[:10])
    except ValueError:
        return None


def last_day(first: date | None, resolution: str | None) -> date | None:
    """The last day of the month, quarter, half-year or year around a day; the day itself for another resolution."""
    if first is None:
        return None
    months = {"month": 1, "quarter": 3, "halfYear": 6, "year": 12}.get(resolution or "")
    if months is None:
        return first
    month = (first.month - 1) // months * months + months
    return date(first.year, month, monthrange(first.year, month)[1])


def text(value: Any) -> str | None:
    """A text that is not empty."""
    return value if isinstance(value, str) and value else None


def number(value: Any) -> int | None:
    """A whole number of at most 64 bits, also as text."""
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 20:
        found = int(value)
    elif isinstance(value, int) and not isinstance(value, bool):
        found = value
    else:
        return None
    return found if abs(found) <= MAX_NUMBER else None


def column_number(value: Any) -> int | None:
    """A whole number, also as text, that a column of 32 bits holds."""
    found = number(value)
    return found if found is not None and abs(found) <= MAX_COLUMN else None


def texts(values: Any) -> list[str]:
    """The texts of a list that are not empty, each once."""
    return list(dict.fromkeys(one for one in values if text(one))) if isinstance(values, Iterable) else []
