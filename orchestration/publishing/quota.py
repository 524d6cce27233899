"""Compares the commits in the lake with the limit of an organization's plan, and grants their analysis.

Keep out: the rules of plans (`api.control.plans.plans`), and the exclusion of waiting commits (the model
int_exclusions__waiting).
"""

from __future__ import annotations

from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.compute as pc

from api.control.plans import plans
from api.control.plans.grants import ID_BYTES, Commits, unpacked
from api.control.store import ControlStore
from orchestration.deployment import Deployment


def grant(deployment: Deployment, organization_id: str) -> None:
    """Grant the analysis of as many extracted commits as a limited plan allows. Does nothing for an unlimited plan."""
    with deployment.control() as control:
        if plans.plan(control, organization_id).is_limited:
            _grant(deployment, control, organization_id)


def record_analysed(deployment: Deployment, organization_id: str) -> None:
    """Record the analysed commits of an unlimited plan, so that they stay analysed if a limit is set later."""
    with deployment.control() as control:
        if not plans.plan(control, organization_id).is_limited:
            _grant(deployment, control, organization_id)


def _grant(deployment: Deployment, control: ControlStore, organization_id: str) -> None:
    repositories = control.snapshot(organization_id)["repositories"]
    position_by_age = {one: number for number, one in enumerate(control.repositories_by_age(organization_id))}
    starts = {
        row["repository_id"]: row["analysis_start_at"]
        for row in sorted(
            repositories, key=lambda row: position_by_age.get(row["repository_id"], len(position_by_age))
        )
        if not row["is_excluded"]
    }
    plans.grant(
        control,
        organization_id,
        lambda: [read_commits(deployment, organization_id, key, start) for key, start in starts.items()],
    )


def read_commits(
    deployment: Deployment, organization_id: str, repository_id: str, start: datetime | None
) -> Commits:
    """The commits of the default branch, with the number of those delivered before the analysis starts (`start`)."""
    source = deployment.lake.source("git", organization_id, repository_id)
    if not source.state().batch:
        return Commits(repository_id, ())
    table = source.read("deliveries", ["position", "delivered_at", "commit_shas"]).sort_by("position")
    before = 0
    if start is not None:
        early = pc.less(table["delivered_at"], pa.scalar(start.astimezone(UTC), table["delivered_at"].type))
        before = pc.sum(pc.list_value_length(table["commit_shas"]).filter(early)).as_py() or 0
    shas = pc.utf8_slice_codeunits(pc.list_flatten(table["commit_shas"]), 0, 2 * ID_BYTES)
    return Commits(repository_id, unpacked(bytes.fromhex("".join(shas.to_pylist()))), before)
