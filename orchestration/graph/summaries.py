"""Summaries in the graph: schedules that see to it that each organization gets its own, and a backfill of past ones.

A build writes what it completes (publishing/steps.py). A schedule is there for what no build does: it reads the sources
once more after a period ended, because the last hours may be missing, and writes where nothing new was read.
Keep out: which summaries are due, and their texts (summaries/).
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import dagster as dg

from api.control.store import OrganizationRecord
from api.control.summaries.kinds import Period
from api.control.summaries.revisions import last_starts
from orchestration.build import due
from orchestration.deployment import Deployment
from orchestration.graph.assets import raw
from orchestration.graph.assets.published import KEY
from orchestration.graph.jobs import SUMMARIES
from orchestration.graph.nightly_reading import MAX_PROCESS_RETRIES, NIGHT_TAG, read_repositories
from orchestration.publishing.snapshot import current_file
from orchestration.runtime.executor import one_process
from orchestration.runtime.failures import translating_errors
from orchestration.runtime.partitions import ORGANIZATIONS, identifier, key, register
from orchestration.state import build_lock
from orchestration.summaries import writing
from orchestration.summaries.periods import ended_at, last_complete
from orchestration.summaries.writing import Outcome
from orchestration.workers.run_queue import READER_TAG

# Minutes of the hour: on the first day of a quarter all three may be due, and the first one reads for all.
SCHEDULED = ((Period.WEEK, "weekly", 10), (Period.MONTH, "monthly", 25), (Period.QUARTER, "quarterly", 40))
FIRST_DAY = "2015-01-01"
"""Backfills list periods from here on. The horizon of the facts ends them earlier, with a message."""
CRONS = {Period.WEEK: "0 0 * * 1", Period.MONTH: "0 0 1 * *", Period.QUARTER: "0 0 1 1,4,7,10 *"}
ORGANIZATION, START = "organization", "start"


@dg.op(
    ins={"read": dg.In(dg.Nothing)},
    description="Writes due summaries of the published build, unless a build is due, which writes them itself.",
)
def write_due_summaries(context: dg.OpExecutionContext, deployment: dg.ResourceParam[Deployment]) -> None:
    organization_id = identifier(context.partition_key)
    with (
        translating_errors(f"summaries of {context.partition_key}"),
        build_lock.held(deployment, organization_id),
    ):
        published = current_file(deployment.settings.published_dir, organization_id)
        if published is None or due.inputs_of_due_build(deployment, organization_id, thorough=False):
            context.log.info("A build is due. It writes the summaries.")
            return
        _report(context, writing.write_due(deployment, published, published.stem))


@dg.job(
    name="summarize_organization",
    partitions_def=ORGANIZATIONS,
    executor_def=one_process,
    tags={"dagster/max_retries": str(MAX_PROCESS_RETRIES)},
    description=(
        "Reads what was not read since a period ended, and writes the summaries where no build follows by itself."
    ),
)
def summarize_organization_job() -> None:
    write_due_summaries(read_repositories())


def _schedule(period: Period, name: str, minute: int) -> dg.ScheduleDefinition:
    @dg.schedule(
        name=f"{name}_summaries",
        job=summarize_organization_job,
        # Every hour has a midnight somewhere, and a missed day is made up for.
        cron_schedule=f"{minute} * * * *",
        execution_timezone="UTC",
        default_status=dg.DefaultScheduleStatus.RUNNING,
        description=(
            f"Looks every hour for organizations whose {period.value} ended in their own time zone and has no summary."
            " Reads their sources once more and sees to it that the summary is written."
        ),
    )
    def summaries(
        context: dg.ScheduleEvaluationContext, deployment: dg.ResourceParam[Deployment]
    ) -> Iterator[dg.RunRequest | dg.SkipReason]:
        requested = False
        for organization, end in _without_summary(deployment, period, context.scheduled_execution_time):
            requested = True
            partition = key(organization.slug, organization.id)
            register(context.instance, ORGANIZATIONS, partition)
            today = _today(organization, context.scheduled_execution_time)
            yield dg.RunRequest(
                # Once a day, until there is a summary.
                run_key=f"{period.value}:{end}:{today}:{organization.id}",
                partition_key=partition,
                tags={
                    NIGHT_TAG: ended_at(end, organization.time_zone).isoformat(),
                    READER_TAG: organization.id,
                },
            )
        if not requested:
            yield dg.SkipReason(f"Every organization has the summary of its last {period.value}.")

    return summaries


def _without_summary(
    deployment: Deployment, period: Period, now: datetime
) -> Iterator[tuple[OrganizationRecord, date]]:
    """Organizations with a build that lack the summary of their newest completed period, with its last day."""
    with deployment.control() as control:
        organizations = [
            one
            for one in control.organizations()
            if current_file(deployment.settings.published_dir, one.id) is not None
        ]
        last = last_starts(control, [one.id for one in organizations])
    for organization in organizations:
        start, end = last_complete(period, _today(organization, now))
        if last.get((organization.id, period), date.min) < start:
            yield organization, end


def _today(organization: OrganizationRecord, now: datetime) -> date:
    return now.astimezone(UTC).astimezone(ZoneInfo(organization.time_zone)).date()


def _backfill(period: Period, name: str) -> dg.AssetsDefinition:
    starts = dg.TimeWindowPartitionsDefinition(
        cron_schedule=CRONS[period], start=FIRST_DAY, fmt="%Y-%m-%d", timezone="UTC"
    )

    @dg.asset(
        key=[SUMMARIES, name],
        deps=[KEY],
        partitions_def=dg.MultiPartitionsDefinition({ORGANIZATION: ORGANIZATIONS, START: starts}),
        group_name=SUMMARIES,
        owners=raw.OWNERS,
        kinds={"python"},
        description=(
            f"The {name} summaries of an organization, its teams and its repositories for a past {period.value}, from"
            " the published build. Those that are stored stay as they are."
        ),
    )
    def summaries(
        context: dg.AssetExecutionContext, deployment: dg.ResourceParam[Deployment]
    ) -> dg.MaterializeResult[None]:
        assert isinstance(context.partition_key, dg.MultiPartitionKey)
        chosen = context.partition_key.keys_by_dimension
        organization_id, start = identifier(chosen[ORGANIZATION]), date.fromisoformat(chosen[START])
        with (
            translating_errors(f"summaries of {context.partition_key}"),
            build_lock.held(deployment, organization_id),
        ):
            published = current_file(deployment.settings.published_dir, organization_id)
            if published is None:
                raise dg.Failure(
                    f"{chosen[ORGANIZATION]} has no published build; build it first", allow_retries=False
                )
            outcome = writing.write_period(deployment, published, published.stem, period, start)
        _report(context, outcome)
        return dg.MaterializeResult(metadata=outcome.metadata())

    return summaries


def _report(context: dg.OpExecutionContext | dg.AssetExecutionContext, outcome: Outcome) -> None:
    """Log what was written. Raises Failure where a summary could not be written; the others are stored."""
    context.log.info(f"{outcome.written} summaries were written")
    if outcome.failures:
        raise dg.Failure(
            f"{len(outcome.failures)} summaries could not be written",
            metadata=outcome.metadata(),
            allow_retries=False,
        )


SUMMARY_SCHEDULES = [_schedule(*one) for one in SCHEDULED]
SUMMARY_ASSETS = [_backfill(period, name) for period, name, _ in SCHEDULED]
BACKFILL_JOBS = [
    dg.define_asset_job(
        f"summarize_{period.value}",
        selection=dg.AssetSelection.assets(asset),
        executor_def=one_process,
        description=f"Writes the {name} summaries of past periods. A backfill of the partitions writes several.",
    )
    for (period, name, _), asset in zip(SCHEDULED, SUMMARY_ASSETS, strict=True)
]
