"""CapEx policies, closed months and their restatements."""

from datetime import date, datetime
from typing import Any

from sqlalchemy import JSON, ForeignKeyConstraint, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from api.control.models.base import Owned, OwnedByKey


class CapexPolicy(Owned):
    """A version of the CapEx policy. It never changes; a later version or a withdrawal ends its use."""

    __tablename__ = "capex_policies"
    __table_args__ = (UniqueConstraint("organization_id", "version", name="uq_capex_policies_version"),)

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    version: Mapped[int]
    # First day of the first month that it applies to.
    valid_from: Mapped[date]
    reason: Mapped[str] = mapped_column(String(1000))
    rules: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
    # A copy: the policy outlives accounts and keys.
    created_by: Mapped[str] = mapped_column(String(254))
    created_at: Mapped[datetime]
    withdrawn_at: Mapped[datetime | None]


class CapexLock(OwnedByKey):
    """A closed month of the report."""

    __tablename__ = "capex_locks"

    month: Mapped[date] = mapped_column(primary_key=True)
    build_id: Mapped[str] = mapped_column(String(64))
    note: Mapped[str] = mapped_column(String(1000))
    locked_by: Mapped[str] = mapped_column(String(254))
    locked_at: Mapped[datetime]


OF_A_LOCK = ["capex_locks.organization_id", "capex_locks.month"]


class CapexLockedRow(OwnedByKey):
    """A row of the report at the time when its month was closed."""

    __tablename__ = "capex_locked_rows"
    __table_args__ = (
        ForeignKeyConstraint(
            ["organization_id", "month"], OF_A_LOCK, name="fk_capex_locked_rows_lock", ondelete="CASCADE"
        ),
    )

    month: Mapped[date] = mapped_column(primary_key=True)
    developer_id: Mapped[str] = mapped_column(String(36), primary_key=True)
    row: Mapped[dict[str, Any]] = mapped_column(JSON)


class CapexRestatement(Owned):
    """The change of a row of a closed month by a published build, and its reason."""

    __tablename__ = "capex_restatements"
    __table_args__ = (
        UniqueConstraint(
            "organization_id", "month", "developer_id", "build_id", name="uq_capex_restatements_build"
        ),
        ForeignKeyConstraint(
            ["organization_id", "month"], OF_A_LOCK, name="fk_capex_restatements_lock", ondelete="CASCADE"
        ),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    month: Mapped[date]
    developer_id: Mapped[str] = mapped_column(String(36))
    at: Mapped[datetime]
    build_id: Mapped[str] = mapped_column(String(64))
    # None: the row came, or went.
    before: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    after: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    reasons: Mapped[list[str]] = mapped_column(JSON)
