"""Teams, their leads and their members."""

from datetime import date, datetime

from sqlalchemy import (
    CheckConstraint,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    String,
    UniqueConstraint,
)
from sqlalchemy.orm import Mapped, mapped_column

from api.control.models.base import Base, Owned


class Team(Owned):
    """A team of the current tree."""

    __tablename__ = "teams"
    __table_args__ = (UniqueConstraint("organization_id", "name_key", name="uq_teams_name"),)

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    parent_id: Mapped[str | None] = mapped_column(ForeignKey("teams.id"), index=True)
    name: Mapped[str] = mapped_column(String(255))
    # The comparison key of the name (names.py).
    name_key: Mapped[str] = mapped_column(String(1024))
    created_at: Mapped[datetime]


class TeamLead(Base):
    """A lead of a team and of every team below. Removing the member removes the row."""

    __tablename__ = "team_leads"
    __table_args__ = (
        ForeignKeyConstraint(
            ["organization_id", "account_id"],
            ["members.organization_id", "members.account_id"],
            name="fk_team_leads_member",
            ondelete="CASCADE",
        ),
        Index("ix_team_leads_member", "organization_id", "account_id"),
    )

    team_id: Mapped[str] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"), primary_key=True)
    account_id: Mapped[str] = mapped_column(String(36), primary_key=True)
    organization_id: Mapped[str] = mapped_column(String(36))
    created_at: Mapped[datetime]


class TeamMembership(Owned):
    """A membership of a developer in a team. Memberships of one developer do not overlap."""

    __tablename__ = "team_memberships"
    __table_args__ = (
        UniqueConstraint("organization_id", "developer_id", "start_on", name="uq_team_memberships_start"),
        CheckConstraint("end_on is null or end_on >= start_on", name="ck_team_memberships_order"),
        # The index has the last day, so the memberships of a day are counted without reading the table.
        Index("ix_team_memberships_days", "organization_id", "start_on", "id", "end_on"),
        Index("ix_team_memberships_team", "team_id", "organization_id", "start_on", "end_on", "id"),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    team_id: Mapped[str] = mapped_column(ForeignKey("teams.id", ondelete="CASCADE"))
    # Not a foreign key: the analysis finds developers, and this database has no table of them.
    developer_id: Mapped[str] = mapped_column(String(36))
    start_on: Mapped[date]
    # The last day; null while the membership lasts.
    end_on: Mapped[date | None]
