"""A small Bitbucket Cloud in memory: its pages, its filters, and what it leaves out unless asked."""

from __future__ import annotations

import base64
import copy
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

import httpx

Row = dict[str, Any]
API = "https://api.bitbucket.org/2.0"
EMAIL, TOKEN = "ann@example.com", "s3cret-token"
SHORT = 12


def at(day: int, hour: int = 0) -> str:
    return f"2026-03-{day:02}T{hour:02}:00:00.123456+00:00"


def user(name: str, kind: str = "user") -> Row:
    return {
        "type": kind,
        "display_name": name.title(),
        "nickname": name,
        "uuid": f"{{{name}}}",
        "account_id": f"5570:{name}",
    }


def sha(number: int) -> str:
    return (f"{number:012x}" * 4)[:40]


def commit(number: int, message: str = "Change", email: str = "ann@example.com") -> Row:
    return {
        "hash": sha(number),
        "date": at(1),
        "message": message,
        "author": {"raw": f"Ann Ó <{email}>", "user": user("ann")},
        "parents": [{"hash": sha(number - 1)}],
    }


def repository(name: str, **more: Any) -> Row:
    return {
        "uuid": f"{{repo-{name}}}",
        "full_name": f"acme/{name}",
        "slug": name,
        "name": name.title(),
        "mainbranch": {"name": "main"},
        "updated_on": at(1),
        "links": {
            "clone": [
                {"name": "https", "href": f"https://ann@bitbucket.org/acme/{name}.git"},
                {"name": "ssh", "href": f"git@bitbucket.org:acme/{name}.git"},
            ],
            "html": {"href": f"https://bitbucket.org/acme/{name}"},
        },
        "is_private": True,
        "parent": None,
        **more,
    }


def pull(number: int, *, updated: int | None = None, state: str = "OPEN", **more: Any) -> Row:
    return {
        "id": number,
        "title": f"Pull request {number}",
        "description": "Why",
        "state": state,
        "draft": False,
        "created_on": at(number),
        "updated_on": at(updated or number),
        "closed_on": None,
        "comment_count": 0,
        "author": user("ann"),
        "closed_by": None,
        "merge_commit": None,
        "reviewers": [],
        "participants": [],
        "source": {
            "branch": {"name": f"topic-{number}"},
            "commit": {"hash": sha(number * 100)[:SHORT]},
            "repository": {"uuid": "{repo-shop}", "full_name": "acme/shop"},
        },
        "destination": {
            "branch": {"name": "main"},
            "commit": {"hash": sha(1)[:SHORT]},
            "repository": {"uuid": "{repo-shop}", "full_name": "acme/shop"},
        },
        "links": {"html": {"href": f"https://bitbucket.org/acme/shop/pull-requests/{number}"}},
        **more,
    }


@dataclass
class BitbucketCloud:
    """`activities` and `commits` are by number of a pull request, newest first as the service lists them. `refuses` is
    the end of the addresses for which scopes are missing.
    """

    repositories: list[Row] = field(default_factory=lambda: [repository("shop")])
    pulls: list[Row] = field(default_factory=list)
    activities: dict[int, list[Row]] = field(default_factory=dict)
    commits: dict[int, list[Row]] = field(default_factory=dict)
    known_commits: list[Row] = field(default_factory=list)
    authorization: str = "Basic " + base64.b64encode(f"{EMAIL}:{TOKEN}".encode()).decode()
    workspaces: list[str] = field(default_factory=lambda: ["acme"])
    lacks_scopes: list[str] = field(default_factory=list)
    refuses: str = "user"
    page_size: int | None = None
    repeats_rows: bool = False

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.headers.get("authorization") != self.authorization:
            return httpx.Response(401, json={"type": "error", "error": {"message": "Unauthorized"}})
        path = unquote(request.url.path).removeprefix("/2.0/")
        if self.lacks_scopes and path.endswith(self.refuses):
            detail = {"required": self.lacks_scopes, "granted": []}
            return httpx.Response(
                403, json={"error": {"message": "Your credentials lack scopes.", "detail": detail}}
            )
        if path == "user":
            return httpx.Response(200, json=user("ann"))
        if path == "user/workspaces":
            return self._page(request, [{"workspace": {"slug": slug}} for slug in self.workspaces], 100)
        if path == "repositories/acme":
            is_member = request.url.params.get("role") == "member"
            mine = [one for one in self.repositories if not (is_member and one.get("of_others"))]
            return self._page(request, mine, 100)
        if path in ("repositories", "workspaces"):
            return httpx.Response(410, json={"error": {"message": "Gone"}})
        if match := re.fullmatch(r"repositories/acme/(?:\{repo-shop\}|shop)/(.*)", path):
            return self._of_repository(request, match[1])
        return httpx.Response(404, json={"error": {"message": "No such workspace"}})

    def _of_repository(self, request: httpx.Request, path: str) -> httpx.Response:
        if path == "pullrequests":
            return self._page(request, self._pulls(request.url.params), 50)
        if match := re.fullmatch(r"commit/(\w+)", path):
            found = [one for one in self.known_commits if one["hash"].startswith(match[1])]
            return httpx.Response(200, json=found[0]) if found else httpx.Response(404, json={})
        if match := re.fullmatch(r"pullrequests/(\d+)/(activity|commits)", path):
            held = self.activities if match[2] == "activity" else self.commits
            if int(match[1]) not in held:
                return httpx.Response(404, json={}) if match[2] == "commits" else self._page(request, [], 50)
            return self._page(request, held[int(match[1])], 50 if match[2] == "activity" else 100)
        return httpx.Response(404, json={})

    def _pulls(self, params: httpx.QueryParams) -> list[Row]:
        states = params.get_list("state") or ["OPEN"]
        found = [one for one in self.pulls if one.get("state") in states]
        if match := re.search(r"updated_on>=(\S+)", params.get("q", "")):
            found = [one for one in found if one["updated_on"] >= match[1]]
        if (sort := params.get("sort")) is not None:
            found.sort(key=lambda one: one[sort.lstrip("-")], reverse=sort.startswith("-"))
        fields, found = params.get("fields", ""), copy.deepcopy(found)
        for one in found:
            if "values.participants" not in fields:
                one.pop("participants", None)
            if "values.merge_commit.date" not in fields and isinstance(one.get("merge_commit"), dict):
                one["merge_commit"].pop("date", None)
        return found

    def _page(self, request: httpx.Request, rows: list[Row], most: int) -> httpx.Response:
        params = request.url.params
        size = int(params.get("pagelen", 10))
        if size > most:
            return httpx.Response(400, json={"error": {"message": "Invalid pagelen"}})
        size = min(size, self.page_size or size)
        start = int(params.get("page", 0))
        body: Row = {"values": rows[max(0, start - (1 if self.repeats_rows else 0)) : start + size]}
        if start + size < len(rows):
            body["next"] = str(request.url.copy_set_param("page", start + size))
        return httpx.Response(200, json=body)
