"""Builds the warehouse of one organization with dbt, in this process.

Add: how dbt is called. Keep out: models (dbt_project), Dagster assets (assets/warehouse.py).

dbt runs in this process so that a second build saves two seconds of imports. `eas analyze` and Dagster share this code.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from ingest.locks import locked
from orchestration.build import (
    connection_models,
    held_rows,
    node_results,
    parsed_project,
    raw_tables,
    settings_snapshot,
    spark_models,
)
from orchestration.build.held_rows import Counted
from orchestration.build.node_results import NodeResult
from orchestration.deployment import DBT_PROJECT, LOCAL_ORGANIZATION, Deployment
from orchestration.operations import outbox
from orchestration.publishing.snapshot import current_file, new_build_id
from orchestration.runtime import collector, sealed
from orchestration.runtime.explanations import Explained
from orchestration.state import build_lock, conditions, fingerprints, snapshot_files
from orchestration.state.warehouse_files import (
    build_record_file,
    discard,
    discard_unreadable,
    published_tables,
)

QUIET = ("--quiet", "--log-level", "none", "--log-level-file", "info", "--no-version-check")
MAX_MANIFEST_AGE_SECONDS = 3600

# Called with the deployment, the organization and the fingerprints of the build's inputs.
Check = Callable[[Deployment, str, Mapping[str, str]], None]


class BuildFailed(Explained):
    """dbt could not start or returned no result. The message is dbt's own; the log has the details."""


def build(
    deployment: Deployment,
    organization_id: str,
    *,
    as_of: datetime | None = None,
    select: Sequence[str] = (),
    on_node: Callable[[int, int], None] | None = None,
    check: Check | None = None,
) -> list[NodeResult]:
    """Build all models of an organization, or the selected ones, with their seeds and data tests.

    `as_of` is the instant, with time zone, that decides which periods are complete; the default is now. The build
    locks the lake, so extraction waits. `check` sees a complete build before that lock is free, and its error leaves
    the build incomplete. The project's tests run dbt's unit tests; this build does not. Raises BuildFailed if dbt
    returns no result per node, LakeCorrupt if facts are missing or changed, and what `spark_models.place_of` raises.
    """
    variables = _variables(deployment, organization_id)
    if as_of is not None:
        variables["as_of"] = as_of.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.%f+00:00")
    target = deployment.settings.dbt_target_dir(organization_id)
    warehouse = deployment.settings.warehouse_file(organization_id)
    warehouse.parent.mkdir(parents=True, exist_ok=True)
    # The results come from memory. Writing them and the manifest as JSON would take a second.
    arguments = ["build", "--no-write-json", "--exclude-resource-type", "unit_test"]
    # Cautious: a test that compares with a model outside the selection cannot run, and one that compares models of
    # connections with others stays when the former are left out.
    arguments += ["--indirect-selection", "cautious"]
    lake = deployment.lake
    with build_lock.held(deployment, organization_id):
        engine = deployment.engine_of(organization_id)
        place = spark_models.place_of(engine, warehouse, is_partial=bool(select))
        with conditions.reading_lake(deployment, organization_id):
            discard_unreadable(warehouse)
            if not select and not _is_as_built(warehouse, organization_id, engine):
                discard(warehouse)
            _prepare_published_file(deployment, organization_id, is_partial=bool(select))
            lake.prepare(organization_id)
            build_record_file(warehouse).unlink(missing_ok=True)
            watermark = outbox.saved_watermark(deployment, organization_id)
            settings = settings_snapshot.lake_settings(deployment, organization_id)
            inputs = fingerprints.of_build(deployment, organization_id, settings, as_of or fingerprints.now())
            parsed = _parsed(deployment)
            _clear(target)
            files = lake.files(organization_id)
            raw_tables.declare(warehouse, files)
            left_out = _leave_out(deployment, organization_id, parsed)
            names = {model.name for model in left_out}
            results = [
                NodeResult(model.unique_id, connection_models.LEFT_OUT, 0.0, "no rows of connections", 0)
                for model in left_out
                if not select or model.name in select
            ]
            chosen = [name for name in select if name not in names]
            arguments += ["--select", *chosen] if chosen else []
            excluded = sorted({f"tag:{model.tag}" for model in left_out})
            arguments += ["--exclude", *excluded] if excluded else []
            counted, failed = held_rows.counted(deployment, organization_id), []

            def attempt(rows: Counted) -> list[NodeResult]:
                raw_tables.declare(warehouse, files, rows.held)
                tables = {}
                if place is not None:
                    on_spark = partial(
                        invoke, variables=variables, target=target / "spark", warehouse=warehouse
                    )
                    found = _results(spark_models.run(place, files, rows.held, on_spark), target / "spark")
                    if not all(result.passed for result in found):
                        return found
                    tables = {"spark_tables": str(place.tables)}
                run = invoke(arguments, variables | tables, target, warehouse, on_node, parsed)
                return _results(run, target)

            if chosen or not select:
                built = attempt(counted)
                if not all(result.passed for result in built):
                    conditions.explain_failure(deployment, organization_id)
                    if place is not None:
                        built = held_rows.untried(counted, built)
                    elif not select:
                        failed = built
                        counted, built = held_rows.passing(counted, built, attempt)
                results += built
            is_complete = all(result.passed for result in results)
            if select or not is_complete:
                return results
            content: dict[str, Any] = {
                "build_id": new_build_id(),
                "engine": engine,
                "inputs": inputs,
                "watermark": outbox.to_json(watermark),
                "connections": counted.record(),
                "held": held_rows.reason(failed) if failed else None,
                "warehouse": snapshot_files.written(warehouse),
                "tables": snapshot_files.written(published_tables(warehouse)),
            }
            if check is not None:
                check(deployment, organization_id, inputs)
        sealed.write(build_record_file(warehouse), content, organization_id)
        return results


def _leave_out(deployment: Deployment, organization_id: str, parsed: Path) -> list[connection_models.LeftOut]:
    """The models of connections for which there are no rows. Their relations become empty."""
    models = connection_models.read(parsed / parsed_project.CONNECTION_MODELS_FILE)
    tags = connection_models.without_rows(deployment.lake, organization_id) if models else []
    left_out = [model for model in models if model.tag in tags]
    if left_out:
        connection_models.empty(deployment.settings.warehouse_file(organization_id), left_out)
    return left_out


def manifest(deployment: Deployment) -> Path:
    """The path of dbt's manifest. Parses the project if one of its files changed. Raises BuildFailed."""
    return _parsed(deployment) / parsed_project.MANIFEST_FILE


def _parsed(deployment: Deployment) -> Path:
    """The folder with the parsed project. Processes that need it at the same time wait for the first of them."""
    if (found := parsed_project.find(deployment)) is not None:
        return found
    home = parsed_project.home(deployment)
    with locked(home / "parsing.lock"):
        return parsed_project.find(deployment) or _parse(deployment, home)


def _parse(deployment: Deployment, home: Path) -> Path:
    folder = home / fingerprints.build_code()
    shutil.rmtree(folder, ignore_errors=True)
    partial = home / f"parsing-{os.getpid()}-{time.monotonic_ns()}"
    warehouse = deployment.settings.warehouse_file(LOCAL_ORGANIZATION)
    invoke(["parse"], _variables(deployment, LOCAL_ORGANIZATION), partial, warehouse, None)
    models = connection_models.of_manifest(json.loads((partial / parsed_project.MANIFEST_FILE).read_text()))
    connection_models.write(models, partial / parsed_project.CONNECTION_MODELS_FILE)
    parsed_project.seal(partial)
    partial.rename(folder)
    for other in home.iterdir():
        # Another process may still be writing a newer folder.
        if (
            other != folder
            and other.is_dir()
            and time.time() - other.stat().st_mtime > MAX_MANIFEST_AGE_SECONDS
        ):
            shutil.rmtree(other, ignore_errors=True)
    return folder


def invoke(
    arguments: Sequence[str],
    variables: Mapping[str, str],
    target: Path,
    warehouse: Path,
    on_node: Callable[[int, int], None] | None = None,
    parsed: Path | None = None,
) -> Any:
    """Run a dbt command and return dbt's own result. Raises BuildFailed if there is none.

    `parsed` is the folder of the parsed project; without it dbt parses the files.
    """
    with collector.held():
        from orchestration.build import dbt_savings

    dbt_savings.install()

    def watch(event: Any) -> None:
        # An exception here would fail the node. dbt names the total of tests `num_models`, that of models `total`.
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
        project = parsed and parsed_project.load(parsed, warehouse.stem)
        try:
            result = dbt_savings.runner(project, watch).invoke(command)
        finally:
            _close_connections()
    if result.exception is not None or result.result is None:
        raise BuildFailed(f"dbt {arguments[0]}: {result.exception or 'no result'} (log: {target / 'logs'})")
    return result.result


def _clear(target: Path) -> None:
    """Remove what the last build wrote, except its log: a file in the place of a folder there would stop this one."""
    if target.is_dir():
        for entry in target.iterdir():
            if entry.is_dir() and not entry.is_symlink():
                if entry.name != "logs":
                    shutil.rmtree(entry)
            else:
                entry.unlink()


def _is_as_built(warehouse: Path, organization_id: str, engine: str) -> bool:
    """Whether a complete build on this engine left a warehouse so. Over damaged pages each build could fail."""
    try:
        record = sealed.read(build_record_file(warehouse), organization_id)
    except (OSError, ValueError):
        return False
    wrote = record.get("warehouse")
    if wrote is None or record.get("engine") != engine:
        return False
    return snapshot_files.difference(warehouse, wrote) is None


def _prepare_published_file(deployment: Deployment, organization_id: str, *, is_partial: bool) -> None:
    """Prepare the file of published tables.

    A full build starts without a file. A partial build starts with the present file, or with a copy of the current
    snapshot.
    """
    tables = published_tables(deployment.settings.warehouse_file(organization_id))
    current = current_file(deployment.settings.published_dir, organization_id)
    if is_partial and tables.exists():
        return
    tables.unlink(missing_ok=True)
    tables.with_name(f"{tables.name}.wal").unlink(missing_ok=True)
    if is_partial and current is not None:
        shutil.copyfile(current, tables)


def _variables(deployment: Deployment, organization_id: str) -> dict[str, str]:
    return {
        "organization_id": organization_id,
        "calculation_version": deployment.calculation_version,
    }


def _results(run: Any, target: Path) -> list[NodeResult]:
    if not (results := node_results.of_run(run)):
        raise BuildFailed(f"dbt built nothing (log: {target / 'logs'})")
    return results


def _close_connections() -> None:
    """Close the database file, which dbt keeps open and locked after a build."""
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
