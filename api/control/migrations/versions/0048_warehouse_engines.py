"""The engine that builds the warehouse of an organization."""

import sqlalchemy as sa
from alembic import op

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("organizations", sa.Column("warehouse_engine", sa.String(16), nullable=True))


def downgrade() -> None:
    op.drop_column("organizations", "warehouse_engine")
