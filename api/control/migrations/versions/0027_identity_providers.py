"""Identity providers."""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "identity_providers",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("organization_id", sa.String(length=36), nullable=False),
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
        sa.ForeignKeyConstraint(["organization_id"], ["organizations.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_identity_providers_organization_id", "identity_providers", ["organization_id"])
    op.create_table(
        "account_identities",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("account_id", sa.String(length=36), nullable=False),
        sa.Column("scope", sa.String(length=36), nullable=False),
        sa.Column("organization_id", sa.String(length=36), nullable=True),
        sa.Column("issuer", sa.String(length=512), nullable=False),
        sa.Column("subject", sa.String(length=255), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["organization_id"], ["organizations.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("scope", "issuer", "subject", name="uq_account_identities_subject"),
    )
    op.create_index("ix_account_identities_account_id", "account_identities", ["account_id"])
    op.create_table(
        "sign_in_flows",
        sa.Column("state_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("browser_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("provider", sa.String(length=64), nullable=False),
        sa.Column("invitation_id", sa.String(length=36), nullable=True),
        sa.Column("invitation_hash", sa.LargeBinary(length=32), nullable=True),
        sa.Column("device", sa.String(length=255), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("state_hash"),
    )
    op.create_index("ix_sign_in_flows_expires_at", "sign_in_flows", ["expires_at"])
    op.create_table(
        "sign_in_codes",
        sa.Column("code_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("browser_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("account_id", sa.String(length=36), nullable=False),
        sa.Column("provider", sa.String(length=64), nullable=False),
        sa.Column("identity_id", sa.String(length=36), nullable=False),
        sa.Column("invitation_id", sa.String(length=36), nullable=True),
        sa.Column("invitation_hash", sa.LargeBinary(length=32), nullable=True),
        sa.Column("device", sa.String(length=255), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("code_hash"),
    )
    op.create_index("ix_sign_in_codes_account_id", "sign_in_codes", ["account_id"])
    op.create_index("ix_sign_in_codes_expires_at", "sign_in_codes", ["expires_at"])
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
