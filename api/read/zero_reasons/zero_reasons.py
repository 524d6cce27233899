"""Work without ETV by reason: commits, files and new lines, the largest examples, and warnings.

Each delivered commit, file change and new line of the selection is either in `counted` or under one reason, so the
parts add up to the totals. Keep out: splits that group privacy hides (access/group_privacy/reasons.py).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from pydantic import Field

from api.access.group_privacy.groups import REASON
from api.access.group_privacy.reasons import HiddenSplits, hidden_splits
from api.access.row_access import RowAccess
from api.presentation.metrics import summed
from api.presentation.zero_reasons import is_large, shares
from api.query.conditions import Condition, both, days, selected, without
from api.query.pages import Page, Position
from api.query.parameters import Day, Id, PageQuery, several
from api.query.periods import Range, refuse_backwards
from api.read.entities import REPOSITORIES, TEAMS
from api.read.figures.figures import Slice, refuse_fine
from api.read.ids import visible_ids, with_sub_teams
from api.read.organizations import local_date, shown_days
from api.snapshot.build import Build, Row

MAX_EXAMPLES = 5
_SUMS = ", ".join(
    f"{summed(column)} as {name}"
    for name, column in (("commits", "commits"), ("files", "files"), ("linesAdded", "lines_added"))
)
_NOTHING = {"commits": 0, "files": 0, "linesAdded": 0}


class ZeroReasonQuery(PageQuery):
    """Parameters of the list of reasons."""

    repository: list[Id] = several("Ids of repositories.")
    team: list[Id] = several(
        "Ids of teams, each including its sub-teams: work with an author in one of these teams on the day of "
        "writing."
    )
    start_date: Day | None = Field(
        None,
        description="First day of delivery, in the organization's time zone. Default when both days are "
        "missing: all time, or with a minimum group size the last three complete months.",
    )
    end_date: Day | None = Field(None, description="Last day of delivery, included. Default: today.")


@dataclass(frozen=True, slots=True)
class _Work:
    """The selected delivered work: a condition on rows of a day, and what it selects."""

    days: Range
    condition: Condition
    repositories: tuple[str, ...]
    # As requested; the condition has the teams below them too.
    teams: tuple[str, ...]


def list_zero_reasons(
    build: Build, access: RowAccess, query: ZeroReasonQuery, position: Position | None
) -> Page:
    """A page of the reasons with most new lines first, after totals and before warnings.

    Raises InvalidArgument, PermissionDenied, and the error of `RowAccess.unknown` for an unknown id.
    """
    refuse_backwards(query.start_date, query.end_date)
    work = _selected(build, access, query)
    bounds = {"startDate": work.days.first, "endDate": work.days.last}
    hidden = hidden_splits(build, access, work.days)
    if hidden.covers(work.repositories, work.teams):
        totals = {"suppressedReason": REASON.upper(), "total": None, "counted": None}
        return Page([], None, 0, before_rows=totals, after_rows={"warnings": [], **bounds})
    known = {row["zeroReason"]: row for row in _known(build, access)}
    found = {row["zeroReason"]: row for row in _sums(build, access, work)}
    total = {name: sum(row[name] for row in found.values()) for name in _NOTHING}
    counted = {name: found.get(None, _NOTHING)[name] for name in _NOTHING}
    largest = _largest(build, access, work) if access.has_individuals else {}
    reasons = [
        {
            **{name: known[reason][name] for name in ("zeroReason", "level", "title", "description")},
            **{name: row[name] for name in _NOTHING},
            "commitShare": _share(row["commits"], total["commits"]),
            "lineShare": _share(row["linesAdded"], total["linesAdded"]),
            "largest": largest.get(reason, []),
        }
        for reason, row in found.items()
        if reason is not None
    ]
    reasons.sort(key=lambda row: (-row["linesAdded"], -row["commits"], known[row["zeroReason"]]["position"]))
    start = int(position.values[0]) if position else 0
    end = start + query.limit
    return Page(
        reasons[start:end],
        [end] if end < len(reasons) else None,
        len(reasons),
        before_rows={"suppressedReason": None, "total": total, "counted": counted},
        after_rows={"warnings": _warnings(build, access, work, known, hidden), **bounds},
    )


def _selected(build: Build, access: RowAccess, query: ZeroReasonQuery) -> _Work:
    """The selected work; sandboxes only where they are named."""
    shown = _days(build, access, query)
    refuse_fine(access, Slice(shown, tuple(query.repository), teams=tuple(query.team)), None)
    teams = visible_ids(build, access, TEAMS, query.team)
    repositories = visible_ids(build, access, REPOSITORIES, query.repository)
    condition = both(
        days("delivered_on", shown.first, shown.last),
        selected("repository_id", repositories),
        without("is_sandbox", unless=bool(repositories)),
        selected("team_id", with_sub_teams(build, access, teams)),
    )
    return _Work(shown, condition, repositories, teams)


def _days(build: Build, access: RowAccess, query: ZeroReasonQuery) -> Range:
    if not access.has_individuals:
        return shown_days(build, access, query)
    last = query.end_date or max(local_date(build, access), query.start_date or date.min)
    delivered = build.value(f"select min(delivered_on) from {access.table(build, 'zero_reason_days')}")
    return Range(query.start_date or min(delivered or last, last), last)


def _known(build: Build, access: RowAccess) -> Sequence[Row]:
    return build.rows(
        'select zero_reason as "zeroReason", upper(level) as level, title, description, position, '
        f"warning_share_micro as threshold from {access.table(build, 'zero_reasons')}"
    )


def _sums(build: Build, access: RowAccess, work: _Work) -> Sequence[Row]:
    wanted = work.condition
    table = access.table(build, "zero_reason_days", work.days)
    return build.rows(
        f'select zero_reason as "zeroReason", {_SUMS} from {table} where {wanted.sql} group by zero_reason',
        wanted.parameters,
    )


def _largest(build: Build, access: RowAccess, work: _Work) -> Mapping[str, list[Row]]:
    wanted = work.condition
    table = access.table(build, "zero_reason_commits", work.days)
    rows = build.rows(
        "select * exclude (position) from (select zero_reason, commit_id as id, commit_sha as sha, "
        'repository_id as "repositoryId", repository_name as "repositoryName", author_name as "authorName", '
        'subject, delivered_on as "deliveredOn", files, lines_added as "linesAdded", commit_url as link, '
        "row_number() over (partition by zero_reason order by lines_added desc, commit_sha) as position "
        f"from {table} where {wanted.sql}) where position <= {MAX_EXAMPLES} order by zero_reason, position",
        wanted.parameters,
    )
    found: dict[str, list[Row]] = {}
    for row in rows:
        reason = row.pop("zero_reason")
        path = f"/api/v1/organizations/{access.organization_id}/commits/{row['id']}"
        found.setdefault(reason, []).append(row | {"link": row["link"] or path})
    return found


def _warnings(
    build: Build,
    access: RowAccess,
    work: _Work,
    known: Mapping[str, Row],
    hidden: HiddenSplits,
) -> list[dict[str, Any]]:
    """Repositories with a share of one reason above its threshold, largest share first."""
    if not access.has_individuals and work.teams:
        # The work of a team in one repository can be that of very few people.
        return []
    wanted = work.condition
    table = access.table(build, "zero_reason_days", work.days)
    rows = build.rows(
        "select zero_reason, repository_id, name, commit_share, line_share "
        f"from ({shares(f'{table} where {wanted.sql}')}) join repositories using (repository_id) "
        "where zero_reason is not null",
        wanted.parameters,
    )
    warned = []
    for row in rows:
        reason = known[row["zero_reason"]]
        if not is_large(row["commit_share"], row["line_share"], reason["threshold"]):
            continue
        if row["repository_id"] in hidden.repositories:
            continue
        warned.append(
            {
                "zeroReason": row["zero_reason"],
                "title": reason["title"],
                "repositoryId": row["repository_id"],
                "repositoryName": row["name"],
                "commitShare": row["commit_share"],
                "lineShare": row["line_share"],
            }
        )
    warned.sort(
        key=lambda one: (-max(one["commitShare"], one["lineShare"]), one["repositoryName"], one["zeroReason"])
    )
    return warned


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
