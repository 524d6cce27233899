"""Decisions about identities against plain loops over the raw rows; undoing them restores every figure."""

from __future__ import annotations

import shutil
from collections import Counter, defaultdict
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.dbt import warehouse
from tests.dbt.invented import invented_lake
from tests.dbt.invented.decided_organization import (
    ADA,
    ADA_AT_HOME,
    DEVIN,
    DEVINS_ID,
    GRACE,
    GRACES_ID,
    JOINED,
    LEFT,
    ROOT,
    SHORT_GRACE,
)
from tests.dbt.invented.invented_history import Repository
from tests.dbt.invented.invented_identities import Person, address_id, split_id
from tests.dbt.naive.naive_scores import Scores

WHO = "select developer_id, name, address, reason from int_identity__developers"


def developer_of(built: Path, person: Person) -> str:
    name, address = person
    [row] = warehouse.rows(built, f"{WHO} where name = '{name}' and address = '{address.lower()}'")
    return str(row["developer_id"])


def shown(built: Path, person: Person) -> dict[str, Any]:
    query = f"select * from developers where developer_id = '{developer_of(built, person)}'"
    return warehouse.rows(built, query)[0]


def test_addresses_belong_to_the_developers_of_plain_loops(decided: Path, decided_naive: Scores) -> None:
    found = defaultdict(set)
    for row in warehouse.rows(decided, WHO):
        found[row["developer_id"]].add((row["name"], row["address"]))
    groups = defaultdict(set)
    for (name, email), number in decided_naive.people.items():
        groups[number].add((name, email.lower()))
    assert sorted(map(sorted, found.values())) == sorted(map(sorted, groups.values()))
    reasons = {(row["name"], row["address"]): row["reason"] for row in warehouse.rows(decided, WHO)}
    assert Counter(reasons.values())["MERGED"] == 1
    assert reasons[SHORT_GRACE] == "SPLIT"
    assert {reasons[ADA], reasons[ADA_AT_HOME]} == {"FIRST_USED", "SAME_FULL_NAME"}


def test_a_merged_developer_has_every_id_and_a_split_one_the_id_of_its_split(decided: Path) -> None:
    both = shown(decided, GRACE)
    assert both["developer_id"] in (GRACES_ID, DEVINS_ID)
    assert both["known_ids"] == sorted((GRACES_ID, DEVINS_ID))
    apart = shown(decided, SHORT_GRACE)
    assert (apart["developer_id"], apart["known_ids"]) == (split_id("short"), [split_id("short")])
    assert [one["address_id"] for one in apart["addresses"]] == [address_id(SHORT_GRACE)]


def test_figures_of_a_merged_developer_are_sums(built: Path, decided: Path) -> None:
    def commits(file: Path, *people: Person) -> int:
        return sum(shown(file, person)["commit_count"] for person in people)

    assert commits(decided, GRACE, SHORT_GRACE) == commits(built, GRACE, DEVIN)
    assert min(commits(decided, GRACE), commits(decided, SHORT_GRACE), commits(built, DEVIN)) > 0
    counts = "select count(*) as n, sum(commits) as commits from commits_by_time, (select 1 as commits)"
    assert warehouse.rows(decided, counts) == warehouse.rows(built, counts)
    shares = "select commit_id, sum(share_micro) as n from commit_credits group by 1 having n <> 1000000"
    assert warehouse.rows(decided, shares) == []


def test_attributes_of_a_merged_developer_come_from_both_ids(decided: Path) -> None:
    both = shown(decided, GRACE)
    names = (
        "name",
        "primary_email",
        "role",
        "seniority",
        "joined_on",
        "left_on",
        "probation_ends_on",
        "kind",
    )
    assert [both[name] for name in names] == [
        "Admiral Hopper", DEVIN[1], "Tester", "SENIOR", JOINED, LEFT, None, None,
    ]  # fmt: skip
    apart = shown(decided, SHORT_GRACE)
    assert {apart[name] for name in names[2:]} == {None}
    names_in_lists = "select distinct developer_name from commits_by_time where developer_id = '{}'"
    assert warehouse.rows(decided, names_in_lists.format(both["developer_id"])) == [
        {"developer_name": "Admiral Hopper"}
    ]


def test_employment_runs_from_joining_to_leaving(decided: Path) -> None:
    both = developer_of(decided, GRACE)
    query = f"select * from fct_employment where developer_id = '{both}'"
    spans = warehouse.rows(decided, query)
    whole = [span for span in spans if span["entity_kind"] in ("developer", "organization")]
    assert [(span["first_on"], span["last_on"]) for span in whole] == [(JOINED, LEFT)] * 2
    assert all(JOINED <= span["first_on"] <= span["last_on"] <= LEFT for span in spans)
    assert {span["entity_kind"] for span in spans} == {"developer", "organization", "repository", "team"}


def test_performance_is_per_week_of_employment(decided: Path) -> None:
    query = f"""
        select period_start, period_end, developer_weeks from api_v1__performance
        where entity_kind = 'developer' and period = 'month' and entity_id = '{developer_of(decided, GRACE)}'
    """
    found = {row["period_start"]: row["developer_weeks"] for row in warehouse.rows(decided, query)}
    days = Counter((JOINED + timedelta(days=n)).replace(day=1) for n in range((LEFT - JOINED).days + 1))
    assert found == pytest.approx({month: n / 7 for month, n in days.items()})


def test_the_report_has_the_hours_of_every_employed_month(decided: Path) -> None:
    both = developer_of(decided, GRACE)
    query = f"select * from api_v1__capex where developer_id = '{both}' and not is_draft"
    rows = {row["month"]: row for row in warehouse.rows(decided, query)}
    hours = Counter[date]()
    day = JOINED
    while day <= LEFT:
        hours[day.replace(day=1)] += 8 if day.weekday() < 5 else 0
        day += timedelta(days=1)
    assert {month: row["hours"] for month, row in rows.items() if row["hours"]} == dict(hours)
    # Months without a delivery are there too, and of neither kind.
    idle = [row for row in rows.values() if row["commits"] == 0 and row["effort_micro"] == 0]
    assert idle
    assert {row["capex_percent"] for row in idle} == {None}
    attributes = {(row["role"], row["seniority"], row["dates_inferred"]) for row in rows.values()}
    assert attributes == {("Tester", "SENIOR", False)}


def test_the_report_has_every_month_from_the_first_to_the_last_delivery(built: Path) -> None:
    rows = warehouse.rows(
        built, "select developer_id, month, commits, hours, dates_inferred from api_v1__capex"
    )
    months: dict[str, list[date]] = {}
    for row in rows:
        months.setdefault(row["developer_id"], []).append(row["month"])
    for found in months.values():
        first, last = min(found), max(found)
        count = (last.year - first.year) * 12 + last.month - first.month + 1
        assert len(set(found)) == count
    idle = [row for row in rows if not row["commits"]]
    assert idle
    assert all(row["dates_inferred"] and row["hours"] > 0 for row in idle)


def test_a_developer_marked_as_a_bot_is_a_bot_everywhere(built: Path, decided: Path) -> None:
    before, after = shown(built, ROOT), shown(decided, ROOT)
    assert (before["is_bot"], after["is_bot"]) == (False, True)
    assert after["bot_reason"] == "set by an administrator"
    daily = "select distinct is_bot from daily where developer_id = '{}'"
    assert warehouse.rows(built, daily.format(before["developer_id"])) == [{"is_bot": False}]
    assert warehouse.rows(decided, daily.format(after["developer_id"])) == [{"is_bot": True}]
    report = f"select count(*) as n from api_v1__capex where developer_id = '{after['developer_id']}'"
    assert warehouse.rows(decided, report) == [{"n": 0}]


def test_undoing_all_decisions_restores_every_figure_bit_for_bit(
    built: Path, decided: Path, repositories: list[Repository], tmp_path: Path
) -> None:
    """After undoing, the control tables have no rows; see tests/api/control/test_commit_exclusions.py."""
    assert warehouse.fingerprint(decided, "daily") != warehouse.fingerprint(built, "daily")
    # Into the same warehouse, as a build does that follows undoing.
    for file in (decided, warehouse.published(decided)):
        shutil.copyfile(file, tmp_path / file.name)
    invented_lake.write(tmp_path / "raw", repositories)
    again = warehouse.build(tmp_path / "raw", tmp_path, with_tests=False)
    relations = warehouse.figures(built)
    assert relations
    for relation in relations:
        restored, original = (warehouse.fingerprint(file, relation) for file in (again, built))
        assert restored == original, relation
