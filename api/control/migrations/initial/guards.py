"""Rate limits and signing keys as the initial revision creates them."""

import sqlalchemy as sa
from alembic import op

TABLES = ("signing_keys", "throttles")


def create() -> None:
    """Create the tables and their indexes."""
    op.create_table(
        "signing_keys",
        sa.Column("name", sa.String(length=32), nullable=False),
        sa.Column("key", sa.LargeBinary(length=32), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "throttles",
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("drained_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_index("ix_throttles_drained_at", "throttles", ["drained_at"])
