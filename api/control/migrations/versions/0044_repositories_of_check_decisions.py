"""The repository of a decision about an occurrence, so that the decision goes with it."""

import sqlalchemy as sa
from alembic import op

revision = "0044"
down_revision = "0042"
branch_labels = None
depends_on = None

COLUMNS = ("repository_id", "commit_id")


def upgrade() -> None:
    for name in COLUMNS:
        op.add_column("check_decisions", sa.Column(name, sa.String(length=36), nullable=True))


def downgrade() -> None:
    for name in reversed(COLUMNS):
        op.drop_column("check_decisions", name)
