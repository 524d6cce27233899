"""Merge requests of GitLab: reading them by their last change, and their fields as rows.

GitLab pages by number, and a merge request that changes moves to the end of the list, which shifts the others: each
page is therefore asked for by the time of the last change before it.

Each changed merge request costs three requests: its commits, its notes (approvals, drafts and requests of reviews are
system notes, which have times) and its changes of state, and a fourth one if a text could name an issue that it
closes. The endpoints of approvals have no times, and not every edition has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

from ingest.answers import Answer
from ingest.connections.model import Deferred, Slice
from ingest.connections.records import (
    ActorKind,
    Event,
    EventKind,
    PullRequest,
    PullRequestState,
    Repository,
    SourceCommit,
)
from ingest.connections.values import instant, number, text, texts
from ingest.errors import ProviderRefused, Refusal
from ingest.http import Client
from ingest.pages import Links, Path, Query, at, pages

PAGE = 100
STATES: dict[str, PullRequestState] = {
    "opened": "open",
    "locked": "open",
    "merged": "merged",
    "closed": "closed",
}
_PHRASES: tuple[tuple[str, EventKind], ...] = (
    (r"approved this merge request", "approved"),
    (r"unapproved this merge request", "unapproved"),
    (r"requested changes", "changes_requested"),
    (r"(?:left review comments|reviewed this merge request)", "reviewed"),
    (r"requested review from", "review_requested"),
    (r"marked this merge request as \**draft", "draft"),
    (r"marked this merge request as \**ready", "ready"),
    # Until 13.8 drafts were called work in progress.
    (r"marked (?:this merge request )?as a? ?\**work in progress", "draft"),
    (r"unmarked (?:this merge request )?as a? ?\**work in progress", "ready"),
)
NOTES = tuple((re.compile(pattern, re.IGNORECASE), kind) for pattern, kind in _PHRASES)
STATE_EVENTS: dict[str, EventKind] = {"closed": "closed", "reopened": "reopened", "merged": "merged"}
MENTION = re.compile(r"@([\w.-]*\w)")
MAYBE_ISSUE = re.compile(r"#\d|/(?:issues|work_items)/\d|\b[A-Z][A-Z0-9_]+-\d")
BOT = re.compile(r"(?:project|group)_\d+_bot(?:_?[0-9a-f]*)|(?:gitlab|support|alert|security|automation)-bot|"
                 r"GitLabDuo|duo-[\w-]+|service_account_.+")  # fmt: skip
"""Names that GitLab gives to accounts of access tokens and of its own services; its answers have no other mark."""
GHOST = re.compile(r"ghost\d*")
"""The account to which GitLab moves the work of deleted ones."""


@dataclass(frozen=True)
class ByChange:
    """The next page starts at the last change of this one, and repeats it; by number within a single time."""

    rows: Path = ()

    def after(self, query: Query, answer: Answer, count: int) -> Query | None:
        if answer.next_link is None:
            return None
        last = at(answer.body, (count - 1, "updated_at"))
        if last == query.params.get("updated_after") or instant(last) is None:
            page = int(query.params.get("page", 1))
            return replace(query, params={**query.params, "page": page + 1})
        return replace(query, params={**query.params, "updated_after": last, "page": 1})


def read_merge_requests(
    client: Client, repository: Repository, repository_id: str, since: datetime | None, cursor: str | None
) -> Iterator[Slice]:
    """Slices of the merge requests that changed since a time."""
    read: set[tuple[Any, Any]] = set()
    for page in pages(client, _listing(repository, since), ByChange(), cursor):
        fresh = [one for one in page.rows if (at(one, ("iid",)), at(one, ("updated_at",))) not in read]
        read = {(at(one, ("iid",)), at(one, ("updated_at",))) for one in page.rows}
        yield Slice([_deferred(client, repository, repository_id, one) for one in fresh], page.cursor)


def merge_request_ids(client: Client, repository: Repository) -> Iterator[str]:
    """Ids of all merge requests of a project."""
    for page in pages(client, _listing(repository, None), ByChange()):
        for one in page.rows:
            yield f"{repository.provider_id}/{one['iid']}"


def _listing(repository: Repository, since: datetime | None) -> Query:
    params: dict[str, Any] = {
        "scope": "all",
        "state": "all",
        "order_by": "updated_at",
        "sort": "asc",
        "per_page": PAGE,
    }
    if since is not None:
        params["updated_after"] = since.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return Query(f"projects/{repository.provider_id}/merge_requests", params)


def _deferred(client: Client, repository: Repository, repository_id: str, one: Any) -> Deferred:
    iid = at(one, ("iid",))
    return Deferred(
        f"{repository.provider_id}/{iid}" if iid is not None else None,
        partial(_read, client, repository, repository_id, one),
        version=one,
        updated_at=instant(at(one, ("updated_at",))),
    )


def _read(client: Client, repository: Repository, repository_id: str, one: dict[str, Any]) -> PullRequest:
    path = f"projects/{repository.provider_id}/merge_requests/{one['iid']}"
    commits = _all(client, f"{path}/commits")
    details = {
        "commits": commits,
        "notes": _all(client, f"{path}/notes", {"sort": "asc", "order_by": "created_at"}),
        "state_events": _allowed(client, f"{path}/resource_state_events"),
    }
    said = [one.get("title"), one.get("description"), *(commit.get("message") for commit in commits)]
    could_close = any(MAYBE_ISSUE.search(words) for words in said if isinstance(words, str))
    details["closes"] = _allowed(client, f"{path}/closes_issues") if could_close else []
    return merge_request(repository.provider_id, repository_id, one, details)


def _all(client: Client, address: str, params: dict[str, Any] | None = None) -> list[Any]:
    query = Query(address, {"per_page": PAGE, **(params or {})})
    return [row for page in pages(client, query, Links()) for row in page.rows]


def _allowed(client: Client, address: str) -> list[Any]:
    """Rows of a part that some editions, projects or tokens lack."""
    try:
        return _all(client, address)
    except ProviderRefused as error:
        if error.refusal in (Refusal.FORBIDDEN, Refusal.NOT_FOUND):
            return []
        raise


def merge_request(
    project: str, repository_id: str, one: dict[str, Any], details: dict[str, list[Any]]
) -> PullRequest:
    """The row of a merge request; `details` has its commits, notes, state events and the issues that it closes."""
    state, created, updated = STATES[one["state"]], instant(one["created_at"]), instant(one["updated_at"])
    iid = number(one["iid"])
    if created is None or updated is None or iid is None:
        raise ValueError("a merge request without number or times")
    is_merged = state == "merged"
    head, squash = text(one.get("sha")), text(one.get("squash_commit_sha"))
    merger = one.get("merge_user") or one.get("merged_by")
    commits = [_commit(commit) for commit in reversed(details["commits"])]
    events = sorted(_events(one, details), key=lambda event: event.at)
    asked = [event.detail for event in events if event.kind == "review_requested"]
    return PullRequest(
        provider_id=f"{project}/{iid}",
        repository_id=repository_id,
        number=iid,
        title=text(one.get("title")) or "",
        body=text(one.get("description")),
        state=state,
        is_draft=one.get("draft", one.get("work_in_progress")) is True,
        author=_login(one.get("author")),
        author_name=text(at(one, ("author", "name"))) if _login(one.get("author")) else None,
        author_kind=_kind(one.get("author")),
        created_at=created,
        updated_at=updated,
        merged_at=instant(one.get("merged_at")),
        closed_at=instant(one.get("closed_at")) or instant(one.get("merged_at")),
        merged_by=_login(merger),
        source_branch=text(one.get("source_branch")),
        target_branch=text(one.get("target_branch")) or "",
        is_from_fork=one.get("source_project_id") != one.get("target_project_id"),
        head_sha=head,
        # A fast-forward has no merge commit: the squash commit or the head itself is on the target branch.
        merge_sha=(text(one.get("merge_commit_sha")) or squash or head) if is_merged else None,
        squash_sha=squash if is_merged else None,
        comment_count=number(one.get("user_notes_count")),
        lines_added=None,
        lines_deleted=None,
        url=text(one.get("web_url")),
        labels=texts(_label(label) for label in one.get("labels") or []),
        reviewers=texts([*(_login(user) for user in one.get("reviewers") or []), *asked]),
        linked_issues=texts(_issue(issue) for issue in details["closes"]),
        events=events,
        commits=commits,
        commit_count=len(commits),
        payload={"merge_request": one, **details},
    )


def _events(one: dict[str, Any], details: dict[str, list[Any]]) -> Iterator[Event]:
    for note in details["notes"]:
        yield from _of_note(note)
    kinds = set()
    for change in details["state_events"]:
        kind, when = STATE_EVENTS.get(change.get("state") or ""), instant(change.get("created_at"))
        if kind is not None and when is not None:
            kinds.add(kind)
            yield Event(kind, when, _login(change.get("user")), _kind(change.get("user")))
    known = (("merged", one.get("merge_user") or one.get("merged_by")), ("closed", one.get("closed_by")))
    for name, user in known:
        kind, when = STATE_EVENTS[name], instant(one.get(f"{name}_at"))
        if when is not None and kind not in kinds:
            yield Event(kind, when, _login(user), _kind(user))


def _of_note(note: dict[str, Any]) -> Iterator[Event]:
    when, user, words = instant(note.get("created_at")), note.get("author"), text(note.get("body")) or ""
    if when is None:
        return
    if note.get("system") is not True:
        yield Event("commented", when, _login(user), _kind(user))
        return
    kind = next((kind for pattern, kind in NOTES if pattern.match(words)), None)
    if kind == "review_requested":
        # "requested review from @ann and @bob and removed review request for @cat"
        for login in MENTION.findall(words.partition(" and removed ")[0]):
            yield Event(kind, when, _login(user), _kind(user), login)
    elif kind is not None:
        yield Event(kind, when, _login(user), _kind(user))


def _commit(one: dict[str, Any]) -> SourceCommit:
    return SourceCommit(
        sha=one["id"],
        author_name=text(one.get("author_name")),
        author_email=text(one.get("author_email")),
        authored_at=instant(one.get("authored_date")),
        message=text(one.get("message")) or text(one.get("title")),
    )


def _issue(one: dict[str, Any]) -> str | None:
    """`group/project#n`; the key of an issue in another tracker."""
    full = text(at(one, ("references", "full")))
    if full is not None:
        return full
    path, found, last = (text(one.get("web_url")) or "").partition("/-/")
    if found:
        return f"{path.partition('://')[2].partition('/')[2]}#{last.rpartition('/')[2]}"
    return text(one.get("id"))


def _label(one: Any) -> str | None:
    return text(at(one, ("name",)) or at(one, ("title",))) if isinstance(one, dict) else text(one)


def _login(user: Any) -> str | None:
    """The login; None for a deleted account."""
    login = text(at(user, ("username",)))
    return None if login is None or GHOST.fullmatch(login) else login


def _kind(user: Any) -> ActorKind:
    login = _login(user)
    return "unknown" if login is None else "bot" if BOT.fullmatch(login) else "person"
