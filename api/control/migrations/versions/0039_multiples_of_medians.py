"""Thresholds of checks as multiples of the organization's own median."""

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0037"
branch_labels = None
depends_on = None

COLUMNS = ("threshold_multiple_hundredths", "critical_multiple_hundredths")


def upgrade() -> None:
    for name in COLUMNS:
        op.add_column("check_settings", sa.Column(name, sa.Integer, nullable=True))


def downgrade() -> None:
    for name in reversed(COLUMNS):
        op.drop_column("check_settings", name)
