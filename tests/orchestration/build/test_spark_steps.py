"""Steps that Spark keeps for several readers, and the patterns of raw files. No Spark runs here."""

from __future__ import annotations

import pytest

from ingest.schemas import TABLES
from orchestration.build.spark_session import pattern, statements
from orchestration.build.spark_steps import kept

CHAIN = """\
/* by dbt */
create table main.chain
as
-- Why (it is here
with base as (
    select * from main.given -- it's one, of ')'
),

{steps}

select * from step_9
"""


def chain(readers: int) -> str:
    joined = " ".join(f"inner join {{0}} as other_{number} on true" for number in range(1, readers))
    steps = (
        f"step_{number} as (\n    select * from {(last := f'step_{number - 1}' if number else 'base')}"
        f" {joined.format(last)}\n)"
        for number in range(10)
    )
    return CHAIN.format(steps=",\n\n".join(steps))


def test_a_chain_with_one_reader_each_stays_as_it_is() -> None:
    assert kept(chain(1)).main == chain(1)
    assert kept(chain(1)).before == []


def test_a_chain_of_two_readers_each_reads_its_kept_steps() -> None:
    statements = kept(chain(2))
    names = [one.split()[2] for one in statements.before]
    assert names == ["main.chain__step_2", "main.chain__step_5", "main.chain__step_8"]
    assert statements.after == [f"drop table if exists {name}" for name in names]
    # A kept step reads what was kept before, and no later step.
    assert "main.chain__step_2" in statements.before[1]
    assert "step_6" not in statements.before[1]
    assert statements.main.count("main.chain__step_8") == 1
    assert statements.main.endswith("select * from step_9\n")


@pytest.mark.parametrize(
    "sql", ["select 1", "create table t as select 1", chain(2).replace("with base", "with recursive base")]
)
def test_other_statements_stay_as_they_are(sql: str) -> None:
    assert kept(sql).before == []
    assert kept(sql).main == sql


def test_a_pattern_names_files_whatever_their_names() -> None:
    assert pattern(["/lake/a=1/x.parquet"]) == "/lake/a=1/x.parquet"
    assert pattern(["/lake/a=1/x.parquet", "/lake/b/y.parquet"]) == "/lake/{a=1/x.parquet,b/y.parquet}"
    assert pattern(["s3a://lake/a/x", "s3a://lake/b/x"]) == "s3a://lake/{a/x,b/x}"
    assert pattern(["/it's {1}/x", "/it's {1}/y"]) == r"/it\'s \\{1\\}/{x,y}"


def test_every_raw_table_has_types_of_spark() -> None:
    created = list(statements({key: ["/a.parquet"] for key in TABLES}, {}))
    assert len([one for one in created if one.startswith("create table")]) == len(TABLES)


def test_rows_of_a_held_connection_are_left_out() -> None:
    found = list(
        statements({("trackers", "items"): ["/a.parquet"], ("git", "refs"): ["/b.parquet"]}, {"c1": 4})
    )
    assert found[:2] == ["create schema if not exists `git`", "create schema if not exists `trackers`"]
    view = next(one for one in found if one.startswith("create view"))
    assert "`trackers`.`items__files`" in view
    assert "('c1', 4)" in view
