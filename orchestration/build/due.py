"""Decides whether a build is due: an input differs from that of the published build, or a result is lost or damaged.

`eas analyze` and the sensor both ask here. Keep out: starting builds (commands/analysis.py, graph/sensors.py).
"""

from __future__ import annotations

from orchestration.build import connection_models, settings_snapshot
from orchestration.deployment import Deployment
from orchestration.operations import deletion, outbox
from orchestration.state import build_conditions, conditions, fingerprints
from orchestration.summaries import requests


def inputs_of_due_build(
    deployment: Deployment, organization_id: str, *, thorough: bool = True
) -> list[str] | None:
    """The identity of a due build with its inputs, or None. `thorough` as in `conditions`.

    Raises LakeCorrupt if the state of a source is damaged; ask `conditions.damaged_facts` first.
    """
    published = deployment.run_state.build(organization_id)
    # A published organization may have lost its last repository, so it is still built. One that only has an issue
    # tracker has objectives to show.
    lake = deployment.lake
    has_facts = lake.sources(conditions.EXTRACTED, organization_id) or connection_models.has_rows(
        lake, organization_id
    )
    if published is None and not has_facts:
        return None
    watermark = outbox.current_watermark(deployment, organization_id)
    settings = settings_snapshot.current_settings(deployment, organization_id)
    inputs = fingerprints.of_build(deployment, organization_id, settings, fingerprints.now())
    if published is None:
        return ["", *inputs.values()]
    lost = [one.detail for one in build_conditions.of_build(deployment, organization_id, thorough=thorough)]
    # A request for new texts changes no input, and needs a build all the same.
    lost += [one.id for one in requests.up_to(deployment, organization_id, watermark)]
    if lost or published.inputs != inputs or deletion.is_pending(deployment, organization_id):
        # Includes the replaced build: a change that was undone has the inputs of an earlier run.
        return [published.build_id, *inputs.values(), *lost]
    # A decision that was undone since changes no input, so the published build includes it.
    outbox.mark_included(deployment, organization_id, watermark, published.build_id)
    return None
