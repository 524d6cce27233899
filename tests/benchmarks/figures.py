"""A measured figure with its bar, and a report that prints figures."""

import json
import math
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

TIMES = ("s", "ms")
Verdict = Literal["ok", "MISSED", "NOT MEASURED", ""]


@dataclass(frozen=True)
class Figure:
    """One line of the report. Without `at_most` and `at_least` it only informs; NaN was not measured."""

    name: str
    value: float
    unit: str = ""
    at_most: float | None = None
    at_least: float | None = None
    note: str = ""
    quiet_factor: float = 1.0
    """What a time is multiplied by to be that of the quiet machine, which the bars mean."""

    @property
    def judged(self) -> float:
        """The value to compare with the bar; times are normalized to a quiet machine."""
        return self.value * self.quiet_factor if self.unit in TIMES else self.value

    @property
    def verdict(self) -> Verdict:
        if math.isnan(self.value):
            return "NOT MEASURED"
        if self.at_most is None and self.at_least is None:
            return ""
        too_much = self.at_most is not None and self.judged > self.at_most
        too_little = self.at_least is not None and self.judged < self.at_least
        return "MISSED" if too_much or too_little else "ok"

    @property
    def shown(self) -> str:
        if math.isnan(self.value):
            return "–"
        # Shares arrive truncated, because rounding would show 99.996 as 100.
        number = f"{self.value:.3f}" if self.unit == "%" else _number(self.value)
        normalized = f" ({_number(self.judged)})" if self.judged != self.value else ""
        return f"{number} {self.unit}".rstrip() + normalized

    @property
    def bar(self) -> str:
        if self.at_most is not None:
            return f"≤ {_number(self.at_most)}"
        return f"≥ {_number(self.at_least)}" if self.at_least is not None else ""


def not_measured(name: str, reason: str) -> Figure:
    """A figure that could not be measured. It fails the run."""
    return Figure(name, math.nan, note=reason)


class Report:
    """Prints each figure and stores it."""

    def __init__(self, quiet_factor: float = 1.0) -> None:
        self.figures: list[tuple[str, Figure]] = []
        self._quiet_factor = quiet_factor

    def show(self, section: str, figures: Iterator[Figure]) -> None:
        started = time.monotonic()
        print(f"\n{section}")
        for made in figures:
            figure = replace(made, quiet_factor=self._quiet_factor)
            self.figures.append((section, figure))
            line = f"  {figure.name:54} {figure.shown:>20} {figure.bar:>8}  {figure.verdict:6} {figure.note}"
            print(line.rstrip(), flush=True)
        print(f"  ({time.monotonic() - started:.0f} s)", flush=True)

    @property
    def failures(self) -> list[Figure]:
        return [figure for _, figure in self.figures if figure.verdict in ("MISSED", "NOT MEASURED")]

    def save(self, file: Path) -> None:
        rows = [
            {"section": section, **asdict(figure), "normalized": figure.judged, "verdict": figure.verdict}
            for section, figure in self.figures
        ]
        for row in rows:
            row |= {name: None for name in ("value", "normalized") if math.isnan(row[name])}
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n")


def progress(text: str) -> None:
    """Show the current measurement on a terminal; the next line overwrites it."""
    if sys.stderr.isatty():
        print(f"\r\x1b[K  … {text}", end="\r", file=sys.stderr, flush=True)


def _number(value: float) -> str:
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
