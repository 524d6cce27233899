"""Repositories of a host that lists all of a token in one list.

Keep out: hosts that list them by project or workspace (`lists_of_lists`), rows and addresses of one host.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from ingest.connections.git_hosts.matching import unmatched_paths
from ingest.connections.git_hosts.records import Repository
from ingest.connections.git_hosts.repository_streams import (
    NO_ACCESS,
    Changed,
    Found,
    RepositoryStreams,
    noted_rows,
    with_parent,
)
from ingest.connections.model import Connection, Slice, Stream, WantedRepository
from ingest.errors import ProviderRefused
from ingest.http.client import Client
from ingest.http.pages import Page, Query
from ingest.json_paths import at


@dataclass(frozen=True)
class Listing:
    """The answers of a host about repositories and pull requests, for the streams of a connection.

    `address` is that of a repository by its path (`owner/name`), which a token may read though the listing lacks it,
    such as a public one. `read` are slices of pull requests, `list_ids` the ids of all of a repository. `versions` are
    by the id of a repository what changes with its pull requests, of those for which the host tells it. `changed` are
    the ids of those in which pull requests changed since a time. `detail` is the query of one repository, for a host
    whose list does not name the parent of a fork.
    """

    pages: Callable[[], Iterator[Page]]
    record: Callable[[Any], Repository]
    address: Callable[[str], str]
    read: Callable[[Repository, str, datetime | None, str | None], Iterator[Slice]]
    list_ids: Callable[[Repository], Iterator[str]]
    versions: Callable[[Sequence[Repository]], Mapping[str, Any]] = lambda _: {}
    changed: Changed | None = None
    detail: Callable[[Repository], Query] | None = None

    def streams(
        self, client: Client, connection: Connection, wanted: Sequence[WantedRepository]
    ) -> Iterator[Stream]:
        """The stream of repositories, then one for the pull requests of each wanted repository."""
        repositories = partial(self._repositories, client, connection, wanted)
        streams = RepositoryStreams(repositories, self.read, self.list_ids, self.versions, self.changed)
        return streams.streams(wanted)

    def _repositories(
        self,
        client: Client,
        connection: Connection,
        wanted: Sequence[WantedRepository],
        found: Found,
    ) -> Iterator[Slice]:
        record = self.record
        if self.detail is not None:
            record = partial(with_parent, client, self.detail, wanted, record)
        for page in self.pages():
            yield noted_rows(page.rows, found, record, _id)
        place = urlsplit(connection.address)
        below = f"{place.path.strip('/')}/".lstrip("/")
        for path in unmatched_paths(list(found.values()), wanted, place.netloc.lower()):
            try:
                one = client.get(self.address(path.removeprefix(below))).body
            except ProviderRefused as error:
                if error.refusal not in NO_ACCESS:
                    raise
            else:
                yield noted_rows([one], found, self.record, _id)


def _id(one: Any) -> str | None:
    found = at(one, ("id",))
    return str(found) if isinstance(found, int | str) else None
