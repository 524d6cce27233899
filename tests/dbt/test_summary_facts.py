"""Facts of summaries against plain loops over the published figures of the invented organization."""

from __future__ import annotations

import shutil
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from tests.dbt import warehouse
from tests.dbt.invented.invented_history import ORGANIZATION_ID
from tests.dbt.naive.naive_summaries import Days, before, end_of, start_of

MICRO = 1_000_000
TOLD = {"week": 13, "month": 13, "quarter": 9}
TODAY, LATER = date(2025, 6, 18), date(2025, 8, 27)
# The models whose rows depend on the instant of the build and that facts read.
DATED = (
    "int_organization dim_calendar dim_periods fct_commits fct_employment fct_entity_days api_v1__performance"
    " api_v1__movements dim_summary_periods fct_summary_* api_v1__summary_facts"
)
# These tell the state of the day of the build.
OF_TODAY = ("uncounted.provisional", "uncounted.excluded_repositories")


def of_day(built: Path, folder: Path, day: date) -> Path:
    """The warehouse as of a day; the other models are as they were built."""
    shutil.copytree(built.parent, folder, ignore=shutil.ignore_patterns("target", "raw"))
    return warehouse.build(built.parent / "raw", folder, select=DATED, as_of=f"{day} 12:00:00+00:00")


@pytest.fixture(scope="module")
def told(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return of_day(built, tmp_path_factory.mktemp("told") / "copy", TODAY)


@pytest.fixture(scope="module")
def told_later(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return of_day(built, tmp_path_factory.mktemp("later") / "copy", LATER)


@pytest.fixture(scope="module")
def days(told: Path) -> dict[Any, Days]:
    daily, team_daily = (warehouse.rows(told, f"from {name}") for name in ("daily", "team_daily"))
    return Days.of(daily, team_daily)


def scope_of(fact: dict[str, Any]) -> tuple[str, str | None]:
    return fact["scope_kind"], None if fact["scope_kind"] == "ORGANIZATION" else fact["scope_id"]


def test_measures_and_their_usual_ranges_are_those_of_the_published_days(
    told: Path, days: dict[Any, Days]
) -> None:
    facts = warehouse.rows(told, "from summary_facts")
    found = {
        (scope_of(fact), fact["period"], fact["period_start"], fact["fact_id"]): tuple(
            fact[column] if fact[column] is None else fact[column] / MICRO
            for column in ("value_micro", "previous_micro", "low_micro", "high_micro")
        )
        for fact in facts
        if fact["kind"] in ("etv", "commits", "people", "ai_share", "category_share")
    }
    people = {
        (scope_of(fact), fact["period"], fact["period_start"]): fact["usual_people"]
        for fact in facts
        if fact["kind"] == "etv"
    }
    assert people == {
        (scope, period, start): days[scope].usual_people(period, start) for scope, period, start in people
    }
    assert len(set(people.values())) > 2
    expected = {}
    for scope, work in days.items():
        for period, count in TOLD.items():
            for start in work.periods(period, TODAY, count):
                then = before(period, start)
                previous = work.measured(period, then) if then >= work.begun(period) else {}
                for fact_id, value in work.measured(period, start).items():
                    if scope[0] == "REPOSITORY" and not work.measured(period, start)["people"]:
                        continue
                    if value is not None or fact_id == "ai_share":
                        usual = work.usual(period, start, fact_id)
                        expected[scope, period, start, fact_id] = (value, previous.get(fact_id), *usual)
    assert {key[0][0] for key in expected} == {"ORGANIZATION", "TEAM", "REPOSITORY"}
    assert any(low is not None for _, _, low, _ in expected.values())
    assert found.keys() == expected.keys()
    for key, values in expected.items():
        assert found[key] == tuple(
            value if value is None else pytest.approx(value, abs=1e-6) for value in values
        ), key


def test_a_month_is_held_against_the_three_months_before(told: Path, days: dict[Any, Days]) -> None:
    found: dict[Any, dict[str, float]] = {}
    for fact in warehouse.rows(
        told, "from summary_facts where kind = 'three_months' and scope_kind <> 'REPOSITORY'"
    ):
        name = fact["fact_id"].removeprefix("three_months.")
        if name.partition(".")[0] in ("etv", "commits", "ai_share", "category_share"):
            found.setdefault((scope_of(fact), fact["period_start"]), {})[name] = fact["value_micro"] / MICRO
    expected = {
        (scope, start): means
        for scope, work in days.items()
        if scope[0] != "REPOSITORY"
        for start in work.periods("month", TODAY, TOLD["month"])
        if (means := work.three_months(start))
    }
    assert len(expected) > 10
    assert found.keys() == expected.keys()
    for key, means in expected.items():
        assert found[key] == pytest.approx(means, abs=1e-6), key


def test_causes_and_performance_are_the_published_ones(told: Path) -> None:
    kind = (
        "case entity_kind when 'organization' then 'ORGANIZATION' else upper(entity_kind) end as scope_kind"
    )
    published = {
        (row["scope_kind"], row["entity_id"], row["period"], row["period_start"]): row
        for row in warehouse.rows(told, f"select *, {kind} from performance join movements using "
                                        "(entity_kind, entity_id, period, period_start)")
    }  # fmt: skip
    facts: dict[Any, dict[str, dict[str, Any]]] = {}
    for fact in warehouse.rows(told, "from summary_facts"):
        scope = (fact["scope_kind"], fact["scope_id"], fact["period"], fact["period_start"])
        facts.setdefault(scope, {})[fact["fact_id"]] = fact
    both = facts.keys() & published.keys()
    assert len(both) > 50
    for scope in both:
        row, found = published[scope], facts[scope]
        for cause in ("changes", "mix", "size", "rework", "value"):
            assert found[f"cause.{cause}"]["value_micro"] == row[f"{cause}_micro"]
        causes = sum(fact["value_micro"] for fact in found.values() if fact["kind"] == "cause")
        assert found["etv"]["value_micro"] == (found["etv"]["previous_micro"] or 0) + causes
        assert found["performance"]["value_micro"] == (
            row["performance"] and round(row["performance"] * MICRO)
        )


def test_the_largest_deliveries_are_those_of_the_lists(told: Path) -> None:
    """Without pull requests each commit is a delivery."""
    commits = warehouse.rows(
        told,
        "select commits.*, is_sandbox from commits_by_time as commits join repositories using (repository_id) "
        "where is_counted and delivered_on is not null and commits.etv_micro > 0",
    )
    checked = 0
    for period, count in TOLD.items():
        for number in range(count + 1):
            start = before(period, start_of(period, TODAY), number)
            inside = [row for row in commits if start <= row["delivered_on"] <= end_of(period, start)]
            inside.sort(key=lambda row: (-row["etv_micro"], row["commit_id"]))
            for kind, key, chosen in [
                ("ORGANIZATION", ORGANIZATION_ID, [row for row in inside if not row["is_sandbox"]]),
                *(
                    ("REPOSITORY", key, [row for row in inside if row["repository_id"] == key])
                    for key in {row["repository_id"] for row in inside}
                ),
            ]:
                found = warehouse.rows(
                    told,
                    f"from summary_facts where kind = 'delivery' and scope_kind = '{kind}' and scope_id = '{key}'"
                    f" and period = '{period}' and period_start = '{start}' order by position",
                )
                checked += len(found)
                assert [(row["subject_id"], row["value_micro"], row["subject_title"]) for row in found] == [
                    (row["commit_id"], row["etv_micro"], row["subject"]) for row in chosen[:5]
                ]
                # Only the organization has several repositories.
                assert [row["subject_reference"] for row in found] == [
                    ("" if kind == "REPOSITORY" else f"{row['repository_name']}@") + row["commit_sha"][:10]
                    for row in chosen[:5]
                ]
    assert checked > 50


def test_a_complete_period_tells_the_same_later(told: Path, told_later: Path) -> None:
    facts = [
        {
            tuple(row.values())
            for row in warehouse.rows(
                file,
                f"from summary_facts where period_end < '2025-06-18' and fact_id not in {OF_TODAY}",
            )
        }
        for file in (told, told_later)
    ]
    periods = {row[2:4] for row in facts[0]} & {row[2:4] for row in facts[1]}
    assert {period for period, _ in periods} == {"week", "month", "quarter"}
    ours, theirs = ({row for row in one if row[2:4] in periods} for one in facts)
    assert ours == theirs


def test_the_share_of_capex_is_that_of_the_hours_with_output(told: Path) -> None:
    months = warehouse.rows(
        told,
        "select month, sum(capex_hours) as part, sum(hours) as all_hours, "
        "sum(hours) filter (capex_hours is not null) as whole from capex group by month",
    )
    facts = {
        fact["period_start"]: fact["value_micro"]
        for fact in warehouse.rows(told, "from summary_facts")
        if (fact["fact_id"], fact["scope_kind"], fact["period"]) == ("capex_share", "ORGANIZATION", "month")
    }
    compared = [one for one in months if one["month"] in facts and one["whole"]]
    assert any(one["all_hours"] > one["whole"] for one in compared)
    for one in compared:
        assert facts[one["month"]] == pytest.approx(float(one["part"] / one["whole"]) * MICRO, abs=1)
