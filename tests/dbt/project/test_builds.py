"""The same facts and the same instant give the same rows, with any order and number of threads."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.dbt import warehouse
from tests.dbt.invented import invented_lake
from tests.dbt.invented.tracked_organization import Tracked

# Of the alignment with trackers, beside the relations that the API reads.
ALIGNED = ("fct_commit_issues", "fct_objective_days", "dim_objectives", "fct_issues", "fct_daily")


@pytest.fixture(scope="module")
def shuffled(tracked: Tracked, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shuffled")
    trackers = tracked.read_before_too()
    invented_lake.write(folder / "raw", reversed(tracked.repositories), shuffle=11, trackers=trackers)
    return warehouse.build(folder / "raw", folder, threads=1, with_tests=False)


# Two more builds: test_invariances.py tries the order of rows on every change.
@pytest.mark.release
def test_order_and_threads_change_no_bit(aligned: Path, shuffled: Path) -> None:
    names = warehouse.figures(aligned)
    assert "commits_by_time" in names
    for name in [*names, *ALIGNED]:
        assert warehouse.fingerprint(shuffled, name) == warehouse.fingerprint(aligned, name), name


# Two more builds: test_invariances.py tries the order of rows on every change.
@pytest.mark.release
def test_order_and_threads_change_no_row_of_the_published_tables(aligned: Path, shuffled: Path) -> None:
    files = [warehouse.published(one) for one in (aligned, shuffled)]
    names = warehouse.relations(files[0], "")
    assert {"commits_by_time", "daily_totals", "teams"} <= set(names)
    for name in names:
        ours, theirs = (warehouse.rows(file, f"from {name} order by rowid") for file in files)
        assert ours == theirs, name


def test_published_tables_are_sorted_for_their_reads(built: Path) -> None:
    nodes = warehouse.project().to_dict()["nodes"].values()
    published = [node["config"]["meta"].get("published", {}) for node in nodes]
    orders = {name: table["order_by"] for tables in published for name, table in tables.items()}
    assert orders["commits_by_repository"] == "repository_id, delivered_at desc nulls last, commit_id"
    assert orders["daily_by_team"].startswith("team_id, delivered_on, ")
    for name, order in orders.items():
        wrong = warehouse.rows(
            warehouse.published(built),
            f"select count(*) as n from (select rowid as row, row_number() over (order by {order}) - 1 as place "
            f"from {name}) where row <> place",
        )
        assert wrong == [{"n": 0}], name


def test_an_earlier_instant_changes_only_dependent_values(built: Path, tmp_path: Path) -> None:
    raw = built.parent / "raw"
    select = "+api_v1__commits +api_v1__organizations +api_v1__performance"
    instant = "2025-03-10 23:30:00+00:00"
    earlier = warehouse.build(raw, tmp_path, select=select, with_tests=False, as_of=instant)
    facts = "commit_id, etv_micro, delivered_on, provisional_until"
    query = f"select {facts} from commits_by_time order by commit_id"
    assert warehouse.rows(earlier, query) == warehouse.rows(built, query)
    organization = warehouse.rows(earlier, "select * from organizations")[0]
    # Half past eleven in the evening of a Monday is Tuesday in Vienna.
    assert str(organization["last_complete_week_start"]) == "2025-03-03"
    assert str(organization["last_complete_month_start"]) == "2025-02-01"
    provisional = warehouse.rows(
        earlier,
        "select is_provisional, provisional_until > '2025-03-10 23:30:00+00:00' as p from commits_by_time",
    )
    assert {row["is_provisional"] == row["p"] for row in provisional} == {True}
    assert {row["p"] for row in provisional} == {True, False}
    drafts = warehouse.rows(
        earlier, "select is_draft, period_end >= '2025-03-11' as d from api_v1__performance"
    )
    assert {row["is_draft"] == row["d"] for row in drafts} == {True}


def test_an_organization_without_sources_builds_empty(tmp_path: Path) -> None:
    invented_lake.write(tmp_path / "raw", [])
    file = warehouse.build(tmp_path / "raw", tmp_path)
    sizes = {
        name: warehouse.rows(file, f"select count(*) as n from {name}")[0]["n"]
        for name in warehouse.figures(file)
    }
    assert sizes.pop("organizations") == 1
    # The table of reasons is the same for every organization.
    assert sizes.pop("zero_reasons") > 10
    assert set(sizes.values()) == {0}
