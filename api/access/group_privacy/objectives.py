"""The objectives whose figures stay hidden because too few people worked for them.

The people of an objective in a month are those, without bots and sandboxes, with work that reaches it. A month hides
an objective with fewer than `minimum_group_size` people, and further ones, the smallest first, until the rest of an
objective without its shown sub-objectives, and of all objectives without the shown ones, is the work of nobody or of
enough people. A range hides an objective that one of its months hides.
"""

from collections import defaultdict
from collections.abc import Hashable
from datetime import date

from api.access.group_privacy.hiding import hide, people_of
from api.access.row_access import RowAccess
from api.snapshot.build import Build

# Rows that figures of objectives count.
COUNTED = "not is_bot and not is_sandbox"


def hidden_objectives(build: Build, access: RowAccess, first: date | None, last: date) -> frozenset[str]:
    """Ids of the objectives with hidden figures in the months from `first` (None: all) to `last`."""
    if access.has_individuals:
        return frozenset()
    months = _months(build, access)
    return frozenset().union(
        *(few for month, few in months.items() if (first is None or first <= month) and month <= last)
    )


def _months(build: Build, access: RowAccess) -> dict[date, frozenset[str]]:
    """The hidden objectives of each month with work."""

    def find(build: Build) -> dict[date, frozenset[str]]:
        objectives = access.table(build, "objectives")
        tree = build.rows(f"select objective_id, parent_id from {objectives}")
        parents: dict[str, str | None] = {row["objective_id"]: row["parent_id"] for row in tree}
        people: dict[date, dict[str | None, set[Hashable]]] = defaultdict(lambda: defaultdict(set))
        for row in build.rows(_own_work(access.table(build, "objective_days"), objectives)):
            people[row["month"]][row["objective_id"]].add(row["developer_id"])
        return {
            month: hide(parents, people_of(own), access.minimum_group_size) for month, own in people.items()
        }

    return build.remembered(f"hidden objectives {access.rows_key}", find)


def _own_work(days: str, objectives: str) -> str:
    """A query with a row per month, objective and developer with work for the objective that no part below it has."""
    return (
        "with worked as (select date_trunc('month', delivered_on)::date as month, objective_id, developer_id, "
        f"sum(etv_micro) as etv, sum(commits) as commits from {days} where {COUNTED} group by 1, 2, 3), "
        "below as (select worked.month, tree.parent_id as objective_id, worked.developer_id, "
        "sum(worked.etv) as etv, sum(worked.commits) as commits from worked "
        f"join {objectives} as tree on tree.objective_id = worked.objective_id "
        "where tree.parent_id is not null group by 1, 2, 3) "
        "select worked.month, worked.objective_id, worked.developer_id from worked "
        "left join below using (month, objective_id, developer_id) "
        "where below.month is null or worked.etv > below.etv or worked.commits > below.commits"
    )
