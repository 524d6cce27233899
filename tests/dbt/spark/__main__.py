"""`python -m tests.dbt.spark RAW_DIR ORGANIZATION`: builds a raw lake on DuckDB and on Spark and compares the marts.

Prints the seconds of both engines and each table that differs; the status is 1 if one does.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from orchestration.build import spark_session
from tests.dbt.spark.both_engines import built, built_by_duckdb


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.dbt.spark", description=__doc__)
    parser.add_argument("raw", type=Path, help="raw lake")
    parser.add_argument("organization", help="id of the organization in it")
    parser.add_argument("--out", type=Path, help="folder that keeps both builds")
    parser.add_argument("--as-of", default="2027-03-01 12:00:00+00:00", help="instant of both builds")
    parser.add_argument("--duckdb-alone", action="store_true", help="measure DuckDB and leave Spark out")
    parser.add_argument(
        "--option", action="append", default=[], metavar="NAME=VALUE", help="option of Spark; repeatable"
    )
    arguments = parser.parse_args()
    options = dict(one.split("=", 1) for one in arguments.option)
    lack = spark_session.missing()
    if lack and not arguments.duckdb_alone:
        parser.error(lack)
    with tempfile.TemporaryDirectory(prefix="spark-") as scratch:
        folder = arguments.out or Path(scratch)
        if arguments.duckdb_alone:
            cost = built_by_duckdb(arguments.raw, arguments.organization, folder, arguments.as_of)
            print(f"DuckDB {cost}")
            return 0
        both = built(arguments.raw, arguments.organization, folder, arguments.as_of, options)
        found = both.differences()
    print(f"DuckDB {both.duckdb}, Spark {both.spark}")
    for difference in found:
        print(difference)
    print(f"{len(both.names) - len(found)} tables are equal, {len(found)} differ")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
