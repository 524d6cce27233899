"""A PostgreSQL server for the tests, as Debian packages it, with a database per data directory.

`TEST_DATABASE=postgresql make test TESTS=tests/api` runs the tests of the API on it that depend on the control database
(repeated.py), instead of on SQLite. `python -m tests.api.postgres` exits with 0 when a server is installed.
"""

import hashlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg.sql import SQL, Identifier

from api.control.database import connect
from api.control.schema import migrate
from tests.control_databases import Url

MIGRATED = "migrated"
CHOSEN = os.environ.get("TEST_DATABASE") == "postgresql"
# Its server refuses to run as root.
UNPRIVILEGED = 65534
# Nothing has to survive a crash. Autovacuum would start a process several times a second, as it visits each of the
# hundreds of databases once a minute.
SETTINGS = (
    "max_connections=400", "autovacuum=off", "full_page_writes=off", "synchronous_commit=off", "wal_level=minimal",
    "max_wal_senders=0", "max_wal_size=8GB", "checkpoint_timeout=1h",
)  # fmt: skip


def programs() -> Path | None:
    """The folder with the programs of the newest server; None when none is installed."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: int(folder.parent.name))
    found = shutil.which("initdb")
    return folders[-1] if folders else Path(found).resolve().parent if found else None


@contextmanager
def running() -> Iterator[Url]:
    """A server, and the databases of data directories on it."""
    found = programs()
    assert found is not None, "no PostgreSQL here: apt install postgresql"
    folder = Path(tempfile.mkdtemp(prefix="postgres-"))
    account = UNPRIVILEGED if os.geteuid() == 0 else None
    if account is not None:
        os.chown(folder, UNPRIVILEGED, UNPRIVILEGED)
    data = folder / "data"
    subprocess.run(
        [found / "initdb", "-D", data, "-U", "eas", "-A", "trust", "-E", "UTF8", "--no-sync"],
        check=True, capture_output=True, cwd=folder, user=account, group=account,
    )  # fmt: skip
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = [word for setting in SETTINGS for word in ("-c", setting)]
    server = subprocess.Popen(
        [found / "postgres", "-D", data, "-p", str(port), "-k", folder, "-F", *options],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder, user=account, group=account,
    )  # fmt: skip
    made: set[str] = set()
    address = f"postgresql://eas@127.0.0.1:{port}"

    def url(data_dir: Path, *, empty: bool = False) -> str:
        name = "d" + hashlib.sha256(str(data_dir.absolute()).encode()).hexdigest()[:20]
        if name not in made:
            with psycopg.connect(f"{address}/postgres", autocommit=True) as connection:
                command = SQL("create database {} template {}")
                whole = Identifier("template1" if empty else MIGRATED)
                connection.execute(command.format(Identifier(name), whole))
            made.add(name)
        return f"postgresql+psycopg://eas@127.0.0.1:{port}/{name}"

    try:
        _await(f"{address}/postgres", server)
        _migrate(address)
        yield url
    finally:
        # Fast: it does not wait for connections that a pool still holds.
        server.send_signal(signal.SIGINT)
        server.wait(30)
        shutil.rmtree(folder)


def _migrate(address: str) -> None:
    """A database with all tables. A copy of it costs less than a migration."""
    with psycopg.connect(f"{address}/postgres", autocommit=True) as connection:
        connection.execute(SQL("create database {}").format(Identifier(MIGRATED)))
    engine = connect(f"{address}/{MIGRATED}".replace("postgresql:", "postgresql+psycopg:"))
    migrate(engine)
    engine.dispose()


def _await(address: str, server: "subprocess.Popen[bytes]") -> None:
    for _ in range(100):
        assert server.poll() is None, "PostgreSQL ended at once"
        try:
            psycopg.connect(address, connect_timeout=2).close()
        except psycopg.OperationalError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("PostgreSQL does not answer")


if __name__ == "__main__":
    sys.exit(programs() is None)
