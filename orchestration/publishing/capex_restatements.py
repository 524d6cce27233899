"""What a published build changes in closed months of the CapEx report, and why.

Keep out: closing months and keeping the record (`api.control.capex.locks`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import duckdb

from api.control.capex import locks as capex_locks
from api.control.capex import restatements as capex_restatements
from orchestration.deployment import Deployment
from orchestration.operations import outbox
from orchestration.publishing.snapshot import Published

# Inputs of a build whose difference needs more words than the changes that people made.
DIFFERENCES = {
    "facts": "facts: commits that arrived late, or histories that were rewritten",
    "code": "rules: the models of the service",
    "version": "rules: the version of the service",
}


def note(deployment: Deployment, organization_id: str, done: Published, built_from: Mapping[str, Any]) -> int:
    """Record every row of a closed month that the build shows otherwise; how many there are.

    Call it before the run state and the outbox take note of the build: the reasons come from the one before.
    """
    with deployment.control() as control:
        months = capex_locks.locked_months(control, organization_id)
        if not months:
            return 0
        seen = outbox.read(built_from["seen"])
        reasons = capex_restatements.reasons_of(control, organization_id, seen)
        before = deployment.run_state.build(organization_id)
        for name, words in DIFFERENCES.items():
            if before is not None and before.inputs.get(name) != built_from["inputs"].get(name):
                reasons.append(words)
        with duckdb.connect(str(done.file), read_only=True) as published:
            cursor = published.execute(
                f"select * from capex where month in ({', '.join('?' * len(months))})", months
            )
            names = [column[0] for column in cursor.description or ()]
            rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
        return capex_restatements.restate(
            control, organization_id, done.build_id, rows, reasons, months=months
        )
