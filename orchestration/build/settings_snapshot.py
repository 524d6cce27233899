"""What people decided, copied from the control database into the lake, so that models read it like any source.

Add: nothing but copying. Keep out: secrets (the store's snapshot has none) and defaults (the store's).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from api.control.operations.operations import Seen
from ingest.errors import Permanent
from ingest.lake import Source
from ingest.schemas import control as schemas
from orchestration.deployment import Deployment
from orchestration.operations import outbox
from orchestration.publishing import quota

NOUN = "control"
# Control tables have no source but the organization itself.
SOURCE = "_"


def source_of(deployment: Deployment, organization_id: str) -> Source:
    """The lake's source of an organization's settings."""
    return deployment.lake.source(NOUN, organization_id, SOURCE)


def decided(deployment: Deployment, organization_id: str) -> dict[str, pa.Table]:
    """The settings as the control database has them, with as many commits granted as the plan allows by now.

    Raises NotFound for an unknown organization.
    """
    quota.grant(deployment, organization_id)
    with deployment.control() as control:
        rows = control.snapshot(organization_id)
    return {name: typed(name, rows[name], schema) for name, schema in schemas.TABLES.items()}


def stored(deployment: Deployment, organization_id: str) -> dict[str, pa.Table]:
    """The settings as the lake has them."""
    source = source_of(deployment, organization_id)
    return {name: source.read(name) for name in schemas.TABLES}


def write(deployment: Deployment, organization_id: str, seen: Seen | None = None) -> dict[str, pa.Table]:
    """Make the lake's settings those of the control database; returns them.

    `seen` is what was noted before the facts of removed repositories were deleted: who is removed later is
    missing in the settings already, but not in the facts.

    Raises NotFound for an unknown organization, SourceBusy while another process does the same.
    """
    source = source_of(deployment, organization_id)
    with source.extracting():
        seen = seen or outbox.noted(deployment, organization_id)
        tables = decided(deployment, organization_id)
        if not source.state().batch or stored(deployment, organization_id) != tables:
            source.commit({}, tables, {})
        outbox.keep(deployment, organization_id, seen)
    # Last: cleaning up a source's folder takes the empty file beside it along. Under the lock that whoever cleans or
    # builds holds: two runs would otherwise take each other's half-written files.
    with deployment.lake.lock(f"org-{organization_id}", exclusive=True):
        deployment.lake.prepare(organization_id)
    return tables


def typed(name: str, rows: Sequence[Mapping[str, Any]], schema: pa.Schema) -> pa.Table:
    """Rows as a table of a schema. Raises Permanent where the keys differ, which Arrow would drop silently."""
    for row in rows:
        if odd := row.keys() ^ set(schema.names):
            raise Permanent(
                f"control.{name}: the control store and ingest.schemas disagree about {', '.join(sorted(odd))}"
            )
    return pa.Table.from_pylist([dict(row) for row in rows], schema)
