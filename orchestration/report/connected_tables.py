"""Prints what connections add to a report: pull requests, alignment, objectives and AI tools. Nothing without facts of
one.

Keep out: figures (connected.py). Titles from a tracker pass through `plain`.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from api.presentation import sentences
from api.presentation.formats import DASH, count_at_least, dollars, duration, number
from orchestration.report.connected import AiTool, Connected, Objective, PullRequests
from orchestration.runtime.terminal import plain


def show(console: Console, connected: Connected) -> None:
    """Print the section."""
    if connected.pull_requests:
        console.print(_pull_requests(connected.pull_requests))
    if connected.alignment is not None:
        shares = connected.alignment
        told = sentences.alignment(shares.issue_alignment, shares.roadmap_alignment, shares.unaligned_etv)
        console.print(told, markup=False, highlight=False)
        console.print()
    if connected.objectives:
        console.print(_objectives(connected.objectives, connected.more_objectives))
    if connected.ai_tools:
        console.print(_ai_tools(connected.ai_tools))


def _pull_requests(lines: Sequence[PullRequests]) -> Table:
    table = _table(
        "Pull requests of people, merged in these weeks (medians of calendar time) and open now", "Repository"
    )
    for column in ("merged", "reviewed", "cycle", "to first review", "AI-assisted", "open"):
        table.add_column(column, justify="right", no_wrap=True)
    for line in lines:
        table.add_row(
            Text(plain(line.repository)),
            f"{line.merged_pull_requests:,}",
            f"{line.reviewed_pull_requests:,}",
            duration(line.cycle_hours),
            duration(line.pickup_hours),
            count_at_least(line.ai_pull_requests),
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
            number(line.etv),
            f"{line.done:,} of {line.issues:,}" if line.issues else DASH,
            Text(plain(line.status) or DASH),
            f"{target}, overdue" if line.is_overdue else target,
        )
    return table


def _ai_tools(lines: Sequence[AiTool]) -> Table:
    table = _table("AI tools in these weeks, in the whole organization", "Tool")
    for column in ("people with recorded use", "cost (USD)", "for commits of these repositories"):
        table.add_column(column, justify="right", no_wrap=True)
    for line in lines:
        table.add_row(Text(plain(line.tool)), f"{line.people:,}", dollars(line.cost), dollars(line.linked))
    return table


def _table(title: str, first: str) -> Table:
    table = Table(title=Text(title, style="bold"), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(first, no_wrap=True, max_width=60, overflow="ellipsis")
    return table
