"""Prices that organizations agreed with vendors of models, and the developers behind actors of AI tools."""

import sqlalchemy as sa
from alembic import op

from api.control.migrations.columns import reference

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None

PRICES = ("input", "cache_read", "cache_write_5m", "cache_write_1h", "output")


def upgrade() -> None:
    op.create_table(
        "ai_prices",
        sa.Column("id", sa.String(length=36), primary_key=True),
        reference("organization_id", "organizations.id"),
        sa.Column("model", sa.String(length=200), nullable=False),
        sa.Column("valid_from", sa.Date, nullable=False),
        sa.Column("valid_until", sa.Date, nullable=True),
        sa.Column("priced_as", sa.String(length=200), nullable=True),
        sa.Column("discount_hundredths", sa.Integer, nullable=True),
        *(sa.Column(f"{kind}_pico", sa.BigInteger, nullable=True) for kind in PRICES),
        sa.Column("reason", sa.String(length=1000), nullable=False),
        sa.Column("created_by", sa.String(length=254), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("withdrawn_at", sa.DateTime(timezone=True), nullable=True),
    )
    op.create_index("ix_ai_prices_organization", "ai_prices", ["organization_id", "id"])
    op.create_table(
        "ai_actors",
        reference("organization_id", "organizations.id", primary_key=True),
        sa.Column("actor", sa.String(length=255), primary_key=True),
        sa.Column("id", sa.String(length=36), nullable=False, unique=True),
        sa.Column("developer_id", sa.String(length=36), nullable=True),
        sa.Column("developer_name", sa.String(length=255), nullable=True),
        sa.Column("decided_by", sa.String(length=254), nullable=False),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("ai_actors")
    op.drop_table("ai_prices")
