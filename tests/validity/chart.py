"""Draws an SVG chart per claim: a row per figure and part, with interval, bar, aim and baselines on one scale."""

from collections.abc import Sequence
from html import escape

from tests.validity.bootstrap import Interval
from tests.validity.claims import Result

_WIDTH, _LEFT, _RIGHT, _ROW, _TOP = 960, 400, 70, 22, 44
_COLORS = {"ok": "#1a7f37", "MISSED": "#cf222e", "informs": "#57606a"}
_PARTS_SHOWN = 12


def drawn(claim: str, results: Sequence[Result]) -> str:
    """The chart of a claim's results as an SVG document. Omits counts, which only the tables show."""
    shares = [result for result in results if not result.is_count]
    rows = [row for result in shares or results for row in _rows(result)]
    low, high = _scale([value for row in rows for value in row.values])
    height = _TOP + _ROW * len(rows) + 40
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" '
            f'font-family="sans-serif" font-size="12" role="img" aria-label="{escape(claim)}">'
        ),
        f'<rect width="{_WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="12" y="22" font-size="15" font-weight="bold">{escape(claim)}</text>',
        '<text x="12" y="37" fill="#57606a">dot: figure; line: 95 % interval; tick: bar; ring: plain rule</text>',
    ]
    for step in range(5):
        value = low + (high - low) * step / 4
        x = _x(value, low, high)
        bottom = height - 28
        parts.append(f'<line x1="{x:.1f}" y1="{_TOP}" x2="{x:.1f}" y2="{bottom}" stroke="#eaeef2"/>')
        parts.append(f'<text x="{x:.1f}" y="{height - 12}" text-anchor="middle">{value:.3g}</text>')
    for number, row in enumerate(rows):
        parts += row.drawn(_TOP + _ROW * number + _ROW // 2, low, high)
    return "\n".join([*parts, "</svg>"]) + "\n"


class _Row:
    def __init__(
        self,
        label: str,
        figure: float,
        interval: Interval | None,
        bar: float | None,
        plain: Sequence[float],
        color: str,
    ) -> None:
        self.label, self.figure, self.interval, self.bar = label, figure, interval, bar
        self.plain, self.color = [value for value in plain if value == value], color

    @property
    def values(self) -> list[float]:
        found = [self.figure, *(self.interval or ()), *self.plain]
        found += [self.bar] if self.bar is not None else []
        return [value for value in found if value == value]

    def drawn(self, y: int, low: float, high: float) -> list[str]:
        label = self.label if len(self.label) <= 62 else f"{self.label[:61]}…"
        parts = [f'<text x="{_LEFT - 10}" y="{y + 4}" text-anchor="end">{escape(label)}</text>']
        if self.interval:
            start, end = (f"{_x(value, low, high):.1f}" for value in self.interval)
            stroke = f'stroke="{self.color}" stroke-width="2"'
            parts.append(f'<line x1="{start}" y1="{y}" x2="{end}" y2="{y}" {stroke}/>')
        for value in self.plain:
            x = _x(value, low, high)
            parts.append(f'<circle cx="{x:.1f}" cy="{y}" r="4" fill="none" stroke="#8250df"/>')
        if self.bar is not None:
            x = _x(self.bar, low, high)
            parts.append(
                f'<line x1="{x:.1f}" y1="{y - 8}" x2="{x:.1f}" y2="{y + 8}" stroke="#1f2328" stroke-width="2"/>'
            )
        if self.figure == self.figure:
            x = _x(self.figure, low, high)
            parts.append(f'<circle cx="{x:.1f}" cy="{y}" r="4" fill="{self.color}"/>')
            parts.append(f'<text x="{_WIDTH - _RIGHT + 12}" y="{y + 4}">{self.figure:.3f}</text>')
        return parts


def _rows(result: Result) -> list[_Row]:
    bar = result.bar.at_least if result.bar.at_least is not None else result.bar.at_most
    plain = [baseline.figure for baseline in result.baselines]
    found = [_Row(result.name, result.figure, result.interval, bar, plain, _COLORS[result.verdict])]
    largest = sorted(result.parts, key=lambda part: -part.size)[:_PARTS_SHOWN]
    return found + [
        _Row(f"{part.name} ({part.size:,})", part.figure, part.interval, None, part.baselines, "#57606a")
        for part in largest
    ]


def _scale(values: Sequence[float]) -> tuple[float, float]:
    """The scale: 0 to 1 if every figure is a share, else the range of all figures."""
    low, high = min([0.0, *values]), max([1.0, *values])
    return low, high


def _x(value: float, low: float, high: float) -> float:
    return _LEFT + (value - low) / (high - low) * (_WIDTH - _LEFT - _RIGHT)
