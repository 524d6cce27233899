"""Repositories and pull requests of Bitbucket Data Center as records."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from ingest.connections.git_hosts.landings import comment_events, entitled
from ingest.connections.git_hosts.records import (
    ActorKind,
    Event,
    EventKind,
    PullRequest,
    PullRequestState,
    Repository,
    SourceCommit,
)
from ingest.connections.values import EPOCH, instant_ms, number, text
from ingest.json_paths import at

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


def repository_of(one: dict[str, Any], default_branch: str | None, *, is_empty: bool) -> Repository:
    """A repository of a list."""
    project = one["project"]
    return Repository(
        provider_id=str(one["id"]),
        owner=project["key"],
        name=one["slug"],
        address=_web_address(one) or "",
        url=text(at(one, ("links", "self", 0, "href"))),
        default_branch=default_branch,
        is_archived=bool(one.get("archived")),
        is_empty=is_empty,
        is_fork=one.get("origin") is not None,
        parent=_web_address(one.get("origin")),
        is_private=not one.get("public"),
        updated_at=None,
        payload=one,
    )


def addresses_of(one: Any) -> list[str]:
    """The addresses to clone a repository from: over https, and over ssh at another port and path."""
    found = (text(at(link, ("href",))) for link in at(one, ("links", "clone")) or [])
    return [address for address in found if address]


def _web_address(one: Any) -> str | None:
    addresses = (_without_user(address) for address in addresses_of(one) if address.startswith("http"))
    return next(addresses, None)


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
    updated = changed_at(one) or created
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
        is_from_fork=text_id(source.get("repository")) != repository.provider_id,
        head_sha=text(source.get("latestCommit")),
        merge_sha=merge_sha if state == "merged" else None,
        comment_count=number(at(one, ("properties", "commentCount"))),
        url=text(at(one, ("links", "self", 0, "href"))),
        reviewers=[login for one in one.get("reviewers") or [] if (login := _login(at(one, ("user",))))],
        events=entitled(events, _login(author)),
        commits=[commit_of(commit) for commit in commits],
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
        yield from comment_events(text(at(entry, ("comment", "text"))), when, actor, kind)
    else:
        draft = entry.get("draft", entry.get("isDraft"))
        if isinstance(draft, bool) and action != "OPENED":
            yield Event("draft" if draft else "ready", when, actor, kind)
        for reviewer in entry.get("addedReviewers") or []:
            if login := _login(reviewer):
                yield Event("review_requested", when, actor, kind, login)


def commit_of(one: dict[str, Any]) -> SourceCommit:
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
        committed_at=instant_ms(one.get("committerTimestamp")),
    )


def _login(user: Any) -> str | None:
    return text(at(user, ("name",))) or text(at(user, ("slug",)))


def _kind(user: Any) -> ActorKind:
    """Service users belong to access tokens of projects and repositories."""
    name = text(at(user, ("type",)))
    return "unknown" if name is None else "bot" if name == "SERVICE" else "person"


def text_id(one: Any) -> str | None:
    key = number(at(one, ("id",)))
    return None if key is None else str(key)


def changed_at(one: Any) -> datetime | None:
    return instant_ms(at(one, ("updatedDate",)))
