"""Pull requests of Azure DevOps that may have changed, from the lists of whole projects instead of each repository.

Keep out: threads, which are a request for each open pull request wherever its row comes from (`host`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from ingest.connections.git_hosts.lists_of_lists import OF_ONE_LIST
from ingest.connections.git_hosts.records import Repository
from ingest.errors import ProviderRefused
from ingest.http.client import Client
from ingest.http.pages import Offset, Query
from ingest.providers.azure import access

PAGE, OVERLAP = 100, 10
LIST = Offset(("value",), "$skip", PAGE, OVERLAP)
"""A pull request that closes moves the open ones after it to an earlier page, so pages repeat some rows."""
MIN_IN_PROJECT = 2
"""Wanted repositories of a project that is asked. For a single one its own lists cost the same."""


def lists_since(project: str, since: datetime, params: Mapping[str, Any]) -> list[Query]:
    """The lists that have every pull request changed since a time: the open, lately closed and new ones."""
    start = f"{since.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    ranges = [
        {
            "searchCriteria.status": "all",
            "searchCriteria.minTime": start,
            "searchCriteria.queryTimeRangeType": kind,
        }
        for kind in ("closed", "created")
    ]
    address = list_address(project)
    return [Query(address, {**one, **params}) for one in ({"searchCriteria.status": "active"}, *ranges)]


def list_address(project: str) -> str:
    """The address of the pull requests of a project."""
    return f"{access.project_path(project)}/_apis/git/pullrequests"


@dataclass
class Changes:
    """The answers of projects, once they were asked since a time. `project_of` names the project of a repository."""

    client: Client
    version: str
    project_of: Callable[[Repository], str]
    since: datetime | None = None
    rows: dict[str, list[Any]] = field(default_factory=dict)

    def ask(self, repositories: Sequence[Repository], since: datetime) -> set[str]:
        """Ids of the repositories with a pull request that may have changed since a time, and of those in a project
        that was not asked or refuses its lists.
        """
        by_project: dict[str, list[Repository]] = defaultdict(list)
        for one in repositories:
            by_project[self.project_of(one)].append(one)
        found: set[str] = set()
        for project, inside in by_project.items():
            ids = {one.provider_id for one in inside}
            told = self._told(project, since) if len(inside) >= MIN_IN_PROJECT else None
            if told is None:
                found |= ids
            else:
                self.rows |= {key: told.get(key, []) for key in ids}
                found |= told.keys() & ids
        self.since = since
        return found

    def of(self, repository: Repository, since: datetime | None) -> list[Any] | None:
        """The pull requests of a repository that may have changed since a time; None if its project did not say."""
        if since is None or self.since is None or self.since > since:
            return None
        return self.rows.get(repository.provider_id)

    def _told(self, project: str, since: datetime) -> dict[str, list[Any]] | None:
        """Rows by repository. A new pull request is in two lists, and may be closed in between."""
        found: dict[str, dict[tuple[Any, Any], Any]] = defaultdict(dict)
        try:
            for query in lists_since(project, since, {"$top": PAGE, "api-version": self.version}):
                for page in access.read_pages(self.client, query, LIST):
                    for one in page.rows:
                        key = (one["pullRequestId"], one["status"])
                        found[one["repository"]["id"]].setdefault(key, one)
        except ProviderRefused as error:
            if error.refusal not in OF_ONE_LIST:
                raise
            return None
        return {key: list(rows.values()) for key, rows in found.items()}
