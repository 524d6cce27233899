"""The main job behind `eas analyze`: sync due connections, extract changed repositories, then build and publish if
inputs changed.

Add: steps of the main job. Keep out: running jobs (runs.py), printing (cli/, report/).
This module imports Dagster and dbt only when there is work for them.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from functools import partial
from typing import TYPE_CHECKING

from sqlalchemy.exc import DatabaseError, OperationalError

from api.control.database import check_file
from api.control.organizations import organizations
from api.control.principals import OPERATOR
from ingest.errors import IngestError
from ingest.git.repository_source import RepositorySource
from orchestration.build import due as due_builds
from orchestration.commands import syncs
from orchestration.deployment import LOCAL_SLUG, Deployment
from orchestration.publishing import copies
from orchestration.reading import telemetry
from orchestration.reading.extraction import Reading
from orchestration.reading.opening import Analysis, Opening, Problem
from orchestration.reading.pool import Pool
from orchestration.reading.readings import Readings
from orchestration.runtime import collector, instance
from orchestration.runtime.terminal import Watcher
from orchestration.state import build_lock, conditions, strays
from orchestration.state.condition import Condition
from orchestration.state.connections import KnownConnection

if TYPE_CHECKING:
    from orchestration.runtime.in_process_runs import Runs

SHOWN_SECONDS = 0.1
"""Timings below this are noise: no connection was due."""


def analyze(
    deployment: Deployment, targets: Sequence[str], watcher: Watcher, *, time_zone: str | None = None
) -> Analysis:
    """Extract the repositories that changed, then build and publish if an input of the build changed.

    Damaged facts are extracted from the start, whether their repository was named or not. A repository that fails
    becomes a problem of the result; the other repositories are still analysed. Raises ControlError if the control
    database refuses a setting, is lost or is damaged.
    """
    analysis = Analysis()
    clear_way(deployment, watcher)
    check_file(deployment.settings.data_dir)
    _ensure_organization(deployment, analysis.organization_id, time_zone)
    read_and_build(deployment, analysis, list(dict.fromkeys(targets)), watcher)
    return analysis


def sync_and_build(
    deployment: Deployment,
    organization_id: str,
    slug: str,
    chosen: Sequence[KnownConnection],
    watcher: Watcher,
    *,
    is_full: bool = False,
) -> list[Problem]:
    """Read chosen connections, whether they are due or not, then build and publish if an input changed."""
    clear_way(deployment, watcher)
    check_file(deployment.settings.data_dir)
    analysis = Analysis(organization_id, slug)
    note_syncs(analysis, syncs.read(deployment, chosen, watcher, is_full=is_full), 0.0)
    if _can_build(deployment, analysis, watcher):
        _extract_and_build(deployment, Opening(deployment, analysis, (), (), watcher), (), watcher)
    return analysis.problems


def clear_way(deployment: Deployment, watcher: Watcher) -> None:
    """Move aside what does not belong into the deployment's folders, and say so."""
    moved = strays.set_aside(deployment)
    if moved is not None:
        watcher.say(f"{moved}.")


def _ensure_organization(deployment: Deployment, organization_id: str, time_zone: str | None) -> None:
    with deployment.control() as control:
        control.ensure_organization(
            "Local", organization_id=organization_id, slug=LOCAL_SLUG, time_zone=time_zone
        )
        if time_zone is not None:
            organizations.change_settings(control, OPERATOR, organization_id, {"time_zone": time_zone})


def read_and_build(
    deployment: Deployment,
    analysis: Analysis,
    targets: Sequence[str],
    watcher: Watcher,
    *,
    only_damaged: bool = False,
) -> None:
    """Read due connections, the targets that changed and all repositories with damaged facts; build what is due.

    With `only_damaged` only connections with damaged facts are due.
    """
    started = time.monotonic()
    failures = syncs.read_due(deployment, analysis.organization_id, watcher, only_damaged=only_damaged)
    note_syncs(analysis, failures, time.monotonic() - started)
    load_telemetry(deployment, analysis, watcher)
    started = time.monotonic()
    opening = Opening(deployment, analysis, targets, _mark_damaged(deployment, analysis, watcher), watcher)
    on_wait = opening.tell_of_waiting
    with Pool(deployment, watcher, opening.count, opening.open, on_wait=on_wait).running() as pool:
        has_work = pool.has_work()
        analysis.timings["looking for changes"] = time.monotonic() - started
        if has_work:
            _extract_and_build(deployment, opening, pool.ended(), watcher)
    if not has_work:
        opening.report()
        if _can_build(deployment, analysis, watcher):
            _extract_and_build(deployment, opening, (), watcher)


def note_syncs(analysis: Analysis, failures: Mapping[str, str], seconds: float) -> None:
    """Add the connections that failed, and the time that reading connections took."""
    analysis.problems += [Problem(name, reason) for name, reason in failures.items()]
    if seconds >= SHOWN_SECONDS:
        analysis.timings["reading connections"] = seconds


def load_telemetry(deployment: Deployment, analysis: Analysis, watcher: Watcher) -> None:
    """Load what AI tools have sent. What cannot be loaded stays in the spool and is a problem of the result."""
    try:
        loaded = telemetry.load(deployment, analysis.organization_id)
    except (IngestError, OSError) as error:
        analysis.problems.append(Problem("telemetry", str(error)))
        return
    if count := sum(loaded.rows.values()):
        watcher.say(f"telemetry: {count:,} new rows.")
    if damaged := loaded.damaged_segments + loaded.damaged_files:
        problem = f"{damaged} damaged files were set aside, and what was whole of them counts"
        analysis.problems.append(Problem("telemetry", problem))


def _mark_damaged(deployment: Deployment, analysis: Analysis, watcher: Watcher) -> list[Condition]:
    """Mark the repositories with damaged facts, so that later looks in this run compare only sizes."""
    conditions.discard_foreign_facts(deployment, analysis.organization_id)
    found = list(conditions.damaged_facts(deployment, analysis.organization_id))
    for damaged in found:
        noun, source_id = conditions.EXTRACTED, damaged.repository_id or ""
        deployment.lake.source(noun, analysis.organization_id, source_id).mark_damaged(damaged.detail)
        watcher.say(f"{damaged.subject}: {damaged.detail}; they are extracted from the start.")
    return found


def _can_build(
    deployment: Deployment, analysis: Analysis, watcher: Watcher, *, has_waited: bool = False
) -> bool:
    """Whether a build is due and possible. Facts that stay damaged are a problem, unless an earlier one names them.

    A build of another process is awaited: most often it has the same facts. `has_waited`: the caller did so.
    """
    with _sole_builder(deployment, analysis, watcher) as waits:
        remaining = conditions.blocking(deployment, analysis.organization_id, thorough=False)
        named = {problem.subject for problem in analysis.problems}
        analysis.problems += [Problem(one.subject, str(one)) for one in remaining if one.subject not in named]
        if remaining:
            return False
        is_due = due_builds.inputs_of_due_build(deployment, analysis.organization_id) is not None
        if (has_waited or waits) and not is_due:
            watcher.say("warehouse: the other process published a build of all that was read.")
        return is_due


def _sole_builder(
    deployment: Deployment, analysis: Analysis, watcher: Watcher
) -> AbstractContextManager[bool]:
    """Wait until no other process builds, and let none start during the block. Yields whether it waited."""
    line = "warehouse: another process builds it now; this run waits for it."
    return build_lock.held(deployment, analysis.organization_id, partial(watcher.say, line))


def _extract_and_build(
    deployment: Deployment,
    opening: Opening,
    ended: Iterable[tuple[RepositorySource, Future[Reading]]],
    watcher: Watcher,
) -> None:
    """Do the work that is due; once more without Dagster's records if these turn out to be damaged."""
    kept = instance.set_aside_damaged(deployment.settings)
    readings = iter(ended)
    seen: list[tuple[RepositorySource, Future[Reading]]] = []

    def noted() -> Iterator[tuple[RepositorySource, Future[Reading]]]:
        for one in readings:
            seen.append(one)
            yield one

    try:
        _work(deployment, opening, noted(), watcher)
    except DatabaseError as error:
        if isinstance(error, OperationalError) and "no such" not in str(error):
            raise
        kept = instance.set_aside(deployment.settings)
        _work(deployment, opening, [*seen, *readings], watcher)
    if kept is not None:
        watcher.say(f"Dagster's records were damaged; they are in {kept} now, and new ones were started.")


def _work(
    deployment: Deployment,
    opening: Opening,
    ended: Iterable[tuple[RepositorySource, Future[Reading]]],
    watcher: Watcher,
) -> None:
    """Record the readings of the repositories in the order in which they end, then build what changed."""
    started = time.monotonic()
    analysis = opening.analysis
    with collector.held():
        from orchestration.commands import runs

    readings = Readings()
    with runs.open_runs(deployment, readings, watcher) as jobs:
        analysis.timings["starting Dagster and dbt"] = time.monotonic() - started
        _record(analysis, jobs, readings, ended, watcher)
        opening.report()
        if opening.has_added:
            added = syncs.read_for_new_repositories(
                deployment, analysis.organization_id, jobs, readings, watcher
            )
            note_syncs(analysis, added, 0.0)
            _read_reviews(deployment, opening, jobs, readings, watcher)
        # Between its steps no other build may replace what this one is about to publish.
        with _sole_builder(deployment, analysis, watcher) as has_waited:
            if _can_build(deployment, analysis, watcher, has_waited=has_waited):
                _build(analysis, jobs, watcher)
        # Afterwards, because a slow store must not keep the next build waiting.
        if copies.waiting(deployment.settings.published_dir, analysis.organization_id) is not None:
            _copy(analysis, jobs)


def _build(analysis: Analysis, jobs: Runs, watcher: Watcher) -> None:
    outcome = jobs.build(analysis.organization_id, analysis.slug)
    analysis.timings["building and publishing"] = outcome.seconds
    analysis.has_changed = outcome.succeeded
    watcher.done("warehouse", f"built in {outcome.seconds:.1f} s" if outcome.succeeded else "failed")
    analysis.problems += [Problem("warehouse", reason) for reason in outcome.failures]


def _copy(analysis: Analysis, jobs: Runs) -> None:
    outcome = jobs.copy(analysis.organization_id, analysis.slug)
    analysis.timings["copying for other machines"] = outcome.seconds
    analysis.problems += [Problem("copy for other machines", reason) for reason in outcome.failures]


def _record(
    analysis: Analysis,
    jobs: Runs,
    readings: Readings,
    ended: Iterable[tuple[RepositorySource, Future[Reading]]],
    watcher: Watcher,
) -> None:
    """Record the readings of repositories in the order in which they end."""
    for source, reading in ended:
        readings.add(source, reading)
        outcome = jobs.extract(source.name, source.repository_id)
        seconds = outcome.seconds if reading.exception() else reading.result().seconds
        stage = f"reading {source.name}"
        analysis.timings[stage] = analysis.timings.get(stage, 0.0) + seconds
        if outcome.succeeded:
            counts = outcome.metadata.get("raw git commits", {})
            new, skipped = counts.get("commits_new", 0), counts.get("skipped_objects", 0)
            times = f"{skipped:,} {'time' if skipped == 1 else 'times'}"
            skipped_note = f"; {times} an object could not be read" if skipped else ""
            commits = "1 new commit" if new == 1 else f"{new:,} new commits"
            watcher.done(source.name, f"{commits} in {seconds:.1f} s{skipped_note}")
        else:
            watcher.done(source.name, "failed")
            analysis.problems += [Problem(source.name, reason) for reason in outcome.failures]


def _read_reviews(
    deployment: Deployment, opening: Opening, jobs: Runs, readings: Readings, watcher: Watcher
) -> None:
    """Read the source commits of merged pull requests that a connection named after their repository was opened.

    A host is asked for the pull requests of known repositories alone, and a new one is known once it is open.
    """
    targets = opening.with_news()
    if not targets:
        return
    analysis = opening.analysis
    again = Opening(deployment, Analysis(analysis.organization_id, analysis.slug), targets, (), watcher)
    with Pool(deployment, watcher, again.count, again.open, on_wait=again.tell_of_waiting).running() as pool:
        _record(analysis, jobs, readings, pool.ended(), watcher)
    again.report()
    analysis.problems += again.analysis.problems
