"""Rows that trackers make: the class of the raw table of `ingest.schemas.trackers`.

Add and keep out: as in `ingest.connections.git_hosts.records`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Literal

StatusCategory = Literal["todo", "doing", "done", "canceled"]


@dataclass(frozen=True, slots=True)
class Change:
    """A change of `field` (`status`) of an item."""

    field: str
    at: datetime
    before: str | None
    after: str | None
    after_category: StatusCategory | None = None
    actor: str | None = None


@dataclass(frozen=True, slots=True)
class Item:
    provider_id: str
    kind: str
    key: str | None
    title: str
    status: str | None
    status_category: StatusCategory
    created_at: datetime
    updated_at: datetime
    payload: Any
    previous_keys: list[str] = field(default_factory=list)
    repository_id: str | None = None
    number: int | None = None
    type_name: str | None = None
    parent_ids: list[str] = field(default_factory=list)
    team_key: str | None = None
    team_name: str | None = None
    assignee: str | None = None
    assignee_name: str | None = None
    assignee_email: str | None = None
    creator: str | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None
    start_on: date | None = None
    target_on: date | None = None
    estimate: float | None = None
    resolution: str | None = None
    branch_name: str | None = None
    url: str | None = None
    labels: list[str] = field(default_factory=list)
    pull_requests: list[str] = field(default_factory=list)
    history: list[Change] = field(default_factory=list)
