"""CapEx policies, closed months with what was restated since, and the working calendar that hours are made of."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

CALENDAR = ("holidays", "hours_per_day_hundredths", "working_weekdays", "analysis_mode")


def organization(*, is_key: bool = False) -> "sa.Column[str]":
    return sa.Column(
        "organization_id",
        sa.String(36),
        sa.ForeignKey("organizations.id", ondelete="CASCADE"),
        nullable=False,
        primary_key=is_key,
    )


def upgrade() -> None:
    op.add_column(
        "organizations",
        sa.Column("working_weekdays", sa.String(7), nullable=False, server_default="12345"),
    )
    op.add_column(
        "organizations",
        sa.Column("hours_per_day_hundredths", sa.Integer, nullable=False, server_default="800"),
    )
    op.add_column("organizations", sa.Column("holidays", sa.JSON, nullable=False, server_default="[]"))
    op.add_column(
        "organizations",
        sa.Column("analysis_mode", sa.String(16), nullable=False, server_default="automatic"),
    )
    op.create_table(
        "capex_policies",
        sa.Column("id", sa.String(36), primary_key=True),
        organization(),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("valid_from", sa.Date, nullable=False),
        sa.Column("reason", sa.String(1000), nullable=False),
        sa.Column("rules", sa.JSON, nullable=False),
        sa.Column("created_by", sa.String(254), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("withdrawn_at", sa.DateTime(timezone=True)),
        sa.UniqueConstraint("organization_id", "version", name="uq_capex_policies_version"),
    )
    op.create_table(
        "capex_locks",
        organization(is_key=True),
        sa.Column("month", sa.Date, primary_key=True),
        sa.Column("build_id", sa.String(64), nullable=False),
        sa.Column("note", sa.String(1000), nullable=False),
        sa.Column("locked_by", sa.String(254), nullable=False),
        sa.Column("locked_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "capex_locked_rows",
        organization(is_key=True),
        sa.Column("month", sa.Date, primary_key=True),
        sa.Column("developer_id", sa.String(36), primary_key=True),
        sa.Column("row", sa.JSON, nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id", "month"],
            ["capex_locks.organization_id", "capex_locks.month"],
            name="fk_capex_locked_rows_lock",
            ondelete="CASCADE",
        ),
    )
    op.create_table(
        "capex_restatements",
        sa.Column("id", sa.String(36), primary_key=True),
        organization(),
        sa.Column("month", sa.Date, nullable=False),
        sa.Column("developer_id", sa.String(36), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("build_id", sa.String(64), nullable=False),
        sa.Column("before", sa.JSON),
        sa.Column("after", sa.JSON),
        sa.Column("reasons", sa.JSON, nullable=False),
        sa.UniqueConstraint(
            "organization_id", "month", "developer_id", "build_id", name="uq_capex_restatements_build"
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "month"],
            ["capex_locks.organization_id", "capex_locks.month"],
            name="fk_capex_restatements_lock",
            ondelete="CASCADE",
        ),
    )


def downgrade() -> None:
    for table in ("capex_restatements", "capex_locked_rows", "capex_locks", "capex_policies"):
        op.drop_table(table)
    for column in CALENDAR:
        op.drop_column("organizations", column)
