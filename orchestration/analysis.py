"""The main job behind `eas analyze`: extract changed repositories, then build and publish if inputs changed.

Add: steps of the main job. Keep out: running jobs (runs.py), printing (cli.py, report/).
This module imports Dagster and dbt only when there is work for them.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace

from api.control.organizations import organizations
from api.control.principals import OPERATOR
from api.control.repositories import sync_status
from ingest.errors import IngestError
from ingest.git.repository_source import RepositorySource, on_branch, resolve
from orchestration.build import settings_snapshot
from orchestration.deployment import LOCAL_ORGANIZATION, LOCAL_SLUG, Deployment
from orchestration.operations import outbox, removal
from orchestration.reading import Pool
from orchestration.runtime import collector
from orchestration.runtime.explanations import explain
from orchestration.runtime.run_state import RepositoryEntry
from orchestration.runtime.terminal import Watcher
from orchestration.state import fingerprints
from orchestration.state.readings import Reading
from orchestration.state.repositories import Repositories, printable_target, record_failure, storable_target


@dataclass(frozen=True)
class Problem:
    """A failure: the repository, setting or warehouse that failed (`subject`), and the reason."""

    subject: str
    reason: str


@dataclass
class Analysis:
    """The result of a run of `eas analyze`.

    `timings` maps each stage to seconds of wall time. `has_changed` is true after a successful build.
    """

    organization_id: str = LOCAL_ORGANIZATION
    repositories: list[RepositorySource] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    timings: dict[str, float] = field(default_factory=dict)
    has_changed: bool = False


def analyze(
    deployment: Deployment, targets: Sequence[str], watcher: Watcher, *, time_zone: str | None = None
) -> Analysis:
    """Extract the repositories that changed, then build and publish if an input of the build changed.

    A repository that fails becomes a problem of the result; the other repositories are still analysed.
    Raises ControlError if the control database refuses a setting.
    """
    analysis = Analysis()
    started = time.monotonic()
    _ensure_organization(deployment, analysis.organization_id, time_zone)
    opening = _Opening(deployment, list(dict.fromkeys(targets)), analysis.organization_id, watcher)
    with Pool(deployment, watcher, len(opening.targets), opening.open).running() as pool:
        has_work = pool.has_work()
        analysis.timings["looking for changes"] = time.monotonic() - started
        if has_work:
            _extract_and_build(deployment, analysis, pool.ended(), watcher)
    opening.report(analysis)
    if not has_work and _build_is_due(deployment, analysis.organization_id):
        _extract_and_build(deployment, analysis, (), watcher)
    return analysis


def _ensure_organization(deployment: Deployment, organization_id: str, time_zone: str | None) -> None:
    with deployment.control() as control:
        control.ensure_organization(
            "Local", organization_id=organization_id, slug=LOCAL_SLUG, time_zone=time_zone
        )
        if time_zone is not None:
            organizations.change_settings(control, OPERATOR, organization_id, {"time_zone": time_zone})


class _Opening:
    """Opens the targets, from several threads, and keeps what became of each."""

    def __init__(
        self, deployment: Deployment, targets: Sequence[str], organization_id: str, watcher: Watcher
    ) -> None:
        self.targets = targets
        self._deployment, self._organization_id, self._watcher = deployment, organization_id, watcher
        self._results: dict[int, RepositorySource | Problem] = {}
        self._ids: set[str] = set()
        # One thread at a time writes to the control database, and the same repository is opened once.
        self._lock = threading.Lock()

    def open(self, number: int) -> RepositorySource | None:
        """Open and register the target of a number. Returns the repository if it has to be read."""
        target = self.targets[number]
        name = printable_target(target)

        def fetching(stage: str, done: int, total: int) -> None:
            self._watcher.stage(name, stage, done, total)

        try:
            source = resolve(target, self._deployment.settings, self._organization_id, on_progress=fetching)
            with self._lock:
                if source.repository_id in self._ids:
                    return None
                self._ids.add(source.repository_id)
                _record_location(self._deployment, source, storable_target(target))
                return self._register(number, source)
        except IngestError as error:
            self._results[number] = Problem(name, str(error))
        except Exception as error:  # noqa: BLE001 - a defect in one repository must not stop the others
            self._results[number] = Problem(name, explain(error))
        return None

    def _register(self, number: int, source: RepositorySource) -> RepositorySource | None:
        """Register a repository, and apply the default branch that people chose."""
        with self._deployment.control() as control:
            control.upsert_repository(
                self._organization_id, source.repository_id, name=source.name, origin=source.origin
            )
            branch = sync_status.chosen_branch(control, source.organization_id, source.repository_id)
        try:
            source = on_branch(source, branch) if branch is not None else source
        except IngestError as error:
            self._results[number] = Problem(source.name, str(error))
            entry = self._deployment.run_state.repository(source.organization_id, source.repository_id)
            if entry is not None:
                record_failure(self._deployment, source.organization_id, entry, str(error))
            return None
        self._results[number] = source
        return source if _is_due(self._deployment, source) else None

    def report(self, analysis: Analysis) -> None:
        """Add the opened repositories and the problems to the result, in the order of the targets."""
        results = [self._results[number] for number in sorted(self._results)]
        analysis.repositories = [result for result in results if isinstance(result, RepositorySource)]
        analysis.problems[:0] = [result for result in results if isinstance(result, Problem)]


def _record_location(deployment: Deployment, source: RepositorySource, target: str) -> None:
    """Record the path or address of the repository, which scheduled runs need."""
    entry = deployment.run_state.repository(source.organization_id, source.repository_id)
    entry = entry or RepositoryEntry(source.repository_id, source.name, target)
    deployment.run_state.record(source.organization_id, replace(entry, name=source.name, target=target))


def _is_due(deployment: Deployment, source: RepositorySource) -> bool:
    entry = deployment.run_state.repository(source.organization_id, source.repository_id)
    if entry is None or entry.state != fingerprints.of_repository(source):
        return True
    with deployment.control() as control:
        return sync_status.is_awaited(control, source.organization_id, source.repository_id)


def _build_is_due(deployment: Deployment, organization_id: str) -> bool:
    published = deployment.run_state.build(organization_id)
    if published is None and not deployment.lake.sources("git", organization_id):
        return False
    pointer = deployment.settings.published_dir / organization_id / "current.json"
    watermark = outbox.current_watermark(deployment, organization_id)
    settings = settings_snapshot.current_settings(deployment, organization_id)
    inputs = fingerprints.of_build(deployment, organization_id, settings, fingerprints.now())
    if published is None or published.inputs != inputs or not pointer.is_file():
        return True
    if removal.is_pending(deployment, organization_id):
        return True
    outbox.mark_included(deployment, organization_id, watermark, published.build_id)
    return False


def _extract_and_build(
    deployment: Deployment,
    analysis: Analysis,
    ended: Iterable[tuple[RepositorySource, Future[Reading]]],
    watcher: Watcher,
) -> None:
    """Record the readings of the repositories in the order in which they end, then build what changed."""
    started = time.monotonic()
    with collector.held():
        from orchestration import runs

    repositories = Repositories()
    with runs.open_runs(deployment, repositories, watcher) as jobs:
        analysis.timings["starting Dagster and dbt"] = time.monotonic() - started
        for source, reading in ended:
            repositories.add(source, reading)
            outcome = jobs.extract(source)
            seconds = outcome.seconds if reading.exception() else reading.result().seconds
            analysis.timings[f"reading {source.name}"] = seconds
            if outcome.succeeded:
                counts = outcome.metadata.get("raw git commits", {})
                new, skipped = counts.get("commits_new", 0), counts.get("skipped_objects", 0)
                skipped_note = f"; {skipped:,} times an object could not be read" if skipped else ""
                watcher.done(source.name, f"{new:,} new commits in {seconds:.1f} s{skipped_note}")
            else:
                watcher.done(source.name, "failed")
                analysis.problems += [Problem(source.name, reason) for reason in outcome.failures]
        if _build_is_due(deployment, analysis.organization_id):
            outcome = jobs.build(analysis.organization_id, LOCAL_SLUG)
            analysis.timings["building and publishing"] = outcome.seconds
            analysis.has_changed = outcome.succeeded
            watcher.done("warehouse", f"built in {outcome.seconds:.1f} s" if outcome.succeeded else "failed")
            analysis.problems += [Problem("warehouse", reason) for reason in outcome.failures]
