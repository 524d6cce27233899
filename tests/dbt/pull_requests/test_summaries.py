"""Facts of summaries about pull requests and checks."""

from __future__ import annotations

import shutil
from collections import defaultdict
from datetime import date, timedelta
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from tests.dbt import warehouse
from tests.dbt.invented import invented_checks
from tests.dbt.naive.naive_summaries import before, end_of, start_of

MICRO = 1_000_000
TODAY = date(2027, 3, 1)
MODELS = (
    "int_organization int_checks__kinds int_pull_requests__working_days dim_calendar dim_periods fct_check_stretches"
    " fct_check_episodes fct_employment fct_entity_days api_v1__performance api_v1__movements dim_summary_periods"
    " fct_summary_* api_v1__summary_facts"
)
# All others are the work of one person or of few, also where nobody knows whose.
OF_NOBODY = ("objective", "issue", "team")
# The last moment of May in Vienna, and a moment of June.
END_OF_MAY, JUNE = "2025-05-31 21:59:59.999999+00:00", "2025-06-18 09:30:00+00:00"


def quarters() -> list[date]:
    """The quarters with facts of the warehouse."""
    return [before("quarter", start_of("quarter", TODAY), number) for number in range(10)]


def facts_of(file: Path, *kinds: str, period: str = "quarter") -> dict[Any, dict[str, dict[str, Any]]]:
    """The facts of these kinds by id, by scope and first day."""
    found: dict[Any, dict[str, dict[str, Any]]] = defaultdict(dict)
    for row in warehouse.rows(file, f"from summary_facts where kind in {kinds} and period = '{period}'"):
        kind = row["scope_kind"]
        found[kind, None if kind == "ORGANIZATION" else row["scope_id"], row["period_start"]][
            row["fact_id"]
        ] = row
    return found


def test_medians_and_numbers_are_those_of_the_merged_pull_requests(merged: Path) -> None:
    rows = warehouse.rows(merged, "from merged_pull_requests where not is_bot")
    facts = facts_of(merged, "merged_pull_requests", "pickup_hours", "cycle_hours", "etv")
    below = {row["team_id"]: {row["team_id"]} for row in warehouse.rows(merged, "from teams")}
    for team in warehouse.rows(merged, "from teams order by depth desc"):
        if team["parent_id"]:
            below[team["parent_id"]] |= below[team["team_id"]]
    compared = 0
    for (kind, key, start), found in facts.items():
        inside = [
            row
            for row in rows
            if start <= row["merged_on"] <= end_of("quarter", start)
            and (kind == "REPOSITORY" or not row["is_sandbox"])
            and (key in (None, row["repository_id"]) or row["team_id"] in below.get(key, ()))
        ]
        if "merged_pull_requests" in found:
            assert found["merged_pull_requests"]["value_micro"] == len(inside) * MICRO
        for name in ("pickup", "cycle"):
            hours = [row[f"{name}_working_hours_micro"] for row in inside]
            known = [one for one in hours if one is not None]
            fact = found.get(f"{name}_hours")
            assert (fact is not None) == bool(known)
            if fact is not None:
                assert fact["value_micro"] == pytest.approx(median(known), abs=1)
                assert fact["basis"] == len(known)
                compared += 1
    assert compared > 10


def test_a_delivery_is_a_pull_request_with_its_commits(merged: Path) -> None:
    commits = warehouse.rows(
        merged, "from commits_by_time where is_counted and delivered_on is not null and etv_micro > 0"
    )
    pulls = {row["pull_request_id"]: row for row in warehouse.rows(merged, "from pull_requests")}
    by_delivery: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in commits:
        by_delivery[row["repository_id"], row["pull_request_id"] or row["commit_id"]].append(row)
    kinds = set()
    for (kind, key, start), found in facts_of(merged, "delivery").items():
        if kind != "REPOSITORY":
            continue
        inside = sorted(
            (
                (-sum(row["etv_micro"] for row in rows), one)
                for (repository, one), rows in by_delivery.items()
                if repository == key
                and start <= max(row["delivered_on"] for row in rows) <= end_of("quarter", start)
            ),
        )
        told = sorted(found.values(), key=lambda fact: fact["position"])
        assert [(-fact["value_micro"], fact["subject_id"]) for fact in told] == inside[:5]
        for fact in told:
            kinds.add(fact["subject_type"])
            if fact["subject_type"] == "PULL_REQUEST":
                pull = pulls[fact["subject_id"]]
                assert (fact["subject_title"], fact["subject_reference"], fact["url"]) == (
                    pull["title"], f"#{pull['number']}", pull["url"],
                )  # fmt: skip
    assert kinds == {"PULL_REQUEST", "COMMIT"}


@pytest.fixture(scope="module")
def end_of_may(merged: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return of_instant(merged, tmp_path_factory.mktemp("may") / "copy", END_OF_MAY)


@pytest.fixture(scope="module")
def june(merged: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return of_instant(merged, tmp_path_factory.mktemp("june") / "copy", JUNE)


def of_instant(merged: Path, folder: Path, as_of: str) -> Path:
    shutil.copytree(merged.parent, folder, ignore=shutil.ignore_patterns("target", "raw"))
    return warehouse.build(merged.parent / "raw", folder, select=MODELS, as_of=as_of)


def test_months_before_the_first_merge_are_no_months_without_merges(june: Path) -> None:
    facts = facts_of(june, "merged_pull_requests", "three_months", period="month")
    counts = set()
    for (kind, key, start), found in facts.items():
        months = [facts.get((kind, key, before("month", start, number)), {}) for number in (1, 2, 3)]
        merges = [
            one["merged_pull_requests"]["value_micro"] for one in months if "merged_pull_requests" in one
        ]
        mean = found.get("three_months.merged_pull_requests")
        if kind == "REPOSITORY" or start <= date(2024, 8, 1):
            continue
        assert (mean and mean["value_micro"]) == (round(sum(merges) / 3) if len(merges) == 3 else None)
        counts.add(len(merges))
    assert 3 in counts
    assert counts & {1, 2}


def test_open_checks_of_a_month_are_those_of_a_build_at_its_end(end_of_may: Path, june: Path) -> None:
    columns = (
        "scope_kind, scope_id, fact_id, subject_id, subject_type, value_micro, note, basis, previous_micro"
    )
    ours, theirs = (
        warehouse.rows(
            file,
            f"select {columns} from summary_facts where period = 'month' and period_start = '2025-05-01' and "
            "(starts_with(kind, 'check_open') or kind in ('checks_opened', 'checks_open')) order by all",
        )
        for file in (june, end_of_may)
    )
    assert len(theirs) > 10
    assert ours == theirs
    # How many there are would tell a reader of few people what is hidden.
    assert not [row for row in ours if row["fact_id"].startswith("check_open.") and row["basis"] is not None]


def test_events_of_earlier_periods_come_after_what_goes_on(june: Path) -> None:
    lasting = {name for name, kind in invented_checks.kinds().items() if kind.get("lasting_days")}
    rows = warehouse.rows(
        june,
        "select checks.*, kinds.subject_id as kind_of_check from summary_facts as checks "
        "join summary_facts as kinds using (scope_kind, scope_id, period, period_start, position) "
        "where checks.kind = 'check_open' and kinds.kind = 'check_open_kind' order by position",
    )
    found: dict[tuple[Any, ...], list[bool]] = {}
    for row in rows:
        assert (row["on_date"] is not None) == (row["kind_of_check"] in lasting)
        key = tuple(row[name] for name in ("scope_kind", "scope_id", "period", "period_start"))
        found.setdefault(key, []).append(row["on_date"] is not None and row["on_date"] < row["period_start"])
    assert all(past == sorted(past) for past in found.values())
    # There were such events, and more than five checks that went on.
    assert warehouse.rows(
        june,
        "select 1 from check_episodes as episodes join check_occurrences as occurrences using (occurrence_id) "
        f"where occurrences.kind in {tuple(sorted(lasting))} and episodes.opened_at < '2025-05-25' "
        "and coalesce(episodes.ended_at, '2026-01-01') > '2025-06-02'",
    )


def test_the_worst_of_each_kind_comes_before_the_second_of_any(june: Path) -> None:
    """Of the running week, whose checks are measured at the build."""
    kinds = invented_checks.kinds()
    rows = warehouse.rows(
        june,
        "select *, timezone('Europe/Vienna', opened_at)::date as opened_on from fct_check_episodes "
        "where ended_at is null",
    )
    facts = warehouse.rows(
        june,
        "select kinds.subject_id as kind, checks.subject_id, checks.period_start from summary_facts as checks "
        "join summary_facts as kinds using (scope_kind, scope_id, period, period_start, position) "
        "where checks.kind = 'check_open' and kinds.kind = 'check_open_kind' and checks.is_draft "
        "and scope_kind = 'ORGANIZATION' and period = 'week' order by position",
    )

    def rank(row: dict[str, Any]) -> tuple[Any, ...]:
        limit = row["threshold_micro"]
        excess = -row["measured_micro"] / limit if row["measured_micro"] is not None and limit else 1
        is_past = bool(kinds[row["kind"]].get("lasting_days")) and row["opened_on"] < facts[0]["period_start"]
        return is_past, not row["is_critical"], excess, row["opened_at"], row["occurrence_id"]

    places: dict[tuple[Any, ...], int] = {}
    expected = []
    for row in sorted(rows, key=rank):
        is_past, is_warning, *rest = rank(row)
        group = (is_past, is_warning, row["kind"])
        places[group] = places.get(group, 0) + 1
        expected.append((is_past, is_warning, places[group], *rest, row["kind"], row["subject_id"]))
    assert [(one["kind"], one["subject_id"]) for one in facts] == [one[-2:] for one in sorted(expected)][:5]
    assert len({one["kind"] for one in facts}) > 1


def test_counts_of_checks_are_those_of_their_history(june: Path) -> None:
    episodes = warehouse.rows(
        june,
        "select kind, repository_id, developer_id, subject_type,"
        " timezone('Europe/Vienna', opened_at)::date as opened_on,"
        " timezone('Europe/Vienna', ended_at)::date as ended_on from fct_check_episodes",
    )
    compared = 0
    for (kind, key, start), found in facts_of(june, "checks_opened", "checks_ended", period="week").items():
        if kind == "TEAM":
            continue
        days = {start + timedelta(days=day) for day in range(7)}
        for name, column in (("checks_opened", "opened_on"), ("checks_ended", "ended_on")):
            inside = [one for one in episodes if one[column] in days and key in (None, one["repository_id"])]
            assert found[name]["value_micro"] == len(inside) * MICRO
            # Everything but objectives, issues without an owner and teams is the work of few.
            people = {
                one["developer_id"]
                for one in inside
                if one["developer_id"] or one["subject_type"] not in OF_NOBODY
            }
            assert found[name]["people"] == (len(people) or None)
            compared += len(inside)
    assert compared > 20
