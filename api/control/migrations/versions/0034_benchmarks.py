"""Saved groups whose figures others are compared with."""

import sqlalchemy as sa
from alembic import op

from api.control.migrations.columns import reference

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "benchmarks",
        sa.Column("id", sa.String(length=36), primary_key=True),
        reference("organization_id", "organizations.id"),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("name_key", sa.String(length=1024), nullable=False),
        sa.Column("member_kind", sa.String(length=16), nullable=False),
        sa.Column("member_ids", sa.JSON, nullable=False),
        sa.Column("aggregation", sa.String(length=16), nullable=False),
        sa.Column("percentile", sa.Integer, nullable=True),
        sa.Column("created_by", sa.String(length=254), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.UniqueConstraint("organization_id", "name_key", name="uq_benchmarks_name"),
    )
    op.create_index("ix_benchmarks_created", "benchmarks", ["organization_id", "created_at", "id"])


def downgrade() -> None:
    op.drop_table("benchmarks")
