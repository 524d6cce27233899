"""Corrections that people file of their own figures, and the categories of commits that were decided by hand."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "corrections",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column(
            "organization_id",
            sa.String(36),
            sa.ForeignKey("organizations.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("filed_by", sa.String(36), nullable=False),
        sa.Column("filed_by_email", sa.String(254), nullable=False),
        sa.Column("filed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("developer_id", sa.String(36), nullable=False),
        sa.Column("developer_name", sa.String(255), nullable=False),
        sa.Column("text", sa.String(1000), nullable=False),
        sa.Column("email", sa.String(254)),
        sa.Column("is_mine", sa.Boolean),
        sa.Column("commit_id", sa.String(36)),
        sa.Column("commit_sha", sa.String(64)),
        sa.Column("category", sa.String(16)),
        sa.Column("decided_at", sa.DateTime(timezone=True)),
        sa.Column("decided_by", sa.String(254)),
        sa.Column("answer", sa.String(1000)),
        sa.CheckConstraint("kind in ('alias', 'exclusion', 'category')", name="ck_corrections_kind"),
        sa.CheckConstraint("state in ('pending', 'accepted', 'rejected')", name="ck_corrections_state"),
    )
    op.create_index("ix_corrections_time", "corrections", ["organization_id", "filed_at", "id"])
    op.create_table(
        "commit_categories",
        sa.Column(
            "organization_id",
            sa.String(36),
            sa.ForeignKey("organizations.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("commit_id", sa.String(36), primary_key=True),
        sa.Column("commit_sha", sa.String(64), nullable=False),
        sa.Column("category", sa.String(16), nullable=False),
        sa.Column("decided_by", sa.String(254), nullable=False),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("commit_categories")
    op.drop_table("corrections")
