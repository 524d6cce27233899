"""Used commits of a plan, and renewals."""

from datetime import date, datetime
from typing import Any

from sqlalchemy import JSON, Date, ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from api.control.models.base import Base, UtcInstant


class CommitGrant(Base):
    """Range of commits of a repository that the plan of a limited organization permits.

    Numbers count the commits of the default branch in the order of their delivery, from 1.
    """

    __tablename__ = "commit_grants"

    organization_id: Mapped[str] = mapped_column(
        ForeignKey("organizations.id", ondelete="CASCADE"), primary_key=True
    )
    # Kept after a removal of the repository: analysed commits stay counted.
    repository_id: Mapped[str] = mapped_column(String(36), primary_key=True)
    first_number: Mapped[int]
    last_number: Mapped[int]


class Renewal(Base):
    """The billable developers at the start of a period. Never modified."""

    __tablename__ = "renewals"

    organization_id: Mapped[str] = mapped_column(
        ForeignKey("organizations.id", ondelete="CASCADE"), primary_key=True
    )
    renewed_on: Mapped[date] = mapped_column(Date, primary_key=True)
    counted_at: Mapped[datetime] = mapped_column(UtcInstant)
    build_id: Mapped[str] = mapped_column(String(64))
    # `{"id": …, "name": …, "email": …}`, by name.
    developers: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
