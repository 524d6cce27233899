"""The bars of a summary as a picture of the charts leaf.

Bars without an axis: every number in the picture is one that a fact has.
"""

from collections.abc import Callable

from api.presentation.charts.bars import horizontal_bars
from api.presentation.charts.drawing import draw
from api.presentation.charts.models import Bar, HorizontalBars
from api.presentation.charts.themes import Theme
from api.presentation.charts.units import Unit
from api.presentation.metrics import MICRO
from api.presentation.summaries.document import Chart, words_of

# Pixels; the middle column of a page.
WIDTH = 640


def svg(chart: Chart, theme: Theme) -> str:
    """The picture as SVG. Drawing holds the interpreter for 20 to 60 ms."""
    bars = [Bar(words_of(bar.name), bar.length_micro / MICRO) for bar in chart.bars]
    unit = Unit(chart.unit, _as_rendered(chart))
    title = f"{chart.title}: {chart.unit}"
    return draw(horizontal_bars(HorizontalBars(title, unit, bars, width=WIDTH)), theme)


def _as_rendered(chart: Chart) -> Callable[[float], str]:
    """The text of a value, as the facts render it."""
    texts = {bar.length_micro / MICRO: bar.number.rendered for bar in chart.bars}
    return texts.__getitem__
