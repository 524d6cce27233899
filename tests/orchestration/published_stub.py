"""Files of a published build for tests that look only at their presence."""

from __future__ import annotations

import duckdb

from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.state import snapshot_files
from orchestration.state.snapshot_files import Pointer


def publish_stub(deployment: Deployment, build_id: str) -> None:
    """Write a pointer, an empty snapshot and an empty warehouse of the command line's organization."""
    folder = deployment.settings.published_dir / LOCAL_ORGANIZATION
    file, warehouse = folder / f"{build_id}.duckdb", deployment.settings.warehouse_file(LOCAL_ORGANIZATION)
    for one in (file, warehouse):
        one.parent.mkdir(parents=True, exist_ok=True)
        duckdb.connect(str(one)).close()
    pointer = Pointer(
        build_id, file.name, "2026-11-20T06:00:00Z", "0", file.stat().st_size, snapshot_files.checksum(file)
    )
    (folder / snapshot_files.POINTER).write_text(snapshot_files.pointer_text(pointer, LOCAL_ORGANIZATION))
