"""A synthetic GitHub: repositories, and pull requests that merged the deliveries of a lake.

Add: what connectors of GitHub ask for. Keep out: issues (`github_tracker`), HTTP (`server`).
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from ingest.lake import Lake
from tests.benchmarks.connections.templates import template
from tests.benchmarks.raw_facts import RawFacts

OWNER = "acme"
MAX_COMMITS = 30
OPEN_FOR = timedelta(days=2)
_DELIVERIES = ["delivery_sha", "delivered_at", "commit_shas"]
_LISTS = ("reviews", "timelineItems", "closingIssuesReferences", "labels", "reviewRequests")


@dataclass(frozen=True)
class Hosted:
    """A repository of the lake as the host has it. `number` is its id there."""

    number: int
    repository_id: str
    name: str


@dataclass(frozen=True)
class Delivered:
    """A merged pull request: the delivering commit, and the commits of its branch."""

    sha: str
    at: datetime
    commits: Sequence[str]


def hosted(raw_dir: Path, organization_id: str) -> list[Hosted]:
    """The repositories of an organization in a lake."""
    rows = Lake(str(raw_dir)).source("control", organization_id, "_").read("repositories").to_pylist()
    ids = sorted((row["repository_id"], row["name"].rpartition("/")[2]) for row in rows)
    return [Hosted(place + 1, identifier, name) for place, (identifier, name) in enumerate(ids)]


def _user(login: str, kind: str = "User") -> dict[str, Any]:
    return {"__typename": kind, "login": login}


def _nodes(*nodes: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {**more, "pageInfo": {"hasNextPage": False, "endCursor": None}, "nodes": list(nodes)}


_AUTHOR = _user("person-<person>") | {"name": "Person <person>"}
_REVIEW = {
    "id": "PRR_<repository>_<number>",
    "state": "APPROVED",
    "submittedAt": "<reviewed>",
    "author": _user("person-<reviewer>"),
    "commit": {"oid": "<head>"},
}
_EVENTS = [
    {"__typename": "ReviewRequestedEvent", "createdAt": "<created>", "actor": _AUTHOR,
     "requestedReviewer": _user("person-<reviewer>")},
    {"__typename": "IssueComment", "createdAt": "<reviewed>", "author": _user("helper[bot]", "Bot")},
    {"__typename": "IssueComment", "createdAt": "<reviewed>", "author": _user("person-<reviewer>")},
    {"__typename": "MergedEvent", "createdAt": "<closed>", "actor": _user("person-<reviewer>"),
     "commit": {"oid": "<sha>"}},
]  # fmt: skip
_BODY = """## Why
Reports show rows that nobody reads, and take long.

## How
The query leaves them out, and a test has one of each. See <key>.
"""
_PULL_REQUEST = template(
    {
        "id": "PR_<repository>_<number>",
        "number": "<number:d>",
        "title": "<key> Show report <number> without the rows that nobody reads",
        "body": _BODY * 2,
        "url": f"https://git.example.com/{OWNER}/<name>/pull/<number>",
        "state": "MERGED",
        "isDraft": False,
        "createdAt": "<created>",
        "publishedAt": "<created>",
        "updatedAt": "<closed>",
        "mergedAt": "<closed>",
        "closedAt": "<closed>",
        "author": _AUTHOR,
        "mergedBy": _user("person-<reviewer>"),
        "baseRefName": "main",
        "headRefName": "feature/report-<number>",
        "headRefOid": "<head>",
        "isCrossRepository": False,
        "headRepository": {"nameWithOwner": f"{OWNER}/<name>"},
        "additions": 120,
        "deletions": 30,
        "changedFiles": 4,
        "totalCommentsCount": 2,
        "mergeCommit": {
            "oid": "<sha>",
            "authoredDate": "<closed>",
            "committedDate": "<closed>",
            "parents": {"totalCount": "<parents:d>", "nodes": [{"oid": "0" * 40}]},
        },
        "reviews": _nodes(_REVIEW),
        "timelineItems": _nodes(*_EVENTS),
        "closingIssuesReferences": _nodes(),
        "labels": _nodes({"name": "report"}, {"name": "backend"}),
        "reviewRequests": _nodes(),
        "commits": "<commits:d>",
    }
).replace("%(commits)d", "%(commits)s")
_COMMIT = template(
    {
        "commit": {
            "oid": "<oid>",
            "authoredDate": "<created>",
            "committedDate": "<reviewed>",
            "message": "Leave the rows of report <number> out\n\nNobody reads them, as the log of requests shows.",
            "author": {
                "name": "Person <person>",
                "email": "person<person>@example.com",
                "user": {"login": "person-<person>"},
            },
        }
    }
)


class GitHubHost:
    """The repositories of a lake, each with pull requests for its newest deliveries; `count` in all.

    Where a lake has fewer deliveries, older pull requests have commits that no branch has any more.
    """

    def __init__(self, raw_dir: Path, organization_id: str, count: int) -> None:
        self.repositories = hosted(raw_dir, organization_id)
        self._by_name = {one.name: one for one in self.repositories}
        found = {
            one.name: list(_deliveries(RawFacts(raw_dir, organization_id, one.repository_id)))
            for one in self.repositories
        }
        every = sum(map(len, found.values()))
        wanted = {name: round(count * len(each) / every) for name, each in found.items()}
        largest = max(wanted, key=lambda name: wanted[name])
        wanted[largest] += count - sum(wanted.values())
        self._pulls = {name: _chosen(each, wanted[name]) for name, each in found.items()}

    def listing(self, address: str, page: int) -> tuple[bytes, bool]:
        """A page of repositories, and whether it is the last one."""
        size = 100
        shown = self.repositories[(page - 1) * size : page * size]
        rows = [
            {
                "id": one.number,
                "name": one.name,
                "full_name": f"{OWNER}/{one.name}",
                "owner": {"login": OWNER},
                "clone_url": f"{address}/{OWNER}/{one.name}.git",
                "html_url": f"{address}/{OWNER}/{one.name}",
                "default_branch": "main",
                "archived": False,
                "disabled": False,
                "fork": False,
                "private": True,
                "size": 100,
                "pushed_at": "2026-01-01T00:00:00Z",
                "created_at": "2020-01-01T00:00:00Z",
            }
            for one in shown
        ]
        return json.dumps(rows).encode(), page * size >= len(self.repositories)

    def pull_requests(self, variables: dict[str, Any]) -> bytes:
        """A page of the query `PullRequests`."""
        repository = self._by_name[variables["name"]]
        pulls = self._pulls[repository.name]
        start, size = int(variables["after"] or 0), variables["size"]
        places = range(start, min(len(pulls), start + size))
        if variables["order"]["direction"] == "DESC":
            places = range(len(pulls) - 1 - start, max(-1, len(pulls) - 1 - start - size), -1)
        rows = ",".join(_row(repository, place + 1, pulls[place]) for place in places)
        return _page("pullRequests", rows, start + size, len(pulls))

    def newest(self, variables: dict[str, Any]) -> dict[str, Any]:
        """The data of the query `Newest`."""
        found: dict[str, Any] = {}
        for place in range(len(variables) // 2):
            pulls = self._pulls[variables[f"n{place}"]]
            nodes = [{"number": len(pulls), "updatedAt": _instant(pulls[-1].at)}] if pulls else []
            found[f"r{place}"] = {"pullRequests": {"totalCount": len(pulls), "nodes": nodes}}
        return found

    def numbers(self, variables: dict[str, Any]) -> bytes:
        """A page of the query `Numbers`."""
        count = len(self._pulls[variables["name"]])
        start = int(variables["after"] or 0)
        rows = ",".join(f'{{"number":{place + 1}}}' for place in range(start, min(count, start + 100)))
        return _page("pullRequests", rows, start + 100, count)


def _page(connection: str, rows: str, end: int, count: int) -> bytes:
    has_next = "true" if end < count else "false"
    info = f'{{"hasNextPage":{has_next},"endCursor":"{end}"}}'
    return f'{{"data":{{"repository":{{"{connection}":{{"pageInfo":{info},"nodes":[{rows}]}}}}}}}}'.encode()


def _deliveries(facts: RawFacts) -> Iterator[Delivered]:
    for row in sorted(facts.rows("deliveries", _DELIVERIES), key=lambda one: one["delivered_at"]):
        yield Delivered(row["delivery_sha"], row["delivered_at"], row["commit_shas"][:MAX_COMMITS])


def _chosen(found: list[Delivered], count: int) -> list[Delivered]:
    newest = found[-count:] if count else []
    missing = count - len(newest)
    begin = newest[0].at if newest else None
    lost = [
        Delivered(f"{place:040x}", begin - timedelta(hours=missing - place), [f"{place:039x}f"])
        for place in range(missing)
        if begin is not None
    ]
    return lost + newest


def _row(repository: Hosted, number: int, pull: Delivered) -> str:
    person, created = number % 300, pull.at - OPEN_FOR
    # A merge commit is no commit of its branch; a delivery of one commit is a squash of a branch that is gone.
    is_merge = len(pull.commits) > 1
    shas = pull.commits[:-1] if is_merge else [f"{pull.sha[:39]}e"]
    values: dict[str, Any] = {
        "repository": repository.number,
        "name": repository.name,
        "number": number,
        "key": f"APP-{number % 5000 + 1}",
        "sha": pull.sha,
        "head": shas[-1],
        "parents": 2 if is_merge else 1,
        "person": person,
        "reviewer": (person + 1) % 300,
        "created": _instant(created),
        "reviewed": _instant(pull.at - OPEN_FOR / 2),
        "closed": _instant(pull.at),
    }
    commits = ",".join(_COMMIT % {**values, "oid": sha} for sha in shas)
    info = '{"hasNextPage":false,"endCursor":null}'
    values["commits"] = f'{{"totalCount":{len(shas)},"pageInfo":{info},"nodes":[{commits}]}}'
    return _PULL_REQUEST % values


def _instant(value: datetime) -> str:
    return f"{value:%Y-%m-%dT%H:%M:%S}Z"
