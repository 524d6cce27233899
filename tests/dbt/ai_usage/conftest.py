"""Warehouses with AI usage: half a year for checks and summaries, and each kind of row for what counts."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from ingest.lake import Lake
from ingest.schemas import TABLES
from tests.dbt import shared, warehouse
from tests.dbt.ai_usage import spending
from tests.dbt.ai_usage.linked import spent_around_commits
from tests.dbt.ai_usage.reported_usage import built_with, vendor_rows
from tests.dbt.invented import invented_checks
from tests.dbt.invented.invented_history import ORGANIZATION_ID, PEOPLE

AS_OF = "2025-09-03 12:00:00+00:00"
# The models that read usage, or depend on the instant of the build.
MODELS = (
    "tag:ai_usage int_organization dim_calendar dim_periods fct_commits fct_employment fct_entity_days "
    "int_checks__kinds fct_check_stretches fct_check_episodes api_v1__check_* api_v1__performance api_v1__movements "
    "dim_summary_periods fct_summary_* api_v1__summary_facts"
)


@pytest.fixture(scope="session")
def spent(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The warehouse of the invented organization with half a year of usage and all checks on."""

    def build(folder: Path) -> Path:
        shutil.copytree(built.parent, folder / "copy", ignore=shutil.ignore_patterns("target"))
        lake = Lake(folder / "copy" / "raw")
        spending.write(lake)
        settings = pa.Table.from_pylist(invented_checks.all_on(), TABLES["control", "check_settings"])
        lake.source("control", ORGANIZATION_ID, "_").commit({}, {"check_settings": settings}, {})
        raw = folder / "copy" / "raw"
        return warehouse.build(raw, folder / "copy", with_tests=True, select=MODELS, as_of=AS_OF)

    return shared.made(tmp_path_factory, "spent", build)


@pytest.fixture(scope="session")
def filled(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The warehouse of the invented organization with usage of every kind of connection, and telemetry."""

    def build(folder: Path) -> Path:
        # Nobody alone stands behind a mailbox, though somebody commits with its address.
        decided = {PEOPLE[1][1].lower(): None}
        rows = [*vendor_rows(), *spent_around_commits(built)]
        return built_with(built, folder / "copy", rows, actors=decided)

    return shared.made(tmp_path_factory, "filled", build)


@pytest.fixture(scope="session")
def usage(filled: Path) -> dict[str, dict[str, Any]]:
    """Rows by key, those of telemetry by session and number."""
    found = warehouse.rows(filled, "select * from ai_usage")
    return {one["usage_id"].partition(":")[2]: one for one in found} | {
        f"{one['session_id']} {number}": one
        for number, one in enumerate(sorted(found, key=lambda one: str(one["input_tokens"])))
        if one["session_id"]
    }
