"""A small Azure DevOps in memory: repositories and pull requests, which no list has by their change."""

from __future__ import annotations

import base64
import email.utils
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote, urlsplit

import httpx

from ingest.connections.values import instant
from ingest.json_paths import at as at_path

Row = dict[str, Any]
TOKEN = "s3cret-token"
LOGIN = "Basic " + base64.b64encode(f":{TOKEN}".encode()).decode()
NOBODY = "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa"


def at(day: int, hour: int = 0) -> str:
    return f"2026-03-{day:02}T{hour:02}:00:00Z"


def user(name: str, **more: Any) -> Row:
    return {
        "id": f"{name:a<8}-0000-4000-8000-000000000000",
        "displayName": name.title(),
        "uniqueName": f"{name}@example.com",
        "descriptor": f"aad.{name}",
        **more,
    }


def group(name: str) -> Row:
    return {"id": f"group-{name}", "displayName": name, "uniqueName": f"vstfs:///{name}", "isContainer": True}


def sha(number: int) -> str:
    return (f"{number:012x}" * 4)[:40]


def repository(name: str = "shop", project: str = "Web Shop", **more: Any) -> Row:
    return {
        "id": f"repo-{name}",
        "name": name,
        "project": {"id": f"project-{project}", "name": project, "visibility": "private"},
        "defaultBranch": "refs/heads/main",
        "remoteUrl": f"https://acme@dev.azure.com/acme/{project}/_git/{name}",
        "webUrl": f"https://dev.azure.com/acme/{project.replace(' ', '%20')}/_git/{name}",
        "size": 10,
        "isDisabled": False,
        **more,
    }


def pull(number: int, *, status: str = "active", closed: int | None = None, **more: Any) -> Row:
    return {
        "pullRequestId": number,
        "repository": {"id": "repo-shop"},
        "title": f"Pull request {number}",
        "description": "Why",
        "status": status,
        "isDraft": False,
        "createdBy": user("ann"),
        "creationDate": at(number),
        **({} if closed is None else {"closedDate": at(closed), "closedBy": user("bob")}),
        "sourceRefName": f"refs/heads/topic-{number}",
        "targetRefName": "refs/heads/main",
        "lastMergeSourceCommit": {"commitId": sha(number)},
        "lastMergeCommit": {"commitId": sha(number + 100)},
        "reviewers": [],
        **more,
    }


def thread(day: int, kind: str | None = None, text: str = "voted", **more: Any) -> Row:
    values = {"CodeReviewThreadType": kind, **more.pop("values", {})} if kind else {}
    return {
        "id": day,
        "publishedDate": at(day),
        "lastUpdatedDate": at(day),
        "comments": [
            {
                "id": 1,
                "author": more.pop("author", user("bob")),
                "content": text,
                "publishedDate": at(day),
                "commentType": "system" if kind else "text",
            }
        ],
        "properties": {name: {"$type": "System.String", "$value": value} for name, value in values.items()},
        "isDeleted": False,
        **more,
    }


def vote(day: int, value: int, person: Row | None = None) -> Row:
    values = {"CodeReviewVoteResult": str(value), "CodeReviewVotedByIdentity": "1"}
    return thread(day, "VoteUpdate", values=values, identities={"1": person or user("bob")})


def commit(number: int) -> Row:
    author = {"name": "Ann", "email": "ann@example.com", "date": at(1)}
    return {"commitId": sha(number), "author": author, "comment": f"Change {number}"}


@dataclass
class AzureDevOps:
    """`threads`, `commits` and `work_items` are by number of a pull request."""

    projects: list[str] = field(default_factory=lambda: ["Web Shop"])
    repositories: list[Row] = field(default_factory=lambda: [repository()])
    pulls: list[Row] = field(default_factory=list)
    threads: dict[int, list[Row]] = field(default_factory=dict)
    commits: dict[int, list[Row]] = field(default_factory=dict)
    work_items: dict[int, list[Row]] = field(default_factory=dict)
    details: dict[str, Row] = field(default_factory=dict)
    """Repositories with their parents, by id."""
    login: str = LOGIN
    versions: tuple[str, ...] = ("7.1", "7.0", "6.0", "6.0-preview")
    scopes: tuple[str, ...] = ("code",)
    page_size: int = 100
    repeats_rows: bool = False
    now: str | None = None
    """The time of its clock; without one that of the newest change."""

    def __call__(self, request: httpx.Request) -> httpx.Response:
        answer = self._answered(request)
        times = [self.now] if self.now else [*self._times()]
        now = max(filter(None, map(instant, times)), default=datetime(2026, 3, 1, tzinfo=UTC))
        answer.headers["Date"] = email.utils.format_datetime(now, usegmt=True)
        return answer

    def _times(self) -> Iterator[Any]:
        for one in self.pulls:
            yield from (at_path(one, (name,)) for name in ("creationDate", "closedDate"))
        for each in self.threads.values():
            yield from (at_path(one, ("lastUpdatedDate",)) for one in each)

    def _answered(self, request: httpx.Request) -> httpx.Response:
        if request.headers.get("authorization") != self.login:
            return httpx.Response(203, html="<html>Sign in</html>")
        version = request.url.params.get("api-version")
        if version not in self.versions and version not in [f"{one}-preview" for one in self.versions]:
            message = f"VssVersionOutOfRangeException: {version} is out of range"
            return httpx.Response(400, json={"typeKey": "VssVersionOutOfRangeException", "message": message})
        path = urlsplit(str(request.url)).path
        if not path.startswith("/acme/"):
            return httpx.Response(404, json={"message": "TF400813"})
        return self.answer(request, path.removeprefix("/acme/"))

    def answer(self, request: httpx.Request, path: str) -> httpx.Response:
        if path == "_apis/connectionData":
            properties = {"Account": {"$type": "System.String", "$value": "ann@example.com"}}
            person = {"id": "ann", "providerDisplayName": "Ann", "properties": properties}
            return httpx.Response(200, json={"authenticatedUser": person})
        if path == "_apis/projects":
            return self.page(request, [{"id": name, "name": name} for name in self.projects])
        project, _, rest = path.partition("/_apis/git/")
        if "code" not in self.scopes:
            return httpx.Response(401, json={"message": "TF400813: The user is not authorized"})
        assert " " not in project
        return self._git(request, unquote(project), rest)

    def _git(self, request: httpx.Request, project: str, path: str) -> httpx.Response:
        if project not in self.projects:
            return httpx.Response(404, json={"message": "TF200016: no such project"})
        if path == "repositories":
            return self.page(request, [one for one in self.repositories if one["project"]["name"] == project])
        if (
            one := self.details.get(path.removeprefix("repositories/"))
        ) and "includeParent" in request.url.params:
            return httpx.Response(200, json=one)
        if path == "pullrequests":
            return httpx.Response(200, json=self._pulls(project, request.url.params))
        if match := re.fullmatch(
            r"repositories/repo-[\w-]+/pullRequests/(\d+)/(threads|commits|workitems)", path
        ):
            number = int(match[1])
            if match[2] == "commits":
                return self.page(request, self.commits.get(number, []))
            held = self.threads if match[2] == "threads" else self.work_items
            return httpx.Response(200, json={"value": held.get(number, [])})
        return httpx.Response(404, json={"message": "TF401019: disabled"})

    def _pulls(self, project: str, params: httpx.QueryParams) -> Row:
        ids = {one["id"] for one in self.repositories if one["project"]["name"] == project}
        wanted = (
            {params.get("searchCriteria.repositoryId")} if "searchCriteria.repositoryId" in params else ids
        )
        found = [one for one in self.pulls if one["repository"]["id"] in wanted]
        status = params.get("searchCriteria.status", "active")
        found = [one for one in found if status in ("all", one["status"])]
        if (start := params.get("searchCriteria.minTime")) is not None:
            name = "closedDate" if params["searchCriteria.queryTimeRangeType"] == "closed" else "creationDate"
            found = [one for one in found if one.get(name, "") >= start]
        found.sort(key=lambda one: one["pullRequestId"], reverse=True)
        skip, top = int(params.get("$skip", 0)), int(params.get("$top", 101))
        rows = found[max(0, skip - 1 if self.repeats_rows else skip) :][:top]
        return {"value": rows, "count": len(rows)}

    def page(self, request: httpx.Request, rows: list[Row]) -> httpx.Response:
        params = request.url.params
        size = min(int(params.get("$top", self.page_size)), self.page_size)
        start = int(params.get("continuationToken", 0))
        more = {"x-ms-continuationtoken": str(start + size)} if start + size < len(rows) else {}
        return httpx.Response(200, json={"value": rows[start : start + size]}, headers=more)
