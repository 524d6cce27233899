"""Decisions about commits, developers and CapEx as the initial revision creates them."""

import sqlalchemy as sa
from alembic import op

from api.control.migrations.columns import reference

TABLES = (
    "commit_categories",
    "commit_exclusions",
    "corrections",
    "developer_attributes",
    "identity_decisions",
    "identity_parts",
    "capex_locks",
    "capex_policies",
    "capex_locked_rows",
    "capex_restatements",
)


def create() -> None:
    """Create the tables and their indexes."""
    op.create_table(
        "commit_categories",
        reference("organization_id", "organizations.id", primary_key=True),
        sa.Column("commit_id", sa.String(length=36), primary_key=True),
        sa.Column("commit_sha", sa.String(length=64), nullable=False),
        sa.Column("category", sa.String(length=16), nullable=False),
        sa.Column("repository_id", sa.String(length=36), nullable=True),
        sa.Column("decided_by", sa.String(length=254), nullable=False),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "commit_exclusions",
        reference("organization_id", "organizations.id", primary_key=True),
        sa.Column("commit_id", sa.String(length=36), primary_key=True),
        sa.Column("is_excluded", sa.Boolean, primary_key=True),
        sa.Column("commit_sha", sa.String(length=64), nullable=False),
        sa.Column("repository_id", sa.String(length=36), nullable=False),
        sa.Column("subject", sa.String(length=255), nullable=False),
        sa.Column("reason", sa.String(length=16), nullable=True),
        sa.Column("note", sa.String(length=1000), nullable=True),
        sa.Column("import_burst_id", sa.String(length=36), nullable=True),
        sa.Column("decided_by", sa.String(length=254), nullable=False),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "corrections",
        sa.Column("id", sa.String(length=36), primary_key=True),
        reference("organization_id", "organizations.id"),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("filed_by", sa.String(length=36), nullable=False),
        sa.Column("filed_by_email", sa.String(length=254), nullable=False),
        sa.Column("filed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("developer_id", sa.String(length=36), nullable=False),
        sa.Column("developer_name", sa.String(length=255), nullable=False),
        sa.Column("text", sa.String(length=1000), nullable=False),
        sa.Column("email", sa.String(length=254), nullable=True),
        sa.Column("is_mine", sa.Boolean, nullable=True),
        sa.Column("commit_id", sa.String(length=36), nullable=True),
        sa.Column("commit_sha", sa.String(length=64), nullable=True),
        sa.Column("repository_id", sa.String(length=36), nullable=True),
        sa.Column("category", sa.String(length=16), nullable=True),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("decided_by", sa.String(length=254), nullable=True),
        sa.Column("answer", sa.String(length=1000), nullable=True),
        sa.CheckConstraint("kind in ('alias', 'exclusion', 'category')", name="ck_corrections_kind"),
        sa.CheckConstraint("state in ('pending', 'accepted', 'rejected')", name="ck_corrections_state"),
    )
    op.create_index("ix_corrections_time", "corrections", ["organization_id", "filed_at", "id"])
    op.create_table(
        "developer_attributes",
        reference("organization_id", "organizations.id", primary_key=True),
        sa.Column("developer_id", sa.String(length=36), primary_key=True),
        sa.Column("attribute", sa.String(length=32), primary_key=True),
        sa.Column("value", sa.String(length=2048), nullable=True),
    )
    op.create_table(
        "identity_decisions",
        sa.Column("id", sa.String(length=36), primary_key=True),
        reference("organization_id", "organizations.id"),
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
    )
    op.create_index("ix_identity_decisions_time", "identity_decisions", ["organization_id", "at", "id"])
    op.create_table(
        "identity_parts",
        reference("decision_id", "identity_decisions.id", primary_key=True),
        sa.Column("part_id", sa.String(length=36), primary_key=True),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("email", sa.String(length=255), nullable=True),
        sa.Column("is_left", sa.Boolean, nullable=True),
    )
    op.create_table(
        "capex_locks",
        reference("organization_id", "organizations.id", primary_key=True),
        sa.Column("month", sa.Date, primary_key=True),
        sa.Column("build_id", sa.String(length=64), nullable=False),
        sa.Column("note", sa.String(length=1000), nullable=False),
        sa.Column("locked_by", sa.String(length=254), nullable=False),
        sa.Column("locked_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "capex_policies",
        sa.Column("id", sa.String(length=36), primary_key=True),
        reference("organization_id", "organizations.id"),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("valid_from", sa.Date, nullable=False),
        sa.Column("reason", sa.String(length=1000), nullable=False),
        sa.Column("rules", sa.JSON, nullable=False),
        sa.Column("created_by", sa.String(length=254), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("withdrawn_at", sa.DateTime(timezone=True), nullable=True),
        sa.UniqueConstraint("organization_id", "version", name="uq_capex_policies_version"),
    )
    op.create_table(
        "capex_locked_rows",
        reference("organization_id", "organizations.id", primary_key=True),
        sa.Column("month", sa.Date, primary_key=True),
        sa.Column("developer_id", sa.String(length=36), primary_key=True),
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
        sa.Column("id", sa.String(length=36), primary_key=True),
        reference("organization_id", "organizations.id"),
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
        sa.UniqueConstraint(
            "organization_id", "month", "developer_id", "build_id", name="uq_capex_restatements_build"
        ),
    )
