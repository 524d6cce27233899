"""A build whose settings choose Spark. tests/dbt/spark runs a real one."""

from __future__ import annotations

import pytest

from orchestration.build import dbt_build, settings_snapshot, spark_session
from orchestration.build.spark_session import SparkUnavailable
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.state.warehouse_files import discard, spark_folder
from tests.small_warehouse import project as small_warehouse


@pytest.fixture
def with_spark(deployment: Deployment) -> Deployment:
    settings_snapshot.write(deployment, LOCAL_ORGANIZATION)
    return Deployment(deployment.settings.model_copy(update={"warehouse_engine": "spark"}))


@pytest.mark.parametrize("lacking", ["pyspark", "java"])
def test_a_build_says_what_a_machine_lacks(
    with_spark: Deployment, monkeypatch: pytest.MonkeyPatch, lacking: str
) -> None:
    monkeypatch.setattr(spark_session, "find_spec", lambda _: None if lacking == "pyspark" else object())
    monkeypatch.setattr("orchestration.build.spark_session.shutil.which", lambda _: None)
    said = {"pyspark": "-r requirements-spark.lock", "java": "apt-get install openjdk-17-jre-headless"}
    with small_warehouse.used(), pytest.raises(SparkUnavailable, match=said[lacking]):
        dbt_build.build(with_spark, LOCAL_ORGANIZATION)


def test_the_tables_of_spark_go_with_the_warehouse(deployment: Deployment) -> None:
    warehouse = deployment.settings.warehouse_file(LOCAL_ORGANIZATION)
    (spark_folder(warehouse) / "main.db").mkdir(parents=True)
    discard(warehouse)
    assert not spark_folder(warehouse).exists()
