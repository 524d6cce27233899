"""Issues, epics and milestones of GitLab as items.

Keep out: statuses (`history`), requests (`tracker`, `epics`, `tasks`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from ingest.connections.trackers.records import Item, StatusCategory
from ingest.connections.values import column_number, day, instant, text
from ingest.json_paths import at
from ingest.providers.gitlab.history import CLOSED, OPEN, Events, category_of, history_of, is_status

Json = dict[str, Any]


@dataclass(frozen=True)
class Project:
    """A project of GitLab. `repository_id` is that of the organization's repository, if it is one, and `former_path`
    the path by which the organization knows it, if it has another one now.
    """

    id: str
    path: str
    name: str
    repository_id: str | None = None
    former_path: str | None = None


def issue_item(
    one: Json, project: Project | None, events: Events, board: frozenset[str], parent: str | None = None
) -> Item:
    """An issue, task, incident or test case. `board` has the labels that are a status, `parent` is that of a task.

    `project` is None where the token sees an issue and not its project. Raises KeyError, TypeError and ValueError.
    """
    created = _required(one, "created_at")
    path = project.path if project else _path(one)
    labels = _names(one.get("labels"))
    current = next((label for label in labels if is_status(label, board)), None)
    is_closed, resolution = one.get("state") == "closed", _resolution(one)
    category: StatusCategory = category_of(current)
    if is_closed:
        category = "canceled" if resolution else "done"
    history = history_of(events, board)
    assignee = _first_person(one)
    return Item(
        provider_id=f"issue/{one['id']}",
        kind=str(one.get("issue_type") or one.get("type") or "issue").lower(),
        key=f"{path}#{one['iid']}",
        previous_keys=[f"{project.former_path}#{one['iid']}"] if project and project.former_path else [],
        repository_id=project.repository_id if project else None,
        number=column_number(one["iid"]),
        type_name=text(one.get("issue_type") or one.get("type")),
        title=text(one.get("title")) or "",
        status=CLOSED if is_closed else current or OPEN,
        status_category=category,
        parent_ids=[*([parent] if parent else []), *_parents(one)],
        team_key=path,
        team_name=project.name if project else None,
        assignee=text(at(assignee, ("username",))),
        assignee_name=text(at(assignee, ("name",))),
        creator=text(at(one, ("author", "username"))),
        created_at=created,
        updated_at=instant(one.get("updated_at")) or created,
        started_at=next((change.at for change in history if change.after_category == "doing"), None),
        completed_at=instant(one.get("closed_at")) if category == "done" else None,
        start_on=day(one.get("start_date")),
        target_on=day(one.get("due_date")),
        estimate=_points(one.get("weight")),
        resolution=resolution,
        url=text(one.get("web_url")),
        labels=labels,
        history=history,
        payload={"issue": one, "state_events": list(events.states), "label_events": list(events.labels)},
    )


def epic_item(one: Json) -> Item:
    """An epic of the REST interface. Its id is the group's with the number: GraphQL has other ids."""
    parent = _epic_of_address(at(one, ("_links", "parent"))) or _epic(
        one.get("group_id"), one.get("parent_iid")
    )
    full = text(at(one, ("references", "full"))) or ""
    return _epic_item(
        one,
        epic_id(one),
        parent if one.get("parent_id") or one.get("parent_iid") else None,
        full.rpartition("&")[0] or None,
        {"state": one.get("state"), "labels": one.get("labels"), "assignee": None},
    )


def epic_id(one: Json) -> str:
    """The id of an epic of the REST interface."""
    return f"epic/{one['group_id']}/{one['iid']}"


def work_item_id(one: Json) -> str:
    """The same id of the same epic of the GraphQL interface."""
    return f"epic/{_number_of(one['namespace']['id'])}/{one['iid']}"


def work_item(one: Json) -> Item:
    """An epic of the GraphQL interface, where it is a work item."""
    widgets: Json = {}
    for widget in one.get("widgets") or []:
        widgets |= widget or {}
    parent = widgets.get("parent") or {}
    rest = {
        "title": one.get("title"),
        "iid": one["iid"],
        "created_at": one["createdAt"],
        "updated_at": one.get("updatedAt"),
        "closed_at": one.get("closedAt"),
        "web_url": one.get("webUrl"),
        "author": one.get("author"),
        "start_date": widgets.get("startDate"),
        "due_date": widgets.get("dueDate"),
    }
    people = at(widgets, ("assignees", "nodes")) or []
    return _epic_item(
        rest,
        work_item_id(one),
        _epic(_number_of(at(parent, ("namespace", "id"))), parent.get("iid")),
        text(at(one, ("namespace", "fullPath"))),
        {
            "state": one.get("state"),
            "labels": at(widgets, ("labels", "nodes")),
            "assignee": people[0] if people else None,
        },
        payload=one,
    )


def milestone_item(one: Json, project: Project) -> Item:
    """A milestone of a project, or of one of its groups."""
    created = _required(one, "created_at")
    is_closed = one.get("state") == "closed"
    updated = instant(one.get("updated_at")) or created
    return Item(
        provider_id=f"milestone/{one['id']}",
        kind="milestone",
        # Only the address of a group's milestone has the group's path.
        key=f"{project.path}%{one['iid']}" if one.get("project_id") else None,
        number=column_number(one["iid"]),
        title=text(one.get("title")) or "",
        status=CLOSED if is_closed else "Active",
        status_category="done" if is_closed else "doing",
        team_key=project.path if one.get("project_id") else None,
        created_at=created,
        updated_at=updated,
        completed_at=updated if is_closed else None,
        start_on=day(one.get("start_date")),
        target_on=day(one.get("due_date")),
        url=text(one.get("web_url")),
        payload=one,
    )


def _epic_item(
    one: Json, key: str, parent: str | None, group: str | None, rest: Json, payload: Any = None
) -> Item:
    created = _required(one, "created_at")
    is_closed = str(rest["state"]).lower() == "closed"
    return Item(
        provider_id=key,
        kind="epic" if parent else "root_epic",
        key=f"{group}&{one['iid']}" if group else None,
        number=column_number(one["iid"]),
        type_name="Epic",
        title=text(one.get("title")) or "",
        status=CLOSED if is_closed else OPEN,
        status_category="done" if is_closed else "todo",
        parent_ids=[parent] if parent else [],
        team_key=group,
        team_name=group,
        assignee=text(at(rest["assignee"], ("username",))),
        assignee_name=text(at(rest["assignee"], ("name",))),
        creator=text(at(one, ("author", "username"))),
        created_at=created,
        updated_at=instant(one.get("updated_at")) or created,
        completed_at=instant(one.get("closed_at")) if is_closed else None,
        start_on=day(one.get("start_date")),
        target_on=day(one.get("due_date")) or day(one.get("end_date")),
        url=text(one.get("web_url")),
        labels=_names(rest["labels"]),
        payload=payload or one,
    )


def _path(one: Json) -> str:
    """The path of the project of an issue; servers before 12.7 have it only in the address of the page."""
    if full := text(at(one, ("references", "full"))):
        return full.rpartition("#")[0]
    page = urlsplit(str(one["web_url"])).path
    return page.rpartition("/issues/")[0].removesuffix("/-").strip("/")


def _parents(one: Json) -> Iterator[str]:
    """The issue to which this one moved, its epic, its milestone. An issue that moved is a part of the new one."""
    if moved := one.get("moved_to_id"):
        yield f"issue/{moved}"
    if epic := _epic(at(one, ("epic", "group_id")), at(one, ("epic", "iid"))):
        yield epic
    if milestone := at(one, ("milestone", "id")):
        yield f"milestone/{milestone}"


def _epic(group: Any, iid: Any) -> str | None:
    return f"epic/{group}/{iid}" if group and iid else None


def _epic_of_address(address: Any) -> str | None:
    """The epic of an address such as …/groups/7/epics/4: the parent may belong to another group."""
    steps = address.rstrip("/").split("/") if isinstance(address, str) else []
    return _epic(steps[-3], steps[-1]) if len(steps) > 3 and steps[-2] == "epics" else None


def _number_of(global_id: Any) -> str | None:
    """The number in gid://gitlab/Group/7."""
    return str(global_id).rpartition("/")[2] if global_id else None


def _resolution(one: Json) -> str | None:
    if one.get("state") != "closed":
        return None
    if one.get("moved_to_id"):
        return "moved"
    return (
        "duplicate" if at(one, ("_links", "closed_as_duplicate_of")) or one.get("duplicated_to_id") else None
    )


def _names(labels: Any) -> list[str]:
    """Names of labels, which are texts, or objects in hooks and with details."""
    found = (
        one if isinstance(one, str) else at(one, ("title",)) or at(one, ("name",)) for one in labels or []
    )
    return [name for name in found if isinstance(name, str)]


def _first_person(one: Mapping[str, Any]) -> Any:
    return at(one, ("assignees", 0)) or one.get("assignee")


def _points(weight: Any) -> float | None:
    return float(weight) if isinstance(weight, int | float) and not isinstance(weight, bool) else None


def _required(one: Json, name: str) -> datetime:
    found = instant(one[name])
    if found is None:
        raise ValueError(f"{name} is no time")
    return found
