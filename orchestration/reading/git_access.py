"""The access of a connection to the clone of a repository: a login for Git, and the heads of merged pull requests.

Keep out: finding a connection (state/connections.py), cloning (`ingest.git.remote`).
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache

from api.control.connections.available import listing_connections
from api.control.connections.usable import usable_connections
from api.control.repositories.sync_status import ReadableRepository
from ingest.connections.contents import existing_rows
from ingest.errors import LakeCorrupt, UnsupportedTarget
from ingest.git.identifiers import repository_id
from ingest.git.remote import url
from ingest.lake import Lake
from orchestration.deployment import Deployment
from orchestration.state.connections import KnownConnection, git_host, known, usable


@dataclass(frozen=True)
class GitAccess:
    """The login of a connection for Git, heads of merged pull requests by number, and the parent of a fork."""

    login: str | None = None
    reviews: Mapping[int, str] = field(default_factory=dict)
    parent: str | None = None


def git_access(deployment: Deployment, repository: ReadableRepository, target: str) -> GitAccess:
    """The access that the connection of a repository gives to its clone from `target`; nothing without a connection.

    A repository of the command line has the connection that lists it. Raises Permanent if the secret cannot be
    decrypted: the token of the machine may belong to somebody else.
    """
    found = None
    if repository.connection_id is not None:
        found = known(deployment, repository.connection_id)
    elif repository.address is None:
        found = _listing(deployment, repository.organization_id, repository.repository_id, target)
    return _access_of(deployment, found, repository.organization_id, repository.repository_id)


def git_access_of_target(deployment: Deployment, organization_id: str, target: str) -> GitAccess:
    """The access of a connection to the clone of a target, which may be new. Raises as `git_access`.

    Nothing for a path, or for an address that no connection lists. A login in the address itself stays.
    """
    try:
        repository = repository_id(organization_id, url.normalize(target))
        has_login = url.parse(target).user is not None
    except UnsupportedTarget:
        return GitAccess()
    found = _listing(deployment, organization_id, repository, target)
    access = _access_of(deployment, found, organization_id, repository)
    return replace(access, login=None) if has_login else access


def _listing(
    deployment: Deployment, organization_id: str, repository: str, target: str
) -> KnownConnection | None:
    """The oldest connection that lists a repository on its own host, to which the token goes."""
    if not is_web(target):
        return None
    with deployment.control() as control:
        ids = [one for one, _ in listing_connections(control, organization_id, repository)]
        return next(iter(usable_connections(control, ids[0])), None) if ids else None


def is_web(target: str) -> bool:
    """Whether Git reads a target over HTTP."""
    return target.strip().lower().startswith(("https://", "http://"))


def _access_of(
    deployment: Deployment, found: KnownConnection | None, organization_id: str, repository: str
) -> GitAccess:
    host = git_host(found) if found is not None else None
    if found is None or host is None or found.organization_id != organization_id:
        return GitAccess()
    login = host.git_login(usable(found))
    try:
        batch = deployment.lake.source(found.category, found.organization_id, found.id).state().batch
        of_connection = (deployment.lake, found.category, found.organization_id, found.id, batch)
        parent = _parents(*of_connection).get(repository)
        if host.review_refs is None:
            return GitAccess(login, parent=parent)
        numbers = _merged_pull_requests(*of_connection)
    except LakeCorrupt:
        return GitAccess(login)  # the next sync reads it again
    refs = {number: host.review_refs.replace("*", str(number)) for number in numbers.get(repository, ())}
    return GitAccess(login, refs, parent)


@lru_cache(maxsize=4)
def _parents(
    lake: Lake, noun: str, organization_id: str, connection_id: str, _batch: int
) -> Mapping[str, str]:
    """Addresses of the parents of forks by the id of the fork, as of a batch. Raises LakeCorrupt."""
    rows = existing_rows(
        lake.source(noun, organization_id, connection_id), "repositories", ["address", "parent"]
    )
    found = {}
    for row in rows:
        if row["parent"] is not None:
            with suppress(UnsupportedTarget):
                found[repository_id(organization_id, url.normalize(row["address"]))] = row["parent"]
    return found


@lru_cache(maxsize=4)
def _merged_pull_requests(
    lake: Lake, noun: str, organization_id: str, connection_id: str, _batch: int
) -> Mapping[str, frozenset[int]]:
    """Numbers of the merged pull requests of a connection by repository, as of a batch. A night asks per repository.

    Raises LakeCorrupt.
    """
    rows = lake.source(noun, organization_id, connection_id).read(
        "pull_requests", ["repository_id", "number", "state"]
    )
    found: dict[str, set[int]] = {}
    columns = (rows[name].to_pylist() for name in ("repository_id", "number", "state"))
    for repository, number, state in zip(*columns, strict=True):
        if state == "merged":
            found.setdefault(repository, set()).add(number)
    return {repository: frozenset(numbers) for repository, numbers in found.items()}
