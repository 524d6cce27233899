"""Teams, their members and their leads as the initial revision creates them."""

import sqlalchemy as sa
from alembic import op

TABLES = ("teams", "team_leads", "team_memberships")


def create() -> None:
    """Create the tables and their indexes."""
    op.create_table(
        "teams",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("organization_id", sa.String(length=36), nullable=False),
        sa.Column("parent_id", sa.String(length=36), nullable=True),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("name_key", sa.String(length=1024), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["organization_id"], ["organizations.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["parent_id"],
            ["teams.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("organization_id", "name_key", name="uq_teams_name"),
    )
    op.create_index("ix_teams_parent_id", "teams", ["parent_id"])
    op.create_table(
        "team_leads",
        sa.Column("team_id", sa.String(length=36), nullable=False),
        sa.Column("account_id", sa.String(length=36), nullable=False),
        sa.Column("organization_id", sa.String(length=36), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id", "account_id"],
            ["members.organization_id", "members.account_id"],
            name="fk_team_leads_member",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("team_id", "account_id"),
    )
    op.create_index("ix_team_leads_member", "team_leads", ["organization_id", "account_id"])
    op.create_table(
        "team_memberships",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("organization_id", sa.String(length=36), nullable=False),
        sa.Column("team_id", sa.String(length=36), nullable=False),
        sa.Column("developer_id", sa.String(length=36), nullable=False),
        sa.Column("start_on", sa.Date, nullable=False),
        sa.Column("end_on", sa.Date, nullable=True),
        sa.CheckConstraint("end_on is null or end_on >= start_on", name="ck_team_memberships_order"),
        sa.ForeignKeyConstraint(["organization_id"], ["organizations.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["team_id"], ["teams.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
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
