"""The published snapshot, which the API and every report read."""

import time
from collections.abc import Iterable

import dagster as dg

from orchestration.deployment import Deployment
from orchestration.graph.assets import raw
from orchestration.operations import outbox
from orchestration.publishing import steps
from orchestration.publishing.snapshot import PublishRefused, publish
from orchestration.runtime import sealed
from orchestration.runtime.failures import translating_errors
from orchestration.runtime.partitions import INPUTS_TAG, ORGANIZATIONS, identifier
from orchestration.runtime.progress import Progress
from orchestration.state import build_lock
from orchestration.state.warehouse_files import build_record_file, published_tables

KEY = dg.AssetKey(["published", "snapshot"])


def published_asset(tables: Iterable[dg.AssetKey]) -> dg.AssetsDefinition:
    """The asset that publishes the snapshot of these tables."""

    @dg.asset(
        key=KEY,
        deps=list(tables),
        partitions_def=ORGANIZATIONS,
        group_name="published",
        owners=raw.OWNERS,
        kinds={"duckdb"},
        description=(
            "The published tables as one read-only file. Readers keep the previous snapshot until the new one is"
            " complete and checked."
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
            outbox.recording_failure(deployment, organization_id),
            translating_errors(f"publishing {context.partition_key}"),
        ):
            progress.stage("warehouse", "publishing", 0, 0)
            started = time.monotonic()
            # Held until the build is recorded, so that no process reads a published build without a record.
            with build_lock.held(deployment, organization_id):
                warehouse = settings.warehouse_file(organization_id)
                if not build_record_file(warehouse).exists():
                    raise PublishRefused(f"{warehouse} is incomplete; run the whole build first")
                build_record = sealed.read(build_record_file(warehouse), organization_id)
                done = publish(
                    published_tables(warehouse),
                    settings.published_dir,
                    organization_id,
                    build_record["build_id"],
                    written=build_record.get("tables"),
                )
                seconds = round(time.monotonic() - started, 3)
                publication = steps.Publication(
                    deployment,
                    organization_id,
                    done,
                    build_record,
                    context.instance,
                    seconds,
                    is_automatic=INPUTS_TAG in context.run.tags,
                )
                steps.run(publication)
        return dg.MaterializeResult(
            metadata={
                "build_id": done.build_id,
                "file": dg.MetadataValue.path(str(done.file)),
                "megabytes": round(done.file.stat().st_size / 1e6, 1),
                "rows": done.rows,
                "dagster/row_count": sum(done.rows.values()),
                "seconds": seconds,
                **publication.noted,
            }
        )

    return publish_snapshot
