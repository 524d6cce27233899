"""The mail queue as the initial revision creates it."""

import sqlalchemy as sa
from alembic import op

TABLES = ("mails", "links")


def create() -> None:
    """Create the tables and their indexes."""
    op.create_table(
        "mails",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("recipient", sa.String(length=254), nullable=False),
        sa.Column("facts", sa.JSON, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_mails_due_at", "mails", ["due_at"])
    op.create_table(
        "links",
        sa.Column("key_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("purpose", sa.String(length=16), nullable=False),
        sa.Column("account_id", sa.String(length=36), nullable=False),
        sa.Column("email_key", sa.String(length=254), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("key_hash"),
    )
    op.create_index("ix_links_account_id", "links", ["account_id"])
    op.create_index("ix_links_expires_at", "links", ["expires_at"])
