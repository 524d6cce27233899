"""The audit log, operations and restatements as the initial revision creates them."""

import sqlalchemy as sa
from alembic import op

from api.control.migrations.columns import reference

TABLES = (
    "audit_entries",
    "operations",
    "restatements",
)


def create() -> None:
    """Create the tables and their indexes."""
    op.create_table(
        "audit_entries",
        sa.Column("id", sa.String(length=36), primary_key=True),
        reference("organization_id", "organizations.id"),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor_kind", sa.String(length=16), nullable=False),
        sa.Column("actor_id", sa.String(length=36), nullable=True),
        sa.Column("actor_name", sa.String(length=254), nullable=False),
        sa.Column("action", sa.String(length=64), nullable=False),
        sa.Column("target_kind", sa.String(length=32), nullable=False),
        sa.Column("target_id", sa.String(length=64), nullable=False),
        sa.Column("target_name", sa.String(length=255), nullable=False),
        sa.Column("before", sa.JSON, nullable=True),
        sa.Column("after", sa.JSON, nullable=True),
    )
    op.create_index("ix_audit_entries_action", "audit_entries", ["organization_id", "action", "at", "id"])
    op.create_index("ix_audit_entries_actor", "audit_entries", ["organization_id", "actor_id", "at", "id"])
    op.create_index("ix_audit_entries_name", "audit_entries", ["organization_id", "actor_name", "at", "id"])
    op.create_index("ix_audit_entries_target", "audit_entries", ["organization_id", "target_id", "at", "id"])
    op.create_index("ix_audit_entries_time", "audit_entries", ["organization_id", "at", "id"])
    op.create_table(
        "operations",
        sa.Column("id", sa.String(length=36), primary_key=True),
        reference("organization_id", "organizations.id"),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("action", sa.String(length=64), nullable=False),
        sa.Column("target_kind", sa.String(length=32), nullable=False),
        sa.Column("target_id", sa.String(length=64), nullable=False),
        sa.Column("target_name", sa.String(length=255), nullable=False),
        sa.Column("repository_id", sa.String(length=36), nullable=True),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("read_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("build_id", sa.String(length=64), nullable=True),
        sa.Column("error", sa.Text, nullable=True),
        sa.Column("result", sa.JSON, nullable=True),
        sa.UniqueConstraint("organization_id", "position", name="uq_operations_position"),
    )
    op.create_index("ix_operations_build", "operations", ["organization_id", "build_id", "position"])
    op.create_table(
        "restatements",
        sa.Column("id", sa.String(length=36), primary_key=True),
        reference("organization_id", "organizations.id"),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("replaced_build_id", sa.String(length=64), nullable=False),
        sa.Column("build_id", sa.String(length=64), nullable=False),
        sa.Column("version_before", sa.String(length=32), nullable=False),
        sa.Column("version_after", sa.String(length=32), nullable=False),
        sa.Column("causes", sa.JSON, nullable=False),
        sa.Column("periods", sa.JSON, nullable=False),
        sa.UniqueConstraint("organization_id", "replaced_build_id", name="uq_restatements_replaced_build"),
    )
