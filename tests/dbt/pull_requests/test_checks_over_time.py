"""A build of an earlier instant finds what a later one says of that time, also by multiples of the own median."""

from __future__ import annotations

import shutil
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from api.read.checks.backtests import episodes_query
from ingest.lake import Lake
from ingest.schemas import TABLES
from tests.dbt import warehouse
from tests.dbt.invented import invented_checks
from tests.dbt.invented.invented_history import ORGANIZATION_ID
from tests.dbt.naive.naive_checks import GAP

MODELS = "int_organization int_checks__kinds int_pull_requests__working_days fct_check_stretches fct_check_episodes"
DAYS = 40
# The random pull requests are few in most weeks, so that the numbers of the other kinds apply now and then.
MULTIPLES: dict[str, tuple[int, int | None]] = {
    "waiting_for_review": (150, 200), "open_too_long": (110, None), "large_pull_request": (125, 200),
    "team_open_pull_requests": (150, None), "commits_after_review": (100, 300),
}  # fmt: skip
Subject = tuple[str, str, int]


def by_subject(rows: list[dict[str, Any]]) -> dict[Subject, dict[str, Any]]:
    return {(row["kind"], row["subject_id"], row["number"]): row for row in rows}


def judged_later(merged: Path, earlier: Path) -> list[dict[str, Any]]:
    """What a backtest over the whole history finds with the settings of the earlier build."""
    with warehouse.opened(merged) as connection:
        connection.execute(f"attach '{earlier}' as earlier (read_only)")
        found = connection.execute(
            "with int_checks__kinds as (select * from earlier.main.int_checks__kinds) "
            f"select * from ({episodes_query()})"
        )
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


@pytest.mark.parametrize(
    "as_of", ["2025-03-20 11:00:00+00:00", "2025-04-16 09:30:00+00:00", "2025-06-02 07:00:00+00:00"]
)
def test_an_earlier_build_finds_the_same_occurrences_day_by_day(
    merged: Path, tmp_path: Path, as_of: str
) -> None:
    shutil.copytree(merged.parent, tmp_path / "earlier", ignore=shutil.ignore_patterns("target", "raw"))
    shutil.copytree(merged.parent / "raw", tmp_path / "raw")
    settings = pa.Table.from_pylist(
        invented_checks.all_on(MULTIPLES), schema=TABLES["control", "check_settings"]
    )
    control = Lake(tmp_path / "raw").source("control", ORGANIZATION_ID, "_")
    control.commit(appended={}, replaced={"check_settings": settings}, extra={})
    models = f"stg_control__check_settings {MODELS}"
    file = warehouse.build(
        tmp_path / "raw", tmp_path / "earlier", with_tests=False, select=models, as_of=as_of
    )
    now = datetime.fromisoformat(as_of)
    before = by_subject(warehouse.rows(file, "select * from fct_check_episodes"))
    after = by_subject([one for one in judged_later(merged, file) if one["opened_at"] <= now])
    numbers = {row["kind"]: row["threshold_micro"] for row in invented_checks.all_on()}
    moved = [one for one in before.values() if one["threshold_micro"] != numbers[one["kind"]]]
    assert 3 <= len({one["kind"] for one in moved} & set(MULTIPLES)) == len({one["kind"] for one in moved})
    assert {key: one["opened_at"] for key, one in before.items()} == {
        key: one["opened_at"] for key, one in after.items()
    }
    assert len({kind for kind, _, _ in before}) > 15
    compared = 0
    for key, earlier in before.items():
        later = after[key]
        assert later["is_critical"] or not earlier["is_critical"]
        for day in (now - timedelta(days=back) for back in range(DAYS)):
            if is_open(earlier, day) != is_open(later, day):
                # It came back soon after, so that both times are one occurrence.
                assert earlier["ended_at"] <= day <= later["ended_at"] or later["ended_at"] is None
                assert now <= earlier["ended_at"] + GAP
            compared += is_open(earlier, day)
    assert compared > 100


def is_open(episode: dict[str, Any], at: datetime) -> bool:
    ended_at = episode["ended_at"]
    return bool(episode["opened_at"] <= at and (ended_at is None or at < ended_at))
