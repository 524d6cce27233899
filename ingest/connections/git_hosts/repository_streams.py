"""The streams of a Git host: its repositories, then the pull requests of each wanted one.

Keep out: how a host lists repositories (`listing`, `lists_of_lists`, the module of a host), rows and addresses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from ingest.connections.git_hosts.matching import match_repositories
from ingest.connections.git_hosts.records import Repository
from ingest.connections.model import Deferred, Slice, Stream, WantedRepository
from ingest.connections.news import News, newest_of
from ingest.errors import ProviderRefused, Refusal
from ingest.http.client import Client
from ingest.http.pages import Page, Query, all_rows

NO_ACCESS = frozenset({Refusal.NOT_FOUND, Refusal.FORBIDDEN, Refusal.GONE, Refusal.INVALID})

Found = dict[str, Repository]
"""Repositories that a listing has given so far, by id."""

Changed = Callable[[Sequence[Repository], datetime], Iterable[str] | None]
"""Ids of the repositories in which pull requests changed since a time; None where a host does not tell."""


@dataclass(frozen=True)
class RepositoryStreams:
    """The answers of a host about repositories and pull requests, for the streams of a connection.

    `repositories` are slices of the listing, made of `noted_rows`. `read` are slices of pull requests, `list_ids` the
    ids of all of a repository. `versions` are by the id of a repository what changes with its pull requests, of those
    for which the host tells it. `changed` are the ids of those in which pull requests changed since a time, None if the
    host does not tell. `match` are pairs of the same repository.
    """

    repositories: Callable[[Found], Iterator[Slice]]
    read: Callable[[Repository, str, datetime | None, str | None], Iterator[Slice]]
    list_ids: Callable[[Repository], Iterator[str]]
    versions: Callable[[Sequence[Repository]], Mapping[str, Any]] = lambda _: {}
    changed: Changed | None = None
    match: Callable[
        [Sequence[Repository], Sequence[WantedRepository]], Iterable[tuple[Repository, WantedRepository]]
    ] = match_repositories

    def streams(self, wanted: Sequence[WantedRepository]) -> Iterator[Stream]:
        """The stream of repositories, then one for the pull requests of each wanted repository."""
        found: Found = {}

        # Streams of pull requests need the whole list, so an interrupted listing starts again.
        def listed(_since: datetime | None, _cursor: str | None) -> Iterator[Slice]:
            return self.repositories(found)

        yield Stream("repositories", "repositories", listed, is_incremental=False)
        matched = list(self.match(list(found.values()), wanted))
        repositories = [repository for repository, _ in matched]
        versions, news = self.versions(repositories), self._news(repositories)
        for repository, one in matched:
            yield self._pull_requests(repository, one, versions.get(repository.provider_id), news)

    def _news(self, repositories: Sequence[Repository]) -> News | None:
        if (changed := self.changed) is None:
            return None

        def ask(since: datetime) -> Iterable[str] | None:
            found = changed(repositories, since)
            return None if found is None else map(_name, found)

        return News(frozenset(_name(one.provider_id) for one in repositories), ask)

    def _pull_requests(
        self, repository: Repository, wanted: WantedRepository, version: Any, news: News | None
    ) -> Stream:
        return Stream(
            _name(repository.provider_id),
            "pull_requests",
            lambda since, cursor: self.read(repository, wanted.repository_id, since, cursor),
            list_ids=lambda: self.list_ids(repository),
            version=version,
            newest=newest_of(version),
            news=news,
        )


def _name(repository: str) -> str:
    return f"pull_requests/{repository}"


def noted_rows(
    rows: Iterable[Any],
    found: Found,
    record: Callable[[Any], Repository],
    provider_id: Callable[[Any], str | None],
) -> Slice:
    """A slice of a listing of repositories, each noted as found when it is read."""
    return Slice([Deferred(provider_id(one), partial(_noted, found, record, one)) for one in rows], None)


def _noted(found: Found, record: Callable[[Any], Repository], one: Any) -> Repository:
    repository = record(one)
    found[repository.provider_id] = repository
    return repository


def with_parent(
    client: Client,
    detail: Callable[[Repository], Query],
    wanted: Sequence[WantedRepository],
    record: Callable[[Any], Repository],
    one: Any,
) -> Repository:
    """The record of a row; that of the host's answer to `detail` for a wanted fork without its parent."""
    repository = record(one)
    if (
        not repository.is_fork
        or repository.parent is not None
        or not list(match_repositories([repository], wanted))
    ):
        return repository
    query = detail(repository)
    try:
        return record(client.get(query.address, query.params).body)
    except ProviderRefused as error:
        if error.refusal not in NO_ACCESS:
            raise
        return repository


def rows_unless_gone(client: Client, listed: Iterator[Page]) -> list[Any]:
    """All rows of a list of one pull request; none if its fork, branch or commits are gone."""
    try:
        return all_rows(client, listed)
    except ProviderRefused as error:
        if error.refusal is not Refusal.NOT_FOUND:
            raise
        return []
