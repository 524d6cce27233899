"""Settings of checks, and decisions of people about occurrences."""

from datetime import date, datetime

from sqlalchemy import BigInteger, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from api.control.models.base import Owned, OwnedByKey


class CheckSetting(OwnedByKey):
    """What an organization set for a kind of check. Without a row, the defaults of the kind apply."""

    __tablename__ = "check_settings"

    kind: Mapped[str] = mapped_column(String(64), primary_key=True)
    is_on: Mapped[bool]
    threshold_micro: Mapped[int | None] = mapped_column(BigInteger)
    critical_micro: Mapped[int | None] = mapped_column(BigInteger)
    # Of the organization's own median. Where it is known, they apply instead of the numbers.
    threshold_multiple_hundredths: Mapped[int | None]
    critical_multiple_hundredths: Mapped[int | None]
    changed_by: Mapped[str] = mapped_column(String(254))
    changed_at: Mapped[datetime]


class CheckDecision(Owned):
    """A decision about an occurrence. The last one applies, the others are its history."""

    __tablename__ = "check_decisions"
    __table_args__ = (
        Index("ix_check_decisions_occurrence", "organization_id", "occurrence_id"),
        Index("ix_check_decisions_last", "organization_id", "is_last"),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    occurrence_id: Mapped[str] = mapped_column(String(36))
    # They tell with which repository the decision goes; decisions from earlier releases have none.
    repository_id: Mapped[str | None] = mapped_column(String(36))
    commit_id: Mapped[str | None] = mapped_column(String(36))
    kind: Mapped[str] = mapped_column(String(64))
    # snoozed, resolved or reopened.
    action: Mapped[str] = mapped_column(String(16))
    # First day on which a snoozed occurrence is open again.
    until_on: Mapped[date | None]
    note: Mapped[str | None] = mapped_column(String(1000))
    # The measured value then, in millionths; decisions from earlier releases have none.
    measured_micro: Mapped[int | None] = mapped_column(BigInteger)
    is_last: Mapped[bool]
    decided_by: Mapped[str] = mapped_column(String(254))
    decided_at: Mapped[datetime]
