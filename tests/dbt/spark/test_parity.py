"""A real Spark computes the tables that DuckDB computes, and DuckDB publishes them as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestration.build import spark_session
from tests.dbt.invented import invented_lake
from tests.dbt.invented.invented_history import ORGANIZATION_ID
from tests.dbt.invented.tracked_organization import Tracked
from tests.dbt.spark.both_engines import built

# Few rows: making Java of each plan would take longer than reading them.
QUICKLY = {
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
}
LACK = spark_session.missing()
pytestmark = [
    pytest.mark.release,
    pytest.mark.skipif(LACK is not None, reason=str(LACK)),
    pytest.mark.timeout(3600),
]


def test_every_table_is_the_same_on_both_engines(tracked: Tracked, tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    invented_lake.write(raw, tracked.repositories, trackers=tracked.read_before_too())
    both = built(raw, ORGANIZATION_ID, tmp_path / "both", options=QUICKLY)
    assert len(both.names) > 150
    assert [str(one) for one in both.differences()] == []
