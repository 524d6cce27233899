"""Azure DevOps Services and Server: repositories and pull requests.

Read in Microsoft's specifications: pull requests can be asked for by creation or close, never by change, so a run reads
the open ones, and those closed or created since. Votes and comments are in threads (`threads`). Ids of pull
requests are unique in an organization; names of projects may have blanks; a disabled repository answers 404. The host
counts files, not lines. Messages of commits are cut after the first line, so Git has the trailers: `refs/pull/N/merge`
leads to the source commits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any
from urllib.parse import quote

from ingest.connections.git_hosts.git_host import GitHost
from ingest.connections.git_hosts.lists_of_lists import read_lists, refuse
from ingest.connections.git_hosts.matching import match_repositories
from ingest.connections.git_hosts.records import PullRequest, Repository
from ingest.connections.git_hosts.repository_streams import (
    Found,
    RepositoryStreams,
    noted_rows,
    rows_unless_gone,
    with_parent,
)
from ingest.connections.model import Checked, Connection, Deferred, Slice, Stream, WantedRepository
from ingest.connections.parsing import id_of
from ingest.connections.values import text
from ingest.errors import ProviderRefused, Refusal
from ingest.http.client import Client, Login
from ingest.http.pages import Offset, Page, Query
from ingest.json_paths import at
from ingest.providers.azure import access
from ingest.providers.azure.changes import PAGE, Changes, list_address, lists_since
from ingest.providers.azure.records import pull_request_of, repository_of, updated_at

PROJECTS_PAGE = 200
SCOPE = "Code (Read)"
LIST = Offset(("value",), "$skip", PAGE)


@dataclass(frozen=True)
class Place:
    """A repository in the addresses of an organization."""

    repository: Repository
    version: str

    @property
    def project(self) -> str:
        """The name of its project."""
        return _project_of(self.repository)

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
        changes = Changes(client, version, _project_of)
        listing = RepositoryStreams(
            repositories=partial(self._repositories, client, connection, version, repositories),
            read=partial(self._pull_requests, changes),
            list_ids=partial(self._pull_request_ids, client, version),
            changed=changes.ask,
            match=_enabled,
        )
        yield from listing.streams(repositories)

    def _repositories(
        self,
        client: Client,
        connection: Connection,
        version: str,
        wanted: Sequence[WantedRepository],
        found: Found,
    ) -> Iterator[Slice]:
        def detail(one: Repository) -> Query:
            return Query(Place(one, version).path, {"includeParent": "true", "api-version": version})

        of_organization = partial(repository_of, access.organization(connection))
        record = partial(with_parent, client, detail, wanted, of_organization)
        projects = Query("_apis/projects", {"$top": PROJECTS_PAGE, "api-version": version})
        listed = (one for page in access.read_pages(client, projects) for one in page.rows)
        names = [name for one in listed if (name := text(at(one, ("name",))))]

        def read(project: str) -> Iterator[Slice]:
            address = f"{access.project_path(project)}/_apis/git/repositories"
            for page in access.read_pages(
                client, Query(address, {"includeHidden": "true", "api-version": version})
            ):
                yield noted_rows(page.rows, found, record, lambda one: text(at(one, ("id",))))

        yield from read_lists(names, read)

    def _pull_requests(
        self,
        changes: Changes,
        repository: Repository,
        repository_id: str,
        since: datetime | None,
        cursor: str | None,
    ) -> Iterator[Slice]:
        """Several lists one after the other. A cursor is the number of a list and its next query. What a project said
        of its repositories in this run has no cursor: another run asks anew.
        """
        client, place = changes.client, Place(repository, changes.version)
        if cursor is None and (told := changes.of(repository, since)) is not None:
            for one in told:
                yield Slice(self._row(client, place, repository_id, one, since), None)
            return
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
                        rows += self._row(client, place, repository_id, one, since)
                yield Slice(rows, _cursor(index, page, len(queries)))
            query = ""

    def _row(
        self, client: Client, place: Place, repository_id: str, one: Any, since: datetime | None
    ) -> list[Deferred]:
        """A pull request with its threads; nothing for an open one of which no thread changed."""
        key = _id(place, one)
        if key is None:
            return [
                Deferred(None, partial(pull_request_of, place.repository, repository_id, one, [], [], []))
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
        read = partial(self._pull_request, client, place, repository_id, one, threads)
        return [Deferred(key, read, (one, threads), changed)]

    def _pull_request(
        self, client: Client, place: Place, repository_id: str, one: dict[str, Any], threads: list[Any]
    ) -> PullRequest:
        path = f"pullRequests/{one['pullRequestId']}"
        listed = place.query(f"{path}/commits", **{"$top": PAGE})
        commits = rows_unless_gone(client, access.read_pages(client, listed))[::-1]
        work_items = rows_unless_gone(client, access.read_pages(client, place.query(f"{path}/workitems")))
        return pull_request_of(place.repository, repository_id, one, threads, commits, work_items)

    def _pull_request_ids(self, client: Client, version: str, repository: Repository) -> Iterator[str]:
        place = Place(repository, version)
        for query in _lists(place, None):
            for page in access.read_pages(client, query, LIST):
                yield from (f"{repository.provider_id}/{id_of(one, 'pullRequestId')}" for one in page.rows)


def _enabled(
    found: Sequence[Repository], wanted: Sequence[WantedRepository]
) -> Iterator[tuple[Repository, WantedRepository]]:
    """Pairs of the same repository, without disabled ones: every request for these answers 404."""
    return match_repositories([one for one in found if not one.is_archived], wanted)


def _lists(place: Place, since: datetime | None) -> list[Query]:
    """The lists that have every pull request changed since a time: all, or the open, lately closed and new ones."""
    params = {
        "searchCriteria.repositoryId": place.repository.provider_id, "$top": PAGE, "api-version": place.version
    }  # fmt: skip
    if since is None:
        return [Query(list_address(place.project), {"searchCriteria.status": "all", **params})]
    return lists_since(place.project, since, params)


def _project_of(repository: Repository) -> str:
    return str(repository.payload["project"]["name"])


def _cursor(index: int, page: Page, count: int) -> str | None:
    if page.next is not None:
        return f"{index} {page.cursor}"
    return f"{index + 1} " if index + 1 < count else None


def _id(place: Place, one: Any) -> str | None:
    key = at(one, ("pullRequestId",))
    return f"{place.repository.provider_id}/{key}" if isinstance(key, int) else None
