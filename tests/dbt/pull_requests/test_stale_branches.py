"""Stale branches against Git's own list of branches that are not merged."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.dbt import warehouse
from tests.dbt.invented import invented_checks
from tests.dbt.pull_requests.reviewed_branches import Reviewed


def test_a_branch_that_is_not_merged_is_stale_after_its_days(
    reviewed: dict[str, Reviewed], merged: Path
) -> None:
    days = timedelta(days=invented_checks.kinds()["stale_branch"]["threshold"])
    form = "--format=%(refname:short) %(committerdate:unix)"
    expected = {}
    for one in reviewed.values():
        for line in one.git("for-each-ref", "--no-merged=main", form, "refs/heads").splitlines():
            branch, last = line.split()
            expected[one.id, branch] = datetime.fromtimestamp(int(last), UTC) + days
    rows = warehouse.rows(merged, "select * from check_occurrences where kind = 'stale_branch'")
    assert {(row["repository_id"], row["subject_title"]): row["opened_at"] for row in rows} == expected
    assert len(expected) > 3
    as_of = datetime.fromisoformat(warehouse.AS_OF)
    for row in rows:
        whole = (as_of - row["opened_at"] + days) // timedelta(microseconds=86400)
        assert (row["ended_at"], row["measured_micro"]) == (None, whole)
        assert row["developer_id"]
