"""The audit log, the operations that wait for a build, and restatements of the totals of an organization."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from api.control.models.base import Owned


class AuditEntry(Owned):
    """An entry of the audit log. It is written with the change and never modified."""

    __tablename__ = "audit_entries"
    __table_args__ = (
        Index("ix_audit_entries_time", "organization_id", "at", "id"),
        # The log is filtered by these columns.
        Index("ix_audit_entries_action", "organization_id", "action", "at", "id"),
        Index("ix_audit_entries_target", "organization_id", "target_id", "at", "id"),
        Index("ix_audit_entries_actor", "organization_id", "actor_id", "at", "id"),
        Index("ix_audit_entries_name", "organization_id", "actor_name", "at", "id"),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    at: Mapped[datetime]
    # Copies, not references: the log outlives accounts, keys and what was changed.
    actor_kind: Mapped[str] = mapped_column(String(16))
    actor_id: Mapped[str | None] = mapped_column(String(36))
    actor_name: Mapped[str] = mapped_column(String(254))
    action: Mapped[str] = mapped_column(String(64))
    target_kind: Mapped[str] = mapped_column(String(32))
    target_id: Mapped[str] = mapped_column(String(64))
    target_name: Mapped[str] = mapped_column(String(255))
    before: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    after: Mapped[dict[str, Any] | None] = mapped_column(JSON)


class Operation(Owned):
    """The outbox: a change that the figures show only after a run. It is written with the change."""

    __tablename__ = "operations"
    __table_args__ = (
        UniqueConstraint("organization_id", "position", name="uq_operations_position"),
        Index("ix_operations_build", "organization_id", "build_id", "position"),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    # Number of the change in the order of commits. A build includes all changes up to a position.
    position: Mapped[int]
    at: Mapped[datetime]
    # The same values as in the audit log.
    action: Mapped[str] = mapped_column(String(64))
    target_kind: Mapped[str] = mapped_column(String(32))
    target_id: Mapped[str] = mapped_column(String(64))
    target_name: Mapped[str] = mapped_column(String(255))
    # The repository to read again; None when a build is enough.
    repository_id: Mapped[str | None] = mapped_column(String(36))
    # The connection to sync; None when a build is enough.
    connection_id: Mapped[str | None] = mapped_column(String(36))
    # When reading the repository or connection began, and when it succeeded.
    started_at: Mapped[datetime | None]
    read_at: Mapped[datetime | None]
    # When a published build included the change, or the service gave it up.
    ended_at: Mapped[datetime | None]
    build_id: Mapped[str | None] = mapped_column(String(64))
    # Why the last run for it failed; a later one may still include it.
    error: Mapped[str | None] = mapped_column(Text)
    result: Mapped[dict[str, Any] | None] = mapped_column(JSON)


class Restatement(Owned):
    """The totals of the build before and of the first one by other rules."""

    __tablename__ = "restatements"
    __table_args__ = (
        UniqueConstraint("organization_id", "replaced_build_id", name="uq_restatements_replaced_build"),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    at: Mapped[datetime]
    replaced_build_id: Mapped[str] = mapped_column(String(64))
    build_id: Mapped[str] = mapped_column(String(64))
    version_before: Mapped[str] = mapped_column(String(32))
    version_after: Mapped[str] = mapped_column(String(32))
    # Names of the inputs that differ: what else than rules may have moved the totals.
    causes: Mapped[list[str]] = mapped_column(JSON)
    # `{"period", "start_on", "end_on", "before", "after"}`, the whole history first.
    periods: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
