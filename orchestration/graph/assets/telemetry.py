"""Raw tables of `telemetry`: what AI tools have sent to one organization."""

from collections.abc import Iterator

import dagster as dg

from ingest.errors import SourceBusy
from ingest.schemas import telemetry as schemas
from ingest.telemetry.loading import NOUN
from orchestration.deployment import Deployment
from orchestration.graph.assets import raw
from orchestration.operations import outbox
from orchestration.reading import telemetry
from orchestration.runtime.failures import translating_errors
from orchestration.runtime.partitions import ORGANIZATIONS, identifier


@dg.multi_asset(
    name="load_telemetry",
    description="Loads what AI tools have sent to an organization from the spool into the lake.",
    specs=[raw.spec(NOUN, table, text, {"parquet"}) for table, text in schemas.DESCRIPTIONS.items()],
    check_specs=[raw.schema_check(NOUN, table) for table in schemas.TABLES],
    partitions_def=ORGANIZATIONS,
)
def load_telemetry(
    context: dg.AssetExecutionContext, deployment: dg.ResourceParam[Deployment]
) -> Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]:
    organization_id = identifier(context.partition_key)
    source = telemetry.source_of(deployment, organization_id)
    with (
        outbox.recording_failure(deployment, organization_id),
        translating_errors(f"telemetry of organization {context.partition_key}"),
    ):
        new: dict[str, int] = {}
        try:
            loaded = telemetry.load(deployment, organization_id, thorough=True)
            new = loaded.rows
            if damaged := loaded.damaged_segments + loaded.damaged_files:
                context.log.warning(f"{damaged} damaged files of telemetry were set aside; the others count")
        except SourceBusy:
            context.log.info("another process loads the telemetry; this build has what was loaded before")
        rows = source.state().rows
        for table in schemas.TABLES:
            metadata = {"dagster/row_count": rows.get(table, 0), "rows_new": new.get(table, 0)}
            yield dg.MaterializeResult(asset_key=raw.key(NOUN, table), metadata=metadata)
        yield from raw.schema_checks(source, NOUN)
