"""A synthetic site of Jira Cloud: initiatives, epics and stories with changelogs, oldest first.

The first project has the keys that commits of the synthetic organization name (`APP-1`, …).
"""

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.benchmarks.connections.templates import template

FIRST_ID = 10_001
PROJECT_SIZE = 5_000
STORIES_OF_EPIC, EPICS_OF_INITIATIVE = 50, 10
APART = timedelta(minutes=7)
CHANGED_AFTER = timedelta(days=4)
STATUSES = (("1", "To Do", "new"), ("3", "In Progress", "indeterminate"), ("5", "Done", "done"))
_TYPES = {
    2: ("10003", "Initiative", 2),
    1: ("10002", "Epic", 1),
    0: ("10001", "Story", 0),
    -1: ("10004", "Bug", 0),
}
_LIMIT = re.compile(r'updated >= "([^"]+)"')


def _person(number: str) -> dict[str, Any]:
    avatar = "https://avatar.example.com/<person>/"
    return {
        "self": f"https://jira.example.com/rest/api/3/user?accountId=557058:{number}",
        "accountId": f"557058:{number}",
        "emailAddress": f"person{number}@example.com",
        "avatarUrls": {f"{size}x{size}": f"{avatar}{size}" for size in (48, 24, 16, 32)},
        "displayName": f"Person {number}",
        "active": True,
        "timeZone": "Europe/Berlin",
        "accountType": "atlassian",
    }


def _status(which: tuple[str, str, str]) -> dict[str, Any]:
    number, name, category = which
    return {
        "self": f"https://jira.example.com/rest/api/3/status/{number}",
        "description": "",
        "iconUrl": "https://jira.example.com/images/icons/statuses/open.png",
        "name": name,
        "id": number,
        "statusCategory": {"id": 2, "key": category, "colorName": "blue-gray", "name": name},
    }


def _issue(height: int, status: tuple[str, str, str], *, has_parent: bool) -> str:
    type_id, type_name, hierarchy = _TYPES[height]
    issue_type = {
        "self": f"https://jira.example.com/rest/api/3/issuetype/{type_id}",
        "id": type_id,
        "description": "A piece of work that someone can finish.",
        "iconUrl": f"https://jira.example.com/rest/api/2/universal_avatar/view/type/issuetype/avatar/{type_id}",
        "name": type_name,
        "subtask": False,
        "hierarchyLevel": hierarchy,
    }
    parent = {
        "id": "<parent>",
        "key": "<parent_key>",
        "self": "https://jira.example.com/rest/api/3/issue/<parent>",
        "fields": {"summary": "What stands above", "status": _status(STATUSES[1]), "issuetype": issue_type},
    }
    is_done = status[2] == "done"
    fields = {
        "summary": "Show report <id> without the rows that nobody reads",
        "status": _status(status),
        "statuscategorychangedate": "<changed>",
        "issuetype": issue_type,
        "project": {
            "self": "https://jira.example.com/rest/api/3/project/10000",
            "id": "10000",
            "key": "<project>",
            "name": "Project <project>",
            "projectTypeKey": "software",
            "simplified": False,
            "avatarUrls": {
                f"{size}x{size}": f"https://avatar.example.com/project/{size}" for size in (48, 24, 16, 32)
            },
        },
        "assignee": _person("<person>"),
        "reporter": _person("7"),
        "creator": _person("7"),
        "priority": {
            "self": "https://jira.example.com/rest/api/3/priority/3",
            "iconUrl": "https://jira.example.com/images/icons/priorities/medium.svg",
            "name": "Medium",
            "id": "3",
        },
        "labels": ["backend", "team-<person>"],
        "components": [{"id": "10001", "name": "Reports"}],
        "fixVersions": [{"id": "10010", "name": "2.<person>", "archived": False, "released": True}],
        "created": "<created>",
        "updated": "<changed>",
        "resolutiondate": "<changed>" if is_done else None,
        "resolution": {"id": "10000", "name": "Done", "description": "Work is complete."}
        if is_done
        else None,
        "duedate": "2026-12-31",
        "issuelinks": [],
        "customfield_10016": 3.0,
        "customfield_10015": "2026-01-15",
    }
    return template(
        {
            "expand": "renderedFields,names,schema,operations,editmeta,changelog,versionedRepresentations",
            "id": "<id>",
            "self": "https://jira.example.com/rest/api/3/issue/<id>",
            "key": "<key>",
            "fields": fields | ({"parent": parent} if has_parent else {}),
        }
    )


def _changelog() -> str:
    def history(number: int, at: str, *items: dict[str, Any]) -> dict[str, Any]:
        person = {"accountId": "557058:<person>", "displayName": "Person <person>", "active": True}
        return {"id": f"<id>{number}", "author": person, "created": at, "items": list(items)}

    def step(before: int, after: int) -> dict[str, Any]:
        one, other = STATUSES[before], STATUSES[after]
        return {
            "field": "status",
            "fieldtype": "jira",
            "fieldId": "status",
            "from": one[0],
            "fromString": one[1],
            "to": other[0],
            "toString": other[1],
        }

    def other(name: str) -> dict[str, Any]:
        return {
            "field": name,
            "fieldtype": "jira",
            "fieldId": name,
            "from": None,
            "fromString": None,
            "to": "x",
            "toString": "A value",
        }

    histories = [
        history(1, "<created_ms:d>", other("assignee"), other("priority")),
        history(2, "<started_ms:d>", step(0, 1)),
        history(3, "<started_ms:d>", other("Sprint"), other("Rank")),
        history(4, "<changed_ms:d>", step(1, 2), other("resolution")),
    ]
    return template({"issueId": "<id>", "changeHistories": histories})


_ISSUES = {
    (height, status[0]): _issue(height, status, has_parent=height < 2)
    for height in _TYPES
    for status in STATUSES
}
_CHANGELOG = _changelog()


class JiraSite:
    """`count` issues; the last one changed at `end`."""

    def __init__(self, count: int, end: datetime) -> None:
        self.count, self._end = count, end

    def answer(self, path: str, body: Any) -> bytes:
        """The answer to a request below `/rest/api/3`. Raises KeyError for an unknown one."""
        if path.endswith("/search/jql"):
            return self._search(body)
        if path.endswith("/changelog/bulkfetch"):
            found = ",".join(_CHANGELOG % self._values(int(one) - FIRST_ID) for one in body["issueIdsOrKeys"])
            return f'{{"issueChangeLogs":[{found}]}}'.encode()
        return json.dumps(_SMALL[path.rsplit("/", 1)[1]]).encode()

    def _search(self, body: Any) -> bytes:
        since = datetime.strptime(_LIMIT.findall(body["jql"])[0], "%Y/%m/%d %H:%M").replace(tzinfo=UTC)
        last = self.count - 1
        # The number of whole steps between the limit and the newest change.
        first = max(0, last - (self._end - since) // APART) if since <= self._end else self.count
        start = int(body.get("nextPageToken") or first)
        end = min(self.count, start + body["maxResults"])
        if body["fields"] == ["id"]:
            rows = ",".join(f'{{"id":"{FIRST_ID + number}"}}' for number in range(start, end))
        else:
            rows = ",".join(self._template(number) % self._values(number) for number in range(start, end))
        token = f'"nextPageToken":"{end}",' if end < self.count else ""
        return f'{{"issues":[{rows}],{token}"isLast":{"false" if token else "true"}}}'.encode()

    def _template(self, number: int) -> str:
        height = _height(number)
        status = STATUSES[2] if number % 10 < 8 else STATUSES[number % 2]
        return _ISSUES[-1 if height == 0 and number % 7 == 3 else height, status[0]]

    def _values(self, number: int) -> dict[str, Any]:
        changed = self._end - (self.count - 1 - number) * APART
        created, started = changed - CHANGED_AFTER, changed - CHANGED_AFTER / 2
        parent = _parent(number)
        return {
            "id": FIRST_ID + number,
            "key": _key(number),
            "project": _project(number),
            "parent": FIRST_ID + parent,
            "parent_key": _key(parent),
            "person": number % 400,
            "created": f"{created:%Y-%m-%dT%H:%M:%S}.000+0000",
            "changed": f"{changed:%Y-%m-%dT%H:%M:%S}.000+0000",
            "created_ms": int(created.timestamp()) * 1000,
            "started_ms": int(started.timestamp()) * 1000,
            "changed_ms": int(changed.timestamp()) * 1000,
        }


def _height(number: int) -> int:
    if number % (STORIES_OF_EPIC * EPICS_OF_INITIATIVE) == 0:
        return 2
    return 1 if number % STORIES_OF_EPIC == 1 else 0


def _parent(number: int) -> int:
    """The epic of a story, the initiative of an epic."""
    if _height(number) == 0:
        return number // STORIES_OF_EPIC * STORIES_OF_EPIC + 1
    return number // (STORIES_OF_EPIC * EPICS_OF_INITIATIVE) * STORIES_OF_EPIC * EPICS_OF_INITIATIVE


def _project(number: int) -> str:
    place = number // PROJECT_SIZE
    return "APP" if place == 0 else f"PRJ{place}"


def _key(number: int) -> str:
    return f"{_project(number)}-{number % PROJECT_SIZE + 1}"


_SMALL: dict[str, Any] = {
    "myself": {"accountId": "557058:1", "displayName": "Reader", "timeZone": "UTC"},
    "field": [
        {
            "id": "customfield_10016",
            "name": "Story point estimate",
            "schema": {"custom": "com.pyxis.greenhopper.jira:jsw-story-points"},
        },
        {
            "id": "customfield_10015",
            "name": "Start date",
            "schema": {"custom": "com.atlassian.jira.plugin.system.customfieldtypes:datepicker"},
        },
    ],
    "status": [_status(one) for one in STATUSES],
    "search": {"values": [{"id": "10000", "key": "APP", "projectKeys": ["APP"]}], "total": 1, "isLast": True},
}
