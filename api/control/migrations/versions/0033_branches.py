"""The branches of a repository at its last reading."""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("repositories", sa.Column("branches", sa.JSON, nullable=True))


def downgrade() -> None:
    op.drop_column("repositories", "branches")
