"""Of a commit that people count, the burst that they decided about as a whole."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("commit_exclusions", sa.Column("import_burst_id", sa.String(36)))


def downgrade() -> None:
    with op.batch_alter_table("commit_exclusions") as table:
        table.drop_column("import_burst_id")
