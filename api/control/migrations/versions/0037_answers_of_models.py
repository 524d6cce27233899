"""The answer of the model that wrote a summary, from which its text can be made again."""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("summary_revisions", sa.Column("answer", sa.Text, nullable=True))
    op.add_column("summary_revisions", sa.Column("tokens", sa.JSON, nullable=True))


def downgrade() -> None:
    op.drop_column("summary_revisions", "tokens")
    op.drop_column("summary_revisions", "answer")
