"""The identity provider whose session made an API key."""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("api_tokens", sa.Column("made_by_provider", sa.String(length=36), nullable=True))


def downgrade() -> None:
    op.drop_column("api_tokens", "made_by_provider")
