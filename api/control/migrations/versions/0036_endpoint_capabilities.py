"""What a model endpoint can do, as its answers told."""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("connections", sa.Column("capabilities", sa.JSON, nullable=True))


def downgrade() -> None:
    op.drop_column("connections", "capabilities")
