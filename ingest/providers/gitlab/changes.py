"""The newest change in each of many GitLab projects, by one question for fifty of them.

Read in GitLab's source: `projects(ids:)` has every project that the token may read, also those of people; lists within
them cost 1 percent of their complexity for each project, far below the limit of 250; they have all states and all types
of issues, so no fewer than the REST interface. Times are in seconds, so a recent change tells nothing (`news`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from ingest.connections import news
from ingest.connections.values import instant
from ingest.http.client import Client
from ingest.json_paths import at

PROJECTS = 50
MERGE_REQUESTS = "mergeRequests(first: 1, sort: UPDATED_DESC) { count nodes { iid updatedAt } }"
ISSUES = "issues(first: 1, sort: UPDATED_DESC) { count nodes { iid updatedAt } }"
MILESTONES = (
    "milestones(first: 100, includeAncestors: true, sort: UPDATED_DESC)"
    " { pageInfo { hasNextPage } nodes { id updatedAt } }"
)
_DOCUMENT = (
    "query Newest($ids: [ID!], $first: Int!) {{ projects(ids: $ids, first: $first) {{ nodes {{ id {} }} }} }}"
)
_ID = "gid://gitlab/Project/"


def newest_changes(
    client: Client, address: str, projects: Sequence[str], lists: Sequence[str]
) -> Mapping[tuple[str, str], Any]:
    """What changes with each change in a list of a project, by number of the project and list; none where GitLab does
    not tell. `address` is that of GraphQL.
    """
    found: dict[tuple[str, str], Any] = {}
    if len(projects) < news.MIN_ASKED:
        return found
    document = _DOCUMENT.format(" ".join(lists))
    for start in range(0, len(projects), PROJECTS):
        part = projects[start : start + PROJECTS]
        variables = {"ids": [f"{_ID}{number}" for number in part], "first": len(part)}
        answer = news.answer_to(client, address, {"query": document, "variables": variables})
        if answer is None:
            # A server without this interface has it for no other project either.
            return found
        nodes = at(answer.body, ("data", "projects", "nodes"))
        for node in nodes if isinstance(nodes, list) else []:
            number = str(at(node, ("id",))).removeprefix(_ID)
            for one in lists:
                said = at(node, (one.partition("(")[0],))
                if isinstance(said, dict) and _tells_all(said, client.server_time):
                    found[number, one] = said
    return found


def _tells_all(said: Any, clock: datetime | None) -> bool:
    """Whether any later change of a list would change what GitLab says of it. Of milestones it names all."""
    if "pageInfo" not in said:
        return news.tells_all(said, clock)
    newest = at(said, ("nodes", 0, "updatedAt"))
    is_whole = at(said, ("pageInfo", "hasNextPage")) is False
    return is_whole and (at(said, ("nodes",)) == [] or news.is_settled(instant(newest), clock))
