"""Splits know which other names of a mailbox were left where they were."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("identity_parts", sa.Column("is_left", sa.Boolean()))


def downgrade() -> None:
    op.drop_column("identity_parts", "is_left")
