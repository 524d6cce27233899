"""Finds the changes of a published build to closed months of the CapEx report, and their reasons.

Keep out: closing months and storing the record (`api.control.capex.locks`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import duckdb

from api.control.capex import locks as capex_locks
from api.control.capex import restatements as capex_restatements
from api.control.summaries.regenerations import REGENERATE
from orchestration.deployment import Deployment
from orchestration.operations import outbox
from orchestration.publishing.snapshot import Published

# By input of a build, the reason to record if it differs. Changes by people have reasons of their own.
REASONS = {
    "facts": "facts: commits that arrived late, or histories that were rewritten",
    "code": "rules: the models of the service",
    "version": "rules: the version of the service",
}


def record_restatements(
    deployment: Deployment, organization_id: str, published: Published, build_record: Mapping[str, Any]
) -> int:
    """Record every row of a closed month that the build changes. Returns the number of rows.

    Call it before the run state and the outbox record the build: the reasons come from the previous build.
    """
    with deployment.control() as control:
        months = capex_locks.locked_months(control, organization_id)
        if not months:
            return 0
        watermark = outbox.from_json(build_record.get("watermark"))
        # A request for new texts changes no figure.
        reasons = [
            reason
            for reason in capex_restatements.reasons_of(control, organization_id, watermark)
            if not reason.startswith(REGENERATE)
        ]
        before = deployment.run_state.build(organization_id)
        for name, reason in REASONS.items():
            if before is not None and before.inputs.get(name) != build_record["inputs"].get(name):
                reasons.append(reason)
        with duckdb.connect(str(published.file), read_only=True) as connection:
            cursor = connection.execute(
                f"select * from capex where month in ({', '.join('?' * len(months))})", months
            )
            names = [column[0] for column in cursor.description or ()]
            rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
        return capex_restatements.restate(
            control, organization_id, published.build_id, rows, reasons, months=months
        )
