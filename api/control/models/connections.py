"""Connections to Git hosts, issue trackers and model endpoints, and what they list."""

from datetime import datetime
from typing import Annotated, Any

from sqlalchemy import JSON, ForeignKey, Index, LargeBinary, String, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from api.control.models.base import Base, Owned

MODEL_ENDPOINTS = "model_endpoints"
"""The category that is asked when a text is needed. Nothing of it is read, so no run, build or health of a sync is its.
"""
ConnectionKey = Annotated[
    str, mapped_column(ForeignKey("connections.id", ondelete="CASCADE"), primary_key=True)
]


class Connection(Owned):
    """A connection with its encrypted secret. A removed one has none, and stays until its facts are deleted."""

    __tablename__ = "connections"
    __table_args__ = (
        Index("ix_connections_name", "organization_id", text("lower(name)"), "id"),
        Index("ix_connections_next_attempt_at", "next_attempt_at"),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    kind: Mapped[str] = mapped_column(String(32))
    # The noun of the category, which its raw tables have too, such as hosts.
    category: Mapped[str] = mapped_column(String(16))
    address: Mapped[str] = mapped_column(String(2048))
    name: Mapped[str] = mapped_column(String(255))
    user: Mapped[str] = mapped_column(String(254))
    # Nonce and ciphertext, and the id of the key (secrets.py).
    secret: Mapped[bytes] = mapped_column(LargeBinary)
    secret_key_id: Mapped[str] = mapped_column(String(16))
    options: Mapped[dict[str, Any]] = mapped_column(JSON)
    # Levels by kind of item as the provider has them; `connection_levels` has the edited ones.
    default_levels: Mapped[dict[str, str]] = mapped_column(JSON)
    created_at: Mapped[datetime]
    created_by: Mapped[str] = mapped_column(String(254))
    removed_at: Mapped[datetime | None]
    # The account behind the token and the end of the token, as the provider said.
    account: Mapped[str] = mapped_column(String(254))
    expires_at: Mapped[datetime | None]
    health: Mapped[str] = mapped_column(String(16))
    # The last complete pass, the last attempt, and when the next one is due after a limit.
    last_synced_at: Mapped[datetime | None]
    last_attempt_at: Mapped[datetime | None]
    next_attempt_at: Mapped[datetime | None]
    failure: Mapped[str | None] = mapped_column(Text)
    failure_reason: Mapped[str | None] = mapped_column(String(32))
    warnings: Mapped[list[str]] = mapped_column(JSON)
    # Rows by table that the last run changed.
    row_counts: Mapped[dict[str, int]] = mapped_column(JSON)
    # Of a tracker, as the lake had it last: items by kind, and names of teams by key.
    item_counts: Mapped[dict[str, int]] = mapped_column(JSON)
    team_names: Mapped[dict[str, str]] = mapped_column(JSON)
    counted_at: Mapped[datetime | None]
    # Of a model endpoint: what it is known to refuse, which requests leave out.
    capabilities: Mapped[dict[str, Any] | None] = mapped_column(JSON)


class ConnectionEvent(Base):
    """A change of the health of a connection."""

    __tablename__ = "connection_events"
    __table_args__ = (Index("ix_connection_events_at", "connection_id", "at", "id"),)

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    connection_id: Mapped[str] = mapped_column(ForeignKey("connections.id", ondelete="CASCADE"))
    at: Mapped[datetime]
    health: Mapped[str] = mapped_column(String(16))
    reason: Mapped[str | None] = mapped_column(String(32))
    message: Mapped[str | None] = mapped_column(Text)


class AvailableRepository(Base):
    """A repository that a connection lists."""

    __tablename__ = "available_repositories"
    __table_args__ = (
        Index("ix_available_repositories_name", "connection_id", text("lower(owner)"), text("lower(name)")),
    )

    connection_id: Mapped[ConnectionKey]
    provider_id: Mapped[str] = mapped_column(String(255), primary_key=True)
    # The id in `repositories` once it is added.
    repository_id: Mapped[str] = mapped_column(String(36))
    owner: Mapped[str] = mapped_column(String(1024))
    name: Mapped[str] = mapped_column(String(1024))
    address: Mapped[str] = mapped_column(String(4096))
    url: Mapped[str | None] = mapped_column(String(4096))
    default_branch: Mapped[str | None] = mapped_column(String(255))
    is_archived: Mapped[bool]
    is_empty: Mapped[bool]
    is_fork: Mapped[bool]
    is_private: Mapped[bool]
    updated_at: Mapped[datetime | None]


class ConnectionLevel(Base):
    """An edited level of a kind of item."""

    __tablename__ = "connection_levels"

    connection_id: Mapped[ConnectionKey]
    item_kind: Mapped[str] = mapped_column(String(64), primary_key=True)
    level: Mapped[str] = mapped_column(String(16))


class TrackerTeam(Base):
    """The team that owns the objectives of a team of a tracker."""

    __tablename__ = "tracker_teams"

    connection_id: Mapped[ConnectionKey]
    team_key: Mapped[str] = mapped_column(String(255), primary_key=True)
    team_id: Mapped[str] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"), index=True)
