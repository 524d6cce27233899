"""Benchmarks reveal the work of few people neither to leads nor in an organization with a minimum group size."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import date
from itertools import combinations, product
from typing import Any

import httpx
import numpy as np
import pytest

from api.access.group_privacy.benchmarks import is_percentile_of_enough
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.people import join, sign_in
from tests.api.published_facts import ORGANIZATION, UNIT, Facts
from tests.api.scoped_deployment import make_lead
from tests.api.scoped_facts import below, developer_id

MONTHS = [date(2026, month, 1) for month in range(5, 11)]
WHOLE = {"startDate": "2026-05-01", "endDate": "2026-10-31", "interval": "MONTH", "metrics": "etv"}
GROUPS = {
    "five": ["Ada", "Grace", "Linus", "Barbara", "Edsger"],
    "six": ["Ada", "Grace", "Linus", "Barbara", "Edsger", "Donald"],
    "other five": ["Margaret", "Alan", "Radia", "Ken", "Frances"],
    "two": ["Ada", "Ken"],
    "all but one": [
        "Ada", "Grace", "Linus", "Barbara", "Edsger", "Donald", "Margaret", "Alan", "Radia", "Ken",
    ],
    "mobile": ["Barbara", "Linus", "Radia"],
    "mobile and another": ["Barbara", "Linus", "Radia", "Ken", "Ada"],
}  # fmt: skip


@pytest.fixture(scope="module")
def owner(deployed: Deployment, address_of: str) -> Iterator[httpx.Client]:
    token = sign_in(deployed.store, join(deployed.store, ORGANIZATION, "owner"))
    with client_for(address_of, token) as client:
        yield client


@pytest.fixture(scope="module")
def saved(owner: httpx.Client) -> dict[str, str]:
    """The ids of the groups, each saved as an average, in this order."""
    return {name: save(owner, name, names) for name, names in GROUPS.items()}


@pytest.fixture
def minimum(owner: httpx.Client) -> Iterator[int]:
    owner.patch(f"{ROOT}/settings", json={"minimumGroupSize": 3})
    yield 3
    owner.patch(f"{ROOT}/settings", json={"minimumGroupSize": 0, "hasIndividualFigures": True})


def save(client: httpx.Client, name: str, names: list[str], **how: Any) -> str:
    body = {"name": name, "memberKind": "DEVELOPER", "memberIds": [developer_id(one) for one in names]} | how
    answer = client.post(f"{ROOT}/benchmarks", json=body)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["id"])


def points(client: httpx.Client, benchmark: str, **params: Any) -> list[dict[str, Any]]:
    answer = client.get(f"{ROOT}/metrics", params=WHOLE | {"benchmark": benchmark} | params)
    assert answer.status_code == 200, answer.text
    return list(answer.json()["benchmark"]["points"])


def worked(facts: Facts) -> dict[date, dict[str, dict[str | None, int]]]:
    """By month, developer and team: ETV without bots and sandboxes."""
    found: dict[date, dict[str, dict[str | None, int]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(int))
    )
    for commit in facts.commits:
        for change in commit.changes:
            if not change.is_bot and not change.is_sandbox:
                at = found[change.day.replace(day=1)][change.developer]
                at[facts.team_of_commit(commit)] += change.etv
    return found


def test_with_a_minimum_no_two_shown_groups_differ_by_few_people(
    owner: httpx.Client, moving: Facts, saved: dict[str, str], minimum: int
) -> None:
    sets = {name: {developer_id(one) for one in names} for name, names in GROUPS.items()}
    found = {name: points(owner, key) for name, key in saved.items()}
    everybody = points(owner, "ORGANIZATION_AVERAGE")
    outcomes = defaultdict(set)
    for number, month in enumerate(MONTHS):
        people = worked(moving)[month]
        active = set(people)
        shown = {"everybody": active} if not everybody[number]["isSuppressed"] else {}
        for name, series in found.items():
            point = series[number]
            outcomes[name].add(point["isSuppressed"])
            if point["isSuppressed"]:
                assert (point["etv"], point["memberCount"]) == (None, None)
                continue
            shown[name] = sets[name] & active
            total = sum(sum(people[one].values()) for one in shown[name])
            assert point["etv"] * point["memberCount"] == pytest.approx(total / UNIT, abs=1e-6)
        listed = owner.get(f"{ROOT}/teams", params={"startDate": str(month), "endDate": str(month)}).json()
        teams = []
        for team in listed["teams"]:
            # Whether everybody without a team is enough people, the figures of teams decide.
            if team["suppressedReason"] is None and team["etv"]:
                above = {
                    one for one, own in people.items() if any(team["id"] in moving.and_above(t) for t in own)
                }
                teams.append(above)
        groups = [group for name, group in shown.items() if name != "everybody"]
        pairs = [*combinations(shown.values(), 2), *product(groups, teams)]
        assert all(len(one ^ other) == 0 or len(one ^ other) >= minimum for one, other in pairs)
    assert outcomes["two"] == outcomes["all but one"] == {True}
    assert False in outcomes["five"]
    assert True in outcomes["six"]


def test_with_a_minimum_a_percentile_needs_people_on_both_sides(owner: httpx.Client, minimum: int) -> None:
    names = ["Ada", "Grace", "Linus", "Margaret", "Alan", "Radia", "Donald"]
    shown: dict[int, set[bool]] = defaultdict(set)
    for percentile in (1, 50, 99):
        key = save(owner, f"p{percentile}", names, aggregation="PERCENTILE", percentile=percentile)
        for point in points(owner, key):
            if not point["isSuppressed"]:
                shown[percentile].add(point["etv"] is not None)
    assert shown[50] == {True}
    assert shown[1] == shown[99] == {False}


@pytest.mark.parametrize("number", range(1, 12))
@pytest.mark.parametrize("share", [0.01, 0.25, 0.5, 0.9])
def test_the_sides_of_a_percentile_are_counted_as_numpy_interpolates(number: int, share: float) -> None:
    value = np.percentile(np.arange(number), 100 * share)
    exact = min(sum(np.arange(number) <= value), sum(np.arange(number) >= value))
    for least in (1, 2, 3, 5):
        assert is_percentile_of_enough(number, share, least) == (exact >= least)


def test_a_lead_sees_whole_months_of_enough_unseen_people_alone(
    deployed: Deployment, address_of: str, moving: Facts, saved: dict[str, str]
) -> None:
    led = below(moving, "Mobile")
    with client_for(address_of, sign_in(deployed.store, make_lead(deployed, ("Mobile",)))) as client:
        everybody = points(client, "ORGANIZATION_AVERAGE")
        found = {name: points(client, key) for name, key in saved.items()}
        weeks = points(client, "ORGANIZATION_AVERAGE", interval="WEEK")
        cut = points(client, "ORGANIZATION_AVERAGE", startDate="2026-06-02")
        records = client.get(f"{ROOT}/benchmarks").json()["benchmarks"]
        listed = client.get(f"{ROOT}/developers", params={"benchmark": saved["six"]}).json()["benchmark"]
        whole = {"startDate": "2026-09-01", "endDate": "2026-10-31", "benchmark": "ORGANIZATION_AVERAGE"}
        months = client.get(f"{ROOT}/developers", params=whole).json()["benchmark"]
        running = points(client, "ORGANIZATION_AVERAGE", startDate="2026-11-01", endDate="2026-11-30")
    assert {record["memberIds"] for record in records} == {None}
    assert all(point["isSuppressed"] for point in [*weeks, cut[0], *running])
    assert listed["isSuppressed"]
    outcomes = defaultdict(set)
    for number, month in enumerate(MONTHS):
        people = worked(moving)[month]
        seen = {one for one, teams in people.items() if set(teams) <= led}
        unseen = {one for one, teams in people.items() if not set(teams) & led}
        total = sum(sum(teams.values()) for teams in people.values()) / UNIT
        assert not everybody[number]["isSuppressed"]
        assert everybody[number]["etv"] * everybody[number]["memberCount"] == pytest.approx(total, abs=1e-6)
        shown = [set(people)]
        for name, names in GROUPS.items():
            group = {developer_id(one) for one in names} & set(people)
            is_free = group <= seen
            outcomes[name].add(found[name][number]["isSuppressed"])
            if is_free:
                assert not found[name][number]["isSuppressed"]
            elif not found[name][number]["isSuppressed"]:
                assert len(group & unseen) >= 5
                assert all(len((group ^ other) & unseen) >= 5 or group ^ other <= seen for other in shown)
                shown.append(group)
    assert outcomes["two"] == outcomes["mobile and another"] == {True}
    assert not months["isSuppressed"]
    assert months["etv"] > 0


def test_with_a_minimum_repositories_and_teams_of_few_people_are_no_members(
    owner: httpx.Client, moving: Facts, minimum: int
) -> None:
    has_hidden = False
    for group, number_of_all in (("REPOSITORY", len(moving.repositories) - 1), ("TEAM", len(moving.teams))):
        params = WHOLE | {"groupBy": group, "benchmark": "ORGANIZATION_AVERAGE"}
        found = owner.get(f"{ROOT}/metrics", params=params).json()
        for number, point in enumerate(found["benchmark"]["points"]):
            lines = [line["points"][number] for line in found["series"]]
            values = [one["etv"] for one in lines if not one["isSuppressed"]]
            has_hidden |= len(values) < len(lines)
            # Without any work there is no line, and people are employed nevertheless.
            values += [0] * (number_of_all - len(lines))
            assert point["etv"] == pytest.approx(np.mean(values))
    assert has_hidden
    days = {"startDate": "2026-10-01", "endDate": "2026-10-31", "benchmark": "ORGANIZATION_AVERAGE"}
    for path in ("repositories", "teams"):
        listed = owner.get(f"{ROOT}/{path}", params=days).json()
        rows = [row for row in listed[path] if row["suppressedReason"] is None and not row.get("isSandbox")]
        assert listed["benchmark"]["featuresEtv"] is None
        assert listed["benchmark"]["etv"] == pytest.approx(np.mean([row["etv"] for row in rows]))
