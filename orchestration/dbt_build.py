"""Builds the warehouse of one organization: dbt, in this process.

Add: how dbt is called. Keep out: what is built (dbt_project), how Dagster shows it (assets/warehouse.py).

In process because a second build then skips two seconds of imports; `eas analyze` and Dagster share this path.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb

from orchestration import collector, control_snapshot, inputs, outbox
from orchestration.deployment import DBT_PROJECT, LOCAL_ORGANIZATION, Deployment

QUIET = ("--quiet", "--log-level", "none", "--log-level-file", "info", "--no-version-check")
# dbt's own memory of what it parsed.
PARSED = "partial_parse.msgpack"
SECONDS_KEPT = 3600
PASSED = frozenset({"success", "pass", "no-op", "warn"})


class BuildFailed(Exception):
    """dbt could not start, or did not come to a result; the message is dbt's own, the log has the rest."""


@dataclass(frozen=True)
class NodeResult:
    """What became of one model, seed or test. `failures` counts the rows that a test found."""

    unique_id: str
    status: str
    seconds: float
    message: str
    failures: int

    @property
    def passed(self) -> bool:
        """Whether the node did what it should."""
        return self.status in PASSED

    @property
    def was_run(self) -> bool:
        """False for what was skipped because something before it failed."""
        return self.status != "skipped"


def build(
    deployment: Deployment,
    organization_id: str,
    *,
    as_of: datetime | None = None,
    select: Sequence[str] = (),
    on_node: Callable[[int, int], None] | None = None,
) -> list[NodeResult]:
    """Build all models of an organization, or the selected ones, with their seeds and data tests.

    `as_of` decides what is complete (the present instant). It is passed on only where it is given: other
    variables than the last time make dbt parse everything again, which takes as long as the models.
    Nothing is extracted meanwhile: the lake is held. Unit tests of models run with the project's tests, not
    here. Raises BuildFailed where there is no result per node.
    """
    variables = _variables(deployment, organization_id)
    if as_of is not None:
        variables["as_of"] = as_of.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f+00:00")
    target = deployment.settings.dbt_target_dir(organization_id)
    warehouse = deployment.settings.warehouse_file(organization_id)
    warehouse.parent.mkdir(parents=True, exist_ok=True)
    # Results are taken from memory; writing them with the manifest as JSON costs a second.
    arguments = ["build", "--no-write-json", "--exclude-resource-type", "unit_test"]
    # Cautious: a test that compares with a model outside of the selection cannot run.
    arguments += ["--indirect-selection", "cautious", "--select", *select] if select else []
    lake = deployment.lake
    with lake.lock(f"build-{organization_id}", exclusive=True), lake.reading(organization_id):
        discard_unreadable(warehouse)
        lake.prepare(organization_id)
        built_from(warehouse).unlink(missing_ok=True)
        seen = outbox.kept(deployment, organization_id)
        settings = control_snapshot.stored(deployment, organization_id)
        read = inputs.of_build(deployment, organization_id, settings, as_of or inputs.now())
        results = _results(invoke(arguments, variables, target, warehouse, on_node), target)
        if not select and all(result.passed for result in results):
            built_from(warehouse).write_text(json.dumps({"inputs": read, "seen": outbox.written(seen)}))
        return results


def built_from(warehouse: Path) -> Path:
    """The file that says what a complete warehouse was built from (`inputs`, `seen`); there is none for half of one."""
    return warehouse.with_suffix(".inputs.json")


def manifest(deployment: Deployment) -> Path:
    """The parsed dbt project, parsed again when any of its files changed. Raises BuildFailed.

    It is parsed as the command line's organization will be built, so that its first build finds it parsed.
    Processes that need it at the same time wait for the first of them.
    """
    folder = deployment.settings.data_dir / "dbt" / "manifest"
    file = folder / inputs.build_code() / "manifest.json"
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / "parsing.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not file.exists():
                _parse(deployment, file)
    return file


def _parse(deployment: Deployment, file: Path) -> None:
    folder = file.parent.parent
    partial = folder / f"parsing-{os.getpid()}-{time.monotonic_ns()}"
    warehouse = deployment.settings.warehouse_file(LOCAL_ORGANIZATION)
    invoke(["parse"], _variables(deployment, LOCAL_ORGANIZATION), partial, warehouse, None)
    with suppress(OSError):  # another process has parsed it meanwhile
        partial.rename(file.parent)
    target = deployment.settings.dbt_target_dir(LOCAL_ORGANIZATION)
    if not (target / PARSED).exists():
        target.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file.parent / PARSED, target / PARSED)
    for other in folder.iterdir():
        # Younger ones may be another process's that parses just now.
        if other != file.parent and other.is_dir() and time.time() - other.stat().st_mtime > SECONDS_KEPT:
            shutil.rmtree(other, ignore_errors=True)


def invoke(
    arguments: Sequence[str],
    variables: Mapping[str, str],
    target: Path,
    warehouse: Path,
    on_node: Callable[[int, int], None] | None,
) -> Any:
    """dbt's own result of a command. Raises BuildFailed when it has none."""
    with collector.held():
        from dbt.cli.main import dbtRunner

    def watch(event: Any) -> None:
        # An exception here would fail the node; and the total of tests has another name than that of models.
        if on_node and event.info.name in ("LogModelResult", "LogTestResult", "LogSeedResult"):
            on_node(event.data.index, getattr(event.data, "total", 0) or getattr(event.data, "num_models", 0))

    command = [
        *arguments,
        *QUIET,
        *("--project-dir", str(DBT_PROJECT), "--profiles-dir", str(DBT_PROJECT)),
        *("--target-path", str(target), "--log-path", str(target / "logs")),
        *("--vars", json.dumps(dict(variables))),
    ]
    with (
        _environment(
            EAS_WAREHOUSE_PATH=str(warehouse), DBT_SEND_ANONYMOUS_USAGE_STATS="false", DO_NOT_TRACK="1"
        ),
        collector.held(),
    ):
        try:
            answer = dbtRunner(callbacks=[watch]).invoke(command)
        finally:
            _release()
    if answer.exception is not None or answer.result is None:
        raise BuildFailed(f"dbt {arguments[0]}: {answer.exception or 'no result'} (log: {target / 'logs'})")
    return answer.result


def discard_unreadable(warehouse: Path) -> None:
    """Remove a warehouse that cannot be opened: a killed machine may leave one, and every build makes it anew.

    Raises duckdb.IOException while another process has it open.
    """
    if not warehouse.exists():
        return
    try:
        duckdb.connect(str(warehouse)).close()
    except duckdb.Error as error:
        if "lock" in str(error).lower():
            raise
        discard(warehouse)


def discard(warehouse: Path) -> None:
    """Delete a warehouse that nobody has open; every build makes it anew."""
    for leftover in (warehouse, warehouse.with_name(f"{warehouse.name}.wal"), built_from(warehouse)):
        leftover.unlink(missing_ok=True)


def _variables(deployment: Deployment, organization_id: str) -> dict[str, str]:
    return {
        "organization_id": organization_id,
        "raw_dir": deployment.settings.raw_root,
        "calculation_version": deployment.calculation_version,
    }


def _results(answer: Any, target: Path) -> list[NodeResult]:
    results = [
        NodeResult(
            unique_id=result.node.unique_id,
            status=str(result.status),
            seconds=float(result.execution_time or 0),
            message=str(result.message or ""),
            failures=int(result.failures or 0),
        )
        for result in getattr(answer, "results", [])
    ]
    if not results:
        raise BuildFailed(f"dbt built nothing (log: {target / 'logs'})")
    return results


def _release() -> None:
    """dbt keeps the database file open after a build; nobody else could open it."""
    from dbt.adapters.duckdb.connections import DuckDBConnectionManager

    DuckDBConnectionManager.close_all_connections()


@contextmanager
def _environment(**variables: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
