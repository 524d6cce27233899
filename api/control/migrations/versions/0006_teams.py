"""Teams and the days that developers are in them."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "teams",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column(
            "organization_id",
            sa.String(36),
            sa.ForeignKey("organizations.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("parent_id", sa.String(36), sa.ForeignKey("teams.id")),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("name_key", sa.String(1024), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.UniqueConstraint("organization_id", "name_key", name="uq_teams_name"),
    )
    op.create_index("ix_teams_parent_id", "teams", ["parent_id"])
    op.create_table(
        "team_memberships",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column(
            "organization_id",
            sa.String(36),
            sa.ForeignKey("organizations.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("team_id", sa.String(36), sa.ForeignKey("teams.id", ondelete="CASCADE"), nullable=False),
        sa.Column("developer_id", sa.String(36), nullable=False),
        sa.Column("start_on", sa.Date, nullable=False),
        sa.Column("end_on", sa.Date),
        sa.UniqueConstraint("organization_id", "developer_id", "start_on", name="uq_team_memberships_start"),
        sa.CheckConstraint("end_on is null or end_on >= start_on", name="ck_team_memberships_order"),
    )
    op.create_index("ix_team_memberships_team_id", "team_memberships", ["team_id"])


def downgrade() -> None:
    op.drop_table("team_memberships")
    op.drop_table("teams")
