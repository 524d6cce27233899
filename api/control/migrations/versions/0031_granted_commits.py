"""The ids of granted commits, and how many of them the organization has used up."""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "commit_grants", sa.Column("charged_commits", sa.Integer, nullable=False, server_default="0")
    )
    op.add_column("commit_grants", sa.Column("commit_ids", sa.LargeBinary, nullable=True))
    # Each commit of a range counted, until its repository is read again.
    op.execute("update commit_grants set charged_commits = last_number - first_number + 1")


def downgrade() -> None:
    op.drop_column("commit_grants", "commit_ids")
    op.drop_column("commit_grants", "charged_commits")
