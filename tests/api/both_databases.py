"""Control databases on SQLite and on PostgreSQL within one run of the tests.

A test with the mark `both_databases` runs once on each. All others run on SQLite. With the mark
`both_databases(postgresql="release")` `make test` runs it on SQLite alone: shorter tests send the same statements to
PostgreSQL.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path

import pytest

from api.control import database
from tests.api import postgres
from tests.control_databases import Url, on_sqlite, used

SQLITE, POSTGRESQL = "sqlite", "postgresql"
MARK = "both_databases(postgresql): runs on SQLite and, where a server is installed, on PostgreSQL"
# As the product has it, before any test replaces it.
database_file = database.database_file
# SQLite is no parameter, so that marked tests share what a whole module has with the tests that run on SQLite alone.
EACH = (pytest.param(None, id=SQLITE), pytest.param(POSTGRESQL, id=POSTGRESQL, marks=postgres.required))
POSTGRESQL_IN_RELEASE = (
    pytest.param(None, id=SQLITE),
    pytest.param(POSTGRESQL, id=POSTGRESQL, marks=(postgres.required, pytest.mark.release)),
)


class Databases:
    """The databases of data directories. A directory keeps the kind that was chosen when it was first used."""

    def __init__(self, sqlite: Url, stack: ExitStack) -> None:
        self.chosen = SQLITE
        self._stack = stack
        self._on_sqlite = sqlite
        self._on_postgresql: postgres.DirectoryDatabases | None = None
        self._kinds: dict[Path, str] = {}

    def __call__(self, data_dir: Path, *, empty: bool = False) -> str:
        """URL of the database of a data directory. The first one on PostgreSQL starts the server."""
        if self._kind(data_dir) == SQLITE:
            return self._on_sqlite(data_dir, empty=empty)
        if self._on_postgresql is None:
            self._on_postgresql = self._stack.enter_context(postgres.running())
        return self._on_postgresql(data_dir, empty=empty)

    @contextmanager
    def of_one_test(self) -> Iterator[None]:
        """Databases that are first used within it, on a server that runs already, can serve other tests afterwards."""
        with self._on_postgresql.of_one_test() if self._on_postgresql else nullcontext():
            yield

    def file(self, data_dir: Path) -> Path | None:
        """The file of SQLite. On PostgreSQL there is none, as where CONTROL_DATABASE_URL is set."""
        return database_file(data_dir) if self._kind(data_dir) == SQLITE else None

    @contextmanager
    def on(self, kind: str) -> Iterator[None]:
        """Within it, directories that are used for the first time get a database of this kind."""
        before, self.chosen = self.chosen, kind
        try:
            yield
        finally:
            self.chosen = before

    def _kind(self, data_dir: Path) -> str:
        return self._kinds.setdefault(data_dir.absolute(), self.chosen)


@contextmanager
def control_databases() -> Iterator[Databases]:
    """Within it, the product uses these databases. The server ends with it."""
    with ExitStack() as stack, on_sqlite() as sqlite:
        databases = Databases(sqlite, stack)
        with used(databases), pytest.MonkeyPatch.context() as patch:
            patch.setattr(database, "database_file", databases.file)
            yield databases
