"""Prints the totals before and after a change of rules: a new release, model or constant.

Keep out: the comparison (orchestration/publishing/restated_totals.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from api.control.categories import CATEGORIES
from api.control.operations.restatements import WHOLE_HISTORY, RestatementRecord, Totals
from api.presentation.formats import DASH, number
from api.presentation.metrics import MICRO

# Display names of the other inputs that differ.
_OTHER_CAUSES = {"facts": "commits", "settings": "settings"}
FigureRow = tuple[str, Callable[[Totals], str]]


def show(console: Console, restated: RestatementRecord) -> None:
    """Print the totals of both builds side by side."""
    version = (
        f"calculation version {restated.version_before} → {restated.version_after}"
        if restated.version_before != restated.version_after
        else f"calculation version {restated.version_after}, with other models or constants"
    )
    title = Text(f"Restated: {version}", style="bold")
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("", no_wrap=True)
    for period in restated.periods:
        name = "whole history" if period.period == WHOLE_HISTORY else "12 months"
        table.add_column(f"{name}, before", justify="right", no_wrap=True)
        table.add_column("after", justify="right", no_wrap=True)
    for name, format_totals in _lines(restated):
        cells = [
            format_totals(side) if side is not None else DASH
            for period in restated.periods
            for side in (period.before, period.after)
        ]
        table.add_row(name, *cells)
    console.print(table)
    other_causes = [word for cause, word in _OTHER_CAUSES.items() if cause in restated.causes]
    if other_causes:
        console.print(
            f"New {' and '.join(other_causes)} since the previous build are part of the difference.",
            style="dim",
            highlight=False,
        )


def _lines(restated: RestatementRecord) -> Iterator[FigureRow]:
    yield "ETV", lambda one: number(one.etv_micro / MICRO)
    for category in CATEGORIES:
        yield (
            f"  {category}",
            lambda one, category=category: number(one.category_etv_micro[category] / MICRO),  # type: ignore[misc]  # mypy infers no type of a default
        )
    yield "commits that count", lambda one: f"{one.commits:,}"
    yield "developers", lambda one: f"{one.developers:,}"
    sides = [side for period in restated.periods for side in (period.before, period.after) if side]
    for reason in sorted({reason for side in sides for reason in side.zero_commits}):
        yield (
            f"commits at 0: {reason}",
            lambda one, reason=reason: f"{one.zero_commits.get(reason, 0):,}",  # type: ignore[misc]  # mypy infers no type of a default
        )
