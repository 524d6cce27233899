"""The five categories are the same in Python and in SQL."""

from __future__ import annotations

import duckdb

from api.control.categories import CATEGORIES
from tests import published_tables
from tests.dbt import warehouse


def test_models_and_python_name_the_same_categories_in_the_same_order() -> None:
    columns = [name for name in published_tables.contract("api_v1__commits") if name.endswith("_etv_micro")]
    assert columns == [f"{category}_etv_micro" for category in CATEGORIES]


def test_the_bits_of_a_month_stand_for_the_categories_in_that_order() -> None:
    sql = (warehouse.PROJECT / "models/marts/published/figures/people_of_months.sql").read_text()
    assert "category_bit('days.category')" in sql
    (model,) = (one for one in published_tables.compiled() if one.name == "people_of_months")
    bits = model.sql[model.sql.index("case days.category") : model.sql.index("as kind")]
    for number, category in enumerate(CATEGORIES):
        with duckdb.connect() as connection:
            found = connection.execute(f"select {bits} from (select ? as category) as days", [category])
            assert found.fetchall() == [(1 << number,)]
