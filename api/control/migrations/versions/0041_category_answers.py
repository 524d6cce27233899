"""Categories by a model endpoint: whether an organization uses them, and its answers."""

import sqlalchemy as sa
from alembic import op

from api.control.migrations.columns import reference

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "organizations",
        sa.Column("has_categories_by_model", sa.Boolean, server_default=sa.false(), nullable=False),
    )
    op.create_table(
        "category_answers",
        reference("organization_id", "organizations.id", primary_key=True),
        sa.Column("commit_id", sa.String(length=36), primary_key=True),
        sa.Column("repository_id", sa.String(length=36), nullable=False),
        sa.Column("category", sa.String(length=16), nullable=True),
        sa.Column("confidence_micro", sa.Integer, nullable=True),
        sa.Column("model", sa.String(length=255), nullable=False),
        sa.Column("prompt_version", sa.String(length=32), nullable=False),
        sa.Column("input_hash", sa.String(length=64), nullable=False),
        sa.Column("answer", sa.Text, nullable=True),
        sa.Column("failure", sa.Text, nullable=True),
        sa.Column("answered_at", sa.DateTime(timezone=True), nullable=False),
    )


def downgrade() -> None:
    op.drop_table("category_answers")
    op.drop_column("organizations", "has_categories_by_model")
