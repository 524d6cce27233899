"""Texts in charts: names that anybody may have chosen, labels of buckets, and what a chart shows in a sentence."""

import math
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from datetime import date
from itertools import accumulate

from api.presentation import formats
from api.presentation.charts.models import Periods
from api.presentation.charts.units import Unit

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
# Pixels that the label of a bucket needs beside its neighbours.
ROOM = {"DAY": 44, "WEEK": 32, "MONTH": 34, "QUARTER": 30, "YEAR": 34}
NOUNS = {"DAY": "day", "WEEK": "week", "MONTH": "month", "QUARTER": "quarter", "YEAR": "year"}
_NARROW = frozenset(" !'(),./:;I[]fijlrt|")
_WIDE = frozenset("@MW%mw…")
# XML 1.0 has no way to write the others: https://www.w3.org/TR/xml/#charsets
_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def printable(name: str) -> str:
    """The name on one line, with a sign in the place of each character that a picture cannot have."""
    return " ".join(_NOT_IN_XML.sub("\ufffd", name).split())


def fitting(name: str, pixels: float, size: int) -> str:
    """The printable name, cut where it would be wider in a font of this size. Widths are those of Arial, about.

    Vega's own limit may cut a character outside the basic plane in two, and then nothing is drawn.
    """
    shown = printable(name)
    ends = list(accumulate(_width(character) * size for character in shown))
    if not ends or ends[-1] <= pixels:
        return shown
    return shown[: bisect_right(ends, pixels - size)].rstrip() + "…"


def _width(character: str) -> float:
    """The width of a character as a share of the size of its font."""
    if unicodedata.east_asian_width(character) in "WF" or character in _WIDE:
        return 1.0
    if character in _NARROW:
        return 0.3
    return 0.72 if character.isupper() else 0.56


def label(interval: str, start: date) -> tuple[str, str]:
    """What a bucket is called, and its year: W47 and 2026, Jul and 2026. A year itself has no second part.

    The year of a week is that of its ISO calendar.
    """
    if interval == "WEEK":
        year, week, _ = start.isocalendar()
        return f"W{week}", str(year)
    if interval == "YEAR":
        return str(start.year), ""
    month = MONTHS[start.month - 1]
    named = {"DAY": f"{start.day} {month}", "MONTH": month, "QUARTER": f"Q{(start.month + 2) // 3}"}
    return named[interval], str(start.year)


def full_labels(periods: Periods) -> list[str]:
    """The name of each bucket with its year."""
    return [" ".join(filter(None, label(periods.interval, one.start))) for one in periods.buckets]


def ticks(periods: Periods, width: int) -> dict[int, list[str]]:
    """The lines of the labels that fit below an axis of this width, by the number of their bucket.

    The year stands below the first label, and where it changes.
    """
    count = max(1, len(periods.buckets))
    every = max(1, math.ceil(ROOM[periods.interval] * count / width))
    shown: dict[int, list[str]] = {}
    before = ""
    for number in range(0, len(periods.buckets), every):
        name, year = label(periods.interval, periods.buckets[number].start)
        shown[number] = [name] if year in ("", before) else [name, year]
        before = year
    return shown


def described(periods: Periods, values: Sequence[float | None], unit: Unit) -> str:
    """What the values show: the buckets, the largest and smallest value, and how many are missing."""
    labels = full_labels(periods)
    if not labels:
        return "No buckets."
    noun = NOUNS[periods.interval]
    counted = formats.counted(len(labels), noun, f"{noun}s")
    known = [(value, name) for value, name in zip(values, labels, strict=True) if value is not None]
    parts = [f"{counted}: {labels[0]}" + (f" to {labels[-1]}." if len(labels) > 1 else ".")]
    if known:
        most, least = max(known, key=lambda one: one[0]), min(known, key=lambda one: one[0])
        parts.append(f"Most: {unit.said(most[0])} ({most[1]}). Least: {unit.said(least[0])} ({least[1]}).")
    if len(known) < len(labels):
        parts.append(f"No data: {len(labels) - len(known)}.")
    return " ".join(parts)
