"""An organization without a published build: lists are empty and say what to do, single things are not found."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

import httpx
import pytest

from api.app import create_app
from api.control.organizations.first_steps import ADD, NOTHING
from api.control.store import ControlStore
from api.settings import ApiSettings
from api.snapshot.empty_build import EmptyBuild, declared_tables, empty_build
from tests.api.conftest import ROOT, client_for
from tests.api.empty_organization import address, data_dir, store
from tests.api.people import join, sign_in
from tests.api.published_facts import ORGANIZATION
from tests.api.snapshot.empty_tables import of_models

__all__ = ["address", "data_dir", "store"]

PREFIX = "/api/v1/organizations/{organization}/"
PATHS = [
    path
    for path, methods in create_app(ApiSettings()).openapi()["paths"].items()
    if path.startswith(PREFIX) and "get" in methods
]
OF_ONE_THING = [path for path in PATHS if "{" in path.removeprefix(PREFIX)]
# The first and the last have no day to count for, the second lists what one connection reaches.
OTHERWISE = {"billableDevelopers": 400, "repositories:available": 400, "summaries:preview": 400}


@pytest.fixture(scope="module")
def owner(store: ControlStore, address: str) -> Iterator[httpx.Client]:
    with client_for(address, sign_in(store, join(store, ORGANIZATION, "owner"))) as client:
        yield client


def test_the_tables_are_those_of_the_models() -> None:
    told = "python -m tests.api.snapshot.empty_tables writes them anew"
    assert {name: list(columns.items()) for name, columns in declared_tables().items()} == {
        name: list(columns.items()) for name, columns in of_models().items()
    }, told


def test_every_table_is_empty_but_the_organization(store: ControlStore) -> None:
    build = EmptyBuild(store.organization(ORGANIZATION), date(2026, 3, 1))
    counts = {table: build.value(f"select count(*) from {table}") for table in declared_tables()}
    assert {table for table, count in counts.items() if count} == {"organizations"}
    [row] = build.rows("select * from organizations")
    assert (str(row["last_complete_week_start"]), str(row["last_complete_month_start"])) == (
        "2026-02-16",
        "2026-02-01",
    )
    build.close()


def test_an_empty_build_is_kept_for_its_day_and_settings(store: ControlStore) -> None:
    record = replace(store.organization(ORGANIZATION), time_zone="Asia/Tokyo")
    late, next_day = datetime(2026, 3, 1, 14, 59, tzinfo=UTC), datetime(2026, 3, 1, 15, tzinfo=UTC)
    kept = empty_build(record, late)
    assert empty_build(record, late) is kept
    assert str(kept.value("select local_date from organizations")) == "2026-03-01"
    assert str(empty_build(record, next_day).value("select local_date from organizations")) == "2026-03-02"
    assert empty_build(replace(record, name="Other"), late) is not kept


@pytest.mark.parametrize("path", [path for path in PATHS if path not in OF_ONE_THING])
def test_a_list_is_empty(owner: httpx.Client, path: str) -> None:
    name = path.removeprefix(PREFIX)
    answer = owner.get(path.replace("{organization}", "acme"))
    assert answer.status_code == OTHERWISE.get(name, 200), answer.text
    if answer.status_code != 200:
        return
    body = answer.json()
    if body.get("nextStep") == f"{NOTHING} {ADD}":
        assert "X-Warehouse-Build" not in answer.headers
        assert "ETag" not in answer.headers
        assert rows_of(body) == []
        # A total is one series, whose points are 0 or null.
        assert body.get("totalSize", 0) == len(body.get("series", ()))
    else:
        # Nothing here comes from a build.
        assert body.get("totalSize", 0) == 0 or name in ("members", "operations")


def rows_of(body: dict[str, Any]) -> list[Any]:
    """Every item of the lists of an answer, apart from series and the points of one."""
    return [
        item
        for name, value in body.items()
        if isinstance(value, list) and name not in ("series", "points", "allowedIntervals")
        for item in value
    ]


FROM_BUILDS = (
    "repositories", "developers", "teams", "commits", "metrics", "movements", "zeroReasons",
    "pullRequests", "pullRequestMetrics", "reviewers", "aiSpend", "aiSpend/reconciliation", "aiSpend/work",
    "objectives", "objectives:tree", "issues", "capex",
    "capex/uncertainCommits", "mergeSuggestions", "importBursts", "checkOccurrences",
    "me/commits", "me/pullRequests", "me/metrics", "me/movements", "me/capex",
)  # fmt: skip


@pytest.mark.parametrize("name", FROM_BUILDS)
def test_what_builds_fill_says_what_to_do(owner: httpx.Client, name: str) -> None:
    assert PREFIX + name in PATHS
    assert owner.get(f"{ROOT}/{name}").json()["nextStep"] == f"{NOTHING} {ADD}"


@pytest.mark.parametrize("path", OF_ONE_THING)
def test_a_single_thing_is_not_found(owner: httpx.Client, path: str) -> None:
    filled = path.replace("{organization}", "acme").replace("{month}", "2026-01").replace("{revision}", "1")
    answer = owner.get(filled.replace("{", "").replace("}", ""))
    assert (answer.status_code, answer.json()["code"]) == (404, 5), answer.text


@pytest.mark.parametrize("path", ["capex", "aiSpend"])
@pytest.mark.parametrize("kind", ["CSV", "XLSX", "PARQUET"])
def test_an_export_is_a_file_without_rows(owner: httpx.Client, kind: str, path: str) -> None:
    answer = owner.get(f"{ROOT}/{path}", params={"format": kind})
    assert answer.status_code == 200
    assert "attachment" in answer.headers["Content-Disposition"]


def test_a_series_over_nothing_has_its_buckets(owner: httpx.Client) -> None:
    days = {"startDate": "2026-01-01", "endDate": "2026-03-31", "interval": "MONTH", "metrics": "etv"}
    body = owner.get(f"{ROOT}/metrics", params=days).json()
    assert [(point["label"], point["etv"]) for line in body["series"] for point in line["points"]] == [
        ("2026-01", 0), ("2026-02", 0), ("2026-03", 0),
    ]  # fmt: skip
