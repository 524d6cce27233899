"""Bitbucket Cloud: repositories and pull requests over its REST interface, version 2.0.

Read in Atlassian's reference: a list of pull requests has open ones only unless states are named; `merge_commit.date`
and the states of reviewers come only with `fields`; `participated_on` is the last participation, so times of reviews
come from the activity; embedded hashes may have 12 characters. Repositories are never archived.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, ClassVar
from urllib.parse import quote, urlsplit

from ingest.connections.git_hosts.git_host import GitHost
from ingest.connections.git_hosts.lists_of_lists import read_lists
from ingest.connections.git_hosts.records import PullRequest, Repository
from ingest.connections.git_hosts.repository_streams import (
    Found,
    RepositoryStreams,
    noted_rows,
    rows_unless_gone,
)
from ingest.connections.model import Checked, Connection, Slice, Stream, WantedRepository
from ingest.connections.parsing import deferred_rows, id_of, instant_at
from ingest.connections.values import number, text
from ingest.errors import ProviderRefused, Refusal
from ingest.http.client import Client, Login, RateLimits
from ingest.http.pages import BodyLink, Page, Query, all_rows, pages
from ingest.json_paths import at
from ingest.providers.bitbucket.activity import login_of
from ingest.providers.bitbucket.cloud_records import STATES, known_hash, pull_request_of, repository_of

PAGE, SMALL_PAGE = 100, 50
"""Lists of pull requests and their activity refuse more than 50 rows."""
STYLE = BodyLink(("values",), ("next",))
FULL_HASH = 40
ACCOUNT = ("account_id", "uuid", "nickname", "display_name", "type")


def _fields(*names: str) -> str:
    return ",".join(["next", *(f"values.{name}" for name in names)])


def _account(name: str) -> list[str]:
    return [f"{name}.{field}" for field in ACCOUNT]


REPOSITORY_FIELDS = _fields(
    "uuid", "full_name", "slug", "name", "mainbranch.name", "updated_on", "created_on", "links.clone",
    "links.html.href", "size", "is_private", "parent.uuid", "parent.full_name", "workspace.slug", "project.key",
)  # fmt: skip
PULL_REQUEST_FIELDS = _fields(
    "id", "title", "description", "state", "draft", "created_on", "updated_on", "closed_on", "reason", "comment_count",
    "task_count", "close_source_branch", "links.html.href",
    *_account("author"), *_account("closed_by"), *_account("reviewers"),
    "merge_commit.hash", "merge_commit.date",
    "source.branch.name", "source.commit.hash", "source.repository.uuid", "source.repository.full_name",
    "destination.branch.name", "destination.commit.hash", "destination.repository.uuid",
    "participants.role", "participants.state", "participants.approved", "participants.participated_on",
    *_account("participants.user"),
)  # fmt: skip
COMMIT_FIELDS = _fields("hash", "date", "message", "author.raw", *_account("author.user"), "parents.hash")


class BitbucketCloud(GitHost):
    kind = "BITBUCKET_CLOUD"
    title = "Bitbucket Cloud"
    default_address = "https://bitbucket.org"
    is_single_service = True
    options: ClassVar[Mapping[str, str]] = {
        "workspace": "Workspace of your repositories. Access tokens need it: they cannot list workspaces."
    }
    # The limit counts an hour that slides, and no header says when it ends.
    rate_limits = RateLimits(wait_without_header=300.0)
    review_refs = None

    def login(self, connection: Connection) -> Login:
        if not connection.user:
            return Login.bearer(_api(connection), connection.secret)
        return Login.basic(_api(connection), connection.user, connection.secret)

    def git_login(self, connection: Connection) -> str:
        user = "x-bitbucket-api-token-auth" if connection.user else "x-token-auth"
        return f"{user}:{connection.secret}"

    def check(self, client: Client, connection: Connection) -> Checked:
        workspace = _workspace(connection)
        if not connection.user and workspace is None:
            raise ProviderRefused(
                Refusal.INVALID,
                "Access tokens of Bitbucket Cloud cannot list workspaces: enter the workspace as in"
                " bitbucket.org/WORKSPACE. For an API token enter the email address of its account.",
            )
        try:
            account = client.get("user").body if connection.user else None
            first = workspace or next(_workspaces(client, connection), None)
            listed = client.get(_repositories(first), {"pagelen": 1}).body if first else None
            if name := text(at(listed, ("values", 0, "full_name"))):
                client.get(f"repositories/{quote(name)}/pullrequests", {"pagelen": 1})
        except ProviderRefused as error:
            raise _explained(error, connection) from error
        return Checked(text(at(account, ("display_name",))) or login_of(account) or workspace or "")

    def streams(
        self, client: Client, connection: Connection, repositories: Sequence[WantedRepository]
    ) -> Iterator[Stream]:
        listing = RepositoryStreams(
            repositories=partial(_listed, client, connection),
            read=partial(_pull_requests, client),
            list_ids=partial(_pull_request_ids, client),
        )
        yield from listing.streams(repositories)


def _listed(client: Client, connection: Connection, found: Found) -> Iterator[Slice]:
    params = {"pagelen": PAGE, "fields": REPOSITORY_FIELDS}
    if connection.user:  # access tokens are members of nothing
        params["role"] = "member"

    def read(workspace: str) -> Iterator[Slice]:
        for page in pages(client, Query(_repositories(workspace), params), STYLE):
            yield noted_rows(page.rows, found, repository_of, lambda one: text(at(one, ("uuid",))))

    yield from read_lists(list(_workspaces(client, connection)), read)


def _pull_requests(
    client: Client, repository: Repository, repository_id: str, since: datetime | None, cursor: str | None
) -> Iterator[Slice]:
    read = partial(_read, client, repository, repository_id)
    for page in _list(client, repository, PULL_REQUEST_FIELDS, since, cursor):
        yield Slice(
            deferred_rows(page.rows, read, partial(_id, repository), instant_at("updated_on")), page.cursor
        )


def _pull_request_ids(client: Client, repository: Repository) -> Iterator[str]:
    for page in _list(client, repository, _fields("id")):
        yield from (f"{repository.provider_id}/{id_of(one)}" for one in page.rows)


def _read(client: Client, repository: Repository, repository_id: str, one: dict[str, Any]) -> PullRequest:
    """A pull request with its activity and commits, which are listed with the newest first."""
    path = f"{_path(repository)}/pullrequests/{one['id']}"
    activity = all_rows(client, pages(client, Query(f"{path}/activity", {"pagelen": SMALL_PAGE}), STYLE))
    listed = Query(f"{path}/commits", {"pagelen": PAGE, "fields": COMMIT_FIELDS})
    commits = rows_unless_gone(client, pages(client, listed, STYLE))[::-1]
    merged = text(at(one, ("merge_commit", "hash"))) if one["state"] == "MERGED" else None
    merge_sha = _full_hash(client, repository, merged, commits)
    return pull_request_of(repository, repository_id, one, activity, commits, merge_sha)


def _api(connection: Connection) -> str:
    parts = urlsplit(connection.address)
    if parts.hostname in ("bitbucket.org", "www.bitbucket.org", "api.bitbucket.org"):
        return "https://api.bitbucket.org/2.0"
    return f"{connection.address}/2.0"


def _workspace(connection: Connection) -> str | None:
    return text(connection.options.get("workspace"))


def _workspaces(client: Client, connection: Connection) -> Iterator[str]:
    """Slugs of the workspaces to read."""
    if workspace := _workspace(connection):
        yield workspace
        return
    for page in pages(client, Query("user/workspaces", {"pagelen": PAGE}), STYLE):
        for one in page.rows:
            if slug := text(at(one, ("workspace", "slug"))) or text(at(one, ("slug",))):
                yield slug


def _explained(error: ProviderRefused, connection: Connection) -> ProviderRefused:
    """The refusal with a sentence that says what to change."""
    required = at(error.body, ("error", "detail", "required"))
    workspace = _workspace(connection)
    if error.status == 401:
        refusal, message = (
            Refusal.UNAUTHORIZED,
            (
                "Bitbucket Cloud does not accept the email address and API token together. App passwords no longer"
                " work: create an API token with scopes."
                if connection.user
                else "Bitbucket Cloud does not accept the access token. For an API token enter the email address, too."
            ),
        )
    elif error.status == 403 and isinstance(required, list) and required:
        scopes = ", ".join(str(one)[:60] for one in required[:10])
        refusal, message = (
            Refusal.MISSING_SCOPE,
            f"The token lacks scopes that Bitbucket Cloud requires: {scopes}.",
        )
    elif error.status == 404 and workspace is not None:
        refusal, message = (
            Refusal.NOT_FOUND,
            (
                f"Bitbucket Cloud has no workspace {workspace[:60]!r} that the token reaches: copy the name from the"
                " address bitbucket.org/WORKSPACE."
            ),
        )
    elif error.status == 410:
        refusal, message = (
            Refusal.GONE,
            ("Bitbucket Cloud has ended an interface that this version uses: update the service."),
        )
    else:
        return error
    return ProviderRefused(refusal, message, error.status, error.headers, error.body)


def _repositories(workspace: str) -> str:
    return f"repositories/{quote(workspace, safe='')}"


def _path(repository: Repository) -> str:
    """The address by the id, which survives a rename during a run; its braces are encoded."""
    return f"{_repositories(repository.owner)}/{quote(repository.provider_id, safe='')}"


def _list(
    client: Client,
    repository: Repository,
    fields: str,
    since: datetime | None = None,
    cursor: str | None = None,
) -> Iterator[Page]:
    """Pages of pull requests, the last changed first: a change during the listing repeats rows and skips none."""
    params: dict[str, Any] = {
        "state": list(STATES), "sort": "-updated_on", "pagelen": SMALL_PAGE, "fields": fields
    }  # fmt: skip
    if since is not None:
        params["q"] = f"updated_on>={since.astimezone(UTC):%Y-%m-%dT%H:%M:%S+00:00}"
    return pages(client, Query(f"{_path(repository)}/pullrequests", params), STYLE, cursor)


def _id(repository: Repository, one: Any) -> str | None:
    key = number(at(one, ("id",)))
    return None if key is None else f"{repository.provider_id}/{key}"


def _full_hash(client: Client, repository: Repository, sha: str | None, commits: Sequence[Any]) -> str | None:
    """The full hash of a shortened one; the short one if the commit is gone."""
    known = known_hash(sha, commits)
    if known is None or len(known) >= FULL_HASH:
        return known
    try:
        found = client.get(f"{_path(repository)}/commit/{quote(known, safe='')}", {"fields": "hash"}).body
    except ProviderRefused as error:
        if error.refusal is not Refusal.NOT_FOUND:
            raise
        return known
    return text(at(found, ("hash",))) or known
