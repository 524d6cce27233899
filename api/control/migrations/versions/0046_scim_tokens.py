"""SCIM tokens: the keys with which directories provision members."""

import sqlalchemy as sa
from alembic import op

from api.control.migrations.columns import reference

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "scim_tokens",
        sa.Column("id", sa.String(length=36), primary_key=True),
        reference("organization_id", "organizations.id", index=True),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("key_hash", sa.LargeBinary(length=32), nullable=False, unique=True),
        reference("created_by", "accounts.id", nullable=True, index=True, ondelete="SET NULL"),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
    )


def downgrade() -> None:
    op.drop_table("scim_tokens")
