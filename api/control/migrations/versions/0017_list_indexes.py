"""What memberships, the log and the outbox are sorted, filtered and counted by."""

from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

INDEXES = (
    ("ix_team_memberships_days", "team_memberships", ["organization_id", "start_on", "id", "end_on"]),
    ("ix_audit_entries_action", "audit_entries", ["organization_id", "action", "at", "id"]),
    ("ix_audit_entries_target", "audit_entries", ["organization_id", "target_id", "at", "id"]),
    ("ix_audit_entries_actor", "audit_entries", ["organization_id", "actor_id", "at", "id"]),
    ("ix_audit_entries_name", "audit_entries", ["organization_id", "actor_name", "at", "id"]),
    ("ix_operations_build", "operations", ["organization_id", "build_id", "position"]),
)


def upgrade() -> None:
    for name, table, columns in INDEXES:
        op.create_index(name, table, columns)


def downgrade() -> None:
    for name, table, _ in reversed(INDEXES):
        op.drop_index(name, table)
