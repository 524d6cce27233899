"""Bitbucket Data Center: repositories and pull requests over its REST interface, version 1.0.

Read in Atlassian's reference: pull requests have no filter by change, and `NEWEST` orders them by their last change;
times are milliseconds; a server that anyone may read answers a wrong token as nobody, without the header `X-AUSERNAME`;
personal repositories belong to the project `~user`; no request counts lines.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Any
from urllib.parse import quote

from ingest.connections.model import (
    Checked,
    Connection,
    Deferred,
    GitHost,
    Slice,
    Stream,
    WantedRepository,
)
from ingest.connections.records import (
    ActorKind,
    Event,
    EventKind,
    PullRequest,
    PullRequestState,
    Repository,
    SourceCommit,
)
from ingest.connections.values import EPOCH, instant_ms, number, text
from ingest.errors import ProviderRefused, Refusal
from ingest.hosts.matching import match_repositories
from ingest.http import Answer, Client, Login
from ingest.pages import BodyToken, Page, Query, at, pages

PAGE = 100
STYLE = BodyToken(("values",), ("nextPageStart",), "start", ("isLastPage",))
STATES: dict[str, PullRequestState] = {"OPEN": "open", "MERGED": "merged", "DECLINED": "closed"}
ACTIONS: dict[str, EventKind] = {
    "APPROVED": "approved",
    "UNAPPROVED": "unapproved",
    "REVIEWED": "changes_requested",  # the mark "needs work"
    "REVIEW_FINISHED": "reviewed",
    "MERGED": "merged",
    "DECLINED": "closed",
    "REOPENED": "reopened",
}
NEW_COMMENTS = ("ADDED", "REPLIED", None)
REFUSED = (
    "Bitbucket Data Center does not accept the token: it is wrong or expired, and the server answers as to nobody."
    " Create an HTTP access token that may read projects and repositories."
)


class BitbucketDataCenter(GitHost):
    kind = "BITBUCKET_DATA_CENTER"
    title = "Bitbucket Data Center"
    review_refs = "refs/pull-requests/*/from"

    def login(self, connection: Connection) -> Login:
        address = f"{connection.address.removesuffix('/rest/api/1.0')}/rest/api/1.0"
        if not connection.user:
            return Login(address, {"Authorization": f"Bearer {connection.secret}"}, (connection.secret,))
        basic = base64.b64encode(f"{connection.user}:{connection.secret}".encode()).decode()
        return Login(address, {"Authorization": f"Basic {basic}"}, (connection.secret, basic))

    def git_login(self, connection: Connection) -> str:
        return f"{connection.user}:{connection.secret}" if connection.user else f"Bearer {connection.secret}"

    def check(self, client: Client, connection: Connection) -> Checked:
        try:
            client.get("application-properties")
            answer = client.get("projects", {"limit": 1})
        except ProviderRefused as error:
            raise _explained(error) from error
        return Checked(_account(answer))

    def streams(
        self, client: Client, connection: Connection, repositories: Sequence[WantedRepository]
    ) -> Iterator[Stream]:
        found: dict[str, Repository] = {}
        yield Stream(
            "repositories",
            "repositories",
            partial(self._repositories, client, repositories, found),
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
        wanted: Sequence[WantedRepository],
        found: dict[str, Repository],
        _since: datetime | None,
        _cursor: str | None,
    ) -> Iterator[Slice]:
        # Streams of pull requests need the whole list, so an interrupted listing starts again.
        for page in _pages(client, Query("repos", {"archived": "ALL", "limit": PAGE})):
            rows = [
                Deferred(_text_id(one), partial(self._repository, client, wanted, found, one))
                for one in page.rows
            ]
            yield Slice(rows, None)

    def _repository(
        self,
        client: Client,
        wanted: Sequence[WantedRepository],
        found: dict[str, Repository],
        one: dict[str, Any],
    ) -> Repository:
        """A repository; its default branch costs a request, so that only wanted ones have it."""
        repository = repository_of(one, None, is_empty=False)
        if list(match_repositories([repository], wanted)):
            branch = _default_branch(client, repository)
            repository = repository_of(one, branch, is_empty=branch is None)
        found[repository.provider_id] = repository
        return repository

    def _pull_requests(
        self,
        client: Client,
        repository: Repository,
        repository_id: str,
        since: datetime | None,
        cursor: str | None,
    ) -> Iterator[Slice]:
        for page in _list(client, repository, cursor):
            rows = [
                Deferred(
                    _id(repository, one),
                    partial(self._pull_request, client, repository, repository_id, one),
                    version=one,
                    updated_at=_changed(one),
                )
                for one in page.rows
            ]
            recent = [row for row in rows if since is None or (row.updated_at or since) >= since]
            is_last = page.next is None or (bool(rows) and not recent)
            yield Slice(recent, None if is_last else page.cursor)
            if is_last:
                return

    def _pull_request_ids(self, client: Client, repository: Repository) -> Iterator[str]:
        for page in _list(client, repository):
            yield from filter(None, (_id(repository, one) for one in page.rows))

    def _pull_request(
        self, client: Client, repository: Repository, repository_id: str, one: dict[str, Any]
    ) -> PullRequest:
        path = f"{_path(repository)}/pull-requests/{one['id']}"
        activities = [
            row for page in _pages(client, Query(f"{path}/activities", {"limit": PAGE})) for row in page.rows
        ]
        return pull_request_of(repository, repository_id, one, activities, _commits(client, path))


def _account(answer: Answer) -> str:
    """The login that a server saw in a request. Raises ProviderRefused if it saw nobody."""
    if account := answer.headers.get("x-ausername"):
        return account
    raise ProviderRefused(Refusal.UNAUTHORIZED, REFUSED, answer.status)


def _explained(error: ProviderRefused) -> ProviderRefused:
    """The refusal with a sentence that says what to change."""
    if error.status == 401:
        return ProviderRefused(Refusal.UNAUTHORIZED, REFUSED, error.status)
    if error.status == 403:
        return ProviderRefused(
            Refusal.MISSING_SCOPE,
            "The token may not list projects: create an HTTP access token that may read projects and repositories.",
            error.status,
        )
    if error.status == 404 or error.refusal is Refusal.BAD_ADDRESS:
        return ProviderRefused(
            Refusal.BAD_ADDRESS,
            "No Bitbucket Data Center answers at this address: add its context path, such as"
            " https://git.example.com/bitbucket.",
            error.status,
        )
    return error


def _pages(client: Client, first: Query, cursor: str | None = None) -> Iterator[Page]:
    """Pages that a server gave to the token: as nobody it would list public repositories alone."""
    for page in pages(client, first, STYLE, cursor):
        _account(page.answer)
        yield page


def _list(client: Client, repository: Repository, cursor: str | None = None) -> Iterator[Page]:
    """Pages of pull requests, the last changed first: a change during the listing repeats rows and skips none."""
    params = {"state": "ALL", "order": "NEWEST", "limit": PAGE}
    return _pages(client, Query(f"{_path(repository)}/pull-requests", params), cursor)


def _path(repository: Repository) -> str:
    return f"projects/{quote(repository.owner, safe='~')}/repos/{quote(repository.name, safe='')}"


def _text_id(one: Any) -> str | None:
    key = number(at(one, ("id",)))
    return None if key is None else str(key)


def _id(repository: Repository, one: Any) -> str | None:
    key = _text_id(one)
    return None if key is None else f"{repository.provider_id}/{key}"


def _changed(one: Any) -> datetime | None:
    return instant_ms(at(one, ("updatedDate",)))


def _default_branch(client: Client, repository: Repository) -> str | None:
    """The short name of the default branch; None for an empty repository. The second address is that before 7.5."""
    for address in ("default-branch", "branches/default"):
        try:
            body = client.get(f"{_path(repository)}/{address}").body
        except ProviderRefused as error:
            if error.refusal is not Refusal.NOT_FOUND:
                raise
        else:
            return text(at(body, ("displayId",)))
    return None


def _commits(client: Client, path: str) -> list[Any]:
    """Commits of a pull request, oldest first; none if its fork or its branch is gone."""
    try:
        listed = [
            row for page in _pages(client, Query(f"{path}/commits", {"limit": PAGE})) for row in page.rows
        ]
    except ProviderRefused as error:
        if error.refusal is not Refusal.NOT_FOUND:
            raise
        return []
    return listed[::-1]


def repository_of(one: dict[str, Any], default_branch: str | None, *, is_empty: bool) -> Repository:
    """A repository of a list."""
    links = at(one, ("links", "clone")) or []
    addresses = [link["href"] for link in links if link.get("name") in ("http", "https")]
    project = one["project"]
    return Repository(
        provider_id=str(one["id"]),
        owner=project["key"],
        name=one["slug"],
        address=_without_user(addresses[0]) if addresses else "",
        url=text(at(one, ("links", "self", 0, "href"))),
        default_branch=default_branch,
        is_archived=bool(one.get("archived")),
        is_empty=is_empty,
        is_fork=one.get("origin") is not None,
        is_private=not one.get("public"),
        updated_at=None,
        payload=one,
    )


def _without_user(address: str) -> str:
    scheme, _, rest = address.partition("://")
    authority, slash, path = rest.partition("/")
    return f"{scheme}://{authority.rpartition('@')[2]}{slash}{path}"


def pull_request_of(
    repository: Repository, repository_id: str, one: dict[str, Any], activities: list[Any], commits: list[Any]
) -> PullRequest:
    """A pull request of a list with its activities and commits."""
    events = sorted((event for entry in activities for event in _events(entry)), key=lambda event: event.at)
    state = STATES.get(one["state"], "closed")
    created = instant_ms(one.get("createdDate")) or EPOCH
    updated = _changed(one) or created
    merge = next((entry for entry in activities if at(entry, ("action",)) == "MERGED"), None)
    merged_at = instant_ms(at(merge, ("createdDate",)))
    ended_at = instant_ms(one.get("closedDate")) or merged_at or updated
    author, source = at(one, ("author", "user")), one.get("fromRef") or {}
    merge_sha = text(at(merge, ("commit", "id"))) or text(at(one, ("properties", "mergeCommit", "id")))
    return PullRequest(
        provider_id=f"{repository.provider_id}/{one['id']}",
        repository_id=repository_id,
        number=one["id"],
        title=one.get("title") or "",
        body=text(one.get("description")),
        state=state,
        is_draft=bool(one.get("draft")),
        author=_login(author),
        author_name=text(at(author, ("displayName",))),
        author_kind=_kind(author),
        created_at=created,
        updated_at=updated,
        merged_at=(merged_at or ended_at) if state == "merged" else None,
        closed_at=None if state == "open" else ended_at,
        merged_by=_login(at(merge, ("user",))) if state == "merged" else None,
        source_branch=text(source.get("displayId")),
        target_branch=at(one, ("toRef", "displayId")) or "",
        # A fork that is gone has no repository any more.
        is_from_fork=_text_id(source.get("repository")) != repository.provider_id,
        head_sha=text(source.get("latestCommit")),
        merge_sha=merge_sha if state == "merged" else None,
        squash_sha=None,
        comment_count=number(at(one, ("properties", "commentCount"))),
        lines_added=None,
        lines_deleted=None,
        url=text(at(one, ("links", "self", 0, "href"))),
        labels=[],
        reviewers=[login for one in one.get("reviewers") or [] if (login := _login(at(one, ("user",))))],
        linked_issues=[],
        events=events,
        commits=[_commit(commit) for commit in commits],
        commit_count=len(commits),
        payload={"pull_request": one, "activities": activities, "commits": commits},
    )


def _events(entry: Any) -> Iterator[Event]:
    when, action = instant_ms(at(entry, ("createdDate",))), at(entry, ("action",))
    if when is None:
        return
    user = entry.get("user")
    actor, kind = _login(user), _kind(user)
    if action in ACTIONS:
        reviewed = text(at(entry, ("fromHash",))) or text(at(entry, ("participant", "lastReviewedCommit")))
        yield Event(ACTIONS[action], when, actor, kind, reviewed)
    elif action == "COMMENTED" and entry.get("commentAction") in NEW_COMMENTS:
        yield Event("commented", when, actor, kind)
    else:
        draft = entry.get("draft", entry.get("isDraft"))
        if isinstance(draft, bool) and action != "OPENED":
            yield Event("draft" if draft else "ready", when, actor, kind)
        for reviewer in entry.get("addedReviewers") or []:
            if login := _login(reviewer):
                yield Event("review_requested", when, actor, kind, login)


def _commit(one: dict[str, Any]) -> SourceCommit:
    author = one.get("author") or {}
    # The author of a commit is an account if an account has the address, else the name in Git.
    is_account = text(author.get("slug")) is not None
    return SourceCommit(
        sha=one["id"],
        author_name=text(author.get("displayName")) or text(author.get("name")),
        author_email=text(author.get("emailAddress")),
        author_login=_login(author) if is_account else None,
        authored_at=instant_ms(one.get("authorTimestamp")),
        message=text(one.get("message")),
    )


def _login(user: Any) -> str | None:
    return text(at(user, ("name",))) or text(at(user, ("slug",)))


def _kind(user: Any) -> ActorKind:
    """Service users belong to access tokens of projects and repositories."""
    name = text(at(user, ("type",)))
    return "unknown" if name is None else "bot" if name == "SERVICE" else "person"
