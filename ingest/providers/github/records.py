"""Pull requests of GitHub as records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from ingest.connections.git_hosts.landings import WRITERS, comment_events, entitled
from ingest.connections.git_hosts.records import (
    ActorKind,
    Event,
    EventKind,
    PullRequest,
    PullRequestState,
    SourceCommit,
)
from ingest.connections.values import instant, number, text, texts
from ingest.json_paths import at

STATES: dict[str, PullRequestState] = {"OPEN": "open", "MERGED": "merged", "CLOSED": "closed"}
REVIEWS: dict[str, EventKind] = {
    "APPROVED": "approved",
    "CHANGES_REQUESTED": "changes_requested",
    "COMMENTED": "reviewed",
}
TIMELINE: dict[str, EventKind] = {
    "ReadyForReviewEvent": "ready",
    "ConvertToDraftEvent": "draft",
    "ReviewRequestedEvent": "review_requested",
    "ClosedEvent": "closed",
    "ReopenedEvent": "reopened",
    "MergedEvent": "merged",
    "IssueComment": "commented",
}
KINDS: dict[str, ActorKind] = {
    "User": "person",
    "EnterpriseUserAccount": "person",
    "Mannequin": "person",
    "Bot": "bot",
}


def pull_request(repository: str, repository_id: str, one: dict[str, Any]) -> PullRequest:
    """The row of a pull request whose lists are complete."""
    state, created, updated = STATES[one["state"]], instant(one["createdAt"]), instant(one["updatedAt"])
    if created is None or updated is None or number(one["number"]) is None:
        raise ValueError("a pull request without number or times")
    merged = instant(one.get("mergedAt"))
    commits = [source_commit(node["commit"]) for node in _nodes(one, "commits")]
    requests = [at(node, ("requestedReviewer", "login")) for node in _nodes(one, "reviewRequests")]
    events = sorted(_events(one, merged), key=lambda event: event.at)
    asked = [event.detail for event in events if event.kind == "review_requested"]
    return PullRequest(
        provider_id=f"{repository}/{one['number']}",
        repository_id=repository_id,
        number=one["number"],
        title=text(one.get("title")) or "",
        body=text(one.get("body")),
        state=state,
        is_draft=one.get("isDraft") is True,
        author=_login(one.get("author")),
        author_name=text(at(one, ("author", "name"))),
        author_kind=_kind(one.get("author")),
        created_at=created,
        updated_at=updated,
        merged_at=merged,
        closed_at=instant(one.get("closedAt")),
        merged_by=_login(one.get("mergedBy")),
        source_branch=text(one.get("headRefName")),
        target_branch=text(one.get("baseRefName")) or "",
        is_from_fork=one.get("isCrossRepository") is True,
        head_sha=text(one.get("headRefOid")),
        merge_sha=text(at(one, ("mergeCommit", "oid"))) if state == "merged" else None,
        squash_sha=_squash(one, commits) if state == "merged" else None,
        comment_count=number(one.get("totalCommentsCount")),
        lines_added=number(one.get("additions")),
        lines_deleted=number(one.get("deletions")),
        url=text(one.get("url")),
        labels=texts(label.get("name") for label in _nodes(one, "labels")),
        reviewers=texts([*requests, *asked]),
        linked_issues=texts(_issue(node) for node in _nodes(one, "closingIssuesReferences")),
        events=entitled(events, _login(one.get("author")), _writers(one)),
        commits=commits,
        commit_count=number(at(one, ("commits", "totalCount"))) or len(commits),
        payload=_without_comments(one),
    )


def _writers(one: dict[str, Any]) -> set[str | None]:
    comments = [item for item in _nodes(one, "timelineItems") if item.get("authorAssociation") in WRITERS]
    return {_login(item.get("author")) for item in comments}


def _without_comments(one: dict[str, Any]) -> dict[str, Any]:
    """The answer without the texts of comments, which nothing reads again."""
    items = [
        {name: value for name, value in item.items() if name != "body"}
        for item in _nodes(one, "timelineItems")
    ]
    return one | {"timelineItems": one["timelineItems"] | {"nodes": items}}


def _squash(one: dict[str, Any], commits: list[SourceCommit]) -> str | None:
    """The squash commit. GitHub does not name the way of a merge, so it follows from the commit.

    A merge commit has two parents. Fast-forward leaves the head itself. A rebase copies the head commit with the time
    at which it was written, while a squash is written at the time of the merge.
    """
    merge = one.get("mergeCommit") or {}
    sha, head = text(merge.get("oid")), text(one.get("headRefOid"))
    if sha is None or at(merge, ("parents", "totalCount")) != 1 or sha == head:
        return None
    if any(commit.sha == sha for commit in commits):
        return None
    written = next((commit.authored_at for commit in commits if commit.sha == head), None)
    return None if written is not None and written == instant(merge.get("authoredDate")) else sha


def _events(one: dict[str, Any], merged: datetime | None) -> Iterator[Event]:
    items = _nodes(one, "timelineItems")
    dismissals = {
        at(item, ("review", "id")): item for item in items if item.get("__typename") == "ReviewDismissedEvent"
    }
    yield from _reviews(one, dismissals)
    reviewers = {review.get("id"): review.get("author") for review in _nodes(one, "reviews")}
    kinds = set()
    for item in items:
        kind, when = TIMELINE.get(item.get("__typename") or ""), instant(item.get("createdAt"))
        if item.get("__typename") == "ReviewDismissedEvent" and item.get("previousReviewState") == "APPROVED":
            kind = "unapproved"
        if kind is None or when is None or (kind == "closed" and merged is not None and when >= merged):
            # A merge closes as well, at the same time.
            continue
        kinds.add(kind)
        if kind == "commented":
            user = item.get("author")
            yield from comment_events(text(item.get("body")), when, _login(user), _kind(user))
            continue
        user = item.get("actor")
        if kind == "unapproved":
            # The approval is that of the reviewer, even if another person dismisses it.
            user = reviewers.get(at(item, ("review", "id")), user)
        detail = text(at(item, ("requestedReviewer", "login")))
        yield Event(kind, when, _login(user), _kind(user), detail)
    if merged is not None and "merged" not in kinds:
        yield Event("merged", merged, _login(one.get("mergedBy")), _kind(one.get("mergedBy")))


def _reviews(one: dict[str, Any], dismissals: dict[Any, Any]) -> Iterator[Event]:
    """Reviews with the state that they had when they were submitted: a dismissal replaces it."""
    author = _login(one.get("author"))
    for review in _nodes(one, "reviews"):
        state, when = review.get("state"), instant(review.get("submittedAt"))
        if state == "DISMISSED":
            state = at(dismissals.get(review.get("id")), ("previousReviewState",)) or "COMMENTED"
        kind = REVIEWS.get(state or "")
        if kind is None or when is None:
            continue
        login = _login(review.get("author"))
        if login is not None and login == author:
            kind = "commented"
        yield Event(kind, when, login, _kind(review.get("author")), text(at(review, ("commit", "oid"))))


def source_commit(one: dict[str, Any]) -> SourceCommit:
    """A commit of a pull request."""
    author = one.get("author") or {}
    return SourceCommit(
        sha=one["oid"],
        author_name=text(author.get("name")),
        author_email=text(author.get("email")),
        author_login=_login(author.get("user")),
        authored_at=instant(one.get("authoredDate")),
        message=text(one.get("message")),
        committed_at=instant(one.get("committedDate")),
    )


def _issue(one: dict[str, Any]) -> str | None:
    repository = text(at(one, ("repository", "nameWithOwner")))
    return f"{repository}#{one['number']}" if repository else None


def _nodes(one: dict[str, Any], name: str) -> list[Any]:
    """Nodes of a list without those that the token may not see."""
    nodes: Iterable[Any] = one[name]["nodes"]
    return [node for node in nodes if node is not None]


def _login(user: Any) -> str | None:
    """The login; None for a deleted account."""
    return text(at(user, ("login",)))


def _kind(user: Any) -> ActorKind:
    return KINDS.get(at(user, ("__typename",)) or "", "unknown")
