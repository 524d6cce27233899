"""Single-use links, mails that are due, and allowances."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    instant = sa.DateTime(timezone=True)
    op.create_table(
        "links",
        sa.Column("key_hash", sa.LargeBinary(32), primary_key=True),
        sa.Column("purpose", sa.String(16), nullable=False),
        sa.Column(
            "account_id",
            sa.String(36),
            sa.ForeignKey("accounts.id", ondelete="CASCADE"),
            nullable=False,
            index=True,
        ),
        sa.Column("email_key", sa.String(254), nullable=False),
        sa.Column("expires_at", instant, nullable=False, index=True),
    )
    op.create_table(
        "mails",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("recipient", sa.String(254), nullable=False),
        sa.Column("facts", sa.JSON, nullable=False),
        sa.Column("created_at", instant, nullable=False),
        sa.Column("due_at", instant, nullable=False, index=True),
        sa.Column("attempts", sa.Integer, nullable=False),
    )
    op.create_table(
        "throttles",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("drained_at", instant, nullable=False, index=True),
    )


def downgrade() -> None:
    for table in ("throttles", "mails", "links"):
        op.drop_table(table)
