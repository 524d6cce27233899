"""Restatements of the totals of an organization."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from api.control.models.base import Base, UtcInstant


class Restatement(Base):
    """The totals of the build before and of the first one by other rules."""

    __tablename__ = "restatements"
    __table_args__ = (
        UniqueConstraint("organization_id", "replaced_build_id", name="uq_restatements_replaced_build"),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    organization_id: Mapped[str] = mapped_column(ForeignKey("organizations.id", ondelete="CASCADE"))
    at: Mapped[datetime] = mapped_column(UtcInstant)
    replaced_build_id: Mapped[str] = mapped_column(String(64))
    build_id: Mapped[str] = mapped_column(String(64))
    version_before: Mapped[str] = mapped_column(String(32))
    version_after: Mapped[str] = mapped_column(String(32))
    # Names of the inputs that differ: what else than rules may have moved the totals.
    causes: Mapped[list[str]] = mapped_column(JSON)
    # `{"period", "start_on", "end_on", "before", "after"}`, the whole history first.
    periods: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
