"""The history of the status of an Asana task, which only its stories tell: a request per task that changed.

Keep out: the status of today (`items`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from ingest.connections.trackers.records import Change, StatusCategory
from ingest.connections.values import instant, text
from ingest.json_paths import at

Node = Mapping[str, Any]

FIELDS = "resource_subtype,created_at,created_by,new_section.name,custom_field.name,new_enum_value.name"
STEPS = frozenset({"section_changed", "enum_custom_field_changed", "marked_complete", "marked_incomplete"})
OPEN, COMPLETED = "Incomplete", "Completed"


def is_untouched(one: Node) -> bool:
    """Whether a task is as it was created, so that it has no history."""
    return not one.get("completed") and one.get("modified_at") == one.get("created_at")


def history_of(
    created: datetime,
    stories: Sequence[Node],
    is_status_field: Callable[[str], bool],
    category_of: Callable[[str], StatusCategory | None],
) -> list[Change]:
    """Steps between sections, values of a status field, and completion, from the creation on.

    A task whose stories change a status field has its status there, and sections are only its place.
    """
    steps = sorted(
        ((when, one) for one in stories if (when := instant(one.get("created_at")))), key=lambda pair: pair[0]
    )
    has_field = any(_field_value(one, is_status_field) for _, one in steps)
    found = [Change("status", created, None, OPEN, "todo")]
    is_complete, now = False, OPEN
    for when, one in steps:
        kind = one.get("resource_subtype")
        section = text(at(one, ("new_section", "name"))) if kind == "section_changed" else None
        value = _field_value(one, is_status_field) if has_field else section
        now = value or now
        if kind in ("marked_complete", "marked_incomplete"):
            is_complete = kind == "marked_complete"
        after, category = _status(now, category_of(now), is_complete=is_complete)
        if after != found[-1].after:
            actor = text(at(one, ("created_by", "gid")))
            found.append(Change("status", when, found[-1].after, after, category, actor))
    return found


def _status(
    name: str, category: StatusCategory | None, *, is_complete: bool
) -> tuple[str, StatusCategory | None]:
    """The status of a moment as that of today follows from its parts: completion counts before a name."""
    if is_complete and category not in ("done", "canceled"):
        return COMPLETED, "done"
    return name, "todo" if name == OPEN else category


def _field_value(one: Node, is_status_field: Callable[[str], bool]) -> str | None:
    """The new value of a status field; None for another story."""
    if one.get("resource_subtype") != "enum_custom_field_changed":
        return None
    name = text(at(one, ("custom_field", "name"))) or ""
    return text(at(one, ("new_enum_value", "name"))) if is_status_field(name) else None
