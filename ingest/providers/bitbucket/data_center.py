"""Bitbucket Data Center: repositories and pull requests over its REST interface, version 1.0.

Read in Atlassian's reference: pull requests have no filter by change, and `NEWEST` orders them by their last change;
times are milliseconds; a server that anyone may read answers a wrong token as nobody, without the header `X-AUSERNAME`;
personal repositories belong to the project `~user`; no request counts lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any
from urllib.parse import quote

from ingest.connections.git_hosts.git_host import GitHost
from ingest.connections.git_hosts.matching import match_repositories
from ingest.connections.git_hosts.records import PullRequest, Repository
from ingest.connections.git_hosts.repository_streams import (
    Found,
    RepositoryStreams,
    noted_rows,
    rows_unless_gone,
)
from ingest.connections.model import Checked, Connection, Slice, Stream, WantedRepository
from ingest.connections.parsing import deferred_rows, id_of
from ingest.connections.values import text
from ingest.errors import ProviderRefused, Refusal
from ingest.http.client import Answer, Client, Login
from ingest.http.pages import BodyToken, Page, Query, all_rows, pages
from ingest.json_paths import at
from ingest.providers.bitbucket.data_center_records import (
    addresses_of,
    changed_at,
    pull_request_of,
    repository_of,
    text_id,
)

PAGE = 100
STYLE = BodyToken(("values",), ("nextPageStart",), "start", ("isLastPage",))
REFUSED = (
    "Bitbucket Data Center does not accept the token: it is wrong or expired, and the server answers as to nobody."
    " Create an HTTP access token that may read projects and repositories."
)


class BitbucketDataCenter(GitHost):
    kind = "BITBUCKET_DATA_CENTER"
    title = "Bitbucket Data Center"
    review_refs = "refs/pull-requests/*/from"

    def login(self, connection: Connection) -> Login:
        address = f"{connection.address.removesuffix('/rest/api/1.0')}/rest/api/1.0"
        if not connection.user:
            return Login.bearer(address, connection.secret)
        return Login.basic(address, connection.user, connection.secret)

    def git_login(self, connection: Connection) -> str:
        return f"{connection.user}:{connection.secret}" if connection.user else f"Bearer {connection.secret}"

    def check(self, client: Client, connection: Connection) -> Checked:
        try:
            client.get("application-properties")
            answer = client.get("projects", {"limit": 1})
        except ProviderRefused as error:
            raise _explained(error) from error
        return Checked(_account(answer))

    def streams(
        self, client: Client, connection: Connection, repositories: Sequence[WantedRepository]
    ) -> Iterator[Stream]:
        listing = RepositoryStreams(
            repositories=partial(_listed, client, repositories),
            read=partial(_pull_requests, client),
            list_ids=partial(_pull_request_ids, client),
            match=matched,
        )
        yield from listing.streams(repositories)


def _listed(client: Client, wanted: Sequence[WantedRepository], found: Found) -> Iterator[Slice]:
    for page in _pages(client, Query("repos", {"archived": "ALL", "limit": PAGE})):
        record = partial(_repository, client, wanted)
        yield noted_rows(page.rows, found, record, text_id)


def _repository(client: Client, wanted: Sequence[WantedRepository], one: dict[str, Any]) -> Repository:
    """A repository; its default branch costs a request, so that only wanted ones have it."""
    repository = repository_of(one, None, is_empty=False)
    if list(matched([repository], wanted)):
        branch = _default_branch(client, repository)
        return repository_of(one, branch, is_empty=branch is None)
    return repository


def _pull_requests(
    client: Client, repository: Repository, repository_id: str, since: datetime | None, cursor: str | None
) -> Iterator[Slice]:
    read = partial(_read, client, repository, repository_id)
    for page in _list(client, repository, cursor):
        rows = deferred_rows(page.rows, read, partial(_id, repository), changed_at)
        recent = [row for row in rows if since is None or (row.updated_at or since) >= since]
        is_last = page.next is None or (bool(rows) and not recent)
        yield Slice(recent, None if is_last else page.cursor)
        if is_last:
            return


def _pull_request_ids(client: Client, repository: Repository) -> Iterator[str]:
    for page in _list(client, repository):
        yield from (f"{repository.provider_id}/{id_of(one)}" for one in page.rows)


def _read(client: Client, repository: Repository, repository_id: str, one: dict[str, Any]) -> PullRequest:
    """A pull request with its activities and commits, which are listed with the newest first."""
    path = f"{_path(repository)}/pull-requests/{one['id']}"
    activities = all_rows(client, _pages(client, Query(f"{path}/activities", {"limit": PAGE})))
    commits = rows_unless_gone(client, _pages(client, Query(f"{path}/commits", {"limit": PAGE})))[::-1]
    return pull_request_of(repository, repository_id, one, activities, commits)


def matched(
    found: Sequence[Repository], wanted: Sequence[WantedRepository]
) -> Iterator[tuple[Repository, WantedRepository]]:
    """Pairs of the same repository, by id or by either address; the server ignores case in both."""
    by_id = {one.provider_id: one for one in found}
    spelled = [
        replace(one, address=address.lower()) for one in found for address in addresses_of(one.payload)
    ]
    pairs = match_repositories(spelled, [replace(one, origin=one.origin.lower()) for one in wanted])
    met = {spelling.provider_id: same.repository_id for spelling, same in pairs}
    by_repository = {one.repository_id: one for one in wanted}
    return ((by_id[provider_id], by_repository[key]) for provider_id, key in met.items())


def _account(answer: Answer) -> str:
    """The login that a server saw in a request. Raises ProviderRefused if it saw nobody."""
    if account := answer.headers.get("x-ausername"):
        return account
    raise ProviderRefused(Refusal.UNAUTHORIZED, REFUSED, answer.status)


def _explained(error: ProviderRefused) -> ProviderRefused:
    """The refusal with a sentence that says what to change."""
    if error.status == 401:
        return ProviderRefused(Refusal.UNAUTHORIZED, REFUSED, error.status)
    if error.status == 403:
        return ProviderRefused(
            Refusal.MISSING_SCOPE,
            "The token may not list projects: create an HTTP access token that may read projects and repositories.",
            error.status,
        )
    if error.status == 404 or error.refusal is Refusal.BAD_ADDRESS:
        return ProviderRefused(
            Refusal.BAD_ADDRESS,
            "No Bitbucket Data Center answers at this address: add its context path, such as"
            " https://git.example.com/bitbucket.",
            error.status,
        )
    return error


def _pages(client: Client, first: Query, cursor: str | None = None) -> Iterator[Page]:
    """Pages that a server gave to the token: as nobody it would list public repositories alone."""
    for page in pages(client, first, STYLE, cursor):
        _account(page.answer)
        yield page


def _list(client: Client, repository: Repository, cursor: str | None = None) -> Iterator[Page]:
    """Pages of pull requests, the last changed first: a change during the listing repeats rows and skips none."""
    params = {"state": "ALL", "order": "NEWEST", "limit": PAGE}
    return _pages(client, Query(f"{_path(repository)}/pull-requests", params), cursor)


def _path(repository: Repository) -> str:
    return f"projects/{quote(repository.owner, safe='~')}/repos/{quote(repository.name, safe='')}"


def _id(repository: Repository, one: Any) -> str | None:
    key = text_id(one)
    return None if key is None else f"{repository.provider_id}/{key}"


def _default_branch(client: Client, repository: Repository) -> str | None:
    """The short name of the default branch; None for an empty repository. The second address is that before 7.5."""
    for address in ("default-branch", "branches/default"):
        try:
            body = client.get(f"{_path(repository)}/{address}").body
        except ProviderRefused as error:
            if error.refusal is not Refusal.NOT_FOUND:
                raise
        else:
            return text(at(body, ("displayId",)))
    return None
