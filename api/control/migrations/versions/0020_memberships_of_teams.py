"""Memberships of many teams are counted without the rows themselves."""

from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        "ix_team_memberships_team",
        "team_memberships",
        ["team_id", "organization_id", "start_on", "end_on", "id"],
    )
    op.drop_index("ix_team_memberships_team_id", "team_memberships")


def downgrade() -> None:
    op.create_index("ix_team_memberships_team_id", "team_memberships", ["team_id"])
    op.drop_index("ix_team_memberships_team", "team_memberships")
