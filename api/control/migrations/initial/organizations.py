"""Organizations, their plans and their repositories as the initial revision creates them."""

import sqlalchemy as sa
from alembic import op

from api.control.migrations.columns import reference

TABLES = (
    "organizations",
    "company_contexts",
    "commit_grants",
    "renewals",
    "repositories",
)


def create() -> None:
    """Create the tables and their indexes."""
    op.create_table(
        "organizations",
        sa.Column("id", sa.String(length=36), primary_key=True),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("slug", sa.String(length=63), nullable=False, unique=True),
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
    )
    op.create_table(
        "company_contexts",
        reference("organization_id", "organizations.id", primary_key=True),
        sa.Column("version", sa.Integer, autoincrement=False, primary_key=True),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "commit_grants",
        reference("organization_id", "organizations.id", primary_key=True),
        sa.Column("repository_id", sa.String(length=36), primary_key=True),
        sa.Column("first_number", sa.Integer, nullable=False),
        sa.Column("last_number", sa.Integer, nullable=False),
    )
    op.create_table(
        "renewals",
        reference("organization_id", "organizations.id", primary_key=True),
        sa.Column("renewed_on", sa.Date, primary_key=True),
        sa.Column("counted_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("build_id", sa.String(length=64), nullable=False),
        sa.Column("developers", sa.JSON, nullable=False),
    )
    op.create_table(
        "repositories",
        reference("organization_id", "organizations.id", primary_key=True),
        sa.Column("id", sa.String(length=36), primary_key=True),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("origin", sa.String(length=4096), nullable=False),
        sa.Column("is_sandbox", sa.Boolean, nullable=False),
        sa.Column("is_excluded", sa.Boolean, nullable=False),
        sa.Column("is_disabled", sa.Boolean, nullable=False),
        sa.Column("analysis_start_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("removed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("address", sa.String(length=4096), nullable=True),
        sa.Column("chosen_branch", sa.String(length=255), nullable=True),
        sa.Column("tags", sa.JSON, server_default="[]", nullable=False),
        sa.Column("is_stopped", sa.Boolean, server_default=sa.false(), nullable=False),
        sa.Column("read_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("failed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("failure", sa.Text, nullable=True),
        sa.Column("commit_total", sa.Integer, nullable=True),
    )
    op.create_index(
        "ix_repositories_state",
        "repositories",
        ["organization_id", "removed_at", "is_sandbox", "is_disabled", "is_stopped", "failed_at"],
    )
    op.create_index("ix_repositories_name", "repositories", ["organization_id", sa.text("lower(name)"), "id"])
