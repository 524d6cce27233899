"""The copies that reads need of a published relation: in another order, numbered, summed, or with places.

Add: a way of copying. Keep out: which relation has which copies (published_schema.py), running them (publish.py).
A place is the number of a row in its published table, from 0: 4 bytes where an id has 36, so that lists of everybody
are summed in a third of the time.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Copy:
    """A table of the published file: the rows of a relation in the order that one kind of read needs.

    `select` is what is read from the relation; `order` makes rows unique, so the same build gives the same file.
    `numbered` adds `position`, the row's place in that order. A copy `of` an earlier one reads that instead of the
    relation, and `over` says what is made of either first. For each of `places`, `<name>_place` is added.
    """

    name: str
    order: tuple[str, ...]
    select: str = "*"
    group: bool = False
    numbered: bool = False
    of: str | None = None
    over: str | None = None
    places: tuple[str, ...] = ()

    def sql(self, relation: str) -> str:
        """The statement that makes it of a relation of the database `built` in the database `published`."""
        source = f"built.{relation}" if self.of is None else f"published.{self.of}"
        if self.over is not None:
            source = f"({self.over.format(source=source)})"
        if self.places:
            joins = " ".join(
                f"left join ({PLACES[name]}) as {name} using ({name}_id)" for name in self.places
            )
            placed = ", ".join(f"{name}.position::integer as {name}_place" for name in self.places)
            source = f"(select rows.*, {placed} from {source} as rows {joins})"
        select = f"select {self.select} from {source} as rows" + (" group by all" if self.group else "")
        order = ", ".join(self.order)
        if self.numbered:
            # Numbered over the sorted rows in a second step: as one step the window would hold every column.
            select = (
                f"select (row_number() over () - 1)::bigint as position, * from ({select} order by {order})"
            )
            return f"create table published.{self.name} as {select}"
        return f"create table published.{self.name} as {select} order by {order}"


# Where the place of an id is found; the copies that are named here come first.
PLACES = {
    "repository": "select repository_id, position from published.repositories",
    "developer": "select developer_id, position from published.developers",
    "team": "select team_id, position from published.teams",
    "ancestor": "select team_id as ancestor_id, position from published.teams",
    "entity": "select repository_id as entity_id, position from published.repositories "
    "union all select developer_id, position from published.developers "
    "union all select team_id, position from published.teams",
}

MEASURES = (
    "etv_micro effort_micro points_micro ai_etv_micro commits ai_commits files lines_added lines_deleted"
)
SUMS = ", ".join(f"sum({name})::bigint as {name}" for name in MEASURES.split())
CATEGORIES = ("features", "maintenance", "tests", "documentation", "fixes")
# A bit for each category in which there is work, in this order.
KINDS = (
    "bit_or(case category "
    + " ".join(f"when '{category}' then {1 << number}" for number, category in enumerate(CATEGORIES))
    + " else 0 end)::integer as kinds"
)
# A column for each category instead of a row, so that sums need not look at texts.
CATEGORY_SUMS = ", ".join(
    f"coalesce(sum(etv_micro) filter (where category = '{category}'), 0)::bigint as {category}_etv_micro"
    for category in CATEGORIES
)
# Any range is some years, months and days: what is summed is as much as there are people, however long it is.
PERIODS = (
    "select period, case period when 'day' then delivered_on else date_trunc(period, delivered_on)::date end "
    "as period_start, days.* from {source} as days, unnest(['day', 'month', 'year']) as t (period)"
)


def periods(name: str, *keys: str) -> Copy:
    """A copy of daily rows summed over days, months and years per key: each period together, then each first key."""
    by = ("period", "period_start", *(f"{key}_place" for key in keys), "is_bot", "is_sandbox")
    return Copy(
        name,
        by,
        f"{', '.join(by)}, {SUMS}, {CATEGORY_SUMS}",
        group=True,
        over=PERIODS,
        places=keys,
    )


KNOWN_IDS = "select developer_id, unnest(list_append(known_ids, developer_id)) as known_id from {source}"
# Depth first, so that a team and all below it have places in a row. A circle, which nobody can make, must end too.
TREE = (
    "with recursive paths as ("
    "select team_id, [team_id] as path from {source} where parent_id is null union all "
    "select teams.team_id, list_append(paths.path, teams.team_id) from {source} as teams "
    "join paths on paths.team_id = teams.parent_id where len(paths.path) < 100) "
    "select teams.*, coalesce(paths.path, [teams.team_id]) as path from {source} as teams "
    "left join paths on paths.team_id = teams.team_id"
)
LINES = f"select team_id, unnest(path) as ancestor_id from ({TREE})"
