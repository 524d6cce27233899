"""Identity decisions and developer attributes as the initial revision creates them."""

import sqlalchemy as sa
from alembic import op

TABLES = ("developer_attributes", "identity_decisions", "identity_parts")


def create() -> None:
    """Create the tables and their indexes."""
    op.create_table(
        "developer_attributes",
        sa.Column("organization_id", sa.String(length=36), nullable=False),
        sa.Column("developer_id", sa.String(length=36), nullable=False),
        sa.Column("attribute", sa.String(length=32), nullable=False),
        sa.Column("value", sa.String(length=2048), nullable=True),
        sa.ForeignKeyConstraint(["organization_id"], ["organizations.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("organization_id", "developer_id", "attribute"),
    )
    op.create_table(
        "identity_decisions",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("organization_id", sa.String(length=36), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("decided_by", sa.String(length=254), nullable=False),
        sa.Column("developer_id", sa.String(length=36), nullable=True),
        sa.Column("developer_name", sa.String(length=255), nullable=True),
        sa.Column("new_developer_id", sa.String(length=36), nullable=True),
        sa.Column("undone_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("undone_by", sa.String(length=254), nullable=True),
        sa.Column("builds_on", sa.JSON, nullable=True),
        sa.CheckConstraint("kind in ('merge', 'split', 'dismissal')", name="ck_identity_decisions_kind"),
        sa.ForeignKeyConstraint(["organization_id"], ["organizations.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_identity_decisions_time", "identity_decisions", ["organization_id", "at", "id"])
    op.create_table(
        "identity_parts",
        sa.Column("decision_id", sa.String(length=36), nullable=False),
        sa.Column("part_id", sa.String(length=36), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("email", sa.String(length=255), nullable=True),
        sa.Column("is_left", sa.Boolean, nullable=True),
        sa.ForeignKeyConstraint(["decision_id"], ["identity_decisions.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("decision_id", "part_id"),
    )
