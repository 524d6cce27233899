"""A small GitLab: projects, issues with events, milestones, and epics over REST or GraphQL. Invented content."""

from __future__ import annotations

import email.utils
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import parse_qs, unquote, urlencode

import httpx

Row = dict[str, Any]
ADDRESS = "https://gitlab.example/tools"


def spelled(at: datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03}Z"


def project(number: int, path: str, **fields: Any) -> Row:
    group = path.rpartition("/")[0]
    return {
        "id": number,
        "path_with_namespace": path,
        "name": path.rpartition("/")[2],
        "http_url_to_repo": f"{ADDRESS}/{path}.git",
        "namespace": {"kind": "group", "full_path": group},
        "issues_access_level": "enabled",
        **fields,
    }


def issue(number: int, *, at: datetime, of: Row, **fields: Any) -> Row:
    """An issue whose id is its number plus 100 times its project."""
    return {
        "id": of["id"] * 100_000 + number,
        "iid": number,
        "project_id": of["id"],
        "title": f"Issue {number}",
        "state": "opened",
        "issue_type": "issue",
        "created_at": spelled(at),
        "updated_at": spelled(at),
        "closed_at": None,
        "labels": [],
        "assignees": [],
        "author": {"username": "ann", "name": "Ann Example"},
        "references": {"full": f"{of['path_with_namespace']}#{number}"},
        "web_url": f"{ADDRESS}/{of['path_with_namespace']}/-/issues/{number}",
        **fields,
    }


def work_item(
    number: int, *, at: datetime, group: tuple[int, str], parent: tuple[int, int] | None = None
) -> Row:
    """An epic as GraphQL has it; `parent` is the number of a group and of an epic in it."""
    above = (
        {"iid": str(parent[1]), "namespace": {"id": f"gid://gitlab/Group/{parent[0]}"}} if parent else None
    )
    return {
        "iid": str(number),
        "title": f"Epic {number}",
        "state": "OPEN",
        "createdAt": spelled(at),
        "updatedAt": spelled(at),
        "closedAt": None,
        "author": {"username": "ann"},
        "namespace": {"id": f"gid://gitlab/Group/{group[0]}", "fullPath": group[1]},
        "widgets": [
            {},
            {"parent": above},
            {"startDate": "2026-10-01", "dueDate": "2026-12-31"},
            {"labels": {"nodes": [{"title": "roadmap"}]}},
            {"assignees": {"nodes": [{"username": "bo", "name": "Bo Example"}]}},
        ],
    }


def epic(number: int, *, at: datetime, group: tuple[int, str], parent: tuple[int, int] | None = None) -> Row:
    """The same epic as the REST interface has it."""
    link = {"parent": f"{ADDRESS}/api/v4/groups/{parent[0]}/epics/{parent[1]}"} if parent else {}
    return {
        "id": 900 + number,
        "iid": number,
        "group_id": group[0],
        "parent_id": 900 + parent[1] if parent else None,
        "parent_iid": parent[1] if parent else None,
        "title": f"Epic {number}",
        "state": "opened",
        "created_at": spelled(at),
        "updated_at": spelled(at),
        "start_date": "2026-10-01",
        "due_date": "2026-12-31",
        "labels": ["roadmap"],
        "references": {"full": f"{group[1]}&{number}"},
        "_links": link,
    }


@dataclass
class FakeGitLab:
    """`work_items` is None on a server before work items, `epics` is None without GitLab Premium."""

    projects: list[Row]
    issues: list[Row] = field(default_factory=list)
    milestones: dict[int, list[Row]] = field(default_factory=dict)
    states: dict[int, list[Row]] = field(default_factory=dict)
    labels: dict[int, list[Row]] = field(default_factory=dict)
    boards: list[str] = field(default_factory=list)
    project_labels: list[str] = field(default_factory=lambda: ["bug"])
    work_items: list[Any] | None = None
    epics: list[Row] | None = None
    parents: dict[str, Row] = field(default_factory=dict)
    """Parents of tasks by number."""
    public: list[Row] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    before: Callable[[FakeGitLab], httpx.Response | None] = lambda _: None
    shuffles: bool = False
    errors: list[Row] = field(default_factory=list)
    has_newest: bool = True
    now: str = "2026-11-15T12:00:00Z"

    def __call__(self, request: httpx.Request) -> httpx.Response:
        answer = self._answered(request)
        answer.headers["Date"] = email.utils.format_datetime(_moment(self.now), usegmt=True)
        return answer

    def _answered(self, request: httpx.Request) -> httpx.Response:
        path = request.url.raw_path.decode().partition("?")[0].removeprefix("/tools/api/")
        params = {name: values[-1] for name, values in parse_qs(request.url.query.decode()).items()}
        self.requests.append(path)
        if (special := self.before(self)) is not None:
            return special
        if path == "graphql":
            return self._graphql(json.loads(request.content))
        return self._rest(path.removeprefix("v4/"), params, str(request.url).partition("?")[0])

    def close(self, one: Row, at: datetime, **fields: Any) -> None:
        one.update(state="closed", closed_at=spelled(at), updated_at=spelled(at), **fields)
        event = {"user": {"username": "bo"}, "created_at": spelled(at), "state": "closed"}
        self.states.setdefault(one["id"], []).append(event)

    def mark(self, one: Row, at: datetime, action: str, label: str | None) -> None:
        """Add or remove a label."""
        one["updated_at"] = spelled(at)
        event = {"user": {"username": "bo"}, "created_at": spelled(at), "action": action}
        self.labels.setdefault(one["id"], []).append(event | {"label": {"name": label} if label else None})

    def _rest(self, path: str, params: dict[str, str], address: str) -> httpx.Response:
        steps = [unquote(step) for step in path.split("/")]
        match steps:
            case ["projects"]:
                return self._numbered(self.projects, params, address)
            case ["projects", name]:
                found = [one for one in self.public if one["path_with_namespace"] == name]
                return httpx.Response(200, json=found[0]) if found else _missing()
            case ["projects", number, "issues"]:
                return self._issues([one for one in self.issues if str(one["project_id"]) == number], params)
            case ["groups", name, "issues"]:
                ids = {
                    one["id"] for one in self.projects if one["path_with_namespace"].startswith(f"{name}/")
                }
                return self._issues([one for one in self.issues if one["project_id"] in ids], params)
            case ["projects", number, "issues", iid, events]:
                one = next(i for i in self.issues if (str(i["project_id"]), str(i["iid"])) == (number, iid))
                source = self.states if events == "resource_state_events" else self.labels
                return self._numbered(source.get(one["id"], []), params, address)
            case ["projects", _, "labels"]:
                return self._numbered([{"name": name} for name in self.project_labels], params, address)
            case ["projects", _, "boards"]:
                lists = [{"label": {"name": name}} for name in self.boards]
                return httpx.Response(200, json=[{"lists": [*lists, {"label": None}]}])
            case ["projects", number, "milestones"]:
                return self._numbered(self.milestones.get(int(number), []), params, address)
            case ["groups", _, "epics"] if self.epics is not None:
                return self._numbered(self.epics, params, address)
            case ["groups", _, "epics"]:
                return httpx.Response(403, json={"message": "403 Forbidden"})
        return _missing()

    def _issues(self, rows: list[Row], params: dict[str, str]) -> httpx.Response:
        """The page of a list. Without these two parameters GitLab shows only open issues of the user."""
        if (params.get("scope"), params.get("state")) != ("all", "all"):
            return httpx.Response(200, json=[])
        order = params["order_by"]
        found = [
            one
            for one in sorted(rows, key=lambda one: (one[order], one["id"]))
            if _moment(one["updated_at"]) >= _moment(params.get("updated_after"))
            and _moment(one["created_at"]) >= _moment(params.get("created_after"))
        ]
        size, number = int(params["per_page"]), int(params.get("page", 1))
        if size * number > 50_000:
            return httpx.Response(
                405, json={"error": "Offset pagination has a maximum allowed offset of 50000"}
            )
        shown = found[size * (number - 1) : size * number]
        # The connector takes its next page from the last row, so only the others move.
        return httpx.Response(200, json=[*shown[:-1][::-1], *shown[-1:]] if self.shuffles else shown)

    def _numbered(self, rows: list[Row], params: dict[str, str], address: str) -> httpx.Response:
        number = int(params.get("page", 1))
        end = 2 * number
        following = urlencode({**params, "page": number + 1})
        headers = {"Link": f'<{address}?{following}>; rel="next"'} if end < len(rows) else {}
        return httpx.Response(200, json=rows[end - 2 : end], headers=headers)

    def _graphql(self, body: Row) -> httpx.Response:
        if "__type" in body["query"]:
            found = {"name": "WorkItem"} if self.work_items is not None else None
            return httpx.Response(200, json={"data": {"__type": found}})
        if "query Newest" in body["query"]:
            return self._newest(body["variables"]["ids"])
        if "project" in body["variables"]:
            return self._parents(body["variables"])
        start = int(body["variables"]["after"] or 0)
        rows = self.work_items or []
        info = {"hasNextPage": start + 2 < len(rows), "endCursor": str(start + 2)}
        found_group = {"workItems": {"nodes": rows[start : start + 2], "pageInfo": info}}
        errors: Row = {"errors": self.errors} if self.errors else {}
        return httpx.Response(200, json={"data": {"group": found_group}, **errors})

    def _newest(self, ids: list[str]) -> httpx.Response:
        """The newest issue of projects, and their milestones."""
        if not self.has_newest:
            return httpx.Response(200, json={"errors": [{"message": "Field 'projects' doesn't exist"}]})
        nodes = []
        for one in [*self.projects, *self.public]:
            issues = [each for each in self.issues if each["project_id"] == one["id"]]
            newest = sorted(issues, key=lambda each: _moment(each["updated_at"]))[-1:]
            milestones = [
                {"id": f"gid://gitlab/Milestone/{each['id']}", "updatedAt": each["updated_at"]}
                for each in self.milestones.get(one["id"], [])
            ]
            nodes.append(
                {
                    "id": f"gid://gitlab/Project/{one['id']}",
                    "issues": {
                        "count": len(issues),
                        "nodes": [{"iid": each["iid"], "updatedAt": each["updated_at"]} for each in newest],
                    },
                    "milestones": {
                        "pageInfo": {"hasNextPage": len(milestones) > 100},
                        "nodes": milestones[:100],
                    },
                }
            )
        shown = [one for one in nodes if one["id"] in ids]
        return httpx.Response(200, json={"data": {"projects": {"nodes": shown}}})

    def _parents(self, variables: Row) -> httpx.Response:
        if self.work_items is None:
            return httpx.Response(200, json={"errors": [{"message": "Field 'workItems' doesn't exist"}]})
        wanted = [number for number in variables["iids"] if number in self.parents]
        nodes = [{"iid": number, "widgets": [{}, {"parent": self.parents[number]}]} for number in wanted]
        listed = {"nodes": nodes, "pageInfo": {"hasNextPage": False}}
        return httpx.Response(200, json={"data": {"project": {"workItems": listed}}})


def _moment(value: str | None) -> datetime:
    return datetime.fromisoformat(value or "1970-01-01T00:00:00Z")


def _missing() -> httpx.Response:
    return httpx.Response(404, json={"message": "404 Not Found"})
