"""Rows that AI tools make: the classes of the raw tables of `ingest.schemas.ai_tools`.

Add and keep out: as in `ingest.connections.git_hosts.records`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from typing import Any, Literal

from ingest.connections.values import WideNumber

Basis = Literal["billed", "vendor_estimated"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Usage of a tool on a day (UTC), in the finest grain that a vendor reports."""

    provider_id: str
    tool: str
    used_on: date
    payload: Any
    used_at: datetime | None = None
    account_id: str | None = None
    actor_email: str | None = None
    actor_login: str | None = None
    actor_id: str | None = None
    actor_name: str | None = None
    api_key_name: str | None = None
    product: str | None = None
    model: str | None = None
    effort: str | None = None
    speed: str | None = None
    service_tier: str | None = None
    requests: WideNumber | None = None
    input_tokens: WideNumber | None = None
    cache_read_tokens: WideNumber | None = None
    cache_write_5m_tokens: WideNumber | None = None
    cache_write_1h_tokens: WideNumber | None = None
    output_tokens: WideNumber | None = None
    amount_nano: WideNumber | None = None
    currency: str | None = None
    basis: Basis | None = None
    sessions: WideNumber | None = None
    lines_suggested: WideNumber | None = None
    lines_accepted: WideNumber | None = None
    lines_removed: WideNumber | None = None
    edits_accepted: WideNumber | None = None
    edits_rejected: WideNumber | None = None
    commits: WideNumber | None = None
    pull_requests: WideNumber | None = None
    active_people: WideNumber | None = None
    ai_bytes: WideNumber | None = None
    code_bytes: WideNumber | None = None
    adoption_phase: str | None = None
    is_active: bool = True
    is_total: bool | None = None

    @property
    def updated_at(self) -> datetime:
        """The start of the day: vendors restate days, and tell no time of a change."""
        return datetime.combine(self.used_on, time(), UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """A paid seat as a vendor lists it on a day (UTC)."""

    provider_id: str
    tool: str
    seen_on: date
    payload: Any
    actor_email: str | None = None
    actor_login: str | None = None
    actor_id: str | None = None
    actor_name: str | None = None
    plan: str | None = None
    last_active_at: datetime | None = None
    ends_on: date | None = None

    @property
    def updated_at(self) -> datetime:
        """The start of the day on which the vendor listed the seat."""
        return datetime.combine(self.seen_on, time(), UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """A person whom a vendor lists as a user of the organization. It ties an id or login to an address."""

    provider_id: str
    payload: Any
    actor_email: str | None = None
    actor_login: str | None = None
    actor_id: str | None = None
    actor_name: str | None = None
    role: str | None = None
    added_at: datetime | None = None

    @property
    def updated_at(self) -> datetime | None:
        """The time at which the person was added: vendors tell no later change."""
        return self.added_at


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitLines:
    """A commit, and how many of its lines a tool wrote, as its vendor tells."""

    provider_id: str
    tool: str
    commit_sha: str
    committed_at: datetime
    payload: Any
    actor_email: str | None = None
    actor_login: str | None = None
    actor_id: str | None = None
    actor_name: str | None = None
    repository_ref: str | None = None
    branch: str | None = None
    lines_added: WideNumber | None = None
    lines_removed: WideNumber | None = None
    ai_lines_added: WideNumber | None = None
    ai_lines_removed: WideNumber | None = None

    @property
    def updated_at(self) -> datetime:
        """The time of the commit."""
        return self.committed_at
