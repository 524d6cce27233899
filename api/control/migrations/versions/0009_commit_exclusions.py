"""What people decided about single commits."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "commit_exclusions",
        sa.Column(
            "organization_id",
            sa.String(36),
            sa.ForeignKey("organizations.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("commit_id", sa.String(36), primary_key=True),
        sa.Column("is_excluded", sa.Boolean, primary_key=True),
        sa.Column("commit_sha", sa.String(64), nullable=False),
        sa.Column("repository_id", sa.String(36), nullable=False),
        sa.Column("subject", sa.String(255), nullable=False),
        sa.Column("reason", sa.String(16)),
        sa.Column("note", sa.String(1000)),
        sa.Column("decided_by", sa.String(254), nullable=False),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("commit_exclusions")
