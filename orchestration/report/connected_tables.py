"""Prints what connections add to a report: pull requests, alignment and objectives. Nothing without facts of one.

Keep out: figures (connected.py). Titles from a tracker pass through `plain`.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from orchestration.report.connected import Alignment, Connected, Objective, PullRequests
from orchestration.runtime.terminal import plain

DASH = "–"


def show(console: Console, connected: Connected) -> None:
    """Print the section."""
    if connected.pull_requests:
        console.print(_pull_requests(connected.pull_requests))
    if connected.alignment is not None:
        console.print(alignment_sentence(connected.alignment), markup=False, highlight=False)
        console.print()
    if connected.objectives:
        console.print(_objectives(connected.objectives, connected.more_objectives))


def alignment_sentence(alignment: Alignment) -> str:
    """Say how much of the ETV belongs to issues and objectives; that there is none, if so."""
    if not alignment.etv:
        return "Alignment: these weeks have no ETV."
    by_issue, by_objective = (
        round(100 * part / alignment.etv) for part in (alignment.aligned, alignment.on_roadmap)
    )
    return (
        f"Alignment over these weeks: {by_issue} % of the ETV belongs to an issue, {by_objective} % reaches an"
        f" objective. {alignment.etv - alignment.aligned:,.1f} ETV belong to no issue."
    )


def hours(value: float | None) -> str:
    """A time in hours, or in days from two days on; a dash for none."""
    if value is None:
        return DASH
    return f"{value:,.1f} h" if value < 48 else f"{value / 24:,.1f} d"


def _pull_requests(lines: Sequence[PullRequests]) -> Table:
    table = _table(
        "Pull requests of people, merged in these weeks (medians of calendar time) and open now", "Repository"
    )
    for column in ("merged", "reviewed", "cycle", "to first review", "AI-assisted", "open"):
        table.add_column(column, justify="right", no_wrap=True)
    for line in lines:
        table.add_row(
            Text(plain(line.repository)),
            f"{line.merged:,}",
            f"{line.reviewed:,}",
            hours(line.cycle_hours),
            hours(line.pickup_hours),
            f"≥ {line.ai_assisted:,}" if line.ai_assisted else DASH,
            f"{line.open:,}",
        )
    return table


def _objectives(lines: Sequence[Objective], more: int) -> Table:
    count = f", the first {len(lines)} of {len(lines) + more}" if more else ""
    table = _table(f"Objectives with ETV in these weeks{count}", "Objective")
    for column in ("ETV", "issues done", "status", "target"):
        table.add_column(column, justify="right", no_wrap=True)
    for line in lines:
        target = DASH if line.target_on is None else f"{line.target_on}"
        table.add_row(
            Text(plain(line.title)),
            f"{line.etv:,.1f}",
            f"{line.done:,} of {line.issues:,}" if line.issues else DASH,
            Text(plain(line.status) or DASH),
            f"{target}, overdue" if line.is_overdue else target,
        )
    return table


def _table(title: str, first: str) -> Table:
    table = Table(title=Text(title, style="bold"), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(first, no_wrap=True, max_width=60, overflow="ellipsis")
    return table
