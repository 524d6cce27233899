"""Work without ETV by reason: commits, files and new lines, the largest examples, and warnings.

Each delivered commit, file change and new line of the selection is either in `counted` or under one reason, so the
parts add up to the totals. Keep out: splits that group privacy hides (access/group_privacy/reasons.py).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from api.access.group_privacy.groups import REASON
from api.access.group_privacy.reasons import HiddenSplits, hidden_splits
from api.access.row_access import RowAccess
from api.query.conditions import Condition, both, days, one_of
from api.query.periods import Range
from api.snapshot.build import Build, Row

MAX_EXAMPLES = 5
_SUMS = ", ".join(
    f"coalesce(sum({column}), 0)::bigint as {name}"
    for name, column in (("commits", "commits"), ("files", "files"), ("linesAdded", "lines_added"))
)
_NOTHING = {"commits": 0, "files": 0, "linesAdded": 0}


@dataclass(frozen=True, slots=True)
class WorkSelection:
    """The requested delivered work; empty means all, and sandboxes only where they are named."""

    days: Range
    repositories: tuple[str, ...] = ()
    # The teams as requested, and the same with all teams below them.
    teams: tuple[str, ...] = ()
    teams_and_below: tuple[str, ...] = ()

    @property
    def condition(self) -> Condition:
        """Condition on rows of a day."""
        conditions = [days("delivered_on", self.days.first, self.days.last)]
        if self.repositories:
            conditions.append(one_of("repository_id", self.repositories))
        else:
            conditions.append(Condition("not is_sandbox"))
        if self.teams:
            conditions.append(one_of("team_id", self.teams_and_below))
        return both(*conditions)


def first_day(build: Build, access: RowAccess) -> Any:
    """The first day on which something visible was delivered; None without any."""
    return build.value(f"select min(delivered_on) from {access.table(build, 'zero_reason_days')}")


def zero_reasons(build: Build, access: RowAccess, selection: WorkSelection) -> dict[str, Any]:
    """Totals, what counts of them, the reasons with most new lines first, and warnings."""
    hidden = hidden_splits(build, access, selection.days)
    if hidden.covers(selection.repositories, selection.teams):
        return {
            "suppressedReason": REASON.upper(),
            "total": None, "counted": None, "zeroReasons": [],
            "warnings": [],
        }  # fmt: skip
    known = {row["zeroReason"]: row for row in _known(build, access)}
    found = {row["zeroReason"]: row for row in _sums(build, access, selection)}
    total = {name: sum(row[name] for row in found.values()) for name in _NOTHING}
    counted = {name: found.get(None, _NOTHING)[name] for name in _NOTHING}
    largest = _largest(build, access, selection) if access.has_individuals else {}
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
    return {
        "suppressedReason": None,
        "total": total,
        "counted": counted,
        "zeroReasons": reasons,
        "warnings": _warnings(build, access, selection, known, hidden),
    }


def _known(build: Build, access: RowAccess) -> Sequence[Row]:
    return build.rows(
        'select zero_reason as "zeroReason", upper(level) as level, title, description, position, '
        f"warning_share_micro as threshold from {access.table(build, 'zero_reasons')}"
    )


def _sums(build: Build, access: RowAccess, selection: WorkSelection) -> Sequence[Row]:
    wanted = selection.condition
    table = access.table(build, "zero_reason_days", selection.days)
    return build.rows(
        f'select zero_reason as "zeroReason", {_SUMS} from {table} where {wanted.sql} group by zero_reason',
        wanted.parameters,
    )


def _largest(build: Build, access: RowAccess, selection: WorkSelection) -> Mapping[str, list[Row]]:
    wanted = selection.condition
    table = access.table(build, "zero_reason_commits", selection.days)
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
    selection: WorkSelection,
    known: Mapping[str, Row],
    hidden: HiddenSplits,
) -> list[dict[str, Any]]:
    """Repositories with a share of one reason above its threshold, largest share first."""
    if not access.has_individuals and selection.teams:
        # The work of a team in one repository can be that of very few people.
        return []
    wanted = selection.condition
    table = access.table(build, "zero_reason_days", selection.days)
    rows = build.rows(
        "with sums as (select repository_id, zero_reason, sum(commits) as commits, sum(lines_added) as lines "
        f"from {table} where {wanted.sql} group by repository_id, zero_reason), "
        "shares as (select repository_id, zero_reason, "
        "commits / nullif(sum(commits) over (partition by repository_id), 0) as commit_share, "
        "lines / nullif(sum(lines) over (partition by repository_id), 0) as line_share from sums) "
        "select zero_reason, repository_id, name, coalesce(commit_share, 0)::double as commit_share, "
        "coalesce(line_share, 0)::double as line_share from shares "
        "join repositories using (repository_id) where zero_reason is not null",
        wanted.parameters,
    )
    warned = []
    for row in rows:
        reason = known[row["zero_reason"]]
        share = max(row["commit_share"], row["line_share"])
        if reason["threshold"] is None or share * 1_000_000 <= reason["threshold"]:
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
