"""Runs the command line against a data directory and reads what it published."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
from typer.testing import CliRunner

from ingest.settings import CHECKOUT
from orchestration.cli import app
from orchestration.deployment import LOCAL_ORGANIZATION
from tests.end_to_end.exporter_here import exporting_here
from tests.small_warehouse.project import used

PROGRAM = str(Path(sys.executable).with_name("eas"))
# Columns that differ between two builds of the same history. A clock that still runs ends with the build.
CLOCK = frozenset({"as_of", "worked_at_end"})


@dataclass(frozen=True)
class Eas:
    """One deployment. A small one builds the small warehouse, for stories that are not about figures."""

    data: Path
    is_small: bool = False

    def environment(self, **more: str) -> dict[str, str]:
        """Environment variables of a command."""
        path = {"PYTHONPATH": str(CHECKOUT)} if self.is_small else {}
        return os.environ | {"EAS_DATA_DIR": str(self.data), "EAS_WORKERS": "2"} | path | more

    def program(self) -> list[str]:
        """The program and its first arguments, before those of a command."""
        return [sys.executable, "-m", "tests.small_warehouse.program"] if self.is_small else [PROGRAM]

    def start(self, *arguments: object, **more: str) -> subprocess.Popen[str]:
        """Start a command in a new process group."""
        return subprocess.Popen(
            [*self.program(), *map(str, arguments)],
            env=self.environment(**more),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def run(
        self, *arguments: object, cwd: Path | None = None, prefix: tuple[str, ...] = (), **more: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end, with standard output and error combined."""
        return subprocess.run(
            [*prefix, *self.program(), *map(str, arguments)],
            env=self.environment(**more),
            cwd=cwd,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=300,
        )

    def run_here(
        self, *arguments: object, stdin: str | None = None, **settings: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a command in this process, which imports Dagster and dbt only once.

        For tests of figures, and of what a run does with the files that it finds.
        """
        environment = self.environment() | settings
        with used() if self.is_small else nullcontext(), exporting_here():
            done = CliRunner().invoke(
                app, [*map(str, arguments)], input=stdin, env=environment, catch_exceptions=False
            )
        return subprocess.CompletedProcess([*map(str, arguments)], done.exit_code, done.output)

    def pointer(self) -> dict[str, str]:
        """The pointer to the current build."""
        found: dict[str, str] = json.loads(
            (self.data / "published" / LOCAL_ORGANIZATION / "current.json").read_text()
        )
        return found

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Rows of a query over the current build."""
        with self._published() as connection:
            return connection.execute(query).fetchall()

    def everything(self) -> dict[str, list[str]]:
        """All published rows, sorted, without the columns of build times."""
        columns: dict[str, list[str]] = {}
        with self._published() as connection:
            for table, column in connection.execute(
                "select table_name, column_name from duckdb_columns() where not internal order by all"
            ).fetchall():
                columns.setdefault(table, []).append(column)
            content = {}
            for table, names in columns.items():
                kept = ", ".join(name for name in names if name not in CLOCK)
                # Two deployments sync at different times.
                chosen = " where subject_type <> 'connection'" if table == "check_stretches" else ""
                rows = connection.execute(f"select {kept} from {table}{chosen}").fetchall()
                content[table] = sorted(map(str, rows))
        return content

    @contextmanager
    def _published(self) -> Iterator[duckdb.DuckDBPyConnection]:
        file = self.data / "published" / LOCAL_ORGANIZATION / self.pointer()["file"]
        with duckdb.connect(str(file), read_only=True) as connection:
            connection.execute("set TimeZone = 'UTC'")
            yield connection
