"""A small Bitbucket Data Center in memory: pages by offset, no filter by change, and answers to nobody."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import httpx

Row = dict[str, Any]
BASE = "/bitbucket/rest/api/1.0/"


def at(day: int, hour: int = 0) -> int:
    return int(datetime(2026, 3, day, hour, tzinfo=UTC).timestamp() * 1000) + 7


def user(name: str, kind: str = "NORMAL") -> Row:
    return {
        "name": name,
        "slug": name,
        "displayName": name.title(),
        "emailAddress": f"{name}@example.com",
        "type": kind,
    }


def sha(number: int) -> str:
    return (f"{number:012x}" * 4)[:40]


def commit(number: int, author: Row | None = None) -> Row:
    return {
        "id": sha(number),
        "displayId": sha(number)[:11],
        "author": author or {"name": "Bob in Git", "emailAddress": "bob@example.com"},
        "authorTimestamp": at(1),
        "message": f"Change {number}",
        "parents": [{"id": sha(number - 1)}],
    }


def repository(identifier: int, slug: str, project: str = "SHOP", **more: Any) -> Row:
    key = project.lower()
    return {
        "id": identifier,
        "slug": slug,
        "name": slug.title(),
        "project": {
            "key": project,
            "name": project.title(),
            "type": "PERSONAL" if key[0] == "~" else "NORMAL",
        },
        "public": False,
        "archived": False,
        "links": {
            "clone": [
                {"name": "ssh", "href": f"ssh://git@git.example.com:7999/{key}/{slug}.git"},
                {"name": "http", "href": f"https://ann@git.example.com/bitbucket/scm/{key}/{slug}.git"},
            ],
            "self": [{"href": f"https://git.example.com/bitbucket/projects/{project}/repos/{slug}/browse"}],
        },
        **more,
    }


def pull(number: int, *, updated: int | None = None, state: str = "OPEN", repo: int = 1, **more: Any) -> Row:
    return {
        "id": number,
        "version": 1,
        "title": f"Pull request {number}",
        "description": "Why",
        "state": state,
        "draft": False,
        "createdDate": at(number),
        "updatedDate": at(updated or number),
        **({} if state == "OPEN" else {"closedDate": at(updated or number)}),
        "fromRef": {
            "id": f"refs/heads/topic-{number}",
            "displayId": f"topic-{number}",
            "latestCommit": sha(number),
            "repository": {"id": repo, "slug": "web"},
        },
        "toRef": {"id": "refs/heads/main", "displayId": "main", "repository": {"id": repo, "slug": "web"}},
        "author": {"user": user("ann"), "role": "AUTHOR"},
        "reviewers": [],
        "properties": {"commentCount": 2},
        "links": {"self": [{"href": f"https://git.example.com/bitbucket/pull-requests/{number}"}]},
        **more,
    }


def activity(action: str, day: int, name: str = "bob", **more: Any) -> Row:
    return {"id": day, "createdDate": at(day), "user": user(name), "action": action, **more}


@dataclass
class BitbucketServer:
    """`accepts` is the token that is somebody's. A public server answers others as nobody, a private one refuses."""

    repositories: list[Row] = field(default_factory=lambda: [repository(1, "web")])
    pulls: list[Row] = field(default_factory=list)
    activities: dict[int, list[Row]] = field(default_factory=dict)
    commits: dict[int, list[Row]] = field(default_factory=dict)
    branches: dict[str, str] = field(default_factory=lambda: {"web": "main"})
    accepts: str = "Bearer s3cret-token"
    is_public: bool = False
    is_old: bool = False
    page_size: int = 100
    repeats_rows: bool = False

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if not request.url.path.startswith(BASE):
            return httpx.Response(404, html="<html>No such page</html>")
        path = request.url.path.removeprefix(BASE)
        if path == "application-properties":
            return httpx.Response(200, json={"version": "8.19.0", "displayName": "Bitbucket"})
        is_known = request.headers.get("authorization") == self.accepts
        if not is_known and not self.is_public:
            return httpx.Response(401, json={"errors": [{"message": "Authentication failed."}]})
        answer = self._answer(request, path, is_known)
        if is_known:
            answer.headers["X-AUSERNAME"] = "ann"
        return answer

    def _answer(self, request: httpx.Request, path: str, is_known: bool) -> httpx.Response:
        if path == "projects":
            return self._page(request, [{"key": "SHOP"}])
        if path == "repos":
            wants_archived = request.url.params.get("archived") == "ALL"
            readable = [one for one in self.repositories if is_known or one["public"]]
            return self._page(request, [one for one in readable if wants_archived or not one["archived"]])
        match = re.fullmatch(r"projects/([^/]+)/repos/([^/]+)/(.*)", path)
        if match is None:
            return httpx.Response(404, json={})
        if match[3] == ("branches/default" if self.is_old else "default-branch"):
            branch = self.branches.get(match[2])
            return httpx.Response(200, json={"displayId": branch}) if branch else httpx.Response(404, json={})
        if match[3] == "pull-requests":
            newest = sorted(self.pulls, key=lambda one: one["updatedDate"], reverse=True)
            wanted = (
                newest
                if request.url.params.get("state") == "ALL"
                else [p for p in newest if p["state"] == "OPEN"]
            )
            return self._page(request, wanted)
        if detail := re.fullmatch(r"pull-requests/(\d+)/(activities|commits)", match[3]):
            held = self.activities if detail[2] == "activities" else self.commits
            if detail[2] == "commits" and int(detail[1]) not in held:
                return httpx.Response(404, json={"errors": [{"message": "The branch is gone"}]})
            return self._page(request, held.get(int(detail[1]), []))
        return httpx.Response(404, json={})

    def _page(self, request: httpx.Request, rows: list[Row]) -> httpx.Response:
        size = min(int(request.url.params.get("limit", 25)), self.page_size)
        start = int(request.url.params.get("start", 0))
        end = start + size
        is_last = end >= len(rows)
        shown = rows[max(0, start - 1 if self.repeats_rows else start) : end]
        body = {
            "values": shown,
            "isLastPage": is_last,
            "start": start,
            "nextPageStart": None if is_last else end,
        }
        return httpx.Response(200, json=body)
