"""Repositories and pull requests of Azure DevOps as records."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from ingest.connections.git_hosts.landings import entitled
from ingest.connections.git_hosts.records import (
    Event,
    PullRequest,
    PullRequestState,
    Repository,
    SourceCommit,
)
from ingest.connections.values import EPOCH, instant, text
from ingest.json_paths import at
from ingest.providers.azure import access
from ingest.providers.azure.threads import count_comments, last_change, last_end, people_of, read_threads

STATES: dict[Any, PullRequestState] = {
    "active": "open", "abandoned": "closed", "completed": "merged", 1: "open", 2: "closed", 3: "merged",
}  # fmt: skip


def repository_of(organization: str, one: dict[str, Any]) -> Repository:
    """A repository of a project."""
    branch, project = text(one.get("defaultBranch")), one["project"]
    parent = text(at(one, ("parentRepository", "remoteUrl")))
    return Repository(
        provider_id=one["id"],
        owner=f"{organization}/{project['name']}",
        name=one["name"],
        address=_address(one["remoteUrl"]),
        url=text(one.get("webUrl")) or _address(one["remoteUrl"]),
        default_branch=_branch(branch),
        is_archived=bool(one.get("isDisabled")),
        is_empty=branch is None,
        is_fork=bool(one.get("isFork")),
        parent=None if parent is None else _address(parent),
        is_private=project.get("visibility") != "public",
        updated_at=None,
        payload=one,
    )


def _address(remote: str) -> str:
    """An address to clone from, without the user that it names and with blanks written as `%20`."""
    return re.sub(r"(?<=://)[^/@]*@", "", remote).replace(" ", "%20")


def _branch(ref: str | None) -> str | None:
    return ref.removeprefix("refs/heads/") if ref else None


def updated_at(one: dict[str, Any], threads: list[Any]) -> datetime:
    """The last change that shows: Azure DevOps does not name it."""
    times = (instant(one.get("creationDate")), instant(one.get("closedDate")), last_change(threads))
    return max(filter(None, times), default=EPOCH)


def pull_request_of(
    repository: Repository,
    repository_id: str,
    one: dict[str, Any],
    threads: list[Any],
    commits: list[Any],
    work_items: list[Any],
) -> PullRequest:
    """A pull request of a list with its threads, commits and work items."""
    state: PullRequestState = STATES.get(one["status"], "open")
    author, created = one.get("createdBy"), instant(one.get("creationDate")) or EPOCH
    updated, people = updated_at(one, threads), people_of(one, threads)
    ended_at, ended_by = last_end(threads, people)
    closed_by = one.get("closedBy") or ended_by
    closed = None if state == "open" else instant(one.get("closedDate")) or ended_at or updated
    events = read_threads(threads, people)
    if closed is not None:
        end = Event(
            "merged" if state == "merged" else "closed",
            closed,
            access.identity(closed_by),
            access.identity_kind(closed_by),
        )
        events = sorted([*events, end], key=lambda event: event.at)
    merge = text(at(one, ("lastMergeCommit", "commitId"))) if state == "merged" else None
    is_squash = at(one, ("completionOptions", "mergeStrategy")) in ("squash", 2) or (
        at(one, ("completionOptions", "squashMerge")) is True
    )
    number = one["pullRequestId"]
    page = repository.url
    return PullRequest(
        provider_id=f"{repository.provider_id}/{number}",
        repository_id=repository_id,
        number=number,
        title=one.get("title") or "",
        body=text(one.get("description")),
        state=state,
        is_draft=bool(one.get("isDraft")),
        author=access.identity(author),
        author_name=text(at(author, ("displayName",))),
        author_kind=access.identity_kind(author),
        created_at=created,
        updated_at=updated,
        merged_at=closed if state == "merged" else None,
        closed_at=closed,
        merged_by=access.identity(closed_by) if state == "merged" else None,
        source_branch=_branch(text(one.get("sourceRefName"))),
        target_branch=_branch(text(one.get("targetRefName"))) or "",
        is_from_fork=one.get("forkSource") is not None,
        head_sha=text(at(one, ("lastMergeSourceCommit", "commitId"))),
        merge_sha=merge,
        squash_sha=merge if is_squash else None,
        comment_count=count_comments(threads),
        url=f"{page}/pullrequest/{number}" if page else None,
        labels=[name for label in one.get("labels") or [] if (name := text(at(label, ("name",))))],
        reviewers=[
            login
            for user in one.get("reviewers") or []
            if not at(user, ("isContainer",)) and (login := access.identity(user))
        ],
        linked_issues=[f"AB#{key}" for item in work_items if (key := at(item, ("id",)))],
        events=entitled(events, access.identity(author)),
        commits=[commit_of(commit) for commit in commits],
        commit_count=len(commits),
        payload={"pull_request": one, "threads": threads, "commits": commits, "work_items": work_items},
    )


def commit_of(one: dict[str, Any]) -> SourceCommit:
    author = one.get("author") or {}
    return SourceCommit(
        sha=one["commitId"],
        author_name=text(author.get("name")),
        author_email=text(author.get("email")),
        author_login=None,
        authored_at=instant(author.get("date")),
        message=text(one.get("comment")),
        committed_at=instant(at(one, ("committer", "date"))),
    )
