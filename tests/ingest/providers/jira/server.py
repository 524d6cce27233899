"""A small Jira: issues with changelogs, and the part of JQL that the connectors use. Invented content."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs
from zoneinfo import ZoneInfo

import httpx

JQL = re.compile(
    r'(?:project in \((?P<projects>[^)]*)\) AND )?updated >= "(?P<since>[^"]+)" ORDER BY created ASC, key ASC'
)
KEYS = re.compile(r"key in \((?P<keys>[^)]*)\)")
STATUSES = {
    "1": ("Open", "new"),
    "2": ("Building", "indeterminate"),
    "3": ("Closed", "done"),
    "4": ("Rejected", "done"),
}
FIELDS = [
    {"id": "summary", "schema": {"type": "string", "system": "summary"}},
    {"id": "customfield_10", "name": "Epic Link", "schema": {"custom": "com.pyxis.greenhopper.jira:gh-epic-link"}},
    {"id": "customfield_11", "name": "Epic Name", "schema": {"custom": "com.pyxis.greenhopper.jira:gh-epic-label"}},
    {"id": "customfield_12", "name": "Parent Link", "schema": {"custom": "com.atlassian.jpo:jpo-custom-field-parent"}},
    {"id": "customfield_13", "name": "Story Points",
     "schema": {"custom": "com.atlassian.jira.plugin.system.customfieldtypes:float"}},
    {"id": "customfield_14", "name": "Start date",
     "schema": {"custom": "com.atlassian.jira.plugin.system.customfieldtypes:datepicker"}},
    {"id": "customfield_15", "name": "Target end",
     "schema": {"custom": "com.atlassian.jpo:jpo-custom-field-baseline-end"}},
    {"id": "customfield_16", "name": "Tea",
     "schema": {"custom": "com.atlassian.jira.plugin.system.customfieldtypes:float"}},
]  # fmt: skip


_PROJECT = {None: ["key"], "projectKeys": ["key", "projectKeys"]}


def spelled(at: datetime, zone: str = "UTC") -> str:
    """A time as Jira writes it: an offset without a colon."""
    return at.astimezone(ZoneInfo(zone)).strftime("%Y-%m-%dT%H:%M:%S.000%z")


def issue(number: int, *, at: datetime, project: str = "ABC", **fields: Any) -> dict[str, Any]:
    """An issue whose id is its number plus 10000."""
    return {
        "id": str(10_000 + number),
        "key": f"{project}-{number}",
        "fields": {
            "summary": f"Issue {number}",
            "status": status("1"),
            "issuetype": {"id": "7", "name": "Story", "subtask": False},
            "project": {"key": project, "name": f"Project {project}"},
            "created": spelled(at),
            "updated": spelled(at),
            "labels": [],
            "description": "long text that nobody asks for",
            **fields,
        },
    }


def status(number: str) -> dict[str, Any]:
    name, category = STATUSES[number]
    return {"id": number, "name": name, "statusCategory": {"key": category}}


@dataclass
class FakeJira:
    """Both kinds of Jira over the same issues. `zone` is the zone in which it reads JQL, which it may hide."""

    issues: dict[str, dict[str, Any]]
    zone: str = "UTC"
    shows_zone: bool = True
    page: int = 40
    changes: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    requests: list[tuple[str, Any]] = field(default_factory=list)
    before: Callable[[int], httpx.Response | None] = lambda _: None
    tokens: dict[str, tuple[datetime, str]] = field(default_factory=dict)
    shuffles: bool = False
    cuts: int | None = None
    """Changes of an issue that a search shows; `cuts_issues` those that the issue itself shows."""
    cuts_issues: int | None = None
    moved: dict[str, str] = field(default_factory=dict)
    """Ids by keys before a move."""
    hierarchy: list[dict[str, Any]] | None = None
    projects: list[dict[str, Any]] = field(default_factory=list)
    """Projects with all their keys."""

    @classmethod
    def of(cls, *issues: dict[str, Any], **options: Any) -> FakeJira:
        return cls({one["id"]: one for one in issues}, **options)

    def edit(self, number: int, at: datetime, **fields: Any) -> None:
        self.issues[str(10_000 + number)]["fields"].update(fields, updated=spelled(at))

    def log(self, number: int, at: datetime, **items: tuple[str, str]) -> None:
        """Note changes of fields: old and new value, for a status its numbers."""
        entries = []
        for name, (old, new) in items.items():
            is_status = name == "status"
            entries.append(
                {"field": name, "fieldtype": "jira", "from": old, "to": new,
                 "fromString": STATUSES[old][0] if is_status else old,
                 "toString": STATUSES[new][0] if is_status else new}
            )  # fmt: skip
        logged = self.changes.setdefault(str(10_000 + number), [])
        logged.append({"id": str(len(logged) + 1), "at": at, "author": {"accountId": "u1"}, "items": entries})

    def __call__(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content) if request.content else None
        params = {name: values[-1] for name, values in parse_qs(request.url.query.decode()).items()}
        path = request.url.path.partition("/rest/")[2]
        self.requests.append((path, body or params))
        if (special := self.before(len(self.requests))) is not None:
            return special
        return self._answer(path, params, body)

    def paths(self) -> list[str]:
        return [path.partition("/")[2].partition("/")[2] for path, _ in self.requests]

    def _answer(self, path: str, params: dict[str, str], body: Any) -> httpx.Response:
        name = path.removeprefix("api/3/").removeprefix("api/2/")
        if name == "myself":
            zone = {"timeZone": self.zone} if self.shows_zone else {}
            return httpx.Response(200, json={"accountId": "u1", "displayName": "Ann Example", **zone})
        if name == "field":
            return httpx.Response(200, json=FIELDS)
        if name == "status":
            return httpx.Response(200, json=[status(number) for number in STATUSES])
        if name in ("project", "project/search") and self.projects:
            listed = [{name: one[name] for name in _PROJECT[params.get("expand")]} for one in self.projects]
            start = int(params.get("startAt", 0))
            page = {"values": listed[start : start + 2], "total": len(listed), "startAt": start}
            return httpx.Response(200, json=listed if name == "project" else page)
        if name == "search/jql" and path.startswith("api/3"):
            return self._search_cloud(body)
        if name == "changelog/bulkfetch" and path.startswith("api/3"):
            return self._bulk(body)
        if name == "search" and path.startswith("api/2"):
            return self._search(params)
        if name.startswith("issue/") and name.endswith("/changelog"):
            return self._changes(name.split("/")[1], int(params.get("startAt", 0)))
        if name.startswith("issue/") and path.startswith("api/2"):
            return self._one(name.split("/")[1], params)
        if name == "issuetype":
            return httpx.Response(200, json=[{"id": "8", "name": "Epic"}, {"id": "7", "name": "Story"}])
        if path == "jpo-api/1.0/hierarchy" and self.hierarchy is not None:
            return httpx.Response(200, json=self.hierarchy)
        gone = path == "api/3/search"
        return httpx.Response(410 if gone else 404, json={"errorMessages": [f"no {path}"]})

    def _found(self, jql: str) -> list[dict[str, Any]] | None:
        match = JQL.fullmatch(jql)
        if match is None:
            return None
        since = datetime.strptime(match["since"], "%Y/%m/%d %H:%M").replace(tzinfo=ZoneInfo(self.zone))
        keys = {key.strip(' "') for key in (match["projects"] or "").split(",")} - {""}
        found = [
            one
            for one in self.issues.values()
            if datetime.strptime(
                one["fields"].get("updated", "2026-01-01T00:00:00.000+0000"), "%Y-%m-%dT%H:%M:%S.%f%z"
            )
            >= since
            and (not keys or one["fields"]["project"]["key"] in keys)
        ]
        return sorted(found, key=_place)

    def _search_cloud(self, body: Any) -> httpx.Response:
        found = self._found(body["jql"])
        if found is None or (token := body.get("nextPageToken")) not in {None, *self.tokens}:
            return httpx.Response(400, json={"errorMessages": ["Unbounded JQL, or an unknown token."]})
        size = min(self.page, body["maxResults"])
        rest = [one for one in found if token is None or _place(one) > self.tokens[token]]
        shown = rest[:size]
        answer: dict[str, Any] = {"isLast": len(rest) <= size}
        if shown:  # the last page has a token too
            fresh = f"token {len(self.tokens)}"
            self.tokens[fresh] = _place(shown[-1])
            answer["nextPageToken"] = fresh
        if self.shuffles:
            shown = [*shown[::-1], *shown[:2]]
        rows = [_chosen(one, body.get("fields") or ["id"]) for one in shown]
        return httpx.Response(200, json={"issues": rows, **answer})

    def _bulk(self, body: Any) -> httpx.Response:
        """Two changes a page, so that an issue lies on several pages."""
        wanted = [(one, change) for one in body["issueIdsOrKeys"] for change in self.changes.get(one, [])]
        start = int(body.get("nextPageToken") or 0)
        logs: list[dict[str, Any]] = []
        for one, change in wanted[start : start + 2]:
            created = int(change["at"].timestamp() * 1000)
            entry = {
                "id": change["id"],
                "created": created,
                "author": change["author"],
                "items": change["items"],
            }
            logs.append({"issueId": one, "changeHistories": [entry]})
        end = str(start + 2) if start + 2 < len(wanted) else None
        return httpx.Response(200, json={"issueChangeLogs": logs, "nextPageToken": end})

    def _search(self, params: dict[str, str]) -> httpx.Response:
        if match := KEYS.fullmatch(params["jql"]):
            keys = [key.strip(' "') for key in match["keys"].split(",")]
            found: list[dict[str, Any]] | None = [one for one in self.issues.values() if one["key"] in keys]
            if found is not None and len(found) < len(keys) and params.get("validateQuery") != "false":
                found = None
        else:
            found = self._found(params["jql"])
        if found is None:
            return httpx.Response(400, json={"errorMessages": ["Error in the JQL query."]})
        start, size = int(params.get("startAt", 0)), min(self.page, int(params["maxResults"]))
        shown = found[start : start + size]
        if self.shuffles:
            shown = [*shown[::-1], *shown[:2]]
        rows = [_chosen(one, params["fields"].split(",")) for one in shown]
        if "changelog" in params.get("expand", ""):
            for row in rows:
                row["changelog"] = self._changelog(row["id"], self.cuts)
        return httpx.Response(
            200, json={"issues": rows, "total": len(found), "startAt": start, "maxResults": size}
        )

    def _one(self, name: str, params: dict[str, str]) -> httpx.Response:
        keys = {one["key"]: one for one in self.issues.values()}
        found = self.issues.get(self.moved.get(name, name)) or keys.get(name)
        if found is None:
            return httpx.Response(404, json={"errorMessages": ["Issue Does Not Exist"]})
        row = _chosen(found, params.get("fields", "").split(","))
        return httpx.Response(200, json={**row, "changelog": self._changelog(found["id"], self.cuts_issues)})

    def _changes(self, issue_id: str, start: int) -> httpx.Response:
        """One change a page."""
        whole = self._changelog(issue_id, None)
        shown = whole["histories"][start : start + 1]
        return httpx.Response(200, json={"values": shown, "total": whole["total"], "startAt": start})

    def _changelog(self, issue_id: str, cut: int | None) -> dict[str, Any]:
        every = [
            {"id": one["id"], "created": spelled(one["at"]), "author": one["author"], "items": one["items"]}
            for one in self.changes.get(issue_id, [])
        ]
        return {"startAt": 0, "total": len(every), "histories": every[:cut]}


def _place(one: dict[str, Any]) -> tuple[datetime, str]:
    created = one["fields"].get("created")
    at = datetime.strptime(created, "%Y-%m-%dT%H:%M:%S.%f%z") if created else datetime(2026, 1, 1, tzinfo=UTC)
    return at, one["key"]


def _chosen(one: dict[str, Any], names: list[str]) -> dict[str, Any]:
    fields = {name: value for name, value in one["fields"].items() if name in names}
    return {"id": one["id"], "key": one["key"], **({"fields": fields} if fields else {})}
