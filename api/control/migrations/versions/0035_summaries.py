"""Summaries of completed periods, and their texts."""

import sqlalchemy as sa
from alembic import op

from api.control.migrations.columns import reference

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "summaries",
        sa.Column("id", sa.String(length=36), primary_key=True),
        reference("organization_id", "organizations.id"),
        sa.Column("scope_kind", sa.String(length=16), nullable=False),
        sa.Column("scope_id", sa.String(length=36), nullable=False),
        sa.Column("scope_name", sa.String(length=255), nullable=False),
        sa.Column("period", sa.String(length=8), nullable=False),
        sa.Column("period_start", sa.Date, nullable=False),
        sa.Column("period_end", sa.Date, nullable=False),
        sa.Column("revision_count", sa.Integer, nullable=False),
        sa.UniqueConstraint(
            "organization_id", "scope_kind", "scope_id", "period", "period_start", name="uq_summaries_period"
        ),
    )
    op.create_index("ix_summaries_start", "summaries", ["organization_id", "period_start", "id"])
    op.create_table(
        "summary_revisions",
        reference("summary_id", "summaries.id", primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        reference("organization_id", "organizations.id"),
        sa.Column("generated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("build_id", sa.String(length=64), nullable=False),
        sa.Column("calculation_version", sa.String(length=64), nullable=False),
        sa.Column("context_version", sa.Integer, nullable=False),
        sa.Column("facts", sa.JSON, nullable=False),
        sa.Column("document", sa.JSON, nullable=False),
        sa.Column("facts_digest", sa.String(length=64), nullable=False),
        sa.Column("written_by", sa.String(length=8), nullable=False),
        sa.Column("model", sa.String(length=255), nullable=True),
        sa.Column("prompt_version", sa.String(length=32), nullable=True),
        sa.Column("input_hash", sa.String(length=64), nullable=True),
        sa.Column("failure", sa.Text, nullable=True),
        sa.Column("operation_id", sa.String(length=36), nullable=True),
        sa.Column("restated_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("restated_build_id", sa.String(length=64), nullable=True),
        sa.Column("restated_facts", sa.JSON, nullable=False),
    )
    op.create_index("ix_summary_revisions_organization", "summary_revisions", ["organization_id"])


def downgrade() -> None:
    op.drop_table("summary_revisions")
    op.drop_table("summaries")
