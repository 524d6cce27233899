"""Commits of Cursor's users, and how many of their lines Cursor wrote.

Read in Cursor's documentation: only the plan Enterprise has the report; the editor compares the lines of a commit with
those that it suggested; a page names the number of all rows; the repository may be hidden.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ingest.connections.ai_tools.amounts import key_of, sum_of
from ingest.connections.ai_tools.days import Days
from ingest.connections.ai_tools.records import CommitLines
from ingest.connections.model import Deferred
from ingest.connections.parsing import deferred
from ingest.connections.values import instant, number, text
from ingest.errors import ProviderRefused, Refusal
from ingest.http.client import Client
from ingest.http.page_numbers import Numbered
from ingest.http.pages import Query, pages

REPORT = "analytics/ai-code/commits"
PAGE = 500
LACKING = frozenset({Refusal.NOT_FOUND, Refusal.FORBIDDEN})


def read(client: Client, days: Days) -> Iterator[list[Deferred]]:
    """The commits of some days, page by page; none where the plan has no such report."""
    asked = {
        "startDate": days.start.isoformat(),
        "endDate": days.end.isoformat(),
        "page": 1,
        "pageSize": PAGE,
    }
    style = Numbered(("items",), "page", total=("totalCount",), size=("pageSize",))
    try:
        for page in pages(client, Query(REPORT, asked), style):
            yield [deferred(row, key, record) for row in page.rows]
    except ProviderRefused as refused:
        if refused.refusal not in LACKING:
            raise


def key(row: Any) -> str:
    """The id of a row: its day, commit and person. Raises ValueError and LookupError without one."""
    committed_at = instant(row["commitTs"])
    if committed_at is None:
        raise ValueError("no commitTs")
    return key_of("commit", committed_at.date(), row["commitHash"], row.get("userId") or row.get("userEmail"))


def record(row: Any) -> CommitLines:
    """A row of the report. Raises ValueError and LookupError for one without commit or time."""
    committed_at, sha = instant(row["commitTs"]), text(row["commitHash"])
    if committed_at is None or sha is None:
        raise ValueError("no commit")
    return CommitLines(
        provider_id=key(row),
        tool="cursor",
        commit_sha=sha.lower(),
        committed_at=committed_at,
        actor_email=text(row.get("userEmail")),
        actor_id=None if row.get("userId") is None else str(row["userId"]),
        repository_ref=text(row.get("repoName")),
        branch=text(row.get("branchName")),
        lines_added=number(row.get("totalLinesAdded")),
        lines_removed=number(row.get("totalLinesDeleted")),
        ai_lines_added=sum_of(row, "tabLinesAdded", "composerLinesAdded"),
        ai_lines_removed=sum_of(row, "tabLinesDeleted", "composerLinesDeleted"),
        payload=row,
    )
