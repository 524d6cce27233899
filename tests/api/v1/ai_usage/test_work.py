"""AI spend by work, compared with loops over the facts."""

from collections import defaultdict
from collections.abc import Callable
from datetime import date
from typing import Any

import httpx
import pytest

from tests.api import published_plans, pull_request_facts
from tests.api.ai_usage_facts import CURRENCIES, Linked, linked
from tests.api.conftest import ROOT
from tests.api.published_facts import UNIT, Facts
from tests.api.table_files import read_file

FIRST, LAST = date(2026, 6, 1), date(2026, 11, 20)
DAYS: dict[str, Any] = {"startDate": str(FIRST), "endDate": str(LAST), "pageSize": 1000}
PATH = f"{ROOT}/aiSpend/work"


def in_range(facts: Facts) -> list[Linked]:
    return [one for one in linked(facts, CURRENCIES) if FIRST <= one.used.day <= LAST]


def listed(client: httpx.Client, **asked: Any) -> list[dict[str, Any]]:
    body = client.get(PATH, params=DAYS | asked).raise_for_status().json()
    rows: list[dict[str, Any]] = body["work"]
    assert len(rows) == body["totalSize"]
    return rows


def of_plans(facts: Facts, column: str) -> Callable[[str], list[str | None]]:
    """The issues or objectives of a commit: one for each of its links."""
    found: dict[str, list[str | None]] = defaultdict(list)
    for row in published_plans.rows(facts)["commit_issues"]:
        found[row["commit_id"]].append(row[column])
    return lambda commit: found[commit]


def keys_of(facts: Facts, group: str) -> Callable[[Linked], list[str | None]]:
    pulled = pull_request_facts.commit_columns(facts)
    places: dict[str, Callable[[str], list[str | None]]] = {
        "COMMIT": lambda commit: [commit],
        "REPOSITORY": lambda commit: [next(c.repository for c in facts.commits if c.id == commit)],
        "PULL_REQUEST": lambda commit: [pulled.get(commit, {}).get("pull_request_id")],
        "ISSUE": of_plans(facts, "item_id"),
        "OBJECTIVE": of_plans(facts, "objective_id"),
    }
    return lambda one: places[group](one.commit.id) if one.commit else []


def missing_link(facts: Facts, one: Linked, group: str, key: str | None) -> str | None:
    """What cost lacks on its way to the things of a group, or of a commit on its way to objectives."""
    if one.commit is None:
        return "NO_COMMIT"
    if group == "COMMIT":
        objectives = of_plans(facts, "objective_id")(one.commit.id)
        return "NO_ISSUE" if not objectives else "NO_OBJECTIVE" if None in objectives else None
    if key is not None:
        return None
    if group == "OBJECTIVE":
        return "NO_OBJECTIVE" if of_plans(facts, "item_id")(one.commit.id) else "NO_ISSUE"
    return f"NO_{group}"


@pytest.mark.parametrize("group", ["COMMIT", "PULL_REQUEST", "ISSUE", "OBJECTIVE", "REPOSITORY"])
def test_each_row_has_the_cost_that_reaches_it(client: httpx.Client, facts: Facts, group: str) -> None:
    keys, costs = keys_of(facts, group), defaultdict[tuple[Any, ...], float](float)
    certain, weighed = defaultdict[tuple[Any, ...], float](float), defaultdict[tuple[Any, ...], float](float)
    commits, people = defaultdict[tuple[Any, ...], set[str]](set), defaultdict[tuple[Any, ...], set[str]](set)
    for one in in_range(facts):
        reached = [
            (key, one.used.currency, missing_link(facts, one, group, key)) for key in keys(one) or [None]
        ]
        for key in reached:
            costs[key] += one.used.cost / len(reached)
            weighed[key] += one.confidence * one.used.cost / len(reached)
            certain[key] += one.used.cost / len(reached) if key[0] and one.method == "session" else 0
            commits[key] |= {one.commit.id} if one.commit else set()
            people[key] |= {one.used.developer} if one.used.developer else set()
    rows = listed(client, groupBy=group)
    assert {(row["id"], row["currency"], row["missingLink"]) for row in rows} == costs.keys()
    assert len(rows) == len(costs) > 1
    for row in rows:
        key = row["id"], row["currency"], row["missingLink"]
        assert row["cost"] == pytest.approx(costs[key] / UNIT, abs=2e-6)
        assert row["certainCost"] == pytest.approx(certain[key] / UNIT, abs=2e-6)
        assert row["isLinked"] == (row["id"] is not None)
        assert (row["commits"], row["people"]) == (len(commits[key]), len(people[key]))
        if row["id"] is None:
            assert (row["name"], row["confidence"], row["etv"]) == (None, None, None)
        else:
            assert row["confidence"] == pytest.approx(weighed[key] / costs[key] / UNIT, abs=2e-6)
    # Nothing is lost and nothing counts twice.
    for currency in CURRENCIES:
        whole = sum(one.used.cost for one in in_range(facts) if one.used.currency == currency) / UNIT
        assert whole > 0
        assert sum(row["cost"] for row in rows if row["currency"] == currency) == pytest.approx(
            whole, abs=1e-4
        )


def test_etv_is_that_of_the_commits_with_cost(client: httpx.Client, facts: Facts) -> None:
    commits = {one.id: one for one in facts.commits}
    by_repository: dict[tuple[str, str], set[str]] = defaultdict(set)
    for one in in_range(facts):
        if one.commit:
            by_repository[one.commit.repository, one.used.currency].add(one.commit.id)
    for row in listed(client, groupBy="REPOSITORY"):
        if row["id"]:
            own = by_repository[row["id"], row["currency"]]
            etv = sum(commits[key].etv for key in own) / UNIT
            assert (row["etv"], row["commits"]) == (pytest.approx(etv), len(own))
            assert row["costPerEtv"] == pytest.approx(row["cost"] / etv, rel=1e-4)
            assert row["name"] == facts.repositories[row["id"]]


def test_filters_narrow_the_cost(client: httpx.Client, facts: Facts) -> None:
    person = next(one.used.developer for one in in_range(facts) if one.commit)
    rows = listed(client, developer=person, tool="cursor")
    wanted = [one for one in in_range(facts) if (one.used.developer, one.used.tool) == (person, "cursor")]
    assert sum(row["cost"] for row in rows) == pytest.approx(sum(one.used.cost for one in wanted) / UNIT)
    every = listed(client, groupBy="COMMIT")
    for name in ("NO_ISSUE", "NO_OBJECTIVE"):
        found = listed(client, groupBy="COMMIT", filter=f"missingLink = {name}")
        assert found == [row for row in every if row["missingLink"] == name] != []
    large = listed(client, groupBy="COMMIT", filter="confidence > 0.95")
    assert {row["confidence"] for row in large} == {1.0}


@pytest.mark.parametrize(("path", "group"), [("commits", "COMMIT"), ("pullRequests", "PULL_REQUEST")])
def test_lists_have_the_cost_of_all_days(client: httpx.Client, facts: Facts, path: str, group: str) -> None:
    every = {"startDate": "2020-01-01", "endDate": "2026-12-31"}
    rows = [row for row in listed(client, groupBy=group, **every) if row["id"]]
    spent = {row["id"]: row for row in rows if row["currency"] == "USD"}
    assert any(row["currency"] == "EUR" for row in rows)
    rows = client.get(f"{ROOT}/{path}", params={"pageSize": 1000, "orderBy": "aiCost desc"}).json()[path]
    found = {row["id"]: (row["aiCost"], row["aiCostConfidence"]) for row in rows if row["aiCost"] is not None}
    assert found.keys() == spent.keys()
    for key, (cost, confidence) in found.items():
        assert cost == pytest.approx(spent[key]["cost"], abs=2e-6)
        assert confidence == pytest.approx(spent[key]["confidence"], abs=2e-6)
    assert [cost for cost, _ in found.values()] == sorted((cost for cost, _ in found.values()), reverse=True)


@pytest.mark.parametrize(("path", "group"), [("issues", "ISSUE"), ("objectives", "OBJECTIVE")])
def test_issues_and_objectives_have_the_cost_of_counted_commits(
    client: httpx.Client, facts: Facts, path: str, group: str
) -> None:
    counted = {one.id for one in facts.commits if one.changes and one.developer != facts.bot}
    counted -= {one.id for one in facts.commits if one.repository == facts.sandbox}
    keys = keys_of(facts, group)
    costs, sure = defaultdict[str | None, float](float), defaultdict[str | None, float](float)
    for one in linked(facts):
        if one.commit and one.commit.id in counted:
            reached = keys(one)
            for key in reached:
                costs[key] += one.used.cost / len(reached)
                sure[key] += one.used.cost * one.confidence / len(reached)
    rows = client.get(f"{ROOT}/{path}", params={"pageSize": 1000}).json()[path]
    found = {row["id"]: row["aiCost"] for row in rows if row["aiCost"] is not None}
    confidence = {row["id"]: row["aiCostConfidence"] for row in rows}
    means = {key: sure[key] / costs[key] / UNIT for key in costs if key in found}
    assert means == pytest.approx({key: confidence[key] for key in means}, abs=3e-6)
    assert len({round(one, 3) for one in means.values()}) > 1
    assert {key for key, mean in confidence.items() if mean is not None} == found.keys()
    whole = {key: cost / UNIT for key, cost in costs.items() if key in found}
    assert whole == pytest.approx({key: found[key] for key in whole}, abs=2e-6)
    # Sub-objectives have the cost of their issues too, and commits may name an objective themselves.
    assert found.keys() >= costs.keys() & {row["id"] for row in rows}
    assert len(whole) > 1


@pytest.mark.parametrize("group", ["COMMIT", "PULL_REQUEST", "ISSUE", "OBJECTIVE", "REPOSITORY"])
def test_a_file_has_the_rows_of_the_list(client: httpx.Client, group: str) -> None:
    rows = listed(client, groupBy=group)
    asked = {name: value for name, value in DAYS.items() if name != "pageSize"} | {"groupBy": group}
    for kind in ("CSV", "XLSX", "PARQUET"):
        answer = client.get(PATH, params=asked | {"format": kind}).raise_for_status()
        assert read_file(kind, answer.content, ("id", "currency", "cost", "etv")) == [
            (row["id"], row["currency"], row["cost"], row["etv"]) for row in rows
        ]
    assert client.get(PATH, params=asked | {"format": "CSV", "pageToken": "x"}).status_code == 400


def test_repositories_say_what_their_spend_lacks(client: httpx.Client) -> None:
    rows = listed(client, groupBy="REPOSITORY")
    [lacking] = [
        row["cost"] for row in rows if row["missingLink"] == "NO_COMMIT" and row["currency"] == "USD"
    ]
    page = client.get(f"{ROOT}/repositories", params=DAYS | {"pageSize": 1}).json()
    days = {"startDate": str(FIRST), "endDate": str(LAST)}
    one = client.get(f"{ROOT}/repositories/{page['repositories'][0]['id']}", params=days).json()
    assert page["aiCostWithoutCommit"] == one["aiCostWithoutCommit"] == pytest.approx(lacking)
    assert lacking > 0


def test_days_without_usage_lack_no_spend(client: httpx.Client) -> None:
    days = {"startDate": "2001-01-01", "endDate": "2001-02-01"}
    page = client.get(f"{ROOT}/repositories", params=days).json()
    assert page["aiCostWithoutCommit"] is None
