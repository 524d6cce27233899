"""Asana: goals, portfolios, projects and tasks over REST.

Lists of a project's tasks lack subtasks, which are asked for with their task: a subtask that changes alone is read with
the next change of its task, or by a full sync. A token sees the portfolios that its user owns. Goals and portfolios
need a paid plan. Keep out: rows (`items`), histories (`history`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, ClassVar

from ingest.connections.model import Checked, Connection, Deferred, Slice, Stream, WantedRepository
from ingest.connections.parsing import id_of, slice_of
from ingest.connections.trackers.records import Item
from ingest.connections.trackers.tracker import Tracker
from ingest.connections.values import instant, text
from ingest.errors import ProviderRefused, Refusal
from ingest.http.answers import Answer
from ingest.http.client import Client, Login
from ingest.http.pages import BodyToken, Page, Query, all_rows, pages
from ingest.http.rate_limits import RateLimits
from ingest.json_paths import at
from ingest.providers.asana import items
from ingest.providers.asana.history import FIELDS, STEPS, is_untouched

PAGE = 100
"""The most that Asana gives."""
MAX_DEPTH = 5
"""Levels of subtasks that Asana allows."""
NOT_IN_PLAN = frozenset({Refusal.PLAN_REQUIRED, Refusal.FORBIDDEN})
STYLE = BodyToken(("data",), ("next_page", "offset"), "offset")


def _refusal(answer: Answer) -> ProviderRefused | None:
    if answer.status == 401:
        return ProviderRefused(
            Refusal.UNAUTHORIZED,
            "Asana does not accept the token: it is wrong or revoked. Create a personal access token or one of a"
            " service account.",
        )
    if answer.status == 402:
        return ProviderRefused(
            Refusal.PLAN_REQUIRED, "The plan of the Asana workspace does not include this part."
        )
    return None


@dataclass
class _Workspace:
    """A workspace, and what the streams of a run hand on: parents by id, projects, people, ids of all tasks."""

    gid: str
    parents: dict[str, list[str]] = field(default_factory=dict)
    projects: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    people: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    task_ids: list[str] | None = None


class Asana(Tracker):
    kind = "ASANA"
    title = "Asana"
    default_address = "https://app.asana.com"
    is_single_service = True
    options: ClassVar = {"workspace": "Id or name of the workspace; without it, all workspaces of the token."}
    levels: ClassVar = {
        "goal": "objective",
        "portfolio": "objective",
        "project": "sub_objective",
        "milestone": "issue",
        "task": "issue",
        "subtask": "issue",
    }
    levels_are_editable = True
    rate_limits = RateLimits(wait_without_header=60.0, refusal=_refusal)  # limits are by minute

    def login(self, connection: Connection) -> Login:
        address = connection.address.removesuffix("/api/1.0")
        return Login.bearer(f"{address}/api/1.0", connection.secret)

    def check(self, client: Client, connection: Connection) -> Checked:
        user = at(client.get("users/me").body, ("data",))
        warnings = []
        for workspace in _workspaces(client, connection):
            for noun in ("goals", "portfolios"):
                try:
                    client.get(noun, {"workspace": workspace, "limit": 1, **_owner(noun)})
                except ProviderRefused as error:
                    if error.refusal not in NOT_IN_PLAN:
                        raise
                    warnings.append(f"{noun.capitalize()} are not readable and are left out: {error}")
        account = text(at(user, ("email",))) or text(at(user, ("name",))) or ""
        return Checked(account, warnings=tuple(warnings))

    def streams(
        self, client: Client, connection: Connection, repositories: Sequence[WantedRepository]
    ) -> Iterator[Stream]:
        for gid in _workspaces(client, connection):
            workspace = _Workspace(gid)
            for noun, read in (("goals", _goals), ("portfolios", _portfolios), ("projects", _projects)):
                yield Stream(f"{noun}/{gid}", "items", partial(read, client, workspace), is_incremental=False)
            for project in list(workspace.projects):
                yield Stream(
                    f"tasks/{project}",
                    "items",
                    partial(_tasks, client, workspace, project),
                    list_ids=partial(_task_ids, client, workspace),
                )


def _workspaces(client: Client, connection: Connection) -> list[str]:
    """Ids of the wanted workspaces. Raises ProviderRefused if the token does not see the one of the option."""
    seen = all_rows(client, _pages(client, "workspaces", {"opt_fields": "name"}))
    wanted = text(connection.options.get("workspace"))
    found = [one["gid"] for one in seen if wanted in (None, one["gid"], one.get("name"))]
    if not found:
        names = ", ".join(str(one.get("name")) for one in seen) or "none"
        raise ProviderRefused(
            Refusal.NOT_FOUND,
            f"The token does not see the workspace {wanted!r}: name one of those that it sees ({names}).",
        )
    return found


def _goals(
    client: Client, workspace: _Workspace, _since: datetime | None, _cursor: str | None
) -> Iterator[Slice]:
    # Relations give the parents of goals, portfolios and projects alike, so an interrupted listing starts again.
    workspace.parents.clear()
    try:
        found = _all(client, "goals", workspace, items.GOAL)
    except ProviderRefused as error:
        if error.refusal not in NOT_IN_PLAN:
            raise
        yield Slice([], None, notes={"plan": f"Goals are not readable: {error}"})
        return
    for one in found:
        query = {"supported_goal": one["gid"], "opt_fields": "supporting_resource"}
        for page in _pages(client, "goal_relationships", query):
            _relate(workspace, one["gid"], [at(each, ("supporting_resource", "gid")) for each in page.rows])
    yield slice_of(found, partial(items.goal, workspace.parents, _person(client, workspace)), _gid, None)


def _portfolios(
    client: Client, workspace: _Workspace, _since: datetime | None, _cursor: str | None
) -> Iterator[Slice]:
    try:
        found = _all(client, "portfolios", workspace, items.PORTFOLIO)
    except ProviderRefused as error:
        if error.refusal not in NOT_IN_PLAN:
            raise
        yield Slice([], None, notes={"plan": f"Portfolios are not readable: {error}"})
        return
    for one in found:
        for page in _pages(client, f"portfolios/{one['gid']}/items", {"opt_fields": "name"}):
            _relate(workspace, one["gid"], [at(each, ("gid",)) for each in page.rows])
    yield slice_of(found, partial(items.portfolio, workspace.parents, _person(client, workspace)), _gid, None)


def _projects(
    client: Client, workspace: _Workspace, _since: datetime | None, _cursor: str | None
) -> Iterator[Slice]:
    found = _all(client, "projects", workspace, items.PROJECT)
    workspace.projects.update({one["gid"]: one for one in found if at(one, ("gid",))})
    yield slice_of(found, partial(items.project, workspace.parents, _person(client, workspace)), _gid, None)


def _tasks(
    client: Client, workspace: _Workspace, project: str, since: datetime | None, cursor: str | None
) -> Iterator[Slice]:
    changed = instant(workspace.projects[project].get("modified_at"))
    if since is not None and workspace.projects[project].get("archived") and changed and changed < since:
        yield Slice([], None)
        return
    query = {"project": project, "opt_fields": items.TASK, "limit": PAGE}
    if since is not None:
        query["modified_since"] = since.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    record = partial(_task, client, workspace)
    for page in pages(client, Query("tasks", query), STYLE, cursor):
        rows = [one for row in page.rows for one in _with_subtasks(client, row, items.TASK)]
        part = slice_of(rows, record, _gid, page.cursor)
        # Stories are a request per task, so they are read only of tasks that changed.
        read = [
            replace(
                task,
                version=[one, workspace.parents.get(task.provider_id or "")],
                updated_at=instant(at(one, ("modified_at",))),
            )
            for task, one in zip(part.rows, rows, strict=True)
            if isinstance(task, Deferred)
        ]
        yield replace(part, rows=read)


def _task(client: Client, workspace: _Workspace, one: Any) -> Item:
    stories: list[Any] = []
    if not is_untouched(one):
        try:
            found = _pages(client, f"tasks/{one['gid']}/stories", {"opt_fields": FIELDS})
            stories = [story for story in all_rows(client, found) if _is_step(story)]
        except ProviderRefused as error:
            if error.refusal not in (Refusal.NOT_FOUND, Refusal.FORBIDDEN):
                raise
    return items.task(workspace.parents, workspace.projects, _person(client, workspace), one, stories)


def _is_step(story: Any) -> bool:
    """Whether a story is one of those that the history is made of; comments are not stored."""
    return at(story, ("resource_subtype",)) in STEPS


def _with_subtasks(client: Client, row: Any, fields: str, depth: int = 0) -> Iterator[Any]:
    """A task and its subtasks of all levels."""
    yield row
    if at(row, ("num_subtasks",)) and depth < MAX_DEPTH:
        for page in _pages(client, f"tasks/{row['gid']}/subtasks", {"opt_fields": fields}):
            for one in page.rows:
                yield from _with_subtasks(client, one, fields, depth + 1)


def _task_ids(client: Client, workspace: _Workspace) -> Iterator[str]:
    """Ids of the tasks of all projects: a task that left one project may still be in another."""
    if workspace.task_ids is None:
        found: list[str] = []
        for project in workspace.projects:
            for page in _pages(client, "tasks", {"project": project, "opt_fields": "num_subtasks"}):
                found += [
                    id_of(one, "gid")
                    for row in page.rows
                    for one in _with_subtasks(client, row, "num_subtasks")
                ]
        workspace.task_ids = found
    yield from workspace.task_ids


def _person(client: Client, workspace: _Workspace) -> items.Person:
    """A function from a user's id to the user, whom a run asks for once."""

    def find(gid: str) -> Mapping[str, Any]:
        if gid not in workspace.people:
            try:
                answer = client.get(f"users/{gid}", {"opt_fields": "name,email"})
                workspace.people[gid] = at(answer.body, ("data",)) or {}
            except ProviderRefused as error:
                if error.refusal not in (Refusal.NOT_FOUND, Refusal.FORBIDDEN):
                    raise
                workspace.people[gid] = {}  # a guest, or an account that is gone
        return workspace.people[gid]

    return find


def _relate(workspace: _Workspace, parent: str, children: Sequence[str | None]) -> None:
    for child in children:
        if child is not None and parent not in (known := workspace.parents.setdefault(child, [])):
            known.append(parent)


def _all(client: Client, noun: str, workspace: _Workspace, fields: str) -> list[Any]:
    query = {"workspace": workspace.gid, "opt_fields": fields, **_owner(noun)}
    return all_rows(client, _pages(client, noun, query))


def _owner(noun: str) -> dict[str, str]:
    return {"owner": "me"} if noun == "portfolios" else {}


def _pages(client: Client, address: str, query: Mapping[str, Any]) -> Iterator[Page]:
    return pages(client, Query(address, {"limit": PAGE, **query}), STYLE)


def _gid(one: Any) -> str:
    return str(one["gid"])
