"""Subscriptions, and the events of the payment system."""

import sqlalchemy as sa
from alembic import op

from api.control.migrations.columns import reference

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "subscriptions",
        reference("organization_id", "organizations.id", primary_key=True),
        sa.Column("reference", sa.String(length=64), nullable=False, unique=True),
        sa.Column("requested_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("requested_limit", sa.Integer, nullable=True),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("grace_ends_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("warned_at", sa.DateTime(timezone=True), nullable=True),
    )
    op.create_table(
        "billing_events",
        sa.Column("id", sa.String(length=128), primary_key=True),
        reference("organization_id", "organizations.id"),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("occurred_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("commit_limit", sa.Integer, nullable=True),
        sa.Column("renews_on", sa.Date, nullable=True),
        sa.Column("grace_ends_at", sa.DateTime(timezone=True), nullable=True),
    )
    op.create_index("ix_billing_events_time", "billing_events", ["organization_id", "occurred_at", "id"])


def downgrade() -> None:
    op.drop_table("billing_events")
    op.drop_table("subscriptions")
