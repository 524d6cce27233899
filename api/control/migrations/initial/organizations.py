"""Organizations and their company contexts as the initial revision creates them."""

import sqlalchemy as sa
from alembic import op

TABLES = ("organizations", "company_contexts")


def create() -> None:
    """Create the tables and their indexes."""
    op.create_table(
        "organizations",
        sa.Column("id", sa.String(length=36), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("slug", sa.String(length=63), nullable=False),
        sa.Column("time_zone", sa.String(length=64), nullable=False),
        sa.Column("work_category_grouping", sa.String(length=8), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("analysis_start_on", sa.Date, nullable=True),
        sa.Column("context_version", sa.Integer, server_default="0", nullable=False),
        sa.Column("has_ai_developer_columns", sa.Boolean, server_default=sa.true(), nullable=False),
        sa.Column("has_ai_repository_columns", sa.Boolean, server_default=sa.true(), nullable=False),
        sa.Column("has_ai_team_columns", sa.Boolean, server_default=sa.true(), nullable=False),
        sa.Column("has_individual_figures", sa.Boolean, server_default=sa.true(), nullable=False),
        sa.Column("minimum_group_size", sa.Integer, server_default="0", nullable=False),
        sa.Column("working_weekdays", sa.String(length=7), server_default="12345", nullable=False),
        sa.Column("hours_per_day_hundredths", sa.Integer, server_default="800", nullable=False),
        sa.Column("holidays", sa.JSON, server_default="[]", nullable=False),
        sa.Column("analysis_mode", sa.String(length=16), server_default="automatic", nullable=False),
        sa.Column("plan", sa.String(length=16), server_default="unlimited", nullable=False),
        sa.Column("commit_limit", sa.Integer, nullable=True),
        sa.Column("trial_ends_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("trial_warned_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("renews_on", sa.Date, nullable=True),
        sa.CheckConstraint(
            "work_category_grouping in ('five', 'three', 'two')", name="ck_organizations_grouping"
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("slug"),
    )
    op.create_table(
        "company_contexts",
        sa.Column("organization_id", sa.String(length=36), nullable=False),
        sa.Column("version", sa.Integer, autoincrement=False, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["organization_id"], ["organizations.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("organization_id", "version"),
    )
