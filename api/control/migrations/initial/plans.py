"""Commit grants and renewals as the initial revision creates them."""

import sqlalchemy as sa
from alembic import op

TABLES = ("commit_grants", "renewals")


def create() -> None:
    """Create the tables and their indexes."""
    op.create_table(
        "commit_grants",
        sa.Column("organization_id", sa.String(length=36), nullable=False),
        sa.Column("repository_id", sa.String(length=36), nullable=False),
        sa.Column("first_number", sa.Integer, nullable=False),
        sa.Column("last_number", sa.Integer, nullable=False),
        sa.ForeignKeyConstraint(["organization_id"], ["organizations.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("organization_id", "repository_id"),
    )
    op.create_table(
        "renewals",
        sa.Column("organization_id", sa.String(length=36), nullable=False),
        sa.Column("renewed_on", sa.Date, nullable=False),
        sa.Column("counted_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("build_id", sa.String(length=64), nullable=False),
        sa.Column("developers", sa.JSON, nullable=False),
        sa.ForeignKeyConstraint(["organization_id"], ["organizations.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("organization_id", "renewed_on"),
    )
