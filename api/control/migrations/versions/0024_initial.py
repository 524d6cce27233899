"""The initial schema.

Revisions 0001 to 0023 were never released and are squashed into this one. It keeps the number of the last of them,
so that a trial installation at that revision needs no migration.
"""

from alembic import op

from api.control.migrations.initial import decisions, log, organizations, people

revision = "0024"
down_revision = None
branch_labels = None
depends_on = None

# A table stands after those that its foreign keys name.
SUBJECTS = (organizations, people, decisions, log)


def upgrade() -> None:
    for subject in SUBJECTS:
        subject.create()


def downgrade() -> None:
    for subject in reversed(SUBJECTS):
        for table in reversed(subject.TABLES):
            op.drop_table(table)
