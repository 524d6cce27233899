"""One pull request with its times, reviews, delivered commits and issues."""

from api.access.row_access import RowAccess
from api.query.columns import Column, Kind, columns, select_list
from api.query.conditions import one_of
from api.query.fields import columns_of
from api.read.organizations import hours_until_build
from api.read.pull_requests.pull_requests import COLUMNS
from api.read.pull_requests.shapes import DeliveredCommit, LinkedIssue, Phase, Review
from api.snapshot.build import Build, Row

# A release branch can deliver more commits than an answer should hold.
COMMITS_SHOWN = 1000

_PHASES = columns_of(Phase)
_REVIEWS = columns_of(Review)
_COMMITS = columns_of(DeliveredCommit)
_HOW = columns(Column("id", Kind.ID, "commit_id"), Column("how", Kind.ENUM, "how"))
_ISSUES = columns_of(LinkedIssue)
# In the order of events.
_MEASURES = ("CYCLE", "OPEN", "PICKUP", "REVIEW", "APPROVAL", "MERGE")
_LINKS = ("LINKED", "TITLE", "BRANCH", "COMMIT")


def get_pull_request(build: Build, access: RowAccess, wanted: str) -> Row:
    """The pull request of this id with all that explains it.

    Raises PermissionDenied, and the error of `RowAccess.unknown`.
    """
    access.refuse_closed("pull_requests")
    only = one_of("pull_request_id", [wanted]).sql
    rows = build.rows(
        f"select {select_list(COLUMNS.values())} from {access.table(build, 'pull_requests')} where {only}"
    )
    if not rows:
        raise access.unknown(f"pull request {wanted!r}")
    found = rows[0]
    found["phases"] = build.rows(
        f"select {select_list(_PHASES.values())} from {access.table(build, 'pull_request_times')} where {only}"
    )
    # A handful of rows each are sorted here: a sort in the query costs more than reading them.
    found["phases"].sort(key=lambda phase: _MEASURES.index(phase["measure"]))
    for phase in found["phases"]:
        phase["runningHours"] = _running_hours(build, access, phase) if found["state"] == "OPEN" else None
    found["reviews"] = build.rows(
        f"select {select_list(_REVIEWS.values())} from {access.table(build, 'reviews')} where {only}"
    )
    found["reviews"].sort(key=lambda review: (review["reviewedOn"], review["reviewer"]))
    found["awaitedReviewers"] = build.value(
        f"select awaited_reviewers from {access.table(build, 'pull_requests')} where {only}"
    )
    found["sourceCommits"] = build.value(f"select source_shas from pull_requests where {only}")
    found["commits"] = _commits(build, access, only)
    found["issues"] = build.rows(
        f"select {select_list(_ISSUES.values())} from {access.table(build, 'pull_request_issues')} where {only}"
    )
    found["issues"].sort(key=lambda issue: (_LINKS.index(issue["foundIn"]), issue["key"] or "", issue["id"]))
    return found


def _running_hours(build: Build, access: RowAccess, phase: Row) -> float | None:
    """Calendar hours of a time that runs until the build, without those while it was closed; None for another time."""
    if phase["startedAt"] is None or phase["endedAt"] is not None:
        return None
    return max(0.0, hours_until_build(build, access, phase["startedAt"]) - (phase["closedHours"] or 0))


def _commits(build: Build, access: RowAccess, only: str) -> list[Row]:
    ways = {
        row["id"]: row["how"]
        for row in build.rows(
            f"select {select_list(_HOW.values())} from {access.table(build, 'pull_request_commits')} where {only}"
        )
    }
    if not ways:
        return []
    # In two steps: the copy by time is in order of row numbers, so that a few rows are found without reading all.
    row_numbers = build.rows(
        f"select position from {access.table(build, 'commit_numbers')} where {one_of('commit_id', ways).sql} "
        f"order by position desc limit {COMMITS_SHOWN}"
    )
    if not row_numbers:
        return []
    positions = ", ".join(str(int(row["position"])) for row in row_numbers)
    rows = build.rows(
        f"select {select_list(_COMMITS.values())} from {access.table(build, 'commits_by_time')} "
        f"where position in ({positions})"
    )
    rows.sort(key=lambda row: (row["deliveredAt"], row["id"]))
    return [{"id": row["id"], "sha": row["sha"], "how": ways[row["id"]]} | row for row in rows]
