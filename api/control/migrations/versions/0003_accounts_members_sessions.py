"""Accounts, their memberships and sessions, and which account made an API token."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    instant = sa.DateTime(timezone=True)
    op.create_table(
        "accounts",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("email", sa.String(254), nullable=False),
        sa.Column("email_key", sa.String(254), nullable=False, unique=True),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("password_hash", sa.String(255)),
        sa.Column("is_platform_administrator", sa.Boolean, nullable=False),
        sa.Column("verified_at", instant),
        sa.Column("created_at", instant, nullable=False),
    )
    op.create_table(
        "members",
        sa.Column(
            "organization_id",
            sa.String(36),
            sa.ForeignKey("organizations.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column(
            "account_id",
            sa.String(36),
            sa.ForeignKey("accounts.id", ondelete="CASCADE"),
            primary_key=True,
            index=True,
        ),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("joined_at", instant, nullable=False),
        sa.CheckConstraint(
            "role in ('owner', 'admin', 'member', 'viewer', 'team_lead')", name="ck_members_role"
        ),
    )
    op.create_table(
        "sessions",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column(
            "account_id",
            sa.String(36),
            sa.ForeignKey("accounts.id", ondelete="CASCADE"),
            nullable=False,
            index=True,
        ),
        sa.Column("token_hash", sa.LargeBinary(32), nullable=False, unique=True),
        sa.Column("device", sa.String(255), nullable=False),
        sa.Column(
            "active_organization_id", sa.String(36), sa.ForeignKey("organizations.id", ondelete="SET NULL")
        ),
        sa.Column("created_at", instant, nullable=False),
        sa.Column("last_used_at", instant, nullable=False),
        sa.Column("expires_at", instant, nullable=False),
    )
    with op.batch_alter_table("api_tokens") as table:
        table.add_column(
            sa.Column(
                "created_by",
                sa.String(36),
                sa.ForeignKey("accounts.id", ondelete="CASCADE", name="fk_api_tokens_created_by"),
            )
        )
        table.create_index("ix_api_tokens_created_by", ["created_by"])


def downgrade() -> None:
    with op.batch_alter_table("api_tokens") as table:
        table.drop_index("ix_api_tokens_created_by")
        table.drop_constraint("fk_api_tokens_created_by", type_="foreignkey")
        table.drop_column("created_by")
    for table_name in ("sessions", "members", "accounts"):
        op.drop_table(table_name)
