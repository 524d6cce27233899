"""Who leads a team, and what an organization shows of single people and of small groups."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "team_leads",
        sa.Column("team_id", sa.String(36), sa.ForeignKey("teams.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("account_id", sa.String(36), primary_key=True),
        sa.Column("organization_id", sa.String(36), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id", "account_id"],
            ["members.organization_id", "members.account_id"],
            name="fk_team_leads_member",
            ondelete="CASCADE",
        ),
    )
    op.create_index("ix_team_leads_member", "team_leads", ["organization_id", "account_id"])
    # Added in place: a copy of the table would take along all rows that refer to it.
    op.add_column(
        "organizations",
        sa.Column("has_individual_figures", sa.Boolean, nullable=False, server_default=sa.true()),
    )
    op.add_column(
        "organizations", sa.Column("minimum_group_size", sa.Integer, nullable=False, server_default="0")
    )


def downgrade() -> None:
    op.drop_column("organizations", "minimum_group_size")
    op.drop_column("organizations", "has_individual_figures")
    op.drop_table("team_leads")
