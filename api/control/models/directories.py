"""Users and groups that a directory keeps by SCIM, and their members."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from api.control.models.base import Base, Owned


class DirectoryUser(Owned):
    """A user of an organization's directory, and the account that the directory provisions with it."""

    __tablename__ = "directory_users"
    __table_args__ = (
        UniqueConstraint("organization_id", "user_name_key", name="uq_directory_users_name"),
        UniqueConstraint("organization_id", "account_id", name="uq_directory_users_account"),
        Index("ix_directory_users_external_id", "organization_id", "external_id"),
        Index("ix_directory_users_order", "organization_id", "id"),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    # The comparison key of `userName`: normalized, lower case.
    user_name_key: Mapped[str] = mapped_column(String(1024))
    external_id: Mapped[str | None] = mapped_column(String(255))
    # The comparison key of the address by which the user is joined to an account; null without a usable one.
    email_key: Mapped[str | None] = mapped_column(String(254))
    # The member, former member or invited person; null for a user without an address.
    account_id: Mapped[str | None] = mapped_column(ForeignKey("accounts.id", ondelete="SET NULL"), index=True)
    is_active: Mapped[bool]
    # The role that the directory asks for; null where it names none.
    asked_role: Mapped[str | None] = mapped_column(String(16))
    # The role of the membership that ended when the directory deactivated the user; null while there is one.
    former_role: Mapped[str | None] = mapped_column(String(16))
    # Every attribute that the directory sent, without those that the service makes.
    resource: Mapped[dict[str, Any]] = mapped_column(JSON)
    version: Mapped[int]
    created_at: Mapped[datetime]
    modified_at: Mapped[datetime]


class DirectoryGroup(Owned):
    """A group of an organization's directory, and the team whose memberships it keeps, if any."""

    __tablename__ = "directory_groups"
    __table_args__ = (
        Index("ix_directory_groups_name", "organization_id", "display_name_key"),
        Index("ix_directory_groups_external_id", "organization_id", "external_id"),
        Index("ix_directory_groups_order", "organization_id", "id"),
    )

    id: Mapped[str] = mapped_column(String(36), primary_key=True)
    display_name_key: Mapped[str] = mapped_column(String(1024))
    external_id: Mapped[str | None] = mapped_column(String(255))
    team_id: Mapped[str | None] = mapped_column(ForeignKey("teams.id", ondelete="SET NULL"), index=True)
    resource: Mapped[dict[str, Any]] = mapped_column(JSON)
    version: Mapped[int]
    created_at: Mapped[datetime]
    modified_at: Mapped[datetime]


class DirectoryGroupMember(Base):
    """A user or a group in a group."""

    __tablename__ = "directory_group_members"

    group_id: Mapped[str] = mapped_column(
        ForeignKey("directory_groups.id", ondelete="CASCADE"), primary_key=True
    )
    # The id of a user or of another group; `kind` says which.
    member_id: Mapped[str] = mapped_column(String(36), primary_key=True, index=True)
    kind: Mapped[str] = mapped_column(String(8))
    # The name that the directory shows for it.
    display: Mapped[str | None] = mapped_column(String(1024))
    # The team membership that the group began for the user; null where it began none.
    team_membership_id: Mapped[str | None] = mapped_column(
        ForeignKey("team_memberships.id", ondelete="SET NULL"), index=True
    )
