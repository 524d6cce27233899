"""What a period is called."""

from datetime import date

from api.presentation.charts.texts import MONTHS
from api.presentation.summaries.document import Kind
from api.presentation.summaries.values import day

_KINDS = {"week": Kind.WEEKLY, "month": Kind.MONTHLY, "quarter": Kind.QUARTERLY}


def kind_of(period: str) -> Kind:
    """The kind of summary of a period. Raises KeyError for a period that has none."""
    return _KINDS[period]


def label(period: str, start: date, end: date) -> str:
    """`week 34, 17 to 23 Aug 2026`, `Aug 2026`, `Q3 2026`. The year is that of the last day."""
    if period == "month":
        return f"{MONTHS[start.month - 1]} {start.year}"
    if period == "quarter":
        return f"Q{(start.month + 2) // 3} {start.year}"
    first = str(start.day) if start.month == end.month else f"{start.day} {MONTHS[start.month - 1]}"
    return f"week {start.isocalendar().week}, {first} to {day(end)}"
