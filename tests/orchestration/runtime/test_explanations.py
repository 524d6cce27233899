from __future__ import annotations

import errno
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import duckdb
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from api.control.errors import NotFound
from ingest.errors import Permanent
from orchestration.runtime.explanations import FULL, explain


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.ENOSPC, "No space left on device", "/data/raw/x"), "/data/raw/x: the disk is full"),
        (
            OSError(errno.EROFS, "Read-only file system", "/data"),
            "/data: Read-only file system. Set EAS_DATA_DIR",
        ),
        (PermissionError(errno.EACCES, "Permission denied", "/data"), "Set EAS_DATA_DIR"),
        (FileNotFoundError(errno.ENOENT, "No such file", "/x"), "/x: No such file"),
        (OSError("no number"), "no number"),
        (Permanent("what to do."), "what to do"),
        (NotFound("no such thing"), "no such thing"),
        (ValueError("odd"), "unexpected ValueError: odd"),
    ],
)
def test_an_error_is_one_sentence_that_says_what_helps(error: Exception, said: str) -> None:
    assert said in explain(error)


def _by_parquet() -> None:
    # As a stream: by its path Parquet would delete the device.
    with pa.OSFile("/dev/full", "w") as sink:
        pq.write_table(pa.table({"a": list(range(100_000))}), sink)


def _by_sqlite() -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("pragma max_page_count = 2")
        database.execute(
            "create table t as with recursive n(i) as (select 1 union all select i + 1 from n) select i from n"
        )


def _by_duckdb() -> None:
    raise duckdb.IOException('IO Error: Could not write file "/data/w.duckdb": No space left on device')


def _by_postgresql() -> None:
    """As SQLAlchemy raises it, from a server that speaks German."""
    told = psycopg.errors.DiskFull(
        "konnte Datei nicht erweitern: Auf dem Gerät ist kein Speicherplatz mehr verfügbar"
    )
    raise DBAPIError("insert into mails", {}, told) from told


def _by_a_library_on_top() -> None:
    try:
        _by_parquet()
    except OSError as error:
        raise Permanent("The lake cannot be written.") from error


@pytest.mark.parametrize("fill", [_by_parquet, _by_sqlite, _by_duckdb, _by_postgresql, _by_a_library_on_top])
def test_a_full_disk_is_called_one_whichever_library_meets_it(fill: Callable[[], None]) -> None:
    with pytest.raises((OSError, sqlite3.Error, duckdb.Error, DBAPIError, Permanent)) as caught:
        fill()
    assert FULL in explain(caught.value)


@pytest.mark.parametrize("content", [b"no database at all" * 100, None])
def test_a_damaged_database_is_no_statement_in_sql(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "control.db"
    with sqlite3.connect(file) as database:
        database.execute("create table t (x)")
        database.executemany("insert into t values (?)", [("x" * 100,)] * 1000)
    database.close()
    whole = file.read_bytes()
    file.write_bytes(content if content is not None else whole[:100] + b"\xff" * (len(whole) - 100))
    engine = create_engine(f"sqlite:///{file}")
    with pytest.raises(SQLAlchemyError) as caught, engine.connect() as connection:
        connection.execute(text("select count(*) from t")).all()
    assert "is damaged" in explain(caught.value)
    assert "select" not in explain(caught.value)


def test_a_database_that_cannot_be_opened_names_the_setting(tmp_path: Path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path}/nowhere/control.db")
    with pytest.raises(SQLAlchemyError) as caught:
        engine.connect()
    assert "EAS_DATA_DIR" in explain(caught.value)
