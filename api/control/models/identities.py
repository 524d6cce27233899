"""Identity decisions and developer attributes."""

from datetime import datetime

from sqlalchemy import JSON, CheckConstraint, ForeignKey, Index, String
from sqlalchemy.orm import Mapped, mapped_column

from api.control.models.base import Base, Owned, OwnedByKey


class IdentityDecision(Owned):
    """An identity decision: a merge, a split, or a dismissed suggestion. Never deleted."""

    __tablename__ = "identity_decisions"
    __table_args__ = (
        CheckConstraint("kind in ('merge', 'split', 'dismissal')", name="ck_identity_decisions_kind"),
        Index("ix_identity_decisions_time", "organization_id", "at", "id"),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    kind: Mapped[str] = mapped_column(String(16))
    at: Mapped[datetime]
    decided_by: Mapped[str] = mapped_column(String(254))
    # For a split: the former and the new developer of the addresses.
    developer_id: Mapped[str | None] = mapped_column(String(36))
    developer_name: Mapped[str | None] = mapped_column(String(255))
    new_developer_id: Mapped[str | None] = mapped_column(String(36))
    undone_at: Mapped[datetime | None]
    undone_by: Mapped[str | None] = mapped_column(String(254))
    # For a merge: the earlier merges that made its developers what figures showed at that time.
    builds_on: Mapped[list[str] | None] = mapped_column(JSON)


class IdentityPart(Base):
    """A subject of a decision: a developer, or an address of a split, with its name at that time."""

    __tablename__ = "identity_parts"

    decision_id: Mapped[str] = mapped_column(
        ForeignKey("identity_decisions.id", ondelete="CASCADE"), primary_key=True
    )
    part_id: Mapped[str] = mapped_column(String(36), primary_key=True)
    name: Mapped[str] = mapped_column(String(255))
    email: Mapped[str | None] = mapped_column(String(255))
    # For a split: whether the address stayed with the former developer although its mailbox left. Null for other
    # decisions, and for splits of earlier releases, which take out only the named addresses.
    is_left: Mapped[bool | None]


class DeveloperAttribute(OwnedByKey):
    """An attribute of a developer, under the id of that time. Without a value it was cleared."""

    __tablename__ = "developer_attributes"

    developer_id: Mapped[str] = mapped_column(String(36), primary_key=True)
    attribute: Mapped[str] = mapped_column(String(32), primary_key=True)
    value: Mapped[str | None] = mapped_column(String(2048))
