"""Builds a warehouse of repositories with the product's extractor and models. Every data test must pass."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import dataset

from ingest.git.extract import extract_repository
from ingest.git.repository_source import resolve
from ingest.settings import Settings
from orchestration.build import dbt_build, settings_snapshot
from orchestration.deployment import LOCAL_ORGANIZATION, LOCAL_SLUG, Deployment
from tests.dbt.warehouse import opened
from tests.end_to_end.stored_connections import store_connection

_WORKERS = 2
# Kind, category, address and name of a connection to a tracker.
_TRACKER = ("LINEAR", "trackers", "https://tracker.example", "Tracker")
_HOST = ("GITHUB", "hosts", "https://github.example", "Host")


@dataclass(frozen=True)
class Analysed:
    """A built warehouse. `repository_ids` are by the given names of the repositories."""

    warehouse: Path
    raw: Path
    repository_ids: Mapping[str, str]
    calculation_version: str

    def rows(self, query: str, parameters: Sequence[object] = ()) -> list[dict[str, Any]]:
        """Rows of a query over the warehouse; `raw_<table>` are the lake's tables of Git facts."""
        with opened(self.warehouse) as connection:
            for table in (self.raw / "git").iterdir():
                connection.register(f"raw_{table.name}", dataset.dataset(table))
            found = connection.execute(query, parameters)
            names = [column[0] for column in found.description]
            return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


Items = Callable[[Mapping[str, str]], Mapping[str, pa.Table]]
"""Items of trackers, or pull requests, by connection, for the ids of repositories by their given names."""


def analyse(
    repositories: Mapping[str, Path],
    folder: Path,
    *,
    select: Iterable[str] = (),
    items: Items | None = None,
    pull_requests: Items | None = None,
) -> Analysed:
    """Extract the repositories into a new organization below `folder` and build its warehouse or the selected models.

    Raises RuntimeError if a model or data test fails, and the errors of the extractor."""
    deployment = Deployment(Settings(data_dir=folder, raw_dir=str(folder / "raw")))
    deployment.lake.prepare(LOCAL_ORGANIZATION)
    ids = {}
    with deployment.control() as control:
        control.ensure_organization("Validity", organization_id=LOCAL_ORGANIZATION, slug=LOCAL_SLUG)
        for name, path in repositories.items():
            source = resolve(str(path), deployment.settings, LOCAL_ORGANIZATION)
            extract_repository(source, deployment.lake, workers=_WORKERS)
            control.upsert_repository(
                LOCAL_ORGANIZATION, source.repository_id, name=source.name, origin=source.origin
            )
            ids[name] = source.repository_id
        for kind, name, given in ((_TRACKER, "items", items), (_HOST, "pull_requests", pull_requests)):
            for connection, table in (given(ids) if given else {}).items():
                # Rows of a connection that the settings do not have would not count.
                store_connection(control, *kind, connection_id=connection)
                deployment.lake.source(kind[1], LOCAL_ORGANIZATION, connection).commit({}, {name: table}, {})
    settings_snapshot.write(deployment, LOCAL_ORGANIZATION)
    nodes = dbt_build.build(deployment, LOCAL_ORGANIZATION, select=tuple(select))
    if failures := [f"{node.unique_id}: {node.message}" for node in nodes if not node.passed]:
        raise RuntimeError(f"{len(failures)} nodes of the build failed: {'; '.join(failures[:5])}")
    warehouse = deployment.settings.warehouse_file(LOCAL_ORGANIZATION)
    return Analysed(warehouse, folder / "raw", ids, deployment.calculation_version)
