"""Hidden groups of people who are known by month: authors of pull requests, users of AI tools.

The rules are those of groups.py, with these people in place of those with counted work.
"""

from collections import defaultdict
from collections.abc import Hashable, Mapping

from api.access.group_privacy.hiding import hide, people_of
from api.access.row_access import RowAccess
from api.snapshot.build import Build


def hidden_with_few(
    build: Build, access: RowAccess, kind: str, own: Mapping[str | None, set[Hashable]]
) -> frozenset[str]:
    """Ids of the teams, repositories or organization (`kind`) to hide. `own` has the people of each group itself."""
    least = access.minimum_group_size
    if kind == "organization":
        everybody = set[Hashable]().union(*own.values())
        return frozenset({access.organization_id} if 0 < len(everybody) < least else ())
    if kind == "team":
        rows = build.rows(f"select team_id, parent_id from {access.table(build, 'teams')}")
        tree = {row["team_id"]: row["parent_id"] for row in rows}
        # Teams that the tree does not know come under no team.
        known: dict[str | None, set[Hashable]] = defaultdict(set)
        for team, people in own.items():
            known[team if team in tree else None] |= people
        return hide(tree, people_of(known), least)
    return hide(dict.fromkeys(key for key in own if key), people_of(own), least)
