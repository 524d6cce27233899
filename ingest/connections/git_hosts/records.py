"""Rows that Git hosts make, one class per raw table of `ingest.schemas.hosts`.

Each class has the columns of its table but for those of the source, which `ingest.connections.rows` adds. Times have a
time zone; `payload` is the provider's answer, which becomes JSON.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

ActorKind = Literal["person", "bot", "unknown"]
EventKind = Literal[
    "ready", "draft", "review_requested", "approved", "changes_requested", "reviewed", "unapproved", "commented",
    "merged", "closed", "reopened", "landed",
]  # fmt: skip
PullRequestState = Literal["open", "merged", "closed"]


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository. `parent` is the address to clone the one from, of which it is a fork, without credentials."""

    provider_id: str
    owner: str
    name: str
    address: str
    url: str | None
    default_branch: str | None
    is_archived: bool
    is_empty: bool
    is_fork: bool
    parent: str | None = field(default=None, kw_only=True)
    is_private: bool
    created_at: datetime | None = field(default=None, kw_only=True)
    updated_at: datetime | None
    payload: Any


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a pull request.

    `detail` is the reviewed commit of a review, the login of a requested reviewer, the commit (perhaps abbreviated) in
    which a maintainer says that the work landed.
    """

    kind: EventKind
    at: datetime
    actor: str | None
    actor_kind: ActorKind = "unknown"
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class SourceCommit:
    """A commit of a source branch. `committed_at` is when it was last written: amending keeps `authored_at`."""

    sha: str
    author_name: str | None = None
    author_email: str | None = None
    author_login: str | None = None
    authored_at: datetime | None = None
    message: str | None = None
    committed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request. What not every host tells has a default; the order of fields is that of stored fingerprints."""

    provider_id: str
    repository_id: str
    number: int
    title: str
    body: str | None
    state: PullRequestState
    is_draft: bool
    author: str | None
    author_name: str | None
    author_kind: ActorKind
    created_at: datetime
    updated_at: datetime
    merged_at: datetime | None
    closed_at: datetime | None
    merged_by: str | None
    source_branch: str | None
    target_branch: str
    is_from_fork: bool
    head_sha: str | None
    merge_sha: str | None
    squash_sha: str | None = field(default=None, kw_only=True)
    comment_count: int | None
    lines_added: int | None = field(default=None, kw_only=True)
    lines_deleted: int | None = field(default=None, kw_only=True)
    url: str | None
    labels: list[str] = field(default_factory=list, kw_only=True)
    reviewers: list[str]
    linked_issues: list[str] = field(default_factory=list, kw_only=True)
    events: list[Event]
    commits: list[SourceCommit]
    commit_count: int
    payload: Any
