"""Gitea and Forgejo: repositories and pull requests over their REST interface, version 1.

Read in go-gitea's source: `head.ref` becomes `refs/pull/N/head` after the branch is deleted, so the label names the
branch; squash, rebase and fast-forward are not told apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any
from urllib.parse import quote

from ingest.connections.matching import match_repositories
from ingest.connections.model import Checked, Connection, GitHost, Slice, Stream, WantedRepository
from ingest.connections.records import ActorKind, Event, EventKind, PullRequest, Repository, SourceCommit
from ingest.connections.values import EPOCH, instant, text
from ingest.errors import ProviderRefused, Refusal
from ingest.http import Client, Login
from ingest.pages import Links, Query, at, pages

PAGE = 50
REVIEWS: dict[str, EventKind] = {
    "APPROVED": "approved",
    "REQUEST_CHANGES": "changes_requested",
    "COMMENT": "reviewed",
}
TIMELINE: dict[str, EventKind] = {
    "close": "closed",
    "reopen": "reopened",
    "merge_pull": "merged",
    "review_request": "review_requested",
    "comment": "commented",
}


class Gitea(GitHost):
    kind = "GITEA"
    title = "Gitea or Forgejo"
    review_refs = "refs/pull/*/head"

    def login(self, connection: Connection) -> Login:
        return Login(
            f"{connection.address}/api/v1",
            {"Authorization": f"token {connection.secret}"},
            (connection.secret,),
        )

    def check(self, client: Client, connection: Connection) -> Checked:
        client.get("version")
        try:
            user = client.get("user").body
        except ProviderRefused as error:
            if error.refusal is Refusal.UNAUTHORIZED:
                raise ProviderRefused(
                    Refusal.UNAUTHORIZED,
                    f"{self.title} does not accept the token: create one with the scopes read:repository, read:issue"
                    " and read:user.",
                    error.status,
                ) from error
            raise
        return Checked(text(at(user, ("login",))) or "")

    def streams(
        self, client: Client, connection: Connection, repositories: Sequence[WantedRepository]
    ) -> Iterator[Stream]:
        found: list[Repository] = []

        def read(_since: datetime | None, _cursor: str | None) -> Iterator[Slice]:
            # Streams of pull requests need the whole list, so an interrupted listing starts again.
            first = Query("user/repos", {"limit": PAGE})
            for page in pages(client, first, Links()):
                rows = [_repository(one) for one in page.rows]
                found.extend(rows)
                yield Slice(rows, None)

        yield Stream("repositories", "repositories", read, is_incremental=False)
        for repository, wanted in match_repositories(found, repositories):
            yield Stream(
                f"pull_requests/{repository.provider_id}",
                "pull_requests",
                partial(self._pull_requests, client, repository, wanted.repository_id),
                list_ids=partial(self._pull_request_ids, client, repository),
            )

    def _pull_requests(
        self,
        client: Client,
        repository: Repository,
        repository_id: str,
        since: datetime | None,
        cursor: str | None,
    ) -> Iterator[Slice]:
        path = _path(repository)
        for page in pages(client, _issues(repository, since), Links(), cursor):
            rows = []
            for one in page.rows:
                number = one["number"]
                detail = client.get(f"{path}/pulls/{number}").body
                commits = _all(client, f"{path}/pulls/{number}/commits")
                reviews = _all(client, f"{path}/pulls/{number}/reviews")
                timeline = _all(client, f"{path}/issues/{number}/timeline")
                rows.append(_pull_request(repository, repository_id, detail, commits, reviews, timeline))
            yield Slice(rows, page.cursor)

    def _pull_request_ids(self, client: Client, repository: Repository) -> Iterator[str]:
        for page in pages(client, _issues(repository, None), Links()):
            for one in page.rows:
                yield f"{repository.provider_id}/{one['number']}"


def _issues(repository: Repository, since: datetime | None) -> Query:
    """Pull requests in the list of issues, which alone knows `since`."""
    params = {"type": "pulls", "state": "all", "limit": PAGE}
    if since is not None:
        params["since"] = since.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return Query(f"{_path(repository)}/issues", params)


def _path(repository: Repository) -> str:
    return f"repos/{quote(repository.owner, safe='')}/{quote(repository.name, safe='')}"


def _all(client: Client, address: str) -> list[Any]:
    return [row for page in pages(client, Query(address, {"limit": PAGE}), Links()) for row in page.rows]


def _repository(one: dict[str, Any]) -> Repository:
    return Repository(
        provider_id=str(one["id"]),
        owner=one["owner"]["login"],
        name=one["name"],
        address=one["clone_url"],
        url=text(one.get("html_url")),
        default_branch=None if one.get("empty") else text(one.get("default_branch")),
        is_archived=bool(one.get("archived")),
        is_empty=bool(one.get("empty")),
        is_fork=bool(one.get("fork")),
        is_private=bool(one.get("private")),
        updated_at=instant(one.get("updated_at")),
        payload=one,
    )


def _pull_request(
    repository: Repository,
    repository_id: str,
    one: dict[str, Any],
    commits: list[Any],
    reviews: list[Any],
    timeline: list[Any],
) -> PullRequest:
    is_merged = bool(one.get("merged"))
    head, created = one.get("head") or {}, instant(one.get("created_at")) or EPOCH
    return PullRequest(
        provider_id=f"{repository.provider_id}/{one['number']}",
        repository_id=repository_id,
        number=one["number"],
        title=one.get("title") or "",
        body=text(one.get("body")),
        state="merged" if is_merged else "closed" if one.get("state") == "closed" else "open",
        is_draft=bool(one.get("draft")),
        author=_login(one.get("user")),
        author_name=text(at(one, ("user", "full_name"))),
        author_kind=_kind(one.get("user")),
        created_at=created,
        updated_at=instant(one.get("updated_at")) or created,
        merged_at=instant(one.get("merged_at")),
        closed_at=instant(one.get("closed_at")),
        merged_by=_login(one.get("merged_by")),
        source_branch=_branch(head),
        target_branch=at(one, ("base", "ref")) or "",
        is_from_fork=head.get("repo_id") != at(one, ("base", "repo_id")),
        head_sha=text(head.get("sha")),
        merge_sha=text(one.get("merge_commit_sha")) if is_merged else None,
        squash_sha=None,
        comment_count=(one.get("comments") or 0) + (one.get("review_comments") or 0),
        lines_added=one.get("additions"),
        lines_deleted=one.get("deletions"),
        url=text(one.get("html_url")),
        labels=[label["name"] for label in one.get("labels") or []],
        reviewers=[login for user in one.get("requested_reviewers") or [] if (login := _login(user))],
        linked_issues=[],
        events=sorted([*_reviews(reviews), *_timeline(timeline)], key=lambda event: event.at),
        commits=[_commit(commit) for commit in commits],
        commit_count=len(commits),
        payload={"pull_request": one, "reviews": reviews, "timeline": timeline, "commits": commits},
    )


def _branch(head: dict[str, Any]) -> str | None:
    label, ref = text(head.get("label")), text(head.get("ref"))
    if label is None and ref is not None and ref.startswith("refs/pull/"):
        return None
    return (label or ref or "").rpartition(":")[2] or None


def _reviews(reviews: list[Any]) -> Iterator[Event]:
    for review in reviews:
        kind, when = REVIEWS.get(review.get("state") or ""), instant(review.get("submitted_at"))
        if kind is not None and when is not None:
            user = review.get("user")
            yield Event(kind, when, _login(user), _kind(user), text(review.get("commit_id")))


def _timeline(timeline: list[Any]) -> Iterator[Event]:
    for entry in timeline:
        kind, when = TIMELINE.get(entry.get("type") or ""), instant(entry.get("created_at"))
        if entry.get("type") == "change_title":
            kind = _of_titles(entry.get("old_title") or "", entry.get("new_title") or "")
        if kind is not None and when is not None:
            user = entry.get("user")
            yield Event(kind, when, _login(user), _kind(user), _login(entry.get("assignee")))


def _of_titles(before: str, after: str) -> EventKind | None:
    was, now = (title.upper().startswith(("WIP:", "[WIP]")) for title in (before, after))
    return None if was == now else "draft" if now else "ready"


def _commit(one: dict[str, Any]) -> SourceCommit:
    author = at(one, ("commit", "author")) or {}
    return SourceCommit(
        sha=one["sha"],
        author_name=text(author.get("name")),
        author_email=text(author.get("email")),
        author_login=_login(one.get("author")),
        authored_at=instant(author.get("date")),
        message=text(at(one, ("commit", "message"))),
    )


def _login(user: Any) -> str | None:
    return text(at(user, ("login",)))


def _kind(user: Any) -> ActorKind:
    """Gitea has no type of account but for its own actions user, which has a negative id."""
    identifier = at(user, ("id",))
    return "unknown" if identifier is None else "bot" if identifier < 0 else "person"
