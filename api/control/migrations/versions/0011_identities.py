"""Developers: decided merges, splits and dismissed suggestions, and what people say about developers."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "identity_decisions",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column(
            "organization_id",
            sa.String(36),
            sa.ForeignKey("organizations.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("decided_by", sa.String(254), nullable=False),
        sa.Column("developer_id", sa.String(36)),
        sa.Column("developer_name", sa.String(255)),
        sa.Column("new_developer_id", sa.String(36)),
        sa.Column("undone_at", sa.DateTime(timezone=True)),
        sa.Column("undone_by", sa.String(254)),
        sa.CheckConstraint("kind in ('merge', 'split', 'dismissal')", name="ck_identity_decisions_kind"),
    )
    op.create_index("ix_identity_decisions_time", "identity_decisions", ["organization_id", "at", "id"])
    op.create_table(
        "identity_parts",
        sa.Column(
            "decision_id",
            sa.String(36),
            sa.ForeignKey("identity_decisions.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("part_id", sa.String(36), primary_key=True),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("email", sa.String(255)),
    )
    op.create_table(
        "developer_attributes",
        sa.Column(
            "organization_id",
            sa.String(36),
            sa.ForeignKey("organizations.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("developer_id", sa.String(36), primary_key=True),
        sa.Column("attribute", sa.String(32), primary_key=True),
        sa.Column("value", sa.String(2048)),
    )


def downgrade() -> None:
    op.drop_table("developer_attributes")
    op.drop_table("identity_parts")
    op.drop_table("identity_decisions")
