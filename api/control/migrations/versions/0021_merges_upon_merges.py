"""A merge names the earlier merges whose developer it takes further."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

MERGES = """
    select decision.organization_id, decision.id, part.part_id
    from identity_decisions decision join identity_parts part on part.decision_id = decision.id
    where decision.kind = 'merge' and decision.undone_at is null
    order by decision.organization_id, decision.at, decision.id
"""


def upgrade() -> None:
    op.add_column("identity_decisions", sa.Column("builds_on", sa.JSON(), nullable=True))
    connection = op.get_bind()
    decisions = sa.table("identity_decisions", sa.column("id", sa.String), sa.column("builds_on", sa.JSON))
    merges: dict[str, dict[str, set[str]]] = {}
    for row in connection.execute(sa.text(MERGES)):
        organization_id, merge, developer = map(str, row)
        merges.setdefault(organization_id, {}).setdefault(merge, set()).add(developer)
    for earlier in merges.values():
        for merge, upon in _built(earlier).items():
            connection.execute(decisions.update().where(decisions.c.id == merge).values(builds_on=upon))


def downgrade() -> None:
    op.drop_column("identity_decisions", "builds_on")


def _built(merges: dict[str, set[str]]) -> dict[str, list[str]]:
    """Merges that build on others: with which of those before them they share somebody, directly or through others."""
    groups: list[tuple[set[str], list[str]]] = []
    found = {}
    for merge, developers in merges.items():
        met = [group for group in groups if not group[0].isdisjoint(developers)]
        upon = sorted(one for _, earlier in met for one in earlier)
        if upon:
            found[merge] = upon
        groups = [group for group in groups if group not in met]
        groups.append((developers.union(*(people for people, _ in met)), [*upon, merge]))
    return found
