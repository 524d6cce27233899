"""A build of an earlier instant finds what a later one says of that time."""

from __future__ import annotations

import shutil
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.dbt import warehouse
from tests.dbt.invented import invented_checks
from tests.dbt.naive.naive_checks import GAP

MODELS = "int_organization int_checks__kinds int_pull_requests__working_days fct_check_stretches fct_check_episodes"
DAYS = 40
Subject = tuple[str, str, int]


def episodes(file: Path) -> dict[Subject, dict[str, Any]]:
    return {
        (row["kind"], row["subject_id"], row["number"]): row
        for row in warehouse.rows(file, "select * from fct_check_episodes")
    }


@pytest.mark.parametrize(
    "as_of", ["2025-03-20 11:00:00+00:00", "2025-04-16 09:30:00+00:00", "2025-06-02 07:00:00+00:00"]
)
def test_an_earlier_build_finds_the_same_occurrences_day_by_day(
    merged: Path, tmp_path: Path, as_of: str
) -> None:
    shutil.copytree(merged.parent, tmp_path / "earlier", ignore=shutil.ignore_patterns("target", "raw"))
    file = warehouse.build(
        merged.parent / "raw", tmp_path / "earlier", with_tests=False, select=MODELS, as_of=as_of
    )
    now, lasting = (
        datetime.fromisoformat(as_of),
        {name: kind.get("lasting_days") for name, kind in invented_checks.kinds().items()},
    )
    before = episodes(file)
    after = {key: one for key, one in episodes(merged).items() if one["opened_at"] <= now}
    assert {key: one["opened_at"] for key, one in before.items()} == {
        key: one["opened_at"] for key, one in after.items()
    }
    assert len({kind for kind, _, _ in before}) > len(lasting) - 6
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
