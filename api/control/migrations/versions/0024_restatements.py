"""How other rules changed the totals of organizations."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "restatements",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column(
            "organization_id",
            sa.String(36),
            sa.ForeignKey("organizations.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("replaced_build_id", sa.String(64), nullable=False),
        sa.Column("build_id", sa.String(64), nullable=False),
        sa.Column("version_before", sa.String(32), nullable=False),
        sa.Column("version_after", sa.String(32), nullable=False),
        sa.Column("causes", sa.JSON, nullable=False),
        sa.Column("periods", sa.JSON, nullable=False),
        sa.UniqueConstraint("organization_id", "replaced_build_id", name="uq_restatements_replaced_build"),
    )


def downgrade() -> None:
    op.drop_table("restatements")
