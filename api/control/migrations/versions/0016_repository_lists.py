"""What the lists of repositories are sorted and counted by."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_repositories_name", "repositories", ["organization_id", sa.text("lower(name)"), "id"])
    op.create_index(
        "ix_repositories_state",
        "repositories",
        ["organization_id", "removed_at", "is_sandbox", "is_disabled", "is_stopped", "failed_at"],
    )


def downgrade() -> None:
    op.drop_index("ix_repositories_state", "repositories")
    op.drop_index("ix_repositories_name", "repositories")
