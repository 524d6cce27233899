"""GitLab, in the cloud and self-managed: projects over its REST interface, version 4.

Keep out: merge requests (`gitlab_merge_requests`), the check of a token (`gitlab_token`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Any
from urllib.parse import quote, urlsplit

from ingest.connections.matching import match_repositories, unmatched_paths
from ingest.connections.model import (
    Checked,
    Connection,
    Deferred,
    GitHost,
    Slice,
    Stream,
    WantedRepository,
)
from ingest.connections.records import Repository
from ingest.connections.values import instant, text
from ingest.errors import ProviderRefused, Refusal
from ingest.hosts.gitlab_merge_requests import merge_request_ids, read_merge_requests
from ingest.hosts.gitlab_token import check_token
from ingest.http import Client, Login
from ingest.pages import Links, Query, at, pages
from ingest.rate_limits import RateLimits

PAGE = 100


class GitLab(GitHost):
    kind = "GITLAB"
    title = "GitLab"
    default_address = "https://gitlab.com"
    review_refs = "refs/merge-requests/*/head"
    rate_limits = RateLimits(remaining="ratelimit-remaining", reset="ratelimit-reset")

    def login(self, connection: Connection) -> Login:
        address = connection.address.removesuffix("/api/v4")
        return Login(f"{address}/api/v4", {"PRIVATE-TOKEN": connection.secret}, (connection.secret,))

    def git_login(self, connection: Connection) -> str:
        return f"oauth2:{connection.secret}"

    def check(self, client: Client, connection: Connection) -> Checked:
        return check_token(client, connection)

    def streams(
        self, client: Client, connection: Connection, repositories: Sequence[WantedRepository]
    ) -> Iterator[Stream]:
        found: list[Repository] = []

        def keep(one: Any) -> Repository:
            found.append(project(one))
            return found[-1]

        def read(_since: datetime | None, _cursor: str | None) -> Iterator[Slice]:
            # Streams of merge requests need the whole list, so an interrupted listing starts again.
            listing = Query(
                "projects",
                # Pages by number end at 50,000 projects; this one continues after the id of the last project.
                {
                    "membership": "true",
                    "pagination": "keyset",
                    "order_by": "id",
                    "sort": "asc",
                    "per_page": PAGE,
                },
            )
            for page in pages(client, listing, Links()):
                yield Slice([_deferred(one, keep) for one in page.rows], None)
            host = urlsplit(connection.address).netloc.lower()
            for path in unmatched_paths(found, repositories, host):
                if (one := _by_path(client, path)) is not None:
                    yield Slice([_deferred(one, keep)], None)

        yield Stream("repositories", "repositories", read, is_incremental=False)
        for one, wanted in match_repositories(found, repositories):
            yield Stream(
                f"pull_requests/{one.provider_id}",
                "pull_requests",
                partial(read_merge_requests, client, one, wanted.repository_id),
                list_ids=partial(merge_request_ids, client, one),
            )


def _by_path(client: Client, path: str) -> Any:
    """A project that the token may read though it is no member, such as a public one; None without access."""
    try:
        return client.get(f"projects/{quote(path, safe='')}").body
    except ProviderRefused as error:
        if error.refusal in (Refusal.NOT_FOUND, Refusal.FORBIDDEN, Refusal.GONE, Refusal.INVALID):
            return None
        raise


def _deferred(one: Any, keep: Any) -> Deferred:
    identifier = at(one, ("id",))
    return Deferred(str(identifier) if identifier is not None else None, partial(keep, one))


def project(one: dict[str, Any]) -> Repository:
    """The row of a project."""
    owner, _, name = one["path_with_namespace"].rpartition("/")
    is_leaving = bool(one.get("marked_for_deletion_on") or one.get("marked_for_deletion_at"))
    return Repository(
        provider_id=str(one["id"]),
        owner=owner,
        name=name,
        address=text(one.get("http_url_to_repo")) or f"{one['web_url']}.git",
        url=text(one.get("web_url")),
        default_branch=None if one.get("empty_repo") is True else text(one.get("default_branch")),
        is_archived=one.get("archived") is True or is_leaving,
        is_empty=one.get("empty_repo") is True,
        is_fork=isinstance(one.get("forked_from_project"), dict),
        is_private=one.get("visibility") != "public",
        updated_at=instant(one.get("last_activity_at")),
        payload=one,
    )
