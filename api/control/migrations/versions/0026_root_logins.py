"""Root logins."""

import sqlalchemy as sa
from alembic import op

from api.control.migrations.columns import reference

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "root_logins",
        sa.Column("id", sa.String(length=36), primary_key=True),
        sa.Column("credential_id", sa.String(length=100), nullable=False, unique=True),
        sa.Column("issuer", sa.String(length=100), nullable=False),
        sa.Column("signer", sa.String(length=16), nullable=False),
        sa.Column("key", sa.String(length=43), nullable=False),
        sa.Column("token_hash", sa.LargeBinary(length=32), nullable=False, unique=True),
        reference("entered_organization_id", "organizations.id", nullable=True, ondelete="SET NULL"),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("signer in ('administrator', 'service')", name="ck_root_logins_signer"),
    )


def downgrade() -> None:
    op.drop_table("root_logins")
