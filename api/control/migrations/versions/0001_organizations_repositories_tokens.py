"""Organizations, repositories, API tokens and signing keys."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    instant = sa.DateTime(timezone=True)
    op.create_table(
        "organizations",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("slug", sa.String(63), nullable=False, unique=True),
        sa.Column("time_zone", sa.String(64), nullable=False),
        sa.Column("work_category_grouping", sa.String(8), nullable=False),
        sa.Column("created_at", instant, nullable=False),
        sa.CheckConstraint(
            "work_category_grouping in ('five', 'three', 'two')", name="ck_organizations_grouping"
        ),
    )
    op.create_table(
        "repositories",
        sa.Column(
            "organization_id",
            sa.String(36),
            sa.ForeignKey("organizations.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("origin", sa.String(4096), nullable=False),
        sa.Column("is_sandbox", sa.Boolean, nullable=False),
        sa.Column("is_excluded", sa.Boolean, nullable=False),
        sa.Column("is_disabled", sa.Boolean, nullable=False),
        sa.Column("analysis_start_at", instant),
        sa.Column("created_at", instant, nullable=False),
    )
    op.create_table(
        "api_tokens",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column(
            "organization_id",
            sa.String(36),
            sa.ForeignKey("organizations.id", ondelete="CASCADE"),
            nullable=False,
            index=True,
        ),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("key_hash", sa.LargeBinary(32), nullable=False, unique=True),
        sa.Column("scope", sa.String(8), nullable=False),
        sa.Column("created_at", instant, nullable=False),
        sa.Column("expires_at", instant),
        sa.Column("last_used_at", instant),
        sa.Column("revoked_at", instant),
        sa.CheckConstraint("scope in ('read', 'write')", name="ck_api_tokens_scope"),
    )
    op.create_table(
        "signing_keys",
        sa.Column("name", sa.String(32), primary_key=True),
        sa.Column("key", sa.LargeBinary(32), nullable=False),
        sa.Column("created_at", instant, nullable=False),
    )


def downgrade() -> None:
    for table in ("signing_keys", "api_tokens", "repositories", "organizations"):
        op.drop_table(table)
