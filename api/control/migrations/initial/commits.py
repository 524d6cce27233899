"""Commit exclusions, commit categories and corrections as the initial revision creates them."""

import sqlalchemy as sa
from alembic import op

TABLES = ("commit_categories", "commit_exclusions", "corrections")


def create() -> None:
    """Create the tables and their indexes."""
    op.create_table(
        "commit_categories",
        sa.Column("organization_id", sa.String(length=36), nullable=False),
        sa.Column("commit_id", sa.String(length=36), nullable=False),
        sa.Column("commit_sha", sa.String(length=64), nullable=False),
        sa.Column("category", sa.String(length=16), nullable=False),
        sa.Column("repository_id", sa.String(length=36), nullable=True),
        sa.Column("decided_by", sa.String(length=254), nullable=False),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["organization_id"], ["organizations.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("organization_id", "commit_id"),
    )
    op.create_table(
        "commit_exclusions",
        sa.Column("organization_id", sa.String(length=36), nullable=False),
        sa.Column("commit_id", sa.String(length=36), nullable=False),
        sa.Column("is_excluded", sa.Boolean, nullable=False),
        sa.Column("commit_sha", sa.String(length=64), nullable=False),
        sa.Column("repository_id", sa.String(length=36), nullable=False),
        sa.Column("subject", sa.String(length=255), nullable=False),
        sa.Column("reason", sa.String(length=16), nullable=True),
        sa.Column("note", sa.String(length=1000), nullable=True),
        sa.Column("import_burst_id", sa.String(length=36), nullable=True),
        sa.Column("decided_by", sa.String(length=254), nullable=False),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["organization_id"], ["organizations.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("organization_id", "commit_id", "is_excluded"),
    )
    op.create_table(
        "corrections",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("organization_id", sa.String(length=36), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("filed_by", sa.String(length=36), nullable=False),
        sa.Column("filed_by_email", sa.String(length=254), nullable=False),
        sa.Column("filed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("developer_id", sa.String(length=36), nullable=False),
        sa.Column("developer_name", sa.String(length=255), nullable=False),
        sa.Column("text", sa.String(length=1000), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=True),
        sa.Column("is_mine", sa.Boolean, nullable=True),
        sa.Column("commit_id", sa.String(length=36), nullable=True),
        sa.Column("commit_sha", sa.String(length=64), nullable=True),
        sa.Column("repository_id", sa.String(length=36), nullable=True),
        sa.Column("category", sa.String(length=16), nullable=True),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("decided_by", sa.String(length=254), nullable=True),
        sa.Column("answer", sa.String(length=1000), nullable=True),
        sa.CheckConstraint("kind in ('alias', 'exclusion', 'category')", name="ck_corrections_kind"),
        sa.CheckConstraint("state in ('pending', 'accepted', 'rejected')", name="ck_corrections_state"),
        sa.ForeignKeyConstraint(["organization_id"], ["organizations.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_corrections_time", "corrections", ["organization_id", "filed_at", "id"])
