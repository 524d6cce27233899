"""Reads the commits and lines that earn nothing, by reason, from the published snapshot. `eas doctor` reads the alerts.

Each delivered commit, file change and new line either counts or has exactly one reason, so the sums add up. Keep out:
tables on the terminal (unearned_tables.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date

from orchestration.report.snapshot import Snapshot

MICRO = 1_000_000
# Number of reasons, by lines, for which the report lists commits. The API lists five commits of every reason.
REASONS_WITH_COMMITS = 4
COMMITS_SHOWN = 3
# The only reason that depends on single lines, so the explanation of the commit is shown.
REASON_WITH_EXPLANATION = "NO_COUNTED_LINES"
# The reason of commits that nothing has judged yet.
WAITING = "WAITING"


@dataclass(frozen=True)
class LargeCommit:
    """A commit with many new lines that earn nothing. `link` is its page on the Git host; empty if unknown."""

    sha: str
    delivered_on: date
    repository: str
    author: str
    """The developer, as other tables of the report name the person."""
    subject: str
    lines: int
    link: str
    is_counted: bool
    """True if other files of the commit count."""
    explanation: str
    """The explanation of the score, only for the reason NO_COUNTED_LINES; else empty."""


@dataclass(frozen=True)
class Reason:
    """A reason with its number of commits and new lines, over all time and over the weeks of the report."""

    code: str | None
    title: str
    description: str
    commits: int
    lines: int
    recent_commits: int
    recent_lines: int
    largest: list[LargeCommit] = field(default_factory=list)


@dataclass(frozen=True)
class Alert:
    """A reason whose share of a repository is above the reason's limit. Shares are 0 to 1."""

    repository_id: str
    repository: str
    title: str
    description: str
    commit_share: float
    line_share: float


@dataclass(frozen=True)
class Unearned:
    """Commits and lines by reason, largest first. `counted` and `reasons` add up to `commits` and `lines`."""

    commits: int
    lines: int
    counted: Reason
    reasons: list[Reason]
    alerts: list[Alert]
    undelivered: int
    """Commits that were read and have not reached the default branch. They are in none of the other numbers."""


def read(snapshot: Snapshot, repository_ids: Sequence[str], weeks: Sequence[date]) -> Unearned:
    """Read the reasons of these repositories. `weeks` are the first days of the recent weeks."""
    ids = list(repository_ids)
    rows = snapshot.rows(
        "select days.zero_reason, coalesce(title, 'Counts'), coalesce(description, ''),"
        " sum(commits)::bigint, sum(lines_added)::bigint,"
        " coalesce(sum(commits) filter (is_recent), 0)::bigint,"
        " coalesce(sum(lines_added) filter (is_recent), 0)::bigint"
        " from (select *, list_contains(?, date_trunc('week', delivered_on)::date) as is_recent"
        " from zero_reason_days where list_contains(?, repository_id)) as days"
        " left join zero_reasons using (zero_reason)"
        " group by days.zero_reason, title, description, position"
        " order by sum(lines_added) desc, sum(commits) desc, position",
        list(weeks),
        ids,
    )
    largest = _largest(snapshot, ids)
    found = {row[0]: replace(Reason(*row), largest=largest.get(row[0], [])) for row in rows}
    counted = found.pop(None, Reason(None, "Counts", "", 0, 0, 0, 0))
    return Unearned(
        counted.commits + sum(reason.commits for reason in found.values()),
        counted.lines + sum(reason.lines for reason in found.values()),
        counted,
        list(found.values()),
        alerts(snapshot, ids),
        snapshot.rows(
            "select count(*) from commits_by_time where delivery_sha is null and list_contains(?, repository_id)",
            ids,
        )[0][0],
    )


def _largest(snapshot: Snapshot, ids: list[str]) -> dict[str, list[LargeCommit]]:
    rows = snapshot.rows(
        "with largest as (select * from zero_reason_commits where list_contains(?, repository_id)"
        " qualify row_number() over (partition by zero_reason order by lines_added desc, commit_sha) <= ?)"
        " select largest.zero_reason, largest.commit_sha, largest.delivered_on, largest.repository_name,"
        " coalesce(developer_name, largest.author_name), largest.subject, largest.lines_added,"
        " coalesce(commit_url, ''), coalesce(is_counted, false),"
        " case when largest.zero_reason = ? and not is_counted then coalesce(explanation, '') else '' end"
        " from largest left join commits_by_time using (commit_id)"
        " order by largest.zero_reason, largest.lines_added desc, largest.commit_sha",
        ids,
        COMMITS_SHOWN,
        REASON_WITH_EXPLANATION,
    )
    found: dict[str, list[LargeCommit]] = {}
    for code, *values in rows:
        found.setdefault(code, []).append(LargeCommit(*values))
    return found


def alerts(snapshot: Snapshot, repository_ids: Sequence[str] | None = None) -> list[Alert]:
    """Reasons whose share of a repository is above its limit, largest first. Default: all repositories."""
    rows = snapshot.rows(
        "with sums as (select repository_id, zero_reason, sum(commits) as commits, sum(lines_added) as lines"
        " from zero_reason_days where ? is null or list_contains(?, repository_id)"
        " group by repository_id, zero_reason),"
        " shares as (select repository_id, zero_reason,"
        " coalesce(commits / nullif(sum(commits) over (partition by repository_id), 0), 0)::double as by_commits,"
        " coalesce(lines / nullif(sum(lines) over (partition by repository_id), 0), 0)::double as by_lines"
        " from sums)"
        " select repository_id, name, title, description, by_commits, by_lines from shares"
        " join zero_reasons using (zero_reason) join repositories using (repository_id)"
        f" where greatest(by_commits, by_lines) * {MICRO} > warning_share_micro"
        " order by greatest(by_commits, by_lines) desc, name, zero_reasons.position",
        *[None if repository_ids is None else list(repository_ids)] * 2,
    )
    return [Alert(*row) for row in rows]


def sentence(alert: Alert) -> str:
    """Describe an alert in a sentence."""
    parts = [
        f"{100 * share:.0f} % of the {what}"
        for share, what in ((alert.line_share, "new lines"), (alert.commit_share, "commits"))
        if share >= 0.005
    ]
    return (
        f"{' and '.join(parts)} have no ETV: {alert.title[:1].lower()}{alert.title[1:]}. {alert.description}"
    )
