"""Decisions about commits know the repository, with which they are deleted."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("commit_categories", sa.Column("repository_id", sa.String(36)))
    op.add_column("corrections", sa.Column("repository_id", sa.String(36)))


def downgrade() -> None:
    op.drop_column("corrections", "repository_id")
    op.drop_column("commit_categories", "repository_id")
