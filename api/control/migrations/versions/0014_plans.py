"""Plans: trials, limits of commit analysis and what they have granted, and who was billable at renewals."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

PLAN = ("renews_on", "trial_warned_at", "trial_ends_at", "commit_limit", "plan")


def upgrade() -> None:
    op.add_column(
        "organizations", sa.Column("plan", sa.String(16), nullable=False, server_default="unlimited")
    )
    op.add_column("organizations", sa.Column("commit_limit", sa.Integer))
    op.add_column("organizations", sa.Column("trial_ends_at", sa.DateTime(timezone=True)))
    op.add_column("organizations", sa.Column("trial_warned_at", sa.DateTime(timezone=True)))
    op.add_column("organizations", sa.Column("renews_on", sa.Date))
    op.create_table(
        "commit_grants",
        sa.Column(
            "organization_id",
            sa.String(36),
            sa.ForeignKey("organizations.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("repository_id", sa.String(36), primary_key=True),
        sa.Column("first_number", sa.Integer, nullable=False),
        sa.Column("last_number", sa.Integer, nullable=False),
    )
    op.create_table(
        "renewals",
        sa.Column(
            "organization_id",
            sa.String(36),
            sa.ForeignKey("organizations.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("renewed_on", sa.Date, primary_key=True),
        sa.Column("counted_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("build_id", sa.String(64), nullable=False),
        sa.Column("developers", sa.JSON, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("renewals")
    op.drop_table("commit_grants")
    for column in PLAN:
        op.drop_column("organizations", column)
