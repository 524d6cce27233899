"""The charts as values: what they show, and in which unit. None is a gap: the value is unknown or hidden, and not 0."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from api.presentation.charts.units import Unit

# Pixels of a whole chart: the middle column of a wide page.
WIDTH = 776


@dataclass(frozen=True, slots=True)
class Bucket:
    """A period on the horizontal axis: its first day, and whether the values are those of a part of it only."""

    start: date
    is_part: bool = False


@dataclass(frozen=True, slots=True)
class Periods:
    """The buckets of a chart, all of one interval: DAY, WEEK, MONTH, QUARTER or YEAR."""

    interval: str
    buckets: Sequence[Bucket]


@dataclass(frozen=True, slots=True)
class Line:
    """A value per bucket. The name is empty where the title says enough."""

    name: str
    values: Sequence[float | None]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of stacked bars: a value per bucket, in the colour of one of the five categories."""

    name: str
    category: str
    values: Sequence[float | None]


@dataclass(frozen=True, slots=True)
class Reference:
    """A dashed line across a chart: an average, a threshold. `name` says what it is."""

    value: float
    name: str


@dataclass(frozen=True, slots=True)
class Band:
    """A pale band behind a line, such as the usual range: the lowest and highest value per bucket."""

    name: str
    low: Sequence[float | None]
    high: Sequence[float | None]


@dataclass(frozen=True, slots=True)
class LineChart:
    """Lines over buckets. Lines with names stand below one another, on the same scale; without, there is only one."""

    title: str
    unit: Unit
    periods: Periods
    lines: Sequence[Line]
    reference: Reference | None = None
    band: Band | None = None
    width: int = WIDTH


@dataclass(frozen=True, slots=True)
class StackedBars:
    """A bar per bucket, made of parts from the bottom up."""

    title: str
    unit: Unit
    periods: Periods
    parts: Sequence[Part]
    reference: Reference | None = None
    width: int = WIDTH


@dataclass(frozen=True, slots=True)
class Bar:
    """A horizontal bar with its name, such as an objective."""

    name: str
    value: float | None


@dataclass(frozen=True, slots=True)
class HorizontalBars:
    """Bars below one another, in the given order."""

    title: str
    unit: Unit
    bars: Sequence[Bar]
    width: int = WIDTH


@dataclass(frozen=True, slots=True)
class Sparkline:
    """A line without axes, for a card or a table. Its last value has a dot, open for a part of a bucket."""

    title: str
    unit: Unit
    periods: Periods
    values: Sequence[float | None]
    reference: Reference | None = None
    width: int = 120
    height: int = 24
