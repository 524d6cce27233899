"""How many commits wait for a higher limit: what the lake has of an organization against its plan.

Keep out: the rules (`api.control.plans.plans`), leaving out what waits (the model int_exclusions__waiting).
"""

from __future__ import annotations

from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.compute as pc

from api.control.plans import plans
from api.control.plans.plans import Commits
from api.control.store import ControlStore
from orchestration.deployment import Deployment


def grant(deployment: Deployment, organization_id: str) -> None:
    """Let as many of the extracted commits be analysed as the plan allows. Costs nothing where there is no limit."""
    with deployment.control() as control:
        if plans.plan(control, organization_id).is_limited:
            _grant(deployment, control, organization_id)


def note_analysed(deployment: Deployment, organization_id: str) -> None:
    """Where there is no limit: what a build has analysed stays so if a limit comes."""
    with deployment.control() as control:
        if not plans.plan(control, organization_id).is_limited:
            _grant(deployment, control, organization_id)


def _grant(deployment: Deployment, control: ControlStore, organization_id: str) -> None:
    known = control.snapshot(organization_id)["repositories"]
    added = {one: number for number, one in enumerate(control.repositories_by_age(organization_id))}
    counted = [
        delivered(deployment, organization_id, row["repository_id"], row["analysis_start_at"])
        for row in sorted(known, key=lambda row: added.get(row["repository_id"], len(added)))
        if not row["is_excluded"]
    ]
    plans.grant(control, organization_id, counted)


def delivered(
    deployment: Deployment, organization_id: str, repository_id: str, start: datetime | None
) -> Commits:
    """Commits of the default branch, and those of them that were delivered before the start of the analysis."""
    source = deployment.lake.source("git", organization_id, repository_id)
    if not source.state().batch:
        return Commits(repository_id, 0)
    table = source.read("deliveries")
    numbers = pc.list_value_length(table["commit_shas"])
    before = 0
    if start is not None:
        early = pc.less(table["delivered_at"], pa.scalar(start.astimezone(UTC), table["delivered_at"].type))
        before = pc.sum(numbers.filter(early)).as_py() or 0
    return Commits(repository_id, pc.sum(numbers).as_py() or 0, before)
