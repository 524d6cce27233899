"""Accounts, mails to them, teams, rate limits and signing keys as the initial revision creates them."""

import sqlalchemy as sa
from alembic import op

from api.control.migrations.columns import reference

TABLES = (
    "accounts",
    "api_tokens",
    "invitations",
    "members",
    "sessions",
    "mails",
    "links",
    "teams",
    "team_leads",
    "team_memberships",
    "signing_keys",
    "throttles",
)


def create() -> None:
    """Create the tables and their indexes."""
    op.create_table(
        "accounts",
        sa.Column("id", sa.String(length=36), primary_key=True),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("email_key", sa.String(length=254), nullable=False, unique=True),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("password_hash", sa.String(length=255), nullable=True),
        sa.Column("is_platform_administrator", sa.Boolean, nullable=False),
        sa.Column("verified_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "api_tokens",
        sa.Column("id", sa.String(length=36), primary_key=True),
        reference("organization_id", "organizations.id", index=True),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("key_hash", sa.LargeBinary(length=32), nullable=False, unique=True),
        sa.Column("scope", sa.String(length=8), nullable=False),
        sa.Column("created_by", sa.String(length=36), nullable=True, index=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("scope in ('read', 'write')", name="ck_api_tokens_scope"),
        sa.ForeignKeyConstraint(
            ["created_by"], ["accounts.id"], name="fk_api_tokens_created_by", ondelete="CASCADE"
        ),
    )
    op.create_table(
        "invitations",
        sa.Column("id", sa.String(length=36), primary_key=True),
        reference("organization_id", "organizations.id"),
        sa.Column("email", sa.String(length=254), nullable=False),
        sa.Column("email_key", sa.String(length=254), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("invited_by", sa.String(length=254), nullable=False),
        sa.Column("generation", sa.Integer, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("role in ('owner', 'member', 'viewer')", name="ck_invitations_role"),
        sa.UniqueConstraint("organization_id", "email_key", name="uq_invitations_address"),
    )
    op.create_table(
        "members",
        reference("organization_id", "organizations.id", primary_key=True),
        reference("account_id", "accounts.id", primary_key=True, index=True),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("joined_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "role in ('owner', 'admin', 'member', 'viewer', 'team_lead')", name="ck_members_role"
        ),
    )
    op.create_table(
        "sessions",
        sa.Column("id", sa.String(length=36), primary_key=True),
        reference("account_id", "accounts.id", index=True),
        sa.Column("token_hash", sa.LargeBinary(length=32), nullable=False, unique=True),
        sa.Column("device", sa.String(length=255), nullable=False),
        reference("active_organization_id", "organizations.id", nullable=True, ondelete="SET NULL"),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "mails",
        sa.Column("id", sa.String(length=36), primary_key=True),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("recipient", sa.String(length=254), nullable=False),
        sa.Column("facts", sa.JSON, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False, index=True),
        sa.Column("attempts", sa.Integer, nullable=False),
    )
    op.create_table(
        "links",
        sa.Column("key_hash", sa.LargeBinary(length=32), primary_key=True),
        sa.Column("purpose", sa.String(length=16), nullable=False),
        reference("account_id", "accounts.id", index=True),
        sa.Column("email_key", sa.String(length=254), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False, index=True),
    )
    op.create_table(
        "teams",
        sa.Column("id", sa.String(length=36), primary_key=True),
        reference("organization_id", "organizations.id"),
        sa.Column("parent_id", sa.String(length=36), nullable=True, index=True),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("name_key", sa.String(length=1024), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["parent_id"],
            ["teams.id"],
        ),
        sa.UniqueConstraint("organization_id", "name_key", name="uq_teams_name"),
    )
    op.create_table(
        "team_leads",
        reference("team_id", "teams.id", primary_key=True),
        sa.Column("account_id", sa.String(length=36), primary_key=True),
        sa.Column("organization_id", sa.String(length=36), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id", "account_id"],
            ["members.organization_id", "members.account_id"],
            name="fk_team_leads_member",
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_team_leads_member", "team_leads", ["organization_id", "account_id"])
    op.create_table(
        "team_memberships",
        sa.Column("id", sa.String(length=36), primary_key=True),
        reference("organization_id", "organizations.id"),
        reference("team_id", "teams.id"),
        sa.Column("developer_id", sa.String(length=36), nullable=False),
        sa.Column("start_on", sa.Date, nullable=False),
        sa.Column("end_on", sa.Date, nullable=True),
        sa.CheckConstraint("end_on is null or end_on >= start_on", name="ck_team_memberships_order"),
        sa.UniqueConstraint("organization_id", "developer_id", "start_on", name="uq_team_memberships_start"),
    )
    op.create_index(
        "ix_team_memberships_days", "team_memberships", ["organization_id", "start_on", "id", "end_on"]
    )
    op.create_index(
        "ix_team_memberships_team",
        "team_memberships",
        ["team_id", "organization_id", "start_on", "end_on", "id"],
    )
    op.create_table(
        "signing_keys",
        sa.Column("name", sa.String(length=32), primary_key=True),
        sa.Column("key", sa.LargeBinary(length=32), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "throttles",
        sa.Column("key", sa.String(length=64), primary_key=True),
        sa.Column("drained_at", sa.DateTime(timezone=True), nullable=False, index=True),
    )
