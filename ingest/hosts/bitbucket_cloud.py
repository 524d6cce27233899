"""Bitbucket Cloud: repositories and pull requests over its REST interface, version 2.0.

Read in Atlassian's reference: a list of pull requests has open ones only unless states are named; `merge_commit.date`
and the states of reviewers come only with `fields`; `participated_on` is the last participation, so times of reviews
come from the activity; embedded hashes may have 12 characters. Repositories are never archived.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, ClassVar
from urllib.parse import quote, urlsplit

from ingest.connections.model import (
    Checked,
    Connection,
    Deferred,
    GitHost,
    Slice,
    Stream,
    WantedRepository,
)
from ingest.connections.records import PullRequest, PullRequestState, Repository, SourceCommit
from ingest.connections.values import EPOCH, instant, number, text
from ingest.errors import ProviderRefused, Refusal
from ingest.hosts.bitbucket_activity import Story, kind_of, login_of, read_activity
from ingest.hosts.matching import match_repositories
from ingest.http import Client, Login, RateLimits
from ingest.pages import BodyLink, Page, Query, at, pages

PAGE, SMALL_PAGE = 100, 50
"""Lists of pull requests and their activity refuse more than 50 rows."""
STYLE = BodyLink(("values",), ("next",))
STATES: Mapping[str, PullRequestState] = {
    "OPEN": "open",
    "MERGED": "merged",
    "DECLINED": "closed",
    "SUPERSEDED": "closed",
}
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
_AUTHOR = re.compile(r"\s*(.*?)\s*<([^<>]*)>\s*")


class BitbucketCloud(GitHost):
    kind = "BITBUCKET_CLOUD"
    title = "Bitbucket Cloud"
    default_address = "https://bitbucket.org"
    options: ClassVar[Mapping[str, str]] = {
        "workspace": "Workspace of your repositories. Access tokens need it: they cannot list workspaces."
    }
    rate_limits = RateLimits(
        pause=300.0
    )  # the limit counts an hour that slides, and no header says when it ends
    review_refs = None

    def login(self, connection: Connection) -> Login:
        if not connection.user:
            return Login(
                _api(connection), {"Authorization": f"Bearer {connection.secret}"}, (connection.secret,)
            )
        basic = base64.b64encode(f"{connection.user}:{connection.secret}".encode()).decode()
        return Login(_api(connection), {"Authorization": f"Basic {basic}"}, (connection.secret, basic))

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
            client.get(_repositories(workspace) if workspace else "user/workspaces", {"pagelen": 1})
        except ProviderRefused as error:
            raise _explained(error, connection) from error
        return Checked(text(at(account, ("display_name",))) or login_of(account) or workspace or "")

    def streams(
        self, client: Client, connection: Connection, repositories: Sequence[WantedRepository]
    ) -> Iterator[Stream]:
        found: dict[str, Repository] = {}
        yield Stream(
            "repositories",
            "repositories",
            partial(self._repositories, client, connection, found),
            is_incremental=False,
        )
        for repository, wanted in match_repositories(list(found.values()), repositories):
            yield Stream(
                f"pull_requests/{repository.provider_id}",
                "pull_requests",
                partial(self._pull_requests, client, repository, wanted.repository_id),
                list_ids=partial(self._pull_request_ids, client, repository),
            )

    def _repositories(
        self,
        client: Client,
        connection: Connection,
        found: dict[str, Repository],
        _since: datetime | None,
        _cursor: str | None,
    ) -> Iterator[Slice]:
        # Streams of pull requests need the whole list, so an interrupted listing starts again.
        params = {"pagelen": PAGE, "fields": REPOSITORY_FIELDS}
        if connection.user:  # access tokens are members of nothing
            params["role"] = "member"
        for workspace in _workspaces(client, connection):
            for page in pages(client, Query(_repositories(workspace), params), STYLE):
                rows = [Deferred(text(at(one, ("uuid",))), partial(_found, one, found)) for one in page.rows]
                yield Slice(rows, None)

    def _pull_requests(
        self,
        client: Client,
        repository: Repository,
        repository_id: str,
        since: datetime | None,
        cursor: str | None,
    ) -> Iterator[Slice]:
        for page in _list(client, repository, PULL_REQUEST_FIELDS, since, cursor):
            rows = [
                Deferred(
                    _id(repository, one),
                    partial(self._pull_request, client, repository, repository_id, one),
                    version=one,
                    updated_at=instant(at(one, ("updated_on",))),
                )
                for one in page.rows
            ]
            yield Slice(rows, page.cursor)

    def _pull_request_ids(self, client: Client, repository: Repository) -> Iterator[str]:
        for page in _list(client, repository, _fields("id")):
            yield from filter(None, (_id(repository, one) for one in page.rows))

    def _pull_request(
        self, client: Client, repository: Repository, repository_id: str, one: dict[str, Any]
    ) -> PullRequest:
        path = f"{_path(repository)}/pullrequests/{one['id']}"
        activity = _all(client, f"{path}/activity", {"pagelen": SMALL_PAGE})
        commits = _commits(client, path)
        merged = text(at(one, ("merge_commit", "hash"))) if one["state"] == "MERGED" else None
        return pull_request_of(
            repository, repository_id, one, activity, commits, _full_hash(client, repository, merged, commits)
        )


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


def _all(client: Client, address: str, params: Mapping[str, Any]) -> list[Any]:
    return [row for page in pages(client, Query(address, params), STYLE) for row in page.rows]


def _commits(client: Client, path: str) -> list[Any]:
    """Commits of a pull request, oldest first; none if its fork or its branch is gone."""
    try:
        listed = _all(client, f"{path}/commits", {"pagelen": PAGE, "fields": COMMIT_FIELDS})
    except ProviderRefused as error:
        if error.refusal is not Refusal.NOT_FOUND:
            raise
        return []
    return listed[::-1]


def _full_hash(client: Client, repository: Repository, sha: str | None, commits: Sequence[Any]) -> str | None:
    """The full hash of a shortened one; the short one if the commit is gone."""
    known = _known_hash(sha, commits)
    if known is None or len(known) >= FULL_HASH:
        return known
    try:
        found = client.get(f"{_path(repository)}/commit/{quote(known, safe='')}", {"fields": "hash"}).body
    except ProviderRefused as error:
        if error.refusal is not Refusal.NOT_FOUND:
            raise
        return known
    return text(at(found, ("hash",))) or known


def _known_hash(sha: str | None, commits: Sequence[Any]) -> str | None:
    """The hash of a commit among those of the pull request that starts with the given one, else the given one."""
    hashes = (text(at(one, ("hash",))) for one in commits)
    return next((full for full in hashes if full and sha and full.startswith(sha)), sha)


def _found(one: Any, found: dict[str, Repository]) -> Repository:
    repository = repository_of(one)
    found[repository.provider_id] = repository
    return repository


def repository_of(one: dict[str, Any]) -> Repository:
    """A repository of a list."""
    owner, _, slug = one["full_name"].partition("/")
    clone = next(
        (link["href"] for link in at(one, ("links", "clone")) or [] if link.get("name") == "https"), None
    )
    branch = text(at(one, ("mainbranch", "name")))
    return Repository(
        provider_id=one["uuid"],
        owner=owner,
        name=text(one.get("slug")) or slug,
        address=re.sub(r"(?<=://)[^/@]*@", "", clone or f"https://bitbucket.org/{one['full_name']}.git"),
        url=text(at(one, ("links", "html", "href"))),
        default_branch=branch,
        is_archived=False,
        is_empty=branch is None,
        is_fork=at(one, ("parent",)) is not None,
        is_private=bool(one.get("is_private")),
        updated_at=instant(one.get("updated_on")),
        payload=one,
    )


def pull_request_of(
    repository: Repository,
    repository_id: str,
    one: dict[str, Any],
    activity: list[Any],
    commits: list[Any],
    merge_sha: str | None,
) -> PullRequest:
    """A pull request of a list with its activity and commits."""
    state = STATES.get(one["state"], "closed")
    author, created = one.get("author"), instant(one.get("created_on")) or EPOCH
    updated = instant(one.get("updated_on")) or created
    story: Story = read_activity(activity, created)
    ended = story.ended_at or instant(one.get("closed_on")) or updated
    merged = story.merged_at or instant(at(one, ("merge_commit", "date"))) or ended
    return PullRequest(
        provider_id=f"{repository.provider_id}/{one['id']}",
        repository_id=repository_id,
        number=one["id"],
        title=one.get("title") or "",
        body=text(one.get("description")),
        state=state,
        is_draft=bool(one.get("draft")),
        author=login_of(author),
        author_name=text(at(author, ("display_name",))),
        author_kind=kind_of(author),
        created_at=created,
        updated_at=updated,
        merged_at=merged if state == "merged" else None,
        closed_at=None if state == "open" else merged if state == "merged" else ended,
        merged_by=(login_of(one.get("closed_by")) or story.ended_by) if state == "merged" else None,
        source_branch=text(at(one, ("source", "branch", "name"))),
        target_branch=at(one, ("destination", "branch", "name")) or "",
        # A fork that is gone has no repository any more.
        is_from_fork=at(one, ("source", "repository", "uuid"))
        != (at(one, ("destination", "repository", "uuid")) or repository.provider_id),
        head_sha=_known_hash(text(at(one, ("source", "commit", "hash"))), commits),
        merge_sha=merge_sha if state == "merged" else None,
        squash_sha=None,
        comment_count=number(one.get("comment_count")),
        lines_added=None,
        lines_deleted=None,
        url=text(at(one, ("links", "html", "href"))),
        labels=[],
        reviewers=[login for user in one.get("reviewers") or [] if (login := login_of(user))],
        linked_issues=[],
        events=story.events,
        commits=[_commit(commit) for commit in commits],
        commit_count=len(commits),
        payload={"pull_request": one, "activity": activity, "commits": commits},
    )


def _commit(one: dict[str, Any]) -> SourceCommit:
    raw = text(at(one, ("author", "raw"))) or ""
    match = _AUTHOR.fullmatch(raw)
    return SourceCommit(
        sha=one["hash"],
        author_name=(match[1] if match else raw) or None,
        author_email=(match[2] or None) if match else None,
        author_login=login_of(at(one, ("author", "user"))),
        authored_at=instant(one.get("date")),
        message=text(one.get("message")),
    )
