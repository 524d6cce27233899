"""GitHub: repositories over REST, pull requests over GraphQL; github.com, ghe.com and Enterprise Server.

Keep out: addresses and limits (`access`), the token itself (`token`), pull requests
(`pull_requests`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import quote

from ingest.connections.git_hosts.git_host import GitHost
from ingest.connections.git_hosts.listing import Listing
from ingest.connections.git_hosts.records import Repository
from ingest.connections.model import Checked, Connection, Stream, WantedRepository
from ingest.connections.values import instant, text
from ingest.http.client import Answer, Client, Login
from ingest.http.pages import Links, Query, pages
from ingest.json_paths import at
from ingest.providers.github import access
from ingest.providers.github.pull_requests import (
    pull_request_ids,
    pull_request_versions,
    read_pull_requests,
)
from ingest.providers.github.token import check_token

PAGE = 100
SCOPES = {"repo": "private repositories stay hidden."}


class GitHub(GitHost):
    kind = "GITHUB"
    title = "GitHub"
    default_address = access.ADDRESS
    review_refs = "refs/pull/*/head"
    rate_limits = access.RATE_LIMITS

    def login(self, connection: Connection) -> Login:
        return access.login(connection)

    def check(self, client: Client, connection: Connection) -> Checked:
        checked = check_token(client, connection, SCOPES, required={"repo", "public_repo"})
        warnings = _reach_warnings(client.get(_listing(connection).address, {"per_page": 1}), connection)
        return replace(checked, warnings=(*checked.warnings, *warnings))

    def streams(
        self, client: Client, connection: Connection, repositories: Sequence[WantedRepository]
    ) -> Iterator[Stream]:
        listing = Listing(
            pages=partial(pages, client, _listing(connection), _style(connection)),
            record=repository,
            address=_address,
            read=partial(read_pull_requests, client),
            list_ids=partial(pull_request_ids, client),
            versions=partial(pull_request_versions, client),
            detail=lambda one: Query(_address(f"{one.owner}/{one.name}")),
        )
        yield from listing.streams(client, connection, repositories)


def _reach_warnings(listing: Answer, connection: Connection) -> Iterator[str]:
    """The reasons why GitHub hides repositories from a token that it accepts."""
    if "partial-results" in listing.headers.get("x-github-sso", ""):
        yield (
            "Repositories of organizations with single sign-on are hidden: authorize the token for them at"
            f" {connection.address}/settings/tokens (Configure SSO)."
        )
    if not (at(listing.body, ("repositories",)) if isinstance(listing.body, dict) else listing.body):
        yield "The token reaches no repository: grant it access to those that the service shall read."


def _listing(connection: Connection) -> Query:
    if connection.secret.startswith(access.INSTALLATION):
        return Query("installation/repositories", {"per_page": PAGE})
    # By creation: a repository that changes during the listing keeps its place.
    return Query(
        "user/repos",
        {
            "affiliation": "owner,collaborator,organization_member",
            "sort": "created",
            "direction": "asc",
            "per_page": PAGE,
        },
    )


def _style(connection: Connection) -> Links:
    return Links(("repositories",) if connection.secret.startswith(access.INSTALLATION) else ())


def _address(path: str) -> str:
    owner, _, name = path.rpartition("/")
    return f"repos/{quote(owner, safe='')}/{quote(name, safe='')}"


def repository(one: dict[str, Any]) -> Repository:
    """The row of a repository of the REST interface."""
    pushed = instant(one.get("pushed_at"))
    return Repository(
        provider_id=str(one["id"]),
        owner=one["owner"]["login"],
        name=one["name"],
        address=text(one.get("clone_url")) or f"{one['html_url']}.git",
        url=text(one.get("html_url")),
        default_branch=text(one.get("default_branch")),
        is_archived=one.get("archived") is True or one.get("disabled") is True,
        # GitHub calls a repository pushed when it is created; its size is counted hours later.
        is_empty=one.get("size") == 0 and pushed in (None, instant(one.get("created_at"))),
        is_fork=one.get("fork") is True,
        parent=text(at(one, ("parent", "clone_url"))),
        is_private=one.get("private") is True,
        created_at=instant(one.get("created_at")),
        updated_at=pushed or instant(one.get("updated_at")),
        payload=one,
    )
