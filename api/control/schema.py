"""Migrations of the control database's schema.

Keep out: address and engine (database.py), so that processes that only read avoid the import of Alembic.
"""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util.exc import CommandError
from sqlalchemy import Engine, text
from sqlalchemy.engine import URL

from api.control.database import database_file, without_limits
from api.control.errors import SchemaTooNew, SchemaTooOld

MIGRATIONS = Path(__file__).parent / "migrations"
# Any constant of this project's own: it names the advisory lock that migrating processes share.
POSTGRES_LOCK = 0x0EA5
# Files that SQLite keeps beside its own.
EXTRAS = ("-wal", "-shm")
# Revisions of development that the initial revision replaces.
SQUASHED = {f"{number:04}" for number in range(1, 24)}


def migrate(engine: Engine) -> None:
    """Bring the schema to the newest revision; processes that start together take turns.

    Raises SchemaTooNew when a newer release has migrated the database further, SchemaTooOld when the database is at
    a revision from before the initial one.
    """
    if _revision(engine) == _newest():
        return
    with _alone(engine):
        current = _revision(engine)
        if current is not None:
            refuse_unknown(current, _shown(engine.url))
        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
        with engine.connect() as connection:
            without_limits(connection)
            config.attributes["connection"] = connection
            with connection.begin():
                command.upgrade(config, "head")


@cache
def _newest() -> str | None:
    """The newest revision of this release. Alembic imports every migration to tell it, and a run opens the database
    thirty times.
    """
    return ScriptDirectory(str(MIGRATIONS)).get_current_head()


def refuse_unknown(revision: str, database: str) -> None:
    """Raise SchemaTooNew or SchemaTooOld unless this release migrates a database from this revision.

    `database` names it in the message.
    """
    try:
        ScriptDirectory(str(MIGRATIONS)).get_revision(revision)
    except CommandError as error:
        if revision in SQUASHED:
            raise SchemaTooOld(
                f"{database} is at schema revision {revision} of a development version before the "
                "first release, which this release does not migrate; move the database away and start with a "
                "new one, or open it once with the development version at revision 0024 and then with this one"
            ) from error
        raise SchemaTooNew(
            f"{database} is at schema revision {revision}, which this release does not know; "
            "run the release that migrated it, or restore a backup"
        ) from error


def start_anew(data_dir: Path, fill: Callable[[str], None]) -> Path | None:
    """Make a new database where the file is lost or damaged. Returns where the damaged one is kept, if any.

    `fill` receives the URL of a draft to migrate and fill. The draft takes the place when it is complete, so a process
    that is killed meanwhile leaves the loss as it was.
    """
    file = database_file(data_dir)
    if file is None:
        return None
    draft = file.with_name(f"{file.name}.draft")
    for extra in ("", *EXTRAS):
        draft.with_name(draft.name + extra).unlink(missing_ok=True)
    fill(f"sqlite:///{draft}")
    draft.with_name(f"{draft.name}.migrating").unlink(missing_ok=True)
    kept = None
    if os.path.lexists(file):
        kept = file.with_name(f"{file.name}.damaged-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}")
        file.rename(kept)
    for extra in EXTRAS:
        file.with_name(file.name + extra).unlink(missing_ok=True)
    draft.rename(file)
    return kept


def _revision(engine: Engine) -> str | None:
    with engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision()


@contextmanager
def _alone(engine: Engine) -> Iterator[None]:
    if engine.dialect.name == "sqlite" and engine.url.database not in (None, "", ":memory:"):
        with Path(f"{engine.url.database}.migrating").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        return
    if engine.dialect.name == "postgresql":
        with engine.connect() as connection:
            without_limits(connection)
            connection.execute(text("select pg_advisory_lock(:key)"), {"key": POSTGRES_LOCK})
            try:
                yield
            finally:
                connection.execute(text("select pg_advisory_unlock(:key)"), {"key": POSTGRES_LOCK})
        return
    yield


def _shown(url: URL) -> str:
    return url.render_as_string(hide_password=True)
