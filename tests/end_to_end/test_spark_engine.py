"""The product with Spark as its engine: one command reads, builds, publishes, and the API answers from the build."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestration.build import spark_session
from orchestration.deployment import LOCAL_ORGANIZATION
from orchestration.state.warehouse_files import spark_folder
from tests.api.conftest import client_for, serving
from tests.dbt.spark.test_parity import QUICKLY
from tests.end_to_end.eas import Eas
from tests.end_to_end.histories import varied
from tests.git_repository import GitRepository

LACK = spark_session.missing()
pytestmark = [
    pytest.mark.release,
    pytest.mark.skipif(LACK is not None, reason=str(LACK)),
    pytest.mark.timeout(3600),
]


@pytest.fixture
def quick_spark(tmp_path: Path) -> dict[str, str]:
    """The variables of a Spark that is quick with few rows."""
    options = tmp_path / "spark" / "spark-defaults.conf"
    options.parent.mkdir()
    options.write_text("".join(f"{name} {value}\n" for name, value in QUICKLY.items()))
    return {"SPARK_CONF_DIR": str(options.parent), "EAS_WAREHOUSE_ENGINE": "spark"}


def test_one_command_builds_on_spark_what_the_api_answers_with(
    tmp_path: Path, quick_spark: dict[str, str]
) -> None:
    house = varied(GitRepository(tmp_path / "house"))
    on_duckdb, on_spark = Eas(tmp_path / "on_duckdb"), Eas(tmp_path / "on_spark")
    started = on_spark.start("analyze", house.path, **quick_spark)
    said, _ = started.communicate(timeout=3000)
    assert started.returncode == 0, said
    assert on_duckdb.run("analyze", house.path).returncode == 0
    tables = spark_folder(on_spark.data / "warehouse" / f"{LOCAL_ORGANIZATION}.duckdb")
    assert list(tables.glob("main.db/fct_commits/*.parquet"))
    assert on_spark.everything() == on_duckdb.everything()

    path = f"/api/v1/organizations/{LOCAL_ORGANIZATION}/commits?pageSize=100"
    answers = []
    for eas in (on_duckdb, on_spark):
        key = eas.run("token", "create", "--name", "reader").stdout.split()[-1]
        with serving(eas.data) as address, client_for(address, key) as client:
            answer = client.get(path)
            assert answer.status_code == 200, answer.text
            answers.append(answer.json()["commits"])
    assert answers[1]
    assert answers[0] == answers[1]

    # Nothing has changed, so the second command starts no Spark and changes no build.
    before = on_spark.pointer()
    again = on_spark.run_here("analyze", house.path, **quick_spark)
    assert (again.returncode, on_spark.pointer()) == (0, before), again.stdout
