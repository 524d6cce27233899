"""Users and groups that directories keep by SCIM."""

import sqlalchemy as sa
from alembic import op

from api.control.migrations.columns import reference

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "directory_users",
        sa.Column("id", sa.String(length=36), primary_key=True),
        reference("organization_id", "organizations.id"),
        sa.Column("user_name_key", sa.String(length=1024), nullable=False),
        sa.Column("external_id", sa.String(length=255), nullable=True),
        sa.Column("email_key", sa.String(length=254), nullable=True),
        reference("account_id", "accounts.id", nullable=True, index=True, ondelete="SET NULL"),
        sa.Column("is_active", sa.Boolean, nullable=False),
        sa.Column("asked_role", sa.String(length=16), nullable=True),
        sa.Column("former_role", sa.String(length=16), nullable=True),
        *_kept(),
        sa.UniqueConstraint("organization_id", "user_name_key", name="uq_directory_users_name"),
        sa.UniqueConstraint("organization_id", "account_id", name="uq_directory_users_account"),
    )
    op.create_table(
        "directory_groups",
        sa.Column("id", sa.String(length=36), primary_key=True),
        reference("organization_id", "organizations.id"),
        sa.Column("display_name_key", sa.String(length=1024), nullable=False),
        sa.Column("external_id", sa.String(length=255), nullable=True),
        reference("team_id", "teams.id", nullable=True, index=True, ondelete="SET NULL"),
        *_kept(),
    )
    op.create_index("ix_directory_groups_name", "directory_groups", ["organization_id", "display_name_key"])
    for table in ("directory_users", "directory_groups"):
        op.create_index(f"ix_{table}_external_id", table, ["organization_id", "external_id"])
        op.create_index(f"ix_{table}_order", table, ["organization_id", "id"])
    op.create_table(
        "directory_group_members",
        reference("group_id", "directory_groups.id", primary_key=True),
        sa.Column("member_id", sa.String(length=36), primary_key=True, index=True),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("display", sa.String(length=1024), nullable=True),
        reference(
            "team_membership_id", "team_memberships.id", nullable=True, index=True, ondelete="SET NULL"
        ),
    )


def downgrade() -> None:
    op.drop_table("directory_group_members")
    op.drop_table("directory_groups")
    op.drop_table("directory_users")


def _kept() -> tuple[sa.Column[object], ...]:
    return (
        sa.Column("resource", sa.JSON, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("modified_at", sa.DateTime(timezone=True), nullable=False),
    )
