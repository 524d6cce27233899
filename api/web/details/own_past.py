"""The buckets of a range beside the same ones of the year before: how work stands to its own past.

Of the organization, or of all teams that a lead leads; never of a person. Keep out: the performance of a range
(delivered.py).
"""

from collections.abc import Coroutine
from datetime import date, timedelta
from itertools import dropwhile
from typing import Any

from api.web.drawing.periods import Period, years_before
from api.web.frame import Place
from api.web.reading import Answer, points_of

MOST_BUCKETS = 12
WEEKS_OF_A_YEAR = timedelta(weeks=52)
"""A week is held against the one of the same weekdays, 52 weeks earlier."""


def own_past(place: Place, period: Period) -> Coroutine[Any, Any, Answer]:
    """The read of the buckets of a range and of the year before it, the first one of the range whole."""
    since = min(years_before(period.start, 1), period.start - WEEKS_OF_A_YEAR)
    return place.reads.read(
        "metrics",
        interval=period.measured,
        metrics="etv,commits",
        startDate=since.isoformat(),
        endDate=period.end.isoformat(),
    )


def of_range(place: Place, period: Period) -> Coroutine[Any, Any, Answer]:
    """The read of the buckets of a range, of the first and the last one only the part that is in it."""
    return place.reads.read(
        "metrics", interval=period.measured, metrics="etv,commits,performance", **period.days
    )


def with_past(period: Period, answer: Answer, past: Answer) -> list[dict[str, Any]]:
    """The newest buckets of the range, newest first, each with the `past` one; None where the history lacks it.

    A bucket that still runs, or of which the range has a part, is compared with nothing.
    """
    known = {one["start"]: one for one in points_of(past) if not one["isPartial"]}
    found = []
    for one in reversed(_since_first_work(points_of(answer))[-MOST_BUCKETS:]):
        is_whole = not (one["isDraft"] or one["isPartial"])
        before = known.get(_year_before(one["start"], period.measured)) if is_whole else None
        # Without any work the year before lies before the history.
        found.append(one | {"past": before if before and before["commits"] else None})
    return found


def _since_first_work(points: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return list(dropwhile(lambda one: not one["commits"], points))


def _year_before(start: str, interval: str) -> str:
    day = date.fromisoformat(start)
    return (day - WEEKS_OF_A_YEAR if interval == "WEEK" else years_before(day, 1)).isoformat()
