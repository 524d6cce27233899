"""The requests for new texts that a build answers."""

from __future__ import annotations

from collections.abc import Sequence

from api.control.operations import operations
from api.control.operations.operations import OperationRecord, Watermark
from api.control.summaries.regenerations import REGENERATE
from orchestration.deployment import Deployment


def up_to(
    deployment: Deployment, organization_id: str, watermark: Watermark | None
) -> Sequence[OperationRecord]:
    """The waiting requests that a build with this watermark answers, oldest first."""
    if watermark is None:
        return []
    with deployment.control() as control:
        waiting = operations.up_to(control, organization_id, watermark)
    return [one for one in waiting if one.action == REGENERATE]
