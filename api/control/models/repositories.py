"""Repositories and their settings."""

from datetime import datetime

from sqlalchemy import JSON, Index, String, Text, false, text
from sqlalchemy.orm import Mapped, mapped_column

from api.control.models.base import OwnedByKey


class Repository(OwnedByKey):
    __tablename__ = "repositories"
    __table_args__ = (
        Index("ix_repositories_name", "organization_id", text("lower(name)"), "id"),
        Index(
            "ix_repositories_state",
            "organization_id",
            "removed_at",
            "is_sandbox",
            "is_disabled",
            "is_stopped",
            "failed_at",
        ),
        Index("ix_repositories_connection", "organization_id", "connection_id", "provider_id"),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    name: Mapped[str] = mapped_column(String(255))
    origin: Mapped[str] = mapped_column(String(4096))
    is_sandbox: Mapped[bool]
    is_excluded: Mapped[bool]
    is_disabled: Mapped[bool]
    analysis_start_at: Mapped[datetime | None]
    created_at: Mapped[datetime]
    removed_at: Mapped[datetime | None]
    # The address to fetch from, without secrets; None: the one of the command line.
    address: Mapped[str | None] = mapped_column(String(4096))
    # None: the one that the host presents.
    chosen_branch: Mapped[str | None] = mapped_column(String(255))
    tags: Mapped[list[str]] = mapped_column(JSON, server_default="[]", default=list)
    # Not read until the next edit.
    is_stopped: Mapped[bool] = mapped_column(server_default=false(), default=False)
    # The sync status: the last success, the last failure since, the number of commits.
    read_at: Mapped[datetime | None]
    failed_at: Mapped[datetime | None]
    failure: Mapped[str | None] = mapped_column(Text)
    commit_total: Mapped[int | None]
    # Heads of all branches at that success, by name. None: nobody knows them, or they are too many to keep.
    branches: Mapped[dict[str, str] | None] = mapped_column(JSON(none_as_null=True), deferred=True)
    # The connection whose token reads it, and its id there; without foreign key, because SQLite adds none to a table.
    connection_id: Mapped[str | None] = mapped_column(String(36))
    provider_id: Mapped[str | None] = mapped_column(String(255))
