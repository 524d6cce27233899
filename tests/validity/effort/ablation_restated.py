"""A warehouse of given facts, restated with other constants."""

from collections.abc import Mapping
from pathlib import Path

import duckdb
import pyarrow as pa

from dbt_project.training import weights
from dbt_project.training.weights import Constants
from tests.dbt import warehouse

_MODELS = "+fct_commit_files"


class Restated:
    """A warehouse built once with the project's constants; `under` runs the models again with others."""

    def __init__(self, raw: Path, folder: Path, organization_id: str) -> None:
        self._raw, self._folder, self._organization_id = raw, folder, organization_id
        # Whoever made the facts has run the data tests over them.
        self.warehouse = warehouse.build(
            raw, folder, select=_MODELS, with_tests=False, organization_id=organization_id
        )
        with duckdb.connect(str(self.warehouse)) as connection:
            connection.execute("create table own_role_factors as from role_factors")

    def under(
        self, constants: Constants, role_factors: Mapping[str, int], variables: Mapping[str, int]
    ) -> None:
        """`role_factors` in millionths replace those named, `variables` those of dbt_project.yml; all others are the
        project's own."""
        with duckdb.connect(str(self.warehouse)) as connection:
            connection.execute("delete from line_weights")
            # As a table, because 2,240 statements would take two seconds.
            columns = zip(*weights.rows(constants), strict=True)
            connection.register("others", pa.table({str(n): column for n, column in enumerate(columns)}))
            connection.execute("insert into line_weights from others")
            connection.execute("create or replace table role_factors as from own_role_factors")
            for role, factor in role_factors.items():
                connection.execute("update role_factors set factor_micro = ? where role = ?", [factor, role])
        command = ["run", "--select", _MODELS]
        names = {"organization_id": self._organization_id}
        answer = warehouse.run_dbt(command, self._raw, self._folder, **names, **variables)
        failed = [(r.node.name, r.message) for r in answer.results if str(r.status) != "success"]
        assert not failed, failed
