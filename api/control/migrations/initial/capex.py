"""CapEx policies, locks and restatements as the initial revision creates them."""

import sqlalchemy as sa
from alembic import op

TABLES = ("capex_locks", "capex_policies", "capex_locked_rows", "capex_restatements")


def create() -> None:
    """Create the tables and their indexes."""
    op.create_table(
        "capex_locks",
        sa.Column("organization_id", sa.String(length=36), nullable=False),
        sa.Column("month", sa.Date, nullable=False),
        sa.Column("build_id", sa.String(length=64), nullable=False),
        sa.Column("note", sa.String(length=1000), nullable=False),
        sa.Column("locked_by", sa.String(length=254), nullable=False),
        sa.Column("locked_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["organization_id"], ["organizations.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("organization_id", "month"),
    )
    op.create_table(
        "capex_policies",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("organization_id", sa.String(length=36), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("valid_from", sa.Date, nullable=False),
        sa.Column("reason", sa.String(length=1000), nullable=False),
        sa.Column("rules", sa.JSON, nullable=False),
        sa.Column("created_by", sa.String(length=254), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("withdrawn_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["organization_id"], ["organizations.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("organization_id", "version", name="uq_capex_policies_version"),
    )
    op.create_table(
        "capex_locked_rows",
        sa.Column("organization_id", sa.String(length=36), nullable=False),
        sa.Column("month", sa.Date, nullable=False),
        sa.Column("developer_id", sa.String(length=36), nullable=False),
        sa.Column("row", sa.JSON, nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id", "month"],
            ["capex_locks.organization_id", "capex_locks.month"],
            name="fk_capex_locked_rows_lock",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["organization_id"], ["organizations.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("organization_id", "month", "developer_id"),
    )
    op.create_table(
        "capex_restatements",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("organization_id", sa.String(length=36), nullable=False),
        sa.Column("month", sa.Date, nullable=False),
        sa.Column("developer_id", sa.String(length=36), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("build_id", sa.String(length=64), nullable=False),
        sa.Column("before", sa.JSON, nullable=True),
        sa.Column("after", sa.JSON, nullable=True),
        sa.Column("reasons", sa.JSON, nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id", "month"],
            ["capex_locks.organization_id", "capex_locks.month"],
            name="fk_capex_restatements_lock",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(["organization_id"], ["organizations.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint(
            "organization_id", "month", "developer_id", "build_id", name="uq_capex_restatements_build"
        ),
    )
