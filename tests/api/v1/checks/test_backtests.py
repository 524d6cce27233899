"""Backtests of kinds of checks over HTTP, compared with loops over the facts."""

import statistics
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import httpx
import pytest
import yaml

from api.access.row_access import RowAccess
from api.presentation.checks import check_kinds
from api.read.checks.backtests import FEWEST_VALUES, MAX_LISTED, MEDIAN_WEEKS, Proposal, backtest
from api.snapshot.build import Build
from ingest.settings import CHECKOUT
from tests.api import published_rows
from tests.api.check_facts import backtested, measured, usual_time
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.published_facts import ORGANIZATION, TODAY, Facts
from tests.api.pull_request_facts import pull_requests

Serve = Callable[..., AbstractContextManager[str]]


@pytest.fixture
def client(deployment: Deployment, serve: Serve) -> Iterator[httpx.Client]:
    deployment.publish()
    with serve(deployment.data_dir) as address, client_for(address, deployment.key(scope="write")) as client:
        yield client


def tried(client: httpx.Client, kind: str, **body: Any) -> dict[str, Any]:
    answer = client.post(f"{ROOT}/checkKinds/{kind}:backtest", json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.mark.parametrize("hours", [1, 24, 30, 72, 240])
def test_a_backtest_finds_what_loops_find_and_stores_nothing(
    client: httpx.Client, facts: Facts, hours: int
) -> None:
    before = client.get(f"{ROOT}/checkKinds").json()
    found = tried(client, "WAITING_FOR_REVIEW", threshold=hours, critical=None)
    first = TODAY - timedelta(days=90)
    assert (found["startDate"], found["endDate"]) == (f"{first}", f"{TODAY}")
    expected = backtested(facts, "waiting_for_review", timedelta(hours=hours), first, TODAY)
    assert found["occurrences"] == len(expected)
    assert len(expected) <= MAX_LISTED
    rows = found["checkOccurrences"]
    openings = {subject: opened for subject, (opened, _) in expected.items()}
    assert {row["subjectId"]: instant(row["openedAt"]) for row in rows} == openings
    weeks = Counter(at.date() - timedelta(days=at.weekday()) for at in openings.values())
    assert {week["weekStart"]: week["occurrences"] for week in found["weeks"]} == {
        f"{monday}": count for monday, count in weeks.items()
    }
    assert all(row["threshold"] == hours <= row["value"] for row in rows)
    assert client.get(f"{ROOT}/checkKinds").json() == before


def test_a_kind_that_is_off_is_judged_as_if_it_were_on(client: httpx.Client, facts: Facts) -> None:
    assert client.patch(f"{ROOT}/checkKinds/OPEN_TOO_LONG", json={"isOn": False}).status_code == 200
    first, last = TODAY - timedelta(days=400), TODAY - timedelta(days=30)
    found = tried(client, "open_too_long", threshold=1.25, startDate=f"{first}", endDate=f"{last}")
    expected = backtested(facts, "open_too_long", timedelta(hours=30), first, last)
    assert found["occurrences"] == len(expected) > 0
    row = found["checkOccurrences"][0]
    assert (row["subjectType"], row["subjectTitle"][:12]) == ("PULL_REQUEST", "Merge change")
    assert row["repositoryName"] in facts.repositories.values()


@pytest.mark.parametrize("multiple", [1, 1.5, 3.25])
def test_a_multiple_judges_by_the_median_of_each_time_and_else_by_the_number(
    client: httpx.Client, facts: Facts, multiple: float
) -> None:
    first = TODAY - timedelta(days=90)
    found = tried(client, "WAITING_FOR_REVIEW", threshold=30, critical=None, thresholdMultiple=multiple)
    assert (found["threshold"], found["thresholdMultiple"], found["criticalMultiple"]) == (30, multiple, None)
    expected = backtested(facts, "waiting_for_review", timedelta(hours=30), first, TODAY, multiple)
    rows = {row["subjectId"]: row for row in found["checkOccurrences"]}
    assert {
        subject: (instant(row["openedAt"]), timedelta(hours=row["threshold"]))
        for subject, row in rows.items()
    } == expected
    assert len({limit for _, limit in expected.values()}) > 3
    critical = tried(
        client,
        "WAITING_FOR_REVIEW",
        threshold=30,
        critical=None,
        thresholdMultiple=multiple,
        criticalMultiple=2 * multiple,
    )
    known = {one.of.id for one in measured(facts) if usual_time(one.of)}
    assert {row["subjectId"] for row in critical["checkOccurrences"] if row["severity"] == "CRITICAL"} == {
        subject for subject, row in rows.items() if subject in known and row["value"] >= 2 * row["threshold"]
    }


@pytest.mark.parametrize("hours_in_unit", [1, 24])
def test_thresholds_follow_from_the_median_of_the_last_weeks(
    client: httpx.Client, facts: Facts, hours_in_unit: int
) -> None:
    kind = {1: "waiting_for_review", 24: "open_too_long"}[hours_in_unit]
    monday = TODAY - timedelta(days=TODAY.weekday())
    values = [
        (one.ended_at - one.of.created_at) / timedelta(hours=hours_in_unit)
        for one in measured(facts)
        if one.kind == kind
        and one.ended_at is not None
        and monday - timedelta(weeks=12) <= one.ended_at.date() < monday
    ]
    assert len(values) >= 10
    found = tried(client, kind, startDate=f"{TODAY}")
    median = statistics.median(values)
    assert found["ownMedian"] == pytest.approx(median, abs=0.01)
    assert found["suggestedThreshold"] == pytest.approx(1.5 * median, abs=0.02)
    assert found["suggestedCritical"] == pytest.approx(2 * median, abs=0.02)
    assert tried(client, "rubber_stamp")["ownMedian"] is None


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"threshold": 0}, "threshold"),
        ({"threshold": None}, "threshold"),
        ({"critical": 2}, "critical"),
        ({"criticalMultiple": 2}, "criticalMultiple"),
        ({"startDate": "2026-02-01", "endDate": "2026-01-01"}, "endDate"),
        ({"isOn": True}, "isOn"),
    ],
)
def test_an_impossible_proposal_names_its_field(client: httpx.Client, body: Any, field: str) -> None:
    answer = client.post(f"{ROOT}/checkKinds/WAITING_FOR_REVIEW:backtest", json=body)
    assert answer.status_code == 400, answer.text
    assert answer.json()["details"][0]["fieldViolations"][0]["field"] == field


def test_commits_lead_to_their_pages(deployment: Deployment, facts: Facts, tmp_path: Path) -> None:
    published_rows.write(facts, file := tmp_path / "warehouse.duckdb")
    commits = {commit.id: commit for commit in facts.commits if commit.delivered_at is not None}
    with duckdb.connect(str(file)) as connection:
        connection.executemany(
            "update api_v1__check_stretches set kind = 'merged_without_review', subject_type = 'commit', "
            "subject_id = ?, repository_id = ?, started_at = ? where subject_id = ?",
            [
                (commit.id, commit.repository, commit.delivered_at, pull.id)
                for commit, pull in zip(commits.values(), pull_requests(facts)[:40], strict=False)
            ],
        )
    replace(deployment, warehouse=file).publish()
    (path,) = (deployment.data_dir / "published" / ORGANIZATION).glob("*.duckdb")
    build = Build("any", path, 200)
    proposal = Proposal(check_kinds()["merged_without_review"], None, None)
    rows = backtest(build, RowAccess(ORGANIZATION), proposal, date(2000, 1, 1), None)["checkOccurrences"]
    build.close()
    assert len(rows) > 10
    for row in rows:
        commit = commits[row["subjectId"]]
        name = facts.repositories[commit.repository]
        assert row["url"] == f"https://git.example/{name}/commit/{commit.sha}"


def test_the_suggested_median_is_that_of_the_builds() -> None:
    """Multiples apply to the median that the models take (fct_check_stretches)."""
    declared = yaml.safe_load((CHECKOUT / "dbt_project" / "dbt_project.yml").read_text())["vars"]
    found = (declared["check_usual_weeks"], declared["check_usual_values"])
    assert found == (MEDIAN_WEEKS, FEWEST_VALUES)


def test_single_people_stay_hidden_where_the_organization_hides_them(deployment: Deployment) -> None:
    deployment.publish()
    (path,) = (deployment.data_dir / "published" / ORGANIZATION).glob("*.duckdb")
    build = Build("any", path, 200)
    kind = check_kinds()["waiting_for_review"]
    every = backtest(build, RowAccess(ORGANIZATION), Proposal(kind, 1_000_000, None), None, None)
    few = RowAccess(ORGANIZATION, minimum_group_size=3)
    hidden = backtest(build, few, Proposal(kind, 1_000_000, None), None, None)
    build.close()
    people = [row["developerId"] for row in every["checkOccurrences"]]
    assert hidden["occurrences"] == people.count(None) < every["occurrences"] == len(people)
