"""Copies of the control database: SQLite by its online backup, PostgreSQL by `pg_dump` and `pg_restore`.

A copy holds every transaction that was committed before it began, and none by half; writers go on meanwhile.
Keep out: the other files of a backup (`backup`, `restoration`), the schema (`api.control.schema`).
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

from psycopg import pq
from sqlalchemy import Engine, text
from sqlalchemy.engine import URL, make_url

from api.control.database import check_file, connect, database_file, database_url
from api.control.schema import refuse_unknown
from api.operator.variables import DATABASE
from orchestration.backups.manifest import POSTGRESQL, SQLITE, BackupRefused

# As long as the service itself waits for a lock.
SECONDS_TO_WAIT = 30
REVISION = "select version_num from alembic_version"


def address(data_dir: Path) -> URL:
    """The address of the control database of a data directory."""
    return make_url(database_url(data_dir))


def organizations(data_dir: Path) -> list[str]:
    """Ids of all organizations. The database is not migrated.

    Raises BackupRefused where there is no database, DatabaseLost or DatabaseDamaged.
    """
    check_file(data_dir)
    url = address(data_dir)
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").is_file():
        raise BackupRefused(
            f"there is no control database at {url.database}: set EAS_DATA_DIR to the data directory of the service"
        )
    engine = connect(str(url.render_as_string(hide_password=False)))
    try:
        with engine.connect() as connection:
            return [row[0] for row in connection.execute(text("select id from organizations order by id"))]
    finally:
        engine.dispose()


def copy(data_dir: Path, folder: Path) -> tuple[str, str]:
    """Copy the control database into a folder. Returns the name of the file and the revision of its schema."""
    url = address(data_dir)
    if url.get_backend_name() == "sqlite":
        _copy_file(Path(url.database or ""), folder / SQLITE)
        return SQLITE, check(folder / SQLITE)
    target = folder / POSTGRESQL
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    # `--file` and the name of the database are no secrets; everything else is in the environment.
    _run(["pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--file={target}"], url)
    engine = connect(url.render_as_string(hide_password=False))
    try:
        with engine.connect() as connection:
            return POSTGRESQL, str(connection.execute(text(REVISION)).scalar_one())
    finally:
        engine.dispose()


def check(file: Path) -> str:
    """The revision of a copied SQLite file. Raises BackupRefused where the file is damaged."""
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            [(answer,), *_] = connection.execute("pragma integrity_check(1)").fetchall()
            [(revision,)] = connection.execute(REVISION).fetchall()
    except (sqlite3.Error, ValueError) as error:
        raise BackupRefused(f"the copy {file} of the control database cannot be read ({error})") from error
    if answer != "ok":
        raise BackupRefused(f"the copy {file} of the control database is damaged ({answer})")
    return str(revision)


def refuse_target(data_dir: Path, kind: str, revision: str) -> None:
    """Raise BackupRefused, SchemaTooNew or SchemaTooOld unless this deployment can take a control database."""
    refuse_unknown(revision, "the control database of the backup")
    url = address(data_dir)
    if kind == SQLITE:
        if database_file(data_dir) is None:
            raise BackupRefused(
                f"the backup has an SQLite database and {DATABASE} is set: restore without this variable"
            )
        return
    if url.get_backend_name() != "postgresql":
        raise BackupRefused(
            f"the backup has a PostgreSQL database: set {DATABASE} to a new, empty one, and restore again"
        )
    engine = connect(url.render_as_string(hide_password=False))
    try:
        _refuse_tables(engine)
    finally:
        engine.dispose()


def fill(data_dir: Path, dump: Path) -> None:
    """Fill the empty PostgreSQL database of a data directory in one transaction."""
    url = address(data_dir)
    command = ["pg_restore", "--exit-on-error", "--single-transaction", "--no-owner", "--no-privileges"]
    _run([*command, f"--dbname={url.database}", str(dump)], url)


def _copy_file(source: Path, target: Path) -> None:
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    with (
        closing(
            sqlite3.connect(f"{source.absolute().as_uri()}?mode=rw", uri=True, timeout=SECONDS_TO_WAIT)
        ) as live,
        closing(sqlite3.connect(target)) as copied,
    ):
        # All pages in one step: a step holds a reader's snapshot, which keeps no writer waiting.
        live.backup(copied, pages=-1)
        # One file, without a write-ahead log beside it.
        copied.execute("pragma journal_mode=delete")


def _refuse_tables(engine: Engine) -> None:
    query = text("select count(*) from information_schema.tables where table_schema = current_schema()")
    with engine.connect() as connection:
        count = int(connection.execute(query).scalar_one())
    if count:
        raise BackupRefused(
            f"the database {engine.url.render_as_string(hide_password=True)} has {count} tables: set {DATABASE} to a"
            " new, empty one, and restore again"
        )


def _run(command: list[str], url: URL) -> None:
    """Run a client of PostgreSQL. Its connection is in its environment: other users see the arguments."""
    given = {key: str(value) for key, value in url.query.items()} | {
        name: str(value)
        for name, value in {
            "host": url.host,
            "port": url.port,
            "user": url.username,
            "password": url.password,
            "dbname": url.database,
        }.items()
        if value
    }
    names = {
        option.keyword.decode(): option.envvar.decode()
        for option in pq.Conninfo.get_defaults()
        if option.envvar is not None
    }
    environment = {names[key]: value for key, value in given.items() if key in names}
    try:
        done = subprocess.run(
            command,
            check=False,
            env=os.environ | environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
    except FileNotFoundError as error:
        raise BackupRefused(
            f"{command[0]} is not here: install the client programs of PostgreSQL, of the server's version or newer"
        ) from error
    if done.returncode:
        reason = " ".join(done.stderr.split()[:60])
        raise BackupRefused(f"{command[0]} failed: {reason}")
