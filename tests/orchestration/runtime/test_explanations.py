from __future__ import annotations

import errno
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from api.control.errors import NotFound
from ingest.errors import Permanent
from orchestration.runtime.explanations import explain


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
    with pytest.raises(Exception) as caught, engine.connect() as connection:  # noqa: PT011  # any of SQLAlchemy's
        connection.execute(text("select count(*) from t")).all()
    assert "is damaged" in explain(caught.value)
    assert "select" not in explain(caught.value)


def test_a_database_that_cannot_be_opened_names_the_setting(tmp_path: Path) -> None:
    engine = create_engine(f"sqlite:///{tmp_path}/nowhere/control.db")
    with pytest.raises(Exception) as caught:  # noqa: PT011  # any of SQLAlchemy's
        engine.connect()
    assert "EAS_DATA_DIR" in explain(caught.value)
