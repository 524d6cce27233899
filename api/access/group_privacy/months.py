"""The totals and splits that each month hides in an organization with a minimum group size.

Add: facts about who worked where that groups.py needs. Keep out: ranges, and the handling of hidden figures.
"""

import threading
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from api.access.group_privacy.hiding import People, hide, joined
from api.access.group_privacy.splits import CATEGORY_BITS, Work, are_held_together, without_split, work_of
from api.access.row_access import RowAccess
from api.access.team_lead_rows import team_row_numbers
from api.snapshot.build import Build

Ids = frozenset[str]
_NO_WORK = Work({}, {})


@dataclass(frozen=True, slots=True)
class Hidden:
    """The teams, repositories and organization, by kind, with a hidden total in a month, and those with a hidden
    split.

    A hidden total implies a hidden split.
    """

    totals: Mapping[str, Ids]
    splits: Mapping[str, Ids]


@dataclass
class _Months:
    """The figures that each requested month hides from a row access."""

    found: dict[date, Hidden] = field(default_factory=dict)
    # Locked while months are computed: other readers wait instead of repeating the work.
    finding: threading.Lock = field(default_factory=threading.Lock)


def hidden_in(build: Build, access: RowAccess, months: Sequence[date]) -> list[Hidden]:
    """The figures that each month hides from a row access with a minimum group size."""
    kept = build.remembered(f"hidden groups {access.rows_key}", lambda _: _Months())
    if not kept.found.keys() >= set(months):
        with kept.finding:
            kept.found |= _find(build, access, [month for month in months if month not in kept.found])
    return [kept.found[month] for month in months]


def _find(build: Build, access: RowAccess, months: Sequence[date]) -> dict[date, Hidden]:
    if not months:
        return {}
    tree = _tree(build, access)
    teams = _work_of_teams(build, access, months)
    repositories = _Repositories(build, access, months)
    found: dict[date, Hidden] = {}
    for month, work in teams.items():
        people = {team: People(sum(own.alone.values()), frozenset(own.others)) for team, own in work.items()}
        few = hide(tree, people, access.minimum_group_size)
        splits = without_split(tree, work, few, access.minimum_group_size)
        few_repositories, split_repositories = repositories.hidden(month)
        everybody = Ids(
            {access.organization_id} if 0 < joined(people.values()).number < access.minimum_group_size else ()
        )
        without = Ids({access.organization_id} if None in splits or None in split_repositories else ())
        found[month] = Hidden(
            {"team": few, "repository": few_repositories, "organization": everybody},
            {
                "team": few | _ids(splits),
                "repository": few_repositories | _ids(split_repositories),
                "organization": everybody | without,
            },
        )
    return found


def _ids(groups: Iterable[str | None]) -> Ids:
    return frozenset(group for group in groups if group is not None)


def _tree(build: Build, access: RowAccess) -> Mapping[str, str | None]:
    def find(build: Build) -> Mapping[str, str | None]:
        rows = build.rows(f"select team_id, parent_id from {access.table(build, 'teams')}")
        return {row["team_id"]: row["parent_id"] for row in rows}

    return build.remembered(f"teams {access.rows_key}", find)


def _work_of_teams(
    build: Build, access: RowAccess, months: Sequence[date]
) -> dict[date, dict[str | None, Work]]:
    """Work of each month, by the team in which it was written; None for no team."""
    worked = (
        "select month, coalesce(team_number, -1) as team_number, developer_number, bit_or(kinds) as kinds "
        f"from {access.table(build, 'people_of_months')} where {_in(months)} and not is_bot and not is_sandbox "
        "group by all"
    )
    people = (
        "select month, developer_number, min(team_number) as team_number, max(team_number) as last_number, "
        f"bit_or(kinds) as kinds from ({worked}) group by month, developer_number"
    )
    alone = (
        f"select month, team_number, kinds, count(*) as people from ({people}) where team_number = last_number "
        "group by month, team_number, kinds"
    )
    others = (
        f"select month, team_number, list(developer_number) as people, list(kinds) as kinds from ({worked}) "
        f"semi join (select * from ({people}) where team_number < last_number) using (month, developer_number) "
        "group by month, team_number"
    )
    ids: dict[int, str | None] = {row_number: key for key, row_number in team_row_numbers(build).items()}
    found: dict[date, dict[str | None, Work]] = {month: {} for month in months}
    # Lists, because a row for each of thousands of teams would take five times as long.
    for row in build.rows(
        "select month, list(team_number) as row_numbers, list(kinds) as kinds, list(people) as people "
        f"from ({alone}) group by month"
    ):
        of_month: dict[int, dict[int, int]] = defaultdict(dict)
        for row_number, kinds, number in zip(row["row_numbers"], row["kinds"], row["people"], strict=True):
            of_month[row_number][kinds] = number
        _add(
            found[row["month"]],
            ((ids.get(row_number), Work(alone, {})) for row_number, alone in of_month.items()),
        )
    for row in build.rows(others):
        rest: dict[Hashable, int] = dict(zip(row["people"], row["kinds"], strict=True))
        _add(found[row["month"]], [(ids.get(row["team_number"]), Work({}, rest))])
    return found


def _add(own: dict[str | None, Work], work: Iterable[tuple[str | None, Work]]) -> None:
    """Add work to the work of its team. Teams that the tree does not know all come under None."""
    for team, more in work:
        before = own.get(team, _NO_WORK)
        alone = dict(before.alone)
        for kinds, people in more.alone.items():
            alone[kinds] = alone.get(kinds, 0) + people
        others = dict(before.others)
        for person, kinds in more.others.items():
            others[person] = others.get(person, 0) | kinds
        own[team] = Work(alone, others)


class _Repositories:
    """The hidden repositories of each requested month."""

    def __init__(self, build: Build, access: RowAccess, months: Sequence[date]) -> None:
        self._build, self._least = build, access.minimum_group_size
        self._ids = _repository_ids(build)
        self._worked = (
            "select month, repository_number, developer_number, is_sandbox, bit_or(kinds) as kinds "
            f"from {access.table(build, 'people_of_months')} where {_in(months)} and not is_bot "
            "and repository_number is not null group by all"
        )
        self._months = {row["month"]: row for row in build.rows(self._summary())}

    def _summary(self) -> str:
        """A query with a row per month: the repositories with a hidden total or split, and what subtraction leaves."""
        minimum_group_size = self._least
        counts = [(f"count(*) filter (kinds & {bits} > 0)", bits) for bits in CATEGORY_BITS.values()]
        few = " or ".join(f"{count} between 1 and {minimum_group_size - 1}" for count, _ in counts)
        enough = " + ".join(
            f"case when {count} >= {minimum_group_size} then {bits} else 0 end" for count, bits in counts
        )
        people = ", ".join(
            f"case when count(*) < {minimum_group_size} then list(developer_number) filter (kinds & {bits} > 0) end "
            f"as {category}"
            for category, bits in CATEGORY_BITS.items()
        )
        groups = (
            "select month, repository_number, is_sandbox, bit_or(kinds) as kinds, "
            f"count(*) < {minimum_group_size} as is_few, {few} as is_unsplit, {enough} as enough, "
            f"case when count(*) < {minimum_group_size} then list(developer_number) end as people, {people} "
            f"from ({self._worked}) group by month, repository_number, is_sandbox"
        )
        subtracted = "is_few and not is_sandbox"
        rest = ", ".join(
            f"len(list_distinct(flatten(list({name}) filter ({subtracted})))) as rest_of_{name}"
            for name in ("people", *CATEGORY_BITS)
        )
        return (
            "select month, list(repository_number) filter (is_few) as few, "
            "list(repository_number) filter (is_unsplit or is_few) as unsplit, "
            "list(distinct enough) filter (is_unsplit and not is_few and not is_sandbox) as enough, "
            "bit_or(kinds) filter ((is_unsplit or is_few) and not is_sandbox) as kinds, "
            f"{rest} "
            f"from ({groups}) group by month"
        )

    def hidden(self, month: date) -> tuple[Ids, frozenset[str | None]]:
        """The repositories with a hidden total in a month, and those with a hidden split (None: all together)."""
        row = self._months.get(month)
        if row is None:
            return Ids(), frozenset()
        few, unsplit = (
            frozenset(self._ids[row_number] for row_number in row[name] or ()) for name in ("few", "unsplit")
        )
        can_subtract = 0 < (row["rest_of_people"] or 0) < self._least
        rest = sum(
            bits
            for category, bits in CATEGORY_BITS.items()
            if (row[f"rest_of_{category}"] or 0) >= self._least
        )
        if not can_subtract and are_held_together(row["kinds"] or 0, [rest, *(row["enough"] or ())]):
            return few, frozenset[str | None](unsplit)
        work = self._work(month)
        parents = dict.fromkeys(key for key in work if key)
        people = {key: People(sum(one.alone.values()), frozenset(one.others)) for key, one in work.items()}
        few |= hide(parents, people, self._least)
        return few, unsplit | without_split(parents, work, few, self._least)

    def _work(self, month: date) -> dict[str | None, Work]:
        people: dict[str | None, dict[Hashable, int]] = defaultdict(dict)
        for row in self._build.rows(
            f"select * from ({self._worked}) where not is_sandbox and {_in([month])}"
        ):
            people[self._ids[row["repository_number"]]][row["developer_number"]] = row["kinds"]
        return work_of(people)


def _in(months: Sequence[date]) -> str:
    days = ", ".join(f"date '{month}'" for month in months)
    return f"month in ({days})"


def _repository_ids(build: Build) -> list[str]:
    """The ids of all repositories, in the order of row_number."""

    def find(build: Build) -> list[str]:
        return [
            row["repository_id"]
            for row in build.rows("select repository_id from repositories order by position")
        ]

    return build.remembered("repository ids", find)
