"""Prints the tables of a report on a terminal.

Keep out: figures (figures.py). Text from a repository passes through `plain`.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from api.control.categories import CATEGORIES
from api.presentation import sentences
from api.presentation.formats import DASH, counted, number, score, share_at_least
from orchestration.report import connected_tables, unearned_tables
from orchestration.report.figures import Figures, Line, TopCommit
from orchestration.report.unearned import WAITING, Unearned
from orchestration.runtime.terminal import plain


def show(console: Console, figures: Figures) -> None:
    """Print the figures of a report."""
    if not figures.weeks and not figures.months:
        console.print(nothing_counts(figures.unearned), markup=False, highlight=False)
        unearned_tables.show(console, figures.unearned, with_repository=figures.analysed > 1)
        return
    when = "last twelve with deliveries" if figures.is_dormant else "last complete ones"
    note = f"{figures.time_zone} time; * is still running"
    console.print(_lines(f"Weeks, {when} ({note})", "Week", figures.weeks))
    console.print(_lines(f"Months, {when} ({note})", "Month", figures.months))
    month = f"{figures.month_of_performance:%Y-%m}" if figures.month_of_performance else DASH
    weeks = _span(figures)
    span = f"Developers over {weeks}" + (
        f", the first {len(figures.developers)} of {len(figures.developers) + figures.more_developers}"
        if figures.more_developers
        else ""
    )
    people = [*figures.developers, *([figures.bots] if figures.bots else [])]
    console.print(_lines(span, "Developer", people, performance=f"perf. {month}"))
    console.print(
        _lines(f"Repositories over {weeks}", "Repository", figures.repositories, performance=f"perf. {month}")
    )
    if figures.agents:
        agents = [(plain(name), commits) for name, commits in figures.agents.items()]
        console.print(sentences.agents(agents), markup=False, highlight=False)
        console.print()
    connected_tables.show(console, figures.connected)
    if figures.movement:
        moved = figures.movement
        told = sentences.movement(moved.month, moved.etv, moved.previous, moved.parts)
        console.print(told, markup=False, highlight=False)
        console.print()
    if figures.commits:
        console.print(_commits(figures.commits, weeks, with_repository=len(figures.repositories) > 1))
    unearned_tables.show(console, figures.unearned, with_repository=figures.analysed > 1, weeks=weeks)
    for name, deliveries in figures.misdated:
        console.print(
            sentences.misdated(plain(name), deliveries), style="yellow", markup=False, highlight=False
        )
    console.print(
        "1 ETV is about one hour of focused work by an engineer who knows the repository. ETV estimates output,"
        " not working time.\nPerformance 50 is the organization's average over the 52 weeks before, idle weeks"
        f" included. {sentences.missing_performance(figures.month_of_performance, figures.developer_weeks_before)}"
        "\nAI shares are lower bounds, because some AI tools leave no trace in Git.",
        style="dim",
        highlight=False,
    )
    if figures.other_repositories:
        more = figures.other_repositories
        others = counted(more, "more repository belongs", "more repositories belong")
        count = "counts" if more == 1 else "count"
        console.print(
            f"{others} to {plain(figures.organization)} and {count} in the performance of developers.",
            style="dim",
            markup=False,
            highlight=False,
        )


def nothing_counts(found: Unearned) -> str:
    """Say why no commit counts: what commits wait for, or that their reasons follow, or that there are none."""
    waiting = next((one for one in found.reasons if one.code == WAITING), None)
    if waiting is not None:
        return sentences.waiting(waiting.commits, waiting.title, waiting.description)
    if found.commits:
        return "Nothing counts yet: every delivered commit has one of these reasons."
    return "Nothing has been delivered yet: no commit of the default branch counts."


def _span(figures: Figures) -> str:
    """Name the weeks that the sums of people and repositories cover: not the running one beside complete ones."""
    states = {line.is_draft for line in figures.weeks}
    return "the complete weeks" if len(states) > 1 else "these weeks"


def _lines(title: str, name: str, lines: Sequence[Line], *, performance: str = "perf.") -> Table:
    table = Table(title=Text(title, style="bold"), title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(name, no_wrap=True, max_width=40, overflow="ellipsis")
    for column in ("ETV", *CATEGORIES, performance, "AI share", "commits"):
        table.add_column(column, justify="right", no_wrap=True)
    for line in lines:
        table.add_row(
            Text(plain(line.name) + ("*" if line.is_draft else "")),
            number(line.etv),
            *(number(line.categories.get(category, 0.0)) for category in CATEGORIES),
            score(line.performance),
            share_at_least(line.ai_share),
            f"{line.commits:,}" + (f"+{line.shared_commits:,}" if line.shared_commits else ""),
        )
    if any(line.shared_commits for line in lines):
        table.caption = (
            "+ commits of others that name the developer as a co-author, with a share of their ETV."
        )
        table.caption_justify = "left"
    return table


def _commits(commits: Sequence[TopCommit], weeks: str, *, with_repository: bool) -> Table:
    title = Text(f"Most valuable commits of {weeks}, with the reasons", style="bold")
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("ETV", justify="right", no_wrap=True)
    table.add_column("Commit", no_wrap=True)
    table.add_column("Who", max_width=24, no_wrap=True, overflow="ellipsis")
    table.add_column("What")
    for commit in commits:
        where = f"{commit.repository} " if with_repository else ""
        provisional = ", provisional" if commit.is_provisional else ""
        about = Text(plain(f"{where}{commit.subject}"))
        about.append(
            f"\n{plain(commit.category_label)}{provisional}: {plain(commit.explanation)}", style="dim"
        )
        identity = Text(f"{commit.sha[:10]}\n{commit.delivered_on}")
        table.add_row(number(commit.etv), identity, Text(plain(commit.developer)), about)
    return table
