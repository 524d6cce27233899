"""An invented Asana workspace behind its REST interface: fields on request, pages by offsets that expire."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx

Node = dict[str, Any]
START = datetime(2026, 1, 1, tzinfo=UTC)
ANN = {"gid": "u1", "resource_type": "user", "name": "Ann Archer", "email": "ann@acme.example"}
TEAM = {"gid": "t1", "resource_type": "team", "name": "Interfaces"}
COMPACT = ("gid", "name", "resource_type", "resource_subtype")


def at(hours: int) -> str:
    """A time so many hours after the start."""
    return (START + timedelta(hours=hours)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class AsanaServer:
    """Entities by id. Call it with a request."""

    def __init__(self) -> None:
        self.workspaces = [{"gid": "w1", "name": "Acme"}, {"gid": "w2", "name": "Private"}]
        self.goals: dict[str, Node] = {}
        self.portfolios: dict[str, Node] = {}
        self.projects: dict[str, Node] = {}
        self.tasks: dict[str, Node] = {}
        self.supports: dict[str, list[str]] = {}
        self.holds: dict[str, list[str]] = {}
        self.stories: dict[str, list[Node]] = {}
        self.hidden_users: set[str] = set()
        self.unpaid: set[str] = set()
        self.generation = 0
        """Of the offsets: those of an earlier one have expired."""
        self.requests: list[httpx.Request] = []

    def goal(self, number: int, **fields: Any) -> Node:
        """Add a goal."""
        self.goals[f"g{number}"] = one = {"gid": f"g{number}", "name": f"Goal {number}", **fields}
        return one

    def portfolio(self, number: int, *items: str, **fields: Any) -> Node:
        """Add a portfolio with items."""
        gid = f"f{number}"
        self.holds[gid] = list(items)
        self.portfolios[gid] = one = {
            "gid": gid, "name": f"Portfolio {number}", "created_at": at(0), "archived": False, **fields
        }  # fmt: skip
        return one

    def project(self, number: int, **fields: Any) -> Node:
        """Add a project."""
        self.projects[f"p{number}"] = one = {
            "gid": f"p{number}",
            "name": f"Project {number}",
            "archived": False,
            "completed": False,
            "created_at": at(0),
            "modified_at": at(1),
            "team": TEAM,
            **fields,
        }
        return one

    def task(self, number: int, *projects: str, parent: str | None = None, **fields: Any) -> Node:
        """Add a task, changed so many hours after the start as its number says."""
        sections = fields.pop("sections", {})
        self.tasks[f"k{number}"] = one = {
            "gid": f"k{number}",
            "name": f"Task {number}",
            "resource_subtype": "default_task",
            "completed": False,
            "created_at": at(0),
            "modified_at": at(number),
            "created_by": ANN,
            "parent": {"gid": parent} if parent else None,
            "projects": [{"gid": gid} for gid in projects],
            "memberships": [{"project": {"gid": gid}, "section": {"gid": "s", "name": sections.get(gid, "Untitled")}}
                            for gid in projects],
            "custom_fields": [],
            "tags": [],
            **fields,
        }  # fmt: skip
        return one

    def story(self, task: int, hours: int, kind: str, **fields: Any) -> None:
        """Add a story, so many hours after the start."""
        of_task = self.stories.setdefault(f"k{task}", [])
        of_task.append({"gid": f"s{task}-{len(of_task)}", "resource_subtype": kind, "created_at": at(hours),
                        "created_by": ANN, "text": "Ann did it", **fields})  # fmt: skip

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        path = request.url.path.removeprefix("/api/1.0/")
        params = dict(request.url.params)
        if path.partition("/")[0] in self.unpaid:
            return self._error(402, "This is only available in paid plans")
        if path.startswith("users/"):
            gid = path.partition("/")[2]
            if gid in self.hidden_users:
                return self._error(404, "user: Not a recognized ID")
            return httpx.Response(200, json={"data": _picked(ANN, params.get("opt_fields", ""))})
        rows = self._rows(path, params)
        if rows is None:
            return self._error(404, f"{path} is unknown")
        return self._page(rows, params)

    def _rows(self, path: str, params: dict[str, str]) -> list[Node] | None:
        if path == "workspaces":
            return self.workspaces
        if path == "tasks":
            return [
                one
                for one in self._of_project(params["project"])
                if "modified_since" not in params or one["modified_at"] >= params["modified_since"]
            ]
        if path == "goal_relationships":
            found = self.supports.get(params["supported_goal"], [])
            return [{"gid": f"r-{gid}", "supporting_resource": {"gid": gid}} for gid in found]
        if match := re.fullmatch(r"portfolios/(\w+)/items", path):
            return [self.projects.get(gid) or self.portfolios[gid] for gid in self.holds[match[1]]]
        if match := re.fullmatch(r"tasks/(\w+)/stories", path):
            return self.stories.get(match[1], [])
        if match := re.fullmatch(r"tasks/(\w+)/subtasks", path):
            return [
                self._counted(one)
                for one in self.tasks.values()
                if (one["parent"] or {}).get("gid") == match[1]
            ]
        if path in ("goals", "portfolios", "projects"):
            assert path != "portfolios" or params["owner"] == "me", "an owner is required of people"
            known: dict[str, Node] = getattr(self, path)
            return list(known.values()) if params["workspace"] == "w1" else []
        return None

    def _of_project(self, project: str) -> list[Node]:
        return [self._counted(one) for one in self.tasks.values() if {"gid": project} in one["projects"]]

    def _counted(self, one: Node) -> Node:
        children = [each for each in self.tasks.values() if (each["parent"] or {}).get("gid") == one["gid"]]
        return {**one, "num_subtasks": len(children)}

    def _page(self, rows: list[Node], params: dict[str, str]) -> httpx.Response:
        generation, _, start = params.get("offset", f"{self.generation}-0").partition("-")
        if int(generation) != self.generation:
            return self._error(400, "offset: Your pagination token has expired.")
        limit = int(params["limit"])
        assert 1 <= limit <= 100, "Asana refuses larger pages"
        end = int(start) + limit
        page = [_picked(one, params.get("opt_fields", "")) for one in rows[int(start) : end]]
        more = {"offset": f"{self.generation}-{end}"} if end < len(rows) else None
        return httpx.Response(200, json={"data": page, "next_page": more})

    def _error(self, status: int, message: str) -> httpx.Response:
        return httpx.Response(status, json={"errors": [{"message": message, "help": "…"}]})


def _picked(one: Any, fields: str) -> Any:
    """An entity with its id and the fields that a request names; of other entities their compact form."""
    wanted: dict[str, list[str]] = {}
    for field in filter(None, fields.split(",")):
        name, _, rest = field.partition(".")
        wanted.setdefault(name, []).append(rest)
    found = {name: one[name] for name in COMPACT[:1] if name in one}
    for name, rests in wanted.items():
        if name in one:
            found[name] = _nested(one[name], ",".join(filter(None, rests)))
    return found


def _nested(value: Any, fields: str) -> Any:
    if isinstance(value, list):
        return [_nested(each, fields) for each in value]
    if isinstance(value, dict):
        return _picked(value, fields) if fields else {key: value[key] for key in COMPACT if key in value}
    return value
