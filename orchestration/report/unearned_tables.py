"""Prints the reasons for commits and lines that earn nothing, on a terminal.

Keep out: figures (unearned.py). Text from a repository passes through `plain`.
"""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.style import Style
from rich.table import Table
from rich.text import Text

from api.presentation.formats import counted, share
from orchestration.report.unearned import REASONS_WITH_COMMITS, LargeCommit, Reason, Unearned
from orchestration.runtime.terminal import plain

# Two lines of a narrow terminal.
MAX_TEXT_LENGTH = 100
SHA_SHOWN = 10


def show(console: Console, unearned: Unearned, *, with_repository: bool, weeks: str = "these weeks") -> None:
    """Print the reasons with their commits and lines, the alerts, and the largest commits.

    `weeks` names the weeks of the recent numbers.
    """
    if not unearned.reasons:
        return
    console.print(_reasons(unearned, weeks))
    for alert in unearned.alerts:
        where = f"{plain(alert.repository)}: " if with_repository else ""
        line = f"Look at this: {where}{alert.sentence}"
        console.print(line, style="yellow", markup=False, highlight=False)
    shown = [reason for reason in unearned.reasons if reason.largest][:REASONS_WITH_COMMITS]
    if shown:
        console.print(_largest(shown, with_repository=with_repository))
    console.print(
        "Moved, copied and reformatted lines of counted changes have no ETV either:\nGET …/commits/{sha} shows"
        " them. GET …/zeroReasons lists five\ncommits of each reason, for any range of days.\n",
        style="dim",
        markup=False,
        highlight=False,
    )


def _reasons(unearned: Unearned, weeks: str) -> Table:
    title = Text("Work without ETV by reason, over all time", style="bold")
    # Narrow, so that the table fits into 80 columns.
    table = Table(
        title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0)
    )
    table.add_column("Reason", no_wrap=True)
    for column in ("commits", "share", "new lines", "share", "commits†", "new lines†"):
        table.add_column(column, justify="right", no_wrap=True)
    for reason in [*unearned.reasons, unearned.counted]:
        table.add_row(*_cells(unearned, reason), end_section=reason is unearned.reasons[-1])
    table.add_row(*_sums(unearned))
    table.caption = _caption(unearned, weeks)
    table.caption_justify = "left"
    return table


def _sums(unearned: Unearned) -> list[str]:
    every = [*unearned.reasons, unearned.counted]
    commits, lines = sum(one.recent_commits for one in every), sum(one.recent_lines for one in every)
    return ["Total", f"{unearned.commits:,}", "", f"{unearned.lines:,}", "", f"{commits:,}", f"{lines:,}"]


def _caption(unearned: Unearned, weeks: str) -> str:
    lines = [f"† in {weeks}. A counted commit can have files without ETV."]
    if unearned.undelivered:
        more = counted(unearned.undelivered, "more commit was", "more commits were")
        lines.append(f"{more} read, which the default branch does not have.")
    return "\n".join(lines)


def _cells(unearned: Unearned, reason: Reason) -> list[str]:
    return [
        reason.title,
        f"{reason.commits:,}",
        share(reason.commits, unearned.commits),
        f"{reason.lines:,}",
        share(reason.lines, unearned.lines),
        f"{reason.recent_commits:,}",
        f"{reason.recent_lines:,}",
    ]


def _largest(reasons: list[Reason], *, with_repository: bool) -> Table:
    title = Text("The largest commits of the reasons with most new lines", style="bold")
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("new lines", justify="right", no_wrap=True)
    table.add_column("Commit", no_wrap=True)
    table.add_column("Why, who and what")
    for reason in reasons:
        for commit in reason.largest:
            table.add_row(
                f"{commit.lines:,}",
                f"{commit.sha[:SHA_SHOWN]}\n{commit.delivered_on}",
                _about(reason, commit, with_repository=with_repository),
            )
    return table


def _about(reason: Reason, commit: LargeCommit, *, with_repository: bool) -> Text:
    where = f"{plain(commit.repository)} " if with_repository else ""
    why = f": {_truncate(commit.explanation)}" if commit.explanation else ""
    rest = "; the rest of the commit counts" if commit.is_counted else ""
    page = plain(commit.link).replace(commit.sha, commit.sha[:SHA_SHOWN])
    return Text.assemble(
        f"{where}{_truncate(commit.subject)}",
        (f"\n{reason.title}, {plain(commit.author)}{rest}{why}", "dim"),
        (f"\n{page}" if page else "", Style(dim=True, link=plain(commit.link) or None)),
    )


def _truncate(text: str) -> str:
    return f"{plain(text)[: MAX_TEXT_LENGTH - 1]}…" if len(plain(text)) > MAX_TEXT_LENGTH else plain(text)
