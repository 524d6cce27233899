"""Changelogs of Jira: the changes of an issue, by time and once.

Keep out: what a change means for an item (`issues`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from ingest.connections.values import instant, instant_ms, number

Json = dict[str, Any]

TRACKED_FIELDS = frozenset(
    {
        "status",
        "key",
        "project",
        "resolution",
        "assignee",
        "epic link",
        "parent",
        "parent link",
        "sprint",
        "issuetype",
    }
)
"""Changes that the payload keeps. Those of descriptions are many times larger than the issue."""


def items_of(change: Json, name: str) -> Iterator[Json]:
    """Changes of a field of Jira itself: a custom field may have the same name."""
    for one in change.get("items") or []:
        if str(one.get("field")).lower() == name and one.get("fieldtype", "jira") == "jira":
            yield one


def once(histories: Iterable[Json]) -> list[Json]:
    """Changes by time; one that two pages have, or that has no id, once and as it is."""
    by_id = {str(one.get("id", place)): one for place, one in enumerate(histories)}
    return sorted(by_id.values(), key=lambda one: (str(time_of(one)), number(one.get("id")) or 0))


def time_of(change: Json) -> datetime | None:
    """The time of a change: text in an issue, a number in a bulk answer, of milliseconds or (below 1973) seconds."""
    created = change.get("created")
    if isinstance(created, int) and abs(created) < 10**11:
        created *= 1000
    return instant(created) if isinstance(created, str) else instant_ms(created)


def tracked_changes(changes: Iterable[Json]) -> list[Json]:
    """The changes of the tracked fields."""
    tracked = (
        {**change, "items": [one for one in change.get("items") or [] if _is_tracked(one)]}
        for change in changes
    )
    return [change for change in tracked if change["items"]]


def _is_tracked(one: Json) -> bool:
    return str(one.get("field")).lower() in TRACKED_FIELDS
