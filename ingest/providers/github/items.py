"""Answers of GitHub Issues as items: issues, milestones and Projects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ingest.connections.trackers.records import Change, Item, StatusCategory
from ingest.connections.trackers.status_words import category_of_name
from ingest.connections.values import day, instant, text
from ingest.json_paths import at

Node = dict[str, Any]
DROPPED = frozenset({"NOT_PLANNED", "DUPLICATE"})
PROJECT_STATUS: Mapping[str, StatusCategory] = {"COMPLETE": "done", "INACTIVE": "todo"}
TYPED = ("initiative", "epic")
"""Issue types that have a level of their own."""


@dataclass(frozen=True)
class Repository:
    """A repository of the organization as GitHub names it now. `id` is GitHub's, `repository_id` the service's.

    `former_name` is the full name by which the organization knows it, if it was renamed since. `changes` are its newest
    ones, from before its issues and milestones are read; None if GitHub does not tell.
    """

    id: str
    owner: str
    name: str
    repository_id: str
    former_name: str | None = None
    changes: Any = None

    @property
    def full_name(self) -> str:
        return f"{self.owner}/{self.name}"


def issue(
    repository: Repository, types: Mapping[int, str], rest: Callable[[Node, str], list[Any]], one: Node
) -> Item:
    """An issue. `rest` reads a nested connection to its end."""
    number: int = one["number"]
    type_name = text(at(one, ("issueType", "name"))) or types.get(number)
    boards = [each for each in rest(one, "projectItems") if at(each, ("project", "id"))]
    fields = next(
        (each for each in boards if not at(each, ("project", "closed"))), boards[0] if boards else {}
    )
    column = text(at(fields, ("status", "name")))
    category = _category(one, column)
    created = _time(one["createdAt"])
    assignee = at(one, ("assignees", "nodes", 0)) or {}
    return Item(
        provider_id=one["id"],
        kind=kind_of(type_name),
        key=f"{repository.full_name}#{number}",
        previous_keys=[f"{repository.former_name}#{number}"] if repository.former_name else [],
        number=number,
        repository_id=repository.repository_id,
        type_name=type_name,
        title=one["title"],
        status=column if column and one["state"] == "OPEN" else str(one["state"]).capitalize(),
        status_category=category,
        parent_ids=_parents(one, boards),
        team_key=repository.full_name,
        team_name=repository.full_name,
        assignee=text(assignee.get("login")),
        assignee_name=text(assignee.get("name")),
        creator=text(at(one, ("author", "login"))),
        created_at=created,
        updated_at=_time(one["updatedAt"]),
        completed_at=instant(one.get("closedAt")) if category == "done" else None,
        start_on=day(at(fields, ("start", "date"))),
        target_on=day(at(fields, ("target", "date"))) or day(at(fields, ("due", "date"))),
        estimate=_number(at(fields, ("estimate", "number")), at(fields, ("points", "number"))),
        resolution=(text(one.get("stateReason")) or "").lower() or None if one["state"] == "CLOSED" else None,
        url=text(one.get("url")),
        labels=[label["name"] for label in rest(one, "labels")],
        pull_requests=[each["url"] for each in rest(one, "closedByPullRequestsReferences")],
        history=_history(created, rest(one, "timelineItems")),
        payload=one,
    )


def milestone(repository: Repository, one: Node) -> Item:
    """A milestone. Its number is no number of an issue, so it has none here."""
    is_closed = one["state"] == "CLOSED"
    is_begun = bool(one.get("progressPercentage"))
    return Item(
        provider_id=one["id"],
        kind="milestone",
        key=None,
        title=one["title"],
        status="Closed" if is_closed else "Open",
        status_category="done" if is_closed else "doing" if is_begun else "todo",
        team_key=repository.full_name,
        team_name=repository.full_name,
        creator=text(at(one, ("creator", "login"))),
        created_at=_time(one["createdAt"]),
        updated_at=_time(one["updatedAt"]),
        completed_at=instant(one.get("closedAt")) if is_closed else None,
        target_on=day(one.get("dueOn")),
        url=text(one.get("url")),
        payload=one,
    )


def project(one: Node) -> Item:
    """A Project. Its dates and its status are those of its newest status update."""
    update = at(one, ("statusUpdates", "nodes", 0)) or {}
    status = text(update.get("status"))
    category: StatusCategory = "done" if one["closed"] else PROJECT_STATUS.get(status or "", "doing")
    return Item(
        provider_id=one["id"],
        kind="project",
        key=None,
        title=one["title"],
        status="Closed" if one["closed"] else (status or "Open").replace("_", " ").capitalize(),
        status_category=category,
        creator=text(at(one, ("creator", "login"))),
        created_at=_time(one["createdAt"]),
        updated_at=_time(one["updatedAt"]),
        completed_at=instant(one.get("closedAt")) if one["closed"] else None,
        start_on=day(update.get("startDate")),
        target_on=day(update.get("targetDate")),
        url=text(one.get("url")),
        payload=one,
    )


def kind_of(type_name: str | None) -> str:
    """The kind of an issue type: only initiatives and epics have their own."""
    name = (type_name or "").lower()
    return name if name in TYPED else "issue"


def _parents(one: Node, boards: list[Node]) -> list[str]:
    """Parent issue, Projects (open ones first) and milestone.

    The chain goes over the parent issue where that one is an initiative or epic, or carries the same Project or
    milestone, or where the issue has nothing else; a Project comes before the milestone, which leads to none.
    """
    ordered = sorted(boards, key=lambda each: bool(at(each, ("project", "closed"))))
    own = [each["project"]["id"] for each in ordered]
    own += [found] if (found := text(at(one, ("milestone", "id")))) else []
    parent = one.get("parent") or {}
    if not text(parent.get("id")):
        return own
    carried = {at(each, ("project", "id")) for each in at(parent, ("projectItems", "nodes")) or []}
    carried.add(at(parent, ("milestone", "id")))
    is_first = (
        kind_of(text(at(parent, ("issueType", "name")))) in TYPED or not own or bool(carried & set(own))
    )
    return [parent["id"], *own] if is_first else [*own, parent["id"]]


def _category(one: Node, column: str | None) -> StatusCategory:
    """GitHub gives columns no category. An open issue is under way where the name of its column says so."""
    if one["state"] == "CLOSED":
        return "canceled" if one.get("stateReason") in DROPPED else "done"
    return "doing" if column and category_of_name(column) == "doing" else "todo"


def _history(created: datetime, events: list[Node]) -> list[Change]:
    found = [Change("status", created, None, "Open", "todo")]
    for event in sorted(events, key=lambda each: str(each.get("createdAt"))):
        if (when := instant(event.get("createdAt"))) is None:
            continue
        actor = text(at(event, ("actor", "login")))
        if event["__typename"] == "ClosedEvent":
            category: StatusCategory = "canceled" if event.get("stateReason") in DROPPED else "done"
            found.append(Change("status", when, found[-1].after, "Closed", category, actor))
        elif event["__typename"] == "ReopenedEvent":
            found.append(Change("status", when, found[-1].after, "Open", "todo", actor))
    return found


def _time(value: Any) -> datetime:
    """A required time. Raises ValueError without one."""
    if (found := instant(value)) is None:
        raise ValueError("no time")
    return found


def _number(*values: Any) -> float | None:
    return next((float(each) for each in values if isinstance(each, int | float)), None)
