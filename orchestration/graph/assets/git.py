"""Raw tables of `git`: the facts of one repository, extracted together."""

from collections.abc import Iterator, Mapping
from typing import Any

import dagster as dg

from ingest.schemas import git as schemas
from orchestration.deployment import Deployment
from orchestration.graph.assets import raw
from orchestration.reading import repositories
from orchestration.reading.extraction import NOUN, Reading
from orchestration.reading.readings import Readings
from orchestration.reading.repositories import require_enabled
from orchestration.runtime.failures import RETRY_TRANSIENT, translating_errors
from orchestration.runtime.in_process_runs import share_of_workers
from orchestration.runtime.partitions import REPOSITORIES, identifier
from orchestration.runtime.progress import Progress

SHRINK_CHECK = "does_not_shrink"
# Tables that only gain rows while the extractor version stays the same. The others describe the present refs.
APPEND_ONLY_TABLES = ("commits", "file_changes", "references")
DESCRIPTIONS = {
    "commits": "One row per commit: people, times, message, parents.",
    "file_changes": "One row per commit and file: what changed, hunks and line counts as Git counts them.",
    "references": "One row per commit and reference to an issue, pull request or other commit.",
    "deliveries": "One row per step of the default branch along first parents. Rewritten by every run.",
    "delivered_lines": "Lines that a delivery added, by file, commit of birth and line class, as histograms.",
    "line_deaths": "Lines that a delivery removed, by file and commit of birth, as histograms.",
    "squash_lines": "Lines of squashes by source commit. One row per squash, source commit and file.",
    "fix_context": "Authorship of lines around possible fixes. One row per fix, file and commit of origin.",
    "refs": "One row per branch and tag. Rewritten by every run.",
    "reachability": "One row per commit: from which kinds of ref it is reachable. Rewritten by every run.",
    "repository_runs": "The state of the repository at the last run. One row.",
    "mailmap_entries": "One row per entry of the mailmap at the default branch's head. Rewritten by every run.",
    "problems": "One row per object that could not be read, with the reason and what to do.",
}


@dg.multi_asset(
    name="extract_git",
    description="Extracts the new commits of a repository and appends facts to the lake.",
    specs=[raw.spec(NOUN, table, DESCRIPTIONS[table], {"parquet", "git"}) for table in schemas.TABLES],
    check_specs=[
        *(raw.schema_check(NOUN, table) for table in schemas.TABLES),
        *(
            dg.AssetCheckSpec(
                SHRINK_CHECK,
                asset=raw.key(NOUN, table),
                description=(
                    "A run keeps the facts of rewritten branches, so the number of rows never falls. Exceptions are a"
                    " new version of the extractor and another default branch. Extraction refuses to lose half of it."
                ),
            )
            for table in APPEND_ONLY_TABLES
        ),
    ],
    partitions_def=REPOSITORIES,
    retry_policy=RETRY_TRANSIENT,
)
def extract_git(
    context: dg.AssetExecutionContext,
    deployment: dg.ResourceParam[Deployment],
    readings: dg.ResourceParam[Readings],
    progress: dg.ResourceParam[Progress],
) -> Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]:
    with translating_errors(f"repository {context.partition_key}"):
        known = repositories.known(deployment, identifier(context.partition_key))
        require_enabled(known)
    lake_source = deployment.lake.source(NOUN, known.organization_id, known.repository_id)
    with translating_errors(f"repository {known.name}", retry_number=context.retry_number):
        workers = share_of_workers(context.instance, deployment.settings.workers)
        reading = readings.read(deployment, known, progress, workers=workers)
        before, report, after = reading.rows_before, reading.report, lake_source.state().rows
        context.log.info(
            f"{known.name}: {report.commits_new} new of {report.commits_total} commits in {reading.seconds:.1f} s"
        )
        for table in schemas.TABLES:
            metadata = table_metadata(table, before, after) | (
                run_metadata(reading) if table == "commits" else {}
            )
            yield dg.MaterializeResult(asset_key=raw.key(NOUN, table), metadata=metadata)
        yield from raw.schema_checks(lake_source, NOUN)
        for table in APPEND_ONLY_TABLES:
            yield dg.AssetCheckResult(
                asset_key=raw.key(NOUN, table),
                check_name=SHRINK_CHECK,
                passed=after.get(table, 0) >= before.get(table, 0),
                severity=dg.AssetCheckSeverity.WARN,
                metadata={"rows_before": before.get(table, 0), "rows_after": after.get(table, 0)},
            )


def table_metadata(table: str, before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, Any]:
    """Number of rows after the run, and number of new rows for append-only tables."""
    rows = after.get(table, 0)
    gained = {"rows_new": rows - before.get(table, 0)} if table in APPEND_ONLY_TABLES else {}
    return {"dagster/row_count": rows, **gained}


def run_metadata(reading: Reading) -> dict[str, Any]:
    """Speed (commits per second), watermark (head SHA) and skipped objects of a run; seconds of wall time by stage."""
    source, report, seconds = reading.source, reading.report, reading.seconds
    return {
        "repository": source.name,
        "origin": source.origin,
        "default_branch": source.default_branch,
        "watermark": report.head,
        "commits_new": report.commits_new,
        "deliveries_new": report.deliveries_new,
        "commits_per_second": round(report.commits_new / seconds, 1) if seconds else 0.0,
        "skipped_objects": report.skipped_objects,
        "seconds": {stage: round(spent, 3) for stage, spent in report.seconds.items()},
    }
