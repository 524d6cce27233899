"""When somebody asked that a repository be removed."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("repositories", sa.Column("removed_at", sa.DateTime(timezone=True)))


def downgrade() -> None:
    with op.batch_alter_table("repositories") as table:
        table.drop_column("removed_at")
