"""Repositories as the initial revision creates them."""

import sqlalchemy as sa
from alembic import op

TABLES = ("repositories",)


def create() -> None:
    """Create the tables and their indexes."""
    op.create_table(
        "repositories",
        sa.Column("organization_id", sa.String(length=36), nullable=False),
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("origin", sa.String(length=4096), nullable=False),
        sa.Column("is_sandbox", sa.Boolean, nullable=False),
        sa.Column("is_excluded", sa.Boolean, nullable=False),
        sa.Column("is_disabled", sa.Boolean, nullable=False),
        sa.Column("analysis_start_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("removed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("address", sa.String(length=4096), nullable=True),
        sa.Column("chosen_branch", sa.String(length=255), nullable=True),
        sa.Column("tags", sa.JSON, server_default="[]", nullable=False),
        sa.Column("is_stopped", sa.Boolean, server_default=sa.false(), nullable=False),
        sa.Column("read_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("failed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("failure", sa.Text, nullable=True),
        sa.Column("commit_total", sa.Integer, nullable=True),
        sa.ForeignKeyConstraint(["organization_id"], ["organizations.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("organization_id", "id"),
    )
    op.create_index(
        "ix_repositories_state",
        "repositories",
        ["organization_id", "removed_at", "is_sandbox", "is_disabled", "is_stopped", "failed_at"],
    )
    op.create_index("ix_repositories_name", "repositories", ["organization_id", sa.text("lower(name)"), "id"])
