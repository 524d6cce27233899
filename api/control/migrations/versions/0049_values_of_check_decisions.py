"""The measured value when an occurrence was decided, which goes on after it."""

import sqlalchemy as sa
from alembic import op

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("check_decisions", sa.Column("measured_micro", sa.BigInteger, nullable=True))


def downgrade() -> None:
    op.drop_column("check_decisions", "measured_micro")
