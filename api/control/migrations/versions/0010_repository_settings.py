"""Where repositories are fetched from, what people set for them, and how reading them went."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

TABLE = "repositories"
COLUMNS = (
    "address",
    "chosen_branch",
    "tags",
    "is_stopped",
    "read_at",
    "failed_at",
    "failure",
    "commit_total",
)


def upgrade() -> None:
    # Added in place: a copy of the table would take along all rows that refer to it.
    op.add_column(TABLE, sa.Column("address", sa.String(4096)))
    op.add_column(TABLE, sa.Column("chosen_branch", sa.String(255)))
    op.add_column(TABLE, sa.Column("tags", sa.JSON, nullable=False, server_default="[]"))
    op.add_column(TABLE, sa.Column("is_stopped", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column(TABLE, sa.Column("read_at", sa.DateTime(timezone=True)))
    op.add_column(TABLE, sa.Column("failed_at", sa.DateTime(timezone=True)))
    op.add_column(TABLE, sa.Column("failure", sa.Text))
    op.add_column(TABLE, sa.Column("commit_total", sa.Integer))


def downgrade() -> None:
    for column in reversed(COLUMNS):
        op.drop_column(TABLE, column)
