"""Restatements of organizations as the initial revision creates them."""

import sqlalchemy as sa
from alembic import op

TABLES = ("restatements",)


def create() -> None:
    """Create the tables and their indexes."""
    op.create_table(
        "restatements",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("organization_id", sa.String(length=36), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("replaced_build_id", sa.String(length=64), nullable=False),
        sa.Column("build_id", sa.String(length=64), nullable=False),
        sa.Column("version_before", sa.String(length=32), nullable=False),
        sa.Column("version_after", sa.String(length=32), nullable=False),
        sa.Column("causes", sa.JSON, nullable=False),
        sa.Column("periods", sa.JSON, nullable=False),
        sa.ForeignKeyConstraint(["organization_id"], ["organizations.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("organization_id", "replaced_build_id", name="uq_restatements_replaced_build"),
    )
