"""Projects of GitLab that are repositories of the organization.

Keep out: their issues (`tracker`), the rows of a Git host (`host`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ingest.connections.git_hosts.matching import match_repositories
from ingest.connections.git_hosts.records import Repository
from ingest.connections.model import Connection, WantedRepository
from ingest.connections.values import text
from ingest.errors import ProviderRefused, UnsupportedTarget
from ingest.git.remote import url
from ingest.http.client import Client
from ingest.http.pages import pages
from ingest.json_paths import at
from ingest.providers.gitlab import access
from ingest.providers.gitlab.epics import ABSENT
from ingest.providers.gitlab.items import Json, Project


def matched_projects(
    client: Client, connection: Connection, repositories: Sequence[WantedRepository]
) -> list[tuple[Json, Project]]:
    """The projects of this server that are repositories of the organization."""
    prefix = f"{_host_of(connection)}/"
    wanted = [one for one in repositories if one.origin.lower().startswith(prefix.lower())]
    if not wanted:
        return []
    listed = pages(client, access.PROJECTS, access.NEXT)
    # A malformed project is asked for by its path.
    raw = [one for page in listed for one in page.rows if _is_project(one)]
    found = list(_matched(raw, wanted, prefix))
    matched = {project.repository_id for _, project in found}
    # Public projects are readable without a membership.
    for one in wanted:
        if one.repository_id not in matched:
            path = access.project_path(one.origin[len(prefix) :])
            if (project := _project(client, path)) is not None:
                found.append((project, _as_project(project, one, prefix)))
    return found


def _matched(
    raw: Sequence[Json], wanted: Sequence[WantedRepository], prefix: str
) -> Iterator[tuple[Json, Project]]:
    by_id = {str(one["id"]): one for one in raw}
    for repository, match in match_repositories([_as_repository(one) for one in raw], wanted):
        one = by_id[repository.provider_id]
        yield one, _as_project(one, match, prefix)


def _project(client: Client, path: str) -> Json | None:
    try:
        found = client.get(f"projects/{path}").body
    except ProviderRefused as error:
        if error.refusal not in ABSENT:
            raise
        return None
    return found if _is_project(found) else None


def _is_project(one: Any) -> bool:
    return at(one, ("id",)) is not None and text(at(one, ("path_with_namespace",))) is not None


def _as_project(one: Json, wanted: WantedRepository, prefix: str) -> Project:
    path, known_as = str(one["path_with_namespace"]), wanted.origin[len(prefix) :]
    former = known_as if known_as.lower() != path.lower() else None
    return Project(str(one["id"]), path, text(one.get("name")) or path, wanted.repository_id, former)


def _as_repository(one: Json) -> Repository:
    path = str(one["path_with_namespace"])
    return Repository(
        provider_id=str(one["id"]),
        owner=path.rpartition("/")[0],
        name=path.rpartition("/")[2],
        address=str(one.get("http_url_to_repo") or ""),
        url=None,
        default_branch=None,
        is_archived=bool(one.get("archived")),
        is_empty=False,
        is_fork=False,
        is_private=False,
        updated_at=None,
        payload=None,
    )


def _host_of(connection: Connection) -> str:
    """The address of the server as origins of its repositories begin."""
    try:
        return url.normalize(f"{connection.address}/x").removesuffix("/x")
    except UnsupportedTarget:
        return connection.address.partition("://")[2]
