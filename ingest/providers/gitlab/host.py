"""GitLab, in the cloud and self-managed: projects over its REST interface, version 4.

Keep out: address and limits (`access`), the token itself (`token`), merge requests
(`merge_requests`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from ingest.connections.git_hosts.git_host import GitHost
from ingest.connections.git_hosts.listing import Listing
from ingest.connections.git_hosts.records import Repository
from ingest.connections.model import Checked, Connection, Stream, WantedRepository
from ingest.connections.values import instant, text
from ingest.errors import ProviderRefused
from ingest.http.client import Client, Login
from ingest.http.pages import pages
from ingest.json_paths import at
from ingest.providers.gitlab import access
from ingest.providers.gitlab.changes import MERGE_REQUESTS, newest_changes
from ingest.providers.gitlab.merge_requests import merge_request_ids, read_merge_requests
from ingest.providers.gitlab.token import check_token, explained

SCOPES = ("read_api", "read_repository")
NO_PROJECT = "The token reaches no project: make its account a member of those that the service shall read."


class GitLab(GitHost):
    kind = "GITLAB"
    title = "GitLab"
    default_address = access.ADDRESS
    review_refs = "refs/merge-requests/*/head"
    rate_limits = access.RATE_LIMITS

    def login(self, connection: Connection) -> Login:
        return access.login(connection)

    def git_login(self, connection: Connection) -> str:
        return f"oauth2:{connection.secret}"

    def check(self, client: Client, connection: Connection) -> Checked:
        checked = check_token(client, connection, SCOPES)
        try:
            projects = client.get("projects", {"membership": "true", "per_page": 1}).body
        except ProviderRefused as error:
            raise explained(error, connection, SCOPES) from error
        return checked if projects else replace(checked, warnings=(*checked.warnings, NO_PROJECT))

    def streams(
        self, client: Client, connection: Connection, repositories: Sequence[WantedRepository]
    ) -> Iterator[Stream]:
        listing = Listing(
            pages=partial(pages, client, access.PROJECTS, access.NEXT),
            record=project,
            address=lambda path: f"projects/{access.project_path(path)}",
            read=partial(read_merge_requests, client),
            list_ids=partial(merge_request_ids, client),
            versions=partial(_versions, client, access.graphql_address(connection)),
        )
        yield from listing.streams(client, connection, repositories)


def _versions(client: Client, address: str, projects: Sequence[Repository]) -> dict[str, Any]:
    """The number of merge requests and the newest change, by id of a project."""
    told = newest_changes(client, address, [one.provider_id for one in projects], [MERGE_REQUESTS])
    return {number: said for (number, _), said in told.items()}


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
        parent=text(at(one, ("forked_from_project", "http_url_to_repo"))),
        is_private=one.get("visibility") != "public",
        created_at=instant(one.get("created_at")),
        updated_at=instant(one.get("last_activity_at")),
        payload=one,
    )
