"""Two organizations in different time zones: each has its summaries after the week ended in its own zone.

The builds are those of the real project at instants around midnight.
"""

from __future__ import annotations

import shutil
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import duckdb
import pyarrow as pa
import pytest

from api.control.list_pages import ListQuery
from api.control.summaries import summaries
from api.control.summaries.kinds import Period, ScopeKind
from api.control.summaries.summaries import Selection
from ingest.lake import Lake
from orchestration.deployment import Deployment
from orchestration.summaries import writing
from tests.dbt import warehouse
from tests.dbt.invented.invented_history import ORGANIZATION_ID

ZONES = {
    "0190d3b0-0000-7000-8000-0000000000f1": "Pacific/Auckland",
    "0190d3b0-0000-7000-8000-0000000000f2": "America/Los_Angeles",
}
# The models that know which periods are over, and the facts; deliveries are as they were built.
DATED = (
    "int_organization dim_calendar dim_periods dim_summary_periods fct_summary_* api_v1__summary_facts "
    "api_v1__organizations"
)
MONDAY = date(2025, 6, 16)
MIDNIGHTS = {zone: datetime(2025, 6, 16, tzinfo=ZoneInfo(zone)).astimezone(UTC) for zone in ZONES.values()}


def of_zone(built: Path, folder: Path, zone: str) -> Path:
    """The organization of a build in another zone."""
    shutil.copytree(built.parent, folder, ignore=shutil.ignore_patterns("target"))
    source = Lake(str(folder / "raw")).source("control", ORGANIZATION_ID, "_")
    [row] = source.read("organizations").to_pylist()
    table = pa.Table.from_pylist([row | {"time_zone": zone}], source.read("organizations").schema)
    source.commit({}, {"organizations": table}, {})
    return folder


def build_at(folder: Path, organization: str, at: datetime) -> Path:
    """The published tables of a build at an instant, as those of an organization."""
    instant = f"{at:%Y-%m-%d %H:%M:%S}+00:00"
    built = warehouse.build(folder / "raw", folder, with_tests=False, select=DATED, as_of=instant)
    file = warehouse.published(built)
    with duckdb.connect(str(file)) as connection:
        connection.execute("update organizations set organization_id = ?", [organization])
        connection.execute(
            "update summary_facts set scope_id = ? where scope_kind = 'ORGANIZATION'", [organization]
        )
    return file


def weeks(deployment: Deployment, organization: str) -> list[date]:
    """First days of the stored weeks of the organization."""
    chosen = Selection(periods=[Period.WEEK], scope_kinds=[ScopeKind.ORGANIZATION])
    with deployment.control() as control:
        found = summaries.list_summaries(control, organization, ListQuery(100), chosen).items
    return sorted(one.period_start for one in found)


def test_a_week_is_stored_with_the_first_build_after_it_ended_in_the_zone(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EAS_DATA_DIR", str(tmp_path / "data"))
    deployment = Deployment()
    (kiwi, auckland), (west, angeles) = ((one, MIDNIGHTS[zone]) for one, zone in ZONES.items())
    assert angeles - auckland == timedelta(hours=19)
    before, ended = MONDAY - timedelta(days=14), MONDAY - timedelta(days=7)
    folders = {}
    for organization, zone in ZONES.items():
        folders[organization] = of_zone(built, tmp_path / organization, zone)
        with deployment.control() as control:
            control.ensure_organization(zone, organization_id=organization, slug=zone[-5:].lower())
    for number, (organization, at, stored) in enumerate(
        [
            (kiwi, auckland - timedelta(minutes=1), [before]),
            (kiwi, auckland, [before, ended]),
            (west, auckland, [before]),
            (west, angeles, [before, ended]),
        ]
    ):
        file = build_at(folders[organization], organization, at)
        assert writing.write_due(deployment, file, f"b{number}").failures == {}
        assert weeks(deployment, organization) == stored
