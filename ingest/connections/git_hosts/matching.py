"""Repositories of a host and repositories of the organization: which are the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ingest.connections.git_hosts.records import Repository
from ingest.connections.model import WantedRepository
from ingest.errors import UnsupportedTarget
from ingest.git.identifiers import CASELESS_HOSTS
from ingest.git.remote import url


def match_repositories(
    found: Sequence[Repository], wanted: Sequence[WantedRepository]
) -> Iterator[tuple[Repository, WantedRepository]]:
    """Pairs of the same repository: by the provider's id, which survives renames, else by the remote URL."""
    by_id = {one.provider_id: one for one in wanted if one.provider_id is not None}
    by_origin = {_key(one.origin): one for one in wanted}
    for repository in found:
        match = by_id.get(repository.provider_id) or by_origin.get(_key(_origin(repository)))
        if match is not None:
            yield repository, match


def _origin(repository: Repository) -> str:
    try:
        return url.normalize(repository.address)
    except UnsupportedTarget:
        return ""


def _key(origin: str) -> str:
    return origin.lower() if origin.partition("/")[0].lower() in CASELESS_HOSTS else origin


def unmatched_paths(
    found: Sequence[Repository], wanted: Sequence[WantedRepository], host: str
) -> Iterator[str]:
    """Paths (`owner/name`) of wanted repositories on a host that a listing lacks."""
    matched = {one.repository_id for _, one in match_repositories(found, wanted)}
    for one in wanted:
        there, _, path = one.origin.partition("/")
        if one.repository_id not in matched and there.lower() == host and "/" in path:
            yield path
