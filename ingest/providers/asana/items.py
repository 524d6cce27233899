"""Answers of Asana as items: goals, portfolios, projects, tasks and subtasks."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from ingest.connections.trackers.records import Change, Item, StatusCategory
from ingest.connections.trackers.status_words import category_of_name
from ingest.connections.values import EPOCH, day, instant, text
from ingest.json_paths import at
from ingest.providers.asana.history import history_of

Node = Mapping[str, Any]
Parents = Mapping[str, list[str]]
Person = Callable[[str], Node]

GOAL = (
    "name,status,due_on,start_on,time_period.start_on,time_period.end_on,owner.name,team.name,"
    "current_status_update.title"
)
PORTFOLIO = (
    "name,archived,created_at,created_by.name,owner.name,due_on,start_on,permalink_url,"
    "current_status_update.title"
)
PROJECT = (
    "name,archived,completed,completed_at,created_at,modified_at,due_on,start_on,owner,team.name,permalink_url,"
    "current_status_update.title,current_status_update.resource_subtype"
)
TASK = (
    "name,resource_subtype,completed,completed_at,created_at,modified_at,created_by,assignee.name,due_on,due_at,"
    "start_on,start_at,permalink_url,num_subtasks,parent,projects,memberships.project,memberships.section.name,"
    "tags.name,approval_status,custom_type.name,custom_type_status_option.name,custom_fields.name,custom_fields.type,"
    "custom_fields.display_value,custom_fields.number_value,custom_fields.representation_type"
)
GOALS: Mapping[str, StatusCategory] = {
    "green": "doing",
    "yellow": "doing",
    "red": "doing",
    "achieved": "done",
    "partial": "done",
    "missed": "canceled",
    "dropped": "canceled",
}
STATUS_FIELD = re.compile(r"^(task )?(status|stage|state|progress)$", re.IGNORECASE)
ESTIMATE_FIELD = re.compile(r"^(estimate|estimation|points|story points|effort)$", re.IGNORECASE)


def goal(parents: Parents, person: Person, one: Node) -> Item:
    """A goal. Asana names no time of its creation or change."""
    status = text(one.get("status"))
    period = one.get("time_period") or {}
    began = day(one.get("start_on")) or day(period.get("start_on"))
    return Item(
        provider_id=one["gid"],
        kind="goal",
        key=None,
        title=one["name"],
        status=status or text(at(one, ("current_status_update", "title"))),
        status_category=GOALS.get(status or "", "todo"),
        parent_ids=parents.get(one["gid"], []),
        team_key=text(at(one, ("team", "gid"))),
        team_name=text(at(one, ("team", "name"))),
        created_at=EPOCH,
        updated_at=EPOCH,
        start_on=began,
        target_on=day(one.get("due_on")) or day(period.get("end_on")),
        resolution=status if GOALS.get(status or "") in ("done", "canceled") else None,
        payload=one,
        **_owner(one.get("owner"), person),
    )


def portfolio(parents: Parents, person: Person, one: Node) -> Item:
    """A portfolio."""
    created, is_archived = _time(one["created_at"]), bool(one.get("archived"))
    return Item(
        provider_id=one["gid"],
        kind="portfolio",
        key=None,
        title=one["name"],
        status=text(at(one, ("current_status_update", "title"))) or ("Archived" if is_archived else None),
        status_category="done" if is_archived else "doing",
        parent_ids=parents.get(one["gid"], []),
        creator=text(at(one, ("created_by", "gid"))),
        created_at=created,
        updated_at=created,
        start_on=day(one.get("start_on")),
        target_on=day(one.get("due_on")),
        url=text(one.get("permalink_url")),
        payload=one,
        **_owner(one.get("owner"), person),
    )


def project(parents: Parents, person: Person, one: Node) -> Item:
    """A project. An archived one counts as done: most teams archive where others complete."""
    is_over = bool(one.get("completed") or one.get("archived"))
    plain = "Completed" if one.get("completed") else "Archived" if one.get("archived") else "Active"
    return Item(
        provider_id=one["gid"],
        kind="project",
        key=None,
        title=one["name"],
        status=plain if is_over else text(at(one, ("current_status_update", "title"))) or plain,
        status_category="done" if is_over else "doing",
        parent_ids=parents.get(one["gid"], []),
        team_key=text(at(one, ("team", "gid"))),
        team_name=text(at(one, ("team", "name"))),
        created_at=_time(one["created_at"]),
        updated_at=_time(one["modified_at"]),
        completed_at=instant(one.get("completed_at")) if one.get("completed") else None,
        start_on=day(one.get("start_on")),
        target_on=day(one.get("due_on")),
        url=text(one.get("permalink_url")),
        payload=one,
        **_owner(one.get("owner"), person),
    )


def task(
    parents: Parents, projects: Mapping[str, Node], person: Person, one: Node, stories: Sequence[Node]
) -> Item:
    """A task, milestone or subtask. One in several projects has them as parents, in the order of their ids."""
    parent = text(at(one, ("parent", "gid")))
    held = sorted(gid for each in one.get("projects") or [] if (gid := text(each.get("gid"))))
    team: Node = next((found for gid in held if (found := at(projects.get(gid), ("team",)))), {})
    status, category = _status(one)
    created = _time(one["created_at"])
    completed = instant(one.get("completed_at")) if one.get("completed") else None
    is_milestone = one.get("resource_subtype") == "milestone"
    history = history_of(created, stories, _is_status_field, category_of_name)
    if completed is not None and history[-1].after_category != category:
        # Stories of long ago, and those that the token may not read, are missing.
        history.append(Change("status", completed, history[-1].after, status, category))
    return Item(
        provider_id=one["gid"],
        kind="milestone" if is_milestone else "subtask" if parent else "task",
        key=_custom_id(one),
        type_name=_type_name(one),
        title=one["name"],
        status=status,
        status_category=category,
        parent_ids=[*([parent] if parent else []), *held, *parents.get(one["gid"], [])],
        team_key=text(team.get("gid")),
        team_name=text(team.get("name")),
        creator=text(at(one, ("created_by", "gid"))),
        created_at=created,
        updated_at=_time(one["modified_at"]),
        started_at=next((step.at for step in history if step.after_category == "doing"), None),
        completed_at=completed if category == "done" else None,
        start_on=day(one.get("start_on")) or day(one.get("start_at")),
        target_on=day(one.get("due_on")) or day(one.get("due_at")),
        estimate=_estimate(one),
        resolution=status if category == "canceled" else None,
        url=text(one.get("permalink_url")),
        labels=[tag["name"] for tag in one.get("tags") or []],
        history=history,
        payload={**one, "stories": list(stories)},
        **_owner(one.get("assignee"), person),
    )


def _status(one: Node) -> tuple[str, StatusCategory]:
    """Name and category: a custom status before a section, and `completed` before both.

    Sections are often no status (`Backend`): a name without a known word is an open task.
    """
    named = text(at(one, ("custom_type_status_option", "name"))) or _field(one, STATUS_FIELD, "display_value")
    sections = [text(at(each, ("section", "name"))) for each in one.get("memberships") or []]
    names = [named] if named else [name for name in sections if name]
    found = next(((name, category) for name in names if (category := category_of_name(name))), None)
    if one.get("completed"):
        return found if found and found[1] in ("canceled", "done") else ("Completed", "done")
    if found is not None:
        return found
    return (names[0] if names else "Incomplete"), "todo"


def _is_status_field(name: str) -> bool:
    return STATUS_FIELD.match(name) is not None


def _type_name(one: Node) -> str | None:
    subtype = text(one.get("resource_subtype"))
    plain = None if subtype in (None, "default_task", "custom") else str(subtype).capitalize()
    return text(at(one, ("custom_type", "name"))) or plain


def _custom_id(one: Node) -> str | None:
    """The value of the field ID, such as `ENG-123`, which a workspace may switch on."""
    fields = one.get("custom_fields") or []
    return next(
        (
            text(each.get("display_value"))
            for each in fields
            if each.get("representation_type") == "custom_id"
        ),
        None,
    )


def _estimate(one: Node) -> float | None:
    found = _field(one, ESTIMATE_FIELD, "number_value")
    return float(found) if isinstance(found, int | float) else None


def _field(one: Node, name: re.Pattern[str], value: str) -> Any:
    """The value of the first custom field whose name fits and that has one."""
    fields = one.get("custom_fields") or []
    return next(
        (
            each[value]
            for each in fields
            if name.match(each.get("name") or "") and each.get(value) is not None
        ),
        None,
    )


def _owner(user: Any, person: Person) -> dict[str, Any]:
    """The three columns of the owner."""
    gid = text(at(user, ("gid",)))
    found = person(gid) if gid else {}
    return {
        "assignee": gid,
        "assignee_name": text(at(user, ("name",))) or text(found.get("name")),
        "assignee_email": text(found.get("email")),
    }


def _time(value: Any) -> datetime:
    """A required time. Raises ValueError without one."""
    if (found := instant(value)) is None:
        raise ValueError("no time")
    return found
