"""Used commits of a plan, and renewals."""

from datetime import date, datetime
from typing import Any

from sqlalchemy import JSON, String
from sqlalchemy.orm import Mapped, mapped_column

from api.control.models.base import OwnedByKey


class CommitGrant(OwnedByKey):
    """Range of commits of a repository that the plan of a limited organization permits.

    Numbers count the commits of the default branch in the order of their delivery, from 1.
    """

    __tablename__ = "commit_grants"

    # Kept after a removal of the repository: analysed commits stay counted.
    repository_id: Mapped[str] = mapped_column(String(36), primary_key=True)
    first_number: Mapped[int]
    last_number: Mapped[int]


class Renewal(OwnedByKey):
    """The billable developers at the start of a period. Never modified."""

    __tablename__ = "renewals"

    renewed_on: Mapped[date] = mapped_column(primary_key=True)
    counted_at: Mapped[datetime]
    build_id: Mapped[str] = mapped_column(String(64))
    # `{"id": …, "name": …, "email": …}`, by name.
    developers: Mapped[list[dict[str, Any]]] = mapped_column(JSON)
