"""The result of a claim: figure, interval, bar, verdict, baselines, and the limits of the evidence."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tests.validity.bootstrap import Interval

Verdict = Literal["ok", "MISSED", "informs", "NOT MEASURED"]


@dataclass(frozen=True)
class Bar:
    """The bound of a figure: at least, or at most. With `by_interval` its interval only has to reach the bound.

    The aim is a stricter bound that does not affect the verdict."""

    at_least: float | None = None
    at_most: float | None = None
    aim: float | None = None
    by_interval: bool = False

    @property
    def shown(self) -> str:
        if self.at_least is not None:
            reached = "95 % " if self.by_interval else ""
            return f"{reached}≥ {_cut(self.at_least):g}"
        return f"≤ {self.at_most:g}" if self.at_most is not None else ""

    def passes(self, figure: float, interval: Interval | None = None) -> bool:
        """Whether the figure reaches the bar; false for NaN."""
        low, high = interval if self.by_interval and interval is not None else (figure, figure)
        enough = self.at_least is None or high >= self.at_least
        return enough and (self.at_most is None or low <= self.at_most)


def _cut(figure: float) -> float:
    """Truncate to three digits, as figures are shown."""
    return math.floor(round(figure * 1000, 6)) / 1000


NO_BAR = Bar()


@dataclass(frozen=True)
class Baseline:
    """A plain rule, measured on the same rows in the same run."""

    name: str
    figure: float


@dataclass(frozen=True)
class Part:
    """The figure of one project, tool or band. `baselines` have the order of the claim."""

    name: str
    size: int
    figure: float
    interval: Interval | None = None
    baselines: tuple[float, ...] = ()


@dataclass(frozen=True)
class Result:
    """One line of the report. `claim` groups lines under one chart; `unit` says what `size` counts and the bootstrap
    draws; without a bar the line only informs. `is_count`: the figure and its plain rules are counts, not shares."""

    claim: str
    name: str
    set_name: str
    size: int
    unit: str
    figure: float
    interval: Interval | None
    calculation_version: str
    can_show: str
    cannot_show: str
    bar: Bar = NO_BAR
    baselines: tuple[Baseline, ...] = ()
    parts: tuple[Part, ...] = ()
    notes: tuple[str, ...] = ()
    is_count: bool = False

    @property
    def verdict(self) -> Verdict:
        if self.bar == NO_BAR:
            return "informs"
        return "ok" if self.bar.passes(self.figure, self.interval) else "MISSED"


@dataclass(frozen=True)
class NotMeasured:
    """A claim that was not measured; `remedy` names the missing input. It fails the run unless it has only an aim."""

    claim: str
    name: str
    remedy: str
    has_bar: bool = True

    @property
    def verdict(self) -> Verdict:
        return "NOT MEASURED"


class Missing(Exception):
    """A set or repository is missing. The message names the file and folder."""


@dataclass(frozen=True)
class Inputs:
    """`data` holds the labelled sets, `repositories` clones or bare mirrors. `work` is emptied afterwards, `kept` keeps
    what takes long to read."""

    data: Path
    repositories: Path | None
    work: Path
    kept: Path = Path("data/validity")


Outcome = Result | NotMeasured
Measurement = Callable[[Inputs], Iterable[Outcome]]


def failed(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """The outcomes that missed their bar or were not measured."""
    return [
        outcome
        for outcome in outcomes
        if outcome.verdict == "MISSED" or (isinstance(outcome, NotMeasured) and outcome.has_bar)
    ]
