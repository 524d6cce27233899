"""Repositories and pull requests of Bitbucket Cloud as records."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ingest.connections.git_hosts.landings import entitled
from ingest.connections.git_hosts.records import (
    Event,
    EventKind,
    PullRequest,
    PullRequestState,
    Repository,
    SourceCommit,
)
from ingest.connections.values import EPOCH, instant, number, text
from ingest.json_paths import at
from ingest.providers.bitbucket.activity import Story, kind_of, login_of, read_activity

STATES: Mapping[str, PullRequestState] = {
    "OPEN": "open",
    "MERGED": "merged",
    "DECLINED": "closed",
    "SUPERSEDED": "closed",
}
_AUTHOR = re.compile(r"\s*(.*?)\s*<([^<>]*)>\s*")


def repository_of(one: dict[str, Any]) -> Repository:
    """A repository of a list."""
    owner, _, slug = one["full_name"].partition("/")
    clone = next(
        (link["href"] for link in at(one, ("links", "clone")) or [] if link.get("name") == "https"), None
    )
    branch = text(at(one, ("mainbranch", "name")))
    parent = text(at(one, ("parent", "full_name")))
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
        parent=f"https://bitbucket.org/{parent}.git" if parent else None,
        is_private=bool(one.get("is_private")),
        created_at=instant(one.get("created_on")),
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
    events = story.events
    if state != "open" and story.ended_at is None:
        # The pull request says itself what its activity lacks.
        kind: EventKind = "merged" if state == "merged" else "closed"
        when = merged if state == "merged" else ended
        end = Event(kind, when, login_of(one.get("closed_by")), kind_of(one.get("closed_by")))
        events = sorted([*events, end], key=lambda event: event.at)
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
        head_sha=known_hash(text(at(one, ("source", "commit", "hash"))), commits),
        merge_sha=merge_sha if state == "merged" else None,
        comment_count=number(one.get("comment_count")),
        url=text(at(one, ("links", "html", "href"))),
        reviewers=[login for user in one.get("reviewers") or [] if (login := login_of(user))],
        events=entitled(events, login_of(author)),
        commits=[commit_of(commit) for commit in commits],
        commit_count=len(commits),
        payload={"pull_request": one, "activity": activity, "commits": commits},
    )


def commit_of(one: dict[str, Any]) -> SourceCommit:
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


def known_hash(sha: str | None, commits: Sequence[Any]) -> str | None:
    """The hash of a commit among those of the pull request that starts with the given one, else the given one."""
    hashes = (text(at(one, ("hash",))) for one in commits)
    return next((full for full in hashes if full and sha and full.startswith(sha)), sha)
