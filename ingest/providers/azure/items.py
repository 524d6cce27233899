"""Work items of Azure Boards as records."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Any, NamedTuple
from urllib.parse import quote

from ingest.connections.trackers.records import Change, Item, StatusCategory
from ingest.connections.values import EPOCH, instant, text
from ingest.json_paths import at

LEVELS: Mapping[str, str] = {
    "epic": "objective",
    "feature": "sub_objective",
    # Types of tests and reviews, which nobody plans.
    **dict.fromkeys(
        (
            "code_review_request", "code_review_response", "feedback_request", "feedback_response", "shared_parameter",
            "shared_steps", "test_case", "test_plan", "test_suite",
        ),
        "ignored",
    ),
}  # fmt: skip
COMMON, SCHEDULING = "Microsoft.VSTS.Common", "Microsoft.VSTS.Scheduling"
ESTIMATES = (f"{SCHEDULING}.StoryPoints", f"{SCHEDULING}.Effort", f"{SCHEDULING}.Size")
STARTS = (f"{SCHEDULING}.StartDate",)
TARGETS = (f"{SCHEDULING}.TargetDate", f"{SCHEDULING}.DueDate", f"{SCHEDULING}.FinishDate")
FIELDS = (
    "System.Id", "System.Rev", "System.WorkItemType", "System.Title", "System.State", "System.Reason", "System.Parent",
    "System.TeamProject", "System.AreaPath", "System.IterationPath", "System.AssignedTo", "System.CreatedBy",
    "System.CreatedDate", "System.ChangedDate", "System.Tags", f"{COMMON}.ActivatedDate", f"{COMMON}.ResolvedDate",
    f"{COMMON}.ResolvedReason", f"{COMMON}.ClosedDate", f"{COMMON}.Priority", f"{COMMON}.ValueArea", *ESTIMATES,
    *STARTS, *TARGETS,
)  # fmt: skip
CATEGORIES: Mapping[str, StatusCategory] = {
    "Proposed": "todo",
    "InProgress": "doing",
    "Resolved": "doing",  # done, and nobody has confirmed it
    "Completed": "done",
    "Removed": "canceled",
}
NAMES: Mapping[str, StatusCategory] = {
    "active": "doing", "committed": "doing", "doing": "doing", "in progress": "doing", "resolved": "doing",
    "in review": "doing", "closed": "done", "completed": "done", "done": "done", "removed": "canceled",
    "cut": "canceled",
}  # fmt: skip
"""States of Microsoft's processes, for projects that are gone or types that no longer have the state."""
_PERSON = re.compile(r"\s*(.*?)\s*<([^<>]*)>\s*")


class Revision(NamedTuple):
    """The state of an item after one of its changes."""

    number: int
    at: datetime
    state: str | None
    actor: str | None
    is_deleted: bool


class Person(NamedTuple):
    login: str | None
    name: str | None


@dataclass
class Categories:
    """Categories of states by project, type and state. `types_of` asks for the types of a project, once."""

    types_of: Callable[[str], list[Any]]
    _known: dict[str, dict[tuple[str, str], StatusCategory]] = field(default_factory=dict)

    def of(self, project: str, kind: str, state: str | None) -> StatusCategory | None:
        """The category of a state; None if nobody knows it."""
        if state is None:
            return None
        if project not in self._known:
            self._known[project] = {
                (str(at(one, ("name",))), str(at(each, ("name",)))): category
                for one in (self.types_of(project) if project else [])
                for each in at(one, ("states",)) or []
                if (category := CATEGORIES.get(str(at(each, ("category",)))))
            }
        return self._known[project].get((kind, state)) or NAMES.get(state.lower())


def item_of(one: dict[str, Any], revisions: Sequence[Revision], categories: Categories, address: str) -> Item:
    """A work item with its revisions in order."""
    fields: Mapping[str, Any] = one["fields"]
    kind, project = fields["System.WorkItemType"], text(fields.get("System.TeamProject")) or ""
    state = text(fields.get("System.State"))
    category = categories.of(project, kind, state) or "todo"
    created = instant(fields.get("System.CreatedDate")) or EPOCH
    history = _history(revisions, lambda name: categories.of(project, kind, name))
    assignee, creator = person_of(fields.get("System.AssignedTo")), person_of(fields.get("System.CreatedBy"))
    area, parent = text(fields.get("System.AreaPath")) or project or None, fields.get("System.Parent")
    has_ended = category in ("done", "canceled")
    return Item(
        provider_id=str(one["id"]),
        kind=re.sub(r"[^a-z0-9]+", "_", kind.lower()).strip("_"),
        key=f"AB#{one['id']}",
        title=text(fields.get("System.Title")) or "",
        status=state,
        status_category=category,
        created_at=created,
        updated_at=instant(fields.get("System.ChangedDate")) or created,
        payload=one,
        number=one["id"],
        type_name=kind,
        parent_ids=[str(parent)] if isinstance(parent, int) else [],
        team_key=area,
        team_name=area,
        assignee=assignee.login,
        assignee_name=assignee.name,
        assignee_email=assignee.login if assignee.login and "@" in assignee.login else None,
        creator=creator.login,
        started_at=instant(fields.get(f"{COMMON}.ActivatedDate")) or _first(history, "doing"),
        completed_at=(instant(fields.get(f"{COMMON}.ClosedDate")) or _last(history, category))
        if has_ended
        else None,
        start_on=_first_day(fields, STARTS),
        target_on=_first_day(fields, TARGETS),
        estimate=next((size for name in ESTIMATES if (size := _size(fields.get(name))) is not None), None),
        resolution=text(fields.get("System.Reason")) if has_ended else None,
        url=f"{address}/{quote(project, safe='')}/_workitems/edit/{one['id']}",
        labels=[tag for part in (text(fields.get("System.Tags")) or "").split(";") if (tag := part.strip())],
        history=history,
    )


def _history(
    revisions: Sequence[Revision], category_of: Callable[[str | None], StatusCategory | None]
) -> list[Change]:
    """Changes of the state between revisions."""
    changes = []
    for before, after in pairwise(revisions):
        if after.state is not None and before.state != after.state:
            category = category_of(after.state)
            changes.append(Change("status", after.at, before.state, after.state, category, after.actor))
    return changes


def _first(history: list[Change], category: str) -> datetime | None:
    return next((change.at for change in history if change.after_category == category), None)


def _last(history: list[Change], category: str) -> datetime | None:
    return next((change.at for change in reversed(history) if change.after_category == category), None)


def _size(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _first_day(fields: Mapping[str, Any], names: Sequence[str]) -> date | None:
    """The day that people chose. The service has it as an instant, midnight of the time zone of the person."""
    for name in names:
        if when := instant(fields.get(name)):
            return (when + timedelta(hours=12)).date()
    return None


def person_of(value: Any) -> Person:
    """A person, as an identity or as text `Name <login>`."""
    if isinstance(value, str):
        match = _PERSON.fullmatch(value)
        return Person(text(match[2]), text(match[1])) if match else Person(text(value), text(value))
    return Person(
        text(at(value, ("uniqueName",))) or text(at(value, ("id",))), text(at(value, ("displayName",)))
    )
