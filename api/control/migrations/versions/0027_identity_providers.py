"""Identity providers."""

import sqlalchemy as sa
from alembic import op

from api.control.migrations.columns import reference

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "identity_providers",
        sa.Column("id", sa.String(length=36), primary_key=True),
        reference("organization_id", "organizations.id", index=True),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("issuer", sa.String(length=2048), nullable=False),
        sa.Column("client_id", sa.String(length=255), nullable=False),
        sa.Column("secret", sa.LargeBinary, nullable=False),
        sa.Column("secret_key_id", sa.String(length=16), nullable=False),
        sa.Column("domains", sa.JSON, nullable=False),
        sa.Column("signs_in_owners", sa.Boolean, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_by", sa.String(length=254), nullable=False),
    )
    op.create_table(
        "account_identities",
        sa.Column("id", sa.String(length=36), primary_key=True),
        reference("account_id", "accounts.id", index=True),
        sa.Column("scope", sa.String(length=36), nullable=False),
        reference("organization_id", "organizations.id", nullable=True),
        sa.Column("issuer", sa.String(length=512), nullable=False),
        sa.Column("subject", sa.String(length=255), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.UniqueConstraint("scope", "issuer", "subject", name="uq_account_identities_subject"),
    )
    op.create_table(
        "sign_in_flows",
        sa.Column("state_hash", sa.LargeBinary(length=32), primary_key=True),
        sa.Column("browser_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("provider", sa.String(length=64), nullable=False),
        sa.Column("invitation_id", sa.String(length=36), nullable=True),
        sa.Column("invitation_hash", sa.LargeBinary(length=32), nullable=True),
        sa.Column("device", sa.String(length=255), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False, index=True),
    )
    op.create_table(
        "sign_in_codes",
        sa.Column("code_hash", sa.LargeBinary(length=32), primary_key=True),
        sa.Column("browser_hash", sa.LargeBinary(length=32), nullable=False),
        reference("account_id", "accounts.id", index=True),
        sa.Column("provider", sa.String(length=64), nullable=False),
        sa.Column("identity_id", sa.String(length=36), nullable=False),
        sa.Column("invitation_id", sa.String(length=36), nullable=True),
        sa.Column("invitation_hash", sa.LargeBinary(length=32), nullable=True),
        sa.Column("device", sa.String(length=255), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False, index=True),
    )
    op.add_column(
        "sessions", sa.Column("signed_in_by", sa.String(length=64), server_default="password", nullable=False)
    )
    op.add_column("sessions", sa.Column("only_organization_id", sa.String(length=36), nullable=True))
    op.add_column(
        "organizations",
        sa.Column("has_password_sign_in", sa.Boolean, server_default=sa.true(), nullable=False),
    )
    op.add_column(
        "organizations",
        sa.Column("has_deployment_providers", sa.Boolean, server_default=sa.true(), nullable=False),
    )
    op.add_column(
        "organizations", sa.Column("provider_domains", sa.JSON, server_default="[]", nullable=False)
    )


def downgrade() -> None:
    for column in ("provider_domains", "has_deployment_providers", "has_password_sign_in"):
        op.drop_column("organizations", column)
    for column in ("only_organization_id", "signed_in_by"):
        op.drop_column("sessions", column)
    for table in ("sign_in_codes", "sign_in_flows", "account_identities", "identity_providers"):
        op.drop_table(table)
