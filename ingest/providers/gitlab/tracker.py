"""GitLab issues: issues, tasks, incidents, milestones and epics over the REST interface, version 4.

Lists are ordered by creation, which no change moves, and each page starts at the time of the last row: pages by number
end at 50,000 rows, and lose a row where another one is deleted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

from ingest.connections.model import Checked, Connection, Deferred, Slice, Stream, WantedRepository
from ingest.connections.news import newest_of
from ingest.connections.parsing import id_of, slice_of
from ingest.connections.trackers.records import Item
from ingest.connections.trackers.tracker import Tracker
from ingest.connections.values import instant, text
from ingest.errors import ProviderRefused, Refusal
from ingest.http.client import Client, Login
from ingest.http.pages import Query, Seek, all_rows, pages
from ingest.json_paths import at
from ingest.providers.gitlab import access
from ingest.providers.gitlab.changes import ISSUES as NEWEST_ISSUE
from ingest.providers.gitlab.changes import MILESTONES, newest_changes
from ingest.providers.gitlab.epics import ABSENT, read_epics
from ingest.providers.gitlab.history import Events, status_labels
from ingest.providers.gitlab.items import Json, Project, issue_item, milestone_item
from ingest.providers.gitlab.projects import matched_projects
from ingest.providers.gitlab.tasks import task_parents
from ingest.providers.gitlab.token import check_token

PAGE = 100
ISSUES = Seek((), ("created_at",), "created_after", PAGE)
SCOPES = ("read_api",)


class GitLabIssues(Tracker):
    kind = "GITLAB_ISSUES"
    title = "GitLab issues"
    default_address = access.ADDRESS
    options = {  # noqa: RUF012 - a ClassVar of the base
        "group": "Path of a group: all issues and epics in it are read. Empty: those of the projects of repositories."
    }
    rate_limits = access.RATE_LIMITS
    levels = {  # noqa: RUF012 - a ClassVar of the base
        "root_epic": "objective",
        "epic": "sub_objective",
        "milestone": "ignored",
        "issue": "issue",
        "task": "issue",
        "incident": "issue",
    }

    def login(self, connection: Connection) -> Login:
        return access.login(connection)

    def check(self, client: Client, connection: Connection) -> Checked:
        checked = check_token(client, connection, SCOPES)
        warnings = list(checked.warnings)
        for group in _groups(connection):
            path = access.project_path(group)
            try:
                client.get(f"groups/{path}", {"with_projects": "false"})
            except ProviderRefused as error:
                if error.refusal not in ABSENT:
                    raise
                raise ProviderRefused(
                    Refusal.NOT_FOUND,
                    f"GitLab has no group {group}, or {checked.account} may not see it: correct `group`.",
                    error.status,
                ) from error
            try:
                client.get(f"groups/{path}/epics", {"per_page": 1})
            except ProviderRefused as error:
                if error.refusal not in ABSENT:
                    raise
                warnings.append(
                    f"The plan of {group} has no epics, which need GitLab Premium: issues are read without objectives."
                )
        return Checked(checked.account, checked.expires_at, tuple(warnings))

    def streams(
        self, client: Client, connection: Connection, repositories: Sequence[WantedRepository]
    ) -> Iterator[Stream]:
        listed = matched_projects(client, connection, repositories)
        projects = {str(raw["id"]): project for raw, project in listed}
        reader = _Issues(client, access.graphql_address(connection), projects)
        groups = _groups(connection)
        told = newest_changes(client, reader.graphql_address, list(projects), [NEWEST_ISSUE, MILESTONES])
        for group in groups:
            yield reader.stream(f"groups/{access.project_path(group)}", f"issues/group/{group}")
        for raw, project in listed:
            if not _has_issues(raw):
                continue
            if not any(project.path.lower().startswith(f"{group.lower()}/") for group in groups):
                # A project with another path is another stream: the keys of all its issues changed.
                issues = reader.stream(f"projects/{project.id}", f"issues/{project.id}/{project.path}")
                said = told.get((project.id, NEWEST_ISSUE))
                yield replace(issues, version=said, newest=newest_of(said))
            said = told.get((project.id, MILESTONES))
            yield Stream(
                f"milestones/{project.id}",
                "items",
                partial(_milestones, client, project),
                is_incremental=False,
                version=said and [said, astuple(project), _week(client)],
                newest=newest_of(said),
            )
        roots = {text(at(raw, ("namespace", "full_path"))) for raw, _ in listed if _is_of_group(raw)}
        for group in sorted({*groups, *(root.partition("/")[0] for root in roots if root)}):
            epics = partial(_epics, client, connection, group)
            yield Stream(f"epics/{group}", "items", epics, is_incremental=False)


@dataclass(frozen=True)
class _Issues:
    """Lists of issues. `boards` are labels of boards by project, as far as they are known."""

    client: Client
    graphql_address: str
    projects: dict[str, Project]
    boards: dict[str, frozenset[str]] = field(default_factory=dict)

    def stream(self, place: str, name: str) -> Stream:
        """The issues of a project or group."""
        return Stream(name, "items", partial(self._read, place), partial(self._list_ids, place))

    def _read(self, place: str, since: datetime | None, cursor: str | None) -> Iterator[Slice]:
        for page in pages(self.client, _query(place, since), ISSUES, cursor):
            parents = task_parents(self.client, self.graphql_address, page.rows)
            yield Slice([self._deferred(one, parents) for one in page.rows], page.cursor)

    def _list_ids(self, place: str) -> Iterator[str]:
        for page in pages(self.client, _query(place, None), ISSUES):
            yield from (f"issue/{id_of(one)}" for one in page.rows)

    def _deferred(self, one: Any, parents: dict[str, str]) -> Deferred:
        """Events are a request each, so they are read only of issues that changed."""
        found = at(one, ("id",))
        parent = parents.get(f"issue/{found}")
        changed = instant(at(one, ("updated_at",)))
        read = partial(self._item, one, parent)
        return Deferred(f"issue/{found}" if found else None, read, [one, parent], changed)

    def _item(self, one: Json, parent: str | None) -> Item:
        number = str(one["project_id"])
        is_untouched = one.get("updated_at") == one["created_at"]
        board = frozenset() if is_untouched and not one.get("labels") else self._board(number)
        events = Events() if is_untouched else self._events(number, one, board)
        return issue_item(one, self.projects.get(number), events, board, parent)

    def _events(self, project: str, one: Json, board: frozenset[str]) -> Events:
        path = f"projects/{access.project_path(project)}/issues/{access.project_path(one['iid'])}"
        states = _tolerated(self.client, f"{path}/resource_state_events")
        return Events(states, _tolerated(self.client, f"{path}/resource_label_events") if board else ())

    def _board(self, project: str) -> frozenset[str]:
        """Labels that are a status in a project. Most projects have none, and then labels need no request."""
        if project not in self.boards:
            path = f"projects/{access.project_path(project)}"
            labels = _tolerated(self.client, f"{path}/labels")
            self.boards[project] = status_labels(_tolerated(self.client, f"{path}/boards"), labels)
        return self.boards[project]


def _query(place: str, since: datetime | None) -> Query:
    """Without `scope` GitLab lists only what the token's user created, without `non_archived` no archived project."""
    params: dict[str, Any] = {
        "scope": "all",
        "state": "all",
        "order_by": "created_at",
        "sort": "asc",
        "per_page": PAGE,
    }
    if place.startswith("groups/"):
        params["non_archived"] = "false"
    if since is not None:
        params["updated_after"] = since.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return Query(f"{place}/issues", params)


def _milestones(
    client: Client, project: Project, _since: datetime | None, _cursor: str | None
) -> Iterator[Slice]:
    # The second name is that of servers before 16.7.
    params = {"include_ancestors": "true", "include_parent_milestones": "true", "per_page": PAGE}
    record = partial(_milestone, project)
    for page in pages(client, Query(f"projects/{project.id}/milestones", params), access.NEXT):
        yield slice_of(page.rows, record, lambda one: f"milestone/{one['id']}", None)


def _milestone(project: Project, one: Json) -> Item:
    return milestone_item(one, project)


def _week(client: Client) -> str:
    """The week, after which milestones are read anyhow: nothing else sweeps them."""
    return f"{client.server_time:%G-%V}" if client.server_time else ""


def _epics(
    client: Client, connection: Connection, group: str, _since: datetime | None, _cursor: str | None
) -> Iterator[Slice]:
    return read_epics(client, connection, group)


def _has_issues(project: Json) -> bool:
    return project.get("issues_access_level") != "disabled" and project.get("issues_enabled") is not False


def _is_of_group(project: Json) -> bool:
    return bool(at(project, ("namespace", "kind")) == "group")


def _groups(connection: Connection) -> list[str]:
    """The groups in the option `group`, a list or text with commas."""
    option = connection.options.get("group") or []
    listed = option.split(",") if isinstance(option, str) else [str(one) for one in option]
    return [group for one in listed if (group := one.strip().strip("/"))]


def _tolerated(client: Client, address: str) -> list[Json]:
    """The rows of a list that older servers or guests lack."""
    try:
        return all_rows(client, pages(client, Query(address, {"per_page": PAGE}), access.NEXT))
    except ProviderRefused as error:
        if error.refusal not in ABSENT:
            raise
        return []
