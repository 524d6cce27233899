"""A small GitLab in memory: projects by keyset, merge requests by their change, notes that tell what happened."""

from __future__ import annotations

import email.utils
import json
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import unquote, urlencode

import httpx

Row = dict[str, Any]
TOKEN = "s3cret-token"
ADDRESS = "https://git.example.com/tools"


def at(day: int, hour: int = 0, minute: int = 0) -> str:
    return f"2026-03-{day:02}T{hour:02}:{minute:02}:00.000Z"


def user(name: str) -> Row:
    return {"id": len(name), "username": name, "name": name.title(), "state": "active"}


def sha(number: int) -> str:
    return (f"{number:012x}" * 4)[:40]


def project(number: int, path: str, **more: Any) -> Row:
    return {
        "id": number,
        "path_with_namespace": path,
        "default_branch": "main",
        "archived": False,
        "empty_repo": False,
        "visibility": "private",
        "http_url_to_repo": f"{ADDRESS}/{path}.git",
        "web_url": f"{ADDRESS}/{path}",
        "last_activity_at": at(2),
        **more,
    }


def merge_request(number: int, *, updated: str | None = None, project_id: int = 7, **more: Any) -> Row:
    return {
        "id": 1000 * project_id + number,
        "iid": number,
        "project_id": project_id,
        "title": f"Merge request {number}",
        "description": "Why",
        "state": "opened",
        "draft": False,
        "author": user("ann"),
        "created_at": at(number % 28 + 1),
        "updated_at": updated or at(number % 28 + 1),
        "prepared_at": at(number % 28 + 1),
        "merged_at": None,
        "closed_at": None,
        "merge_user": None,
        "closed_by": None,
        "source_branch": f"topic-{number}",
        "target_branch": "main",
        "source_project_id": project_id,
        "target_project_id": project_id,
        "sha": sha(number),
        "merge_commit_sha": None,
        "squash_commit_sha": None,
        "squash": False,
        "user_notes_count": 0,
        "reviewers": [],
        "labels": [],
        "web_url": f"{ADDRESS}/acme/shop/-/merge_requests/{number}",
        **more,
    }


def note(when: str, body: str, name: str = "bob", *, is_system: bool = True) -> Row:
    return {"id": 1, "body": body, "author": user(name), "created_at": when, "system": is_system}


def change(when: str, state: str, name: str = "bob") -> Row:
    return {"id": 1, "user": user(name), "created_at": when, "state": state}


def commit(number: int) -> Row:
    return {
        "id": sha(number),
        "title": f"Change {number}",
        "message": f"Change {number}\n\nCo-authored-by: Cat <cat@example.com>",
        "author_name": "Ann",
        "author_email": "ann@example.com",
        "authored_date": at(1),
        "parent_ids": [sha(number - 1)],
    }


@dataclass
class GitLabServer:
    """`notes`, `commits`, `changes` and `closes` are by number of a merge request.

    Without `has_approvals` and `has_state_events` it is an edition or version that lacks them. `names_itself` is the
    address in its links.
    """

    projects: list[Row] = field(default_factory=lambda: [project(7, "acme/shop")])
    public: list[Row] = field(default_factory=list)
    merge_requests: list[Any] = field(default_factory=list)
    notes: dict[int, list[Any]] = field(default_factory=dict)
    commits: dict[int, list[Any]] = field(default_factory=dict)
    changes: dict[int, list[Any]] = field(default_factory=dict)
    closes: dict[int, list[Any]] = field(default_factory=dict)
    token: str = TOKEN
    has_state_events: bool = True
    page_size: int = 100
    names_itself: str = ADDRESS
    base: str = "/tools"
    has_graphql: bool = True
    now: str = at(28, 12)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        answer = self._answered(request)
        answer.headers["Date"] = email.utils.format_datetime(datetime.fromisoformat(self.now), usegmt=True)
        return answer

    def _answered(self, request: httpx.Request) -> httpx.Response:
        path = request.url.raw_path.decode().partition("?")[0]
        if path == f"{self.base}/api/graphql" and self.has_graphql:
            return self._newest(json.loads(request.content)["variables"])
        if not path.startswith(f"{self.base}/api/v4/"):
            return httpx.Response(404, html="<html>Page not found</html>")
        if request.headers.get("private-token") != self.token:
            return httpx.Response(401, json={"message": "401 Unauthorized"})
        return self._answer(request, path.removeprefix(f"{self.base}/api/v4/"))

    def _answer(self, request: httpx.Request, path: str) -> httpx.Response:
        match [unquote(step) for step in path.split("/")]:
            case ["projects"]:
                return self._projects(request)
            case ["projects", name]:
                found = [one for one in self.public if one["path_with_namespace"] == name]
                return httpx.Response(200, json=found[0]) if found else _missing()
            case ["projects", number, "merge_requests"]:
                return self._listed(request, number)
            case ["projects", _, "merge_requests", iid, "commits"]:
                return self._page(request, self.commits.get(int(iid), []))
            case ["projects", _, "merge_requests", iid, "notes"]:
                # The server's own order is the newest first.
                newest = sorted(self.notes.get(int(iid), []), key=str, reverse=True)
                is_ascending = request.url.params.get("sort") == "asc"
                return self._page(request, self.notes.get(int(iid), []) if is_ascending else newest)
            case ["projects", _, "merge_requests", iid, "resource_state_events"] if self.has_state_events:
                return self._page(request, self.changes.get(int(iid), []))
            case ["projects", _, "merge_requests", iid, "closes_issues"]:
                return self._page(request, self.closes.get(int(iid), []))
        return _missing()

    def _newest(self, variables: Row) -> httpx.Response:
        """The newest merge request of projects. GraphQL has times in seconds."""
        nodes = []
        for one in [*self.projects, *self.public]:
            name = f"gid://gitlab/Project/{one['id']}"
            if name in variables["ids"]:
                found = [each for each in self.merge_requests if each["project_id"] == one["id"]]
                newest = sorted(found, key=lambda each: str(each["updated_at"]))[-1:]
                shown = [
                    {"iid": str(each["iid"]), "updatedAt": f"{each['updated_at'][:19]}Z"} for each in newest
                ]
                nodes.append({"id": name, "mergeRequests": {"count": len(found), "nodes": shown}})
        return httpx.Response(200, json={"data": {"projects": {"nodes": nodes[: variables["first"]]}}})

    def _projects(self, request: httpx.Request) -> httpx.Response:
        params = request.url.params
        if params.get("membership") != "true":
            return httpx.Response(200, json=[])
        after, size = int(params.get("id_after", 0)), min(int(params.get("per_page", 20)), self.page_size)
        found = [one for one in sorted(self.projects, key=lambda one: one["id"]) if one["id"] > after]
        more = {"id_after": found[size - 1]["id"]} if len(found) > size else None
        return httpx.Response(200, json=found[:size], headers=self._link(request, more))

    def _listed(self, request: httpx.Request, number: str) -> httpx.Response:
        """Without these two parameters GitLab shows only open ones of the token's account."""
        params = request.url.params
        if (params.get("scope"), params.get("state")) != ("all", "all"):
            return httpx.Response(200, json=[])
        assert (params["order_by"], params["sort"]) == ("updated_at", "asc")
        after = params.get("updated_after", "")
        found = [
            one
            for one in sorted(self.merge_requests, key=lambda one: (one["updated_at"], one["id"]))
            if str(one["project_id"]) == number and one["updated_at"] >= after[:23]
        ]
        return self._page(request, found)

    def _page(self, request: httpx.Request, rows: list[Any]) -> httpx.Response:
        params = request.url.params
        size, page = min(int(params.get("per_page", 20)), self.page_size), int(params.get("page", 1))
        more = {"page": page + 1} if page * size < len(rows) else None
        return httpx.Response(
            200, json=rows[(page - 1) * size : page * size], headers=self._link(request, more)
        )

    def _link(self, request: httpx.Request, more: Row | None) -> dict[str, str]:
        if more is None:
            return {}
        path = request.url.raw_path.decode().partition("?")[0].removeprefix(self.base)
        following = urlencode({**dict(request.url.params), **more})
        return {"Link": f'<{self.names_itself}{path}?{following}>; rel="next"'}


def _missing() -> httpx.Response:
    return httpx.Response(404, json={"message": "404 Not Found"})
