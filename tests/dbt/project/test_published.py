"""The data tests of published tables find differences from the marts."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import pytest

from tests.dbt import warehouse

CHANGES = {
    "delete from commit_files where rowid = 0": "published_copies",
    "alter table capex drop column hours": "published_copies",
    "alter table daily add column mood varchar": "published_copies",
    "update commits_by_repository set position = position + 1 where position = 3": "published_copies",
    "update daily_totals set etv_micro = etv_micro + 1 where rowid = 0": "published_sums",
    "delete from team_periods where period = 'month'": "published_sums",
    "update team_days set files = files - 1 where rowid = 0": "published_sums",
}


@pytest.mark.parametrize(("change", "finder"), CHANGES.items(), ids=list(CHANGES))
def test_a_difference_fails_the_build(built: Path, tmp_path: Path, change: str, finder: str) -> None:
    for file in (built, warehouse.published(built)):
        shutil.copyfile(file, tmp_path / file.name)
    with duckdb.connect(str(warehouse.published(tmp_path / built.name))) as connection:
        connection.execute(change)
    answer = warehouse.run_dbt(
        ["test", "--select", "published_copies", "published_sums"], built.parent / "raw", tmp_path
    )
    failed = {result.node.name for result in answer.results if str(result.status) != "pass"}
    assert failed == {finder}
