"""A PostgreSQL server for the tests, as Debian packages it, with a database per data directory."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from api.control.database import connect
from api.control.models import Base
from api.control.schema import migrate

MIGRATED = "migrated"
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


required = pytest.mark.skipif(
    programs() is None, reason="PostgreSQL is not installed (Debian: apt install postgresql)"
)


class Server:
    """A server with an empty folder of data, which tests can stop in every way."""

    def __init__(self, *settings: str) -> None:
        found = programs()
        assert found is not None, "no PostgreSQL here: apt install postgresql"
        self._programs, self._settings = found, settings
        self._folder = Path(tempfile.mkdtemp(prefix="postgres-"))
        self._account = UNPRIVILEGED if os.geteuid() == 0 else None
        if self._account is not None:
            os.chown(self._folder, UNPRIVILEGED, UNPRIVILEGED)
        subprocess.run(
            [found / "initdb", "-D", self._folder / "data", "-U", "eas", "-A", "trust", "-E", "UTF8", "--no-sync"],
            check=True, capture_output=True, cwd=self._folder, user=self._account, group=self._account,
        )  # fmt: skip
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = probe.getsockname()[1]
        self.address = f"postgresql://eas@127.0.0.1:{self._port}"
        self.start()

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = [word for setting in self._settings for word in ("-c", setting)]
        self._process = subprocess.Popen(
            [self._programs / "postgres", "-D", self._folder / "data", "-p", str(self._port), "-k", self._folder,
             "-F", *options],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self._folder,
            user=self._account, group=self._account,
        )  # fmt: skip
        _await(f"{self.address}/postgres", self._process)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to every process of the server."""
        children = Path(f"/proc/{self._process.pid}/task/{self._process.pid}/children").read_text().split()
        for pid in (self._process.pid, *map(int, children)):
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def crash(self) -> None:
        """End it at once: it waits for no connection that a pool still holds, and writes nothing to the disk."""
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait(30)

    def remove(self) -> None:
        """End it, and delete its data."""
        if self._process.poll() is None:
            self.crash()
        shutil.rmtree(self._folder)


class DirectoryDatabases:
    """The databases of data directories on a server.

    A database has five hundred files, which take 40 ms to copy and 10 to delete. One that a test leaves behind is
    emptied for another.
    """

    def __init__(self, address: str, strategy: SQL) -> None:
        self._address, self._strategy = address, strategy
        # By data directory: the name of its database, and whether another test can use that one.
        self._made: dict[Path, tuple[str, bool]] = {}
        self._free: list[str] = []

    def __call__(self, data_dir: Path, *, empty: bool = False) -> str:
        """URL of the database of a data directory: a new one, or one that was emptied."""
        key = data_dir.absolute()
        if key not in self._made:
            name = self._free.pop() if self._free and not empty else self._create(empty)
            self._made[key] = name, not empty
        return f"{self._address}/{self._made[key][0]}".replace("postgresql:", "postgresql+psycopg:")

    @contextmanager
    def of_one_test(self) -> Iterator[None]:
        """Databases of directories that are first used within it can be used by other tests afterwards."""
        before = self._made.keys() | set()
        yield
        for key in self._made.keys() - before:
            name, is_usable = self._made[key]
            # A test that keeps a table locked keeps its database.
            with suppress(psycopg.errors.LockNotAvailable):
                if is_usable:
                    self._empty(name)
                    self._free.append(name)

    def _create(self, empty: bool) -> str:
        name = f"d{len(self._made)}"
        with psycopg.connect(f"{self._address}/postgres", autocommit=True) as connection:
            # Copied as files, a database takes a fifth of the time of one that is written to the log.
            command = SQL("create database {} template {} {}")
            whole = Identifier("template1" if empty else MIGRATED)
            connection.execute(command.format(Identifier(name), whole, self._strategy))
        return name

    def _empty(self, name: str) -> None:
        with psycopg.connect(f"{self._address}/{name}") as connection:
            connection.execute("set lock_timeout = '1s'")
            # The rows of all tables go, in any order.
            connection.execute("set session_replication_role = replica")
            for table in reversed(Base.metadata.sorted_tables):
                connection.execute(SQL("delete from {}").format(Identifier(table.name)))


@contextmanager
def running() -> Iterator[DirectoryDatabases]:
    """A server, and the databases of data directories on it."""
    server = Server(*SETTINGS)
    try:
        yield DirectoryDatabases(server.address, _migrate(server.address))
    finally:
        server.remove()


def _migrate(address: str) -> SQL:
    """Make a database with all tables, of which a copy costs less than a migration. Returns how to copy it."""
    with psycopg.connect(f"{address}/postgres", autocommit=True) as connection:
        connection.execute(SQL("create database {}").format(Identifier(MIGRATED)))
        # Releases before 15 have no other way and no name for it.
        knows_ways = connection.info.server_version >= 150_000
    engine = connect(f"{address}/{MIGRATED}".replace("postgresql:", "postgresql+psycopg:"))
    migrate(engine)
    engine.dispose()
    return SQL("strategy file_copy" if knows_ways else "")


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
