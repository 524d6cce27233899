"""Raw tables of `git`: the facts of one repository, extracted together."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import dagster as dg

from api.control.repositories import sync_status
from ingest.errors import SourceBusy
from ingest.git.extract import ExtractionReport
from ingest.git.repository_source import RepositorySource
from ingest.schemas import git as schemas
from orchestration.deployment import Deployment
from orchestration.graph.assets import raw
from orchestration.operations.results import answering_operations
from orchestration.reading.extraction import NOUN, Reading
from orchestration.reading.repositories import (
    KnownRepository,
    Repositories,
    address,
    record_failure,
    require_enabled,
)
from orchestration.runtime.failures import RETRY_TRANSIENT, translating_errors
from orchestration.runtime.in_process_runs import share_of_workers
from orchestration.runtime.partitions import REPOSITORIES, identifier
from orchestration.runtime.progress import Progress
from orchestration.runtime.run_state import RepositoryEntry
from orchestration.state import fingerprints

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
    repositories: dg.ResourceParam[Repositories],
    progress: dg.ResourceParam[Progress],
) -> Iterator[dg.MaterializeResult[None] | dg.AssetCheckResult]:
    with translating_errors(f"repository {context.partition_key}"):
        known = repositories.known(deployment, identifier(context.partition_key))
        require_enabled(known)
    lake_source = deployment.lake.source(NOUN, known.organization_id, known.repository_id)
    with (
        translating_errors(f"repository {known.name}", retry_number=context.retry_number),
        recording_failures(deployment, known),
    ):
        with answering_operations(deployment, known, lake_source) as pending:
            source = repositories.open(deployment, known, progress)
            workers = share_of_workers(context.instance, deployment.settings.workers)
            reading = repositories.read(
                deployment, source, progress, workers=workers, anew=pending.anew, since=pending.latest
            )
            record_success(deployment, known, source, reading)
        before, report, seconds = reading.rows_before, reading.report, reading.seconds
        after = lake_source.state().rows
        context.log.info(
            f"{known.name}: {report.commits_new} new of {report.commits_total} commits in {seconds:.1f} s"
        )
        for table in schemas.TABLES:
            metadata = table_metadata(table, before, after) | (
                run_metadata(source, report, seconds) if table == "commits" else {}
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


def record_success(
    deployment: Deployment, known: KnownRepository, source: RepositorySource, reading: Reading
) -> None:
    """Record an extraction in the run state and the control database."""
    facts = deployment.lake.source(NOUN, known.organization_id, known.repository_id).state()
    entry = replace(
        run_entry(deployment, known),
        name=source.name,
        state=reading.fingerprint,
        succeeded_at=fingerprints.now().isoformat(timespec="seconds"),
        failed_at=None,
        error=None,
        commits=reading.report.commits_total,
        seconds=round(reading.seconds, 3),
        batch=facts.batch,
        facts=facts.digest(),
    )
    deployment.run_state.record(known.organization_id, entry)
    with deployment.control() as control:
        commits = reading.report.commits_total
        sync_status.note_success(control, known.organization_id, known.repository_id, commits)


@contextmanager
def recording_failures(deployment: Deployment, known: KnownRepository) -> Iterator[None]:
    """Record an error of the block in the run state (for `eas doctor`) and the control database (for the API)."""
    try:
        yield
    except Exception as error:
        reason = f"{error}" or type(error).__name__
        is_busy = isinstance(error, SourceBusy)
        record_failure(
            deployment, known.organization_id, run_entry(deployment, known), reason, is_busy=is_busy
        )
        raise


def run_entry(deployment: Deployment, known: KnownRepository) -> RepositoryEntry:
    """The entry of a repository in the run state, or a new entry."""
    found = deployment.run_state.repository(known.organization_id, known.repository_id)
    return found or RepositoryEntry(known.repository_id, known.name, address(known))


def table_metadata(table: str, before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, Any]:
    """Number of rows after the run, and number of new rows for append-only tables."""
    rows = after.get(table, 0)
    gained = {"rows_new": rows - before.get(table, 0)} if table in APPEND_ONLY_TABLES else {}
    return {"dagster/row_count": rows, **gained}


def run_metadata(source: RepositorySource, report: ExtractionReport, seconds: float) -> dict[str, Any]:
    """Speed (commits per second), watermark (head SHA) and skipped objects of a run; seconds of wall time by stage."""
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
