"""Issues of Jira as items: the fields of Cloud (version 3) and Data Center (version 2) with their changelogs.

Add: what both have. Keep out: requests (`cloud`, `data_center`), JQL (`queries`), the shape of
changelogs (`changes`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ingest.connections.trackers.records import Change, Item, StatusCategory
from ingest.connections.values import column_number, day, instant, number, text
from ingest.json_paths import at
from ingest.providers.jira.changes import Json, items_of, once, time_of, tracked_changes

CATEGORIES: Mapping[str, StatusCategory] = {"new": "todo", "indeterminate": "doing", "done": "done"}
"""By the key of a status category, which Jira fixes; names and statuses are the customer's."""

CANCELED = frozenset(
    {
        "abandoned", "auto closed", "cancelled", "canceled", "cannot reproduce", "cant reproduce", "declined",
        "duplicate", "duplicated", "incomplete", "invalid", "later", "not a bug", "not a problem", "not reproducible",
        "obsolete", "out of scope", "rejected", "unable to reproduce", "will not do", "will not fix", "withdrawn",
        "wont do", "wont fix", "wont implement", "works for me",
    }
)  # fmt: skip
"""Resolutions and statuses that close an issue without work, in lower case without signs.

Resolutions have no category in Jira. The list has those of Jira itself and their usual variants, and counts only in the
status category done: a status `Rejected` in the middle of a workflow is work in progress. Any other name is done.
"""

GREENHOPPER, ROADMAPS = "com.pyxis.greenhopper.jira:", "com.atlassian.jpo:jpo-custom-field-"
SYSTEM_TYPES = "com.atlassian.jira.plugin.system.customfieldtypes:"
BY_TYPE = {
    "epic_link": f"{GREENHOPPER}gh-epic-link",
    "epic_name": f"{GREENHOPPER}gh-epic-label",
    "sprint": f"{GREENHOPPER}gh-sprint",
    "points": f"{GREENHOPPER}jsw-story-points",
    "parent_link": f"{ROADMAPS}parent",
    "target_start": f"{ROADMAPS}baseline-start",
    "target_end": f"{ROADMAPS}baseline-end",
}
BY_NAME = {
    ("story points", f"{SYSTEM_TYPES}float"): "points",
    ("story point estimate", f"{SYSTEM_TYPES}float"): "points",
    ("start date", f"{SYSTEM_TYPES}datepicker"): "start",
}
"""Fields of company-managed projects that share their type with fields of the customer: the name decides too."""


@dataclass(frozen=True)
class Site:
    """The parts of a site that the mapping needs: fields by role, categories of statuses by id, levels of types by id.

    `former_keys` are keys that a project gave up, by its key of today. No changelog of an issue has them.
    """

    browse_address: str
    fields: Mapping[str, Sequence[str]] = field(default_factory=dict)
    categories: Mapping[str, str] = field(default_factory=dict)
    levels: Mapping[str, int] = field(default_factory=dict)
    former_keys: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def values(self, fields: Json, role: str) -> Iterator[Any]:
        """The values of the custom fields with a role, but for empty ones."""
        return (value for name in self.fields.get(role, ()) if (value := fields.get(name)) is not None)


def custom_fields(listed: Any) -> dict[str, list[str]]:
    """Ids of custom fields by role, from the answer of `/field`. Their numbers differ on every site."""
    roles = {kind: role for role, kind in BY_TYPE.items()}
    found: dict[str, list[str]] = {}
    for one in listed if isinstance(listed, list) else []:
        kind, name = at(one, ("schema", "custom")), text(at(one, ("id",)))
        names = (at(one, ("name",)), at(one, ("untranslatedName",)))
        by_name = (BY_NAME.get((str(each).strip().lower(), str(kind))) for each in names)
        role = roles.get(str(kind)) or next(filter(None, by_name), None)
        if role is not None and name is not None:
            found.setdefault(role, []).append(name)
    return found


def status_categories(listed: Any) -> dict[str, str]:
    """Keys of categories by status id, from the answer of `/status`."""
    return {
        str(one["id"]): str(at(one, ("statusCategory", "key")))
        for one in (listed if isinstance(listed, list) else [])
        if isinstance(one, dict) and "id" in one
    }


def item(
    issue: Json, histories: Iterable[Json], site: Site, ids: Mapping[str, str | None] | None = None
) -> Item:
    """An issue as an item. `ids` are ids by key, for parents that Jira names by key.

    Raises KeyError, TypeError and ValueError for an issue that lacks what an item needs.
    """
    fields: Json = issue["fields"]
    changes = once(histories)
    created = _required(fields, "created")
    category = _category(site, fields)
    history = sorted(_status_changes(changes, site, fields.get("status")), key=lambda change: change.at)
    assignee = fields.get("assignee")
    key = str(issue["key"])
    return Item(
        provider_id=str(issue["id"]),
        kind=f"level_{level(fields, site)}",
        key=key,
        previous_keys=[old for old in _previous_keys(changes, site, key) if old != key],
        number=column_number(key.rpartition("-")[2]),
        type_name=text(at(fields, ("issuetype", "name"))),
        title=text(fields.get("summary")) or "",
        status=text(at(fields, ("status", "name"))),
        status_category=category,
        parent_ids=_parents(fields, site, ids or {}),
        team_key=text(at(fields, ("project", "key"))),
        team_name=text(at(fields, ("project", "name"))),
        assignee=person(assignee),
        assignee_name=text(at(assignee, ("displayName",))),
        assignee_email=text(at(assignee, ("emailAddress",))),
        creator=person(fields.get("creator")) or person(fields.get("reporter")),
        created_at=created,
        updated_at=instant(fields.get("updated")) or created,
        started_at=next((change.at for change in history if change.after_category == "doing"), None),
        completed_at=_completed(fields, history) if category == "done" else None,
        start_on=_first_day(fields, site, "start", "target_start"),
        target_on=day(fields.get("duedate")) or _first_day(fields, site, "target_end"),
        estimate=next((float(v) for v in site.values(fields, "points") if _is_number(v)), None),
        resolution=text(at(fields, ("resolution", "name"))),
        url=f"{site.browse_address}/browse/{key}",
        labels=[label for label in fields.get("labels") or [] if isinstance(label, str)],
        history=history,
        payload={"issue": _without_changelog(issue), "changelog": tracked_changes(changes)},
    )


def level(fields: Json, site: Site) -> int:
    """The level of the issue's type: −1 sub-task, 0 issue, 1 epic, 2 and higher above it.

    Cloud states it. Data Center states it only with Advanced Roadmaps (`Site.levels`); else sub-tasks have a mark,
    epics the field Epic Name, and Advanced Roadmaps calls the level above them Initiative.
    """
    kind = fields.get("issuetype")
    stated = number(at(kind, ("hierarchyLevel",)))
    if stated is not None:
        return stated
    if (known := site.levels.get(str(at(kind, ("id",))))) is not None:
        return known
    if at(kind, ("subtask",)):
        return -1
    name = str(at(kind, ("name",))).strip().lower()
    if name == "initiative":
        return 2
    return 1 if name == "epic" or any(site.values(fields, "epic_name")) else 0


def person(user: Any) -> str | None:
    """The account id of Cloud, or the login of Data Center."""
    return next(filter(None, (text(at(user, (name,))) for name in ("accountId", "name", "key"))), None)


def parent_keys(fields: Json, site: Site) -> Iterator[str]:
    """Keys of parents that Jira names without an id: the epic, and the parent of Advanced Roadmaps."""
    for role in ("epic_link", "parent_link"):
        for value in site.values(fields, role):
            named = value if isinstance(value, str) else at(value, ("key",)) or at(value, ("data", "key"))
            if text(named):
                yield named


def _parents(fields: Json, site: Site, ids: Mapping[str, str | None]) -> list[str]:
    """`parent` names every level on Cloud, and only that of sub-tasks on Data Center; boards name the `epic`."""
    found = [str(stated) for name in ("parent", "epic") if (stated := at(fields, (name, "id")))]
    found += [known for key in parent_keys(fields, site) if (known := ids.get(key))]
    return list(dict.fromkeys(found))


def _category(site: Site, fields: Json) -> StatusCategory:
    status = fields.get("status")
    resolution = text(at(fields, ("resolution", "name")))
    stated = at(status, ("statusCategory", "key")) or site.categories.get(str(at(status, ("id",))))
    category = CATEGORIES.get(str(stated)) or ("done" if resolution else "todo")
    is_canceled = any(_is_canceled(name) for name in (resolution, at(status, ("name",))))
    return "canceled" if category == "done" and is_canceled else category


def _is_canceled(name: Any) -> bool:
    return isinstance(name, str) and re.sub(r"[^a-z ]", "", name.lower()).strip() in CANCELED


def _status_changes(changes: Iterable[Json], site: Site, status: Any) -> Iterator[Change]:
    """Steps between statuses. `status` is the issue's own: a site hides statuses of some projects from its list."""
    own = {str(at(status, ("id",))): str(at(status, ("statusCategory", "key")))}
    for change in changes:
        when = time_of(change)
        for one in items_of(change, "status"):
            if when is None:
                continue
            after = text(one.get("toString"))
            number = str(one.get("to"))
            category = CATEGORIES.get(site.categories.get(number) or own.get(number, ""))
            yield Change(
                field="status",
                at=when,
                before=text(one.get("fromString")),
                after=after,
                after_category="canceled" if category == "done" and _is_canceled(after) else category,
                actor=person(change.get("author")),
            )


def _previous_keys(changes: Iterable[Json], site: Site, key: str) -> list[str]:
    """Keys before moves, the oldest first, and those with former keys of the project."""
    found = [
        old for change in changes for one in items_of(change, "key") if (old := text(one.get("fromString")))
    ]
    project, _, place = key.rpartition("-")
    found += [f"{former}-{place}" for former in site.former_keys.get(project, ())]
    return list(dict.fromkeys(found))


def _without_changelog(issue: Json) -> Json:
    return {name: value for name, value in issue.items() if name != "changelog"}


def _completed(fields: Json, history: Sequence[Change]) -> datetime | None:
    """The time of the resolution; in workflows without resolutions that of the last step into the category done."""
    if stated := instant(fields.get("resolutiondate")):
        return stated
    entered, was = None, ""
    for change in history:
        if change.after_category == "done" and was != "done":
            entered = change.at
        was = change.after_category or ""
    return entered or instant(fields.get("statuscategorychangedate"))


def _first_day(fields: Json, site: Site, *roles: str) -> Any:
    values = (day(value) for role in roles for value in site.values(fields, role))
    return next(filter(None, values), None)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _required(fields: Json, name: str) -> datetime:
    found = instant(fields[name])
    if found is None:
        raise ValueError(f"{name} is no time")
    return found
