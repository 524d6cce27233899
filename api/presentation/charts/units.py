"""Units of charts: how a value reads, and how the numbers at the axis do."""

from collections.abc import Callable
from dataclasses import dataclass

from api.presentation import formats
from api.presentation.metrics import Metric
from api.query.columns import Kind

NO_DATA = "no data"
# With fewer, lines of the grid would stand between whole numbers.
LEAST_COUNT = 4
_SPACE = "\u00a0"


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit: its name after a value, the text of a value, and the numbers of the axis as a Vega expression.

    `top` is the end of the axis where it is always the same, and `least_top` the least one otherwise.
    """

    name: str
    text: Callable[[float], str]
    axis: str = "format(datum.value, ',~f')"
    top: float | None = None
    least_top: float = 0

    def said(self, value: float | None) -> str:
        """The value with its unit, as it is read aloud."""
        if value is None:
            return NO_DATA
        return f"{self.text(value)} {self.name}" if self.name else self.text(value)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %" if 0 < share < 0.01 else f"{100 * share:.0f} %"


_SHARE_AXIS = f"format(100 * datum.value, ',~f') + '{_SPACE}%'"
_SHARE = Unit("", _percent, _SHARE_AXIS)
_SHARE_AT_LEAST = Unit("", formats.share_at_least, _SHARE_AXIS)
_SCORE = Unit("", formats.score, top=100)


def unit_of(metric: Metric) -> Unit:
    """The unit of a metric."""
    if metric.unit == "0–100":
        return _SCORE
    if metric.unit.startswith("fraction"):
        return _SHARE_AT_LEAST if metric.name.endswith("_at_least") else _SHARE
    if metric.kind is Kind.INTEGER:
        return Unit(metric.unit, "{:,.0f}".format, least_top=LEAST_COUNT)
    return Unit(metric.unit, formats.number)
