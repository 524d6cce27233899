"""Names of teams are compared as they look: a letter and its accent are the letter with the accent."""

import unicodedata

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    connection = op.get_bind()
    teams = sa.table(
        "teams",
        sa.column("id", sa.String),
        sa.column("organization_id", sa.String),
        sa.column("name", sa.String),
        sa.column("name_key", sa.String),
    )
    rows = connection.execute(sa.select(teams).order_by(teams.c.id)).all()
    taken = {(row.organization_id, row.name_key) for row in rows}
    for row in rows:
        key = (row.organization_id, _key(row.name))
        # Of two teams that were made under one name both stay, and the name is taken either way.
        if key not in taken:
            taken.add(key)
            connection.execute(teams.update().where(teams.c.id == row.id).values(name_key=key[1]))


def downgrade() -> None:
    """Keys of now are found by the release before as well, but for names that were never composed."""


def _key(name: str) -> str:
    folded = unicodedata.normalize("NFC", name).casefold()
    return unicodedata.normalize("NFC", "".join(one for one in folded if one not in "\u200c\u200d"))
