"""Every model parses as Spark SQL, and no model uses DuckDB-only syntax.

The tests render the models with the Spark versions of the portable macros and parse them with SQLGlot, without Java.
They do not run Spark.
"""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import jinja2
import pytest
import sqlglot
from sqlglot import exp

from tests.dbt import warehouse

# The published tables serve one machine's API: DuckDB's own SQL.
PORTABLE = [
    path
    for path in sorted((warehouse.PROJECT / "models").rglob("*.sql"))
    if "published" not in path.relative_to(warehouse.PROJECT).parts
]
# Rendered or written, these are not Spark's; a portable macro exists for each.
ONLY_DUCKDB = {
    "list_transform", "list_filter", "list_concat", "list_sort", "list_distinct", "list_sum", "list_extract", "len",
    "struct_pack", "unnest", "regexp_matches", "string_split", "epoch_us", "strip_accents", "timezone",
    "generate_series", "make_timestamptz", "json_extract_string", "array_to_string", "datediff_days",
}  # fmt: skip


# Macros of dbt that have another form on Spark here.
OF_DBT = {"load_csv_rows"}


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The SQL of every model for Spark, by name."""
    folder = tmp_path_factory.mktemp("spark")
    answer = warehouse.run_dbt(
        ["compile", "--select", "resource_type:model", "--exclude", "models/marts/published"],
        folder / "raw",
        folder,
        sql_dialect="spark",
    )
    models = [r.node for r in answer.results if r.node.resource_type == "model"]
    return {node.name: _without_places(node.compiled_code) for node in models}


def _without_places(sql: str) -> str:
    """Replace quoted relations by plain tables."""
    return re.sub(r'"[^"]+"\."[^"]+"\."([^"]+)"', r"\1", sql)


def test_every_model_is_rendered(rendered: dict[str, str]) -> None:
    assert set(rendered) == {path.stem for path in PORTABLE}


def test_every_model_parses_as_spark(rendered: dict[str, str]) -> None:
    failed = {}
    for name, sql in rendered.items():
        try:
            assert len(sqlglot.parse(sql, read="spark")) == 1
        except sqlglot.errors.ParseError as error:
            failed[name] = str(error)[:300]
    assert not failed


def test_no_model_calls_a_duckdb_only_function(rendered: dict[str, str]) -> None:
    found = {}
    for name, sql in rendered.items():
        tree = sqlglot.parse_one(sql, read="spark")
        written = {f.name.lower() for f in tree.find_all(exp.Anonymous)}
        written |= set(re.findall(r"\b(\w+)\s*\(", sql.lower()))
        if foreign := written & ONLY_DUCKDB:
            found[name] = foreign
        if re.search(r"::|//|\blambda\b|\bqualify\b|\bexclude\s*\(|\bgroup by all\b", sql, re.IGNORECASE):
            found.setdefault(name, set()).add("an operator of DuckDB")
    assert not found


def test_models_use_the_portable_macros() -> None:
    """Models call macros and do not write the DuckDB syntax themselves."""
    written = re.compile(r"\b(" + "|".join(ONLY_DUCKDB) + r")\s*\(|::", re.IGNORECASE)
    found = {path.stem: written.findall(path.read_text()) for path in PORTABLE}
    assert {name: calls for name, calls in found.items() if calls} == {}


def test_numbers_of_texts_have_their_thousands() -> None:
    macros = (warehouse.PROJECT / "macros" / "portable" / "numbers.sql").read_text()
    template = jinja2.Environment().from_string(macros + "{{ duckdb__with_thousands('lines') }}")
    rows = duckdb.sql(
        f"select {template.render()} from (values (0), (999), (1557), (2147483647)) as t (lines)"
    ).fetchall()
    assert rows == [("0",), ("999",), ("1,557",), ("2,147,483,647",)]


def test_every_macro_has_both_dialects() -> None:
    macros = "".join(Path(path).read_text() for path in (warehouse.PROJECT / "macros").rglob("*.sql"))
    spelled = set(re.findall(r"macro duckdb__(\w+)", macros))
    assert spelled
    assert spelled == set(re.findall(r"macro spark__(\w+)", macros)) - OF_DBT
