"""Settings of organizations: start of analysis, AI columns, and what they say about themselves, by version."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

SWITCHES = ("has_ai_developer_columns", "has_ai_repository_columns", "has_ai_team_columns")


def upgrade() -> None:
    # Added in place: a copy of the table would take along all rows that refer to it.
    op.add_column("organizations", sa.Column("analysis_start_on", sa.Date))
    op.add_column(
        "organizations", sa.Column("context_version", sa.Integer, nullable=False, server_default="0")
    )
    for switch in SWITCHES:
        op.add_column(
            "organizations", sa.Column(switch, sa.Boolean, nullable=False, server_default=sa.true())
        )
    op.create_table(
        "company_contexts",
        sa.Column(
            "organization_id",
            sa.String(36),
            sa.ForeignKey("organizations.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("company_contexts")
    for column in (*SWITCHES, "context_version", "analysis_start_on"):
        op.drop_column("organizations", column)
