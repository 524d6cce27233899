"""Reads the commits and lines that earn nothing, by reason, from the published snapshot. `eas doctor` reads the alerts.

Each delivered commit, file change and new line either counts or has exactly one reason, so the sums add up. Keep out:
tables on the terminal (unearned_tables.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from api.presentation import sentences
from api.presentation.metrics import summed
from api.presentation.zero_reasons import is_large, shares
from orchestration.report.snapshot import Snapshot

_SUMS = ", ".join(summed(measure) for measure in ("commits", "lines_added"))
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

    @property
    def sentence(self) -> str:
        """The alert in words."""
        return sentences.without_etv(
            self.title, self.description, line_share=self.line_share, commit_share=self.commit_share
        )


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
    largest = _largest(snapshot, ids)
    recent = {code: (commits, lines) for code, *_, commits, lines in _sums(snapshot, ids, list(weeks))}
    found = {
        code: Reason(
            code, title, description, commits, lines, *recent.get(code, (0, 0)), largest.get(code, [])
        )
        for code, title, description, commits, lines in _sums(snapshot, ids)
    }
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


def _sums(snapshot: Snapshot, ids: list[str], weeks: list[date] | None = None) -> list[tuple[Any, ...]]:
    """Code, title, description, commits and new lines of each reason, over all time or over some weeks."""
    return snapshot.rows(
        f"select zero_reason, coalesce(title, 'Counts'), coalesce(description, ''), {_SUMS} from zero_reason_days"
        " left join zero_reasons using (zero_reason) where list_contains(?, repository_id)"
        " and (? is null or list_contains(?, date_trunc('week', delivered_on)::date))"
        " group by zero_reason, title, description, position"
        " order by sum(lines_added) desc, sum(commits) desc, position",
        ids,
        weeks,
        weeks,
    )


def _largest(snapshot: Snapshot, ids: list[str]) -> dict[str | None, list[LargeCommit]]:
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
    found: dict[str | None, list[LargeCommit]] = {}
    for code, *values in rows:
        found.setdefault(code, []).append(LargeCommit(*values))
    return found


def alerts(snapshot: Snapshot, repository_ids: Sequence[str] | None = None) -> list[Alert]:
    """Reasons whose share of a repository is above its limit, largest first. Default: all repositories."""
    chosen = None if repository_ids is None else list(repository_ids)
    rows = snapshot.rows(
        "select shares.repository_id, name, title, description, commit_share, line_share, warning_share_micro"
        f" from ({shares('zero_reason_days where ? is null or list_contains(?, repository_id)')}) as shares"
        " join zero_reasons using (zero_reason) join repositories using (repository_id)"
        " order by greatest(commit_share, line_share) desc, name, zero_reasons.position",
        chosen,
        chosen,
    )
    return [Alert(*alert) for *alert, limit in rows if is_large(alert[-2], alert[-1], limit)]
