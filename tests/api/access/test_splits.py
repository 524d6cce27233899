"""Work of few people in one category is hidden, and nobody can compute it from the shown totals and splits."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from functools import reduce
from itertools import combinations
from operator import or_
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from api.access.group_privacy.hiding import hide, people_of
from api.access.group_privacy.splits import are_held_together, without_split, work_of
from api.read.figures.category_groups import GROUPINGS
from tests.api.conftest import ROOT, client_for, deploy, serving
from tests.api.people import join, sign_in
from tests.api.published_facts import CATEGORIES, ORGANIZATION, UNIT, Facts
from tests.api.published_rows import write
from tests.api.scoped_deployment import make_lead, put_teams
from tests.api.scoped_facts import below, make_scoped_facts
from tests.api.told_people import told
from tests.suite.tiers import some

Own = dict[str | None, dict[str, set[int]]]
Parents = dict[str, str | None]
# The group and the category, and the person.
Cell = tuple[tuple[str | None, str], str]


def covered(parents: Parents, key: str | None, group: str | None) -> bool:
    """Whether `key` is the group or above it; None is above everything."""
    while group is not None and group != key:
        group = parents.get(group)
    return group == key


def decided(
    parents: Parents, own: Own, minimum_group_size: int
) -> tuple[frozenset[str], frozenset[str | None]]:
    """The hidden groups, and the groups with a hidden split by category."""
    few = hide(parents, people_of({key: set(people) for key, people in own.items()}), minimum_group_size)
    bits: dict[str | None, dict[Hashable, int]] = {
        key: {who: sum(1 << n for n in kinds) for who, kinds in own[key].items()} for key in own
    }
    return few, without_split(parents, work_of(bits), few, minimum_group_size)


@st.composite
def organizations(draw: st.DrawFn) -> tuple[Parents, Own, int]:
    names = [f"t{number}" for number in range(draw(st.integers(1, 5)))]
    parents = {name: draw(st.sampled_from([None, *names[:number]])) for number, name in enumerate(names)}
    kinds = st.sets(st.integers(0, draw(st.integers(1, 2))), min_size=1)
    people = st.dictionaries(st.sampled_from("abcdefgh"), kinds, max_size=6)
    return parents, {key: draw(people) for key in [None, *names]}, draw(st.integers(2, 4))


FEATURES, TESTS = 0, 1
EACH = {FEATURES, TESTS}


@settings(deadline=None)
@given(organizations())
# Of three people one wrote tests.
@example(({"web": None}, {"web": {"a": {FEATURES}, "b": {FEATURES}, "c": EACH}}, 3))
# The tests of the parent less those of the sub-team, though both have three people.
@example(
    (
        {"all": None, "web": "all"},
        {"all": {"d": EACH, "e": {0}, "f": {0}}, "web": dict.fromkeys("abc", EACH)},
        3,
    )
)
# A sub-team that only wrote tests: its total is its tests.
@example(
    (
        {"all": None, "web": "all", "qa": "all"},
        {"web": {"a": {0}, "b": {0}, "c": EACH}, "qa": {who: {TESTS} for who in "def"}},
        3,
    )
)
def test_nothing_about_fewer_people_can_be_computed_from_totals_and_splits(
    organization: tuple[Parents, Own, int],
) -> None:
    parents, own, minimum_group_size = organization
    few, unsplit = decided(parents, own, minimum_group_size)
    shown: list[set[tuple[tuple[str | None, int], str]]] = []
    for key in (None, *parents):
        cells = {
            ((group, kind), person)
            for group, people in own.items()
            if covered(parents, key, group)
            for person, kinds in people.items()
            for kind in kinds
        }
        kinds = {kind for (_, kind), _ in cells}
        split = [{cell for cell in cells if cell[0][1] == kind} for kind in kinds]
        is_shown = key not in few and len({person for _, person in cells}) >= minimum_group_size
        if is_shown:
            shown.append(cells)
        if is_shown and key not in unsplit:
            assert all(len({person for _, person in part}) >= minimum_group_size for part in split)
            shown += split
    assert told([one for one in shown if one], minimum_group_size) == []


@st.composite
def flat_organizations(draw: st.DrawFn) -> tuple[Own, int]:
    """Groups without sub-groups. Every commit belongs to one of them."""
    parents, own, minimum_group_size = draw(organizations())
    return {key: own[key] for key in parents}, minimum_group_size


@settings(deadline=None)
@given(flat_organizations())
# Of two groups without a split one holds features and tests, the other, of one person's tests, features and fixes.
@example(({"a": dict.fromkeys("uvw", EACH), "b": {"x": {0}, "y": {0, 2}, "z": {0, 1}}}, 3))
def test_groups_held_together_need_no_full_search(organization: tuple[Own, int]) -> None:
    own, minimum_group_size = organization
    few, unsplit = decided(dict.fromkeys(key for key in own if key), own, minimum_group_size)

    def enough(*groups: str | None) -> int:
        people: dict[int, set[str]] = defaultdict(set)
        for key in groups:
            for person, kinds in own[key].items():
                for kind in kinds:
                    people[kind].add(person)
        return sum(1 << kind for kind, found in people.items() if len(found) >= minimum_group_size)

    def kinds_of(key: str | None) -> int:
        return sum(1 << kind for kind in set[int]().union(*own[key].values()))

    small = {key for key in own if len(own[key]) < minimum_group_size}
    seldom = {key for key in own if key in small or enough(key) != kinds_of(key)}
    rest = len({person for key in small for person in own[key]})
    held = [enough(*small), *(enough(key) for key in seldom - small)]
    categories = reduce(or_, map(kinds_of, seldom), 0)
    if (rest == 0 or rest >= minimum_group_size) and are_held_together(categories, held):
        assert few == {key for key in small if own[key]}
        assert unsplit - {None} == {key for key in seldom if own[key]}


def test_no_more_splits_are_hidden_than_it_takes() -> None:
    alike: Own = {"web": dict.fromkeys("abc", EACH), "core": dict.fromkeys("def", EACH)}
    flat: Parents = dict.fromkeys(("web", "core", "qa", "one"))
    assert decided(flat, alike, 3)[1] == frozenset()
    # The tests of one person must not be the difference between the total and the shown groups.
    one: Own = {"one": {"x": {FEATURES}, "y": {FEATURES}, "z": EACH}}
    assert decided(flat, alike | one, 3)[1] == {"one", "core"}
    assert decided(flat, alike | one | {None: dict.fromkeys("uvw", EACH)}, 3)[1] == {"one"}
    assert decided(flat, {"one": one["one"]}, 3)[1] == {"one", None}
    assert decided(flat, {}, 3)[1] == frozenset()


@dataclass
class Knowledge:
    """Everything that a client learns about a month of groups of one kind: sums over cells. Each is checked against
    the facts.
    """

    cells: dict[Cell, int]
    above: Callable[[str | None], Sequence[str | None]]
    shown: list[set[Cell]] = field(default_factory=list)
    hidden: int = 0

    def learn(self, value: float | None, group: str | None, kinds: Iterable[str]) -> None:
        """Record a shown sum of the work in these categories (None: all) of a group; ignore null."""
        wanted = {
            cell
            for cell in self.cells
            if cell[0][1] in kinds and (group is None or group in self.above(cell[0][0]))
        }
        if value is None:
            self.hidden += bool(wanted)
            return
        assert value == pytest.approx(sum(self.cells[cell] for cell in wanted) / UNIT, abs=1e-6)
        if wanted:
            self.shown.append(wanted)


def cells_of(facts: Facts, month: date, kind: str, teams: set[str] | None = None) -> dict[Cell, int]:
    """ETV of a month by group, category and person, without sandboxes and bots, for work written in these teams."""
    found: dict[Cell, int] = defaultdict(int)
    for commit in facts.commits:
        team = facts.team_of_commit(commit)
        if teams is not None and team not in teams:
            continue
        group = team if kind == "team" else commit.repository
        for change in commit.changes:
            if change.day.replace(day=1) == month and not change.is_bot and not change.is_sandbox:
                found[(group, change.category), change.developer] += change.etv
    return found


def alone(repository: str | None) -> Sequence[str | None]:
    """The groups that contain a repository."""
    return [repository]


PLURAL = {"team": "teams", "repository": "repositories"}
MONTHS = [date(2026, month, 1) for month in (7, 9)]


def ask(client: httpx.Client, path: str, **params: Any) -> Any:
    answer = client.get(f"{ROOT}/{path}", params={"pageSize": 100} | params)
    assert answer.status_code == 200, answer.text
    return answer.json()


def read_everything(client: httpx.Client, found: Knowledge, kind: str, month: date, sandbox: str) -> None:
    """Read lists, their totals, and series by each grouping of categories and by each filter."""
    days = {"startDate": month.isoformat(), "endDate": month.isoformat()}
    listed = ask(client, PLURAL[kind], **days)
    groups = [one for one in listed[PLURAL[kind]] if one["id"] != sandbox]
    whole = [(None, ask(client, "developers", **days)["totals"]), *((one["id"], one) for one in groups)]
    if kind == "repository":
        whole.append((None, listed["totals"]))
    for group, one in whole:
        found.learn(one["etv"], group, CATEGORIES)
        for category in CATEGORIES:
            found.learn(one[f"{category}Etv"], group, [category])
    series = {"interval": "MONTH", "metrics": "etv,commits,featuresEtv"} | days
    for group, _ in whole[: len(groups) + 1]:
        narrowed = series | ({kind: group} if group else {})
        for grouping, names in GROUPINGS.items():
            lines = ask(client, "metrics", **narrowed, groupBy="CATEGORY", categoryGrouping=grouping)[
                "series"
            ]
            for line in lines:
                [point] = line["points"]
                assert point["isSuppressed"] == (point["etv"] is None) == (point["commits"] is None)
                found.learn(point["etv"], group, names[line["key"].lower()])
        for pair in list(combinations(CATEGORIES, 2))[::3]:
            [point] = ask(client, "metrics", **narrowed, category=pair)["series"][0]["points"]
            found.learn(point["etv"], group, pair)
        [point] = ask(client, "metrics", **narrowed)["series"][0]["points"]
        found.learn(point["etv"], group, CATEGORIES)
        found.learn(point["featuresEtv"], group, ["features"])
    for category in CATEGORIES:
        for line in ask(client, "metrics", **series, groupBy=kind.upper(), category=category)["series"]:
            if line["key"] != sandbox:
                found.learn(line["points"][0]["etv"], line["key"], [category])


@contextmanager
def organization(
    folder: Path, facts: Facts, minimum_group_size: int
) -> Iterator[tuple[httpx.Client, httpx.Client]]:
    """The clients of an owner and of the lead of a part, with a minimum group size."""
    deployment = deploy(folder / "data", facts, write(facts, folder / "built.duckdb"))
    put_teams(deployment, facts)
    deployment.publish()
    owner = sign_in(deployment.store, join(deployment.store, ORGANIZATION, "owner"))
    lead = sign_in(deployment.store, make_lead(deployment, ("Engineering",)))
    with (
        serving(deployment.data_dir) as address,
        client_for(address, owner) as of_owner,
        client_for(address, lead) as of_lead,
    ):
        assert (
            of_owner.patch(f"{ROOT}/settings", json={"minimumGroupSize": minimum_group_size}).status_code
            == 200
        )
        yield of_owner, of_lead


@pytest.mark.parametrize(
    ("commits", "seed", "minimum_group_size"), some([(260, 2, 3), (120, 1, 2), (600, 3, 4)], 1)
)
def test_no_answer_or_sum_of_answers_reveals_work_of_few_people_in_one_category(
    tmp_path: Path, commits: int, seed: int, minimum_group_size: int
) -> None:
    facts = make_scoped_facts(commits, seed)
    splits = hidden = 0
    with organization(tmp_path, facts, minimum_group_size) as (owner, lead):
        for client, teams in ((owner, None), (lead, below(facts, "Engineering"))):
            for month in MONTHS:
                for kind in PLURAL:
                    above = facts.and_above if kind == "team" else alone
                    found = Knowledge(cells_of(facts, month, kind, teams), above)
                    read_everything(client, found, kind, month, facts.sandbox)
                    assert told(found.shown, minimum_group_size) == []
                    splits += sum(len({category for (_, category), _ in one}) == 1 for one in found.shown)
                    hidden += found.hidden
    assert hidden
    assert splits


def test_a_range_has_no_split_where_one_of_its_months_has_none(tmp_path: Path) -> None:
    """Movements between such months have no split either. Both show their sums."""
    facts = make_scoped_facts(400, 5)
    months = [date(2026, month, 1) for month in range(5, 11)]
    with organization(tmp_path, facts, 3) as (owner, _):
        by_month: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
        for month in months:
            for one in ask(owner, "teams", startDate=month, endDate=month)["teams"]:
                by_month[one["id"]].append((one["etv"] is None, one["testsEtv"] is None))
        whole = ask(owner, "teams", startDate=months[0], endDate="2026-10-31")["teams"]
        for one in whole:
            assert (one["etv"] is None, one["testsEtv"] is None) == tuple(
                any(hidden) for hidden in zip(*by_month[one["id"]], strict=True)
            )
        assert {(one["etv"] is None, one["testsEtv"] is None) for one in whole} >= {
            (False, True),
            (False, False),
        }
        # A hidden value has no effect on the order and on filters.
        ordered = ask(owner, "teams", startDate=months[0], endDate="2026-10-31", orderBy="testsEtv desc")[
            "teams"
        ]
        assert [one["testsEtv"] is None for one in ordered] == sorted(
            one["testsEtv"] is None for one in ordered
        )
        found = ask(owner, "teams", startDate=months[0], endDate="2026-10-31", filter="testsEtv >= 0")
        assert found["totalSize"] == sum(one["testsEtv"] is not None for one in whole)
        moved = ask(
            owner, "movements", startDate=months[1], endDate="2026-10-31", entity="TEAM", interval="MONTH"
        )
        assert moved["movements"]
        for row in moved["movements"]:
            number = months.index(date.fromisoformat(row["periodStart"]))
            either = by_month[row["entityId"]][number - 1 : number + 1]
            assert not any(total for total, _ in either)
            effects = {row[name] is None for name in ("changes", "mix", "size", "rework", "value")}
            assert effects == {any(split for _, split in either)}
