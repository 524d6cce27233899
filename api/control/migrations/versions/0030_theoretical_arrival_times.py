"""The time of a rate limit by the name that its algorithm gives it."""

from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _rename("drained_at", "theoretical_arrival_at")


def downgrade() -> None:
    _rename("theoretical_arrival_at", "drained_at")


def _rename(old: str, new: str) -> None:
    op.drop_index(f"ix_throttles_{old}", "throttles")
    op.alter_column("throttles", old, new_column_name=new)
    op.create_index(f"ix_throttles_{new}", "throttles", [new])
