"""A small Gitea in memory: pages by number with a link, empty lists as null, and addresses that it may name wrongly."""

from __future__ import annotations

import email.utils
import json
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote, urlencode

import httpx

from ingest.connections.values import instant
from ingest.json_paths import at as at_path

Row = dict[str, Any]
JSON = {"Content-Type": "application/json;charset=utf-8"}
TOKEN = "s3cret-token"
ADDRESS = "https://git.example.com"


def at(day: int, hour: int = 0) -> str:
    return f"2026-03-{day:02}T{hour:02}:00:00Z"


def user(name: str, identifier: int | None = None) -> Row:
    number = sum(map(ord, name)) if identifier is None else identifier
    return {"id": number, "login": name, "full_name": name.title()}


def sha(number: int) -> str:
    return (f"{number:012x}" * 4)[:40]


def repository(number: int, name: str, owner: str = "acme", **more: Any) -> Row:
    return {
        "id": number,
        "owner": user(owner),
        "name": name,
        "full_name": f"{owner}/{name}",
        "clone_url": f"{ADDRESS}/{owner}/{name}.git",
        "html_url": f"{ADDRESS}/{owner}/{name}",
        "default_branch": "main",
        "archived": False,
        "empty": False,
        "fork": False,
        "private": True,
        "updated_at": at(2),
        **more,
    }


def pull(number: int, *, updated: int | None = None, **more: Any) -> Row:
    return {
        "id": 100 + number,
        "number": number,
        "title": f"Pull request {number}",
        "body": "Why",
        "state": "open",
        "merged": False,
        "draft": False,
        "user": user("ann"),
        "created_at": at(number),
        "updated_at": at(updated or number),
        "merged_at": None,
        "closed_at": None,
        "merged_by": None,
        "merge_commit_sha": None,
        "head": {"label": f"topic-{number}", "ref": f"topic-{number}", "sha": sha(number), "repo_id": 7},
        "base": {"label": "main", "ref": "main", "sha": sha(1), "repo_id": 7},
        "requested_reviewers": [],
        "labels": [],
        "comments": 0,
        "review_comments": 0,
        "additions": 5,
        "deletions": 2,
        "html_url": f"{ADDRESS}/acme/shop/pulls/{number}",
        **more,
    }


def review(state: str, day: int, name: str = "bob", **more: Any) -> Row:
    return {
        "id": day,
        "state": state,
        "submitted_at": at(day),
        "user": user(name),
        "commit_id": sha(day),
        **more,
    }


def entry(kind: str, day: int, name: str = "ann", **more: Any) -> Row:
    return {"id": day, "type": kind, "created_at": at(day), "user": user(name), **more}


def commit(number: int) -> Row:
    author = {"name": "Ann in Git", "email": "ann@example.com", "date": at(1)}
    return {
        "sha": sha(number),
        "author": user("ann"),
        "commit": {"author": author, "message": f"Change {number}"},
    }


@dataclass
class GiteaServer:
    """`commits` (newest first), `reviews` and `timelines` are by number. `names_itself` is its setting ROOT_URL."""

    repositories: list[Row] = field(default_factory=lambda: [repository(7, "shop")])
    public: list[Row] = field(default_factory=list)
    pulls: list[Row] = field(default_factory=list)
    commits: dict[int, list[Row]] = field(default_factory=dict)
    reviews: dict[int, list[Row]] = field(default_factory=dict)
    timelines: dict[int, list[Row]] = field(default_factory=dict)
    token: str = TOKEN
    page_size: int = 50
    names_itself: str = ADDRESS
    now: str | None = None
    """The time of its clock; without one that of the newest change."""

    def __call__(self, request: httpx.Request) -> httpx.Response:
        answer = self._answered(request)
        times = (
            [instant(self.now)]
            if self.now
            else [instant(at_path(one, ("updated_at",))) for one in self.pulls]
        )
        now = max(filter(None, times), default=datetime(2026, 3, 1, tzinfo=UTC))
        answer.headers["Date"] = email.utils.format_datetime(now, usegmt=True)
        return answer

    def _answered(self, request: httpx.Request) -> httpx.Response:
        path = request.url.raw_path.decode().partition("?")[0].removeprefix("/api/v1/")
        # A bad token is refused everywhere, also where none is needed.
        if request.headers.get("authorization") != f"token {self.token}":
            return httpx.Response(401, json={"message": "user does not exist [uid: 0, name: ]"})
        if path == "version":
            return httpx.Response(200, json={"version": "1.23.1"})
        return self._answer(request, [unquote(step) for step in path.split("/")])

    def _answer(self, request: httpx.Request, steps: list[str]) -> httpx.Response:
        match steps:
            case ["user"]:
                return httpx.Response(200, json=user("ann"))
            case ["user", "repos"]:
                return self._page(request, self.repositories)
            case ["repos", "issues", "search"]:
                return self._page(request, self._issues(request.url.params, self._owned(request)))
            case ["repos", owner, name]:
                found = [one for one in self.public if one["full_name"] == f"{owner}/{name}"]
                return httpx.Response(200, json=found[0]) if found else httpx.Response(404, json={})
            case ["repos", owner, name, "issues"]:
                return self._page(request, self._issues(request.url.params, self._named(owner, name)))
            case ["repos", owner, name, "pulls", number]:
                wanted = {str(one["id"]) for one in self._named(owner, name)}
                found = [one for one in self.pulls if _is_of(one, wanted) and str(one["number"]) == number]
                return httpx.Response(200, json=found[0]) if found else httpx.Response(404, json={})
            case ["repos", _, _, "pulls", number, "commits"]:
                return self._page(request, self.commits.get(int(number), []))
            case ["repos", _, _, "pulls", number, "reviews"]:
                return self._page(request, self.reviews.get(int(number), []))
            case ["repos", _, _, "issues", number, "timeline"]:
                return self._page(request, self.timelines.get(int(number), []))
        return httpx.Response(404, json={"message": "The target couldn't be found."})

    def _named(self, owner: str, name: str) -> list[Row]:
        """The repository of a path."""
        return [one for one in [*self.repositories, *self.public] if one["full_name"] == f"{owner}/{name}"]

    def _owned(self, request: httpx.Request) -> list[Row]:
        """The repositories of an owner, or all."""
        owner = request.url.params.get("owner")
        every = [*self.repositories, *self.public]
        return [one for one in every if owner in (None, one["owner"]["login"])]

    def _issues(self, params: httpx.QueryParams, repositories: list[Row]) -> list[Row]:
        """Pull requests of repositories as issues, the newest first."""
        if (params.get("type"), params.get("state")) != ("pulls", "all"):
            return []
        since = params.get("since", "")
        names = ("id", "number", "title", "state", "created_at", "updated_at", "comments")
        newest = sorted(self.pulls, key=lambda one: str(one["created_at"]), reverse=True)
        by_id = {str(one["id"]): {"id": one["id"], "full_name": one["full_name"]} for one in repositories}
        return [
            {**{name: one.get(name) for name in names}, "repository": by_id.get(_repository_of(one) or "")}
            for one in newest
            if _is_of(one, by_id) and str(one["updated_at"]) >= since
        ]

    def _page(self, request: httpx.Request, rows: list[Row]) -> httpx.Response:
        params = request.url.params
        size, page = min(int(params.get("limit", 30)), self.page_size), int(params.get("page", 1))
        headers = {"X-Total-Count": str(len(rows))}
        if page * size < len(rows):
            path = request.url.raw_path.decode().partition("?")[0]
            following = urlencode({**dict(params), "page": page + 1})
            headers["Link"] = f'<{self.names_itself}{path}?{following}>; rel="next"'
        shown = rows[(page - 1) * size : page * size]
        return httpx.Response(200, content=json.dumps(shown or None), headers={**headers, **JSON})


def _repository_of(one: Any) -> str | None:
    """The id of the repository of a pull request; None for junk, which every repository lists."""
    found = at_path(one, ("base", "repo_id"))
    return str(found) if isinstance(found, int) else None


def _is_of(one: Any, repositories: Collection[str]) -> bool:
    return _repository_of(one) is None or _repository_of(one) in repositories
