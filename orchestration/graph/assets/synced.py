"""Raw tables of each category of connections, read together.

Keep out: the tables of a category (ingest/schemas), the run itself (reading/syncs.py).
"""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from ingest.schemas import SYNCED
from ingest.schemas.category import Category
from orchestration.deployment import Deployment
from orchestration.graph.assets import raw
from orchestration.reading import syncs
from orchestration.reading.readings import Readings
from orchestration.reading.syncs import Synced
from orchestration.runtime.failures import translating_errors
from orchestration.runtime.in_process_runs import FULL_TAG
from orchestration.runtime.partitions import CONNECTIONS, identifier
from orchestration.runtime.progress import Progress
from orchestration.state import connections

SHRINK_CHECK, COMPLETE_CHECK = "does_not_shrink", "is_complete"
SyncResults = Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]


def sync_assets(category: Category) -> dg.AssetsDefinition:
    """The assets of a category."""
    noun, descriptions = category.noun, category.descriptions

    @dg.multi_asset(
        name=f"sync_{noun}",
        description="Reads what changed at a provider since the last run, and appends versions of rows to the lake.",
        specs=[raw.spec(noun, table, text, {"parquet"}) for table, text in descriptions.items()],
        check_specs=[
            *(raw.schema_check(noun, table) for table in descriptions),
            *(_shrink_check(noun, table) for table in category.versions),
            dg.AssetCheckSpec(
                COMPLETE_CHECK,
                asset=raw.key(noun, category.main_table),
                description="The last run read every part of the connection to its end.",
            ),
        ],
        partitions_def=CONNECTIONS,
    )
    def sync(
        context: dg.AssetExecutionContext,
        deployment: dg.ResourceParam[Deployment],
        progress: dg.ResourceParam[Progress],
        readings: dg.ResourceParam[Readings],
    ) -> SyncResults:
        # Without retries: a provider that limits requests or does not answer parks the connection.
        with translating_errors(f"connection {context.partition_key}"):
            found = connections.known(deployment, identifier(context.partition_key))
            is_full = FULL_TAG in context.run.tags
            done: Synced = readings.synced(found.id) or syncs.sync(
                deployment, found, progress, is_full=is_full
            )
        if done.message is not None:
            context.log.warning(done.message)
        for table in descriptions:
            metadata = _metadata(table, done) | (_run_metadata(done) if table == category.main_table else {})
            yield dg.MaterializeResult(asset_key=raw.key(noun, table), metadata=metadata)
        yield from raw.schema_checks(syncs.source_of(deployment, found), noun)
        for table in category.versions:
            yield _shrinkage(noun, table, done)
        yield dg.AssetCheckResult(
            asset_key=raw.key(noun, category.main_table),
            check_name=COMPLETE_CHECK,
            passed=done.report.is_complete and done.parked_until is None,
            severity=dg.AssetCheckSeverity.WARN,
            metadata={"failures": dict(done.report.failures), "message": done.message or ""},
        )

    return sync


def _shrink_check(noun: str, table: str) -> dg.AssetCheckSpec:
    return dg.AssetCheckSpec(
        SHRINK_CHECK,
        asset=raw.key(noun, table),
        description=(
            "Versions of rows are kept, so their number never falls. Exception: the facts were damaged, and the"
            " connection was read again from the start."
        ),
    )


def _shrinkage(noun: str, table: str, done: Synced) -> dg.AssetCheckResult:
    before, after = done.before.get(table, 0), done.after.get(table, 0)
    return dg.AssetCheckResult(
        asset_key=raw.key(noun, table),
        check_name=SHRINK_CHECK,
        passed=after >= before,
        severity=dg.AssetCheckSeverity.WARN,
        metadata={"rows_before": before, "rows_after": after},
    )


def _metadata(table: str, done: Synced) -> dict[str, Any]:
    rows = done.after.get(table, 0)
    return {"dagster/row_count": rows, "rows_new": rows - done.before.get(table, 0)}


def _run_metadata(done: Synced) -> dict[str, Any]:
    """Requests and streams of the run, the entities that no longer exist, and the end of a pause."""
    return {
        "requests": done.report.requests,
        "streams": done.report.streams,
        "deleted": done.report.deleted,
        "failed_streams": len(done.report.failures),
        "seconds": round(done.seconds, 3),
        "parked_until": done.parked_until.isoformat(timespec="seconds") if done.parked_until else "",
        "message": done.message or "",
    }


SYNC_ASSETS = {one.noun: sync_assets(one) for one in SYNCED.values()}
