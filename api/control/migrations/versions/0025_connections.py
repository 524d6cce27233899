"""Connections to Git hosts and issue trackers."""

import sqlalchemy as sa
from alembic import op

from api.control.migrations.columns import reference

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "connections",
        sa.Column("id", sa.String(length=36), primary_key=True),
        reference("organization_id", "organizations.id"),
        sa.Column("kind", sa.String(length=32), nullable=False),
        sa.Column("category", sa.String(length=16), nullable=False),
        sa.Column("address", sa.String(length=2048), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("user", sa.String(length=254), nullable=False),
        sa.Column("secret", sa.LargeBinary, nullable=False),
        sa.Column("secret_key_id", sa.String(length=16), nullable=False),
        sa.Column("options", sa.JSON, nullable=False),
        sa.Column("default_levels", sa.JSON, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_by", sa.String(length=254), nullable=False),
        sa.Column("removed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("account", sa.String(length=254), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("health", sa.String(length=16), nullable=False),
        sa.Column("last_synced_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_attempt_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("next_attempt_at", sa.DateTime(timezone=True), nullable=True, index=True),
        sa.Column("failure", sa.Text, nullable=True),
        sa.Column("failure_reason", sa.String(length=32), nullable=True),
        sa.Column("warnings", sa.JSON, nullable=False),
        sa.Column("row_counts", sa.JSON, nullable=False),
        sa.Column("item_counts", sa.JSON, nullable=False),
        sa.Column("team_names", sa.JSON, nullable=False),
        sa.Column("counted_at", sa.DateTime(timezone=True), nullable=True),
    )
    op.create_index("ix_connections_name", "connections", ["organization_id", sa.text("lower(name)"), "id"])
    op.create_table(
        "connection_events",
        sa.Column("id", sa.String(length=36), primary_key=True),
        reference("connection_id", "connections.id"),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("health", sa.String(length=16), nullable=False),
        sa.Column("reason", sa.String(length=32), nullable=True),
        sa.Column("message", sa.Text, nullable=True),
    )
    op.create_index("ix_connection_events_at", "connection_events", ["connection_id", "at", "id"])
    op.create_table(
        "available_repositories",
        reference("connection_id", "connections.id", primary_key=True),
        sa.Column("provider_id", sa.String(length=255), primary_key=True),
        sa.Column("repository_id", sa.String(length=36), nullable=False),
        sa.Column("owner", sa.String(length=1024), nullable=False),
        sa.Column("name", sa.String(length=1024), nullable=False),
        sa.Column("address", sa.String(length=4096), nullable=False),
        sa.Column("url", sa.String(length=4096), nullable=True),
        sa.Column("default_branch", sa.String(length=255), nullable=True),
        sa.Column("is_archived", sa.Boolean, nullable=False),
        sa.Column("is_empty", sa.Boolean, nullable=False),
        sa.Column("is_fork", sa.Boolean, nullable=False),
        sa.Column("is_private", sa.Boolean, nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=True),
    )
    op.create_index(
        "ix_available_repositories_name",
        "available_repositories",
        ["connection_id", sa.text("lower(owner)"), sa.text("lower(name)")],
    )
    op.create_table(
        "connection_levels",
        reference("connection_id", "connections.id", primary_key=True),
        sa.Column("item_kind", sa.String(length=64), primary_key=True),
        sa.Column("level", sa.String(length=16), nullable=False),
    )
    op.create_table(
        "tracker_teams",
        reference("connection_id", "connections.id", primary_key=True),
        sa.Column("team_key", sa.String(length=255), primary_key=True),
        reference("team_id", "teams.id", index=True),
    )
    op.add_column("repositories", sa.Column("connection_id", sa.String(length=36), nullable=True))
    op.add_column("repositories", sa.Column("provider_id", sa.String(length=255), nullable=True))
    op.create_index(
        "ix_repositories_connection", "repositories", ["organization_id", "connection_id", "provider_id"]
    )
    op.add_column("operations", sa.Column("connection_id", sa.String(length=36), nullable=True))


def downgrade() -> None:
    op.drop_column("operations", "connection_id")
    op.drop_index("ix_repositories_connection", "repositories")
    op.drop_column("repositories", "provider_id")
    op.drop_column("repositories", "connection_id")
    for table in (
        "tracker_teams",
        "connection_levels",
        "available_repositories",
        "connection_events",
        "connections",
    ):
        op.drop_table(table)
