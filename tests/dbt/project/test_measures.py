"""A new measure is an entry of the list in dbt_project.yml and a column of the model that computes it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

import duckdb
import pytest

from dbt_project import dictionary
from orchestration.build import dbt_build, parsed_project
from orchestration.state import fingerprints
from tests.dbt import warehouse

MEASURE = "shared_commits"
# By file: the text before which an addition stands, and the addition.
ADDITIONS = {
    "dbt_project.yml": (
        "  # Measures of daily rows that no other table sums.\n",
        f'    - {{name: {MEASURE}, data_type: bigint, description: "Credits of co-authors."}}\n',
    ),
    "models/marts/core/commits/fct_commit_credits.sql": (
        "    cast(case when every.place = 1 then every.files ",
        f"    cast(case when every.role = 'co_author' then 1 else 0 end as bigint) as {MEASURE},\n",
    ),
}
SUMMING = {
    "daily", "daily_by_developer", "daily_by_repository", "daily_by_team", "daily_totals", "developer_periods",
    "developer_team_periods", "repository_periods", "repository_team_periods", "team_daily", "team_days",
    "team_periods",
}  # fmt: skip


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy of the project with one more measure, which every build of this module takes."""
    copied = tmp_path_factory.mktemp("project") / "dbt_project"
    shutil.copytree(warehouse.PROJECT, copied, ignore=shutil.ignore_patterns("target", "training"))
    for name, (following, addition) in ADDITIONS.items():
        text = (copied / name).read_text()
        assert text.count(following) == 1, name
        (copied / name).write_text(text.replace(following, addition + following))
    with ExitStack() as stack:
        stack.callback(fingerprints.build_code.cache_clear)
        for module in (dbt_build, fingerprints, parsed_project):
            stack.enter_context(patch.object(module, "DBT_PROJECT", copied))
        stack.enter_context(patch.object(dictionary, "PROJECT", copied))
        fingerprints.build_code.cache_clear()
        yield copied


@pytest.fixture(scope="module")
def results(project: Path, built: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What dbt says of the models and data tests below the credits of commits."""
    folder = tmp_path_factory.mktemp("measured")
    for file in (built, warehouse.published(built)):
        shutil.copyfile(file, folder / file.name)
    selected = ("fct_commit_credits", "fct_daily", "fct_team_daily", "api_v1__daily", "api_v1__team_daily")
    answer = warehouse.run_dbt(
        ["build", "--exclude-resource-type", "unit_test", "--indirect-selection", "cautious", "--select",
         *selected, "path:models/marts/published/figures", "published_sums"],
        built.parent / "raw",
        folder,
    )  # fmt: skip
    assert {r.node.name: r.message for r in answer.results if str(r.status) not in ("success", "pass")} == {}
    return {"folder": folder} | {result.node.name: result.node for result in answer.results}


def test_every_table_of_sums_has_the_measure(results: dict[str, Any]) -> None:
    [credited] = warehouse.rows(
        results["folder"] / "warehouse.duckdb",
        f"select sum({MEASURE}) as n from fct_commit_credits where is_counted",
    )
    assert credited["n"] > 10
    with duckdb.connect(str(warehouse.published(results["folder"] / "warehouse.duckdb"))) as connection:
        query = f"select table_name from duckdb_columns() where column_name = '{MEASURE}'"
        assert {row[0] for row in connection.execute(query).fetchall()} == SUMMING
        for name in SUMMING - {"team_daily", "team_days"}:
            every = " where period = 'day'" if name.endswith("_periods") else ""
            [total] = connection.execute(f"select sum({MEASURE}) from {name}{every}").fetchall()
            assert total == (credited["n"],), name


def test_the_data_test_of_sums_compares_the_measure(results: dict[str, Any]) -> None:
    assert f"sum({MEASURE})" in results["published_sums"].compiled_code


def test_contracts_and_the_dictionary_name_the_measure(project: Path, results: dict[str, Any]) -> None:
    described = {
        model.name
        for layer in ("published", "api", "core")
        for model in dictionary.models(layer)
        if MEASURE in {column["name"] for column in model.columns}
    }
    contracted = {
        name for name, node in results.items() if name != "folder" and MEASURE in getattr(node, "columns", {})
    }
    assert described == contracted
    assert described == {"fct_daily", "fct_team_daily", "api_v1__daily", "api_v1__team_daily"} | SUMMING - {
        "daily", "daily_by_team", "team_daily",
    }  # fmt: skip
