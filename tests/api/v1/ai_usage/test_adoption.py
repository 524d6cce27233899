"""Adoption of AI tools, compared with loops over the facts."""

from collections.abc import Iterator
from datetime import date, timedelta
from math import comb
from statistics import median
from typing import Any

import duckdb
import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.access.row_access import RowAccess
from api.read.ai_usage import adoption
from api.read.ai_usage.adoption import AiAdoptionQuery, get_adoption, rank_interval
from api.snapshot.build import Build
from api.snapshot.builds import Builds
from tests.api.ai_usage_facts import Used, used
from tests.api.conftest import ROOT, Deployment
from tests.api.published_facts import ORGANIZATION, UNIT, Facts
from tests.api.table_files import read_file

PATH = f"{ROOT}/aiSpend/adoption"
DAYS = {"startDate": "2026-06-01", "endDate": "2026-11-15"}


def of_people(facts: Facts) -> list[Used]:
    return [one for one in used(facts) if one.developer not in (None, facts.bot)]


def test_adoption_is_the_share_of_active_people_with_usage(client: httpx.Client, facts: Facts) -> None:
    answer = client.get(PATH, params=DAYS | {"interval": "WEEK"}).raise_for_status().json()
    firsts: dict[str, date] = {}
    for one in of_people(facts):
        firsts[str(one.developer)] = min(one.day, firsts.get(str(one.developer), one.day))
    assert len(answer["points"]) == 24
    for point in answer["points"]:
        first = date.fromisoformat(point["start"])
        week = {first + timedelta(days=n) for n in range(7)} & {
            date(2026, 6, 1) + timedelta(days=n) for n in range(168)
        }
        users = {one.developer for one in of_people(facts) if one.day in week}
        workers = {
            one.developer
            for one in facts.changes
            if one.day in week and not one.is_bot and not one.is_sandbox
        }
        assert (point["aiDevelopers"], point["activeDevelopers"]) == (len(users), len(users | workers))
        assert point["adoption"] == (len(users) / len(users | workers) if users | workers else None)
        assert point["firstUses"] == sum(day in week for day in firsts.values())
    assert any(0 < (point["adoption"] or 0) < 1 for point in answer["points"])
    # Three people are too few to be compared.
    assert set(answer["beforeAfter"].values()) == {None}


def test_the_adoption_of_a_team_is_that_of_its_people(client: httpx.Client, facts: Facts) -> None:
    (team, *_) = [key for key, (_, parent, _) in facts.teams.items() if parent]
    answer = client.get(PATH, params=DAYS | {"interval": "MONTH", "team": team}).raise_for_status().json()
    for point in answer["points"]:
        users = {
            one.developer
            for one in of_people(facts)
            if team in facts.and_above(one.team)
            and str(one.day)[:7] == point["start"][:7]
            and DAYS["startDate"] <= str(one.day) <= DAYS["endDate"]
        }
        assert point["aiDevelopers"] == len(users)


@pytest.fixture
def build(deployment: Deployment) -> Iterator[Build]:
    deployment.publish()
    builds = Builds(deployment.data_dir / "published" / ORGANIZATION, 256)
    opened = builds.lease_current()
    yield opened
    builds.release(opened)
    builds.close()


def test_people_are_compared_with_themselves_before_the_first_use(
    build: Build, deployment: Deployment, facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("MIN_WEEKS", 1), ("MIN_PEOPLE", 1), ("UNKNOWN_DAYS", 0)):
        monkeypatch.setattr(adoption, name, value)
    with duckdb.connect(str(deployment.warehouse), read_only=True) as connection:
        rows = connection.execute(
            "select entity_id, period_start, etv_micro from api_v1__performance "
            "where entity_kind = 'developer' and period = 'week' and developer_weeks > 0"
        ).fetchall()
    firsts: dict[str, date] = {}
    for one in of_people(facts):
        firsts[str(one.developer)] = min(one.day, firsts.get(str(one.developer), one.day))
    sides = []
    for person, first in firsts.items():
        week = first - timedelta(days=first.weekday())
        own = [(start, etv / UNIT) for key, start, etv in rows if key == person]
        before = [etv for start, etv in own if week - timedelta(weeks=12) <= start < week]
        after = [etv for start, etv in own if week < start <= week + timedelta(weeks=12)]
        if before and after:
            sides.append((median(before), median(after)))
    found: dict[str, Any] = get_adoption(
        build, RowAccess(ORGANIZATION), AiAdoptionQuery.model_validate(DAYS)
    )["beforeAfter"]
    assert sides
    assert found["people"] == len(sides)
    assert found["medianBefore"] == pytest.approx(median(before for before, _ in sides))
    assert found["medianAfter"] == pytest.approx(median(after for _, after in sides))
    differences = [after - before for before, after in sides]
    assert found["medianDifference"] == pytest.approx(median(differences))
    assert found["low"] == pytest.approx(min(differences))
    assert found["high"] == pytest.approx(max(differences))


@given(st.integers(6, 80))
def test_an_interval_by_ranks_misses_one_of_twenty_medians_at_most(number: int) -> None:
    low, high = rank_interval(range(number))
    assert low + high == number - 1

    def missed(left_out: int) -> float:
        return 2 * float(sum(comb(number, below) for below in range(left_out + 1))) / float(2**number)

    assert missed(int(low)) <= 0.05 < missed(int(low) + 1)


@pytest.mark.parametrize("kind", ["CSV", "XLSX", "PARQUET"])
def test_a_file_has_the_points(client: httpx.Client, kind: str) -> None:
    points = client.get(PATH, params=DAYS).raise_for_status().json()["points"]
    answer = client.get(PATH, params=DAYS | {"format": kind}).raise_for_status()
    fields = {"label": "label", "active_developers": "activeDevelopers", "ai_developers": "aiDevelopers",
              "adoption": "adoption", "first_uses": "firstUses"}  # fmt: skip
    assert read_file(kind, answer.content, tuple(fields)) == [
        tuple(point[name] for name in fields.values()) for point in points
    ]
    assert sum(point["aiDevelopers"] for point in points) > 5
