"""A small GitHub in memory: REST for repositories, GraphQL executed by graphql-core on a schema."""

from __future__ import annotations

import email.utils
import json
from collections.abc import Callable
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import httpx
from graphql import GraphQLError, GraphQLResolveInfo, GraphQLSchema, build_schema

from tests.ingest.providers.graphql_server import execute

SCHEMA = Path(__file__).parent / "host_schema.graphql"
Row = dict[str, Any]


def at(day: int, hour: int = 0) -> str:
    """A time of an invented month; later days run into the next ones."""
    return f"2026-{1 + (day - 1) // 28:02}-{(day - 1) % 28 + 1:02}T{hour:02}:00:00Z"


def user(login: str, kind: str = "User") -> Row:
    return {"__typename": kind, "login": login, **({"name": login.title()} if kind == "User" else {})}


def commit(sha: str, day: int = 1, login: str | None = "ann") -> Row:
    return {
        "commit": {
            "oid": sha,
            "authoredDate": at(day),
            "committedDate": at(day),
            "message": f"Change {sha}",
            "author": {
                "name": "Ann",
                "email": "ann@example.com",
                "user": user(login) if login is not None else None,
            },
        }
    }


def merge(sha: str, day: int, parents: int) -> Row:
    return {
        "oid": sha,
        "authoredDate": at(day),
        "committedDate": at(day),
        "parents": {"totalCount": parents, "nodes": []},
    }


def event(kind: str, day: int, login: str | None = "ann", **more: Any) -> Row:
    by = user(login) if login else None
    if kind == "IssueComment":
        more = {"author": by, "authorAssociation": "NONE", "body": "", **more}
    return {"__typename": kind, "createdAt": at(day), "actor": by, **more}


def review(state: str, day: int, login: str | None = "bob", **more: Any) -> Row:
    submitted = None if state == "PENDING" else at(day)
    return {
        "id": f"R{day}{login}",
        "state": state,
        "submittedAt": submitted,
        "author": user(login) if login else None,
        "commit": {"oid": "c" * 40},
        **more,
    }


def pull(number: int, *, updated: int | None = None, **more: Any) -> Row:
    return {
        "__typename": "PullRequest",
        "id": f"PR{number}",
        "number": number,
        "title": f"Pull request {number}",
        "body": "",
        "url": f"https://github.com/acme/shop/pull/{number}",
        "state": "OPEN",
        "isDraft": False,
        "createdAt": at(number),
        "publishedAt": at(number),
        "updatedAt": at(updated or number),
        "mergedAt": None,
        "closedAt": None,
        "author": user("ann"),
        "mergedBy": None,
        "baseRefName": "main",
        "headRefName": f"topic-{number}",
        "headRefOid": f"{number:040x}",
        "isCrossRepository": False,
        "headRepository": {"nameWithOwner": "acme/shop"},
        "additions": 3,
        "deletions": 1,
        "changedFiles": 1,
        "totalCommentsCount": 0,
        "mergeCommit": None,
        "reviews": [],
        "commits": [commit(f"{number:040x}", number)],
        "timelineItems": [],
        "closingIssuesReferences": [],
        "labels": [],
        "reviewRequests": [],
        **more,
    }


def repository(identifier: int, name: str, **more: Any) -> Row:
    return {
        "id": identifier,
        "name": name,
        "owner": {"login": "acme"},
        "clone_url": f"https://github.com/acme/{name}.git",
        "html_url": f"https://github.com/acme/{name}",
        "default_branch": "main",
        "archived": False,
        "disabled": False,
        "fork": False,
        "private": True,
        "size": 12,
        "created_at": at(1),
        "pushed_at": at(2),
        **more,
    }


class GitHubServer:
    """Repositories and their pull requests. `max_size` is the largest page that GraphQL answers before it gives up."""

    def __init__(self, schema: GraphQLSchema | None = None) -> None:
        self.schema = schema or subset()
        self.repositories: list[Row] = [repository(7, "shop")]
        self.public: list[Row] = []
        self.pulls: dict[str, list[Any]] = {"shop": []}
        self.owner = "acme"
        self.max_size = 100
        self.asked: list[str] = []
        self.sizes: list[int] = []
        self.headers: dict[str, str] = {}
        self.before: Callable[[], None] = lambda: None
        self.now = at(200)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        answer = self._answered(request)
        answer.headers["Date"] = email.utils.format_datetime(datetime.fromisoformat(self.now), usegmt=True)
        return answer

    def _answered(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        self.asked.append(path)
        self.before()
        if path.endswith("/graphql"):
            return self._graphql(json.loads(request.content))
        if path.endswith("/user"):
            return httpx.Response(200, json={"login": "ann"}, headers=self.headers)
        if path.endswith(("/user/repos", "/installation/repositories")):
            return self._listing(request)
        found = [one for one in self.public if path.endswith(f"/repos/acme/{one['name']}")]
        return (
            httpx.Response(200, json=found[0])
            if found
            else httpx.Response(404, json={"message": "Not Found"})
        )

    def _listing(self, request: httpx.Request) -> httpx.Response:
        query = parse_qs(request.url.query.decode())
        page, size = int(query.get("page", ["1"])[0]), 2
        chosen = self.repositories[(page - 1) * size : page * size]
        headers = {}
        if page * size < len(self.repositories):
            following = request.url.copy_set_param("page", page + 1)
            headers = {"Link": f'<{following}>; rel="next", <{request.url}>; rel="last"'}
        wrapped = {"repositories": chosen} if "installation" in request.url.path else chosen
        return httpx.Response(200, json=wrapped, headers=headers)

    def _graphql(self, body: Row) -> httpx.Response:
        variables = body["variables"]
        self.sizes.append(variables.get("size", 0))
        if variables.get("size", 0) > self.max_size:
            return httpx.Response(502, json={"data": None, "errors": [{"message": "Something went wrong"}]})
        done = execute(
            self.schema,
            body["query"],
            {"repository": self._repository, "node": self._node},
            variable_values=variables,
            field_resolver=_resolve,
            type_resolver=lambda value, _info, _type: str(value["__typename"]),
        )
        answer: Row = {"data": done.data}
        if done.errors:
            answer["errors"] = [_as_github_says(error) for error in done.errors]
        return httpx.Response(200, json=answer)

    def _repository(self, _info: GraphQLResolveInfo, owner: str, name: str, **_: Any) -> Row:
        if owner != self.owner or name not in self.pulls:
            message = f"Could not resolve to a Repository with the name '{owner}/{name}'."
            raise GraphQLError(message, extensions={"type": "NOT_FOUND"})
        return {"__typename": "Repository", "pullRequests": self.pulls[name]}

    def _node(self, _info: GraphQLResolveInfo, **arguments: str) -> Row | None:
        every = [one for ones in self.pulls.values() for one in ones if isinstance(one, dict)]
        return next((one for one in every if one["id"] == arguments["id"]), None)


@cache
def subset() -> GraphQLSchema:
    """The part of GitHub's schema that the connector asks for."""
    return build_schema(SCHEMA.read_text(), assume_valid_sdl=True)


def _as_github_says(error: GraphQLError) -> Row:
    kind = (error.extensions or {}).get("type")
    return {"message": error.message, "path": error.path, **({"type": kind} if kind else {})}


def _resolve(source: Any, info: GraphQLResolveInfo, **arguments: Any) -> Any:
    value = source.get(info.field_name)
    if callable(value):
        return value(info, **arguments)
    if isinstance(value, GraphQLError):
        raise value
    if isinstance(value, list) and "first" in arguments:
        return _page(value, arguments)
    return value


def _page(every: list[Any], arguments: Row) -> Row:
    """A page whose cursor names the last row by its place in the order, as GitHub's cursors do."""
    kinds = [_camel(one) for one in arguments.get("item_types") or arguments.get("itemTypes") or []]
    chosen = [(_place(one, n, arguments), one) for n, one in enumerate(every)
              if not kinds or one["__typename"] in kinds]  # fmt: skip
    order = arguments.get("order_by") or arguments.get("orderBy") or {}
    chosen.sort(key=lambda pair: pair[0], reverse=order.get("direction") == "DESC")
    after = arguments.get("after")
    if after is not None:
        limit = tuple(json.loads(after))
        is_down = order.get("direction") == "DESC"
        chosen = [pair for pair in chosen if (pair[0] < limit if is_down else pair[0] > limit)]
    first = arguments["first"]
    return {
        "totalCount": len(every),
        "nodes": [one for _, one in chosen[:first]],
        "pageInfo": {
            "hasNextPage": len(chosen) > first,
            "endCursor": json.dumps(chosen[:first][-1][0]) if chosen else None,
        },
    }


def _place(one: Any, number: int, arguments: Row) -> tuple[str, int]:
    order = arguments.get("order_by") or arguments.get("orderBy")
    if not order or not isinstance(one, dict):
        return ("", number)
    key = "updatedAt" if str(order["field"]).endswith("UPDATED_AT") else "createdAt"
    return (str(one.get(key)), one.get("number") or number)


def _camel(name: Any) -> str:
    return "".join(part.title() for part in str(name).split("_"))
