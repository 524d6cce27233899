"""Copies settings and decisions from the control database into the lake, where models read them as a source.

Add: nothing but copying. Keep out: secrets (the store leaves them out) and defaults (the store sets them).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from api.control.operations.operations import Watermark
from ingest.errors import Permanent
from ingest.lake import Source
from ingest.schemas import control as schemas
from orchestration.deployment import Deployment
from orchestration.operations import outbox
from orchestration.publishing import quota

NOUN = "control"
# The organization is the only source of its control tables.
SOURCE = "_"


def source_of(deployment: Deployment, organization_id: str) -> Source:
    """The source in the lake that holds an organization's settings."""
    return deployment.lake.source(NOUN, organization_id, SOURCE)


def current_settings(deployment: Deployment, organization_id: str) -> dict[str, pa.Table]:
    """The settings in the control database, one Arrow table per name.

    Grants the commits that the plan allows by now before it reads. Raises NotFound for an unknown organization.
    """
    quota.grant(deployment, organization_id)
    with deployment.control() as control:
        rows = control.snapshot(organization_id)
    return {name: to_table(name, rows[name], schema) for name, schema in schemas.TABLES.items()}


def lake_settings(deployment: Deployment, organization_id: str) -> dict[str, pa.Table]:
    """The settings in the lake, one Arrow table per name."""
    source = source_of(deployment, organization_id)
    return {name: source.read(name) for name in schemas.TABLES}


def write(
    deployment: Deployment, organization_id: str, watermark: Watermark | None = None
) -> dict[str, pa.Table]:
    """Copy the settings of the control database into the lake and return them.

    Pass as `watermark` the outbox watermark from before the facts of removed repositories were deleted. A repository
    that is removed after that watermark is missing from the settings, while its facts are still in the lake.

    Raises NotFound for an unknown organization, SourceBusy while another process copies the settings.
    """
    source = source_of(deployment, organization_id)
    with source.extracting():
        watermark = watermark or outbox.current_watermark(deployment, organization_id)
        tables = current_settings(deployment, organization_id)
        if source.damage():
            # Nothing is lost: the control database has all of it.
            source.clear()
        if not source.state().batch or lake_settings(deployment, organization_id) != tables:
            source.commit({}, tables, {})
        outbox.save_watermark(deployment, organization_id, watermark)
    # Last, because cleaning a source's folder also removes the empty file beside it. Under the lock of cleaning and
    # building, because two runs would otherwise move or delete each other's half-written files.
    with deployment.lake.lock(f"org-{organization_id}", exclusive=True):
        deployment.lake.prepare(organization_id)
    return tables


def to_table(name: str, rows: Sequence[Mapping[str, Any]], schema: pa.Schema) -> pa.Table:
    """Convert rows to a table of a schema. Raises Permanent if keys differ; Arrow would drop them silently."""
    for row in rows:
        if differing := row.keys() ^ set(schema.names):
            raise Permanent(
                f"control.{name}: the columns {', '.join(sorted(differing))} differ between the control database and "
                "ingest.schemas; install one release of the whole service"
            )
    return pa.Table.from_pylist([dict(row) for row in rows], schema)
