"""Subscriptions to summaries by mail."""

import sqlalchemy as sa
from alembic import op

from api.control.migrations.columns import reference

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "summary_subscriptions",
        sa.Column("id", sa.String(length=36), primary_key=True),
        reference("organization_id", "organizations.id"),
        sa.Column("account_id", sa.String(length=36), nullable=False),
        sa.Column("scope_kind", sa.String(length=16), nullable=False),
        sa.Column("scope_id", sa.String(length=36), nullable=False),
        sa.Column("period", sa.String(length=8), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("mailed_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["organization_id", "account_id"],
            ["members.organization_id", "members.account_id"],
            name="fk_summary_subscriptions_member",
            ondelete="CASCADE",
        ),
        sa.UniqueConstraint(
            "organization_id",
            "account_id",
            "scope_kind",
            "scope_id",
            "period",
            name="uq_summary_subscriptions",
        ),
    )
    op.create_index(
        "ix_summary_subscriptions_scope", "summary_subscriptions", ["organization_id", "scope_id", "period"]
    )


def downgrade() -> None:
    op.drop_table("summary_subscriptions")
