"""Gitea and Forgejo: repositories and pull requests over their REST interface, version 1.

Read in go-gitea's source: `head.ref` becomes `refs/pull/N/head` after the branch is deleted, so the label names the
branch; squash, rebase and fast-forward are not told apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any
from urllib.parse import quote

from ingest.connections.git_hosts.git_host import GitHost
from ingest.connections.git_hosts.landings import comment_events, entitled
from ingest.connections.git_hosts.listing import Listing
from ingest.connections.git_hosts.records import (
    ActorKind,
    Event,
    EventKind,
    PullRequest,
    Repository,
    SourceCommit,
)
from ingest.connections.model import Checked, Connection, Slice, Stream, WantedRepository, other_system
from ingest.connections.parsing import deferred_rows, id_of, instant_at
from ingest.connections.values import instant, number, text, texts
from ingest.errors import ProviderRefused, Refusal
from ingest.http.client import Client, Login
from ingest.http.pages import Query, all_rows, pages
from ingest.json_paths import at
from ingest.providers.gitea.changes import NEXT, PAGE, changed_repositories, since_of

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
    "dismiss_review": "unapproved",
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
        try:
            # A server looks at the token before it tells its version.
            client.get("version")
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
        account = text(at(user, ("login",)))
        if account is None:
            raise other_system(self.title, connection.address)
        return Checked(account)

    def streams(
        self, client: Client, connection: Connection, repositories: Sequence[WantedRepository]
    ) -> Iterator[Stream]:
        listing = Listing(
            pages=partial(pages, client, Query("user/repos", {"limit": PAGE}), NEXT),
            record=repository,
            address=lambda path: f"repos/{quote(path)}",
            read=partial(_pull_requests, client),
            list_ids=partial(_pull_request_ids, client),
            changed=partial(changed_repositories, client),
        )
        yield from listing.streams(client, connection, repositories)


def _pull_requests(
    client: Client, repository: Repository, repository_id: str, since: datetime | None, cursor: str | None
) -> Iterator[Slice]:
    read = partial(_read, client, repository, repository_id)
    for page in pages(client, _issues(repository, since), NEXT, cursor):
        yield Slice(
            deferred_rows(page.rows, read, partial(_id, repository), instant_at("updated_at")), page.cursor
        )


def _pull_request_ids(client: Client, repository: Repository) -> Iterator[str]:
    for page in pages(client, _issues(repository, None), NEXT):
        for one in page.rows:
            yield f"{repository.provider_id}/{id_of(one, 'number')}"


def _read(client: Client, repository: Repository, repository_id: str, one: dict[str, Any]) -> PullRequest:
    """A pull request with the lists that belong to it, one request each."""
    path, key = _path(repository), number(one["number"])
    details = {
        # Their files and signatures would cost the server a Git command for each commit.
        "commits": _all(client, f"{path}/pulls/{key}/commits", {"files": "false", "verification": "false"}),
        "reviews": _all(client, f"{path}/pulls/{key}/reviews"),
        "timeline": _all(client, f"{path}/issues/{key}/timeline"),
    }
    return pull_request(repository, repository_id, client.get(f"{path}/pulls/{key}").body, details)


def _id(repository: Repository, one: Any) -> str | None:
    key = number(at(one, ("number",)))
    return None if key is None else f"{repository.provider_id}/{key}"


def _issues(repository: Repository, since: datetime | None) -> Query:
    """Pull requests in the list of issues, which alone knows `since`."""
    params = {"type": "pulls", "state": "all", "limit": PAGE}
    if since is not None:
        params["since"] = since_of(since)
    return Query(f"{_path(repository)}/issues", params)


def _path(repository: Repository) -> str:
    return f"repos/{quote(repository.owner, safe='')}/{quote(repository.name, safe='')}"


def _all(client: Client, address: str, params: Mapping[str, str] | None = None) -> list[Any]:
    query = Query(address, {"limit": PAGE, **(params or {})})
    return all_rows(client, pages(client, query, NEXT))


def repository(one: dict[str, Any]) -> Repository:
    """The row of a repository."""
    return Repository(
        provider_id=str(one["id"]),
        owner=one["owner"]["login"],
        name=one["name"],
        address=one["clone_url"],
        url=text(one.get("html_url")),
        default_branch=None if one.get("empty") else text(one.get("default_branch")),
        is_archived=one.get("archived") is True,
        is_empty=one.get("empty") is True,
        is_fork=one.get("fork") is True,
        parent=text(at(one, ("parent", "clone_url"))),
        is_private=one.get("private") is True,
        created_at=instant(one.get("created_at")),
        updated_at=instant(one.get("updated_at")),
        payload=one,
    )


def pull_request(
    repository: Repository, repository_id: str, one: dict[str, Any], details: dict[str, list[Any]]
) -> PullRequest:
    """The row of a pull request; `details` has its commits, reviews and timeline."""
    is_merged = one.get("merged") is True
    head, created = one.get("head") or {}, instant(one["created_at"])
    updated, key = instant(one["updated_at"]), number(one["number"])
    if created is None or updated is None or key is None:
        raise ValueError("a pull request without number or times")
    events = sorted([*_reviews(details["reviews"]), *_timeline(one, details)], key=lambda event: event.at)
    asked = [_login(user) for user in one.get("requested_reviewers") or []]
    return PullRequest(
        provider_id=f"{repository.provider_id}/{key}",
        repository_id=repository_id,
        number=key,
        title=text(one.get("title")) or "",
        body=text(one.get("body")),
        state="merged" if is_merged else "closed" if one.get("state") == "closed" else "open",
        is_draft=one.get("draft") is True or _is_draft(one.get("title")),
        author=_login(one.get("user")),
        author_name=text(at(one, ("user", "full_name"))),
        author_kind=_kind(one.get("user")),
        created_at=created,
        updated_at=updated,
        merged_at=instant(one.get("merged_at")),
        closed_at=instant(one.get("closed_at")),
        merged_by=_login(one.get("merged_by")),
        source_branch=_branch(head),
        target_branch=text(at(one, ("base", "ref"))) or "",
        is_from_fork=head.get("repo_id") != at(one, ("base", "repo_id")),
        head_sha=text(head.get("sha")),
        merge_sha=text(one.get("merge_commit_sha")) if is_merged else None,
        comment_count=(number(one.get("comments")) or 0) + (number(one.get("review_comments")) or 0),
        lines_added=number(one.get("additions")),
        lines_deleted=number(one.get("deletions")),
        url=text(one.get("html_url")),
        labels=texts(at(label, ("name",)) for label in one.get("labels") or []),
        reviewers=texts([*asked, *(event.detail for event in events if event.kind == "review_requested")]),
        events=entitled(events, _login(one.get("user"))),
        commits=[source_commit(commit) for commit in reversed(details["commits"])],
        commit_count=len(details["commits"]),
        payload={"pull_request": one, **details},
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


def _timeline(one: dict[str, Any], details: dict[str, list[Any]]) -> Iterator[Event]:
    reviewers = {review.get("id"): review.get("user") for review in details["reviews"]}
    is_merged = False
    for entry in details["timeline"]:
        kind, when, user = _kind_of(entry), instant(entry.get("created_at")), entry.get("user")
        if kind is None or when is None:
            continue
        if kind == "unapproved":
            # The approval is that of the reviewer, even if another person dismisses it.
            user = reviewers.get(entry.get("pull_request_review_id"), user)
        is_merged = is_merged or kind == "merged"
        if kind == "commented":
            yield from comment_events(text(entry.get("body")), when, _login(user), _kind(user))
            continue
        detail = _login(entry.get("assignee")) if kind == "review_requested" else None
        yield Event(kind, when, _login(user), _kind(user), detail)
    merged = instant(one.get("merged_at"))
    if merged is not None and not is_merged:
        yield Event("merged", merged, _login(one.get("merged_by")), _kind(one.get("merged_by")))


def _kind_of(entry: dict[str, Any]) -> EventKind | None:
    if entry.get("type") == "change_title":
        was, now = _is_draft(entry.get("old_title")), _is_draft(entry.get("new_title"))
        return None if was == now else "draft" if now else "ready"
    if entry.get("type") == "review_request" and entry.get("removed_assignee") is True:
        return None
    return TIMELINE.get(entry.get("type") or "")


def _is_draft(title: Any) -> bool:
    return isinstance(title, str) and title.upper().startswith(("WIP:", "[WIP]"))


def source_commit(one: dict[str, Any]) -> SourceCommit:
    """A commit of a pull request."""
    author = at(one, ("commit", "author")) or {}
    return SourceCommit(
        sha=one["sha"],
        author_name=text(author.get("name")),
        author_email=text(author.get("email")),
        author_login=_login(one.get("author")),
        authored_at=instant(author.get("date")),
        message=text(at(one, ("commit", "message"))),
        committed_at=instant(at(one, ("commit", "committer", "date"))),
    )


def _login(user: Any) -> str | None:
    return text(at(user, ("login",)))


def _kind(user: Any) -> ActorKind:
    """Gitea has no type of account but for its own actions user, which has a negative id."""
    identifier = at(user, ("id",))
    return "unknown" if not isinstance(identifier, int) else "bot" if identifier < 0 else "person"
