"""The published snapshot: what the API and every report read."""

import json
import time
from collections.abc import Iterable

import dagster as dg

from orchestration import allowance, inputs, outbox, removal, renewals, restated_totals, restatements
from orchestration.assets import raw
from orchestration.dbt_build import built_from
from orchestration.deployment import Deployment
from orchestration.failures import failing_as
from orchestration.journal import BuildEntry
from orchestration.partitions import ORGANIZATIONS, identifier
from orchestration.progress import Progress
from orchestration.publish import PublishRefused, publish

KEY = dg.AssetKey(["published", "snapshot"])


def published_asset(relations: Iterable[dg.AssetKey]) -> dg.AssetsDefinition:
    """The asset that publishes the given relations of the warehouse."""

    @dg.asset(
        key=KEY,
        deps=list(relations),
        partitions_def=ORGANIZATIONS,
        group_name="published",
        owners=raw.OWNERS,
        kinds={"duckdb"},
        description=(
            "A read-only copy of the contracted relations, sorted for reads. Readers switch to it at once when it"
            " is complete and checked; until then they keep the one before."
        ),
    )
    def publish_snapshot(
        context: dg.AssetExecutionContext,
        deployment: dg.ResourceParam[Deployment],
        progress: dg.ResourceParam[Progress],
    ) -> dg.MaterializeResult[None]:
        organization_id = identifier(context.partition_key)
        settings = deployment.settings
        with (
            outbox.blamed(deployment, organization_id),
            failing_as(f"publishing {context.partition_key}"),
        ):
            progress.stage("warehouse", "publishing", 0, 0)
            started = time.monotonic()
            with deployment.lake.lock(f"build-{organization_id}", exclusive=True):
                warehouse = settings.warehouse_file(organization_id)
                if not built_from(warehouse).exists():
                    raise PublishRefused(f"{warehouse} is not completely built: run the whole build first")
                read = json.loads(built_from(warehouse).read_text())
                done = publish(warehouse, settings.published_dir, organization_id)
            restatements.note(deployment, organization_id, done, read)
            restated_totals.note(deployment, organization_id, done, read)
            renewals.note(deployment, organization_id, done)
            allowance.note_analysed(deployment, organization_id)
            seconds = round(time.monotonic() - started, 3)
            at = inputs.now().isoformat(timespec="seconds")
            deployment.journal.record_build(
                organization_id, BuildEntry(read["inputs"], done.build_id, at, seconds)
            )
            outbox.included(deployment, organization_id, outbox.read(read["seen"]), done.build_id)
            removal.forget(deployment, organization_id, context.instance, done.file)
            return dg.MaterializeResult(
                metadata={
                    "build_id": done.build_id,
                    "file": dg.MetadataValue.path(str(done.file)),
                    "megabytes": round(done.file.stat().st_size / 1e6, 1),
                    "rows": done.rows,
                    "dagster/row_count": sum(done.rows.values()),
                    "seconds": seconds,
                }
            )

    return publish_snapshot
