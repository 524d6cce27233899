"""Azure DevOps Services and Server: repositories and pull requests.

Read in Microsoft's specifications: pull requests can be asked for by creation or close, never by change, so a run reads
the open ones, and those closed or created since. Votes and comments are in threads (`azure_threads`). Ids of pull
requests are unique in an organization; names of projects may have blanks; a disabled repository answers 404. The host
counts files, not lines. Messages of commits are cut after the first line, so Git has the trailers: `refs/pull/N/merge`
leads to the source commits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any
from urllib.parse import quote

from ingest.connections import azure_access as access
from ingest.connections.matching import match_repositories
from ingest.connections.model import (
    Checked,
    Connection,
    Deferred,
    GitHost,
    Slice,
    Stream,
    WantedRepository,
)
from ingest.connections.records import PullRequest, Repository
from ingest.connections.values import text
from ingest.errors import ProviderRefused, Refusal
from ingest.hosts.azure_records import pull_request_of, repository_of, updated_at
from ingest.hosts.lists_of_lists import read_lists, refuse
from ingest.http import Client, Login
from ingest.pages import Offset, Page, Query, at

PAGE, PROJECTS_PAGE = 100, 200
SCOPE = "Code (Read)"
LIST = Offset(("value",), "$skip", PAGE)


@dataclass(frozen=True)
class Place:
    """A repository in the addresses of an organization."""

    repository: Repository
    repository_id: str
    project: str
    version: str

    @property
    def path(self) -> str:
        """The address of the repository by its id, which survives renames."""
        key = quote(self.repository.provider_id, safe="")
        return f"{access.project_path(self.project)}/_apis/git/repositories/{key}"

    def query(self, address: str, **params: Any) -> Query:
        """A query below the address of the repository."""
        return Query(f"{self.path}/{address}", {**params, "api-version": self.version})


class AzureDevOps(GitHost):
    kind = "AZURE_DEVOPS"
    title = "Azure DevOps"
    review_refs = "refs/pull/*/merge"
    rate_limits = access.RATE_LIMITS

    def login(self, connection: Connection) -> Login:
        return access.login(connection)

    def git_login(self, connection: Connection) -> str:
        return access.git_login(connection)

    def check(self, client: Client, connection: Connection) -> Checked:
        checked = access.check_login(client, connection, SCOPE)
        try:
            version = access.supported_version(client, "_apis/projects", {"$top": 1})
            projects = client.get("_apis/projects", {"$top": 1, "api-version": version}).body
            if project := text(at(projects, ("value", 0, "name"))):
                address = f"{access.project_path(project)}/_apis/git/repositories"
                client.get(address, {"api-version": version})
        except ProviderRefused as error:
            raise access.explained(error, connection, SCOPE) from error
        return checked

    def streams(
        self, client: Client, connection: Connection, repositories: Sequence[WantedRepository]
    ) -> Iterator[Stream]:
        version = access.supported_version(client, "_apis/projects", {"$top": 1})
        found: dict[str, Repository] = {}
        yield Stream(
            "repositories",
            "repositories",
            partial(self._repositories, client, connection, version, found),
            is_incremental=False,
        )
        for repository, wanted in match_repositories(list(found.values()), repositories):
            if repository.is_archived:  # disabled: every request answers 404
                continue
            project = repository.payload["project"]["name"]
            place = Place(repository, wanted.repository_id, project, version)
            yield Stream(
                f"pull_requests/{repository.provider_id}",
                "pull_requests",
                partial(self._pull_requests, client, place),
                list_ids=partial(self._pull_request_ids, client, place),
            )

    def _repositories(
        self,
        client: Client,
        connection: Connection,
        version: str,
        found: dict[str, Repository],
        _since: datetime | None,
        _cursor: str | None,
    ) -> Iterator[Slice]:
        # Streams of pull requests need the whole list, so an interrupted listing starts again.
        organization = access.organization(connection)
        projects = Query("_apis/projects", {"$top": PROJECTS_PAGE, "api-version": version})
        listed = (one for page in access.read_pages(client, projects) for one in page.rows)
        names = [name for one in listed if (name := text(at(one, ("name",))))]

        def read(project: str) -> Iterator[Slice]:
            address = f"{access.project_path(project)}/_apis/git/repositories"
            for page in access.read_pages(
                client, Query(address, {"includeHidden": "true", "api-version": version})
            ):
                rows = [
                    Deferred(text(at(one, ("id",))), partial(_found, organization, one, found))
                    for one in page.rows
                ]
                yield Slice(rows, None)

        yield from read_lists(names, read)

    def _pull_requests(
        self, client: Client, place: Place, since: datetime | None, cursor: str | None
    ) -> Iterator[Slice]:
        """Several lists one after the other. A cursor is the number of a list and its next query."""
        queries = _lists(place, since)
        # A new pull request is in two lists, and may be closed in between.
        met: set[tuple[str | None, Any]] = set()
        number, _, query = (cursor or "0 ").partition(" ")
        for index in range(int(number), len(queries)):
            for page in access.read_pages(client, queries[index], LIST, query or None):
                rows = []
                for one in page.rows:
                    key = (_id(place, one), at(one, ("status",)))
                    if key not in met or key[0] is None:
                        met.add(key)
                        rows += self._row(client, place, one, since)
                yield Slice(rows, _cursor(index, page, len(queries)))
            query = ""

    def _row(self, client: Client, place: Place, one: Any, since: datetime | None) -> list[Deferred]:
        """A pull request with its threads; nothing for an open one of which no thread changed."""
        key = _id(place, one)
        if key is None:
            return [
                Deferred(
                    None, lambda: pull_request_of(place.repository, place.repository_id, one, [], [], [])
                )
            ]
        query = place.query(f"pullRequests/{one['pullRequestId']}/threads")
        try:
            found = at(client.get(query.address, query.params).body, ("value",))
        except ProviderRefused as error:
            # One pull request that is gone stops no other.
            refused = access.signed_in(error)
            if refused.refusal is not Refusal.NOT_FOUND:
                raise refused from error
            return [Deferred(key, partial(refuse, refused))]
        threads = found if isinstance(found, list) else []
        changed = updated_at(one, threads)
        if since is not None and changed < since:
            return []
        read = partial(self._pull_request, client, place, one, threads)
        return [Deferred(key, read, (one, threads), changed)]

    def _pull_request(
        self, client: Client, place: Place, one: dict[str, Any], threads: list[Any]
    ) -> PullRequest:
        path = f"pullRequests/{one['pullRequestId']}"
        commits = _all(client, place.query(f"{path}/commits", **{"$top": PAGE}))[::-1]
        work_items = _all(client, place.query(f"{path}/workitems"))
        return pull_request_of(place.repository, place.repository_id, one, threads, commits, work_items)

    def _pull_request_ids(self, client: Client, place: Place) -> Iterator[str]:
        for query in _lists(place, None):
            for page in access.read_pages(client, query, LIST):
                yield from filter(None, (_id(place, one) for one in page.rows))


def _lists(place: Place, since: datetime | None) -> list[Query]:
    """The lists that have every pull request changed since a time: all, or the open, lately closed and new ones."""
    address = f"{access.project_path(place.project)}/_apis/git/pullrequests"
    shared = {
        "searchCriteria.repositoryId": place.repository.provider_id, "$top": PAGE, "api-version": place.version
    }  # fmt: skip
    if since is None:
        return [Query(address, {"searchCriteria.status": "all", **shared})]
    start = f"{since.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    ranges = [
        {
            "searchCriteria.status": "all",
            "searchCriteria.minTime": start,
            "searchCriteria.queryTimeRangeType": kind,
        }
        for kind in ("closed", "created")
    ]
    return [Query(address, {**one, **shared}) for one in ({"searchCriteria.status": "active"}, *ranges)]


def _cursor(index: int, page: Page, count: int) -> str | None:
    if page.next is not None:
        return f"{index} {page.cursor}"
    return f"{index + 1} " if index + 1 < count else None


def _all(client: Client, query: Query) -> list[Any]:
    """All rows of a list of one pull request; none if its commits or branch are gone."""
    try:
        return [row for page in access.read_pages(client, query) for row in page.rows]
    except ProviderRefused as error:
        if error.refusal is not Refusal.NOT_FOUND:
            raise
        return []


def _id(place: Place, one: Any) -> str | None:
    key = at(one, ("pullRequestId",))
    return f"{place.repository.provider_id}/{key}" if isinstance(key, int) else None


def _found(organization: str, one: Any, found: dict[str, Repository]) -> Repository:
    repository = repository_of(organization, one)
    found[repository.provider_id] = repository
    return repository
