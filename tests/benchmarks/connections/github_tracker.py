"""Synthetic GitHub Issues: issues with types, parents, labels and milestones in the repositories of a host."""

from datetime import datetime, timedelta
from typing import Any

from tests.benchmarks.connections.github_host import OWNER, Hosted
from tests.benchmarks.connections.templates import template

APART = timedelta(minutes=7)
ISSUE_FIELDS = (
    "labels", "closedByPullRequestsReferences", "projectItems", "timelineItems", "issueType", "parent",
)  # fmt: skip
ISSUES_OF_EPIC = 50


def _nodes(*nodes: dict[str, Any]) -> dict[str, Any]:
    return {"pageInfo": {"hasNextPage": False, "endCursor": None}, "nodes": list(nodes)}


def _issue(type_name: str, *, is_closed: bool) -> str:
    event: dict[str, Any] = {"__typename": "ClosedEvent", "createdAt": "<changed>", "stateReason": "COMPLETED",
             "actor": {"login": "person-<person>"}}  # fmt: skip
    pull = {"url": f"https://git.example.com/{OWNER}/<name>/pull/<number>"}
    parent: dict[str, Any] = {
        "id": "I_<repository>_<parent>",
        "milestone": None,
        "issueType": {"name": "Epic"},
        "projectItems": {"nodes": []},
    }
    return template(
        {
            "id": "I_<repository>_<number>",
            "number": "<number:d>",
            "title": "Show report <number> without the rows that nobody reads",
            "url": f"https://git.example.com/{OWNER}/<name>/issues/<number>",
            "state": "CLOSED" if is_closed else "OPEN",
            "stateReason": "COMPLETED" if is_closed else None,
            "createdAt": "<created>",
            "updatedAt": "<changed>",
            "closedAt": "<changed>" if is_closed else None,
            "author": {"login": "person-7"},
            "assignees": {"nodes": [{"login": "person-<person>", "name": "Person <person>"}]},
            "milestone": {"id": "M_<repository>"},
            "issueType": {"name": type_name},
            "parent": None if type_name == "Epic" else parent,
            "labels": _nodes({"name": "report"}, {"name": "backend"}),
            "closedByPullRequestsReferences": _nodes(*[pull] * is_closed),
            "projectItems": _nodes(),
            "timelineItems": _nodes(*[event] * is_closed),
        }
    )


_ISSUES = {
    (name, is_closed): _issue(name, is_closed=is_closed)
    for name in ("Epic", "Bug", "Task")
    for is_closed in (False, True)
}


class GitHubTracker:
    """`count` issues, spread evenly; the last one of each repository changed at `end`."""

    def __init__(self, repositories: list[Hosted], count: int, end: datetime) -> None:
        self._by_name = {one.name: one for one in repositories}
        share, rest = divmod(count, len(repositories))
        self._counts = {one.name: share + (place < rest) for place, one in enumerate(repositories)}
        self._end = end

    def answer(self, name: str, variables: dict[str, Any]) -> Any:
        """The data of a small query; None for another one."""
        if name == "Probe":
            return {"issue": {"fields": [{"name": each} for each in ISSUE_FIELDS]}, "project": None}
        if name == "Lookup":
            count = len(variables) // 2
            return {f"r{place}": self._repository(variables[f"n{place}"]) for place in range(count)}
        if name == "Milestones":
            number = self._by_name[variables["name"]].number
            one = {"id": f"M_{number}", "number": 1, "title": "Next", "description": "", "state": "OPEN",
                   "url": "https://git.example.com/milestone/1", "dueOn": "2026-12-31T00:00:00Z",
                   "createdAt": "2025-01-01T00:00:00Z", "updatedAt": "2025-01-01T00:00:00Z", "closedAt": None,
                   "progressPercentage": 10.0, "creator": {"login": "person-7"}}  # fmt: skip
            return {"repository": {"milestones": _nodes(one)}}
        return None

    def issues(self, name: str, variables: dict[str, Any]) -> bytes:
        """A page of the query `Issues` or `Ids`."""
        repository = self._by_name[variables["name"]]
        count, since = self._counts[repository.name], variables.get("since")
        first = 0
        if since is not None:
            behind = self._end - datetime.fromisoformat(since)
            first = max(0, count - 1 - behind // APART) if behind >= timedelta() else count
        start = int(variables.get("after") or first)
        end = min(count, start + variables["first"])
        if name == "Ids":
            rows = ",".join(f'{{"id":"I_{repository.number}_{place + 1}"}}' for place in range(start, end))
        else:
            rows = ",".join(self._row(repository, place, count) for place in range(start, end))
        info = f'{{"hasNextPage":{"true" if end < count else "false"},"endCursor":"{end}"}}'
        return f'{{"data":{{"repository":{{"issues":{{"pageInfo":{info},"nodes":[{rows}]}}}}}}}}'.encode()

    def _repository(self, name: str) -> dict[str, Any]:
        return {
            "databaseId": self._by_name[name].number,
            "nameWithOwner": f"{OWNER}/{name}",
            "hasIssuesEnabled": True,
            "issues": {"totalCount": self._counts[name], "nodes": [{"updatedAt": self._end.isoformat()}]},
            "milestones": {"totalCount": 1, "nodes": [{"updatedAt": "2025-01-01T00:00:00Z"}]},
            "owner": {"login": OWNER},
        }

    def _row(self, repository: Hosted, place: int, count: int) -> str:
        changed = self._end - (count - 1 - place) * APART
        name = "Epic" if place % ISSUES_OF_EPIC == 0 else "Bug" if place % 7 == 3 else "Task"
        return _ISSUES[name, place % 10 < 8] % {
            "repository": repository.number,
            "name": repository.name,
            "number": place + 1,
            "parent": place // ISSUES_OF_EPIC * ISSUES_OF_EPIC + 1,
            "person": place % 400,
            "created": f"{changed - timedelta(days=4):%Y-%m-%dT%H:%M:%S}Z",
            "changed": f"{changed:%Y-%m-%dT%H:%M:%S}Z",
        }
