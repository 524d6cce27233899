"""Connections without a complete sync for days, against the rows of the settings."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

from tests.dbt import warehouse
from tests.dbt.invented import invented_checks
from tests.dbt.pull_requests.conftest import unsynced


def test_a_connection_without_a_complete_sync_is_an_occurrence_after_its_days(merged: Path) -> None:
    kind = invented_checks.kinds()["connection_not_synced"]
    as_of, limit = datetime.fromisoformat(warehouse.AS_OF), timedelta(days=kind["threshold"])
    expected = {
        one["connection_id"]: (one["name"], one["unsynced_since"] + limit, None)
        for one in unsynced()
        if as_of - one["unsynced_since"] >= limit
    }
    rows = warehouse.rows(merged, "select * from check_occurrences where kind = 'connection_not_synced'")
    found = {row["subject_id"]: (row["subject_title"], row["opened_at"], row["ended_at"]) for row in rows}
    assert found == expected
    assert 0 < len(found) < len(unsynced())
    assert {(row["subject_type"], row["team_id"]) for row in rows} == {("connection", None)}
