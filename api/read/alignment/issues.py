"""Issues of trackers: the list, and one issue with the chain above it and its commits."""

from dataclasses import replace

from api.access.row_access import RowAccess
from api.query.columns import select_list
from api.query.conditions import TRUE, Condition, flagged, matching, named, one_of, selected
from api.query.fields import columns_of
from api.query.pages import Page, Position
from api.read.alignment.issue_shapes import Issue
from api.read.alignment.objectives import NO_TRACKER, and_below, no_items, visible_objective
from api.read.alignment.parameters import IssueQuery
from api.read.entities import REPOSITORIES
from api.read.ids import visible_ids, visible_teams
from api.read.lists import Listing
from api.snapshot.build import Build, Row

COLUMNS = columns_of(Issue)
ISSUES = Listing(COLUMNS, "updatedAt desc", (COLUMNS["id"],))
COMMITS_SHOWN = 100
# No tracker has a deeper hierarchy; a circle ends here.
MAX_CHAIN = 20
NO_ISSUE = (
    "No kind of item of the connected trackers is an issue. An owner or admin sets the levels: "
    "PUT …/connections/{connection}/levels."
)
_LINK = (
    'links.found_in as "foundIn", links.issue_count as "issueCount", links.etv_micro / 1e6 as etv, '
    'links.is_counted as "isCounted", timezone(\'UTC\', links.delivered_at) as "deliveredAt"'
)


def list_issues(build: Build, access: RowAccess, query: IssueQuery, position: Position | None) -> Page:
    """A page of the selected issues. Default order: last change first.

    Raises InvalidArgument, and the error of `RowAccess.unknown` for an unknown id.
    """
    found = ISSUES.page(
        build,
        query,
        position,
        access.table(build, "issues"),
        _below(build, access, query.objective),
        selected("parent_id", [query.parent] if query.parent else []),
        named("status_category", query.status_category),
        selected("team_id", visible_teams(build, access, query.team)),
        selected("repository_id", visible_ids(build, access, REPOSITORIES, query.repository)),
        flagged("is_bug", query.bug),
        flagged("(objective_id is not null)", query.reaches_objective),
        matching(query.search, ("title", "key")),
    )
    return replace(found, after_rows={"nextStep": None if found.total else _next_step(build, access)})


def get_issue(build: Build, access: RowAccess, wanted: str) -> Row:
    """The issue of this id with the chain above it and its commits. Raises the error of `RowAccess.unknown`."""
    issue = visible_issue(build, access, wanted)
    found = build.rows(
        f"select {select_list(COLUMNS.values())} from {access.table(build, 'issues')} "
        f"where {one_of('issue_id', [issue]).sql}"
    )[0]
    found["statusHistory"] = _status_history(build, access, issue)
    found["chain"] = _chain(build, access, found["parentId"])
    found["linkedCommits"] = _commits(build, access, issue)
    found["linkedCommitCount"] = _commit_count(build, access, issue)
    return found


def visible_issue(build: Build, access: RowAccess, wanted: str) -> str:
    """The id of a visible issue as stored. Raises the error of `RowAccess.unknown`."""
    known = one_of("issue_id", [wanted]).sql
    if not build.value(f"select count(*) from {access.table(build, 'issues')} where {known}"):
        raise access.unknown(f"issue {wanted!r}", of_all=True)
    return wanted.lower()


def _next_step(build: Build, access: RowAccess) -> str | None:
    """The remedy where there is no issue at all; None where there is one."""
    if build.value(f"select count(*) from (select 1 from {access.table(build, 'issues')} limit 1)"):
        return None
    if no_items(build):
        return NO_TRACKER
    if access.is_narrowed and build.value("select count(*) from issues"):
        return "No issue is of the whole organization or of the teams that you lead."
    return NO_ISSUE


def linked(build: Build, access: RowAccess, item: str, *, and_parts: bool) -> Condition:
    """The condition on commits by time that belong to an issue, or to an objective and all below it."""
    links = access.table(build, "commit_issues")
    if and_parts:
        below = and_below(build, access, item)
        reached = " or ".join(
            one_of(column, below).sql for column in ("item_id", "sub_objective_id", "objective_id")
        )
    else:
        reached = one_of("item_id", [item]).sql
    return Condition(f"position in (select commit_position from {links} where {reached})")


def _below(build: Build, access: RowAccess, objective: str | None) -> Condition:
    """The issues below an objective or sub-objective, at any depth. Raises the error of `RowAccess.unknown`."""
    if objective is None:
        return TRUE
    below = and_below(build, access, visible_objective(build, access, objective))
    return Condition(f"{one_of('objective_id', below).sql} or {one_of('sub_objective_id', below).sql}")


def _status_history(build: Build, access: RowAccess, issue: str) -> list[Row]:
    actor = "change.actor" if access.has_individuals else "null"
    changes = build.value(
        "select [{'at': timezone('UTC', change.at), 'before': change.before, 'after': change.after, "
        f"'afterCategory': upper(change.after_category), 'actor': {actor}}} "
        "for change in coalesce(history, []) if change.field = 'status'] "
        f"from {access.table(build, 'issues')} where {one_of('issue_id', [issue]).sql}"
    )
    return sorted(changes, key=lambda change: change["at"])


def _chain(build: Build, access: RowAccess, parent: str | None) -> list[Row]:
    """The visible items from this one upwards."""
    chain: list[Row] = []
    while parent is not None and len(chain) < MAX_CHAIN and parent not in {item["id"] for item in chain}:
        found = _item(build, access, parent)
        if found is None:
            break
        parent = found.pop("parent_id")
        chain.append(found)
    return chain


def _item(build: Build, access: RowAccess, wanted: str) -> Row | None:
    shown = (
        'key, title, type_name as "typeName", status, upper(status_category) as "statusCategory", '
        'target_on as "targetDate", url, parent_id'
    )
    for table, key, level in (("issues", "issue_id", "'issue'"), ("objectives", "objective_id", "level")):
        rows = build.rows(
            f"select {key} as id, upper({level}) as level, {shown} from {access.table(build, table)} "
            f"where {one_of(key, [wanted]).sql}"
        )
        if rows:
            return rows[0]
    return None


def _commits(build: Build, access: RowAccess, issue: str) -> list[Row]:
    if not access.has_individuals:
        return []
    links = build.rows(
        f"select links.commit_position as position, {_LINK} from {access.table(build, 'commit_issues')} as links "
        f"where {one_of('links.item_id', [issue]).sql} order by links.commit_position limit {COMMITS_SHOWN}"
    )
    if not links:
        return []
    positions = ", ".join(str(int(row["position"])) for row in links)
    commits = {
        row.pop("position"): row
        for row in build.rows(
            'select position, commit_id as "commitId", commit_sha as "commitSha", repository_id as "repositoryId", '
            'repository_name as "repositoryName", developer_id as "developerId", developer_name as "developerName", '
            f"subject from {access.table(build, 'commits_by_time')} where position in ({positions})"
        )
    }
    return [commits[row.pop("position")] | row | {"foundIn": row["foundIn"].upper()} for row in links]


def _commit_count(build: Build, access: RowAccess, issue: str) -> int | None:
    if not access.has_individuals:
        return None
    return int(
        build.value(
            f"select count(*) from {access.table(build, 'commit_issues')} where {one_of('item_id', [issue]).sql}"
        )
    )
