"""Closed months of CapEx stay as they are when usage of AI tools is withdrawn: the report has no money of AI."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime, time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from api.control.capex import locks, restatements
from api.control.principals import OPERATOR
from api.control.store import open_store
from ingest.lake import Lake
from ingest.schemas.ai_tools import COMMITS
from tests.control_databases import on_sqlite, used
from tests.dbt import warehouse
from tests.dbt.ai_usage.reported_usage import ANN, CURSOR
from tests.dbt.invented.invented_history import ORGANIZATION_ID

REPORT = ("capex", "capex_evidence", "fct_capex_scenarios", "fct_capex_uncertainty")
# What a vendor tells of single commits is evidence about them, and stands before the report; other usage does not.
MODELS = "stg_ai_tools__commits+,+capex stg_ai_tools__commits+,+api_v1__capex_evidence"
VERSION = {"organization_id": ORGANIZATION_ID, "connector_version": "1"}
Rows = dict[str, list[dict[str, Any]]]


def report_commits(lake: Lake, filled: Path) -> None:
    """Cursor wrote all lines of thirty commits."""
    empty: dict[str, Any] = {field.name: None for field in COMMITS}
    written = warehouse.rows(
        filled,
        "select commit_sha, authored_at::date as day from int_commits where not is_merge "
        "order by hash(commit_sha) limit 30",
    )
    rows = [
        empty | VERSION | {
            "connection_id": CURSOR, "batch": 2, "provider_id": one["commit_sha"], "tool": "cursor",
            "commit_sha": one["commit_sha"], "committed_at": datetime.combine(one["day"], time(12), UTC),
            "actor_email": ANN, "lines_added": 10, "ai_lines_added": 10, "payload": "{}",
        }
        for one in written
    ]  # fmt: skip
    source = lake.source("ai_tools", ORGANIZATION_ID, CURSOR)
    source.commit({"commits": pa.Table.from_pylist(rows, COMMITS)}, {}, {})


def figures(file: Path) -> Rows:
    return {name: warehouse.rows(file, f"select * from {name} order by all") for name in REPORT}


def evidence(file: Path) -> int:
    (found,) = warehouse.rows(
        file, "select count(*) as n from int_ai__evidence where signal = 'VENDOR_REPORT'"
    )
    return int(found["n"])


@pytest.fixture(scope="module")
def reports(built: Path, filled: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Rows, Rows]:
    """The report with usage of all kinds, and the one of the same history without any."""
    folder = tmp_path_factory.mktemp("withdrawn") / "copy"
    shutil.copytree(filled.parent, folder, ignore=shutil.ignore_patterns("target"))
    report_commits(Lake(folder / "raw"), filled)
    file = warehouse.build(folder / "raw", folder, select=MODELS, with_tests=False)
    assert (evidence(file) > 10, evidence(built)) == (True, 0)
    assert warehouse.rows(file, "select usage_id from ai_usage where counts_cost")
    assert warehouse.rows(built, "select usage_id from ai_usage") == []
    return figures(file), figures(built)


def test_no_figure_of_the_report_moves(reports: tuple[Rows, Rows]) -> None:
    before, after = reports
    assert all(len(rows) > 10 for rows in before.values())
    assert after == before


def test_no_closed_month_is_restated(reports: tuple[Rows, Rows], tmp_path: Path) -> None:
    before, after = (one["capex"] for one in reports)
    months = sorted({one["month"] for one in before if not one["is_draft"]})
    with on_sqlite() as url, used(url):
        store = open_store(tmp_path)
        store.ensure_organization("Acme", organization_id=ORGANIZATION_ID, slug="acme")
        for month in months:
            signed = [one for one in before if one["month"] == month]
            locks.lock_month(store, OPERATOR, ORGANIZATION_ID, month, signed, "b1")
        assert len(months) > 3
        assert restatements.restate(store, ORGANIZATION_ID, "b2", after, ["usage was withdrawn"]) == 0
        # An hour more would be found.
        longer = [after[0] | {"hours": after[0]["hours"] + 1}, *after[1:]]
        assert restatements.restate(store, ORGANIZATION_ID, "b3", longer, ["an hour more"]) == 1
        store.close()
