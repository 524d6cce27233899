"""Settings of checks and decisions about their occurrences."""

import sqlalchemy as sa
from alembic import op

from api.control.migrations.columns import reference

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "check_settings",
        reference("organization_id", "organizations.id", primary_key=True),
        sa.Column("kind", sa.String(length=64), primary_key=True),
        sa.Column("is_on", sa.Boolean, nullable=False),
        sa.Column("threshold_micro", sa.BigInteger, nullable=True),
        sa.Column("critical_micro", sa.BigInteger, nullable=True),
        sa.Column("changed_by", sa.String(length=254), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "check_decisions",
        sa.Column("id", sa.String(length=36), primary_key=True),
        reference("organization_id", "organizations.id"),
        sa.Column("occurrence_id", sa.String(length=36), nullable=False),
        sa.Column("kind", sa.String(length=64), nullable=False),
        sa.Column("action", sa.String(length=16), nullable=False),
        sa.Column("until_on", sa.Date, nullable=True),
        sa.Column("note", sa.String(length=1000), nullable=True),
        sa.Column("is_last", sa.Boolean, nullable=False),
        sa.Column("decided_by", sa.String(length=254), nullable=False),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("ix_check_decisions_occurrence", "check_decisions", ["organization_id", "occurrence_id"])
    op.create_index("ix_check_decisions_last", "check_decisions", ["organization_id", "is_last"])


def downgrade() -> None:
    op.drop_table("check_decisions")
    op.drop_table("check_settings")
